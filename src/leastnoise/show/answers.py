"""Private answers with their intervals: one number, groups, or a histogram.

Drawn from answers alone, which may be published.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..formatting import number
from .picture import Picture, canvas
from .tables import curves_of, draw_curves, draw_panels, panels_of, short
from .timeline import draw_timeline, pictured, timeline_of

_BAR, _DOT = "#56B4E9", "#000000"
_BIN = re.compile(r"\[(\S+), (\S+)[)\]]")
_WHISKER: dict[str, Any] = {"fmt": "none", "ecolor": _DOT, "elinewidth": 1.3, "capsize": 3}
_LONGEST = 28
#: Questions whose answers are numbers of rows.
_COUNTED = ("count(", "histogram(", "marginals(", "range_counts(")


def plot_answer(answer: Any, path: str | Path | None = None, width: float | None = None) -> Picture:
    """A picture of an `Answer`: every number with its 95% interval, and what it cost.

    Periods are on an axis of time, with a line for each group; a
    histogram has bars as wide as its bins on an axis of numbers; counts by group are bars from
    0, by two columns a map; sums below edges are a curve; other numbers are dots, since their axis
    need not begin at 0.
    """
    if (timeline := timeline_of(answer)) is not None:
        with canvas(7.0, 3.8, path, width) as picture:
            axes = picture.figure.add_subplot()
            counted = answer.query.startswith(_COUNTED)
            draw_timeline(axes, timeline, counted, _scale(answer))
            axes.set_title(_title(answer, picture.width), parse_math=False)
        return picture
    if panels := panels_of(answer):
        wide = max(panel.size[0] for panel in panels)
        with canvas(wide, min(30.0, 0.8 + sum(p.size[1] for p in panels)), path, width) as picture:
            draw_panels(picture.figure, panels)
            picture.figure.suptitle(_title(answer, picture.width), parse_math=False)
        return picture
    if curves := curves_of(answer):
        with canvas(7.0, 3.8, path, width) as picture:
            axes = picture.figure.add_subplot()
            draw_curves(axes, curves, _column(answer.query))
            axes.set_title(_title(answer, picture.width), parse_math=False)
        return picture
    groups = [
        group
        for group, is_shown in zip(answer.groups.items(), pictured(answer), strict=True)
        if is_shown and math.isfinite(group[1].value)
    ]
    bins = _bins(answer, [key for key, _ in groups])
    counted = answer.query.startswith(_COUNTED)
    rows = len(groups)
    size = (7.0, 3.6) if bins else (7.0, 1.5 + 0.3 * max(1, rows))
    if not bins and rows > 60:
        size = (7.0, 20.0)
    with canvas(*size, path, width) as picture:
        axes = picture.figure.add_subplot()
        values = [estimate.value for _, estimate in groups]
        around = [_around(estimate) for _, estimate in groups]
        if bins:
            _histogram(axes, bins, values, around)
            axes.set_xlabel(_column(answer.query), parse_math=False)
            axes.set_ylabel("rows")
        else:
            _lines(axes, [_name(key) for key, _ in groups], values, around, counted)
            axes.set_xlabel(_scale(answer), parse_math=False)
        axes.set_title(_title(answer, picture.width), parse_math=False)
    return picture


def _histogram(
    axes: Any, bins: list[tuple[float, float]], values: list[float], around: list[Any]
) -> None:
    left = [low for low, _ in bins]
    widths = [high - low for low, high in bins]
    axes.bar(left, values, widths, align="edge", color=_BAR, edgecolor="white", linewidth=0.8)
    middles = [low + wide / 2 for low, wide in zip(left, widths, strict=True)]
    axes.errorbar(middles, values, yerr=list(zip(*around, strict=True)), **_WHISKER)
    axes.set_xlim(bins[0][0], bins[-1][1])
    axes.set_ylim(bottom=0)


def _lines(axes: Any, names: list[str], values: list[float], around: list[Any], bars: bool) -> None:
    """One line a group, the first on top."""
    places = list(range(len(names)))
    if bars and len(names) > 1:
        axes.barh(places, values, 0.62, color=_BAR)
    else:
        axes.plot(values, places, "o", color=_DOT, markersize=6)
    if names:
        axes.errorbar(values, places, xerr=list(zip(*around, strict=True)), **_WHISKER)
    axes.set_ylim(len(names) - 0.5, -0.5)
    for text in axes.set_yticks(places, names):
        text.label1.set_parse_math(False)
    if names == [""]:
        axes.tick_params(axis="y", left=False)
        axes.spines["left"].set_visible(False)
        wide = max(around[0]) or 0.1 * abs(values[0]) or 1.0
        axes.set_xlim(values[0] - 1.8 * wide, values[0] + 1.8 * wide)
    elif bars:
        axes.set_xlim(left=0)
    else:
        axes.grid(axis="x", color="#E0E0E0", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.margins(x=0.08)


def _scale(answer: Any) -> str:
    """What the axis of the numbers is of."""
    pictured: str = answer.basis.query.pictured
    return pictured or _words(answer.query)


def _bins(answer: Any, keys: Sequence[str]) -> list[tuple[float, float]]:
    """The ends of the bins of a histogram; nothing for other answers."""
    if not answer.query.startswith("histogram(") or not keys:
        return []
    bins = [_BIN.fullmatch(key) for key in keys]
    return [] if None in bins else [(float(m[1]), float(m[2])) for m in bins if m]


def _around(estimate: Any) -> tuple[float, float]:
    """How far the interval goes to both sides; 0 where it has no end."""
    known = estimate.low is not None and estimate.high is not None
    ends = (estimate.value - estimate.low, estimate.high - estimate.value) if known else (0.0, 0.0)
    low, high = (max(0.0, end) if math.isfinite(end) else 0.0 for end in ends)
    return low, high


def _name(key: str) -> str:
    """A key that fits beside its line."""
    return short(key, _LONGEST)


def _column(query: str) -> str:
    return _name(query.partition("(")[2].rpartition(")")[0])


def _words(query: str) -> str:
    """What the axis measures."""
    return "rows" if query.startswith(_COUNTED) else _name(query.partition(" by ")[0])


def _title(answer: Any, wide: float) -> str:
    some = [estimate for estimate in answer.groups.values() if estimate.low is not None]
    written = panels_of(answer) and timeline_of(answer) is None
    shown = "± and whiskers" if written else "whiskers"
    whiskers = f", {shown}: 95% confidence intervals" if some else ", without a confidence interval"
    budget = f"ε = {number(answer.epsilon, 4)}"
    budget += f", δ = {number(answer.delta, 4)}" if answer.delta else ""
    query = short(answer.query, round(60 * wide / 7))
    return f"{query}\n{budget}{whiskers}"
