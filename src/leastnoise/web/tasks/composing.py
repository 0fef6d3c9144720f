"""The total cost of many releases of a design, one number of releases after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...design import load
from ...errors import ArgumentError, Described
from . import curves


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Tell the points of the composition curve of the design in `file`."""
    found = load(arguments["file"])
    if found.kind not in ("additive", "integer"):
        raise ArgumentError("file", Described(found.noise.title), "additive noise")
    tell.calm = True  # each point ends by itself
    for point in curves.composition(found):
        tell("composition", point)
        if tell.stopped:
            break
    return {}
