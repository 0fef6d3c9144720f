"""Closed-form moments against quadrature, and the formulas of the literature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_budgets import BUDGETS, real, whole

from leastnoise.baselines import (
    AnalyticGaussian,
    AtomStaircase,
    Laplace,
    Staircase,
    TruncatedLaplace,
    Tulap,
    Uniform,
    UniformAtom,
    closed_forms,
)
from leastnoise.baselines.expectation import expected_by_quadrature
from leastnoise.losses import Custom, Power, as_loss


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("sensitivity", [1.0, 0.36])
def test_moments_agree_with_quadrature(epsilon, delta, sensitivity):
    for noise in real(epsilon, delta, sensitivity):
        for name in ("l1", "l2"):
            by_quadrature = expected_by_quadrature(
                noise._density, as_loss(name), noise._panels(56.0)
            )
            assert noise.expected_loss(name) == pytest.approx(by_quadrature, rel=1e-11), noise
        assert noise.variance == noise.expected_loss("l2")


@pytest.mark.parametrize(("epsilon", "delta"), [b for b in BUDGETS if b[0] or b[1] > 1e-3])
@pytest.mark.parametrize("sensitivity", [1, 2, 3])
def test_moments_of_integer_noise_agree_with_sums(epsilon, delta, sensitivity):
    for noise in whole(epsilon, delta, sensitivity):
        k = noise._panels(56.0)
        for power, name in ((1, "l1"), (2, "l2")):
            total = 2 * float((noise.pmf(k) * k**power).sum())
            assert noise.expected_loss(name) == pytest.approx(total, rel=1e-11), noise


def test_staircase_formulas():
    for epsilon in (0.01, 0.5, 1.0, 3.0, 10.0):
        b = math.exp(-epsilon)
        first = math.exp(epsilon / 2) / math.expm1(epsilon)
        second = (2 ** (-2 / 3) * b ** (2 / 3) * (1 + b) ** (2 / 3) + b) / (1 - b) ** 2
        for scale in (1, 2.5):
            l1 = Staircase(epsilon=epsilon, sensitivity=scale).expected_loss("l1")
            l2 = Staircase(epsilon=epsilon, sensitivity=scale, loss="l2").expected_loss("l2")
            assert l1 == pytest.approx(scale * first, rel=1e-12)
            assert l2 == pytest.approx(scale**2 * second, rel=1e-10)


def test_atom_scales_the_loss():
    plain = Staircase(epsilon=2)
    atom = AtomStaircase(epsilon=2, delta="0.3")
    assert atom.atoms == [(0.0, 0.3)]
    assert atom.expected_loss("l1") == pytest.approx(0.7 * plain.expected_loss("l1"), rel=1e-14)
    assert atom.expected_loss("huber:0.5") == pytest.approx(
        0.7 * Staircase(epsilon=2, gamma=atom.gamma).expected_loss("huber:0.5"), rel=1e-13
    )


def test_the_closed_gammas_are_minima():
    for loss, epsilon in (("l1", 1.5), ("l2", 1.5), ("l2", 0.1), ("l1", 8)):
        best = Staircase(epsilon=epsilon, loss=loss)
        for factor in (0.98, 1.02):
            other = Staircase(epsilon=epsilon, gamma=min(1.0, best.gamma * factor))
            assert other.expected_loss(loss) > best.expected_loss(loss)


def test_the_search_finds_the_closed_gamma():
    # |x| as a Python function: no closed form is recognised, so the search must find it.
    plain = Custom(abs, convex=True)
    for epsilon in (0.5, 2, 10):
        found = Staircase(epsilon=epsilon, loss=plain)
        assert found.gamma == pytest.approx(1 / (1 + math.exp(epsilon / 2)), rel=1e-4)
        assert found.expected_loss("l1") == pytest.approx(
            Staircase(epsilon=epsilon).expected_loss("l1"), rel=1e-9
        )


def test_uniform_formulas():
    assert Uniform(delta=0.2).expected_loss("l1") == pytest.approx(1.25)
    assert Uniform(delta=0.2).variance == pytest.approx(25 / 12)
    assert UniformAtom(delta=0.75).expected_loss("l1") == pytest.approx(0.25)
    assert UniformAtom(delta=0.75).atoms == [(0.0, 0.5)]
    assert UniformAtom(delta=0.2).atoms == []


def test_tulap_solves_its_recursion():
    for epsilon, delta in ((1.0, 0.2), (0.3, 1e-4), (2.0, 0.0), (0.0, 0.3), (4.0, 0.7)):
        noise = Tulap(epsilon=epsilon, delta=delta, sensitivity=2)
        x = np.linspace(-6, 1, 200)
        below = np.maximum(0, math.exp(-epsilon) * (noise.cdf(x) - delta))
        assert np.allclose(noise.cdf(x - 2), below, atol=1e-14)


@pytest.mark.parametrize("p", [1.1, 1.5, 2.5, 3, 7, 16])
def test_powers_against_gamma_functions(p):
    loss = Power(p)
    laplace = Laplace(epsilon=1, sensitivity=2).expected_loss(loss)
    assert laplace == pytest.approx(2**p * math.gamma(p + 1), rel=1e-12)
    normal = AnalyticGaussian(epsilon=1, delta=0.01)
    exact = normal.sigma**p * 2 ** (p / 2) * math.gamma((p + 1) / 2) / math.sqrt(math.pi)
    assert normal.expected_loss(loss) == pytest.approx(exact, rel=1e-12)
    flat = Uniform(delta=0.1).expected_loss(loss)
    assert flat == pytest.approx(5**p / (p + 1), rel=1e-12)


def test_asymmetric_losses_fold():
    for noise in real(1, 0.2):
        half = noise.expected_loss("l1") / 2
        assert noise.expected_loss("pinball:0.9") == pytest.approx(half, rel=1e-14)
    lopsided = Custom(lambda x: abs(x) * (2 if x > 0 else 1), convex=True)
    noise = Tulap(epsilon=1, delta=0.2)
    assert noise.expected_loss(lopsided) == pytest.approx(1.5 * noise.expected_loss("l1"), 1e-12)


def test_kinks_off_the_steps_are_integrated_exactly():
    # c = |x - 0.3| on uniform noise over [-2.5, 2.5]: (2.8^2 + 2.2^2)/(4 * 2.5).
    loss = as_loss({"name": "piecewise", "points": [["0.3", "0"]], "slopes": ["-1", "1"]})
    exact = (2.8**2 + 2.2**2) / 10
    assert Uniform(delta=0.2).expected_loss(loss) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("sensitivity", [1e-9, 1e9])
def test_extreme_sensitivities_scale(sensitivity):
    for noise in real(0.3, 1e-6, sensitivity):
        unit = type(noise)(epsilon=0.3, delta=1e-6)
        assert noise.expected_loss("l1") == pytest.approx(sensitivity * unit.expected_loss("l1"))
        assert noise.error_bound(0.9) == pytest.approx(sensitivity * unit.error_bound(0.9))
        assert float(noise.profile(0.3)) == pytest.approx(float(unit.profile(0.3)), abs=1e-15)


def test_closed_forms_lists_what_serves():
    names = {noise.name for noise in closed_forms(epsilon=0, delta="0.1")}
    assert names >= {"calibrated-laplace", "analytic-gaussian", "tulap", "uniform", "uniform-atom"}
    assert not names & {"laplace", "staircase", "atom-staircase", "truncated-laplace", "gaussian"}
    names = {noise.name for noise in closed_forms(epsilon=2, delta=0)}
    assert names >= {"laplace", "calibrated-laplace", "staircase", "atom-staircase", "tulap"}
    assert not names & {"gaussian", "analytic-gaussian", "uniform", "uniform-atom"}
    tuned = closed_forms(epsilon=2, delta=0.1, loss="l2")
    gammas = {noise.gamma for noise in tuned if isinstance(noise, Staircase)}
    assert gammas == {Staircase(epsilon=2, loss="l2").gamma}


def test_truncated_laplace_short_cut_does_not_cancel():
    # As epsilon -> 0 it tends to uniform noise.
    noise = TruncatedLaplace(epsilon=1e-6, delta=0.3)
    assert noise.expected_loss("l1") == pytest.approx(1 / 1.2, rel=1e-6)
    assert noise.variance == pytest.approx(1 / (12 * 0.09), rel=1e-5)
