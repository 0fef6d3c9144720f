"""What multipliers give to some answers and take from others, in integers, for every weak duality.

Noise on a lattice, rows of a range and copies of both are cases of one theorem: statement and
proof are in `weak_duality.proof.md`. Standard library only; each e^eps is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ...errors import FormatError
from ...exact import exp_upper
from ...losses import Loss
from ...problem.privacy import Point
from ...work import charge
from ..constraints import Cell

if TYPE_CHECKING:
    from .multipliers import ShiftMultipliers

Gains = list[int]  #: of answers, in units of 1 / (scale * bottom)


@dataclass(frozen=True)
class Units:
    """Multipliers are integers of 1 / scale; e^eps of point j is at most tops[j] / bottom."""

    points: tuple[Point, ...]
    scale: int
    bottom: int
    tops: tuple[int, ...]

    @property
    def unit(self) -> int:
        """Gains are integers of 1 / unit."""
        return self.scale * self.bottom

    def amounts(self, cells: Sequence[Cell], point: int) -> list[tuple[int, int, int]]:
        """(answer, what its own row gains, what the other row loses) for each multiplier."""
        charge(1 + len(cells) * (1500 + 2 * self.scale.bit_length()) // 1000)
        bottom, top = self.bottom, self.tops[point]
        whole = ((y, z.numerator * (self.scale // z.denominator)) for y, z in cells)
        return [(y, z * bottom, z * top) for y, z in whole]

    def spent(self, point: int, budget: Fraction) -> Fraction:
        """What the bound loses by multipliers up to the budget: delta times that."""
        return self.points[point][1] * budget


def units_of(points: Sequence[Point], lists: Iterable[Sequence[Fraction]], most: int) -> Units:
    """Units that serve all multipliers; `FormatError` if theirs has more than `most` bits."""
    exponentials = [exp_upper(epsilon) for epsilon, _ in points]
    bottom = math.lcm(*(each.denominator for each in exponentials))
    tops = tuple(int(each * bottom) for each in exponentials)
    return Units(tuple(points), _common_denominator(lists, most), bottom, tops)


def _common_denominator(lists: Iterable[Sequence[Fraction]], most: int) -> int:
    scale = 1
    for values in lists:
        charge(1 + len(values) // 2)
        for value in values:
            if scale % value.denominator:
                charge(10)
                scale = math.lcm(scale, value.denominator)
                if scale.bit_length() > most:
                    raise FormatError(f"the multipliers have no common denominator below 2^{most}")
    return scale


def add_shift(
    gains: Gains, entry: ShiftMultipliers, units: Units, sides: Iterable[tuple[int, int, int]]
) -> None:
    """Add z(m, i) and z(-m, -i): gains of answers by their distance from the row's own value.

    gains: from -edge to edge; what lies beyond is left out, and nobody may ask for it.
    sides: (sign, how often the row has the entry, how often another has it about this row).
    """
    edge, amounts = len(gains) // 2, units.amounts(entry.cells, entry.point)
    for sign, often, about in sides:
        for i, gained, lost in amounts:
            at = edge + sign * i
            if often and 0 <= at <= 2 * edge:
                gains[at] += often * gained
            at -= sign * entry.shift
            if about and 0 <= at <= 2 * edge:
                gains[at] -= about * lost


def floors_on(
    loss: Loss, first: int, last: int, step: Fraction, integer: bool
) -> Iterator[Fraction]:
    """k_i, i = first..last: the loss at i for integer noise, its minorant at i*step otherwise."""
    if integer:
        return loss.on_lattice(first, last, Fraction(1))
    return loss.minorants(first, last, step)


def cost_floor(loss: Loss, i: int, step: Fraction, integer: bool) -> Fraction:
    """k_i alone."""
    return next(floors_on(loss, i, i, step, integer))
