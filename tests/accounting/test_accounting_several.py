"""Different mechanisms under one budget, and what other accountants are given to hold."""

from __future__ import annotations

import json
import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as google
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant
from typer.testing import CliRunner

from leastnoise import design
from leastnoise.accounting import (
    compose,
    dp_event,
    gaussian_epsilon,
    pld_accountant,
    privacy_loss_distribution,
)
from leastnoise.accounting.law import law_of
from leastnoise.baselines import AnalyticGaussian, Laplace, Staircase, UniformAtom
from leastnoise.cli import app
from leastnoise.errors import ArgumentError


@pytest.fixture(scope="module")
def whole():
    return design(epsilon=1, delta=0.05, sensitivity=1, integer=True)


@pytest.fixture(scope="module")
def other():
    return design(epsilon=0.5, delta=0.01, sensitivity=2, integer=True, loss="l2")


GAUSSIAN = AnalyticGaussian(epsilon=1, delta=1e-3, sensitivity=2)


def stick(p, q, epsilon):
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


# -- several designs ----------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 1.6])
def test_two_designs_against_brute_force(whole, other, epsilon):
    """Every pair of shifts of one release each, on pairs of whole numbers."""
    one, two = law_of(whole), law_of(other)
    found = compose([(whole, 1), (other, 1)], epsilon=epsilon)
    worst = max(
        stick(np.outer(p, r), np.outer(q, s), epsilon)
        for p, q in map(one.pair, one.signed)
        for r, s in map(two.pair, two.signed)
    )
    assert found.optimistic - 1e-12 <= found.pessimistic
    assert worst <= found.pessimistic <= worst * 1.01 + 1e-3
    assert found.optimistic <= worst
    assert found.times == 2 and found.mechanism == "1 x l1 design + 1 x l2 design"


def test_the_same_design_twice_is_the_design_more_often(whole):
    several = compose([(whole, 2), (whole, 3)], delta=0.3)
    once = compose(whole, 5, delta=0.3)
    assert several.optimistic == pytest.approx(once.optimistic, rel=1e-3)
    assert several.pessimistic == pytest.approx(once.pessimistic, rel=1e-3)
    assert several.gaussian == pytest.approx(once.gaussian)


def test_gaussians_of_two_sizes_are_one_gaussian():
    small = AnalyticGaussian(epsilon=0.3, delta=1e-3, sensitivity=1)
    mu = math.sqrt(3 / (GAUSSIAN.std / 2) ** 2 + 4 / small.std**2)
    found = compose([(GAUSSIAN, 3), (small, 4)], delta=1e-4)
    exact = gaussian_epsilon(1 / mu, 1, 1e-4)
    assert found.gaussian == pytest.approx(exact)
    assert found.optimistic <= exact <= found.pessimistic <= exact * 1.002


def test_what_several_refuses(whole):
    with pytest.raises(ArgumentError, match="times must be left out"):
        compose([(whole, 1)], 3, delta=0.1)
    with pytest.raises(ArgumentError, match="times must be given"):
        compose(whole, delta=0.1)
    for wrong in ([], [whole], [(whole, 1, 2)]):
        with pytest.raises(ArgumentError, match="pairs"):
            compose(wrong, delta=0.1)
    with pytest.raises(ArgumentError, match="times must be"):
        compose([(whole, 0)], delta=0.1)
    with pytest.raises(ArgumentError, match="but not both"):
        compose([(whole, 1)])


