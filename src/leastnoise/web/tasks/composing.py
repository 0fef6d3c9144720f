"""The total cost of many releases of a design, one number of releases after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...design import load
from ...errors import ArgumentError, Described
from . import curves


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Tell the points of the composition curve of the design in `file`."""
    design = load(arguments["file"])
    if design.kind not in ("additive", "integer"):
        raise ArgumentError("file", Described(design.noise.title), "additive noise")
    tell.calm = True  # each point ends by itself
    for point in curves.composition(design):
        tell("composition", point)
        if tell.stopped:
            break
    return {}
