"""One budget over different mechanisms: so many releases of each.

The losses of all of them are put on one grid and convolved; statements and proofs:
`dominating.proof.md` (whose part 2 replaces one release at a time) and `convolution.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .composition import _STEP, _Cost, _cost_for
from .convolution import Convolved, product
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
        counted = list(counts.items())
        finest = min(cost._grid[0] for cost, _ in counted)
        farthest = max(cost._grid[0] * cost._grid[1] for cost, _ in counted)
        step = max(min(finest, _STEP), farthest / _MOST_STEPS)
        self.parts = [
            (cost if cost._grid[0] == step else _Cost(cost.law, step), times)
            for cost, times in counted
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
        upper = self._product(-1).epsilon(delta, up=True)
        epsilon, least = self._basic()
        if delta >= least:
            upper = min(upper, epsilon)
        epsilons = (self._product(which).epsilon(delta, up=False) for which in range(self._sides))
        return min(max(epsilons, default=0.0), upper), upper

    def delta(self, epsilon: float) -> tuple[float, float]:
        """(optimistic, pessimistic) total delta at `epsilon`."""
        upper = self._product(-1).delta(epsilon, up=True)
        most, least = self._basic()
        if epsilon >= most:
            upper = min(upper, least)
        deltas = (self._product(which).delta(epsilon, up=False) for which in range(self._sides))
        return min(max(deltas, default=0.0), upper), upper

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

    def _product(self, which: int) -> Convolved:
        """The losses of all, pessimistic ones for -1.

        Optimistic ones pair the real shifts of the mechanisms in some way: each is a case that
        neighbors may meet.
        """
        parts = [
            cost.composed(times, min(which, len(cost.optimistic) - 1) if which >= 0 else -1)
            for cost, times in self.parts
        ]
        return product(parts, cut=CUT if which < 0 else 0.0)
