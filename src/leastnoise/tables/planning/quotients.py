"""Which quotients two released numbers make believable: intervals for means and shares.

Two numbers are released, and a line in f vanishes for the true f: (1-f) above = f below. A value f
is believed if the line is no further from 0 than its noise is in 95% of cases (Fieller 1954).
Statement and proof: `quotients.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...bisection import narrow

#: The line is looked at on so many pieces of [0, 1]; each has a limit of its own.
_PIECES = 16
_CONFIDENCE = 0.95
#: Cells of the first noise; whole-number noise is listed up to so many numbers.
_CELLS, _LISTED = 400, 4_000
_LOST = 1e-6  # of the first noise's mass on each side


@dataclass(frozen=True)
class BoundLine:
    """start + slope * f."""

    start: int
    slope: int

    def at(self, f: float) -> float:
        """Its value."""
        return self.start + self.slope * f


def believed_range(
    limits: Sequence[float], lines: tuple[BoundLine, BoundLine], values: tuple[Fraction, Fraction]
) -> tuple[float, float]:
    """The least and the largest f in [0, 1] that are believed; all of it if there is none.

    limits: of the noise of the line, for each of the pieces. If line_0(f) exact_0 + line_1(f)
    exact_1 = 0 for the true f, it is among them with the confidence of the limits.
    """
    start = float(sum(line.start * v for line, v in zip(lines, values, strict=True)))
    slope = float(sum(line.slope * v for line, v in zip(lines, values, strict=True)))
    rounding = 1e-12 * sum(
        (abs(line.start) + abs(line.slope)) * abs(float(v))
        for line, v in zip(lines, values, strict=True)
    )
    believed_ends: list[float] = []
    for limit, (left, right) in zip(limits, pieces(), strict=True):
        reach = limit + rounding
        if slope == 0:
            ends = (left, right) if abs(start) <= reach else (1.0, 0.0)
        else:
            roots = sorted(((-reach - start) / slope, (reach - start) / slope))
            ends = max(left, roots[0]), min(right, roots[1])
        if ends[0] <= ends[1]:
            believed_ends += ends
    return (min(believed_ends), max(believed_ends)) if believed_ends else (0.0, 1.0)


@cache
def pieces() -> tuple[tuple[float, float], ...]:
    """The pieces of [0, 1]."""
    return tuple((i / _PIECES, (i + 1) / _PIECES) for i in range(_PIECES))


@lru_cache(maxsize=256)
def limits_of(first: Any, second: Any, lines: tuple[BoundLine, BoundLine]) -> list[float]:
    """For each piece a bound that the noise of the line keeps to with 95%, at every f of it."""
    cells = _cells(first)
    limits = []
    for left, right in pieces():
        weights = [
            (lines[0].at(f) * float(first.scale), lines[1].at(f) * float(second.scale))
            for f in (left, right)
        ]
        size = [max(abs(pair[i]) for pair in weights) for i in (0, 1)]
        high = _bound(cells, (first, second), weights, size)
        steps = [
            0.0 if d.integer else float(d.noise.grid_step) for d in (first.design, second.design)
        ]
        limits.append(high + size[0] * steps[0] + size[1] * steps[1])
    return limits


@lru_cache(maxsize=256)
def spread_of(first: Any, second: Any, weights: tuple[float, float]) -> float:
    """A bound that |a X + b Y| keeps to with 95%, X and Y the noise of both and a, b weights."""
    size = [
        abs(weight * float(part.scale))
        for weight, part in zip(weights, (first, second), strict=True)
    ]
    scaled = [weights[0] * float(first.scale), weights[1] * float(second.scale)]
    bound: float = _bound(_cells(first), (first, second), [(scaled[0], scaled[1])], size)
    steps = [0.0 if d.integer else float(d.noise.grid_step) for d in (first.design, second.design)]
    rounding: float = size[0] * steps[0] + size[1] * steps[1]
    return bound + rounding


def _bound(
    cells: Any, parts: tuple[Any, Any], weights: list[tuple[float, float]], size: list[float]
) -> float:
    """What the sizes for all weights keep to with 95%, by bisection."""
    each = (part.design.noise.error_bound((1 + _CONFIDENCE) / 2) for part in parts)
    high = (1 + 1e-9) * sum(s * bound for s, bound in zip(size, each, strict=True))  # surely enough
    noise = parts[1].design.noise

    def enough(bound: float) -> bool:
        return _probability_within(bound, cells, noise, weights) >= _CONFIDENCE

    return float(narrow(enough, 0.0, high, steps=20)[1])


def _cells(part: Any) -> tuple[Any, Any, Any]:
    """(from, to, mass) of cells that hold nearly all of the noise; mass is rounded down by that."""
    noise = part.design.noise
    if part.design.integer:
        far = int(noise.error_bound(1 - 2 * _LOST))
        if 2 * far < _LISTED:
            at = np.arange(-far, far + 1, dtype=float)
            return at, at, noise.cdf(at) - noise.cdf(at - 1)
    levels = np.linspace(_LOST, 1 - _LOST, _CELLS)
    tails = np.geomspace(_LOST, 0.01, 40)
    points = noise.quantile(np.concatenate([tails, levels, 1 - tails]))
    # 0 by itself: there may be mass exactly there.
    edges = np.unique(np.concatenate([points, [0.0, np.nextafter(0.0, -1.0)]]))
    return edges[:-1], edges[1:], np.diff(noise.cdf(edges))


def _probability_within(
    limit: float, cells: Any, noise: Any, weights: list[tuple[float, float]]
) -> float:
    """At least the probability that |a X + b Y| <= limit for both of the weights (a, b)."""
    starts, ends, masses = cells
    low, high = np.full(len(masses), -np.inf), np.full(len(masses), np.inf)
    for a, b in weights:
        for x in (starts, ends):
            if b == 0:
                low = np.where(np.abs(a * x) <= limit, low, np.inf)
                continue
            first, second = (-limit - a * x) / b, (limit - a * x) / b
            low, high = (
                np.maximum(low, np.minimum(first, second)),
                np.minimum(high, np.maximum(first, second)),
            )
    inside = low <= high
    low, high = low[inside], high[inside]
    inside_mass = noise.cdf(high) - noise.cdf(np.nextafter(low, -np.inf))
    return float((masses[inside] * np.maximum(inside_mass, 0.0)).sum())
