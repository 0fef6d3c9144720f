"""Gaussian noise for several numbers at once: how private it is, and what it costs.

Every number has a part of its own; where moves have one sign, all share a common part besides.
Statements and proofs: `joint_normal.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..ask.privacy import root_above
from .block_counts import Side
from .enclosures import pi_bounds

#: Parts are rounded to multiples of 1 / FINE of a step, and centres are such.
FINE = 1024


@dataclass(frozen=True)
class Normal:
    """A number of block b gets each[b] Z + centres[b] common Z', in steps: Z its own, Z' that of
    all numbers, standard normal. Both parts are rounded to 1 / FINE (the second before it is
    multiplied), and their sum at random to a whole number.
    """

    each: tuple[Fraction, ...]  # positive
    common: Fraction = Fraction(0)  # 0: there is no common part, and no centre
    centres: tuple[Fraction, ...] = ()

    def centre(self, block: int) -> Fraction:
        """How often the common part is added."""
        return self.centres[block] if self.centres else Fraction(0)

    def square(self, block: int) -> Fraction:
        """The variance of a number of a block, before anything is rounded."""
        return self.each[block] ** 2 + (self.centre(block) * self.common) ** 2


def length_of_move(block: Side, centre: Fraction) -> Fraction:
    """The largest squared length of a move of a block of one sign, counted from the centre."""
    still = block.numbers * centre**2
    return max(still, still + block.most * block.width * (block.width - 2 * centre))


def squared_shift(normal: Normal, blocks: Sequence[Side]) -> Fraction:
    """The largest sum of squares of what a unit moves, each over its standard deviation."""
    total = 1 / normal.common**2 if normal.common else Fraction(0)
    for b, block in enumerate(blocks):
        total += length_of_move(block, normal.centre(b)) / normal.each[b] ** 2
    return total


def normal_mean(normal: Normal, block: int, power: int) -> Fraction:
    """At least E |x|^power of a number of a block, power 1 or 2, after all rounding."""
    moved = (1 + normal.centre(block)) / (2 * FINE)
    if power == 2:
        return (root_above(normal.square(block)) + moved) ** 2 + Fraction(1, 4)
    least_pi = Fraction(pi_bounds(128)[0], 1 << 128)
    return root_above(2 * normal.square(block) / least_pi) + moved
