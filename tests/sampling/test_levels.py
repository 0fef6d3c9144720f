"""Draws by levels have exactly the stated law."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from leastnoise.certify.noise.shapes.block_counts import Side
from leastnoise.certify.noise.shapes.levels import Levels
from leastnoise.sampling import levels as levels_module
from leastnoise.sampling.entropy import InsecureSeededEntropy
from leastnoise.sampling.geometric import GridOverflowError
from leastnoise.sampling.levels import LevelSampler

LAWS = [
    Levels((Side(2, 2, 1),)),
    Levels((Side(2, 2, 2, 1),)),
    Levels((Side(3, 2, 1),)),
    Levels((Side(2, 1, 1), Side(1, 1, 1))),
    Levels((Side(2, 2, 1),), 0),
    Levels((Side(2, 2, 2, 1),), 1),
    Levels((Side(1, 1, 1, 1), Side(1, 1, 2)), 1),
    Levels((Side(3, 2, 1),), 1),
    Levels((Side(2, 1, 2),), 0),
]
RATIO, DRAWS = Fraction(2, 5), 3000


def _level(levels: Levels, x: tuple[int, ...]) -> int:
    def steps(y: list[int]) -> int:
        found, place = 0, 0
        for block in levels.blocks:
            own = y[place : place + block.numbers]
            place += block.numbers
            found = max(found, -(-max(0, max(own) - block.offset) // block.width))
            if not block.box:
                found = max(found, -(-sum(own) // (block.most * block.width)))
        return found

    if levels.overlap is None:
        return steps([abs(v) for v in x])
    up, down = steps([max(0, v) for v in x]), steps([max(0, -v) for v in x])
    return max(up, down, up + down - levels.overlap)


def _surprise(levels: Levels, drawn: list[tuple[int, ...]], ratio: Fraction) -> float:
    """The chance of draws as far from the law as these: Pearson, rare points together."""
    weight = float(levels.weight(ratio) * (1 - ratio))
    seen = Counter(drawn)
    kept = {
        x: len(drawn) * float(ratio) ** _level(levels, x) / weight
        for x in np.ndindex(*[13] * levels.dimension)
        for x in [tuple(int(v) - 6 for v in x)]
    }
    kept = {x: expected for x, expected in kept.items() if expected >= 5}
    rest = len(drawn) - sum(kept.values())
    others = len(drawn) - sum(seen[x] for x in kept)
    statistic = sum((seen[x] - n) ** 2 / n for x, n in kept.items()) + (others - rest) ** 2 / rest
    return float(chi2.sf(statistic, len(kept)))


@pytest.mark.parametrize("levels", LAWS, ids=str)
def test_many_draws(levels: Levels) -> None:
    sampler = LevelSampler(levels, RATIO)
    rows = sampler.sample(DRAWS, InsecureSeededEntropy(1)).tolist()
    drawn = [tuple(row) for row in rows]
    assert _surprise(levels, drawn, RATIO) > 1e-4
    # The test can fail: the same draws are not those of another ratio.
    assert _surprise(levels, drawn, Fraction(1, 2)) < 1e-6


@pytest.mark.parametrize("levels", LAWS[::2], ids=str)
def test_single_draws(levels: Levels) -> None:
    sampler, entropy = LevelSampler(levels, RATIO), InsecureSeededEntropy(2)
    drawn = [tuple(sampler.sample_one(entropy)) for _ in range(DRAWS)]
    assert _surprise(levels, drawn, RATIO) > 1e-4


def test_levels_beyond_64_bits() -> None:
    ratio = 1 - Fraction(1, 1 << 90)
    sampler = LevelSampler(Levels((Side(2, 2, 1),), 1), ratio)
    assert max(map(abs, sampler.sample_one(InsecureSeededEntropy(3)))) > 1 << 70
    with pytest.raises(GridOverflowError):
        sampler.sample(10, InsecureSeededEntropy(3))
    wide = LevelSampler(Levels((Side(2, 2, 10**6),)), 1 - Fraction(1, 1 << 50))
    with pytest.raises(GridOverflowError):
        wide.sample(10, InsecureSeededEntropy(3))


@pytest.mark.parametrize("least", [0, 1])
@pytest.mark.parametrize(
    ("numbers", "wide", "longest"), [(3, 3, 6), (3, 2, 3), (2, 5, 6), (0, 1, 2)]
)
def test_sizes_are_uniform_either_way(
    numbers: int, wide: int, longest: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [y for y in product(range(least, wide + 1), repeat=numbers) if sum(y) <= longest]
    entropy, each = InsecureSeededEntropy(3), 60
    for tries in (0, 10**9):  # one by one, and by sets of places
        monkeypatch.setattr(levels_module, "_TRIES", tries)
        seen = Counter(
            tuple(levels_module._spread(numbers, least, wide, longest, entropy))
            for _ in range(each * len(every))
        )
        assert set(seen) == set(every)
        statistic = sum((seen[y] - each) ** 2 / each for y in every)
        assert len(every) == 1 or chi2.sf(statistic, len(every) - 1) > 1e-4
