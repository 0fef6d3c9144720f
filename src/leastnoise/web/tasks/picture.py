"""A picture of a design as PNG or SVG, by the same code that draws every other picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...design import Design, load


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Draw the design in `file` beside `baselines`; `kind` is png or svg."""
    found = load(arguments["file"])
    name = f"picture.{arguments['kind']}"
    if isinstance(found, Design):
        found.plot(folder / name, baselines=arguments["baselines"])
    else:
        found.plot(folder / name)
    return {"file": name}
