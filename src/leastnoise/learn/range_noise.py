"""Counts whose range is public and narrow: answers that depend on the count.

A design for the whole numbers 0 .. size is (epsilon, delta)-private per release, and that is all
that is used of it: the pair that dominates every such mechanism stands for it in the total.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..accounting.law import Pair
from ..accounting.mixed import budget_pair
from ..cache import designed
from ..design import Design
from ..noise.ranged import RangeNoise
from ..sampling import Entropy

#: Ranges up to so many whole numbers are worth a program with a row for each.
WIDEST = 60


@dataclass(frozen=True)
class RangedNoise:
    """Private answers for counts from 0 to a public size; shifts of 1 only."""

    design: Design[RangeNoise]

    ratio: None = None

    @property
    def variance(self) -> float:
        """At most the mean squared error, all counts being equally likely."""
        return self.design.upper

    def pairs(self, reach: int) -> tuple[Pair, ...]:
        """What dominates one release."""
        if reach > self.design.sensitivity:
            raise ValueError(f"the design is for changes of {self.design.sensitivity:g}")
        budget = self.design.noise.document.problem
        # Rounded up: a little more than the budget that was proven.
        epsilon, delta = (float(x) * (1 + 1e-12) for x in (budget.epsilon, budget.delta))
        return (budget_pair(epsilon, delta),)

    def release(self, values: list[Fraction], cells: int, entropy: Entropy) -> list[Fraction]:
        """One private answer for each count."""
        low, high = (int(end) for end in self.design.noise.bounds)
        counts = [min(max(int(value), low), high) for value in values]
        return [Fraction(self.design.release(n, exact=True, entropy=entropy)) for n in counts]

    def draw(self, entropy: Entropy, size: int) -> list[int]:
        """There is no noise apart from a value."""
        raise ValueError("range-dependent answers need the counts")


def range_noise(epsilon: Fraction, delta: Fraction, size: int) -> RangedNoise:
    """The best answers for counts from 0 to `size`, squared error, all counts equally likely."""
    return RangedNoise(designed(epsilon, delta, Fraction(1), True, 1, "l2", width=size)[0])
