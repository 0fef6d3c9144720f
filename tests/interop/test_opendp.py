"""Designs as OpenDP measurements, and OpenDP's canonical noise, in the real package."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from leastnoise import Cube, Workload, design, partition_selection
from leastnoise.baselines import Tulap
from leastnoise.errors import ArgumentError, MissingExtraError
from leastnoise.interop import (
    OptimalMechanism,
    claims,
    make_least_noise,
    register_opendp,
    then_least_noise,
    to_opendp,
    to_opendp_profile,
    to_scipy,
)
from leastnoise.interop.claims import rho_of, worst_delta

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


def test_a_float_sensitivity_is_one_unit():
    """The float 0.1 is above one tenth; values are drawn together by that hair."""
    tenth = to_opendp(design(epsilon=1, delta=0.2, sensitivity=0.1, gap=0.05))
    assert tenth.map(0.1) == (1.0, 0.2)
    assert tenth.map(0.05) == (1.0, 0.2)
    assert tenth.map(math.nextafter(0.1, 1))[1] > 0.2
    pure = to_opendp(design(epsilon=1, delta=0, sensitivity=0.1, gap=0.05))
    assert pure.map(0.1) == 1.0 and pure.map(math.nextafter(0.1, 1)) == 2.0
    assert abs(tenth(1e15) - 1e15) < 2  # less than the last digits of the value


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


def proven(made, epsilon, delta):
    """The exact check, at the binary numbers themselves."""
    return worst_delta(made.document, Fraction(epsilon)) <= Fraction(delta)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.3, 1e-6), (1.0, 0.3)])
def test_typed_floats_are_kept(epsilon, delta):
    made = design(epsilon=epsilon, delta=delta, sensitivity=1, gap=0.05)
    assert Fraction(delta) < Fraction(str(delta))  # the float is the smaller one
    assert to_opendp(made).check(1.0, (epsilon, delta))
    assert proven(made, epsilon, delta)


@pytest.mark.parametrize("budget", [(0.7, 1e-5), (0.3, 0), (2.3, 1e-5), (0.7, 0), (1, 1e-6)])
@pytest.mark.parametrize("integer", [False, True])
def test_no_float_is_claimed_that_is_not_proven(budget, integer):
    made = design(epsilon=budget[0], delta=budget[1], sensitivity=1, integer=integer, gap=0.05)
    claim = to_opendp(made).map(1 if integer else 1.0)
    epsilon, delta = claim if isinstance(claim, tuple) else (claim, 0.0)
    assert proven(made, epsilon, delta)
    assert epsilon <= math.nextafter(budget[0], 9) and delta <= math.nextafter(budget[1], 1)
    refused = design(epsilon=0.3, delta=0, sensitivity=1, integer=True, gap=0.05)
    assert not proven(refused, 0.3, 0.0)  # this one has no slack at all: the test can fail
    assert to_opendp(refused).map(1) == math.nextafter(0.3, 1)


def test_pure_privacy_composes_with_laplace():
    made = to_opendp(design(epsilon=0.5, delta=0, sensitivity=1, gap=0.05))
    assert made.output_measure == dp.max_divergence()
    assert made.map(1.0) == 0.5 and made.map(3.0) == 1.5 and made.check(1.0, 0.5)
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    both = dp.c.make_composition([made, dp.m.make_laplace(*space, scale=1.0)])
    assert both.map(1.0) == pytest.approx(1.5)
    assert dp.c.make_approximate(made).map(1.0) == (0.5, 0.0)


@pytest.fixture(scope="module")
def curved():
    return design(gdp="0.3", sensitivity=1, integer=True, gap=0.5, time_limit=60)


def test_a_gaussian_curve_is_concentrated(curved):
    made = to_opendp(curved)
    assert made.output_measure == dp.zero_concentrated_divergence()
    assert made.check(1, 0.045) and made.map(2) >= 4 * 0.045
    assert curved.zcdp() >= 0.045 and curved.zcdp() == pytest.approx(0.045, rel=1e-15)
    # The promise holds for the noise as it is: Renyi's divergence at several orders.
    for alpha in (1.1, 2, 8):
        assert curved.renyi(alpha) <= alpha * 0.045 + 1e-9
    space = dp.atom_domain(T="i32"), dp.absolute_distance(T="i32")
    both = dp.c.make_composition([made, dp.m.make_gaussian(*space, scale=2.0)])
    assert both.map(1) == pytest.approx(0.045 + 0.125)
    assert dp.c.make_zCDP_to_approxDP(made).map(1).epsilon(1e-6) < 2
    assert (curved.epsilon, curved.total) == (None, None)
    one = to_opendp(curved, epsilon=1.0)
    epsilon, delta = one.map(1)
    assert epsilon == 1.0 and proven(curved, epsilon, delta)


def test_a_smaller_rho_is_claimed_only_with_slack(curved, monkeypatch):
    assert Fraction(0.045) < Fraction(3, 10) ** 2 / 2  # the float is the smaller one
    curve = curved.document.gdp
    # With deltas as large as the curve allows there is no slack, and no smaller float.
    assert replace(curve, mu=curve.mu - Fraction(1, 10**15)).slack() < 0
    monkeypatch.setattr(claims, "worst_delta", lambda _, epsilon: dict(curve.points)[epsilon])
    assert rho_of(curved) == math.nextafter(0.045, 1)


def test_a_total_for_many_releases():
    made = design(epsilon=1, delta=0.01, releases=3, sensitivity=1, integer=True, gap=0.9)
    measurement = to_opendp(made)
    assert measurement.map(1) == (1.0, 0.01) and measurement.check(1, (1.0, 0.01))
    answers = measurement([5, 6, 7])
    assert len(answers) == 3 and all(isinstance(one, int) for one in answers)
    # Never more releases than were paid for.
    assert len(measurement([1, 2, 3, 4])) == 3 and len(measurement([1])) == 3
    one = to_opendp(made, epsilon=0.4)
    assert one.map(1)[0] == 0.4 and proven(made, *one.map(1)) and isinstance(one(5), int)


def test_dependent_designs():
    made = design(epsilon=1, delta=0.1, sensitivity=1, bounds=(0, 3), gap=0.2)
    measurement = to_opendp(made)
    assert measurement.map(1.0) == (1.0, 0.1) and proven(made, 1.0, 0.1)
    assert measurement.map(2.0)[0] == 2.0
    for value in (0.5, -1e300, math.inf, math.nan):
        assert 0 <= measurement(value) <= 3
    whole = to_opendp(design(epsilon=1, delta=0.1, sensitivity=1, bounds=(0, 9), integer=True))
    assert 0 <= whole(4) <= 9 and whole.map(1) == (1.0, 0.1)
    odd = to_opendp(design(epsilon=1, delta=0.1, sensitivity=0.3, bounds=(0, 1), gap=0.2))
    assert odd.map(0.3) == (1.0, 0.1) and 0 <= odd(0.7) <= 1


def test_the_ways_of_opendp(real):
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    bounded = space >> dp.t.then_clamp((0.0, 90.0)) >> dp.t.then_sum()
    # OpenDP's float sum is a hair above 90: noise for 90 pays twice, noise for what it says once.
    for_90 = bounded >> then_least_noise(design(epsilon=1, delta=0, sensitivity=90, gap=0.05))
    assert for_90.map(1) == 2.0
    exactly = bounded >> then_least_noise(
        design(epsilon=1, delta=0, sensitivity=bounded.map(1), gap=0.05)
    )
    assert exactly.map(1) == 1.0
    made = bounded >> then_least_noise(d_in=bounded.map(1), d_out=(0.7, 1e-5), loss="l2")
    assert made.check(1, (0.7, 1e-5))
    assert isinstance(made([1.0, 2.0]), float)
    with pytest.raises(ArgumentError, match="design must be given, or d_in"):
        bounded >> then_least_noise()
    with pytest.raises(ArgumentError, match="input_domain must be one of f64"):
        make_least_noise(dp.atom_domain(T="i32"), dp.absolute_distance(T="i32"), real)


def test_the_context_of_opendp():
    register_opendp()
    register_opendp()  # once is enough
    context = dp.Context.compositor(
        data=[1.0, 2.0, 3.0],
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=2.0, delta=2e-6),
        split_evenly_over=2,
        domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
    )
    query = context.query().clamp((0.0, 4.0)).sum()
    made = design(epsilon=1, delta=1e-6, sensitivity=4.000001, gap=0.05)
    assert isinstance(query.least_noise(design=made).release(), float)
    second = context.query().clamp((0.0, 4.0)).sum()
    assert isinstance(second.least_noise(d_in=4.000001, d_out=(1.0, 1e-6)).release(), float)
    with pytest.raises(ValueError, match="exhausted"):
        context.query()


def test_missing_extra(monkeypatch, real):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[opendp\]'"):
        to_opendp(real)


def test_canonical_noise_has_the_moments_of_tulap():
    """E|X| is 0.579 and the standard deviation 0.727 at (1, 0.2), from OpenDP's own sampler."""
    noise = Tulap(epsilon=1, delta=0.2)
    assert noise.expected_loss("l1") == pytest.approx(0.579, abs=5e-4)
    assert noise.std == pytest.approx(0.727, abs=5e-4)
    measurement = canonical()
    count = 3000
    draws = np.array([measurement(0.0) for _ in range(count)])
    assert np.abs(draws).max() <= noise.support[1] + 1e-9
    # Five standard errors; the spread of |X| is below 0.45 and that of X^2 below 0.6.
    size = np.abs(draws)
    assert size.mean() == pytest.approx(noise.expected_loss("l1"), abs=5 * 0.45 / count**0.5)
    assert np.mean(draws**2) == pytest.approx(noise.variance, abs=5 * 0.65 / count**0.5)


