"""Composition: brackets that hold, against brute force, closed forms and published figures."""

from __future__ import annotations

import itertools
import json
import math
import sys

import numpy as np
import pytest
import typer
from dp_accounting.pld import privacy_loss_distribution as google
from typer.testing import CliRunner

from leastnoise import design
from leastnoise.accounting import break_even, compose, compose_many, gaussian_epsilon
from leastnoise.accounting.dominating import dots, hockey, upper_envelope
from leastnoise.accounting.law import law_of
from leastnoise.baselines import (
    AnalyticGaussian,
    DiscreteGaussian,
    Laplace,
    Staircase,
    TruncatedLaplace,
    Tulap,
    UniformAtom,
)
from leastnoise.cli.compose import compose as compose_command
from leastnoise.errors import ArgumentError, MissingExtraError


@pytest.fixture(scope="module")
def wide():
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)


@pytest.fixture(scope="module")
def squared():
    return design(epsilon=1, delta=0.001, sensitivity=1, loss="l2", gap=0.01)


def test_figures_of_the_theory(squared):
    """A prototype's figures: about 10, where Gaussian noise of the same variance costs 7.43."""
    found = compose(squared, 10, delta=0.01)
    assert found.optimistic <= found.pessimistic <= found.optimistic + 0.01
    assert found.pessimistic == pytest.approx(10, rel=0.02)
    assert found.gaussian == pytest.approx(7.43, rel=0.02)
    sigma = squared.noise.std
    peer = google.from_gaussian_mechanism(sigma, value_discretization_interval=1e-3)
    peer = peer.self_compose(10).get_epsilon_for_delta(0.01)
    assert found.gaussian == pytest.approx(peer, rel=1e-3)


def test_one_release_is_the_exact_profile(squared, wide):
    for made in (squared, wide):
        for epsilon in (0.3, 1, 1.7):
            found = compose(made, 1, epsilon=epsilon)
            exact = float(made.noise.profile(epsilon))
            assert found.optimistic <= exact <= found.pessimistic
            assert found.pessimistic == pytest.approx(exact, rel=1e-4)
        assert compose(made, 1, epsilon=made.epsilon).pessimistic <= made.delta * (1 + 1e-4)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0])
