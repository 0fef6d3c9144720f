"""Whole-number noise for several numbers at once: P(x) ~ ratio^level(x), counted exactly.

level(x) is how many moves of a unit it takes to get to x from the inner box. What is counted, and
why the sums are exact: `levels.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import prod

from ....work import arithmetic, bits, charge, once
from .block_counts import BlockCounts, Side, power_sum, raised


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

    @property
    def boxes(self) -> bool:
        """Whether in every block all numbers may move to the full at once."""
        return all(block.box for block in self.blocks)

    @cached_property
    def counts(self) -> tuple[BlockCounts, ...]:
        """What is counted of each block; the same for blocks that are alike."""
        known = {block: BlockCounts(block) for block in dict.fromkeys(self.blocks)}
        return tuple(known[block] for block in self.blocks)

    def alike(self, shares: Sequence[Fraction]) -> dict[int, Fraction]:
        """The shares of blocks, those of blocks that are alike added up, by the first of them."""
        first: dict[Side, int] = {}
        totals: dict[int, Fraction] = {}
        for b, (block, share) in enumerate(zip(self.blocks, shares, strict=True)):
            representative = first.setdefault(block, b)
            totals[representative] = totals.get(representative, Fraction(0)) + share
        return totals

    def count(self, level: int) -> int:
        """The number of points of L_level."""
        charge(2 * len(self.blocks))
        if self.overlap is None:
            return prod(counts.both_ways(level) for counts in self.counts)
        if self.boxes:
            if level < self.overlap:
                return self._sides(2 * level)
            up = level - self.overlap
            return (up + 1) * self._sides(level + self.overlap) - up * self._sides(
                level + self.overlap - 1
            )
        return self._union(level, self.within)

    def within(self, up: int, down: int) -> int:
        """The number of points of at most so many steps up and down."""
        charge(2 * len(self.blocks))
        return prod(counts.one_way(up, down) for counts in self.counts)

    def moment(self, level: int, block: int, power: int) -> int:
        """The sum over L_level of |x|^power of one number of a block; power 1 or 2."""
        charge(4 * len(self.blocks))
        counts_of_block = self.counts[block]
        others = [counts for b, counts in enumerate(self.counts) if b != block]
        if self.overlap is None:
            return counts_of_block.both_ways_moment(level, power) * prod(
                counts.both_ways(level) for counts in others
            )
        if self.boxes:
            return self._box_moment(level, block, power)

        # L_level is its own mirror image: twice what the number adds where it is positive.
        def inside(up: int, down: int) -> int:
            charge(2 * len(self.blocks))
            return counts_of_block.one_way_moment(up, down, power) * prod(
                b.one_way(up, down) for b in others
            )

        return 2 * self._union(level, inside)

    def _box_moment(self, level: int, block: int, power: int) -> int:
        overlap, moved_block = self.overlap or 0, self.blocks[block]

        def rest(steps: int) -> int:
            others = (b.numbers - (other == block) for other, b in enumerate(self.blocks))
            sides = (b.side(steps) for b in self.blocks)
            return prod(raised(side, n) for side, n in zip(sides, others, strict=True))

        if level < overlap:
            return (
                2
                * rest(2 * level)
                * power_sum(moved_block.offset + level * moved_block.width, power)
            )
        ends = [
            power_sum(moved_block.offset + i * moved_block.width, power)
            for i in range(overlap, level + 1)
        ]
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
        return summed(*_counted(self), ratio)

    def total(self, ratio: Fraction, block: int, power: int) -> Fraction:
        """The same with |x|^power of one number of a block: E |x|^power times the weight."""
        return summed(*_moments(self, block, power), ratio)


#: The values of a function of the level below some level, and its differences there.
Series = tuple[list[int], list[int]]


def series(values: Callable[[int], int], start: int, degree: int) -> Series:
    """What says all values: from `start` on they are a polynomial of at most this degree."""
    first = [values(j) for j in range(start)]
    return first, forward_differences([values(start + j) for j in range(degree + 1)])


def _counted_now(levels: Levels) -> Series:
    return series(levels.count, levels.start, levels.dimension)


def _moments_now(levels: Levels, block: int, power: int) -> Series:
    def moment(level: int) -> int:
        return levels.moment(level, block, power)

    return series(moment, levels.start, levels.dimension + power)


#: Counts do not depend on the ratio, which a search for a budget changes.
_counted, _moments = once(_counted_now, 32), once(_moments_now, 32)


def summed(first: list[int], differences: list[int], ratio: Fraction) -> Fraction:
    """The sum of values(j) ratio^j over all j >= 0, exactly.

    The differences of higher order vanish: sum values(start + j) ratio^j = sum over r of the r-th
    difference at `start` times ratio^r / (1 - ratio)^(r + 1).
    """
    start, degree = len(first), len(differences) - 1
    length = (start + degree + 1) * bits(ratio)
    charge((start + degree + 1) * (4 + degree // 8 + length // 3_000) + 4 * arithmetic(length))
    a, b = ratio.as_integer_ratio()
    c = b - a
    # With ratio = a/b and 1 - ratio = c/b the term r is difference * b * a^r / c^(r + 1).
    total, power = 0, 1
    for difference in reversed(differences):  # Horner's rule, over c^(degree + 1)
        total = total * a + difference * power
        power *= c
    head, scale = 0, 1
    for value in reversed(first):  # the same for the terms below the start, over b^(start - 1)
        head = head * a + value * scale
        scale *= b
    return Fraction(head * b * power + a**start * total * b, scale * power)


def forward_differences(values: list[int]) -> list[int]:
    """The differences of order 0, 1, 2, ... at the first place."""
    longest = max(map(int.bit_length, values), default=0)
    charge(len(values) ** 2 * (2 + longest // 2_000) // 12)
    differences = []
    row = list(values)
    while row:
        differences.append(row[0])
        row = [b - a for a, b in pairwise(row)]
    return differences
