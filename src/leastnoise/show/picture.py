"""A picture that shows itself: in a notebook, or in a file. No pyplot, no display.

Pictures are drawn in a style of their own, black on white, whatever style the caller has set: a
picture made for white paper is unreadable in a dark theme's colours.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, MissingExtraError

ENDINGS = (".png", ".svg", ".pdf")
#: Text stays text in an SVG, and the same picture is the same file.
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "leastnoise",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "axes.labelsize": 10,
    "axes.titlesize": 10,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.handlelength": 3.6,
}


class Picture:
    """A drawn figure. A notebook shows it by itself; `save` writes PNG, SVG or PDF.

    `figure` is Matplotlib's own, to change or to add to, and `axes` are its panels.
    """

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    @property
    def axes(self) -> list[Any]:
        """The panels of the figure."""
        return list(self.figure.axes)

    def save(self, path: str | Path) -> Path:
        """Write the picture; the path's ending says in which format."""
        where = checked_path(path)
        self._write(where, where.suffix.lower()[1:], 160)
        return where

    def png(self, dpi: int = 110) -> bytes:
        """The picture as the bytes of a PNG file."""
        buffer = io.BytesIO()
        self._write(buffer, "png", dpi)
        return buffer.getvalue()

    def svg(self) -> str:
        """The picture as an SVG element."""
        buffer = io.StringIO()
        self._write(buffer, "svg", 110)
        text = buffer.getvalue()
        return text[text.index("<svg") :]  # a page wants the element, not an XML file

    def _repr_png_(self) -> bytes:
        return self.png()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"Picture({width:g} x {height:g} inches; .save(path) writes .png, .svg or .pdf)"

    def _write(self, target: Any, kind: str, dpi: int) -> None:
        # Without a date the same picture is the same file.
        stamp: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        with style():
            self.figure.savefig(target, format=kind, dpi=dpi, metadata=stamp.get(kind, {}))


@contextmanager
def style() -> Iterator[None]:
    """This package's style and no other, for as long as it lasts."""
    try:
        import matplotlib.style
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    with matplotlib.style.context(["default", _STYLE]):
        yield


@contextmanager
def canvas(width: float, height: float, path: str | Path | None = None) -> Iterator[Picture]:
    """An empty picture to draw into; saved at the end if there is a path.

    A path that could not be saved to is refused before anything is drawn.
    """
    where = None if path is None else checked_path(path)
    with style():
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError("matplotlib", "plot") from None
        picture = Picture(Figure(figsize=(width, height), layout="constrained"))
        yield picture
    if where is not None:
        picture.save(where)


def checked_path(path: str | Path) -> Path:
    """A path with an ending that is known, in a folder that exists."""
    where = Path(path)
    if where.suffix.lower() not in ENDINGS:
        raise ArgumentError("path", str(path), f"a file ending in {', '.join(ENDINGS)}")
    if not where.parent.is_dir():
        raise ArgumentError("path", str(path), "a file in a folder that exists")
    return where
