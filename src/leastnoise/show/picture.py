"""A picture that shows itself: in a notebook, or in a file. No pyplot, no display.

Pictures have a style of their own. What the caller has set in Matplotlib's `rcParams` goes before
it, colors excepted: a picture made for white paper is unreadable in a dark theme's colors.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, MissingExtraError

ENDINGS = (".png", ".svg", ".pdf")
#: Groups of `rcParams` in which the caller's settings hold.
_CALLERS = (
    *("axes.", "font.", "grid.", "legend.", "lines.", "mathtext."),
    *("pdf.", "savefig.", "svg.", "text.", "xtick.", "ytick."),
)
#: Inches: a narrower picture has no room for its labels, a wider one is no picture for a page.
_NARROWEST, _WIDEST = 2.0, 40.0
#: The height shrinks with the width, but titles and labels keep their lines.
_FLATTEST = 0.7
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

    @property
    def width(self) -> float:
        """Its width in inches."""
        return float(self.figure.get_size_inches()[0])

    def save(self, path: str | Path) -> Path:
        """Write the picture; the path's ending says in which format."""
        where = check_path(path)
        self._write(where, where.suffix.lower()[1:], _set_by_caller().get("savefig.dpi", 160))
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

    def _write(self, target: Any, kind: str, dpi: Any) -> None:
        # Without a date the same picture is the same file.
        stamp: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        with style():
            self.figure.savefig(target, format=kind, dpi=dpi, metadata=stamp.get(kind, {}))


@contextmanager
def style() -> Iterator[None]:
    """This package's style below what the caller has set, for as long as it lasts."""
    changed = _set_by_caller()
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE, changed]):
        yield


def _set_by_caller() -> dict[str, Any]:
    """Settings of `rcParams` that differ from Matplotlib's defaults: of fonts, lines, sizes."""
    try:
        from matplotlib import rcParams, rcParamsDefault
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return {
        name: value
        for name, value in rcParams.items()
        if name.startswith(_CALLERS) and "color" not in name and value != rcParamsDefault[name]
    }


@contextmanager
def canvas(
    width: float, height: float, path: str | Path | None = None, wanted: float | None = None
) -> Iterator[Picture]:
    """An empty picture to draw into; saved at the end if there is a path.

    wanted: its width in inches, in the place of `width`; letters keep their size. A path that
    could not be saved to is rejected before anything is drawn.
    """
    where = None if path is None else check_path(path)
    if wanted is not None:
        if isinstance(wanted, bool) or not _NARROWEST <= wanted <= _WIDEST:
            raise ArgumentError("width", wanted, f"from {_NARROWEST:g} to {_WIDEST:g} inches")
        width, height = float(wanted), height * max(float(wanted) / width, _FLATTEST)
    with style():
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError("matplotlib", "plot") from None
        picture = Picture(Figure(figsize=(width, height), layout="constrained"))
        yield picture
    if where is not None:
        picture.save(where)


def check_path(path: str | Path) -> Path:
    """A path with an ending that is known, in a folder that exists."""
    where = Path(path)
    if where.suffix.lower() not in ENDINGS:
        raise ArgumentError("path", str(path), f"a file ending in {', '.join(ENDINGS)}")
    if not where.parent.is_dir():
        raise ArgumentError("path", str(path), "a file in a folder that exists")
    return where
