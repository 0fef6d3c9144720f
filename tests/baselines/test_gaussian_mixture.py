"""Mixtures of Gaussians: the worst shift is inside, few shifts bound it, and sigma is tight."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from leastnoise.baselines import AnalyticGaussian, GaussianMixture
from leastnoise.baselines.gaussian_mixture import Mixture
from leastnoise.errors import ArgumentError, RegimeError


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 0.05), (2.0, 0.01), (5.0, 1e-3), (10.0, 0.25)]
)
def test_no_shift_exceeds_delta_and_one_reaches_it(epsilon, delta):
    noise = GaussianMixture(epsilon=epsilon, delta=delta)
    shifts = np.linspace(0, 1, 401)
    sticks = Mixture(epsilon, noise.centers, noise.sigma).stick(epsilon, shifts)
    assert 0.99 * delta < sticks.max() <= delta
    assert sticks.argmax() < 390  # the largest shift is not the worst one
    narrower = Mixture(epsilon, noise.centers, 0.995 * noise.sigma)
    assert narrower.stick(epsilon, shifts).max() > delta


@pytest.mark.parametrize("sigma", [0.15, 0.4, 3.0])
def test_two_shifts_bound_those_between(sigma):
    # The statement that the proof is about, on intervals as wide as half a standard deviation.
    law = Mixture(1.0, 4, sigma)
    for low in np.linspace(0, 1, 7):
        width = sigma / 2
        factor = 1 / math.cos(width / (2 * sigma))
        ends = law.stick(1.0 - math.log(factor), np.array([low, low + width]))
        between = law.stick(1.0, np.linspace(low, low + width, 9))
        assert between.max() <= factor * ends.max() + 1e-14


@pytest.mark.parametrize(("epsilon", "count", "sigma"), [(1, 20, 0.36), (5, 6, 0.24), (0.1, 9, 1)])
def test_the_density_is_the_sum_of_all_gaussians(epsilon, count, sigma):
    law = Mixture(epsilon, count, sigma)
    assert (law.terms is None) == (sigma == 1)  # all centers, or those near enough to matter
    x = np.linspace(-law.end - 1, law.end + 1, 501)
    bells = norm.pdf(x[:, None], law.centers, sigma)
    density, slope = law.tangent(x)
    np.testing.assert_allclose(density, bells @ law.weights, rtol=1e-12)
    np.testing.assert_array_equal(density, law.density(x))
    rise = (law.centers - x[:, None]) * bells @ law.weights / sigma**2
    np.testing.assert_allclose(slope, rise, rtol=1e-9, atol=1e-9 * density.max())


def test_worst_is_close_to_a_fine_grid():
    for epsilon, count, sigma in ((1.0, 8, 0.36), (3.0, 2, 0.26), (0.0, 1, 0.9)):
        law = Mixture(epsilon, count, sigma)
        grid = law.stick(epsilon, np.linspace(0, 1, 401)).max()
        assert grid <= law.worst(epsilon) <= grid * 1.001 + 1e-15


def test_centers_are_chosen_for_the_loss():
    budget = {"epsilon": 2, "delta": "0.01"}
    for loss in ("l1", "l2"):
        chosen = GaussianMixture(**budget, loss=loss)
        costs = [
            GaussianMixture(**budget, centers=k).expected_loss(loss)
            for k in range(max(0, chosen.centers - 1), chosen.centers + 2)
        ]
        assert chosen.expected_loss(loss) <= min(costs) * 1.001
    one = GaussianMixture(**budget, centers=0)
    assert one.sigma == AnalyticGaussian(**budget).sigma
    assert chosen.note == f"{2 * chosen.centers + 1} Gaussians"


@pytest.mark.parametrize(
    ("epsilon", "delta", "published"),
    [(0.1, 0.05, 8.05), (0.25, 0.05, 9.69), (0.5, 0.1, 0.37), (0.75, 0.25, 10.91)],
)
def test_published_improvements_come_out_for_small_epsilon(epsilon, delta, published):
    # Table 1 of Liu, Selvi, Wiesemann: percent below the analytic Gaussian, l1.
    budget = {"epsilon": str(epsilon), "delta": str(delta)}
    single = AnalyticGaussian(**budget).expected_loss("l1")
    ours = 100 * (1 - GaussianMixture(**budget).expected_loss("l1") / single)
    assert published - 0.01 <= ours <= published + 0.1


def test_what_is_refused():
    with pytest.raises(RegimeError, match="delta > 0"):
        GaussianMixture(epsilon=1)
    for centers in (-1, 21, True, 1.5):
        with pytest.raises(ArgumentError, match="centers"):
            GaussianMixture(epsilon=1, delta="0.1", centers=centers)
