"""Designs as SciPy distributions: consistent with themselves and with SciPy's own machinery."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import integrate, stats

from leastnoise import design
from leastnoise.errors import ArgumentError
from leastnoise.interop import to_scipy


@pytest.fixture(scope="module")
def plain():
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)


@pytest.fixture(scope="module")
def with_atom():
    made = design(epsilon=4, delta=0.4, sensitivity=1, gap=0.2)
    assert made.noise.atom > 0.1
    return made


def test_law(plain):
    law = to_scipy(plain)
    noise = plain.noise
    assert law.mean() == pytest.approx(0, abs=1e-12)
    assert law.var() == pytest.approx(noise.variance)
    assert law.moment(4) == pytest.approx(law.expect(lambda x: x**4))
    assert law.expect(np.abs) == pytest.approx(noise.expected_loss("l1"), rel=1e-3)
    assert law.support() == noise.support
    low, high = noise.support
    edges = noise._edges[(noise._edges > low) & (noise._edges < high)]
    mass = integrate.quad(law.pdf, low, high, points=edges.tolist(), limit=500)[0]
    assert mass == pytest.approx(1, abs=1e-8)
    q = np.array([0.01, 0.3, 0.5, 0.9, 0.999])
    assert law.cdf(law.ppf(q)) == pytest.approx(q)
    assert law.interval(0.95)[1] == pytest.approx(noise.error_bound(0.95), rel=1e-9)
    assert np.isfinite(law.entropy())
    assert law(loc=5, scale=2).mean() == pytest.approx(5)


def test_atom_is_in_all_but_the_density(with_atom):
    law, atom = to_scipy(with_atom), with_atom.noise.atom
    assert law.atom == atom
    below = law.cdf(-1e-12)
    assert law.cdf(0.0) - below == pytest.approx(atom, abs=1e-9)
    assert law.ppf(0.5) == 0.0
    assert law.expect(np.ones_like) == pytest.approx(1, abs=1e-12)
    assert law.expect(np.ones_like, lb=0.0, ub=0.0) == pytest.approx(atom)
    assert law.expect(lambda x: x**2) == pytest.approx(with_atom.noise.variance)
    assert law.expect(lambda x: x > 0, lb=0, conditional=True) < 0.5
    assert law.entropy() == -np.inf
    draws = law.rvs(size=20_000, random_state=1)
    assert np.mean(draws == 0) == pytest.approx(atom, abs=0.02)


def test_samples_follow_the_law_and_the_seed(plain):
    law = to_scipy(plain)
    draws = law.rvs(size=5000, random_state=7)
    assert stats.kstest(draws, law.cdf).pvalue > 1e-4
    assert np.array_equal(draws, law.rvs(size=5000, random_state=7))
    # The exact sampler of the design follows the same law.
    assert stats.kstest(plain.noise.sample(5000), law.cdf).pvalue > 1e-4


def test_integers():
    made = design(epsilon=1, delta=0.1, sensitivity=2, integer=True)
    law = to_scipy(made)
    k = np.arange(-40, 41)
    assert law.pmf(k).sum() == pytest.approx(1)
    assert law.pmf(0.5) == 0
    assert law.cdf(k) == pytest.approx(np.cumsum(law.pmf(k)), abs=1e-12)
    assert law.var() == pytest.approx(made.noise.variance)
    assert law.expect(lambda x: x**2) == pytest.approx(made.noise.variance)
    assert law.ppf(0.5) == 0
    draws = law.rvs(size=100, random_state=3)
    assert np.all(draws == np.round(draws))


def test_pickle_and_refusal(plain):
    law = to_scipy(plain)
    again = pickle.loads(pickle.dumps(law))
    assert again.cdf(0.3) == law.cdf(0.3)
    with pytest.raises(ArgumentError, match="no shape"):
        law.expect(np.abs, args=(1,))
