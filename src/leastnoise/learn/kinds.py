"""What is released, with which noise, and what all of it costs together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..accounting.mixed import ComposedPart, total_delta
from .integer_noise import CellNoise
from .range_noise import RangedNoise

if TYPE_CHECKING:
    from .vector_noise import AtOnce, Shared


@dataclass(frozen=True)
class StatisticKind:
    """Statistics that are released alike.

    changes: for each way in which neighbors may differ, (how many numbers change, by how many
        units at most); the guarantee is the worst over the ways.
    weight: how much a squared error of one unit hurts, relative to other kinds.
    whole: the statistic is a whole number of units, so that the unit is the lattice.
    alike: so many features have these statistics each; `numbers` counts all of them.
    size: the statistics are counts from 0 to this public number.
    groups: the numbers come in so many equal parts, one after the other, and neighbors change the
        numbers of one part alone (the same part of all kinds).
    squares: sums of s(x) = 2 x^2 - 1, rounded up to 2/SCALE; the kind before holds the sums of the
        same x, from -1 to 1.
    """

    name: str
    numbers: int
    unit: Fraction
    changes: tuple[tuple[int, int], ...]
    weight: float
    whole: bool
    alike: int = 1
    size: int | None = None  # counts from 0 to this public number of rows
    groups: int = 1
    squares: bool = False

    def times(self, way: int) -> int:
        """How many numbers change."""
        return self.alike * self.changes[way][0]

    @property
    def reach(self) -> int:
        """The largest change of one number, in units."""
        return max(units for times, units in self.changes if times)

    @property
    def norm(self) -> float:
        """The largest Euclidean change of one feature's numbers."""
        return max(math.sqrt(times) * units for times, units in self.changes)


@dataclass(frozen=True)
class Chosen:
    """The noise of one kind: on a lattice with `cells` cells in a unit."""

    kind: StatisticKind
    noise: CellNoise | RangedNoise | Shared
    cells: int
    label: str

    @property
    def std(self) -> float:
        """In the units of the statistic, rounding to the lattice included at its worst."""
        variance = self.noise.variance + (0.0 if self.kind.whole else 0.25)
        return math.sqrt(variance) / self.cells * float(self.kind.unit)

    @property
    def harm(self) -> float:
        """Weighted squared error of one number."""
        return self.kind.weight * (self.std / float(self.kind.unit)) ** 2


@dataclass(frozen=True)
class ClassifierPlan:
    """Noise for every kind; the total is at most (epsilon, delta)."""

    epsilon: float
    delta: float
    chosen: tuple[Chosen, ...]
    picked: str
    level: float = 0.0
    at_once: AtOnce | None = None

    @property
    def harm(self) -> float:
        """What the plan was chosen by."""
        return harm_of(self.chosen)


def harm_of(chosen: Sequence[Chosen]) -> float:
    """Weighted squared error of all numbers."""
    return sum(choice.harm * choice.kind.numbers for choice in chosen)


def shares(kinds: Sequence[StatisticKind]) -> list[float]:
    """Noise of each kind, in units and up to a factor, that hurts least for a given total.

    Minimising sum w s^2 for fixed sum (norm/s)^2, the cost of Gaussian noise, gives
    s^2 = norm / sqrt(w).
    """
    return [math.sqrt(kind.norm / math.sqrt(kind.weight)) for kind in kinds]


def numbers_changed(kinds: Sequence[StatisticKind]) -> int:
    """How many numbers one row can change."""
    return max(sum(kind.times(way) for kind in kinds) for way in range(len(kinds[0].changes)))


def cost(chosen: Sequence[Chosen], epsilon: float) -> float:
    """The pessimistic total delta at `epsilon`, over all ways neighbors may differ."""
    ways = range(len(chosen[0].kind.changes))
    if chosen[0].noise.ratio is not None:
        return 0.0 if max(_sum_of_epsilons(chosen, way) for way in ways) <= epsilon else 1.0
    return max(
        total_delta(
            [
                ComposedPart(
                    choice.noise.pairs(choice.kind.changes[way][1] * choice.cells),
                    choice.kind.times(way),
                )
                for choice in chosen
                if choice.kind.times(way)
            ],
            epsilon,
        )
        for way in ways
    )


def _sum_of_epsilons(chosen: Sequence[Chosen], way: int) -> float:
    """The total of geometric noise, rounded up: a shift by k cells costs k ln(1/ratio)."""
    total = 0.0
    for choice in chosen:
        ratio = choice.noise.ratio
        if ratio is None:
            return math.inf
        cells = choice.kind.times(way) * choice.kind.changes[way][1] * choice.cells
        near = ratio > Fraction(1, 2)  # where 1 - ratio is the number with the digits
        total -= cells * (math.log1p(-float(1 - ratio)) if near else math.log(float(ratio)))
    return total * (1 + 1e-13)
