"""Which levels cost least: offsets and overlap, found in floats.

A proposal only: whatever is chosen is private by `certify/noise/shapes/levels.proof.md`, and what
it costs is counted exactly afterwards.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...certify.noise.shapes.block_counts import Side
from ...certify.noise.shapes.levels import Levels
from ...numeric import Floats


@dataclass(frozen=True)
class LevelSettings:
    """Numbers of the search for levels.

    Found by trial with `benchmarks/joint.py`.
    """

    #: The largest overlap and offset that are tried: beyond, the exact sums take too long.
    most_overlap: int = 2_000
    most_offset: int = 1_000_000
    #: Offsets are first tried at so many places of a width, each followed by smaller steps.
    places: int = 8


SETTINGS = LevelSettings()


def box_loss(levels: Levels, epsilon: float, power: int, shares: Sequence[float]) -> float:
    """The mean of E |x|^power, for blocks that are boxes; each block has its share of it."""
    overlap = levels.overlap
    size = levels.dimension
    top = (size + 60 + 12 * math.sqrt(size)) / epsilon + (overlap or 0)
    top += max(2 * block.offset / block.width for block in levels.blocks)
    j = np.arange(int(top) + 20, dtype=float)
    steps = 2 * j if overlap is None else np.where(j < overlap, 2 * j, j + overlap)
    sides = [2 * b.offset + steps * b.width + 1 for b in levels.blocks]
    logs = sum(b.numbers * np.log(side) for b, side in zip(levels.blocks, sides, strict=True))
    if overlap is None:
        fewer, above = np.zeros_like(j), np.zeros_like(j)
    else:
        above = np.maximum(j - overlap, 0.0)
        # The number of points of one step less, as a part of this number.
        shorter = [side - b.width for b, side in zip(levels.blocks, sides, strict=True)]
        fewer = np.exp(
            sum(
                b.numbers * (np.log(np.maximum(less, 0.5)) - np.log(side))
                for b, less, side in zip(levels.blocks, shorter, sides, strict=True)
            )
        )
    weights = logs - epsilon * j
    weights = np.exp(weights - weights.max())
    count = weights @ (1 + above * (1 - fewer))
    total = 0.0
    for block, side, share in zip(levels.blocks, sides, shares, strict=True):
        ends = _power_sums(block.offset + j * block.width, power)
        if overlap is None:
            each = 2 * ends / side
        else:
            last = np.where(j < overlap, ends, np.cumsum(np.where(j < overlap, 0.0, ends)))
            before = np.where(j > overlap, np.concatenate([[0.0], last[:-1]]), 0.0)
            each = 2 * (last / side - fewer * before / np.maximum(side - block.width, 1.0))
        total += share * float(weights @ each)
    return total / float(count)


def _power_sums(n: Floats, power: int) -> Floats:
    return n * (n + 1) / 2 if power == 1 else n * (n + 1) * (2 * n + 1) / 6


class _Enough(Exception):
    """No more is to be tried."""


def best_levels(
    blocks: tuple[Side, ...], one_sided: bool, cost: Callable[[Levels], float], most: int = 100_000
) -> Levels:
    """The levels that cost least, as far as a search one parameter at a time finds them.

    most: how many are tried, if that is not the end before.
    """
    known: dict[Levels, float] = {}

    def tried(levels: Levels) -> float:
        if levels not in known:
            if len(known) >= most:
                raise _Enough
            known[levels] = cost(levels)
        return known[levels]

    with contextlib.suppress(_Enough):
        _searched(blocks, one_sided, tried)
    return min(known, key=known.__getitem__, default=Levels(blocks, 0 if one_sided else None))


def _searched(blocks: tuple[Side, ...], one_sided: bool, cost: Callable[[Levels], float]) -> Levels:
    levels = Levels(blocks, 0 if one_sided else None)
    cost(levels)
    for _ in range(8):
        before = levels
        if one_sided:
            levels = _with_overlap(levels, cost)
        for b, block in enumerate(blocks):
            if block.box and (block.width > 1 or len(blocks) > 1):
                levels = _with_offset(levels, b, cost)
        if levels == before:
            break
    return levels


def _with_overlap(levels: Levels, cost: Callable[[Levels], float]) -> Levels:
    start = levels.overlap or 0
    return _best(cost, lambda t: replace(levels, overlap=t), start, 1, SETTINGS.most_overlap)


def _with_offset(levels: Levels, b: int, cost: Callable[[Levels], float]) -> Levels:
    def at(offset: int) -> Levels:
        blocks = list(levels.blocks)
        blocks[b] = replace(blocks[b], offset=offset)
        return replace(levels, blocks=tuple(blocks))

    block = levels.blocks[b]
    starts = {block.offset, *(block.width * i // SETTINGS.places for i in range(SETTINGS.places))}
    start = min(sorted(starts), key=lambda offset: cost(at(offset)))
    return _best(cost, at, start, max(1, block.width // SETTINGS.places), SETTINGS.most_offset)


def _best(
    cost: Callable[[Levels], float], at: Callable[[int], Levels], start: int, step: int, most: int
) -> Levels:
    """Go on in the better direction, twice as far each time, until nothing near is better."""
    known: dict[int, float] = {}

    def value(x: int) -> float:
        if x not in known:
            known[x] = cost(at(x))
        return known[x]

    x, step = start, max(1, step)
    while True:
        moves = [y for y in (x - step, x + step) if 0 <= y <= most]
        better = min(moves, key=value, default=x)
        if value(better) < value(x):
            x, step = better, 2 * step
        elif step == 1:
            return at(x)
        else:
            step //= 2


def exact_cost(
    ratio: Fraction, power: int, shares: Sequence[Fraction]
) -> Callable[[Levels], float]:
    """The same from exact counts, where a sum of moves is bounded, too."""

    def cost(levels: Levels) -> float:
        means = [share * levels.total(ratio, b, power) for b, share in levels.alike(shares).items()]
        return float(sum(means) / levels.weight(ratio))

    return cost


def least_work(levels: Levels, power: int) -> int:
    """What exact counts are charged at least, so that too much of it is not even begun.

    For moves of one sign whose sum is bounded: for each pair of steps up and down the ways by how
    many numbers are positive, and the same for the mean.
    """
    if levels.overlap is None:
        return 0
    order, work = levels.dimension + 1, 0
    for numbers in (block.numbers for block in set(levels.blocks) if not block.box):
        each = 2 + numbers // 50
        work += order * (order + 1) // 2 * (numbers + 1) * each
        work += (order + power) ** 2 * numbers * each
    return work
