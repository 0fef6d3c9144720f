"""Whole-number noise for several numbers at once: P(x) ~ ratio^level(x), counted exactly.

level(x) is how many moves of a unit it takes to get to x from the inner box. What is counted, and
why the sums are exact: `levels.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb, prod

from ..work import charge


@dataclass(frozen=True)
class Side:
    """A block of numbers on the whole numbers: of width `width` (whole), all of them within
    `offset` at level 0 (0 where not all numbers may move at once).
    """

    numbers: int
    most: int
    width: int
    offset: int = 0

    @property
    def box(self) -> bool:
        """Whether all numbers may move to the full at once."""
        return self.most == self.numbers

    def side(self, steps: int) -> int:
        """How many whole numbers lie between the ends after `steps` steps in all, up and down."""
        return 2 * self.offset + steps * self.width + 1


@dataclass(frozen=True)
class Levels:
    """The sets L_0, L_1, ...: all x that a unit's moves, j of them, reach from the inner box.

    overlap: None where moves go both ways. Otherwise moves have one sign, and x with i steps up
    and j steps down has the level max(i, j, i + j - overlap).
    """

    blocks: tuple[Side, ...]
    overlap: int | None = None

    @property
    def dimension(self) -> int:
        """How many numbers there are."""
        return sum(block.numbers for block in self.blocks)

    @property
    def start(self) -> int:
        """From this level on counts and sums are polynomials of the level."""
        return self.overlap or 0

    def count(self, level: int) -> int:
        """The number of points of L_level."""
        if self.overlap is None:
            return prod(both_ways(block, level) for block in self.blocks)
        if all(block.box for block in self.blocks):
            if level < self.overlap:
                return self._sides(2 * level)
            up = level - self.overlap
            return (up + 1) * self._sides(level + self.overlap) - up * self._sides(
                level + self.overlap - 1
            )
        return self._union(level, lambda i, j: prod(one_way(b, i, j) for b in self.blocks))

    def moment(self, level: int, block: int, power: int) -> int:
        """The sum over L_level of |x|^power of one number of a block; power 1 or 2."""
        own = self.blocks[block]
        others = [one for b, one in enumerate(self.blocks) if b != block]
        if self.overlap is None:
            return both_ways_moment(own, level, power) * prod(
                both_ways(one, level) for one in others
            )
        if all(one.box for one in self.blocks):
            return self._box_moment(level, own, others, power)
        # L_level is its own mirror image: twice what the number adds where it is positive.
        return 2 * self._union(
            level,
            lambda i, j: one_way_moment(own, i, j, power) * prod(one_way(b, i, j) for b in others),
        )

    def _box_moment(self, level: int, own: Side, others: list[Side], power: int) -> int:
        overlap = self.overlap or 0

        def rest(steps: int) -> int:
            return raised(own.side(steps), own.numbers - 1) * prod(
                raised(one.side(steps), one.numbers) for one in others
            )

        if level < overlap:
            return 2 * rest(2 * level) * power_sum(own.offset + level * own.width, power)
        ends = [power_sum(own.offset + i * own.width, power) for i in range(overlap, level + 1)]
        whole, less = sum(ends), sum(ends[:-1])
        return 2 * (rest(level + overlap) * whole - rest(level + overlap - 1) * less)

    def _sides(self, steps: int) -> int:
        return prod(raised(block.side(steps), block.numbers) for block in self.blocks)

    def _union(self, level: int, inside: Callable[[int, int], int]) -> int:
        """A count over the union of the sets (i up, level + overlap - i down)."""
        low = min(self.overlap or 0, level)
        both = level + low
        whole = sum(inside(i, both - i) for i in range(low, level + 1))
        return whole - sum(inside(i, both - 1 - i) for i in range(low, level))

    # -- sums over all levels -------------------------------------------------------------------

    def weight(self, ratio: Fraction) -> Fraction:
        """The sum of ratio^j |L_j| over all j: 1/(1 - ratio) times that of ratio^level(x)."""
        return summed(self.count, self.start, self.dimension, ratio)

    def mean(self, ratio: Fraction, block: int, power: int) -> Fraction:
        """E |x|^power of one number of a block."""
        top = summed(
            lambda level: self.moment(level, block, power),
            self.start,
            self.dimension + power,
            ratio,
        )
        return top / self.weight(ratio)


def summed(values: Callable[[int], int], start: int, degree: int, ratio: Fraction) -> Fraction:
    """The sum of values(j) ratio^j over all j >= 0, exactly.

    From `start` on the values are those of a polynomial of at most this degree, so that their
    differences of higher order vanish: sum values(start + j) ratio^j = sum over r of the r-th
    difference at `start` times ratio^r / (1 - ratio)^(r + 1).
    """
    charge((start + degree + 1) * (4 + degree // 8))
    first = [values(j) for j in range(start)]
    differences = forward_differences([values(start + j) for j in range(degree + 1)])
    a, b = ratio.numerator, ratio.denominator
    c = b - a
    # With ratio = a/b and 1 - ratio = c/b the term r is difference * b * a^r / c^(r + 1).
    total = 0
    power = 1
    for difference in reversed(differences):  # Horner's rule, over c^(degree + 1)
        total = total * a + difference * power
        power *= c
    tail = Fraction(total * b, power)
    head = Fraction(0)
    for value in reversed(first):
        head = head * ratio + value
    return head + ratio**start * tail


def forward_differences(values: list[int]) -> list[int]:
    """The differences of order 0, 1, 2, ... at the first place."""
    longest = max(map(int.bit_length, values), default=0)
    charge(len(values) ** 2 * (2 + longest // 2_000) // 12)
    found = []
    row = list(values)
    while row:
        found.append(row[0])
        row = [b - a for a, b in pairwise(row)]
    return found


def raised(base: int, exponent: int) -> int:
    """base^exponent for whole exponents >= 0."""
    found: int = base**exponent
    return found


def _sign(t: int) -> int:
    return -1 if t % 2 else 1


def power_sum(n: int, power: int) -> int:
    """1^power + ... + n^power for power 1 or 2."""
    return n * (n + 1) // 2 if power == 1 else n * (n + 1) * (2 * n + 1) // 6


# -- one block ------------------------------------------------------------------------------------


def both_ways(block: Side, level: int) -> int:
    """Points with |x_i| <= level * width and, unless it is a box, a sum of |x_i| <= most times."""
    if block.box:
        return raised(block.side(2 * level), block.numbers)
    wide = level * block.width
    return _within(block.numbers, block.most, wide, block.most * wide)


def both_ways_moment(block: Side, level: int, power: int) -> int:
    """The sum of |x_1|^power over these points."""
    wide = level * block.width
    if block.box:
        ends = 2 * power_sum(block.offset + wide, power)
        return raised(block.side(2 * level), block.numbers - 1) * ends
    charge(wide * (block.most + 1))
    return sum(
        2
        * raised(value, power)
        * _within(block.numbers - 1, block.most, wide, block.most * wide - value)
        for value in range(1, wide + 1)
    )


def _within(numbers: int, most: int, wide: int, longest: int) -> int:
    """How many x have |x_i| <= wide and a sum of |x_i| of at most `longest` <= most * wide."""
    total = 0
    for t in range(min(numbers, most) + 1):
        left = longest - t * (wide + 1)
        if left < 0:
            break
        total += _sign(t) * (comb(numbers, t) << t) * _series(numbers - t, numbers + 1, left)
    return total


@lru_cache(maxsize=4096)
def _series_list(up: int, down: int, size: int) -> tuple[int, ...]:
    charge(size * (up + down) // 8)
    found = [1] + [0] * (size - 1)
    for _ in range(down):
        for i in range(1, size):
            found[i] += found[i - 1]
    for _ in range(up):
        for i in range(size - 1, 0, -1):
            found[i] += found[i - 1]
    return tuple(found)


def _series(up: int, down: int, place: int) -> int:
    """The coefficient of z^place in (1 + z)^up / (1 - z)^down."""
    return _series_list(up, down, 1 << place.bit_length())[place]


def one_way(block: Side, up: int, down: int) -> int:
    """Points whose positive parts take at most `up` steps and whose negative parts `down`."""
    if block.box:
        return raised(block.side(up + down), block.numbers)
    return sum(
        comb(block.numbers, r)
        * _positive(r, block.most, up * block.width)
        * _natural(block.numbers - r, block.most, down * block.width)
        for r in range(min(block.numbers, block.most * up * block.width) + 1)
    )


def one_way_moment(block: Side, up: int, down: int, power: int) -> int:
    """The sum of x_1^power over those of these points with x_1 > 0."""
    if block.box:
        ends = power_sum(block.offset + up * block.width, power)
        return raised(block.side(up + down), block.numbers - 1) * ends
    return sum(
        comb(block.numbers - 1, r)
        * _positive_moment(r, block.most, up * block.width, power)
        * _natural(block.numbers - 1 - r, block.most, down * block.width)
        for r in range(min(block.numbers - 1, block.most * up * block.width) + 1)
    )


@lru_cache(maxsize=1 << 16)
def _positive(numbers: int, most: int, wide: int, less: int = 0) -> int:
    """How many y have 1 <= y_i <= wide and a sum of at most most * wide - less."""
    charge(2 * (most + 1))
    left = (most * wide - less - t * wide for t in range(min(numbers, most) + 1))
    return sum(
        _sign(t) * comb(numbers, t) * comb(rest, numbers)
        for t, rest in enumerate(left)
        if rest >= 0
    )


@lru_cache(maxsize=1 << 16)
def _positive_moment(numbers: int, most: int, wide: int, power: int) -> int:
    """The sum of v^power over v = 1..wide and these y with a sum of at most most * wide - v."""
    return sum(raised(v, power) * _positive(numbers, most, wide, v) for v in range(1, wide + 1))


@lru_cache(maxsize=1 << 16)
def _natural(numbers: int, most: int, wide: int) -> int:
    """How many y have 0 <= y_i <= wide and a sum of at most most * wide."""
    charge(2 * (most + 1))
    total = 0
    for t in range(min(numbers, most) + 1):
        left = most * wide - t * (wide + 1)
        if left < 0:
            break
        total += _sign(t) * comb(numbers, t) * comb(left + numbers, numbers)
    return total
