"""Noise for a vector that is uniform in balls around 0, as a file states it.

What is claimed and why the checks prove it: `../../kinds/vector.proof.md`. Standard library
only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt

from ....losses import Loss
from ....losses.base import NORM_ONLY
from ....problem import Problem
from ....work import add_up, arithmetic, bits, charge
from ...fields import demand
from ..base import Distribution
from .balls import BallMixture


@dataclass(frozen=True)
class BallNoise(Distribution[Problem]):
    """Uniform in the ball of radius radii[i] with probability weights[i] / denominator, and 0 with
    probability atom / denominator. Every coordinate of a release is rounded to a multiple of grid.
    """

    grid: Fraction
    denominator: int
    radii: tuple[Fraction, ...]
    weights: tuple[int, ...]
    atom: int

    def check(self) -> None:
        """`FormatError` unless the parts go together."""
        demand(self.denominator > 0, '"denominator" must be positive')
        demand(all(a < b for a, b in pairwise(self.radii)), '"radii" must rise')
        alike = len(self.weights) == len(self.radii)
        demand(alike, '"weights" must have one entry for each radius')

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless the loss is one of the norm."""
        check_norm(problem)

    def mixture(self, problem: Problem) -> BallMixture:
        """The noise as its hockey stick is computed from it."""
        masses = [Fraction(weight, self.denominator) for weight in self.weights]
        atom = Fraction(self.atom, self.denominator)
        return BallMixture(problem.dimension, self.radii, masses, atom)

    def total(self, problem: Problem) -> Fraction:
        """Of all probabilities."""
        return Fraction(sum(self.weights) + self.atom, self.denominator)

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """Where the largest hockey stick is, and at least its size."""
        worst = self.mixture(problem).hockey_stick(epsilon, problem.sensitivity)
        return "shifts by the sensitivity, rounded up", worst

    def expected_loss(self, problem: Problem) -> Fraction:
        """At least E c(|X| + move), the move being that of rounding to the grid."""
        d, loss, move = problem.dimension, problem.loss, moved_by_rounding(problem, self.grid)
        terms = [self.atom * loss.upper(move)]
        for radius, weight in zip(self.radii, self.weights, strict=True):
            if weight:
                wide = radius + move
                charge(_mean_work(loss, d, wide))
                mean = loss.ball_mean(d, wide)
                terms.append(weight * (radius * mean + move * loss.upper(wide)) / wide)
        return add_up(terms) / self.denominator

    def variance(self, problem: Problem) -> Fraction:
        """That of a coordinate, before it is rounded."""
        pairs = zip(self.radii, self.weights, strict=True)
        total = sum((w * r * r for r, w in pairs), Fraction(0))
        return total / ((problem.dimension + 2) * self.denominator)


def check_norm(problem: Problem) -> None:
    """`FormatError` unless the loss is one of the norm."""
    demand(problem.loss.of_norm, f'"loss" must be {NORM_ONLY}')


def moved_by_rounding(problem: Problem, grid: Fraction) -> Fraction:
    """At least how far rounding moves a release: grid * sqrt(dimension) / 2."""
    size = 1 << 64
    return grid * Fraction(isqrt(problem.dimension * size * size) + 1, 2 * size)


def _mean_work(loss: Loss, d: int, radius: Fraction) -> int:
    """Microseconds of the mean over a ball; powers of the radius may be d times as long."""
    length = bits(radius) + sum(map(bits, loss.kinks))
    longest = length if loss.exponent is not None else d * length
    return 3 * loss.effort_at(length) + 12 * arithmetic(2 * longest)
