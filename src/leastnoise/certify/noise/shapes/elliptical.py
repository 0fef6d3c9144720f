"""Noise of elliptical laws for several numbers at once: Gaussian, or a mixture of balls, scaled.

Every number has a part of its own; where moves have one sign, all share a common part besides. How
private it is, and what it costs: `elliptical.proof.md`. Standard library only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar

from ....exact import nearest_float, text_of
from ....problem.privacy import curve_above, root_above
from ....problem.shape import MAX_NUMBERS
from ....problem.shape_problem import ShapeProblem
from ....work import add_up, bits, charge
from ...codec import COUNT, POSITIVE, Codec, Count, number, record, several
from ...enclosures import ceil_at, pi_bounds
from ...fields import demand, read_number
from ...limits import MAX_JOINT_STEPS, MAX_RADII
from ...report import Claim, claim_of
from ..vectors.balls import BallMixture
from .block_counts import Side
from .shaped import ShapeNoise

#: Gaussian parts are rounded to multiples of 1 / FINE of a step, and centres are such.
FINE = 1024
#: Binary digits of the length of a move, which is rounded up.
_BITS = 96
MAX_ERROR = 1 << 62  # of a number, in steps


def _at_most_256_bits(codec: Codec[Fraction]) -> Codec[Fraction]:
    def read(value: object, name: str) -> Fraction:
        number = codec.read(value, name)
        demand(bits(number) <= 256, f'"{name}" must be shorter')
        return number

    return Codec(read, codec.write)


def _read_centre(value: object, name: str) -> Fraction:
    centre = read_number(value, name, lambda v: 0 <= v <= MAX_JOINT_STEPS, "from 0 on")
    demand((centre * FINE).denominator == 1, f'"{name}" must be multiples of 1/{FINE}')
    return centre


#: A standard deviation, in steps: neither so small nor so large that draws would take long.
DEVIATION = _at_most_256_bits(
    number(lambda v: Fraction(1, 1000) <= v <= 10**12, "from 1/1000 to 10^12")
)
CENTRE = Codec(_read_centre, text_of)
SHORT_RADIUS = _at_most_256_bits(POSITIVE)


@dataclass(frozen=True)
class Balls:
    """A vector: uniform in the ball of radius radii[i] with probability weights[i]/denominator."""

    denominator: Count
    radii: Annotated[tuple[Fraction, ...], several(SHORT_RADIUS, MAX_RADII, 1)]
    weights: Annotated[tuple[int, ...], several(COUNT, MAX_RADII)]

    def check(self) -> None:
        """`FormatError` unless this is a distribution."""
        demand(self.denominator > 0, '"denominator" must be positive')
        demand(all(a < b for a, b in pairwise(self.radii)), '"radii" must rise')
        alike = len(self.weights) == len(self.radii)
        demand(alike, '"weights" must have one entry for each radius')
        demand(sum(self.weights) == self.denominator, '"weights" must add up to the denominator')

    @property
    def masses(self) -> list[Fraction]:
        """The probability of each ball."""
        return [Fraction(weight, self.denominator) for weight in self.weights]

    def square(self, dimension: int) -> Fraction:
        """The variance of one number: in a ball of radius r it is r^2 / (dimension + 2)."""
        charge(4 * len(self.radii))
        pairs = zip(self.radii, self.weights, strict=True)
        return add_up(w * r * r for r, w in pairs) / (self.denominator * (dimension + 2))

    def size(self, dimension: int) -> Fraction:
        """At least E |one number|."""
        pairs = zip(self.radii, self.weights, strict=True)
        return size_in_ball(dimension) * add_up(w * r for r, w in pairs) / self.denominator


@dataclass(frozen=True)
class Elliptical(ShapeNoise):
    """A number of block b gets each[b] Z + centres[b] common Z', in steps: Z its own, Z' that of
    all numbers.
    """

    pure: ClassVar = False
    #: What the length of a move is counted in.
    unit: ClassVar[str]

    each: Annotated[tuple[Fraction, ...], several(DEVIATION, MAX_NUMBERS)]
    common: Annotated[Fraction, DEVIATION] = Fraction(0)  # 0: there is no common part, no centre
    centres: Annotated[tuple[Fraction, ...], several(CENTRE, MAX_NUMBERS, 1)] = ()

    def check(self) -> None:
        """`FormatError` unless the parts belong together."""
        demand(bool(self.common) == bool(self.centres), '"common" and "centres" go together')
        alike = not self.centres or len(self.centres) == len(self.each)
        demand(alike, '"centres" must have one entry for each of "each"')

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` unless the noise is for a shape of so many blocks."""
        super().check_problem(problem)
        blocks = len(problem.shape.blocks)
        demand(not problem.largest, '"largest" is for noise by levels')
        demand(len(self.each) == blocks, f'"each" must be a list of {blocks} entries')
        if self.common:
            demand(problem.shape.one_sided, '"common" is for moves of one sign')

    @property
    def words(self) -> str:
        """The same, and what distinguishes it."""
        return f"{self.name} of the best covariance" if self.common else self.name

    def dimension(self, problem: ShapeProblem) -> int:
        """How many numbers Z there are, Z' among them."""
        return problem.dimension + bool(self.common)

    def centre(self, block: int) -> Fraction:
        """How often the common part is added."""
        return self.centres[block] if self.centres else Fraction(0)

    def square(self, block: int) -> Fraction:
        """The variance of a number of a block, before anything is rounded, if those of Z are 1."""
        return self.each[block] ** 2 + (self.centre(block) * self.common) ** 2

    def squared_shift(self, blocks: Sequence[Side]) -> Fraction:
        """The largest sum of squares of what a unit moves, each over its size."""
        common = 1 / self.common**2 if self.common else Fraction(0)
        parts = (
            length_of_move(block, self.centre(b)) / each**2
            for b, (block, each) in enumerate(zip(blocks, self.each, strict=True))
        )
        return add_up([common, *parts])

    @abstractmethod
    def divergence(self, problem: ShapeProblem, epsilon: Fraction) -> Fraction:
        """At least the delta at which the noise is private."""

    def privacy(self, problem: ShapeProblem) -> Claim:
        """Whether (epsilon, delta) is satisfied."""
        delta = self.divergence(problem, problem.epsilon)
        shift = nearest_float(root_above(self.squared_shift(self.sides(problem))))
        words = (
            f"neighbors differ by at most {shift:.9g} {self.unit}, "
            f"delta {nearest_float(delta):.9g} at this epsilon"
        )
        return claim_of("privacy", problem.delta - delta, words, f"{words}, above what is stated")

    def loss_in_steps(self, problem: ShapeProblem) -> Fraction:
        """At least the mean of E |x|^power over all numbers."""
        return add_up(
            share * self.mean(problem, b, problem.power) for b, share in enumerate(problem.shares)
        )


