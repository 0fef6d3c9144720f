"""Density, distribution function, quantiles, interval masses and samples tell one story."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_budgets import BUDGETS, real, whole
from scipy import stats

from leastnoise.baselines import Laplace, Staircase, Tulap, closed_forms

LEVELS = np.array([1e-9, 0.003, 0.2, 0.49, 0.51, 0.8, 0.997])


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_cdf_is_the_integral_of_the_density(epsilon, delta):
    for noise in real(epsilon, delta):
        edges = np.linspace(0, min(noise.support[1], 4 * noise.std), 4001)[1:-1]
        middle = (edges[1:] + edges[:-1]) / 2
        jumps = np.concatenate([[-np.inf], np.sort(noise.breakpoints()), [np.inf]])
        after = np.searchsorted(jumps, middle)
        smooth = np.minimum(middle - jumps[after - 1], jumps[after] - middle) > np.diff(edges)
        by_density = noise.pdf(middle) * np.diff(edges)
        by_cdf = np.diff(noise.cdf(edges))
        assert np.allclose(by_density[smooth], by_cdf[smooth], rtol=1e-2, atol=1e-13), noise
        assert np.all(by_cdf >= 0)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_quantile_inverts_cdf(epsilon, delta):
    for noise in real(epsilon, delta):
        x = noise.quantile(LEVELS)
        at_atom = (x == 0) & bool(noise.atoms)
        assert np.allclose(noise.cdf(x)[~at_atom], LEVELS[~at_atom], rtol=1e-9), noise
        assert np.all(np.diff(x) >= 0)
    for noise in whole(epsilon, delta, 2):
        k = noise.quantile(LEVELS)
        assert np.all(noise.cdf(k) >= LEVELS - 1e-15), noise
        assert np.all(noise.cdf(k - 1) < LEVELS + 1e-15), noise


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_masses_add_up(epsilon, delta):
    for noise in [*real(epsilon, delta), *whole(epsilon, delta)]:
        edges = np.concatenate([[-np.inf], np.linspace(-5, 5, 83) * noise.std, [np.inf]])
        masses = noise.interval_mass(edges)
        atom = sum(mass for _, mass in noise.atoms)
        assert masses.sum() + atom == pytest.approx(1, abs=1e-13), noise
        assert np.all(masses >= 0)
        assert np.allclose(noise.cdf(edges) + noise.sf(edges), 1, atol=1e-15)


def test_interval_masses_keep_relative_accuracy_in_both_tails():
    edges = np.array([-500.0, -499.5, -0.25, 0.25, 499.5, 500.0])
    laplace = Laplace(epsilon=1).interval_mass(edges)
    exact = 0.5 * math.exp(-499.5) * -math.expm1(-0.5)
    assert laplace[0] == pytest.approx(exact, rel=1e-12)
    assert laplace[-1] == pytest.approx(exact, rel=1e-12)
    stair = Staircase(epsilon=1, gamma=0.25).interval_mass(edges)
    density = Staircase(epsilon=1, gamma=0.25).pdf([499.75])[0]
    assert stair[0] == stair[-1] > 0
    assert stair[0] == pytest.approx(0.25 * density * (1 + math.exp(1)), rel=1e-12)
    assert Laplace(epsilon=1).cdf(-600.0) == pytest.approx(0.5 * math.exp(-600), rel=1e-12)


def test_error_bound_is_the_smallest():
    for noise in [*real(1, 0.2), *whole(1, 0.2, 3), *real(2, 0.9), *real(0.2, 1e-7)]:
        for confidence in (0.3, 0.9, 0.999):
            t = noise.error_bound(confidence)
            inside = float(noise.cdf(t) - noise.cdf(np.nextafter(-t, -np.inf)))
            assert inside >= confidence - 1e-12, noise
            if t > 0:
                less = np.nextafter(t, 0) if noise.integer else t * (1 - 1e-9)
                inside = float(noise.cdf(less) - noise.cdf(np.nextafter(-less, -np.inf)))
                assert inside < confidence, noise


def test_error_bound_is_zero_inside_the_atom():
    atom = next(n for n in real(2, 0.9) if n.name == "atom-staircase")
    assert atom.error_bound(0.9) == 0.0
    assert atom.error_bound(0.95) > 0


def test_support():
    assert Laplace(epsilon=1).support == (-math.inf, math.inf)
    low, high = Tulap(epsilon=1, delta=0.2).support
    assert low == -high
    assert Tulap(epsilon=1, delta=0.2).cdf([low, high]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.7), (1.0, 0.2), (3.0, 1e-3), (0.05, 0.0)])
def test_samples_follow_the_law_and_would_notice_a_wrong_scale(epsilon, delta):
    rng = np.random.default_rng(20240607)
    for noise in real(epsilon, delta):
        draws = noise.sample(20_000, rng)
        zero = draws == 0
        atom = sum(mass for _, mass in noise.atoms)
        assert abs(zero.mean() - atom) < 5 * math.sqrt(0.25 / len(draws))
        rest = draws[~zero]

        def law(x, noise=noise, atom=atom):
            return (noise.cdf(x) - atom * (np.asarray(x) >= 0)) / (1 - atom)

        assert stats.kstest(rest, law).pvalue > 1e-4, noise
        for factor in (0.7, 1.3):
            assert stats.kstest(factor * rest, law).pvalue < 1e-6, noise


def test_integer_samples_follow_the_law_and_would_notice_a_wrong_scale():
    rng = np.random.default_rng(7)
    pairs = zip(whole(1, 0.2, 3), whole(1.4, 0.2, 3), strict=True)
    for noise, other in pairs:
        draws = noise.sample(20_000, rng)
        assert np.all(draws == np.rint(draws))
        values = np.arange(-8, 9)
        seen = np.array([(draws == k).sum() for k in values])
        for candidate, accept in ((noise, True), (other, False)):
            expected = candidate.pmf(values) * len(draws)
            keep = expected > 5
            chi = float((((seen - expected) ** 2)[keep] / expected[keep]).sum())
            tail = stats.chi2.sf(chi, int(keep.sum()) - 1)
            assert (tail > 1e-4) if accept else (tail < 1e-6), (noise, tail)


def test_every_mechanism_says_what_it_is():
    seen = set()
    for noise in [*closed_forms(epsilon=1, delta=0.2), *whole(1, 0.2)]:
        assert noise.name not in seen
        seen.add(noise.name)
        assert noise.label and noise.citation and noise.mean == 0.0
        assert type(noise).__name__ in repr(noise)
        with pytest.raises(AttributeError, match="immutable"):
            noise.epsilon = 3.0
    # (Others may come; each is in the lists, or its test would have nothing to see.)
    assert {"laplace", "tulap", "uniform", "discrete-laplace", "discrete-gaussian"} <= seen
