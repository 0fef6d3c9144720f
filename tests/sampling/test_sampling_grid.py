"""The grid sampler's law: exactly, by running through all words of a shrunken size; and limits."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from leastnoise.errors import ArgumentError
from leastnoise.sampling import Entropy, GridOverflowError, GridSampler, InsecureSeededEntropy
from leastnoise.sampling import grid as grid_module
from leastnoise.sampling.entropy import Words


class AllWords(Entropy):
    """All words of a given size once, a fixed tie break, and a fixed place for redraws."""

    def __init__(self, word_bits: int, tie: int, place: int) -> None:
        self.word_bits, self.tie, self.place = word_bits, tie, place

    def words(self, count: int) -> Words:
        assert count == 2**self.word_bits
        return np.arange(count, dtype=np.uint64)

    def below(self, bound: int) -> int:
        return self.tie

    def below_each(self, bounds: Words) -> Words:
        return np.uint64(self.place) % bounds


CASES = [
    # (cells, weights, atom)
    ([(-1, 3)], [4], 0),
    ([(-4, 3), (-1, 3), (2, 3)], [1, 5, 1], 2),
    ([(-9, 5), (-4, 1), (-3, 7), (4, 2)], [3, 0, 4, 4], 1),
    ([(0, 6), (6, 4)], [2, 3], 0),
]


def exact_distribution(
    cells: list[tuple[int, int]], weights: list[int], atom: int
) -> dict[int, Fraction]:
    total = sum(weights) + atom
    law: Counter[int] = Counter()
    law[0] += Fraction(atom, total)
    for (start, count), weight in zip(cells, weights, strict=True):
        for index in range(start, start + count):
            law[index] += Fraction(weight, total * count)
    return {index: p for index, p in law.items() if p}


@pytest.mark.parametrize(("cells", "weights", "atom"), CASES)
@pytest.mark.parametrize("half", [4, 6])
def test_all_words_give_exactly_the_law(
    cells: list[tuple[int, int]],
    weights: list[int],
    atom: int,
    half: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grid_module, "_HALF", half)
    monkeypatch.setattr(grid_module, "_HALF_MASK", np.uint64(2**half - 1))
    sampler = GridSampler(cells, weights, atom)
    assert sampler._share_word
    total = sum(weights) + atom
    places = math.lcm(*(count for _, count in cells))
    counts: Counter[int] = Counter()
    for tie in range(total):
        for place in range(places):
            counts.update(sampler.sample(4**half, AllWords(2 * half, tie, place)).tolist())
    everything = 4**half * total * places
    got = {index: Fraction(count, everything) for index, count in counts.items()}
    assert got == exact_distribution(cells, weights, atom)


@pytest.mark.parametrize(("cells", "weights", "atom"), CASES)
def test_one_draw_runs_through_exactly_the_law(
    cells: list[tuple[int, int]], weights: list[int], atom: int
) -> None:
    class Pair(Entropy):
        def __init__(self, *values: int) -> None:
            self.values = list(values)

        def below(self, bound: int) -> int:
            return self.values.pop(0) % bound

    sampler = GridSampler(cells, weights, atom)
    total = sum(weights) + atom
    places = math.lcm(*(count for _, count in cells))
    counts = Counter(
        sampler.sample_one(Pair(cell, place)) for cell in range(total) for place in range(places)
    )
    got = {index: Fraction(count, total * places) for index, count in counts.items()}
    assert got == exact_distribution(cells, weights, atom)


def test_the_mass_is_the_denominator_with_its_series() -> None:
    assert GridSampler.centred(-1, [1, 5, 1], 3, atom=2).mass == 9
    # Repeated cells 3, 1 | 1, 3 and the middle 4: 8 / (1 - 1/3) + 4 + 2.
    tailed = GridSampler.centred(-2, [3, 1, 4, 1, 3], 3, atom=2, tail=(2, Fraction(1, 3)))
    assert tailed.mass == 18
    # Scaled by 3 - 1, a repeated class weighs three times its cell and the others twice.
    assert tailed._cell.total == 18 * (3 - 1)
    cumulative = [0, *tailed._cell._cumulative]
    classes = [b - a for a, b in pairwise(cumulative)]
    assert classes == [9, 3, 8, 3, 9, 4]


def test_tail_moves_outward_on_its_own_side() -> None:
    source = InsecureSeededEntropy(11)
    sampler = GridSampler.centred(-2, [1, 1, 1, 1, 1], 3, tail=(1, Fraction(9, 10)))
    draws = sampler.sample(20000, source)
    cells = (draws + 1) // 3
    # One period is one cell here: every cell outside is a moved copy of cell -2 or 2.
    assert cells.min() < -20
    assert cells.max() > 20
    # 20 of 23 draws are in the tails; five standard deviations are 0.012.
    assert abs(float((np.abs(cells) >= 2).mean()) - 20 / 23) < 0.012
    singles = np.array([sampler.sample_one(source) for _ in range(3000)])
    assert abs(float((np.abs((singles + 1) // 3) >= 2).mean()) - 20 / 23) < 0.035
    assert singles.max() > 30
    assert singles.min() < -30


def test_integer_noise_stays_on_its_points() -> None:
    sampler = GridSampler.centred(-2, [1, 0, 3, 0, 1])
    draws = sampler.sample(5000, InsecureSeededEntropy(5))
    assert set(draws.tolist()) == {-2, 0, 2}


@pytest.mark.parametrize("count", [101, 10**6 + 1, 2**32 - 1, 2**32, 2**45 + 1])
def test_every_width_of_cell_is_covered_evenly(count: int) -> None:
    sampler = GridSampler([(-count, count), (0, count)], [1, 1])
    draws = sampler.sample(40000, InsecureSeededEntropy(count))
    assert draws.min() >= -count
    assert draws.max() < count
    # Sixteen equal parts of 2500 expected draws each; six standard deviations are 290.
    parts = np.bincount(((draws.astype(object) + count) * 16 // (2 * count)).astype(np.int64))
    assert parts.size == 16
    assert np.abs(parts - 2500).max() < 290


def test_many_cells_use_words_of_their_own(monkeypatch) -> None:
    size = 1 << 10
    assert GridSampler([(3 * j, 3) for j in range(size)], [1] * size)._share_word
    monkeypatch.setattr(grid_module, "_MAX_CELLS_PER_HALF", size - 1)
    sampler = GridSampler([(3 * j, 3) for j in range(size)], [1] * size)
    assert not sampler._share_word
    draws = sampler.sample(20000, InsecureSeededEntropy(9))
    assert 0 <= draws.min() < draws.max() < 3 * size
    assert np.unique(draws % 3).size == 3


def test_indices_beyond_64_bits_are_refused_not_wrapped() -> None:
    source = InsecureSeededEntropy(1)
    edge = GridSampler([(2**63 - 4, 3)], [1])
    assert int(edge.sample(100, source).max()) == 2**63 - 2
    beyond = GridSampler([(2**63, 3)], [1])
    with pytest.raises(GridOverflowError, match="use sample_one"):
        beyond.sample(1, source)
    assert beyond.sample_one(source) >= 2**63
    moved = GridSampler([(-1, 1), (1, 1)], [1, 1], tail=(1, Fraction(1, 2), 2**62))
    with pytest.raises(GridOverflowError, match="tail exceeds"):
        moved.sample(100, source)
    assert max(abs(moved.sample_one(source)) for _ in range(100)) > 2**63


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cells": [(0, 1)], "weights": []}, "len.weights. must be len.cells. = 1"),
        ({"cells": [(0, 0)], "weights": [1]}, "with count >= 1"),
        ({"cells": [(0, 1)], "weights": [-1]}, "non-negative"),
        ({"cells": [(0, 1)], "weights": [1], "atom": -1}, "non-negative"),
        (
            {"cells": [(0, 1)], "weights": [1], "tail": (1, Fraction(1, 2), 1)},
            "period must be at least 1, at most half of the cells, got 1",
        ),
        (
            {"cells": [(0, 1)] * 2, "weights": [1, 1], "tail": (1, Fraction(1), 1)},
            "ratio must be strictly between 0 and 1",
        ),
        (
            {"cells": [(0, 1)] * 2, "weights": [1, 1], "tail": (1, Fraction(1, 2), 0)},
            "shift must be a positive",
        ),
    ],
)
def test_refuses_what_is_no_noise(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        GridSampler(**arguments)  # type: ignore[arg-type]


def test_refuses_even_grids_and_negative_sizes() -> None:
    with pytest.raises(ArgumentError, match="grid must be a positive odd number, got 4"):
        GridSampler.centred(0, [1], 4)
    with pytest.raises(ArgumentError, match="size must be"):
        GridSampler.centred(0, [1]).sample(-1, Entropy())
