"""Quantiles, each with an interval, from released cumulative counts.

Statement and proof: `quantiles.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...numeric import Floats
from .projection import monotone


@dataclass(frozen=True)
class Band:
    """A quantile and the interval that holds it."""

    value: float
    low: float
    high: float


def quantiles(
    edges: Floats,
    below: Floats,
    variances: Floats,
    levels: Sequence[float],
    bounds: Sequence[Floats],
) -> list[Band]:
    """The quantiles of these levels, which rise with the levels, as their intervals do.

    edges: of the bins, one more than there are bins. below: the released numbers of rows below
    every edge but the first; the last one is that of all rows. variances: of their noise. levels:
    from 0 to 1, rising. bounds: for each level, what the noise of (rows below the i-th edge) less
    level times (all rows) stays within, on either side.

    Example: without noise, 40 rows in four bins.

        >>> edges, below = np.arange(5.0), np.array([10.0, 20.0, 30.0, 40.0])
        >>> quantiles(edges, below, np.ones(4), [0.5], [np.full(4, 0.5)])
        [Band(value=2.0, low=1.0, high=3.0)]
    """
    counts = np.clip(monotone(below, variances), 0.0, max(0.0, float(below[-1])))
    bands = []
    for level, bound in zip(levels, bounds, strict=True):
        low, high = _interval(edges, below - level * below[-1], bound)
        value = float(np.clip(_value(edges, counts, level), low, high))
        bands.append(Band(value, low, high))
    lows = np.maximum.accumulate([band.low for band in bands])
    highs = np.minimum.accumulate([band.high for band in bands][::-1])[::-1]
    values = np.clip(np.maximum.accumulate([band.value for band in bands]), lows, None)
    if (lows > highs).any():  # intervals of all levels together hold no rising numbers: keep each
        return bands
    values = np.clip(np.maximum.accumulate(values), lows, highs)
    return [Band(*map(float, ends)) for ends in zip(values, lows, highs, strict=True)]


def _interval(edges: Floats, score: Floats, bound: Floats) -> tuple[float, float]:
    """The ends of all bins that can hold the quantile: neither all below nor all above it."""
    # A bin can hold it if not surely too many rows are below it, nor too few below its end.
    below = np.concatenate([[True], score[:-1] <= bound[:-1]])
    above = np.append(score[:-1] >= -bound[:-1], True)
    possible = np.flatnonzero(below & above)
    if not len(possible):
        return float(edges[0]), float(edges[-1])
    return float(edges[possible[0]]), float(edges[possible[-1] + 1])


def _value(edges: Floats, counts: Floats, level: float) -> float:
    """Where the counts, which never fall, reach the level; the middle where they stay there."""
    wanted = level * counts[-1]
    every = np.concatenate([[0.0], counts])
    first = int(np.searchsorted(every, wanted, side="left"))
    last = int(np.searchsorted(every, wanted, side="right"))
    if first < last:  # some edges are at the level
        return float(edges[first] + edges[last - 1]) / 2
    part = (wanted - every[first - 1]) / (every[first] - every[first - 1])
    return float(edges[first - 1] + part * (edges[first] - edges[first - 1]))
