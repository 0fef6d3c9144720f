"""Many questions: the error bars of all answers, or a map of them for a table of two axes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..facts import CONFIDENCE, error_fact
from .captions import title
from .palette import look_of
from .picture import Picture, canvas

if TYPE_CHECKING:
    from ..design import Design
    from ..noise.workload import WorkloadNoise

#: More questions than this are drawn without a bar for each.
_MOST = 2_000


def plot_workload(
    design: Design[WorkloadNoise],
    path: str | Path | None = None,
    answers: Any = None,
    width: float | None = None,
) -> Picture:
    """Error bars (95%) of every answer; of a two-way table a map of answers, or of errors."""
    bars = design.error_bound(CONFIDENCE)
    shape = _table(design)
    with canvas(6.4, 4.0, path, width) as picture:
        axes = picture.figure.subplots()
        if shape is not None and len(bars) == shape[0] * shape[1]:
            values = bars if answers is None else np.asarray(answers, dtype=float)
            image = axes.imshow(values.reshape(shape), cmap="Blues", aspect="auto")
            name = error_fact(0).label if answers is None else "released count"
            picture.figure.colorbar(image, ax=axes, label=name)
            axes.set(xlabel="second attribute", ylabel="first attribute")
        else:
            _lines(axes, bars, answers)
        picture.figure.suptitle(title(design, picture.width), fontsize=9)
    return picture


def _lines(axes: Any, bars: Any, answers: Any) -> None:
    colour = look_of("design").line["color"]
    places = np.arange(1, len(bars) + 1)
    middle = np.zeros(len(bars)) if answers is None else np.asarray(answers, dtype=float)
    if len(bars) <= _MOST:
        axes.errorbar(places, middle, yerr=bars, fmt=".", color=colour, elinewidth=0.8, ms=3)
    else:
        axes.fill_between(places, middle - bars, middle + bars, color=colour, alpha=0.6, lw=0)
    what = "error, 95% within" if answers is None else "released answer, 95% margin of error"
    axes.set(xlabel="query", ylabel=what)


def _table(design: Design[WorkloadNoise]) -> tuple[int, int] | None:
    """(rows, columns) of the answers where they are one table of two axes."""
    axes = design.noise.workload.part.axes
    return (axes[0], axes[1]) if len(axes) == 2 else None
