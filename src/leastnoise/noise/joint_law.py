"""How far noise by levels errs, for boxes, in floats: one number, or all of them at once.

From the counts of `certify/levels.proof.md`, section 4, level by level.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..certify.levels import Levels
from ..exact import nearest_float

Floats = NDArray[np.float64]

#: With more levels than this the sums over pairs of steps would take too long.
MOST_LEVELS = 2_000


class BoxLaw:
    """P(|x_i| <= t) of one number of a block, or of all numbers, for blocks that are boxes."""

    def __init__(self, levels: Levels, ratio: Fraction) -> None:
        self.levels = levels
        # (A ratio next to 1 would be 1 as a float.)
        near = 2 * ratio > 1
        log = math.log1p(-nearest_float(1 - ratio)) if near else math.log(nearest_float(ratio))
        self._epsilon = max(-log, 1e-100)
        size = levels.dimension
        reach = (size + 60 + 12 * math.sqrt(size)) / self._epsilon + levels.start
        reach += max(2 * block.offset / block.width for block in levels.blocks)
        self.top = int(reach) + 20

    @property
    def manageable(self) -> bool:
        """Whether the sums take moments."""
        return self.levels.boxes and self.top <= MOST_LEVELS

    def quantile(self, confidence: float, block: int | None) -> int:
        """The least t with P(|x_i| <= t) at least this, of a block's number, or of all (None)."""
        high = 1
        while self.within(high, block) < confidence:
            high *= 2
        low = high // 2 if high > 1 else -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if self.within(middle, block) >= confidence else (middle, high)
            )
        return high

    def within(self, t: int, block: int | None) -> float:
        """P(|x_i| <= t) for one number of a block, or for all numbers at once."""
        levels, start = self.levels, self.levels.start
        j = np.arange(self.top, dtype=float)
        if levels.overlap is None:
            steps, parts, whole = 2 * j, self._part(j, j, t, block), np.ones_like(j)
        else:
            steps = np.where(j < start, 2 * j, j + start)
            fewer = np.exp(
                np.minimum(0.0, self._logs(np.maximum(steps - 1, 0)) - self._logs(steps))
            )
            more = np.maximum(j - start, 0)
            whole = 1 + more * (1 - fewer)
            up, level = np.meshgrid(j, j)
            own = (up >= start) & (up <= level)
            part = np.where(own, self._part(up, level + start - up, t, block), 0).sum(axis=1)
            inner = own & (up < level)
            less = self._part(up, np.maximum(level + start - 1 - up, 0), t, block)
            parts = part - fewer * np.where(inner, less, 0).sum(axis=1)
            parts = np.where(j < start, self._part(j, j, t, block), parts)
        weights = self._logs(steps) - self._epsilon * j
        weights = np.exp(weights - weights.max())
        return float((weights @ parts) / (weights @ whole))

    def _logs(self, steps: Floats) -> Floats:
        """The logarithm of the number of points of so many steps in all, up and down."""
        total = np.zeros_like(steps)
        for one in self.levels.blocks:
            total += one.numbers * np.log(2 * one.offset + steps * one.width + 1)
        return total

    def _part(self, up: Floats, down: Floats, t: int, block: int | None) -> Floats:
        """The part of the points of so many steps up and down that lie within t."""
        part = np.ones_like(up)
        for b, one in enumerate(self.levels.blocks):
            if block is None or b == block:
                high, low = one.offset + up * one.width, one.offset + down * one.width
                inside = (np.minimum(t, high) + np.minimum(t, low) + 1) / (high + low + 1)
                part = part * inside ** (one.numbers if block is None else 1)
        return part
