"""A picture of a design as PNG or SVG, by the same code that draws every other picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...design import load


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Draw the design in `file` beside `baselines`; `kind` is png or svg."""
    design = load(arguments["file"])
    name = f"picture.{arguments['kind']}"
    one_number = design.kind in ("additive", "integer")
    design.plot(folder / name, baselines=arguments["baselines"] if one_number else None)
    return {"file": name}
