"""How a bracket closes while the search runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ArgumentError
from ..formatting import number, percent
from .palette import BOUND, DESIGN, FAINT
from .picture import Picture, canvas
from .ticks import few_ticks, percent_ticks

if TYPE_CHECKING:
    from ..engine.search import Progress


def plot_bracket(history: Iterable[Progress], path: str | Path | None = None) -> Picture:
    """The bracket against time, from the `Progress` records that `design(progress=...)` sends.

    (What a search reports on its way is not yet proven; the design that it returns is.)
    All axes are logarithmic: a search that closes the gap tenfold in ten times the time is a
    straight line.
    """
    records = [r for r in history if math.isfinite(r.lower)]
    if not records:
        raise ArgumentError("history", [], "at least one Progress record")
    seconds = np.maximum([r.seconds for r in records], 1e-3)
    lower = np.maximum.accumulate([r.lower for r in records])
    upper = np.minimum.accumulate([r.upper for r in records])
    known, positive = np.isfinite(upper), lower > 0
    both = known & positive
    with canvas(6.4, 4.8, path) as picture:
        bracket, gap = picture.figure.subplots(2, 1, sharex=True, height_ratios=[1.3, 1])
        bracket.fill_between(
            seconds[both], lower[both], upper[both], step="post", color=FAINT, linewidth=0
        )
        bracket.step(
            seconds[known],
            upper[known],
            where="post",
            **DESIGN.line,
            marker="v",
            markersize=4,
            label="upper so far",
        )
        bracket.step(
            seconds[positive],
            lower[positive],
            where="post",
            **BOUND.line,
            marker=BOUND.marker,
            markersize=4,
            label="lower so far",
        )
        bracket.set_ylabel("expected loss")
        bracket.legend(loc="best")
        open_ = both & (upper > lower)
        share = upper[open_] / lower[open_] - 1
        gap.step(seconds[open_], share, where="post", **DESIGN.line, marker="o", markersize=3.5)
        gap.set_ylabel("gap")
        gap.set_xlabel("seconds")
        bracket.set_xscale("log")
        for axes in (bracket, gap):
            axes.set_yscale("log")
        few_ticks(bracket.yaxis)
        few_ticks(gap.xaxis)
        percent_ticks(gap.yaxis)
        last = f"gap {percent(float(share[-1]))}" if len(share) else "no gap left"
        bracket.set_title(
            f"bounds on the least expected loss: {last} after {number(float(seconds[-1]), 2)} s"
        )
    return picture
