"""Noise for a vector that is uniform in balls around 0, as a file states it.

What is claimed and why the checks prove it: `../kinds/vector_check.proof.md`. Standard library
only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar

from ...losses import Loss
from ...work import add_up, arithmetic, bits, charge
from ..codec import COUNT, POSITIVE, Count, several
from ..fields import demand
from ..limits import MAX_RADII
from .balls import BallMixture

if TYPE_CHECKING:
    from ..kinds.vector import VectorDocument


@dataclass(frozen=True)
class BallNoise:
    """Uniform in the ball of radius radii[i] with probability weights[i] / denominator, and 0 with
    probability atom / denominator.
    """

    #: Whether errors of every size are possible.
    endless: ClassVar = False

    denominator: Count
    radii: Annotated[tuple[Fraction, ...], several(POSITIVE, MAX_RADII)]
    weights: Annotated[tuple[int, ...], several(COUNT, MAX_RADII)]
    atom: Count

    def check(self) -> None:
        """`FormatError` unless the parts go together."""
        demand(self.denominator > 0, '"denominator" must be positive')
        demand(all(a < b for a, b in pairwise(self.radii)), '"radii" must rise')
        alike = len(self.weights) == len(self.radii)
        demand(alike, '"weights" must have one entry for each radius')

    def check_file(self, document: VectorDocument) -> None:
        """Goes with every file."""

    def mixture(self, document: VectorDocument) -> BallMixture:
        """The noise as its hockey stick is computed from it."""
        masses = [Fraction(weight, self.denominator) for weight in self.weights]
        atom = Fraction(self.atom, self.denominator)
        return BallMixture(document.dimension, self.radii, masses, atom)

    def total(self) -> Fraction:
        """Of all probabilities."""
        return Fraction(sum(self.weights) + self.atom, self.denominator)

    def worst_stick(self, document: VectorDocument, epsilon: Fraction) -> tuple[str, Fraction]:
        """Where the largest hockey stick is, and at least its size."""
        worst = self.mixture(document).hockey_stick(epsilon, document.sensitivity)
        return "shifts by the sensitivity, rounded up", worst

    def loss(self, document: VectorDocument, move: Fraction) -> Fraction:
        """At least E c(|X| + move)."""
        d, loss = document.dimension, document.loss
        terms = [self.atom * loss.upper(move)]
        for radius, weight in zip(self.radii, self.weights, strict=True):
            if weight:
                wide = radius + move
                charge(_mean_work(loss, d, wide))
                mean = loss.ball_mean(d, wide)
                terms.append(weight * (radius * mean + move * loss.upper(wide)) / wide)
        return add_up(terms) / self.denominator

    def square(self, document: VectorDocument) -> Fraction:
        """The variance of a coordinate."""
        pairs = zip(self.radii, self.weights, strict=True)
        total = sum((w * r * r for r, w in pairs), Fraction(0))
        return total / ((document.dimension + 2) * self.denominator)


def _mean_work(loss: Loss, d: int, radius: Fraction) -> int:
    """Microseconds of the mean over a ball; powers of the radius may be d times as long."""
    length = bits(radius) + sum(map(bits, loss.kinks))
    longest = length if loss.exponent is not None else d * length
    return 3 * loss.effort_at(length) + 12 * arithmetic(2 * longest)
