"""Simulated draws of joint noise have the distribution that the exact sampler draws from."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from joint_brute import CASES, level, window

from leastnoise.certify.noise.shapes.block_counts import Side
from leastnoise.certify.noise.shapes.levels import Levels
from leastnoise.noise.joint import quantile_of
from leastnoise.noise.joint_law import BoxLaw
from leastnoise.noise.level_draws import LevelDraws


@pytest.mark.parametrize("levels", CASES, ids=str)
def test_every_vector_is_as_likely_as_its_level_says(levels: Levels) -> None:
    epsilon, size = 0.7, 20_000
    ratio = Fraction(math.exp(-epsilon)).limit_denominator(10**9)
    vectors, counts = np.unique(
        LevelDraws(levels, epsilon, 60).draw(size, 1), axis=0, return_counts=True
    )
    seen = dict(zip(map(tuple, vectors.tolist()), counts.tolist(), strict=True))
    total, terms = float(levels.weight(ratio) * (1 - ratio)), []
    for x in window(levels, 3):
        expected = size * math.exp(-epsilon * level(levels, x)) / total
        if expected > 8:
            terms.append((seen.get(x, 0) - expected) ** 2 / expected)
    assert len(terms) >= 5
    assert abs(sum(terms) - len(terms)) < 4.5 * math.sqrt(2 * len(terms))


@pytest.mark.parametrize(
    ("levels", "epsilon"),
    [
        (Levels((Side(24, 3, 8),), 2), 1.0),  # few of many: sums of moves say how large
        (Levels((Side(24, 8, 8),), 2), 1.0),  # both ends say it
        (Levels((Side(6, 3, 32),), 3), 0.05),  # runs of many levels
        (Levels((Side(5, 5, 8, 3), Side(8, 2, 8)), 2), 0.8),
        (Levels((Side(30, 4, 32),), None), 0.3),
    ],
    ids=str,
)
def test_sizes_are_those_of_exact_sums(levels: Levels, epsilon: float) -> None:
    ratio = Fraction(math.exp(-epsilon)).limit_denominator(10**12)
    drawn = LevelDraws(levels, epsilon, BoxLaw(levels, ratio).top).draw(4_000, 2)
    place = 0
    for b, block in enumerate(levels.blocks):
        own = np.abs(drawn[:, place : place + block.numbers])
        place += block.numbers
        for power in (1, 2):
            rows = (own**power).mean(axis=1)
            exact = float(levels.total(ratio, b, power) / levels.weight(ratio))
            assert abs(rows.mean() - exact) < 4 * rows.std() / math.sqrt(len(rows))
    assert abs(drawn.sum(axis=1).mean()) < 4 * drawn.sum(axis=1).std() / math.sqrt(len(drawn))


def test_bounds_from_draws_hold_nearly_always() -> None:
    """Numbers of a row have much in common here, as those of joint noise do."""
    random, short = np.random.default_rng(3), 0
    for _ in range(200):
        drawn = random.standard_normal((1_000, 4)) + 2 * random.standard_normal((1_000, 1))
        bound = quantile_of(np.abs(drawn), 0.95)
        within = math.erf(bound / math.sqrt(2 * 5))
        assert within < 0.98
        short += within < 0.95
    assert short <= 8  # 2.5 standard errors: 1.2 of 200 are expected
