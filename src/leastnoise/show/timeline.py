"""Answers over time: a line with its intervals for each group, on an axis of days.

Drawn from answers alone, which may be published.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from .tables import LINES, short

#: Keys that are years, quarters, months or days.
_TIME = re.compile(r"(?P<year>\d{4})(-Q(?P<quarter>[1-4])|-(?P<month>\d{2})(-(?P<day>\d{2}))?)?")
#: Fewer periods are bars, and more lines cannot be told from each other.
_LEAST, _MOST = 3, 6
_TICKS = 10


@dataclass(frozen=True)
class Timeline:
    """Numbers over time: (day, key, estimate) of each group, its name first."""

    axis: str
    lines: dict[str, list[tuple[int, str, Any]]]


def timeline_of(answer: Any) -> Timeline | None:
    """The answer over time, if one axis of all its numbers is one; another axis may part it."""
    each = zip(answer.basis.places, answer.groups.values(), pictured(answer), strict=True)
    drawn = [(place, estimate) for place, estimate, is_shown in each if is_shown]
    places, estimates = [place for place, _ in drawn], [estimate for _, estimate in drawn]
    axes = places[0].axes if places else ()
    if not 1 <= len(axes) <= 2 or any(place.axes != axes for place in places):
        return None
    for at, axis in enumerate(axes):
        days = {key: _day(key) for key in dict.fromkeys(place.keys[at] for place in places)}
        order = [day for day in days.values() if day is not None]
        if len(order) < len(days) or len(order) < _LEAST or order != sorted(order):
            continue
        lines: dict[str, list[tuple[int, str, Any]]] = {}
        for place, estimate in zip(places, estimates, strict=True):
            key, others = place.keys[at], place.keys[:at] + place.keys[at + 1 :]
            lines.setdefault("".join(others), []).append((days[key] or 0, key, estimate))
        if len(lines) <= _MOST:
            return Timeline(axis, lines)
    return None


def pictured(answer: Any) -> list[bool]:
    """For each number of an answer whether a picture shows it: not a sum beside a mean."""
    query = answer.basis.query
    names = query.columns_answered
    return [
        query.pictured in ("", names[number % len(names)]) for number in range(len(answer.groups))
    ]


def draw_timeline(axes: Any, timeline: Timeline, counted: bool, words: str) -> None:
    """A line with whiskers for each group; counts from 0."""
    for color, (name, points) in zip(LINES, timeline.lines.items(), strict=False):
        x, y = [day for day, _, _ in points], [estimate.value for _, _, estimate in points]
        around = [_around(estimate) for _, _, estimate in points]
        look = {"color": color, "elinewidth": 1.0, "capsize": 2, "linewidth": 1.4, "markersize": 4}
        axes.errorbar(
            x, y, yerr=list(zip(*around, strict=True)), fmt="o-", label=short(name), **look
        )
    keys = {day: key for points in timeline.lines.values() for day, key, _ in points}
    every = math.ceil(len(keys) / _TICKS)
    axes.set_xticks(list(keys)[::every], list(keys.values())[::every])
    if counted:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(timeline.axis, parse_math=False)
    axes.set_ylabel(words, parse_math=False)
    axes.grid(axis="y", color="#E0E0E0", linewidth=0.8)
    axes.set_axisbelow(True)
    if len(timeline.lines) > 1:
        for text in axes.legend(frameon=False).get_texts():
            text.set_parse_math(False)


def _day(key: str) -> int | None:
    """The first day of a period, as a number."""
    match = _TIME.fullmatch(key)
    if match is None:
        return None
    month = int(match["month"] or 3 * int(match["quarter"] or 1) - 2)
    try:
        return date(int(match["year"]), month, int(match["day"] or 1)).toordinal()
    except ValueError:
        return None


def _around(estimate: Any) -> tuple[float, float]:
    if estimate.low is None or not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return 0.0, 0.0
    return max(0.0, estimate.value - estimate.low), max(0.0, estimate.high - estimate.value)
