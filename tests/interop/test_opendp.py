"""Designs as OpenDP measurements, and OpenDP's canonical noise, in the real package."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from leastnoise import design
from leastnoise.errors import ArgumentError, MissingExtraError
from leastnoise.interop import to_opendp, to_opendp_profile
from leastnoise.mechanisms import Tulap

dp = pytest.importorskip("opendp.prelude")


@pytest.fixture(scope="module", autouse=True)
def features():
    dp.enable_features("contrib", "honest-but-curious")


@pytest.fixture(scope="module")
def real():
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)


def canonical():
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_canonical_noise(*space, d_in=1.0, d_out=(1.0, 0.2))


def test_measurement_releases_and_maps(real):
    measurement = to_opendp(real)
    assert measurement.map(1.0) == (1.0, 0.2)
    assert measurement.map(0.25) == (1.0, 0.2)
    assert measurement.map(0.0) == (0.0, 0.0)
    epsilon, delta = measurement.map(2.0)  # group privacy
    assert epsilon == 2.0
    assert delta == pytest.approx(0.2 * (1 + math.e), rel=1e-12)
    assert delta >= 0.2 * (1 + math.e)
    errors = np.array([measurement(10.0) - 10.0 for _ in range(2000)])
    assert abs(errors.mean()) < 5 * real.noise.std / math.sqrt(2000)
    assert np.abs(errors).mean() == pytest.approx(real.noise.expected_loss("l1"), rel=0.1)


def test_it_composes_with_opendps_own(real):
    both = dp.c.make_composition([to_opendp(real), canonical()])
    assert both.map(1.0) == pytest.approx((2.0, 0.4))
    assert len(both(3.0)) == 2


def test_it_ends_a_pipeline_of_opendp(real):
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    bounded = space >> dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_sum()
    whole = bounded >> to_opendp(real)
    epsilon, delta = whole.map(1)
    # OpenDP's float sum is a hair more sensitive than 1; the map says what that costs.
    assert epsilon == 1.0
    assert 0.2 <= delta < 0.21
    assert isinstance(whole([0.1, 0.2, 0.9]), float)


def test_data_never_make_it_fail(real):
    measurement = to_opendp(real)
    for value in (math.inf, -math.inf, 1e300, -1e300, 5e-324, 2.0**52, 1e308):
        assert math.isfinite(measurement(value))
    assert abs(measurement(math.nan)) < 10  # outside the domain: as if it were 0
    whole = to_opendp(design(epsilon=1, delta=0.1, sensitivity=2, integer=True), T="i64")
    for value in (2**52, -(2**52), 2**62, 2**63 - 1, -(2**63)):
        assert abs(whole(value) - value) < 100


def test_a_binary_distance_beyond_the_decimal_sensitivity_is_paid_for():
    tenth = to_opendp(design(epsilon=1, delta=0.2, sensitivity=0.1, gap=0.05))
    epsilon, delta = tenth.map(0.1)  # the float 0.1 is above one tenth
    assert epsilon == 1.0
    assert 0.2 < delta < 0.2 + 1e-9
    assert tenth.map(0.05) == (1.0, 0.2)


def test_integers(real):
    whole = design(epsilon=1, delta=0.1, sensitivity=2, integer=True)
    measurement = to_opendp(whole)
    assert isinstance(measurement(5), int)
    assert measurement.map(2) == (1.0, 0.1)
    assert measurement.map(3)[0] == 2.0
    assert -(2**31) <= measurement(2**31 - 1) <= 2**31 - 1
    assert abs(to_opendp(whole, T="i64")(2**40) - 2**40) < 100
    with pytest.raises(ArgumentError, match="T must be one of i32, i64"):
        to_opendp(whole, T="f64")
    with pytest.raises(ArgumentError, match="T must be one of f64"):
        to_opendp(real, T="i32")


def test_profile(real):
    profile = to_opendp_profile(real)
    for epsilon in (0.0, 0.5, 1.0, 3.0):
        exact = float(real.noise.profile(epsilon))
        assert exact <= profile.delta(epsilon) <= exact + 1e-8
    assert profile.epsilon(0.2) <= 1 + 1e-6


def test_missing_extra(monkeypatch, real):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtraError, match=r"leastnoise\[opendp\]"):
        to_opendp(real)


def test_canonical_noise_has_the_moments_of_tulap():
    """E|X| is 0.579 and the standard deviation 0.727 at (1, 0.2), from OpenDP's own sampler."""
    noise = Tulap(epsilon=1, delta=0.2)
    assert noise.expected_loss("l1") == pytest.approx(0.579, abs=5e-4)
    assert noise.std == pytest.approx(0.727, abs=5e-4)
    measurement = canonical()
    draws = np.array([measurement(0.0) for _ in range(8000)])
    assert np.abs(draws).max() <= noise.support[1] + 1e-9
    # Five standard errors; the spread of |X| is below 0.45 and that of X^2 below 0.6.
    size = np.abs(draws)
    assert size.mean() == pytest.approx(noise.expected_loss("l1"), abs=5 * 0.45 / 8000**0.5)
    assert np.mean(draws**2) == pytest.approx(noise.variance, abs=5 * 0.65 / 8000**0.5)
