"""NOT FOR RELEASE: draws of noise by levels in floats, for planning and for pictures.

A vector is uniform among those of at most i steps up and j steps down, where i and j are drawn
first (`../certify/noise/shapes/levels.proof.md`, 7). All draws are made at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..certify.noise.shapes.block_counts import BlockCounts, Side
from ..certify.noise.shapes.levels import Levels
from ..numeric import Floats, Ints
from ..sampling.geometric import GridOverflowError

#: Steps are drawn in at most so many runs of equal length, within which all are alike.
_RUNS = 300
#: Compositions are drawn as long as about so many of them are too wide.
_TOO_WIDE = 1.5


@dataclass(frozen=True)
class _Runs:
    """Runs of whole numbers, each looked at in its middle."""

    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, first: int, end: int, longest: int) -> _Runs:
        """From `first` to before `end`."""
        starts = np.arange(first, end, longest)
        return cls(starts, np.minimum(longest, end - starts))

    @property
    def middles(self) -> Ints:
        """One number of each."""
        return np.asarray(self.starts + (self.lengths - 1) // 2)


class LevelDraws:
    """Draws x with P(x) ~ e^(-epsilon level(x)), up to the rounding of floats.

    top: a level that is hardly ever reached.
    """

    def __init__(self, levels: Levels, epsilon: float, top: int) -> None:
        if max(b.offset + top * b.width for b in levels.blocks) >= 1 << 61:
            raise GridOverflowError("a draw does not fit 64 bits")
        longest = -(-top // _RUNS) | 1  # odd: it has a middle
        both_ways = levels.overlap is None
        alike = _Runs.of(0, top if both_ways else levels.start, longest)
        apart = _Runs.of(levels.start, levels.start if both_ways else top, longest)
        self._tables = [_Table(b, alike, apart, both_ways) for b in levels.blocks]
        first = np.log(alike.lengths) - epsilon * alike.middles
        one = np.log(apart.lengths) - epsilon * (apart.middles - levels.start / 2)
        rest = one[:, None] + one + math.log(-math.expm1(-epsilon))
        logs = np.concatenate([first, rest.ravel()])
        for table in self._tables:
            logs += table.points
        self._ends = np.cumsum(np.exp(logs - logs.max()))
        self._alike, self._apart = alike, apart

    def draw(self, size: int, seed: int) -> Floats:
        """So many vectors, one in each row."""
        random = np.random.default_rng(seed)
        places = random.random(size) * self._ends[-1]
        chosen = np.minimum(np.searchsorted(self._ends, places, "right"), len(self._ends) - 1)
        many, side = len(self._alike.starts), max(1, len(self._apart.starts))
        same = chosen < many
        up, down = (
            np.where(same, chosen, many + np.maximum(chosen - many, 0) // side),
            np.where(same, chosen, many + np.maximum(chosen - many, 0) % side),
        )
        starts, lengths = (
            np.concatenate([getattr(runs, name) for runs in (self._alike, self._apart)])
            for name in ("starts", "lengths")
        )
        parts = random.random((2, size))
        parts[1, same] = parts[0, same]
        ups = starts[up] + (parts[0] * lengths[up]).astype(np.int64)
        downs = starts[down] + (parts[1] * lengths[down]).astype(np.int64)
        drawn = [table.draw(up, down, ups, downs, random).astype(float) for table in self._tables]
        return np.concatenate(drawn, axis=1)


class _Table:
    """One block: how many points it has within so many steps, and uniform ones among them."""

    def __init__(self, block: Side, alike: _Runs, apart: _Runs, both_ways: bool) -> None:
        self.block, self.both_ways = block, both_ways
        same, rest = alike.middles, apart.middles
        if block.box:
            sides = np.concatenate([(2 * same)[:, None].ravel(), np.add.outer(rest, rest).ravel()])
            self.points = block.numbers * np.log(2.0 * block.offset + sides * block.width + 1)
            return
        steps = [int(middle) for middle in (*same, *rest)]
        # By how many numbers are positive: sizes of these, and of the others.
        self._up = np.array([_log_sizes(block, one) for one in steps])
        self._down = np.zeros_like(self._up)
        if both_ways:
            self._up += math.log(2) * np.arange(block.numbers + 1)
        else:
            self._down = np.array([_log_others(block, one) for one in steps])
            # Both of about the same size, so that floats hold what is likely.
            up, down = self._up[len(steps) // 2], self._down[len(steps) // 2]
            last = np.flatnonzero(np.isfinite(up)).max()
            tilt = ((down - up) / 2)[np.minimum(np.arange(block.numbers + 1), last)]
            self._up, self._down = self._up + tilt, self._down - tilt
        many = len(same)
        first = _log_sum(self._up[:many] + self._down[:many])
        up, down = self._up[many:], self._down[many:]
        highest = [part.max(axis=1, keepdims=True) for part in (up, down)]
        with np.errstate(divide="ignore"):
            pairs = np.log(np.exp(up - highest[0]) @ np.exp(down - highest[1]).T)
        pairs += highest[0] + highest[1].T
        self.points = np.concatenate([first, pairs.ravel()])

    def draw(
        self, up: Ints, down: Ints, ups: Ints, downs: Ints, random: np.random.Generator
    ) -> Ints:
        """Uniform points of at most so many steps; up, down: their places in the table."""
        block, width = self.block, self.block.width
        if block.box:
            low, side = block.offset + downs * width, 2 * block.offset + (ups + downs) * width + 1
            drawn = random.random((len(ups), block.numbers)) * side[:, None]
            return np.floor(drawn).astype(np.int64) - low[:, None]
        ways = self._up[up] + self._down[down]
        ends = np.exp(ways - ways.max(axis=1, keepdims=True)).cumsum(axis=1)
        places = random.random((len(up), 1)) * ends[:, -1:]
        positive = np.minimum((ends <= places).sum(axis=1), block.numbers)
        high, most = ups * width, block.most
        sizes = _spread(positive, high - 1, most * high - positive, block.numbers, random) + 1
        if self.both_ways:
            signed, others = sizes * random.choice([-1, 1], sizes.shape), np.zeros_like(sizes)
        else:
            low, rest = downs * width, block.numbers - positive
            signed, others = sizes, -_spread(rest, low, most * low, block.numbers, random)[:, ::-1]
        chosen = np.arange(block.numbers) < positive[:, None]
        return np.asarray(random.permuted(np.where(chosen, signed, others), axis=1))


def _spread(
    numbers: Ints, wide: Ints, longest: Ints, columns: int, random: np.random.Generator
) -> Ints:
    """In each row so many numbers from 0 to `wide` with a sum of at most `longest`, uniformly.

    They are in the first of the columns; in the others is 0.
    """
    drawn = np.zeros((len(numbers), columns), dtype=np.int64)
    left = np.flatnonzero((numbers > 0) & (wide > 0))
    # Of a composition of `longest`, how many parts are expected to be too wide.
    part = np.maximum(0.0, 1 - (wide + 1) / (longest + 1.0))
    composed = numbers * part**numbers < _TOO_WIDE
    rates = _rates(numbers, np.where(composed, 0, wide), longest)
    while left.size:
        active = np.arange(columns) < numbers[left][:, None]
        tried = np.empty((left.size, columns), dtype=np.int64)
        for own, fill in ((composed[left], _compositions), (~composed[left], _geometric)):
            rows = left[own]
            tried[own] = fill(active[own], wide[rows], longest[rows], rates[rows], random)
        # Compositions are alike. What is geometric is less likely with each step of its sum.
        spare = longest[left] - tried.sum(axis=1)
        kept = (spare >= 0) & (rates[left] * spare <= random.exponential(size=left.size))
        good = (tried.max(axis=1) <= wide[left]) & (kept | composed[left])
        drawn[left[good]] = tried[good]
        left = left[~good]
    return drawn


def _compositions(
    active: Ints, wide: Ints, longest: Ints, rates: Floats, random: np.random.Generator
) -> Ints:
    """Uniform among all numbers >= 0 with a sum of at most `longest`."""
    shares = random.exponential(size=(len(active), active.shape[1] + 1))
    shares[:, :-1] *= active
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(random.multinomial(longest, shares)[:, :-1])


def _geometric(
    active: Ints, wide: Ints, longest: Ints, rates: Floats, random: np.random.Generator
) -> Ints:
    """From 0 to `wide`, each by its rate less likely with each step."""
    rate, sides = rates[:, None], wide[:, None] + 1.0
    drawn = random.random(active.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        tilted = -np.log1p(drawn * np.expm1(-rate * sides)) / rate
    steps = np.minimum(np.where(rate == 0, drawn * sides, tilted), wide[:, None])
    return np.where(active, np.floor(steps).astype(np.int64), 0)


def _rates(numbers: Ints, wide: Ints, longest: Ints) -> Floats:
    """Rates at which numbers from 0 to `wide` have about the sum `longest`; 0 where it is less."""
    rates, mean = np.zeros(len(numbers)), longest / (numbers + 1.0)
    steep = np.flatnonzero(mean < wide / 2)
    mean, sides = mean[steep], wide[steep] + 1.0
    low, high = np.zeros(len(steep)), 1 / np.maximum(mean, 1e-9) + 1
    for _ in range(40):
        rate = (low + high) / 2
        with np.errstate(over="ignore"):
            reached = 1 / np.expm1(rate) - sides / np.expm1(rate * sides)
        low, high = np.where(reached > mean, rate, low), np.where(reached > mean, high, rate)
    rates[steep] = high
    return rates


@lru_cache(maxsize=4_096)
def _log_sizes(block: Side, steps: int) -> Floats:
    """For each number r the logarithm of how many sizes r of the numbers have that are not 0."""
    counts, n, wide = _counts_of(block), block.numbers, steps * block.width
    return np.array([_log(math.comb(n, r) * counts.positive(r, wide)) for r in range(n + 1)])


@lru_cache(maxsize=4_096)
def _log_others(block: Side, steps: int) -> Floats:
    """For each number r that of how many sizes all but r numbers have, 0 among them."""
    counts, n, wide = _counts_of(block), block.numbers, steps * block.width
    return np.array([_log(counts.natural(n - r, wide)) for r in range(n + 1)])


@lru_cache(maxsize=16)
def _counts_of(block: Side) -> BlockCounts:
    return BlockCounts(block)


def _log(count: int) -> float:
    return math.log(count) if count > 0 else -math.inf


def _log_sum(rows: Floats) -> Floats:
    highest = rows.max(axis=1, keepdims=True, initial=-math.inf)
    return np.asarray(np.log(np.exp(rows - highest).sum(axis=1)) + highest[:, 0])
