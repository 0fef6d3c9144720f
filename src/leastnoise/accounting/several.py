"""One budget over different mechanisms: so many releases of each.

The losses of all of them are put on one grid and convolved; statements and proofs:
`dominating.proof.md` (whose part 2 replaces one release at a time) and `mixed.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from .composition import _STEP, _Cost, _cost_for, _smallest_epsilon
from .dominating import CUT, ROUNDING

Parts = Sequence[tuple[Any, int]]  # (mechanism, number of releases)

#: The most steps of the common grid from 0 to the largest loss of one release.
_MOST_STEPS = 500_000


class Several:
    """The composed losses of several mechanisms, each so many times, both sides."""

    def __init__(self, parts: Parts) -> None:
        counts: dict[_Cost, int] = {}
        for mechanism, times in parts:
            cost = _cost_for(mechanism)
            counts[cost] = counts.get(cost, 0) + times
        own = list(counts.items())
        finest = min(cost._grid[0] for cost, _ in own)
        farthest = max(cost._grid[0] * cost._grid[1] for cost, _ in own)
        step = max(min(finest, _STEP), farthest / _MOST_STEPS)
        self.parts = [
            (cost if cost._grid[0] == step else _Cost(cost.law, step), times) for cost, times in own
        ]

    @property
    def label(self) -> str:
        """How many of what."""
        return " + ".join(f"{times} x {cost.law.label}" for cost, times in self.parts)

    @property
    def ratio(self) -> float:
        """The ratio (sigma/sensitivity) of one Gaussian release that costs what Gaussian noise of
        the same variances would cost together."""
        return 1 / math.sqrt(sum(times / cost.law.ratio**2 for cost, times in self.parts))

    def epsilon(self, delta: float) -> tuple[float, float]:
        """(optimistic, pessimistic) total epsilon at `delta`."""
        high, margin = self._product(-1)
        upper = _smallest_epsilon(high, delta - margin, up=True)
        epsilon, least = self._basic()
        if delta >= least:
            upper = min(upper, epsilon)
        lower = 0.0
        for which in range(self._sides):
            low, margin = self._product(which)
            lower = max(lower, _smallest_epsilon(low, delta + margin, up=False))
        return min(lower, upper), upper

    def delta(self, epsilon: float) -> tuple[float, float]:
        """(optimistic, pessimistic) total delta at `epsilon`."""
        high, margin = self._product(-1)
        upper = min(1.0, float(high.get_delta_for_epsilon(epsilon)) + margin)
        most, least = self._basic()
        if epsilon >= most:
            upper = min(upper, least)
        lower = 0.0
        for which in range(self._sides):
            low, margin = self._product(which)
            lower = max(lower, float(low.get_delta_for_epsilon(epsilon)) - margin)
        return min(lower, upper), upper

    @property
    def _sides(self) -> int:
        return max(len(cost.optimistic) for cost, _ in self.parts)

    def _basic(self) -> tuple[float, float]:
        """What adding up the budgets gives, rounded up."""
        sums = (
            math.fsum(times * cost.law.epsilon for cost, times in self.parts),
            math.fsum(times * cost.law.delta for cost, times in self.parts),
        )
        rounding = 1 + 4 * len(self.parts) * ROUNDING
        return sums[0] * rounding, sums[1] * rounding

    def _product(self, which: int) -> tuple[Any, float]:
        """dp-accounting's losses of all, and how far they may be off in delta.

        Optimistic ones pair the real shifts of the mechanisms in some way: each is a case that
        neighbours may meet.
        """
        found, size = [], 0
        for cost, times in self.parts:
            side = min(which, len(cost.optimistic) - 1) if which >= 0 else -1
            losses = cost.pessimistic if side < 0 else cost.optimistic[side]
            size += times * len(losses.masses)
            found.append(cost._composed(times, side))
        margin = sum(one for _, one in found)
        cut = CUT if which < 0 else 0.0
        whole = reduce(lambda one, two: one.compose(two, cut), (losses for losses, _ in found))
        each = 2 * CUT + 8 * math.log2(size + 2) * math.sqrt(size) * ROUNDING
        return whole, margin + (len(found) - 1) * each
