"""How a mechanism is drawn, as a browser wants it: the palette of the other pictures."""

from __future__ import annotations

from typing import Any

from ...show.palette import look_of


def look(name: str) -> dict[str, Any]:
    """Colour, dash (in pixels) and width of a mechanism's line."""
    mark = look_of(name)
    dash = [] if isinstance(mark.dash, str) else [mark.width * part for part in mark.dash[1]]
    return {"colour": mark.colour, "dash": dash, "width": mark.width}


def short(values: Any) -> list[float]:
    """Floats in the six digits that a picture needs."""
    return [float(f"{float(value):.6g}") for value in values]
