"""What the volume of a cube, or of a projection of it, proves about several numbers at any delta.

Noise that is private for many moves is private, once rearranged, for all moves of a length: then
curves for a vector (`curves.proof.md`) bound its loss. Statement and proof:
`volume.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Annotated

from ...losses import Loss
from ...problem.privacy import Point
from ...problem.shape import MAX_NUMBERS
from ...problem.shape_problem import ShapeProblem
from ...work import bits, charge
from ..codec import NOT_NEGATIVE, Key, integer, number
from ..enclosures import pi_bounds
from ..fields import demand
from ..kinds.vector import CURVES, VectorCertificate
from .curves import vector_dual
from .shaped import ShapeProof, check_numbers

#: Binary digits of roots.
_BITS = 64


@dataclass(frozen=True)
class Volume(ShapeProof):
    """Curves for a vector of so many directions that moves by 1, and the bound they prove, used for
    projections of a cube of so many numbers to as many directions.

    part: only moves of at least this part of the largest length count.
    """

    numbers: Annotated[int, integer(2, MAX_NUMBERS)]
    directions: Annotated[int, integer(2, MAX_NUMBERS)]
    part: Annotated[Fraction, number(lambda v: 0 < v < 1, "between 0 and 1")]
    stated: Annotated[Fraction, NOT_NEGATIVE, Key("bound")]  # what the curves prove
    curves: Annotated[VectorCertificate, CURVES]

    def check(self) -> None:
        """`FormatError` unless the directions are some of the numbers."""
        demand(bits(self.part) <= 64, '"part" must be shorter')
        self.curves.check_sensitivity(Fraction(1))
        demand(self.directions <= self.numbers, '"directions" must be at most "numbers"')

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` if there are fewer numbers."""
        check_numbers(self.numbers, problem.dimension)

    def bound(self, problem: ShapeProblem) -> Fraction:
        """What projections of a cube of some numbers prove that a unit can move all at once."""
        numbers, power = self.numbers, problem.power
        width, reach, share = problem.movable(numbers)
        budget = problem.epsilon, problem.delta
        if reach < numbers or not proves_its_bound(self, budget, problem.loss):
            return Fraction(0)
        each = mean_of_powers(self, power, problem.shape.one_sided) * width**power
        if problem.integer:
            each -= Fraction(1, 4) if power == 1 else Fraction(1, 12)
        return max(Fraction(0), each) * share


def proves_its_bound(volume: Volume, budget: Point, loss: Loss) -> bool:
    """Whether the curves prove the bound at the delta that is left."""
    n, (epsilon, delta) = volume.directions, budget
    charge(n)
    left = delta / (1 - volume.part**n)
    return bool(
        vector_dual(n, epsilon, left, Fraction(1), loss, volume.curves, volume.stated).verdict
    )


def mean_of_powers(volume: Volume, power: int, one_sided: bool) -> Fraction:
    """At least the mean of E |x_i|^power over real numbers that all move by 1 at once, if the bound
    is proven for the same power of lengths; 0 where nothing is known."""
    k, n, length = volume.numbers, volume.directions, volume.part
    one_sided = one_sided and k > 1
    if power == 1:
        if n != k:
            return Fraction(0)
        root = root_below(Fraction((2 if one_sided else 1) * factorial(k)), k)
        return length * volume.stated * root / (k * (2 if one_sided else 1))
    if n % 2 or n > k - one_sided:
        return Fraction(0)
    square = length**2 * square_radius(k, n, one_sided) * volume.stated / n
    return square * Fraction(k - 1, k) if one_sided else square


def square_radius(numbers: int, directions: int, one_sided: bool) -> Fraction:
    """At most R^2, R the radius of a ball as large as the cube's projections are on average, for an
    even number of directions; one-sided: of directions that move nothing if all move alike."""
    k, n = numbers, directions
    charge(n)
    most_pi = Fraction(pi_bounds(128)[1], 1 << 128)
    if one_sided:
        volume = Fraction(k, k - n) * prod(k - 1 - 2 * j for j in range(n // 2)) ** 2
        return root_below(volume, n) / (2 * most_pi)
    return 2 * root_below(Fraction(prod(k - 2 * j for j in range(n // 2)) ** 2), n) / most_pi


def root_below(value: Fraction, degree: int) -> Fraction:
    """At most the root of this degree of a value of 1 or more."""
    goal = (value.numerator << (_BITS * degree)) // value.denominator
    low, high = 0, 1 << (goal.bit_length() // degree + 1)
    charge((_BITS + 20) * (2 + (goal.bit_length() // 1000) ** 2))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= goal else (low, middle)
    return Fraction(low, 1 << _BITS)
