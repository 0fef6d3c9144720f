"""Quantiles from cumulative counts: their intervals hold, they rise, hostile counts included."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.tables.postprocessing.quantiles import quantiles

LEVELS = [0.1, 0.25, 0.5, 0.75, 0.9]


def bands(edges, below, levels=LEVELS, bound=1.0):
    n = len(below)
    return quantiles(edges, below, np.ones(n), levels, [np.full(n, bound)] * len(levels))


def smallest_quantile(values, level):
    ordered = np.sort(values)
    return ordered[max(0, int(np.ceil(level * len(values) - 1e-9)) - 1)]


@given(
    st.lists(st.floats(-5, 15), min_size=1, max_size=200), st.integers(1, 30), st.integers(0, 99)
)
def test_with_bounded_noise_every_interval_holds_its_quantile(values, bins, seed):
    rng = np.random.default_rng(seed)
    edges = np.linspace(0, 10, bins + 1)
    clamped = np.clip(values, 0, 10)
    counts = np.histogram(clamped, edges)[0]
    noise = rng.uniform(-1, 1, size=bins)
    found = bands(edges, np.cumsum(counts) + noise, bound=2.0)
    for level, band in zip(LEVELS, found, strict=True):
        assert band.low <= smallest_quantile(clamped, level) <= band.high
        assert band.low <= band.value <= band.high
    assert all(one.value <= two.value for one, two in pairwise(found))


@pytest.mark.parametrize(
    "below",
    [
        np.zeros(16),
        np.full(16, -1e6),
        np.arange(16)[::-1] * 100.0,
        np.full(16, 1e15),
        np.append(np.zeros(15), 1e9),
        np.append(np.full(15, 1e9), -5.0),
        np.array([1e9, -1e9] * 8),
    ],
    ids=["zeros", "below", "falling", "all in the first", "all in the last", "no total", "wild"],
)
def test_hostile_counts_have_finite_intervals_within_the_bounds(below):
    edges = np.linspace(-3, 5, 17)
    for band in bands(edges, below):
        assert -3 <= band.low <= band.value <= band.high <= 5


def test_coverage_of_each_level_and_of_all_together():
    """1,000 releases with independent normal noise on the bins: 97.5% on each side for a level."""
    rng = np.random.default_rng(5)
    values = np.clip(rng.lognormal(3, 0.7, size=2_000), 0, 100)
    edges = np.linspace(0, 100, 65)
    exact = np.cumsum(np.histogram(values, edges)[0]).astype(float)
    at = np.arange(1, 65)
    truth = [smallest_quantile(values, level) for level in LEVELS]
    held = []
    std = [np.sqrt(at * (1 - q) ** 2 + (64 - at) * q**2) * 3 for q in LEVELS]
    for _ in range(1_000):
        below = exact + np.cumsum(rng.normal(size=64) * 3)
        found = quantiles(edges, below, at * 9.0, LEVELS, [1.96 * one for one in std])
        held.append([b.low <= x <= b.high for b, x in zip(found, truth, strict=True)])
    assert np.mean(held, axis=0).min() >= 0.95
    assert np.mean(held) < 1  # a test that can fail: intervals are not everything
    wide = [
        quantiles(edges, exact, at * 9.0, [q], [1.96 * s])[0]
        for q, s in zip(LEVELS, std, strict=True)
    ]
    assert max(b.high - b.low for b in wide) < 12
