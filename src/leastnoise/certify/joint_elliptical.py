"""Noise of elliptical laws for several numbers at once: Gaussian, or a mixture of balls, scaled.

Every number has a part of its own; where moves have one sign, all share a common part besides. How
private it is, and what it costs: `joint_elliptical.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..ask.privacy import curve_above, root_above
from ..work import add_up, charge
from .balls import BallMixture
from .block_counts import Side
from .enclosures import ceil_at, pi_bounds

#: Gaussian parts are rounded to multiples of 1 / FINE of a step, and centres are such.
FINE = 1024
#: Binary digits of the length of a move, which is rounded up.
_BITS = 96


@dataclass(frozen=True)
class Balls:
    """A vector of so many numbers: uniform in the ball of radius radii[i] with probability
    weights[i] / denominator. The radii rise."""

    dimension: int
    denominator: int
    radii: tuple[Fraction, ...]
    weights: tuple[int, ...]

    @property
    def masses(self) -> list[Fraction]:
        """The probability of each ball."""
        return [Fraction(weight, self.denominator) for weight in self.weights]

    @property
    def square(self) -> Fraction:
        """The variance of one number: in a ball of radius r it is r^2 / (dimension + 2)."""
        charge(4 * len(self.radii))
        pairs = zip(self.radii, self.weights, strict=True)
        return add_up(w * r * r for r, w in pairs) / (self.denominator * (self.dimension + 2))

    @property
    def size(self) -> Fraction:
        """At least E |one number|."""
        pairs = zip(self.radii, self.weights, strict=True)
        return size_in_ball(self.dimension) * add_up(w * r for r, w in pairs) / self.denominator


@dataclass(frozen=True)
class Elliptical:
    """A number of block b gets each[b] Z + centres[b] common Z', in steps: Z its own, Z' that of
    all numbers.

    Without balls all Z are standard normal. Then both parts are rounded to 1 / FINE (the second
    before it is multiplied), and their sum at random to a whole number. With balls all Z, with Z'
    as the last, are one vector of that law, and the sum is rounded to the nearest whole number.
    """

    each: tuple[Fraction, ...]  # positive
    common: Fraction = Fraction(0)  # 0: there is no common part, and no centre
    centres: tuple[Fraction, ...] = ()
    balls: Balls | None = None

    def centre(self, block: int) -> Fraction:
        """How often the common part is added."""
        return self.centres[block] if self.centres else Fraction(0)

    def square(self, block: int) -> Fraction:
        """The variance of a number of a block, before anything is rounded, if those of Z are 1."""
        return self.each[block] ** 2 + (self.centre(block) * self.common) ** 2


def size_in_ball(dimension: int) -> Fraction:
    """At least E |one number| of a uniform point of the unit ball."""
    charge(dimension)
    even = dimension % 2 == 0
    found = Fraction(4 << 128, 3 * pi_bounds(128)[0]) if even else Fraction(1, 2)
    for d in range(2 if even else 1, dimension, 2):
        found *= Fraction(d + 2, d + 3)
    return found


def length_of_move(block: Side, centre: Fraction) -> Fraction:
    """The largest squared length of a move of a block of one sign, counted from the centre."""
    still = block.numbers * centre**2
    return max(still, still + block.most * block.width * (block.width - 2 * centre))


def squared_shift(noise: Elliptical, blocks: Sequence[Side]) -> Fraction:
    """The largest sum of squares of what a unit moves, each over its size."""
    common = 1 / noise.common**2 if noise.common else Fraction(0)
    own = (
        length_of_move(block, noise.centre(b)) / each**2
        for b, (block, each) in enumerate(zip(blocks, noise.each, strict=True))
    )
    return add_up([common, *own])


def delta_above(noise: Elliptical, blocks: Sequence[Side], epsilon: Fraction) -> Fraction:
    """At least the delta at which the noise is private; 1 if what is stated is no law."""
    shift = root_above(squared_shift(noise, blocks))
    balls = noise.balls
    if balls is None:
        return curve_above(shift, epsilon)
    numbers = sum(block.numbers for block in blocks) + bool(noise.common)
    if balls.dimension != numbers or sum(balls.weights) != balls.denominator:
        return Fraction(1)
    mixture = BallMixture(balls.dimension, balls.radii, balls.masses, Fraction(0))
    return mixture.hockey_stick(epsilon, Fraction(ceil_at(shift, _BITS), 1 << _BITS))


def elliptical_mean(noise: Elliptical, block: int, power: int) -> Fraction:
    """At least E |x|^power of a number of a block, power 1 or 2, after all rounding."""
    square = noise.square(block)
    if noise.balls is not None:
        if power == 2:
            return square * noise.balls.square + Fraction(3, 16)
        return root_above(square) * noise.balls.size
    moved = (1 + noise.centre(block)) / (2 * FINE)
    if power == 2:
        return (root_above(square) + moved) ** 2 + Fraction(1, 4)
    least_pi = Fraction(pi_bounds(128)[0], 1 << 128)
    return root_above(2 * square / least_pi) + moved
