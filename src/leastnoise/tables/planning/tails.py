"""How likely the noise of one release, or of two together, is above a level: bounds, exactly.

Everything is a whole number: of a common unit the noise, of 2^-256 its probabilities, rounded to
the safe side. Statement and proof: `tails.proof.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import lcm
from typing import Any

from ...bisection import first_integer
from ...certify.enclosures import ceil_at, floor_at
from ...certify.kinds.additive import NumberNoise

_BITS = 256
_ONE = 1 << _BITS
#: Of a tail without end, what is not listed: it counts as above every level, or as below.
_REST = Fraction(1, 1 << 200)
#: Copies that fall more slowly than this are taken together.
_SLOW = Fraction(63, 64)
#: More cells than this are joined.
_MOST_CELLS = 2000
#: From where to where an index is, and how likely.
_Cell = tuple[int, int, Fraction]
#: Ends in order, their masses, and the mass that is not listed.
_Side = tuple[list[int], list[int], int]


@dataclass(frozen=True)
class NoiseCells:
    """Where the noise of one release is, with the rounding before it.

    With probability `masses[i]` from `lows[i]` to `highs[i]` steps, in rising order.
    """

    step: Fraction
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    masses: tuple[Fraction, ...]


#: No noise at all.
_NOTHING = NoiseCells(Fraction(1), (0,), (0,), (Fraction(1),))


@lru_cache(maxsize=64)
def cells_of(part: Any) -> NoiseCells:
    """Cells that hold the noise of a `PartNoise`; masses add up to at most 1."""
    noise: NumberNoise = part.design.document.noise
    grid, total = noise.grid, noise.denominator
    # Before noise is added a real number is rounded to the grid, by less than one step.
    rounded = 0 if part.design.integer else 1
    if noise.edges is not None:
        marks = [int(2 * grid * edge) for edge in noise.edges]
        runs = [((a + 1) // 2, b // 2) for a, b in pairwise(marks)]
    else:
        centres = [(noise.first + i) * grid for i in range(len(noise.weights))]
        runs = [(at - grid // 2, at + grid // 2) for at in centres]
    listed = [(a, b, Fraction(w, total)) for (a, b), w in zip(runs, noise.weights, strict=True)]
    cells = [*listed, (0, 0, Fraction(noise.atom, total))]
    if noise.tail is not None:
        cells += _repeated(listed, noise.tail.period, noise.tail.ratio, grid)
    cells = sorted(cell for cell in cells if cell[2])
    size = -(-len(cells) // _MOST_CELLS)
    joined = [_joined(cells[i : i + size]) for i in range(0, len(cells), size)]
    lows, highs, masses = zip(*joined, strict=True)
    return NoiseCells(
        noise.step / noise.grid * part.scale,
        tuple(a - rounded for a in lows),
        tuple(b + rounded for b in highs),
        masses,
    )


def _joined(cells: list[_Cell]) -> _Cell:
    return cells[0][0], max(b for _, b, _ in cells), sum((m for _, _, m in cells), Fraction(0))


def _repeated(listed: list[_Cell], period: int, ratio: Fraction, grid: int) -> list[_Cell]:
    """Further copies of the outermost cells, each `ratio` times as likely, on both sides.

    Where they fall slowly, a cell stands for many copies.
    """
    apart = period * grid
    # ratio^many, and ratio + ... + ratio^many: both from below.
    many, falls = 1, _down(ratio)
    copies = falls
    while falls > _SLOW:
        many, copies, falls = 2 * many, _down(copies * (1 + falls)), _down(falls * falls)
    cells: list[_Cell] = []
    falling, near, far = copies, apart, many * apart
    while falling > _REST:
        cells += [(a - far, b - near, mass * falling) for a, b, mass in listed[:period]]
        cells += [(a + near, b + far, mass * falling) for a, b, mass in listed[-period:]]
        falling, near, far = _down(falling * falls), near + many * apart, far + many * apart
    return cells


def _down(value: Fraction) -> Fraction:
    """At most the value, and short."""
    return Fraction(floor_at(value, _BITS), _ONE)


@lru_cache(maxsize=64)
def two_tails(noises: tuple[Any, ...], weights: tuple[Fraction, ...]) -> TwoTails:
    """The tails of w1 X1 + w2 X2 for noise of one part or two."""
    return TwoTails([(cells_of(part), w) for part, w in zip(noises, weights, strict=True) if w])


class TwoTails:
    """P(w1 X1 + w2 X2 > level) from above and from below, X1 and X2 independent noise."""

    def __init__(self, sides: list[tuple[NoiseCells, Fraction]]) -> None:
        both = [*sides, *[(_NOTHING, Fraction(0))] * (2 - len(sides))]
        steps = [cells.step * weight for cells, weight in both]
        #: Levels are counted in parts of 1.
        self.parts = lcm(*(step.denominator for step in steps))
        each = [
            (cells, int(step * self.parts)) for (cells, _), step in zip(both, steps, strict=True)
        ]
        self._above = [_side(cells, step, True) for cells, step in each]
        self._below = [_side(cells, -step, True) for cells, step in each]
        self._surely = [_side(cells, step, False) for cells, step in each]
        self._reach = sum(max(map(abs, side[0])) for side in self._above + self._below)

    def level(self, most: Fraction) -> Fraction:
        """The least level that the noise is proven to be above with a probability of `most`."""
        return self._least(lambda at: _above(self._above, at) <= most)

    def within(self, most: Fraction) -> Fraction:
        """An error that it is beyond, to either side, with a probability of at most `most`."""
        sides = self._above, self._below
        return self._least(lambda at: sum(_above(side, at) for side in sides) <= most)

    def surely_above(self, level: Fraction) -> Fraction:
        """At most P(w1 X1 + w2 X2 > level)."""
        at = level * self.parts
        return _both(self._surely, at.numerator // at.denominator)

    def _least(self, enough: Callable[[int], bool]) -> Fraction:
        low, high = -self._reach - 1, self._reach  # what is listed ends there
        if not enough(high):
            raise ArithmeticError("the noise has a tail that is not listed so far")
        return Fraction(first_integer(enough, low, high), self.parts)


def _side(cells: NoiseCells, step: int, upper: bool) -> _Side:
    """Upper ends with masses rounded up, or lower ends with masses rounded down, in order."""
    ends = cells.highs if upper == (step >= 0) else cells.lows
    rounded = ceil_at if upper else floor_at
    pairs = sorted(
        (end * step, rounded(mass, _BITS)) for end, mass in zip(ends, cells.masses, strict=True)
    )
    listed = sum(floor_at(mass, _BITS) for mass in cells.masses)
    return [end for end, _ in pairs], [mass for _, mass in pairs], _ONE - listed


def _above(sides: list[_Side], level: int) -> Fraction:
    """At least the probability that the sum is above the level; what is not listed always is."""
    return _both(sides, level) + Fraction(sides[0][2] + sides[1][2], _ONE)


def _both(sides: list[_Side], level: int) -> Fraction:
    """The probability of listed pairs whose sum is above the level."""
    (first, masses, _), (second, others, _) = sides
    rest = [*accumulate(reversed(others), initial=0)]  # rest[k]: of the k largest
    total = sum(
        mass * rest[len(second) - bisect_right(second, level - end)]
        for end, mass in zip(first, masses, strict=True)
    )
    return Fraction(total, _ONE * _ONE)
