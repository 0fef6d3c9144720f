"""How many whole-number vectors of one block lie within so many steps, counted exactly.

What is counted and why the formulas are right: sections 3 and 4 of `levels.proof.md`. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from ....work import charge


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


class BlockCounts:
    """Counts of one block. What is known is kept as long as this object is, and no longer, so that
    the work charged depends on what is asked alone.
    """

    def __init__(self, block: Side) -> None:
        self.block = block
        self._rows: dict[int, list[int]] = {}
        self._positive: dict[tuple[int, int], int] = {}
        self._natural: dict[tuple[int, int], int] = {}
        self._moment: dict[tuple[int, int, int], int] = {}
        self._one_way: dict[tuple[int, int], int] = {}

    def both_ways(self, level: int) -> int:
        """Points with |x_i| <= w = level * width and, unless it is a box, sum |x_i| <= most * w."""
        block = self.block
        if block.box:
            return raised(block.side(2 * level), block.numbers)
        return sum(
            (comb(block.numbers, r) << r) * self.positive(r, level * block.width)
            for r in range(block.numbers + 1)
        )

    def both_ways_moment(self, level: int, power: int) -> int:
        """The sum of |x_1|^power over these points."""
        block = self.block
        if block.box:
            ends = 2 * power_sum(block.offset + level * block.width, power)
            return raised(block.side(2 * level), block.numbers - 1) * ends
        return 2 * sum(
            (comb(block.numbers - 1, r) << r) * self.moment(r, level * block.width, power)
            for r in range(block.numbers)
        )

    def one_way(self, up: int, down: int) -> int:
        """Points whose positive parts take at most `up` steps and whose negative parts `down`."""
        block, n = self.block, self.block.numbers
        if block.box:
            return raised(block.side(up + down), n)
        known = self._one_way.get((up, down))
        if known is None:
            charge((n + 1) * (2 + n // 50))
            high, low = up * block.width, down * block.width
            known = self._one_way[up, down] = sum(
                comb(n, r) * self.positive(r, high) * self.natural(n - r, low) for r in range(n + 1)
            )
        return known

    def one_way_moment(self, up: int, down: int, power: int) -> int:
        """The sum of x_1^power over those of these points with x_1 > 0."""
        block, n = self.block, self.block.numbers
        if block.box:
            ends = power_sum(block.offset + up * block.width, power)
            return raised(block.side(up + down), n - 1) * ends
        charge(n * (2 + n // 50))
        high, low = up * block.width, down * block.width
        return sum(
            comb(n - 1, r) * self.moment(r, high, power) * self.natural(n - 1 - r, low)
            for r in range(n)
        )

    def positive(self, numbers: int, wide: int) -> int:
        """How many y of so many numbers have 1 <= y_i <= wide and a sum of at most most * wide."""
        known = self._positive.get((numbers, wide))
        if known is None:
            most = self.block.most
            known = self._positive[numbers, wide] = sum(
                _sign(t) * comb(numbers, t) * self._row((most - t) * wide)[numbers]
                for t in range(self._terms(numbers) + 1)
            )
        return known

    def natural(self, numbers: int, wide: int) -> int:
        """How many y of so many numbers have 0 <= y_i <= wide and a sum of at most most * wide."""
        known = self._natural.get((numbers, wide))
        if known is None:
            self._terms(numbers, 2 + numbers // 8)
            most = self.block.most
            known = self._natural[numbers, wide] = naturals(numbers, wide, most * wide)
        return known

    def moment(self, numbers: int, wide: int, power: int) -> int:
        """The sum of v^power over v = 1..wide and all y of so many numbers with 1 <= y_i <= wide
        and a sum of at most most * wide - v.
        """
        known = self._moment.get((numbers, wide, power))
        if known is None:
            known = self._moment[numbers, wide, power] = sum(
                _sign(t)
                * comb(numbers, t)
                * self._weighted((self.block.most - t) * wide, wide, numbers, power)
                for t in range(self._terms(numbers, 4) + 1)
            )
        return known

    def _weighted(self, left: int, wide: int, numbers: int, power: int) -> int:
        """The sum over v = 1..wide, v <= left, of v^power * comb(left - v, numbers)."""
        most = left - wide  # what is left at v = wide + u, u >= 1, is most - u
        zeroth, first = (self._ordered(most, numbers, order) for order in (0, 1))
        if power == 1:
            return self._ordered(left, numbers, 1) - wide * zeroth - first
        beyond = wide * wide * zeroth + 2 * wide * first + self._squares(most, numbers)
        return self._squares(left, numbers) - beyond

    def _squares(self, left: int, numbers: int) -> int:
        return 2 * self._ordered(left, numbers, 2) + self._ordered(left, numbers, 1)

    def _ordered(self, left: int, numbers: int, order: int) -> int:
        """The sum over v = 1..left of comb(v, order) * comb(left - v, numbers)."""
        if left <= 0:
            return 0
        return self._row(left + 1 if order else left)[numbers + order + 1]

    def _row(self, top: int) -> list[int]:
        """comb(top, r) for all r that are needed."""
        row = self._rows.get(top)
        if row is None:
            size = self.block.numbers + 4
            charge(size * (2 + size // 100))
            row = [1]
            for r in range(1, size):
                row.append(row[-1] * (top - r + 1) // r)
            self._rows[top] = row
        return row

    def _terms(self, numbers: int, cost: int = 1) -> int:
        """Of how many terms such a count is a sum, each charged."""
        terms = min(numbers, self.block.most)
        charge((terms + 1) * (cost + self.block.numbers // 100))
        return terms


def positives(numbers: int, wide: int, longest: int) -> int:
    """How many y have 1 <= y_i <= wide and a sum of at most `longest`: one less is natural."""
    return naturals(numbers, wide - 1, longest - numbers)


def naturals(numbers: int, wide: int, longest: int) -> int:
    """How many y have 0 <= y_i <= wide and a sum of at most `longest`."""
    total = 0
    for t in range(numbers + 1):
        left = longest - t * (wide + 1)
        if left < 0:
            break
        total += _sign(t) * comb(numbers, t) * comb(left + numbers, numbers)
    return total


def positives_upto(others: int, wide: int, longest: int, most: int) -> int:
    """How many (v, y) have 1 <= v <= most, y of so many other numbers from 1 to wide, and a sum of
    at most `longest`: the sum of positives(others, wide, longest - v) over v.
    """
    return naturals_upto(others, wide - 1, longest - others - 1, most - 1)


def naturals_upto(others: int, wide: int, longest: int, most: int) -> int:
    """The same with 0 <= v <= most and y from 0 to wide."""
    total = 0
    for t in range(others + 1):
        left = longest - t * (wide + 1)
        if left < 0:
            break
        ways = comb(left + others + 1, others + 1)
        ways -= comb(max(0, left - most) + others, others + 1)
        total += _sign(t) * comb(others, t) * ways
    return total


def raised(base: int, exponent: int) -> int:
    """base^exponent for whole exponents >= 0."""
    power: int = base**exponent
    return power


def power_sum(n: int, power: int) -> int:
    """1^power + ... + n^power for power 1 or 2."""
    return n * (n + 1) // 2 if power == 1 else n * (n + 1) * (2 * n + 1) // 6


def _sign(t: int) -> int:
    return -1 if t % 2 else 1
