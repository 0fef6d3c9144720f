"""Chi-square tests of the samplers that can fail: they accept the law and reject a changed one.

Each test compares the counts of SIZE samples with exact probabilities and accepts below the
critical value that the true law exceeds with probability FALSE_ALARM. A law with one weight (or
the odds of a tail) changed by 30 % must be rejected; the chance that it is not is computed and
asserted to be below MISS. Seeded tests are deterministic; slow ones use the operating system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from leastnoise.sampling import (
    DiscreteSampler,
    Entropy,
    GeometricSampler,
    GridSampler,
    InsecureSeededEntropy,
    system_entropy,
)

SIZE = 200_000
FALSE_ALARM = 1e-7
MISS = 1e-7

Law = list[Fraction]
SOURCES = [
    pytest.param(lambda: InsecureSeededEntropy(2024), id="seeded"),
    pytest.param(system_entropy, id="system", marks=pytest.mark.slow),
]


def critical(law: Law) -> float:
    return float(stats.chi2.isf(FALSE_ALARM, len(law) - 1))


def accepted(counts: NDArray[np.int64], law: Law) -> bool:
    expected = np.array([float(p) for p in law]) * counts.sum()
    assert counts.size == expected.size
    assert expected.min() >= 20, "the approximation by chi-square needs filled bins"
    return float(((counts - expected) ** 2 / expected).sum()) < critical(law)


def rejected(counts: NDArray[np.int64], law: Law, truth: Law) -> bool:
    """Whether counts drawn from `truth` are recognised as not drawn from `law`."""
    distance = sum((q - p) ** 2 / p for p, q in zip(law, truth, strict=True))
    noncentrality = float(distance) * int(counts.sum())
    assert stats.ncx2.cdf(critical(law), len(law) - 1, noncentrality) < MISS
    return not accepted(counts, law)


def normalised(weights: Sequence[int | Fraction]) -> Law:
    return [Fraction(weight) / sum(weights) for weight in weights]


def changed(weights: Sequence[int], j: int, percent: int) -> list[int]:
    scaled = [100 * weight for weight in weights]
    scaled[j] = weights[j] * percent
    return scaled


WEIGHTS = [3**40, 2**62, 2**63 + 1, 2**64 - 3, 7**23, 2**63, 2**61 + 5, 5**27]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("percent", [130, 70])
def test_discrete(source: Callable[[], Entropy], percent: int) -> None:
    law = normalised(WEIGHTS)
    entropy = source()

    def counts(weights: list[int]) -> NDArray[np.int64]:
        return np.bincount(DiscreteSampler(weights).sample(SIZE, entropy), minlength=len(WEIGHTS))

    assert accepted(counts(WEIGHTS), law)
    for j in range(len(WEIGHTS)):
        other = changed(WEIGHTS, j, percent)
        assert rejected(counts(other), law, normalised(other))


@pytest.mark.parametrize("source", SOURCES)
def test_grid_with_atom(source: Callable[[], Entropy]) -> None:
    grid, weights = 5, [2, 5, 11, 5, 2, 4]  # five cells and the atom
    centre = 2 * grid + grid // 2
    entropy = source()

    def law_of(weights: list[int]) -> Law:
        law = [Fraction(weight, grid) for weight in weights[:5] for _ in range(grid)]
        law[centre] += weights[5]
        return normalised(law)

    def counts(weights: list[int]) -> NDArray[np.int64]:
        sampler = GridSampler.centred(-2, weights[:5], grid, weights[5])
        return np.bincount(sampler.sample(SIZE, entropy) + centre, minlength=5 * grid)

    assert accepted(counts(weights), law_of(weights))
    for j in range(6):
        other = changed(weights, j, 130)
        assert rejected(counts(other), law_of(weights), law_of(other))


def pooled_tail_law(ratio: Fraction, weights: list[int], reach: int) -> Law:
    """Cells -reach..reach of weights at -2..2, the outer two repeated; the rest in the end bins."""
    cells = {i: Fraction(weights[i + 2]) for i in range(-2, 3)}
    for i in range(3, reach + 1):
        cells[i] = cells[i - 2] * ratio
        cells[-i] = cells[2 - i] * ratio
    beyond = (cells[reach] + cells[reach - 1]) * ratio / (1 - ratio)
    cells[reach] += beyond
    cells[-reach] += (cells[-reach] + cells[1 - reach]) * ratio / (1 - ratio)
    return normalised([cells[i] for i in range(-reach, reach + 1)])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("one_by_one", [False, True])
def test_geometric_tail(source: Callable[[], Entropy], one_by_one: bool) -> None:
    # Ratio 3/4 takes two binary digits and repeats; the weights are not symmetric.
    ratio, weights, reach, grid = Fraction(3, 4), [3, 4, 5, 6, 2], 14, 3
    law = pooled_tail_law(ratio, weights, reach)
    entropy = source()

    def counts(sampler: GridSampler) -> NDArray[np.int64]:
        if one_by_one:
            draws = np.array([sampler.sample_one(entropy) for _ in range(SIZE // 10)])
        else:
            draws = sampler.sample(SIZE, entropy)
        cell = np.clip((draws + grid // 2) // grid, -reach, reach)
        return np.bincount(cell + reach, minlength=2 * reach + 1)

    assert accepted(counts(GridSampler.centred(-2, weights, grid, tail=(2, ratio))), law)
    # Odds 1/(1-ratio) - 1 lowered by 30 %: 3 becomes 2.1, so the ratio becomes 21/31.
    other = Fraction(21, 31)
    lighter = GridSampler.centred(-2, weights, grid, tail=(2, other))
    assert rejected(counts(lighter), law, pooled_tail_law(other, weights, reach))


@pytest.mark.parametrize("source", SOURCES)
def test_geometric_near_one(source: Callable[[], Entropy]) -> None:
    bins, width = 20, 25
    entropy = source()

    def law_of(ratio: Fraction) -> Law:
        ends = [1 - ratio ** (width * k) for k in range(bins)] + [Fraction(1)]
        return [b - a for a, b in pairwise(ends)]

    def counts(ratio: Fraction) -> NDArray[np.int64]:
        draws = GeometricSampler(ratio).sample(SIZE, entropy)
        return np.bincount(np.minimum(draws // width, bins - 1), minlength=bins)

    ratio, other = 1 - Fraction(1, 100), 1 - Fraction(13, 1000)
    assert accepted(counts(ratio), law_of(ratio))
    assert rejected(counts(other), law_of(ratio), law_of(other))


@pytest.mark.parametrize("source", SOURCES)
def test_entropy_bytes_and_bounds(source: Callable[[], Entropy]) -> None:
    entropy = source()
    counts = np.bincount(np.frombuffer(entropy.bytes(SIZE), dtype=np.uint8), minlength=256)
    assert accepted(counts, [Fraction(1, 256)] * 256)
    draws = np.bincount([entropy.below(10) for _ in range(SIZE // 10)], minlength=10)
    assert accepted(draws, [Fraction(1, 10)] * 10)
    each = entropy.below_each(np.full(SIZE, 10, dtype=np.uint64)).astype(np.int64)
    assert accepted(np.bincount(each, minlength=10), [Fraction(1, 10)] * 10)