@dataclass(frozen=True)
class GaussianNoise(Elliptical):
    """All Z are standard normal. Both parts are rounded to 1 / FINE (the second before it is
    multiplied), and their sum at random to an integer.
    """

    name: ClassVar = "Gaussian noise"
    unit: ClassVar = "standard deviations of Gaussian noise"

    def divergence(self, problem: ShapeProblem, epsilon: Fraction) -> Fraction:
        """At least the delta at which the noise is private."""
        return curve_above(root_above(self.squared_shift(self.sides(problem))), epsilon)

    def mean(self, problem: ShapeProblem, block: int, power: int) -> Fraction:
        """At least E |x|^power of a number of a block, power 1 or 2, after all rounding."""
        square = self.square(block)
        moved = (1 + self.centre(block)) / (2 * FINE)
        if power == 2:
            return (root_above(square) + moved) ** 2 + Fraction(1, 4)
        least_pi = Fraction(pi_bounds(128)[0], 1 << 128)
        return root_above(2 * square / least_pi) + moved


@dataclass(frozen=True, kw_only=True)
class EuclideanNoise(Elliptical):
    """All Z, with Z' as the last, are one vector in balls; sums are rounded to the next integer."""

    name: ClassVar = "Euclidean noise"
    unit: ClassVar = "units of the balls"

    balls: Annotated[Balls, record(Balls, Balls.check)]

    def check(self) -> None:
        """`FormatError` unless the parts belong together, and no number is far too large."""
        super().check()
        parts = (each + self.centre(b) * self.common for b, each in enumerate(self.each))
        reach = max(parts, default=Fraction(0)) * self.balls.radii[-1]
        demand(reach < MAX_ERROR, '"radii" must be smaller')

    def divergence(self, problem: ShapeProblem, epsilon: Fraction) -> Fraction:
        """At least the delta at which the noise is private; 1 if what is stated is no law."""
        balls, shift = self.balls, root_above(self.squared_shift(self.sides(problem)))
        if sum(balls.weights) != balls.denominator:
            return Fraction(1)
        mixture = BallMixture(self.dimension(problem), balls.radii, balls.masses, Fraction(0))
        return mixture.hockey_stick(epsilon, Fraction(ceil_at(shift, _BITS), 1 << _BITS))

    def mean(self, problem: ShapeProblem, block: int, power: int) -> Fraction:
        """At least E |x|^power of a number of a block, power 1 or 2, after all rounding."""
        square, numbers = self.square(block), self.dimension(problem)
        if power == 2:
            return square * self.balls.square(numbers) + Fraction(3, 16)
        return root_above(square) * self.balls.size(numbers)


def size_in_ball(dimension: int) -> Fraction:
    """At least E |one number| of a uniform point of the unit ball."""
    charge(dimension)
    even = dimension % 2 == 0
    size = Fraction(4 << 128, 3 * pi_bounds(128)[0]) if even else Fraction(1, 2)
    for d in range(2 if even else 1, dimension, 2):
        size *= Fraction(d + 2, d + 3)
    return size


def length_of_move(block: Side, centre: Fraction) -> Fraction:
    """The largest squared length of a move of a block of one sign, counted from the centre."""
    still = block.numbers * centre**2
    return max(still, still + block.most * block.width * (block.width - 2 * centre))
