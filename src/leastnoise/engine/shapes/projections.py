"""Which projection of a shape proves most about all noise for it: expected, in floats.

A proposal only: what its curves prove is checked exactly (`certify/certificates/volume.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ...certify.certificates.volume import Volume, mean_of_powers
from ...certify.kinds.vector import VectorCertificate
from ...exact import round_up
from ...gaussian import smallest_sigma
from ...problem.shape_problem import ShapeProblem
from .forecast import euclidean_share


@dataclass(frozen=True)
class ProjectionSettings:
    """Numbers of projections.

    Found by trial with `benchmarks/joint.py`.
    """

    #: Shares of the moves that may count, and to which part lengths are rounded.
    shares: tuple[float, ...] = (0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.7, 0.85)
    parts: int = 1024
    #: The least number of directions for which one curve is enough.
    fewest: int = 4


SETTINGS = ProjectionSettings()

#: Digits of the delta that is left.
_DIGITS = 12


@dataclass(frozen=True)
class Projection:
    """Numbers, directions, the part of the length that counts, and what is expected of them."""

    numbers: int
    directions: int
    part: Fraction
    delta: Fraction  # that is left, rounded up
    expected: float

    def volume(self, bound: Fraction, curves: VectorCertificate) -> Volume:
        """The certificate with these curves."""
        return Volume(self.numbers, self.directions, self.part, bound, curves)


def best_projection(problem: ShapeProblem, most: int) -> Projection | None:
    """The best of all numbers of directions, of at most so many; None if there are too few."""
    epsilon, delta, power = float(problem.epsilon), float(problem.delta), problem.power
    sigmas = {s: smallest_sigma(epsilon, delta / s) for s in SETTINGS.shares if delta < s}
    tried = []
    for k, n in _choices(problem, most):
        worth = _worth(problem, k, n)
        for share, sigma in sigmas.items():
            part = Fraction(math.floor((1 - share) ** (1 / n) * SETTINGS.parts), SETTINGS.parts)
            cost = n * sigma**2 * euclidean_share(n, epsilon, delta / share, 2)
            tried.append((worth * (float(part) ** 2 * cost) ** (power / 2), k, n, part))
    if not tried:
        return None
    expected, k, n, part = max(tried)
    left = round_up(problem.delta / (1 - part**n), _DIGITS)
    return Projection(k, n, part, left, expected)


def _choices(problem: ShapeProblem, most: int) -> Iterator[tuple[int, int]]:
    """How many numbers, and how many directions."""
    blocks, one_sided = problem.shape.blocks, problem.shape.one_sided
    for width in {block.width for block in blocks}:
        count = sum(block.most for block in blocks if block.width >= width)
        if problem.power == 1:
            count = min(count, most)
            choices = range(max(count, SETTINGS.fewest), count + 1)
        else:
            choices = range(SETTINGS.fewest, min(count - one_sided, most) + 1, 2)
        for n in choices:
            yield count, n


def _worth(problem: ShapeProblem, numbers: int, directions: int) -> float:
    """What a bound of 1 on all moves proves, in the place of curves."""
    nothing = VectorCertificate.nothing(Fraction(1))
    volume = Volume(numbers, directions, Fraction(1), Fraction(1), nothing)
    width, _, share = problem.movable(numbers)
    power = problem.power
    return float(mean_of_powers(volume, power, problem.shape.one_sided) * width**power * share)
