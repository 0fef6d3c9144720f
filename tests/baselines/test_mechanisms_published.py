"""Published numbers: Example 1 and figure 3 of the paper, and what peers ship."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise.baselines import (
    AnalyticGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RoundedTulap,
    Staircase,
    TruncatedLaplace,
    Tulap,
)
from leastnoise.gaussian import gaussian_delta


def test_example_1():
    """Standard deviations in INR; the data are in thousands. Laplace used D = 70/194."""
    laplace = Laplace(epsilon=1, delta=0.2, sensitivity=Fraction(70, 194))
    assert 1000 * laplace.std == pytest.approx(510.28, abs=0.005)
    for kind, inr in ((Gaussian, 689.21), (AnalyticGaussian, 300.96), (TruncatedLaplace, 273.48)):
        assert 1000 * kind(epsilon=1, delta=0.2, sensitivity=0.36).std == pytest.approx(
            inr, abs=0.005
        )


@pytest.mark.parametrize(
    ("kind", "first", "std"),
    [
        (Tulap, 0.579, 0.727),
        (TruncatedLaplace, 0.612, 0.760),
        (AnalyticGaussian, 0.667, 0.836),
        (Staircase, 0.960, 1.386),
        (Laplace, 1.000, 1.414),
    ],
)
def test_moments_of_what_peers_ship(kind, first, std):
    noise = kind(epsilon=1, delta=0.2)
    assert noise.expected_loss("l1") == pytest.approx(first, abs=5e-4)
    assert noise.std == pytest.approx(std, abs=5e-4)


def test_classic_gaussian():
    # The peers' E|X| was sampled; sigma is exact.
    noise = Gaussian(epsilon=1, delta=0.2)
    assert noise.std == pytest.approx(1.914, abs=5e-4)
    assert noise.expected_loss("l1") == pytest.approx(1.529, abs=2e-3)


@pytest.mark.parametrize(
    ("epsilon", "delta", "truncated"),
    [(5, 0.25, 0.392281), (1, 0.2, 1.22392), (0.2, 0.05, 4.72669)],
)
def test_figure_3_truncated_laplace(epsilon, delta, truncated):
    noise = TruncatedLaplace(epsilon=epsilon, delta=delta, sensitivity=2)
    assert noise.expected_loss("l1") == pytest.approx(truncated, rel=1e-5)


@pytest.mark.parametrize(("epsilon", "delta", "sigma"), [(1, 0.2, 1.6719974), (0.2, 0.05, 6.653)])
def test_figure_3_analytic_gaussian(epsilon, delta, sigma):
    noise = AnalyticGaussian(epsilon=epsilon, delta=delta, sensitivity=2)
    assert noise.sigma == pytest.approx(sigma, rel=1e-4)


def test_figure_3_analytic_gaussian_at_large_epsilon():
    """The value read off the left panel, sigma = 0.5782, would need delta = 1/2 and not 1/4."""
    assert gaussian_delta(5, 0.5782 / 2) == pytest.approx(0.5, abs=1e-3)
    assert AnalyticGaussian(epsilon=5, delta=0.25, sensitivity=2).sigma == pytest.approx(0.709315)


def test_integers():
    assert RoundedTulap(epsilon=1, delta=0.2).expected_loss("l1") == pytest.approx(0.4415, abs=5e-5)
    assert DiscreteLaplace(epsilon=1).expected_loss("l1") == pytest.approx(0.851, abs=5e-4)
    wide = {"epsilon": 2, "delta": 0.05, "sensitivity": 2}
    assert RoundedTulap(**wide).expected_loss("l1") == pytest.approx(0.867, abs=5e-4)
    assert DiscreteLaplace(**wide).expected_loss("l1") == pytest.approx(0.851, abs=5e-4)


@pytest.mark.parametrize(
    ("epsilon", "delta", "best", "kind"),
    [
        (0.5, 0.01, 1.7639, Tulap),
        (1, 0.01, 0.9146, Tulap),
        (2, 0.05, 0.4255, Staircase),
        (2, 0.2, 0.3807, Tulap),
        (3, 0.2, 0.2348, Staircase),
        (5, 0.2, 0.0826, Staircase),
    ],
)
def test_best_shipped_baselines(epsilon, delta, best, kind):
    value = kind(epsilon=epsilon, delta=delta).expected_loss("l1")
    assert value == pytest.approx(best, abs=1e-4)
