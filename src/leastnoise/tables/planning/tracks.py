"""Numbers that a question releases when all are drawn together, and how a unit can move them.

Statement and proof: `joint_draw.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...noise.rounding import UniformNumber
from ...sampling import Entropy

#: Steps of the grid to a width, where numbers are rounded to it: their rounding is far below the
#: noise, and draws stay fast.
_FINE = 32


@dataclass(frozen=True)
class Track:
    """One number of each group, or a pair of them.

    width: what a unit adds to a number of one group is at most this in size, and so is the
        difference of what two units add.
    one_sided: what a unit adds is never negative.
    rows: 0 for one number. For a pair the most rows of a unit that count: a unit with c of them
        adds two numbers >= 0 that are together c width / rows, which is whole.
    effect: what an error of 1 does to the answer, relative and times the number of rows.
    unit: what its 1 is in the query's own units, where people read it.
    """

    name: str
    width: Fraction
    one_sided: bool
    effect: Fraction
    whole: bool = False
    rows: int = 0
    unit: Fraction = Fraction(1)

    @property
    def pair(self) -> bool:
        """Whether there are two numbers of each group."""
        return self.rows > 0

    @property
    def size(self) -> int:
        """How many numbers of each group there are."""
        return 2 if self.pair else 1

    @cached_property
    def steps(self) -> int:
        """The width in steps of the grid, a whole number."""
        if self.pair:
            each = self.width.numerator // self.rows  # steps of the scale to a row, whole
            return self.rows * min(each, -(-_FINE // self.rows))
        return int(self.width) if self.whole and self.width <= _FINE else _FINE

    @cached_property
    def step(self) -> Fraction:
        """A step of the grid."""
        return self.width / self.steps

    @cached_property
    def rounds(self) -> bool:
        """Whether numbers are rounded at random to the grid."""
        return not self.whole or self.step != 1

    def steps_of(self, numbers: Sequence[Fraction], entropy: Entropy) -> list[int]:
        """The numbers of one group in whole steps; a pair keeps what it adds up to."""
        if not self.rounds:
            return [int(number) for number in numbers]
        first = UniformNumber(entropy.bits(64), entropy).floor_of(numbers[0], self.step)
        if not self.pair:
            return [first]
        both = sum(numbers, Fraction(0)) / self.step
        assert both.denominator == 1
        return [first, int(both) - first]
