"""Draw whole-number vectors x with P(x) ~ ratio^level(x), exactly.

First j with P(j) ~ ratio^j |L_j|, from finitely many weights and geometric numbers; then a uniform
point of L_j. Nothing is cut off. Statement and proof: `levels.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ..certify.levels import Levels, Side, forward_differences, one_way
from .discrete import DiscreteSampler
from .entropy import Entropy
from .geometric import GeometricSampler

Ints = NDArray[np.int64]


class LevelSampler:
    """Draws vectors with the law of `levels` at a ratio strictly between 0 and 1."""

    def __init__(self, levels: Levels, ratio: Fraction) -> None:
        self.levels = levels
        self._geometric = GeometricSampler(ratio)
        first = [levels.count(j) for j in range(levels.start)]
        differences = forward_differences(
            [levels.count(levels.start + j) for j in range(levels.dimension + 1)]
        )
        a, b = ratio.numerator, ratio.denominator
        c = b - a
        # ratio^j |L_j| for j below the start, and difference r times ratio^r / (1 - ratio)^(r + 1)
        # from there on, all times c^(dimension + 1) * b^start.
        top = len(differences)
        whole = c**top
        weights = [n * a**j * b ** (levels.start - j) * whole for j, n in enumerate(first)]
        weights += [
            n * a ** (levels.start + r) * b * c ** (top - r - 1) for r, n in enumerate(differences)
        ]
        self._choice = DiscreteSampler(weights)

    def sample_levels(self, size: int, entropy: Entropy) -> Ints:
        """So many j with P(j) ~ ratio^j |L_j|."""
        chosen = self._choice.sample(size, entropy)
        start = self.levels.start
        orders = np.where(chosen < start, -1, chosen - start)
        # Below the start the level is the choice; above, the order r and r + 1 geometric numbers.
        draws = self._geometric.sample(int((orders + 1).sum()), entropy)
        ends = np.cumsum(orders + 1)
        totals = np.concatenate([[0], np.cumsum(draws)])
        return np.asarray(chosen + totals[ends] - totals[ends - (orders + 1)])

    def sample(self, size: int, entropy: Entropy) -> Ints:
        """So many vectors, one in each row."""
        drawn = self.sample_levels(size, entropy)
        levels = self.levels
        if levels.overlap is None:
            if all(block.box for block in levels.blocks):
                return self._boxes(drawn, drawn, entropy)
            rows = [self._both_ways(int(j), entropy) for j in drawn]
            return np.array(rows, dtype=np.int64).reshape(size, levels.dimension)
        rows = [self._one_way(int(j), entropy) for j in drawn]
        return np.array(rows, dtype=np.int64).reshape(size, levels.dimension)

    def _boxes(self, up: Ints, down: Ints, entropy: Entropy) -> Ints:
        """A uniform point of the box of so many steps up and down, for each of them."""
        columns = []
        for block in self.levels.blocks:
            low = block.offset + down * block.width
            sides = (low + block.offset + up * block.width + 1).astype(np.uint64)
            for _ in range(block.numbers):
                columns.append(entropy.below_each(sides).astype(np.int64) - low)
        return np.stack(columns, axis=1)

    def _both_ways(self, level: int, entropy: Entropy) -> list[int]:
        found: list[int] = []
        for block in self.levels.blocks:
            wide = level * block.width
            if block.box:
                end = block.offset + wide
                found += [entropy.below(2 * end + 1) - end for _ in range(block.numbers)]
            else:
                sizes = _spread(block.numbers, 2, 0, wide, block.most * wide, entropy)
                found += [-v if v and entropy.bits(1) else v for v in sizes]
        return found

    def _one_way(self, level: int, entropy: Entropy) -> list[int]:
        """A uniform point of L_level: how many steps up it takes first, then within that."""
        levels = self.levels
        overlap = levels.overlap or 0
        if level <= overlap:
            return self._within(level, level, entropy)
        both = level + overlap
        # First all points of at most `overlap` steps up, then those of each further step.
        inside = [self._count(i, both - i) for i in range(overlap, level + 1)]
        fewer = [0, *(self._count(i - 1, both - i) for i in range(overlap + 1, level + 1))]
        place = entropy.below(sum(inside) - sum(fewer))
        up = overlap
        for n, less in zip(inside, fewer, strict=True):
            if place < n - less:
                break
            place -= n - less
            up += 1
        if up == overlap:
            return self._within(up, both - up, entropy)
        if all(block.box for block in levels.blocks):
            return self._at_the_top(up, both - up, entropy)
        while True:
            point = self._within(up, both - up, entropy)
            if self._steps_up(point) == up:
                return point

    def _count(self, up: int, down: int) -> int:
        return prod(one_way(block, up, down) for block in self.levels.blocks)

    def _within(self, up: int, down: int, entropy: Entropy) -> list[int]:
        """A uniform point of at most so many steps up and down."""
        found: list[int] = []
        for block in self.levels.blocks:
            if block.box:
                low = block.offset + down * block.width
                side = block.side(up + down)
                found += [entropy.below(side) - low for _ in range(block.numbers)]
            else:
                found += _sparse_point(block, up, down, entropy)
        return found

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
        found = []
        for n, (side, block) in enumerate(zip(sides, numbers, strict=True)):
            low = block.offset + down * block.width
            inner = side - block.width
            if n < first:
                found.append(entropy.below(inner) - low)
            elif n == first:
                found.append(inner + entropy.below(block.width) - low)
            else:
                found.append(entropy.below(side) - low)
        return found

    def _steps_up(self, point: Sequence[int]) -> int:
        steps, place = 0, 0
        for block in self.levels.blocks:
            own = [max(0, x) for x in point[place : place + block.numbers]]
            place += block.numbers
            steps = max(steps, -(-max(0, max(own) - block.offset) // block.width))
            if not block.box:
                steps = max(steps, -(-sum(own) // (block.most * block.width)))
        return steps


def _sparse_point(block: Side, up: int, down: int, entropy: Entropy) -> list[int]:
    """A uniform point whose positive parts take at most `up` steps, the negative ones `down`."""
    high, low, d = up * block.width, down * block.width, block.numbers
    counts = [
        comb(d, r)
        * _completions(r, 1, 1, high, block.most * high)
        * _completions(d - r, 1, 0, low, block.most * low)
        for r in range(d + 1)
    ]
    place = entropy.below(sum(counts))
    positive = 0
    while place >= counts[positive]:
        place -= counts[positive]
        positive += 1
    tops = _spread(positive, 1, 1, high, block.most * high, entropy)
    rest = _spread(d - positive, 1, 0, low, block.most * low, entropy)
    found = []
    for n in range(d):  # which numbers are positive: all subsets are equally likely
        if entropy.below(d - n) < len(tops):
            found.append(tops.pop())
        else:
            found.append(-rest.pop())
    return found


def _spread(
    numbers: int, signs: int, least: int, wide: int, longest: int, entropy: Entropy
) -> list[int]:
    """Numbers from `least` to `wide` with a sum of at most `longest`: each vector as likely as the
    number of its signs, `signs` for every number that is not 0.
    """
    found = []
    for left in range(numbers - 1, -1, -1):
        place = entropy.below(_completions(left + 1, signs, least, wide, longest))
        value = least
        while True:
            ways = (signs if value else 1) * _completions(left, signs, least, wide, longest - value)
            if place < ways:
                break
            place -= ways
            value += 1
        found.append(value)
        longest -= value
    return found


@lru_cache(maxsize=1 << 18)
def _completions(numbers: int, signs: int, least: int, wide: int, longest: int) -> int:
    """How many such vectors there are, with signs."""
    if longest < numbers * least or wide < least:
        return 1 if numbers == 0 and longest >= 0 else 0
    if signs == 2:
        # Choose which r numbers are not 0, their signs, and their sizes from 1 to wide.
        return sum(
            comb(numbers, r) * 2**r * _completions(r, 1, 1, wide, longest)
            for r in range(min(numbers, longest) + 1)
        )
    room, reach = longest - numbers * least, wide - least + 1
    total = 0
    for t in range(numbers + 1):
        left = room - t * reach
        if left < 0:
            break
        total += (-1) ** t * comb(numbers, t) * comb(left + numbers, numbers)
    return total
