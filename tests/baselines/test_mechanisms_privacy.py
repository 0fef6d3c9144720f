"""Every mechanism is private at its budget, and no wider than needed where it claims so."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_budgets import BUDGETS, brute_hockey_stick, real, whole

from leastnoise.baselines import (
    AnalyticGaussian,
    AtomStaircase,
    CalibratedLaplace,
    DiscreteGaussian,
    DiscreteLaplace,
    Laplace,
    RoundedTulap,
    Staircase,
    TruncatedDiscreteLaplace,
    TruncatedLaplace,
    Tulap,
    Uniform,
    UniformAtom,
)
from leastnoise.baselines.discrete_gaussian import discrete_gaussian_delta
from leastnoise.baselines.discrete_laplace import cut_cost

#: Uses up delta at every budget it serves.
TIGHT = (CalibratedLaplace, AnalyticGaussian, AtomStaircase, Tulap, Uniform, UniformAtom)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("sensitivity", [1.0, 0.36])
def test_private_at_every_shift(epsilon, delta, sensitivity):
    for noise in real(epsilon, delta, sensitivity):
        worst = float(noise.profile(epsilon))
        assert worst <= delta + 1e-12, noise
        for shift in np.linspace(sensitivity / 24, sensitivity, 24):
            value = noise.hockey_stick(epsilon, shift)
            assert value <= worst + 1e-13, (noise, shift)
            assert noise.hockey_stick(epsilon, -shift) == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 6])
def test_integer_noise_is_private_at_every_whole_shift(epsilon, delta, sensitivity):
    for noise in whole(epsilon, delta, sensitivity):
        worst = float(noise.profile(epsilon))
        assert worst <= delta + 1e-12, noise
        values = [noise.hockey_stick(epsilon, s) for s in range(1, sensitivity + 1)]
        assert max(values) == pytest.approx(worst, abs=1e-13), noise


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.3), (0.5, 0.05), (1.0, 0.2), (3.0, 0.75)])
def test_profile_is_the_worst_shift_at_other_epsilons(epsilon, delta):
    for noise in real(epsilon, delta):
        for other in (0.0, 0.4, epsilon + 1):
            grid = max(noise.hockey_stick(other, s) for s in np.linspace(0.02, 1, 50))
            assert grid <= float(noise.profile(other)) + 1e-13, noise


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.3), (0.5, 0.05), (1.0, 0.2), (3.0, 0.75)])
def test_hockey_stick_agrees_with_the_density(epsilon, delta):
    for noise in real(epsilon, delta):
        for shift, other in ((1.0, epsilon), (0.37, 0.1), (-0.8, 0.0), (1.4, epsilon)):
            brute = brute_hockey_stick(noise, other, shift)
            assert noise.hockey_stick(other, shift) == pytest.approx(brute, abs=3e-4), noise


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.3), (0.5, 0.05), (1.0, 0.2), (3.0, 0.6)])
@pytest.mark.parametrize("sensitivity", [1, 2, 3])
def test_integer_hockey_stick_agrees_with_the_masses(epsilon, delta, sensitivity):
    k = np.arange(-400.0, 401)
    for noise in whole(epsilon, delta, sensitivity):
        for shift in (-1, 1, sensitivity, sensitivity + 1):
            for other in (0.0, 0.3, epsilon):
                gain = noise.pmf(k) - math.exp(other) * noise.pmf(k - shift)
                brute = float(np.maximum(gain, 0).sum())
                assert noise.hockey_stick(other, shift) == pytest.approx(brute, abs=1e-12), noise


@pytest.mark.parametrize(("epsilon", "delta"), [b for b in BUDGETS if b[1] > 0])
def test_delta_is_used_up_where_claimed(epsilon, delta):
    # Noise of 95 % of the scale at shift 1 is the noise itself at shift 1/0.95.
    for noise in real(epsilon, delta):
        tight = isinstance(noise, TIGHT) or (noise.name == "truncated-laplace" and delta <= 0.5)
        if tight and not (noise.name == "uniform" and delta > 0.95):
            assert float(noise.profile(epsilon)) == pytest.approx(delta, abs=1e-12), noise
            assert noise.hockey_stick(epsilon, 1 / 0.95) > delta * (1 + 1e-6), noise


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_pure_noise_is_tight_too(epsilon):
    for noise in (Laplace(epsilon=epsilon), Staircase(epsilon=epsilon), Tulap(epsilon=epsilon)):
        assert float(noise.profile(epsilon)) < 1e-14
        assert noise.hockey_stick(epsilon, 1 / 0.95) > 1e-6


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0, 10.0])
@pytest.mark.parametrize("delta", [0.3, 0.5, 0.51, 0.75, 0.99])
def test_truncated_laplace_beyond_one_half(epsilon, delta):
    """Private for every delta < 1; the waste beyond 1/2 is that of laplace.proof.md."""
    noise = TruncatedLaplace(epsilon=epsilon, delta=delta)
    waste = max(0.0, 2 * delta - 1) ** 2 * -math.expm1(-epsilon) / (4 * delta)
    assert float(noise.profile(epsilon)) == pytest.approx(delta - waste, abs=1e-12)
    assert ("still private" in noise.note) == (delta > 0.5)


def test_integer_noise_cannot_shrink():
    for epsilon, delta, d in ((1.0, 0.2, 1), (0.3, 1e-3, 2), (3.0, 0.6, 5), (0.0, 0.3, 4)):
        normal = DiscreteGaussian(epsilon=epsilon, delta=delta, sensitivity=d)
        assert float(normal.profile(epsilon)) == pytest.approx(delta, abs=1e-12)
        assert discrete_gaussian_delta(epsilon, d, 0.95 * normal.sigma) > delta
        cut = TruncatedDiscreteLaplace(epsilon=epsilon, delta=delta, sensitivity=d)
        reach = cut.support[1]
        assert cut_cost(cut.rate, d, reach) == pytest.approx(float(cut.profile(epsilon)), abs=1e-13)
        assert cut_cost(cut.rate, d, reach) <= delta < cut_cost(cut.rate, d, reach - 1)
    assert float(DiscreteLaplace(epsilon=1).profile(0.95)) > 1e-3
    assert float(RoundedTulap(epsilon=1, delta=0.2).profile(0.95)) > 0.2 + 1e-3


def test_shift_zero_and_small_shifts():
    noise = UniformAtom(delta=0.75)
    assert noise.hockey_stick(0.5, 0.0) == 0.0
    assert noise.hockey_stick(0.5, 1e-9) == pytest.approx(0.5, abs=1e-8)
    assert noise.hockey_stick(-1.0, 0.0) == pytest.approx(1 - math.exp(-1))


def test_classic_gaussian_formula_is_not_private_beyond_its_regime():
    # Why epsilon > 1 is refused: the same formula at epsilon = 20.
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 20
    noise = AnalyticGaussian(epsilon=20, delta=1e-5)
    assert noise.sigma > sigma