def test_a_context_gives_its_budget():
    """`.least_noise()` without arguments: what the context assigns, after a split too."""
    register_opendp()
    context = dp.Context.compositor(
        data=[31.0, 64.0, 18.5],
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-2),
        split_evenly_over=2,
        domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
    )
    query = context.query().clamp((0.0, 90.0)).sum().least_noise()
    assert query.resolve().map(1) == (0.5, 5e-3)
    assert math.isfinite(query.release())
    count = context.query().count().least_noise()
    assert isinstance(count.release(), int)
    with pytest.raises(Exception):  # noqa: B017 (OpenDP's own: the budget is spent)
        context.query().count().least_noise().release()
    zero = dp.Context.compositor(
        data=[1.0],
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=0.5),
        split_evenly_over=1,
        domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
    )
    with pytest.raises(ArgumentError, match="d_out must be given, or a context"):
        zero.query().count().least_noise()


@pytest.mark.parametrize("loss", [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-2}])
@pytest.mark.parametrize("contributions", [1, 3])
def test_counts_by_categories(loss, contributions):
    register_opendp()
    context = dp.Context.compositor(
        data=["a", "b", "a", "z"],
        privacy_unit=dp.unit_of(contributions=contributions),
        privacy_loss=dp.loss_of(**loss),
        split_evenly_over=1,
        domain=dp.vector_domain(dp.atom_domain(T=str)),
    )
    query = context.query().count_by_categories(["a", "b"]).least_noise()
    cost = query.resolve().map(contributions)
    most = (1.0, 1e-2) if "delta" in loss else 1.0
    assert cost <= most and (cost if isinstance(cost, float) else cost[0]) > 0.999
    answer = query.release()
    assert len(answer) == 3 and all(isinstance(one, int) for one in answer)


