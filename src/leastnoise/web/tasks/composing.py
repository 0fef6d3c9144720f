"""The total cost of many releases of a design, one number of releases after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...design import Design, load
from ...errors import ArgumentError, Described
from . import curves


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Tell the points of the composition curve of the design in `file`."""
    found = load(arguments["file"])
    if not isinstance(found, Design):
        raise ArgumentError("file", Described(type(found).__name__), "additive noise")
    tell.calm = True  # each point ends by itself
    for point in curves.composition(found):
        tell("composition", point)
        if tell.stopped:
            break
    return {}