def test_two_releases_against_brute_force(wide, epsilon):
    """Every pair of shifts, composed exactly on pairs of cells, costs no more than we say."""
    law = law_of(wide)
    worst = 0.0
    for m in law.shifts[:: max(1, len(law.shifts) // 4)] + law.shifts[-1:]:
        for k in law.shifts[-1:]:
            (p, q), (r, s) = law.pair(m), law.pair(k)
            both, moved = np.outer(p, r), np.outer(q, s)
            finite = float(np.maximum(both - math.exp(epsilon) * moved, 0).sum())
            # An atom in either release rules the neighbor out.
            worst = max(worst, finite + law.atom * (2 - law.atom))
    found = compose(wide, 2, epsilon=epsilon)
    p, q = law.pair(law.shifts[-1])
    same = float(np.maximum(np.outer(p, p) - math.exp(epsilon) * np.outer(q, q), 0).sum())
    same += law.atom * (2 - law.atom)
    assert worst <= found.pessimistic
    assert found.optimistic <= same + 1e-12
    assert found.optimistic == pytest.approx(same, rel=2e-3)
    assert found.pessimistic <= worst * 1.05


def test_all_shifts_count():
    """Noise whose worst shift is not the sensitivity: the shift alone would be too cheap."""
    whole = design(epsilon=3, delta=0.3, sensitivity=5, integer=True)
    law = law_of(whole)
    gammas = np.exp(np.linspace(0, 4, 400))
    alone = hockey(*law.pair(law.shifts[-1]), gammas)
    every = np.max([hockey(*law.pair(m), gammas) for m in law.shifts], axis=0)
    assert np.all(every >= alone)
    worst = int(np.argmax(every - alone))
    assert every[worst] - alone[worst] > 0.01
    found = compose(whole, 1, epsilon=math.log(gammas[worst]))
    assert found.pessimistic >= every[worst] + law.atom - 1e-12
    exact = float(whole.noise.profile(math.log(gammas[worst])))
    assert found.pessimistic == pytest.approx(exact, rel=1e-3)


def test_three_releases_at_every_mix_of_shifts():
    """An adversary who picks another shift for each release stays below the pessimistic value."""
    whole = design(epsilon=3, delta=0.3, sensitivity=3, integer=True)
    law = law_of(whole)
    pairs = [
        (p[keep], q[keep])
        for p, q in map(law.pair, law.shifts)
        for keep in [(p > 1e-13) | (q > 1e-13)]
    ]
    epsilons = (0.5, 3.0, 5.0)
    worst, same = np.zeros(3), np.zeros(3)
    for mix in itertools.combinations_with_replacement(range(len(pairs)), 3):
        here = there = np.ones(1)
        for m in mix:
            here, there = (
                np.outer(a, b).ravel() for a, b in ((here, pairs[m][0]), (there, pairs[m][1]))
            )
        cost = np.array([np.maximum(here - math.exp(e) * there, 0).sum() for e in epsilons])
        worst = np.maximum(worst, cost)
        same = np.maximum(same, cost) if len(set(mix)) == 1 else same
    for k, epsilon in enumerate(epsilons):
        found = compose(whole, 3, epsilon=epsilon)
        assert found.optimistic <= same[k] + 1e-9
        assert worst[k] <= found.pessimistic + 1e-9
        assert found.pessimistic <= 1.2 * worst[k]


def test_chords_give_the_curve_back():
    noise = Tulap(epsilon=1, delta=0.1)
    law = law_of(noise)
    pairs = [law.pair(s) for s in law.shifts]
    curve, index = upper_envelope(pairs, 1e-3, 2000)
    losses = dots(1e-3, index, curve, curve)
    assert losses.slack < 1e-11
    assert losses.masses.min() >= 0
    assert losses.masses.sum() + losses.infinite == pytest.approx(1, abs=1e-11)
    at = 1e-3 * (losses.start + np.arange(len(losses.masses)))
    for epsilon in (-1.5, -0.2, 0.0, 0.6, 1.0, 1.4):
        gain = np.maximum(-np.expm1(epsilon - at), 0) @ losses.masses + losses.infinite
        exact = float(noise.profile(abs(epsilon)))
        if epsilon < 0:
            exact = 1 - math.exp(epsilon) * (1 - exact)
        assert gain >= exact - 1e-12
        assert gain == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("times", [1, 10])
def test_gaussian_noise_composes_in_closed_form(times):
    noise = AnalyticGaussian(epsilon=1, delta=1e-3)
    found = compose(noise, times, delta=1e-5)
    exact = gaussian_epsilon(noise.sigma, times, 1e-5)
    assert found.optimistic <= exact <= found.pessimistic
    assert found.pessimistic == pytest.approx(exact, rel=1e-3)
    assert found.optimistic == pytest.approx(exact, rel=1e-2)


def test_laplace_noise_agrees_with_google():
    found = compose(Laplace(epsilon=1), 10, delta=1e-4)
    high = google.from_laplace_mechanism(1.0, value_discretization_interval=1e-4)
    low = google.from_laplace_mechanism(
        1.0, value_discretization_interval=1e-4, pessimistic_estimate=False
    )
    assert found.optimistic <= high.self_compose(10).get_epsilon_for_delta(1e-4) + 1e-9
    assert found.pessimistic >= low.self_compose(10).get_epsilon_for_delta(1e-4) - 1e-9
    assert found.pessimistic == pytest.approx(
        high.self_compose(10).get_epsilon_for_delta(1e-4), rel=1e-3
    )


@pytest.mark.parametrize(
    "noise",
    [
        Staircase(epsilon=1),
        Tulap(epsilon=0.5, delta=0.01),
        TruncatedLaplace(epsilon=1, delta=0.01),
        DiscreteGaussian(epsilon=1, delta=0.01, sensitivity=2),
    ],
    ids=lambda noise: noise.name,
)
def test_baselines_have_narrow_brackets_below_basic_composition(noise):
    five = compose(noise, 5, delta=max(0.06, 6 * noise.delta))
    assert five.optimistic <= five.pessimistic <= 5 * noise.epsilon + 1e-9
    assert five.pessimistic - five.optimistic < 5e-3
    own = compose(noise, 1, epsilon=noise.epsilon)
    assert own.optimistic <= noise.delta + 1e-12
    assert own.pessimistic <= noise.delta * (1 + 1e-3) + 1e-9


def test_atoms_are_infinite_losses():
    noise = UniformAtom(epsilon=0, delta=0.6)  # an atom of 0.2
    found = compose(noise, 3, epsilon=50)
    each = 0.2 + 0.8 * 0.5
    assert found.pessimistic == pytest.approx(1 - (1 - each) ** 3, rel=1e-6)
    assert compose(noise, 3, delta=0.5).optimistic == math.inf


def test_more_releases_cost_more_and_tiny_deltas_stay_finite():
    noise = Laplace(epsilon=0.1)
    costs = compose_many(noise, [1, 2, 4, 16], delta=1e-6)
    assert [c.pessimistic for c in costs] == sorted(c.pessimistic for c in costs)
    tiny = compose(noise, 16, delta=1e-18)  # far below what a Fourier transform resolves
    assert tiny.pessimistic <= 1.6 + 1e-6


def test_asymmetric_and_integer_designs():
    tilted = design(epsilon=1, delta=0.1, sensitivity=1, loss="pinball:0.8", gap=0.1)
    whole = design(epsilon=1, delta=0.1, sensitivity=2, integer=True)
    for made in (tilted, whole):
        found = compose(made, 3, delta=0.35)
        assert 0 < found.optimistic <= found.pessimistic <= 3 + 1e-6
        assert found.pessimistic - found.optimistic < 0.05


def test_break_even_is_where_the_gaussian_wins():
    noise = Staircase(epsilon=1, loss="l2")
    k = break_even(noise, delta=0.01)
    assert k is not None
    assert k > 1
    here, before = compose_many(noise, [k, k - 1], delta=0.01)
    assert here.gaussian < here.optimistic
    assert before.gaussian >= before.optimistic
    assert break_even(AnalyticGaussian(epsilon=1, delta=0.01), delta=0.01, max_releases=3) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"times": 0, "delta": 0.1}, "times must be from 1"),
        ({"times": 1.5, "delta": 0.1}, "times must be a number of releases"),
        ({"times": True, "delta": 0.1}, "times must be a number of releases"),
        ({"times": 2}, "but not both"),
        ({"times": 2, "delta": 0.1, "epsilon": 1}, "but not both"),
        ({"times": 2, "delta": 0}, "delta must be strictly between 0 and 1"),
        ({"times": 2, "epsilon": -1}, "epsilon must be from 0"),
        ({"times": 2, "delta": math.nan}, "delta must be a finite number"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        compose(Laplace(epsilon=1), **arguments)


def test_only_additive_noise():
    for wrong in ("laplace", None, [1]):
        with pytest.raises(ArgumentError, match="mechanism must be"):
            compose(wrong, 2, delta=0.1)


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[accounting\]'"):
        compose(Laplace(epsilon=0.123), 2, delta=0.1)


def test_words_and_json():
    found = compose(UniformAtom(epsilon=0, delta=0.6), 3, delta=0.5)
    assert "3 releases" in repr(found)
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["pessimistic"] is None


def test_command(tmp_path, wide):
    app = typer.Typer()
    app.command()(compose_command)
    file = wide.save(tmp_path / "wide.json")
    shown = CliRunner().invoke(app, [str(file), "--times", "1,2", "--delta", "0.5"])
    assert shown.exit_code == 0
    assert "Gaussian" in shown.output
    plain = CliRunner().invoke(app, [str(file), "--times", "1,2", "--json"])
    data = json.loads(plain.output)
    assert [one["times"] for one in data["compositions"]] == [1, 2]
    assert data["compositions"][0]["delta"] == 0.5
    by_epsilon = CliRunner().invoke(app, [str(file), "--times", "2", "--epsilon", "1", "--json"])
    assert json.loads(by_epsilon.output)["compositions"][0]["asked"] == "delta"
    for wrong in (["--times", "two"], ["--delta", "0.1", "--epsilon", "1"], ["--times", "0"]):
        result = CliRunner().invoke(app, [str(file), *wrong])
        assert isinstance(result.exception, ArgumentError)
