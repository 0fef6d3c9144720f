"""What is refused, and in which words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise.baselines import (
    AnalyticGaussian,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RoundedTulap,
    Staircase,
    TruncatedLaplace,
    Tulap,
    Uniform,
    UniformAtom,
    inverse_error,
)
from leastnoise.errors import ArgumentError, RegimeError


@pytest.mark.parametrize(
    ("kind", "epsilon", "delta", "words"),
    [
        (Laplace, 0, 0.1, "Laplace noise needs epsilon > 0, got epsilon=0.0, delta=0.1"),
        (Gaussian, 1.5, 0.1, "classic Gaussian noise needs 0 < epsilon <= 1 and delta > 0, got"),
        (Gaussian, 0.5, 0, "needs 0 < epsilon <= 1 and delta > 0, got epsilon=0.5, delta=0.0"),
        (AnalyticGaussian, 1, 0, "analytic Gaussian noise needs delta > 0"),
        (TruncatedLaplace, 1, 0, "truncated Laplace noise needs epsilon > 0 and delta > 0"),
        (TruncatedLaplace, 0, 0.1, "truncated Laplace noise needs epsilon > 0 and delta > 0"),
        (Staircase, 0, 0.1, "staircase noise needs epsilon > 0"),
        (Tulap, 0, 0, "Tulap noise needs epsilon > 0 or delta > 0"),
        (Uniform, 1, 0, "uniform noise needs delta > 0"),
        (UniformAtom, 1, 0, "uniform noise with an atom needs delta > 0"),
        (DiscreteLaplace, 0, 0.1, "discrete Laplace noise needs epsilon > 0"),
        (DiscreteGaussian, 1, 0, "discrete Gaussian noise needs delta > 0"),
    ],
)
def test_regime_errors(kind, epsilon, delta, words):
    with pytest.raises(RegimeError, match="got epsilon=") as caught:
        kind.valid(epsilon, delta)
    assert words in str(caught.value)
    with pytest.raises(RegimeError):
        kind(epsilon=epsilon, delta=delta)


def test_valid_is_silent_where_the_mechanism_serves():
    assert Laplace.valid("1/3", 0) is None
    assert Gaussian.valid(1, 0.2) is None
    assert Tulap.valid(0, Fraction(1, 3)) is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"epsilon": -1}, "epsilon must be at least 0, got -1"),
        ({"epsilon": 1, "delta": 1}, "delta must be at least 0 and below 1, got 1"),
        ({"epsilon": 1, "sensitivity": 0}, "sensitivity must be positive, got 0"),
        ({"epsilon": float("nan")}, "epsilon must be a finite number"),
    ],
)
def test_arguments(given, words):
    with pytest.raises(ArgumentError) as caught:
        Laplace(**given)
    assert words in str(caught.value)


def test_more_arguments():
    with pytest.raises(ArgumentError, match="sensitivity must be an integer for rounded Tulap"):
        RoundedTulap(epsilon=1, delta=0.1, sensitivity=1.5)
    with pytest.raises(ArgumentError, match="gamma must be above 0 and at most 1"):
        Staircase(epsilon=1, gamma=1.5)
    with pytest.raises(ArgumentError, match="shift must be an integer"):
        DiscreteLaplace(epsilon=1).hockey_stick(1, 0.5)
    with pytest.raises(ArgumentError, match="confidence must be strictly between 0 and 1"):
        Laplace(epsilon=1).error_bound(1)
    with pytest.raises(ArgumentError, match="q must be strictly between 0 and 1"):
        Laplace(epsilon=1).quantile([0.5, 1.0])
    with pytest.raises(TypeError):
        Laplace(1)


def test_wide_integer_noise_is_refused_not_attempted():
    with pytest.raises(RegimeError, match="tabulated for sigma up to"):
        DiscreteGaussian(epsilon=1e-3, delta=1e-9, sensitivity=10**6)
    with pytest.raises(RegimeError, match="at most 4000000 can be listed"):
        RoundedTulap(epsilon=1e-3, sensitivity=10**6)


def test_decimals_fractions_and_strings_mean_the_same():
    assert Tulap(epsilon="1/5", delta="0.05").variance == Tulap(epsilon=0.2, delta=0.05).variance
    assert Tulap(epsilon=Fraction(1, 5), delta=0.05).epsilon == 0.2


@pytest.mark.parametrize("kind", [Laplace, AnalyticGaussian, Tulap, TruncatedLaplace, RoundedTulap])
def test_inverse_error_is_the_smallest_epsilon(kind):
    epsilon = inverse_error(kind, error=5, confidence=0.9, delta=1e-3)
    assert kind(epsilon=epsilon, delta=1e-3).error_bound(0.9) <= 5
    assert kind(epsilon=epsilon * (1 - 1e-6), delta=1e-3).error_bound(0.9) > 5


def test_inverse_error_at_the_edges():
    assert inverse_error(Uniform, error=3, confidence=0.9, delta=0.2) == 0.0
    with pytest.raises(RegimeError, match="at no epsilon that it supports"):
        inverse_error(Uniform, error=1, confidence=0.9, delta=0.2)
    with pytest.raises(RegimeError, match="at no epsilon that it supports"):
        inverse_error(Gaussian, error=0.1, confidence=0.9, delta=0.2)
    reached = inverse_error(Gaussian, error=6, confidence=0.9, delta=0.01)
    assert 0.5 < reached < 1
    with pytest.raises(ArgumentError, match="error must be positive"):
        inverse_error(Laplace, error=0, confidence=0.9)