def test_several_files_on_the_command_line(whole, tmp_path):
    other = design(epsilon=1, delta=0.02, sensitivity=1, integer=True, loss="l2")
    a, b = whole.save(tmp_path / "a.json"), other.save(tmp_path / "b.json")
    run = CliRunner().invoke
    done = run(app, ["compose", f"{a}:2", f"{b}:3", "--epsilon", "2", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert [one["times"] for one in found["files"]] == [2, 3]
    exact = compose([(whole, 2), (other, 3)], epsilon=2)
    assert found["compositions"] == [exact.to_json()]
    words = run(app, ["compose", f"{a}:2", f"{b}:3"]).output
    assert "Together, at a total delta 0.32" in words and "at most" in words
    for wrong in ([f"{a}:2", str(b)], [f"{a}:x"], [f"{a}:2", "--times", "3"]):
        assert isinstance(run(app, ["compose", *wrong]).exception, ArgumentError)


# -- what accountants hold ----------------------------------------------------------------------


@pytest.mark.parametrize("share", [1, 0.2])
def test_gaussian_noise_against_their_own(share):
    ours = privacy_loss_distribution(GAUSSIAN, sampling_probability=share)
    theirs = google.from_gaussian_mechanism(GAUSSIAN.std / 2, sampling_prob=share)
    low = google.from_gaussian_mechanism(
        GAUSSIAN.std / 2, sampling_prob=share, pessimistic_estimate=False
    )
    for epsilon in (0.0, 0.1, 0.5, 1.0):
        found = float(ours.get_delta_for_epsilon(epsilon))
        assert found >= low.get_delta_for_epsilon(epsilon) - 1e-15
        assert found == pytest.approx(float(theirs.get_delta_for_epsilon(epsilon)), abs=1e-9)
    many, peers = ours.self_compose(20), theirs.self_compose(20)
    assert many.get_epsilon_for_delta(1e-4) == pytest.approx(
        peers.get_epsilon_for_delta(1e-4), rel=2e-3
    )


@pytest.mark.parametrize("share", [1, 0.5, 0.1])
def test_laplace_noise_against_their_own(share):
    ours = privacy_loss_distribution(Laplace(epsilon=1, sensitivity=3), sampling_probability=share)
    theirs = google.from_laplace_mechanism(1.0, sampling_prob=share)
    for epsilon in (0.05, 0.3, 0.9):
        assert float(ours.get_delta_for_epsilon(epsilon)) == pytest.approx(
            float(theirs.get_delta_for_epsilon(epsilon)), abs=1e-4
        )


@pytest.mark.parametrize("share", [1, 0.3])
@pytest.mark.parametrize(
    "baseline", [None, Staircase(epsilon=1), UniformAtom(epsilon=1, delta=0.1)]
)
def test_it_is_never_below_the_truth(whole, baseline, share):
    """Both orders of two neighbors, sampled, computed piece by piece."""
    mechanism = whole if baseline is None else baseline
    law, ours = law_of(mechanism), privacy_loss_distribution(mechanism, sampling_probability=share)
    for epsilon in (0.0, 0.1, 0.25, 0.9):
        worst = 0.0
        for shift in law.signed:
            p, q = law.pair(shift)
            p, q = np.append(p, [law.atom, 0]), np.append(q, [0, law.atom])
            mixed = share * p + (1 - share) * q
            worst = max(worst, stick(mixed, q, epsilon), stick(q, mixed, epsilon))
        found = float(ours.get_delta_for_epsilon(epsilon))
        assert worst <= found <= worst + 1e-3


def test_a_sampled_asymmetric_design_is_covered_both_ways():
    skew = design(epsilon=1, delta=0.05, sensitivity=1, integer=True, loss="pinball:0.8")
    assert skew.document.noise.weights != skew.document.noise.weights[::-1]
    law, ours = law_of(skew), privacy_loss_distribution(skew, sampling_probability=0.4)
    for shift in law.signed:
        p, q = law.pair(shift)
        mixed = 0.4 * p + 0.6 * q
        for epsilon in (0.0, 0.2, 0.45):
            found = float(ours.get_delta_for_epsilon(epsilon))
            assert max(stick(mixed, q, epsilon), stick(q, mixed, epsilon)) <= found


def test_events_compose_with_other_peoples(whole):
    event = dp_event(whole)
    assert event == dp_event(whole) and "integer" in repr(event)
    accountant = pld_accountant()
    accountant.compose(dp_accounting.PoissonSampledDpEvent(0.2, event), 3)
    accountant.compose(dp_accounting.ComposedDpEvent([event, dp_accounting.GaussianDpEvent(5.0)]))
    by_hand = (
        privacy_loss_distribution(whole, sampling_probability=0.2)
        .self_compose(3)
        .compose(privacy_loss_distribution(whole))
        .compose(google.from_gaussian_mechanism(5.0))
    )
    assert accountant.get_epsilon(0.2) == pytest.approx(by_hand.get_epsilon_for_delta(0.2))
    assert accountant.get_delta(1.0) == pytest.approx(by_hand.get_delta_for_epsilon(1.0))
    assert not PLDAccountant().supports(event)  # theirs does not know it


def test_events_that_every_accountant_knows():
    assert dp_event(GAUSSIAN) == dp_accounting.GaussianDpEvent(GAUSSIAN.std / 2)
    assert dp_event(Laplace(epsilon=2, sensitivity=3)) == dp_accounting.LaplaceDpEvent(0.5)
    curved = design(gdp=1, sensitivity=1, integer=True, gap=0.5, time_limit=60)
    assert dp_event(curved) == dp_accounting.GaussianDpEvent(1.0)
    # It dominates: one release, and sampled.
    for share in (1, 0.2):
        own = privacy_loss_distribution(curved, sampling_probability=share)
        theirs = google.from_gaussian_mechanism(1.0, sampling_prob=share)
        for epsilon in (0.1, 0.5, 1.0):
            own_delta = float(own.get_delta_for_epsilon(epsilon))
            assert own_delta <= float(theirs.get_delta_for_epsilon(epsilon)) + 1e-9


def test_what_a_distribution_refuses(whole):
    with pytest.raises(ArgumentError, match="sampling_probability must be above 0"):
        privacy_loss_distribution(whole, sampling_probability=0)
    with pytest.raises(ArgumentError, match="value_discretization_interval must be from"):
        privacy_loss_distribution(whole, value_discretization_interval=2)
    with pytest.raises(ArgumentError, match="mechanism must be"):
        dp_event("laplace")
