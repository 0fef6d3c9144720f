"""All statistics of a fit as one vector, released once: no composition at all.

Each kind of statistics is scaled by a public number, so that one row moves the vector by a
Euclidean length of at most 1; noise designed for such vectors is added, and the scales are undone.
Why that is private, and how far a row can move the vector: `vector_noise.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ..accounting.law import Pair
from ..cache import designed
from ..design import Design
from ..errors import RegimeError
from ..noise.vector import VectorNoise
from ..sampling import Entropy
from .kinds import Chosen, ClassifierPlan, StatisticKind, shares
from .statistics import SCALE

#: Beyond so many numbers Gaussian noise is within a few percent, and the design takes longer.
MOST_NUMBERS = 200
#: Scales are multiples of this.
_FINE = 1 << 30
#: Steps in which the distance of two values is looked at.
_STEPS = 1000
#: A share of a vector has no lattice of its own: one so fine that its rounding does not count.
_CELLS = 1 << 20


@dataclass(frozen=True)
class Shared:
    """What one kind of numbers sees of the noise of a vector."""

    variance: float  # in cells

    ratio: None = None

    def pairs(self, reach: int) -> tuple[Pair, ...]:
        """A share is not released alone."""
        raise ValueError("the noise of a vector has one cost for all of it")

    def release(self, values: list[Fraction], cells: int, entropy: Entropy) -> list[Fraction]:
        """A share is not released alone."""
        raise ValueError("the numbers of a vector are released together")

    def draw(self, entropy: Entropy, size: int) -> list[int]:
        """A share is not drawn alone."""
        raise ValueError("the noise of a vector is drawn for all of it")


@dataclass(frozen=True)
class AtOnce:
    """One vector of all numbers, or one for each group of which a row changes one alone."""

    design: Design[VectorNoise]
    scales: tuple[Fraction, ...]
    groups: int

    def keeps(self, kinds: Sequence[StatisticKind], epsilon: Fraction, delta: Fraction) -> bool:
        """Whether a release is (epsilon, delta)-private, in exact arithmetic."""
        document = self.design.noise.document
        return (
            len(kinds) == len(self.scales)
            and _groups(kinds) == self.groups
            and document.problem.dimension == _dimension(kinds)
            and document.epsilon <= epsilon
            and document.delta <= delta
            and squared_length(kinds, self.scales) <= document.sensitivity**2
        )

    def release(self, values: list[list[Fraction]], entropy: Entropy) -> list[list[Fraction]]:
        """Noisy statistics, kind by kind; of each kind, equal parts belong to the groups."""
        parts = [len(numbers) // self.groups for numbers in values]
        noisy: list[list[Fraction]] = [[] for _ in values]
        for group in range(self.groups):
            vector = [
                value * scale
                for numbers, part, scale in zip(values, parts, self.scales, strict=True)
                for value in numbers[group * part : (group + 1) * part]
            ]
            told = iter(self.design.release(vector, exact=True, entropy=entropy))
            for numbers, part, scale in zip(noisy, parts, self.scales, strict=True):
                numbers += [next(told) / scale for _ in range(part)]
        return noisy


def at_once_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction
) -> ClassifierPlan:
    """The plan that releases everything as one vector."""
    first = [Fraction(round(_FINE / share), _FINE) for share in shares(kinds)]
    length = math.sqrt(float(squared_length(kinds, first))) * (1 + 1e-9)
    scales = tuple(Fraction(math.floor(float(s) / length * _FINE), _FINE) for s in first)
    dimension = _dimension(kinds)
    if dimension == 1:
        raise RegimeError("one number in each group is no vector")
    noise: Design[VectorNoise]
    noise, _ = designed(epsilon, delta, Fraction(1), False, 1, "l2", dimension)
    joint = AtOnce(noise, scales, _groups(kinds))
    each = noise.upper / dimension  # rounding to the grid is in it
    label = f"vector-designed (dimension {dimension})"
    chosen = tuple(
        Chosen(kind, Shared(each / float(scale) ** 2 * _CELLS**2), _CELLS, label)
        for kind, scale in zip(kinds, scales, strict=True)
    )
    return ClassifierPlan(float(epsilon), float(delta), chosen, "", at_once=joint)


def squared_length(kinds: Sequence[StatisticKind], scales: Sequence[Fraction]) -> Fraction:
    """At least the squared length by which neighbors move the vector, over all ways."""
    return max(_squared_length(kinds, scales, way) for way in range(len(kinds[0].changes)))


def _squared_length(
    kinds: Sequence[StatisticKind], scales: Sequence[Fraction], way: int
) -> Fraction:
    total = Fraction(0)
    for place, (kind, scale) in enumerate(zip(kinds, scales, strict=True)):
        times, units = kind.times(way), kind.changes[way][1]
        follows = place + 1 < len(kinds) and kinds[place + 1].squares
        if follows and units == 2:  # x and its square, of a row that stays in its class
            total += times * both_moments(scale**2, scales[place + 1] ** 2)
        elif not (kind.squares and units == 2):
            total += times * (units * scale) ** 2
    return total


@lru_cache(maxsize=64)
def both_moments(first: Fraction, second: Fraction) -> Fraction:
    """At least first (x - y)^2 + second (s(x) - s(y))^2, s(x) = 2 x^2 - 1 rounded up to 2/SCALE."""
    best = Fraction(0)
    for k in range(_STEPS):
        low, high = Fraction(2 * k, _STEPS), Fraction(2 * (k + 1), _STEPS)
        square = min(Fraction(2), 2 * high * (2 - low) + Fraction(2, SCALE))
        best = max(best, first * high**2 + second * square**2)
    return best


def _groups(kinds: Sequence[StatisticKind]) -> int:
    groups = {kind.groups for kind in kinds}
    return groups.pop() if len(groups) == 1 else 1


def _dimension(kinds: Sequence[StatisticKind]) -> int:
    return sum(kind.numbers for kind in kinds) // _groups(kinds)
