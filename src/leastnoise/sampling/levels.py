"""Draw whole-number vectors x with P(x) ~ ratio^level(x), exactly.

First j with P(j) ~ ratio^j |L_j|, from finitely many weights and geometric numbers; then a uniform
point of L_j. Nothing is cut off. Statement and proof: `levels.proof.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb, prod

import numpy as np

from ..certify.noise.shapes.block_counts import naturals, naturals_upto, positives, positives_upto
from ..certify.noise.shapes.levels import Levels, forward_differences
from ..numeric import Ints
from .discrete import DiscreteSampler
from .entropy import Entropy
from .geometric import GeometricSampler, GridOverflowError

#: Sets of places are drawn where so many of them are enough on average.
_TRIES = 4


class CountSampler:
    """Draws j with P(j) ~ ratio^j n_j: `first` are n_0, n_1, ..., and from then on n_j is the
    polynomial through `later`, whose differences must not be negative.
    """

    def __init__(self, first: Sequence[int], later: Sequence[int], ratio: Fraction) -> None:
        self._start, self._order = len(first), len(later)
        self._geometric = GeometricSampler(ratio)
        differences = forward_differences(list(later))
        a, b = ratio.numerator, ratio.denominator
        c = b - a
        # ratio^j n_j for j below the start, and difference r times ratio^r / (1 - ratio)^(r + 1)
        # from there on, all times c^(order) * b^start: from one to the next by one factor.
        scale = b**self._start * c**self._order
        weights = []
        for n in first:
            weights.append(n * scale)
            scale = scale // b * a
        scale = scale // c * b
        for n in differences:
            weights.append(n * scale)
            scale = scale // c * a
        self._choice = DiscreteSampler(weights)

    def sample(self, size: int, entropy: Entropy) -> Ints:
        """So many draws; `GridOverflowError` if 64 bits are too few."""
        chosen = self._choice.sample(size, entropy)
        start = self._start
        # Below the start the level is the choice; above, the order r and r + 1 geometric numbers.
        numbers = np.where(chosen < start, 0, chosen - start + 1)
        draws = self._geometric.sample(int(numbers.sum()), entropy)
        if draws.size and int(draws.max()) > (1 << 62) // self._order:
            raise GridOverflowError("a level does not fit 64 bits")
        # (The running total may wrap around; differences of it do not.)
        totals, ends = np.concatenate([[0], np.cumsum(draws)]), np.cumsum(numbers)
        return np.asarray(chosen + totals[ends] - totals[ends - numbers])

    def sample_one(self, entropy: Entropy) -> int:
        """One draw, of any size."""
        chosen = self._choice.sample_one(entropy)
        order = chosen - self._start
        return chosen + sum(self._geometric.sample_one(entropy) for _ in range(order + 1))


def stair_sampler(dimension: int, first: Fraction, ratio: Fraction) -> CountSampler:
    """Draws j with P(j) ~ ratio^j (first + j)^dimension, for first >= 0."""
    a, b = first.numerator, first.denominator
    return CountSampler((), [(a + b * j) ** dimension for j in range(dimension + 1)], ratio)


class LevelSampler:
    """Draws vectors with the law of `levels` at a ratio strictly between 0 and 1."""

    def __init__(self, levels: Levels, ratio: Fraction) -> None:
        self.levels = levels
        start = levels.start
        first = [levels.count(j) for j in range(start)]
        later = [levels.count(start + j) for j in range(levels.dimension + 1)]
        self._level = CountSampler(first, later, ratio)

    def sample(self, size: int, entropy: Entropy) -> Ints:
        """So many vectors, one in each row; `GridOverflowError` if 64 bits are too few."""
        drawn = self._level.sample(size, entropy)
        furthest = max(drawn.tolist(), default=0)
        if any(b.offset + furthest * b.width >= 1 << 61 for b in self.levels.blocks):
            raise GridOverflowError("a draw does not fit 64 bits")
        if self.levels.overlap is None and self.levels.boxes:
            return self._boxes(drawn, entropy)
        rows = [self._point(int(j), entropy) for j in drawn]
        return np.array(rows, dtype=np.int64).reshape(size, self.levels.dimension)

    def sample_one(self, entropy: Entropy) -> list[int]:
        """One vector, however large its numbers are."""
        return self._point(self._level.sample_one(entropy), entropy)

    def _point(self, level: int, entropy: Entropy) -> list[int]:
        """A uniform point of L_level."""
        if self.levels.overlap is None:
            return self._both_ways(level, entropy)
        return self._one_way(level, entropy)

    def _boxes(self, drawn: Ints, entropy: Entropy) -> Ints:
        """A uniform point of the box of each level."""
        columns = []
        for block in self.levels.blocks:
            ends = block.offset + drawn * block.width
            sides = (2 * ends + 1).astype(np.uint64)
            for _ in range(block.numbers):
                columns.append(entropy.below_each(sides).astype(np.int64) - ends)
        return np.stack(columns, axis=1)

    def _both_ways(self, level: int, entropy: Entropy) -> list[int]:
        point: list[int] = []
        for counts in self.levels.counts:
            block, wide = counts.block, level * counts.block.width
            if block.box:
                end = block.offset + wide
                point += [entropy.below(2 * end + 1) - end for _ in range(block.numbers)]
                continue
            d = block.numbers
            others = _chosen(
                [(comb(d, r) << r) * counts.positive(r, wide) for r in range(d + 1)], entropy
            )
            sizes = _spread(others, 1, wide, block.most * wide, entropy)
            signed = [-v if entropy.bits(1) else v for v in sizes]
            point += _placed(d, signed, [0] * (d - others), entropy)
        return point

    def _one_way(self, level: int, entropy: Entropy) -> list[int]:
        """A uniform point of L_level: how many steps up it takes first, then within that."""
        overlap = self.levels.overlap or 0
        if level <= overlap:
            return self._within(level, level, entropy)
        both = level + overlap
        # First all points of at most `overlap` steps up, then those of each further step.
        up = overlap + self._further(level - overlap, both, entropy)
        if up == overlap:
            return self._within(up, both - up, entropy)
        if self.levels.boxes:
            return self._at_the_top(up, both - up, entropy)
        ways = self._ways(up, both - up)
        while True:
            point = self._within(up, both - up, entropy, ways)
            if self._steps_up(point) == up:
                return point

    def _further(self, most: int, both: int, entropy: Entropy) -> int:
        """How many steps up beyond the overlap, from 0 to `most`, by their numbers of points."""
        levels, overlap = self.levels, self.levels.start
        if levels.boxes:  # every further step adds as many points
            first = levels.within(overlap, both - overlap)
            more = first - levels.within(overlap, both - overlap - 1)
            place = entropy.below(first + most * more)
            return 0 if place < first else 1 + (place - first) // more
        # What a further step adds is a polynomial of the step: its differences give all sums.
        differences = forward_differences(
            [
                levels.within(i, both - i) - levels.within(i - 1, both - i)
                for i in range(overlap + 1, overlap + 1 + min(most, levels.dimension))
            ]
        )
        first = levels.within(overlap, both - overlap)

        def upto(further: int) -> int:
            added = (n * comb(further, r) for r, n in enumerate(differences, start=1))
            return first + sum(added)

        return bisect_right(range(most), entropy.below(upto(most)), key=upto)

    def _ways(self, up: int, down: int) -> list[list[int]]:
        """The points of each block by how many numbers are positive, unless it is a box."""
        return [
            []
            if counts.block.box
            else [
                comb(counts.block.numbers, r)
                * counts.positive(r, up * counts.block.width)
                * counts.natural(counts.block.numbers - r, down * counts.block.width)
                for r in range(counts.block.numbers + 1)
            ]
            for counts in self.levels.counts
        ]

    def _within(
        self, up: int, down: int, entropy: Entropy, ways: list[list[int]] | None = None
    ) -> list[int]:
        """A uniform point of at most so many steps up and down."""
        point: list[int] = []
        ways = ways or self._ways(up, down)
        for counts, by_positive in zip(self.levels.counts, ways, strict=True):
            block, d = counts.block, counts.block.numbers
            high, low = up * block.width, down * block.width
            if block.box:
                side = block.side(up + down)
                point += [entropy.below(side) - block.offset - low for _ in range(d)]
                continue
            positive = _chosen(by_positive, entropy)
            tops = _spread(positive, 1, high, block.most * high, entropy)
            rest = _spread(d - positive, 0, low, block.most * low, entropy)
            point += _placed(d, tops, [-v for v in rest], entropy)
        return point

    def _at_the_top(self, up: int, down: int, entropy: Entropy) -> list[int]:
        """A uniform point of a box of which some number takes `up` steps, `up` > 0.

        The first such number is chosen by how many points it has; those before it take fewer.
        """
        numbers = [block for block in self.levels.blocks for _ in range(block.numbers)]
        sides = [block.side(up + down) for block in numbers]
        after = prod(sides)
        fewer = prod(side - block.width for side, block in zip(sides, numbers, strict=True))
        before, first, place = 1, 0, entropy.below(after - fewer)
        for side, block in zip(sides, numbers, strict=True):
            after //= side
            points = before * block.width * after
            if place < points:
                break
            place -= points
            before *= side - block.width
            first += 1
        point = []
        for n, (side, block) in enumerate(zip(sides, numbers, strict=True)):
            low = block.offset + down * block.width
            inner = side - block.width
            if n < first:
                point.append(entropy.below(inner) - low)
            elif n == first:
                point.append(inner + entropy.below(block.width) - low)
            else:
                point.append(entropy.below(side) - low)
        return point

    def _steps_up(self, point: Sequence[int]) -> int:
        steps, place = 0, 0
        for block in self.levels.blocks:
            inside = [max(0, x) for x in point[place : place + block.numbers]]
            place += block.numbers
            steps = max(steps, -(-max(0, max(inside) - block.offset) // block.width))
            if not block.box:
                steps = max(steps, -(-sum(inside) // (block.most * block.width)))
        return steps


def _chosen(ways: list[int], entropy: Entropy) -> int:
    """An index, as likely as its number of ways."""
    place, index = entropy.below(sum(ways)), 0
    while place >= ways[index]:
        place -= ways[index]
        index += 1
    return index


def _placed(places: int, some: list[int], others: list[int], entropy: Entropy) -> list[int]:
    """`some` and `others` in so many places, each in its order: all ways are equally likely."""
    placed = []
    for left in range(places, 0, -1):
        placed.append((some if entropy.below(left) < len(some) else others).pop())
    return placed


def _spread(numbers: int, least: int, wide: int, longest: int, entropy: Entropy) -> list[int]:
    """Numbers from `least` (0 or 1) to `wide` with a sum of at most `longest`, uniformly."""
    # Without the bound `wide` they are the gaps of a set of places; often it holds by itself.
    places = longest if least else longest + numbers
    count = positives if least else naturals
    if comb(places, numbers) <= _TRIES * count(numbers, wide, longest):
        while True:
            ends = [0, *sorted(_subset(numbers, places, entropy))]
            sizes = [b - a - 1 + least for a, b in pairwise(ends)]
            if max(sizes, default=0) <= wide:
                return sizes
    return _one_by_one(numbers, least, wide, longest, entropy)


def _subset(size: int, places: int, entropy: Entropy) -> set[int]:
    """A set of so many of the numbers 1..places, all alike (Floyd)."""
    subset: set[int] = set()
    for last in range(places - size + 1, places + 1):
        drawn = 1 + entropy.below(last)
        subset.add(last if drawn in subset else drawn)
    return subset


def _one_by_one(numbers: int, least: int, wide: int, longest: int, entropy: Entropy) -> list[int]:
    """The same, each by the number of ways to complete it."""
    upto = positives_upto if least else naturals_upto
    values: list[int] = []
    for left in range(numbers - 1, -1, -1):
        ways = partial(upto, left, wide, longest)
        place = entropy.below(ways(wide))
        # The least value with more than `place` ways up to it.
        value = least + bisect_right(range(least, wide), place, key=ways)
        values.append(value)
        longest -= value
    return values
