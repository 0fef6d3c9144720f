"""Data dependent baselines: private by brute force on small datasets, and their sensitivities."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from leastnoise.baselines.dependent_baselines import (
    ExponentialMechanism,
    InverseSensitivity,
    SmoothSensitivity,
)
from leastnoise.errors import ArgumentError

GRID = [0.0, 1.0, 2.0, 4.0]
DATASETS = [list(d) for d in itertools.combinations_with_replacement(GRID, 5)]


def neighbors(data):
    for i, x in itertools.product(range(len(data)), GRID):
        yield sorted([*data[:i], x, *data[i + 1 :]])


def test_exponential_mechanism_is_private_and_normalised():
    noise = ExponentialMechanism(epsilon=1.5, sensitivity=2, low=0, high=4)
    y = np.linspace(0, 4, 101)
    for a, b in ((0.0, 2.0), (1.0, 3.0), (1.7, 3.2), (4.0, 2.0)):
        ratio = noise.pdf(y, a) / noise.pdf(y, b)
        assert ratio.max() <= math.exp(1.5) * (1 + 1e-12)
    constant = ExponentialMechanism(epsilon=1, low=0, high=4).expected_loss(
        {"name": "sum", "terms": [["1", {"name": "l1"}]]}, 1.0
    )
    fine = np.linspace(0, 4, 400_001)
    middle = (fine[1:] + fine[:-1]) / 2
    noise = ExponentialMechanism(epsilon=1, low=0, high=4)
    weights = noise.pdf(middle, 1.0) * 1e-5
    assert weights.sum() == pytest.approx(1, abs=1e-9)
    assert constant == pytest.approx(float(weights @ np.abs(middle - 1)), rel=1e-8)


def test_exponential_mechanism_samples():
    noise = ExponentialMechanism(epsilon=1, sensitivity=2, low=-2, high=2)
    draws = noise.sample(0.7, 40_000, np.random.default_rng(3))
    assert np.abs(draws - 0.7).mean() == pytest.approx(noise.expected_loss("l1", 0.7), rel=0.02)
    assert draws.min() >= -2
    assert draws.max() <= 2


@pytest.mark.parametrize("query", ["mean", "median"])
def test_smooth_sensitivity_is_smooth_and_large_enough(query):
    noise = SmoothSensitivity(epsilon=1, delta=0.01, low=0, high=4, query=query)
    assert noise.beta == pytest.approx(1 / (2 * math.log(200)))
    for data in DATASETS:
        here, answer = noise.smooth_sensitivity(data), noise.distribution(data).value
        for other in neighbors(data):
            assert here <= math.exp(noise.beta) * noise.smooth_sensitivity(other) + 1e-12
            assert abs(answer - noise.distribution(other).value) <= here + 1e-12


def test_smooth_sensitivity_by_definition():
    # One row away from the median's neighbors: max over k of e^(-beta k) times the local one.
    noise = SmoothSensitivity(epsilon=4, delta=0.5, low=0, high=4, query="median")
    index = {tuple(d): i for i, d in enumerate(DATASETS)}
    local = [max(abs(o[2] - d[2]) for o in neighbors(d)) for d in DATASETS]
    for data in DATASETS:
        best, layer, seen = 0.0, {tuple(data)}, {tuple(data)}
        for k in range(6):
            best = max([best, *(math.exp(-noise.beta * k) * local[index[d]] for d in layer)])
            layer = {tuple(o) for d in layer for o in neighbors(list(d))} - seen
            seen |= layer
        assert noise.smooth_sensitivity(data) == pytest.approx(best), data


def test_smooth_laplace_loss():
    noise = SmoothSensitivity(epsilon=1, delta=0.1, low=0, high=10, query="mean")
    law = noise.distribution([1, 2, 9])
    assert law.expected_loss("l1") == pytest.approx(law.scale)
    assert law.expected_loss("l2") == pytest.approx(2 * law.scale**2)
    draws = law.sample(50_000, np.random.default_rng(5))
    assert np.abs(draws - 4).mean() == pytest.approx(law.scale, rel=0.03)


@pytest.mark.parametrize("query", ["mean", "median"])
def test_inverse_sensitivity_is_private(query):
    noise = InverseSensitivity(epsilon=1, low=0, high=4, smoothing=0.05, query=query)
    y = np.linspace(0.0005, 3.9995, 2003)
    for data in DATASETS[::3]:
        here = noise.distribution(data)
        assert here.masses.sum() == pytest.approx(1)
        density = here.pdf(y)
        for other in neighbors(data):
            assert np.all(density <= math.exp(1) * noise.distribution(other).pdf(y) * (1 + 1e-9)), (
                data
            )


def test_inverse_sensitivity_counts_rows():
    noise = InverseSensitivity(epsilon=2, low=0, high=10, smoothing=0.1, query="median")
    law = noise.distribution([1, 4, 5, 7, 9])
    ratio = law.pdf([5.0]) / law.pdf([6.0])  # one row must move before 6 can be the median
    assert ratio[0] == pytest.approx(math.e)
    assert (law.pdf([5.0]) / law.pdf([8.0]))[0] == pytest.approx(math.exp(2))
    mean = InverseSensitivity(epsilon=2, low=0, high=10, smoothing=0.1, query="mean")
    law = mean.distribution([0, 5, 10])  # the mean 5 reaches 5 + 10/3 with one row
    assert (law.pdf([5.0]) / law.pdf([8.0]))[0] == pytest.approx(math.e)
    assert (law.pdf([5.0]) / law.pdf([8.6]))[0] == pytest.approx(math.exp(2))
    draws = law.sample(40_000, np.random.default_rng(11))
    assert np.abs(draws - 5).mean() == pytest.approx(law.expected_loss("l1"), rel=0.03)


def test_refusals():
    with pytest.raises(ArgumentError, match='query must be "mean" or "median"'):
        SmoothSensitivity(epsilon=1, delta=0.1, low=0, high=1, query="mode")
    with pytest.raises(ArgumentError, match="high must be above low=1"):
        ExponentialMechanism(epsilon=1, low=1, high=0)
    with pytest.raises(ArgumentError, match="delta must be above 0 and below 1"):
        SmoothSensitivity(epsilon=1, delta=0, low=0, high=1)
    with pytest.raises(ArgumentError, match="smoothing must be positive"):
        InverseSensitivity(epsilon=1, low=0, high=1, smoothing=0)
    with pytest.raises(ArgumentError, match="data must be at least one finite number"):
        InverseSensitivity(epsilon=1, low=0, high=1, smoothing=0.1).distribution([])
