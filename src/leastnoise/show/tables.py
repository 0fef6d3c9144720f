"""Answers that belong together: tables of two axes as maps, of one as bars, sums as a curve.

Drawn from answers alone, which may be published.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..numeric import Floats
from .palette import INK, PAPER

_BAR = "#56B4E9"
#: Colors of lines that are distinguished without their hue, too.
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000")
_WHISKER: dict[str, Any] = {"fmt": "none", "ecolor": "#000000", "elinewidth": 1.2, "capsize": 3}
_RANGE = re.compile(r"(?:(.*): )?\[(\S+), (\S+)[)\]]", re.DOTALL)
_BELOW = re.compile(r"(?:(.*): )?(?:below (\S+)|all)", re.DOTALL)
#: In a key: whatever the attribute is.
_EVERY = "*"
#: Panels of a picture, and numbers that are written into one.
_MOST_PANELS, _MOST_WRITTEN = 12, 150
_LONGEST = 14


@dataclass(frozen=True)
class Panel:
    """One table: names of its axes (the second is empty for bars), their keys, the numbers."""

    title: str
    axes: tuple[str, str]
    keys: tuple[list[str], list[str]]
    values: Floats
    around: Floats  # half of each interval's width

    @property
    def size(self) -> tuple[float, float]:
        """Inches that it needs."""
        rows, columns = len(self.keys[0]), len(self.keys[1])
        if not self.axes[1]:
            return 3.6, max(1.4, 0.9 + 0.26 * rows)
        wide, high = (0.62, 0.42) if rows * columns <= _MOST_WRITTEN else (0.16, 0.14)
        return min(9.0, max(3.2, 1.9 + wide * columns)), min(8.0, max(1.9, 1.1 + high * rows))


def panels_of(answer: Any) -> list[Panel]:
    """The tables of an answer; none where it is drawn in another way."""
    groups = list(answer.groups.items())
    if any(not math.isfinite(estimate.value) or estimate.low is None for _, estimate in groups):
        return []
    if answer.query.startswith("range_counts("):
        panels = _ranges(groups)
    elif answer.query.startswith(("marginals(", "count(")) and len(answer.by) > 1:
        panels = _tables(answer.by, groups)
    else:
        return []
    return panels if len(panels) <= _MOST_PANELS else []


def draw_panels(figure: Any, panels: list[Panel]) -> None:
    """One below the other, each with what it needs."""
    heights = [panel.size[1] for panel in panels]
    grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
    for place, panel in zip(grid, panels, strict=True):
        axes = figure.add_subplot(place)
        _map(axes, panel) if panel.axes[1] else _bars(axes, panel)


def curves_of(answer: Any) -> dict[str, list[tuple[float, Any]]]:
    """(edge, number) of the sums below each edge, by group; none for other answers.

    The number of all rows stands a step behind the last edge.
    """
    if not answer.query.startswith("cumulative("):
        return {}
    curves: dict[str, list[tuple[float, Any]]] = {}
    for key, estimate in answer.groups.items():
        seen = _BELOW.fullmatch(key)
        if seen is None:
            return {}
        curves.setdefault(seen[1] or "", []).append((float(seen[2] or "inf"), estimate))
    edges = sorted(
        {edge for points in curves.values() for edge, _ in points if math.isfinite(edge)}
    )
    step = (edges[-1] - edges[0]) / (len(edges) - 1) if len(edges) > 1 else 1.0
    last = edges[-1] + step if edges else 0.0
    return {
        name: [(edge if math.isfinite(edge) else last, estimate) for edge, estimate in points]
        for name, points in curves.items()
    }


def draw_curves(axes: Any, curves: dict[str, list[tuple[float, Any]]], column: str) -> None:
    """A line with its bars for each group; the last place is that of all rows."""
    for i, (name, points) in enumerate(curves.items()):
        x, y = [edge for edge, _ in points], [estimate.value for _, estimate in points]
        bars = np.transpose([_half_widths(estimate) for _, estimate in points])
        line = {"color": LINES[i % len(LINES)], "elinewidth": 1.0, "capsize": 2, "linewidth": 1.2}
        axes.errorbar(x, y, yerr=bars, fmt=".-", label=short(name), markersize=3, **line)
    last = max(edge for points in curves.values() for edge, _ in points)
    places = [place for place in axes.get_xticks() if place < last]
    axes.set_xticks([*places, last], [*(f"{place:g}" for place in places), "all"])
    axes.set_xlim(min(edge for points in curves.values() for edge, _ in points), None)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"{column}: below", parse_math=False)
    axes.set_ylabel("rows")
    if len(curves) > 1:
        for text in axes.legend(frameon=False).get_texts():
            text.set_parse_math(False)


def short(text: str, most: int = _LONGEST) -> str:
    """A key that fits beside its line; control characters are not printed."""
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def _half_widths(estimate: Any) -> tuple[float, float]:
    return max(0.0, estimate.value - estimate.low), max(0.0, estimate.high - estimate.value)


def _tables(by: tuple[str, ...], groups: list[tuple[str, Any]]) -> list[Panel]:
    """A table for each set of attributes of one or two; none if there are larger ones."""
    tables: dict[tuple[int, ...], dict[tuple[str, ...], Any]] = {}
    for label, estimate in groups:
        parts = next(csv.reader([label], skipinitialspace=True))
        if len(parts) != len(by):
            return []
        axes = tuple(i for i, part in enumerate(parts) if part != _EVERY)
        tables.setdefault(axes, {})[tuple(parts[i] for i in axes)] = estimate
    if max(map(len, tables), default=3) > 2:
        return []
    return [_table([by[i] for i in axes], cells) for axes, cells in tables.items() if axes]


def _table(names: list[str], cells: dict[tuple[str, ...], Any]) -> Panel:
    rows = list(dict.fromkeys(key[0] for key in cells))
    columns = list(dict.fromkeys(key[1] for key in cells)) if len(names) == 2 else []
    shape = (len(rows), len(columns)) if columns else (len(rows),)
    values, around = np.full(shape, np.nan), np.zeros(shape)
    for key, estimate in cells.items():
        at = tuple(keys.index(part) for keys, part in zip((rows, columns), key, strict=False))
        values[at], around[at] = estimate.value, max(_half_widths(estimate))
    return Panel("", (names[0], names[1] if columns else ""), (rows, columns), values, around)


def _ranges(groups: list[tuple[str, Any]]) -> list[Panel]:
    """From where, in the rows, to where, in the columns; a map for each group."""
    ranges: dict[str, dict[tuple[str, str], Any]] = {}
    for label, estimate in groups:
        seen = _RANGE.fullmatch(label)
        if seen is None:
            return []
        ranges.setdefault(seen[1] or "", {})[seen[2], seen[3]] = estimate
    panels = []
    for name, cells in ranges.items():
        panel = _table(["from", "to"], cells)  # type: ignore[arg-type]
        panels.append(Panel(name, panel.axes, panel.keys, panel.values, panel.around))
    return panels


def _bars(axes: Any, panel: Panel) -> None:
    places = np.arange(len(panel.values))
    axes.barh(places, panel.values, 0.62, color=_BAR)
    axes.errorbar(panel.values, places, xerr=panel.around, **_WHISKER)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_xlim(left=0)
    _ticks(axes.set_yticks, panel.keys[0])
    axes.set_ylabel(short(panel.axes[0]), parse_math=False)
    axes.set_xlabel("rows")


def _map(axes: Any, panel: Panel) -> None:
    image = axes.imshow(panel.values, cmap="Blues", aspect="auto", vmin=0)
    if panel.values.size <= _MOST_WRITTEN:
        for (i, j), value in np.ndenumerate(panel.values):
            if math.isfinite(value):
                red, green, blue, _ = image.cmap(image.norm(value))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
                words = f"{value:.0f}\n± {math.ceil(panel.around[i, j])}"
                colour = PAPER if dark else INK
                axes.text(j, i, words, ha="center", va="center", fontsize=7, color=colour)
    far = math.ceil(float(panel.around.max(initial=0.0)))
    bar = axes.figure.colorbar(image, ax=axes, label=f"rows, 95% within ± {far} or less")
    bar.outline.set_visible(False)
    _ticks(axes.set_yticks, panel.keys[0])
    _ticks(axes.set_xticks, panel.keys[1])
    if max(map(len, panel.keys[1])) > 6 and len(panel.keys[1]) > 4:
        axes.tick_params(axis="x", labelrotation=45)
    axes.set_ylabel(short(panel.axes[0]), parse_math=False)
    axes.set_xlabel(short(panel.axes[1]), parse_math=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if panel.title:
        axes.set_title(short(panel.title, 40), fontsize=9, parse_math=False)


def _ticks(put: Any, keys: list[str]) -> None:
    """So many keys that they can be read."""
    every = max(1, math.ceil(len(keys) / 30))
    for text in put(range(0, len(keys), every), [short(key) for key in keys[::every]]):
        text.label1.set_parse_math(False)
