"""Noise for many releases: the total is proven, and so is what all such noise must keep."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

from leastnoise import ArgumentError, Monotone, compose, design
from leastnoise.baselines import AnalyticGaussian
from leastnoise.certify import check
from leastnoise.certify.composition import MAX_COUNTED, composed_delta, lower_hull, must_keep
from leastnoise.engine.line.releases.profile import ProfileGrid
from leastnoise.engine.search import SearchSettings
from leastnoise.program.interior import InteriorProgram

F = Fraction


def curve(weights, epsilon):
    """The largest hockey stick of whole-number noise of sensitivity 1, both shifts."""
    p = np.pad(np.asarray(weights, dtype=float) / sum(weights), 1)
    growth = math.exp(epsilon)
    return max(np.maximum(p - growth * np.roll(p, m), 0).sum() for m in (1, -1))


def brute_force(weights, count, epsilon):
    """The total delta of non-adaptive releases, from the product of the laws."""
    p = np.pad(np.asarray(weights, dtype=float) / sum(weights), 1)
    worst = 0.0
    for shifts in itertools.product((-1, 0, 1), repeat=count):
        here, there = np.ones(1), np.ones(1)
        for m in shifts:
            here, there = np.outer(here, p).ravel(), np.outer(there, np.roll(p, m)).ravel()
        worst = max(worst, np.maximum(here - math.exp(epsilon) * there, 0).sum())
    return worst


NOISES = [[1, 2, 4, 2, 1], [1, 3, 1], [2, 3, 5, 4, 3, 1], [1, 1, 1, 1]]


@pytest.mark.parametrize("weights", NOISES)
@pytest.mark.parametrize(("count", "epsilon"), [(1, 0.3), (2, 0.5), (3, 1.0), (2, 0.0)])
def test_the_composed_total_is_above_the_true_one_and_close(weights, count, epsilon):
    truth = brute_force(weights, count, epsilon)
    found = []
    for steps in (8, 32, 128):
        size = math.ceil(1.7 * steps)
        grid = ProfileGrid(F(1, steps), size, count, epsilon)
        deltas = np.array([curve(weights, float(e)) for e in grid.epsilons])
        points = [(e, F(d) + F(1, 10**12)) for e, d in zip(grid.epsilons, deltas, strict=True)]
        total = composed_delta(points, count, F(epsilon))
        assert total is not None and float(total) >= truth
        assert float(total) == pytest.approx(grid.total(deltas), rel=1e-8)
        found.append(float(total))
    assert found[1] <= found[0] + 1e-12 and found[2] <= found[1] + 1e-12  # finer loses less
    if weights == weights[::-1]:  # (else no single pair has the larger curve of both shifts)
        assert found[-1] <= truth * 1.01 + 1e-9


def test_the_total_is_linear_in_the_profile_of_each_release():
    grid = ProfileGrid(F(1, 10), 15, 4, 1.0)
    e = 0.1 * np.arange(16)  # the curve of Gaussian noise with sigma = 1/0.7 sensitivities
    deltas = norm.cdf(0.35 - e / 0.7) - np.exp(e) * norm.cdf(-0.35 - e / 0.7)
    weights, constant = grid.weights(deltas)
    assert constant + weights @ deltas == pytest.approx(grid.total(deltas), rel=1e-12)
    moved = 1e-6 * np.linspace(1, 2, len(deltas))
    slope = (grid.total(deltas + moved) - grid.total(deltas - moved)) / 2
    assert slope == pytest.approx(4 * float(weights @ moved), rel=1e-5)


def test_any_points_above_the_curve_will_do():
    points = [(F(j, 20), F(curve(NOISES[2], j / 20)) + F(1, 10**12)) for j in range(31)]
    base = composed_delta(points, 3, F(1))
    # A point above a chord, or one that a smaller epsilon implies, changes nothing.
    worse = [*points, (F(3, 40), F(1, 2)), (F(1), F(9, 10))]
    assert lower_hull(worse) == lower_hull(points)
    assert composed_delta(worse, 3, F(1)) == base
    assert composed_delta(points[::2], 3, F(1)) > base
    assert composed_delta([(F(1, 7), F(0)), (F(1, 10**9), F(1, 2))], 2, F(1)) is None


@pytest.mark.parametrize(
    ("points", "count"),
    [
        ([(F(0), F(1, 2))], 10**9),
        ([(F(1, 1000), F(1, 2))], 5000),
        ([(F(0), F(1, 2)), (F(1, 10**37), F(0))], 20_000),
        ([(F(1, 10**90), F(1, 10))], 1),
    ],
)
def test_hostile_profiles_end_soon(points, count):
    found = composed_delta(points, count, F(1))
    assert found is None or found >= 0


def test_pure_releases_add_up():
    assert composed_delta([(F(1, 4), F(0))], 4, F(1)) == 0
    assert composed_delta([(F(1, 4), F(0))], 4, F(9, 10)) > 0
    assert must_keep((F(1, 4), F(0)), 4, F(1), F(0))
    assert not must_keep((F(1, 5), F(0)), 4, F(1), F(0))


@pytest.mark.parametrize("count", [2, 3])
def test_what_noise_must_keep_is_kept_by_noise(count):
    points = {}
    for weights in NOISES:
        total = F(brute_force(weights, count, 1.0)) + F(1, 10**9)
        for own in (F(0), F(1, 3), F(2, 3)):
            truth = curve(weights, float(own))
            assert not must_keep((own, F(truth) * F(99, 100)), count, F(1), total)
            points[own, total] = must_keep((own, F(19, 20)), count, F(1), total)
    assert any(points.values())


def test_one_release_must_keep_its_budget_and_no_more():
    assert must_keep((F(1), F(1, 10)), 1, F(1), F(1, 10))
    assert not must_keep((F(1), F(99, 1000)), 1, F(1), F(1, 10))
    assert not must_keep((F(1, 2), F(1, 10)), 1, F(1), F(1, 10))


def test_counting_many_releases_is_close_to_what_gaussian_noise_keeps():
    count, total = 30, (F(1), F(1, 100))
    mu = 1 / AnalyticGaussian(epsilon=1, delta=0.01, sensitivity=math.sqrt(count)).sigma
    kept = F(2 * norm.cdf(mu / 2) - 1)  # at epsilon 0
    assert not must_keep((F(0), kept * F(999, 1000)), count, *total)
    assert must_keep((F(0), kept * F(145, 100)), count, *total)
    assert must_keep((F(0), kept * F(145, 100)), 10 * MAX_COUNTED, *total)


TWO = {"epsilon": 1, "delta": 0.01, "sensitivity": 2, "integer": True, "releases": 2}


@cache
def searched(epsilon, delta, count):
    whole = TWO if count == 2 else {}  # two releases of real noise take four times as long
    asked = {"epsilon": epsilon, "delta": delta, "sensitivity": 1, "releases": count} | whole
    return design(**asked, gap=0.05)


@pytest.mark.parametrize(
    ("budget", "count", "ahead"),
    [
        ((1, 0.01), 2, 0.14),
        ((1, 1e-5), 10, 0.06),
        ((2, 0.1), 5, 0.015),
        pytest.param((1, 1e-5), 50, 0.01, marks=pytest.mark.slow),
    ],
)
def test_the_search_is_ahead_of_gaussian_noise(budget, count, ahead):
    epsilon, delta = budget
    found = searched(epsilon, delta, count)
    report = found.verify()
    assert report.proven and report.verdict("releases") == "proven"
    size = found.sensitivity * math.sqrt(count)
    baseline = AnalyticGaussian(epsilon=epsilon, delta=delta, sensitivity=size)
    assert found.upper <= (1 - ahead) * baseline.expected_loss("l1")
    assert found.lower >= 0.6 * found.upper
    # A second opinion, from the weights of the noise and by another library, up to its grid.
    second = compose(found, count, epsilon=epsilon)
    assert second.optimistic <= delta and second.pessimistic <= 1.0005 * delta
    more = found.document.with_problem(releases=replace(found.document.releases, count=count + 1))
    assert check(more).verdict("releases") == "refuted" and not check(more).private


def test_a_bound_from_budgets_that_noise_need_not_keep_is_refuted():
    found = searched(1, 0.01, 2)
    certificate = found.document.certificate
    less = tuple((e, d * F(9, 10)) for e, d in certificate.points)
    claim = replace(found.document, certificate=replace(certificate, points=less))
    assert check(claim).verdict("lower") == "refuted"
    assert "all noise" in found.status
    # The noise's own profile is no excuse: other noise need not have it.
    own = (found.document.profile[3], *certificate.points[1:])
    claim = replace(found.document, certificate=replace(certificate, points=own))
    assert check(claim).verdict("lower") == "refuted"


def test_no_delta_one_release_and_constraints():
    pure = design(epsilon=1, delta=0, sensitivity=1, releases=4)
    single = design(epsilon=0.25, delta=0, sensitivity=1)
    assert (pure.lower, pure.upper) == (single.lower, single.upper)
    assert pure.verify().proven and pure.document.releases.count == 4
    plain = {"epsilon": 1, "delta": 0.01, "sensitivity": 1, "gap": 0.05}
    assert design(**plain, releases=1) == design(**plain)
    free = searched(1, 0.01, 2)
    held = design(**TWO, gap=0.3, constraints=[Monotone()])
    assert held.verify().proven and held.upper >= 0.999 * free.upper
    with pytest.raises(ArgumentError, match="left out when releases is given"):
        design(epsilon=1, delta=0.01, sensitivity=1, releases=3, profile=[(1, 0.1)])
    with pytest.raises(ArgumentError, match="releases must be at most"):
        design(epsilon=1, delta=1e-6, sensitivity=1, releases=1_000_000)


@pytest.mark.parametrize(
    "options",
    [
        {"integer": True, "sensitivity": 2, "loss": "l2"},
        {"loss": "pinball:0.8", "time_limit": 0.4},
        {"output_step": "1/3"},
        {"epsilon": 0},
    ],
)
def test_other_questions(options):
    asked = {"epsilon": 1, "delta": 0.05, "sensitivity": 1, "releases": 3, "gap": 0.05} | options
    found = design(**asked)
    assert found.verify().proven and 0 < found.lower < found.upper


def test_the_bound_keeps_to_the_time_limit_too(monkeypatch):
    steps, solve = [], InteriorProgram.solve

    def counted(self, *arguments):
        found = solve(self, *arguments)
        steps.append(found.steps)
        return found

    monkeypatch.setattr(InteriorProgram, "solve", counted)
    monkeypatch.setattr("leastnoise.engine.search.SETTINGS", SearchSettings(moment=0.0))
    found = design(epsilon=1, delta=1e-5, sensitivity=1, releases=10, time_limit=1e-3)
    # Programs end at once; the closed form of the total alone proves something.
    assert steps and max(steps) <= 2
    assert 0 < found.lower < found.upper and found.verify().proven