def test_vector_designs():
    best = design(epsilon=1, delta="0.2", sensitivity=2, dimension=5, gap="0.9")
    measurement = to_opendp(best)
    assert measurement.map(2.0) == (1.0, 0.2) and measurement.map(2.5)[0] == 2.0
    assert len(measurement([1.0, float("inf"), -3.0, 0.0, 2.0])) == 5


def test_designs_that_no_distance_of_opendp_describes_are_refused():
    """A move of the second number by 1 is ten moves of this shape, and one step by L2Distance."""
    shape = Cube(2, width=[1, "1/10"])
    joint = design(epsilon=1, delta=0, sensitivity=shape)
    others = [
        joint,
        partition_selection(epsilon=1, delta=1e-5),
        design(workload=Workload.prefix(3), gdp=1),
    ]
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for one in others:
        for use in (
            to_opendp,
            to_opendp_profile,
            to_scipy,
            OptimalMechanism.of,
            partial(make_least_noise, *space),
        ):
            with pytest.raises(ArgumentError, match="design must be a design of kind"):
                use(one)
    with pytest.raises(ArgumentError, match=r"design must be .*got 'int'"):
        to_opendp(3)


def test_the_delta_that_opendp_states_for_a_threshold_is_the_one_on_the_page():
    """Of 20,000 keys with one person each; six standard errors are 0.005."""
    strings = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = strings >> dp.t.then_count_by()
    release = counts >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
    tail = [math.exp(-k) / (1 + math.exp(-1)) for k in (4, 5)]  # 1 + noise is 5 or more, above 5
    assert release.map(1)[1] == pytest.approx(tail[1], rel=1e-6)
    found = len(release([f"key {k}" for k in range(20_000)])) / 20_000
    assert found == pytest.approx(tail[0], abs=0.005)
    page = (Path(__file__).parents[2] / "docs" / "comparison.md").read_text()
    assert f"{tail[1]:.4f}. Groups" in page and f"probability {tail[0]:.4f}" in page
