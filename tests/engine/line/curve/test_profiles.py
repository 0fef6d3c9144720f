"""Several budgets at once, whole curves, and many releases: proven at every point."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from leastnoise import ArgumentError, Custom, LossAtMost, MaxError, Monotone, Unbiased, design, load
from leastnoise.accounting.composition import compose
from leastnoise.certify import check
from leastnoise.engine.line.curve.chords import chords_below, points_on
from leastnoise.engine.search import SearchSettings
from leastnoise.exact import normal_bounds
from leastnoise.gaussian import gaussian_delta
from leastnoise.losses import L1
from leastnoise.problem.privacy import Releases, curve_above, line_below, root_above

GAUSS = math.sqrt(2 / math.pi)


@pytest.fixture(scope="module")
def curved():
    return {mu: design(gdp=mu, gap=0.05, sensitivity=1, resolution=r) for mu, r in ((1, 6), (2, 8))}


def test_a_profile_is_kept_at_every_budget_and_costs_more_than_each(tmp_path):
    budgets = [(0.5, 0.3), (1, 0.2), (2, 0.05)]
    found = design(profile=budgets, gap=0.01, sensitivity=1)
    assert found.converged and found.verify().proven
    assert all(found.noise.profile(e) <= d for e, d in budgets)
    for epsilon, delta in budgets:
        alone = design(epsilon=epsilon, delta=delta, sensitivity=1, gap=0.01)
        assert found.upper >= alone.lower
    assert load(found.save(tmp_path / "p.json")) == found
    # The file stands for all budgets: a smaller delta at one of them refutes it.
    tampered = found.document.with_problem(profile=((Fraction(2), Fraction(1, 100)),))
    assert check(tampered).verdict("profile") == "refuted" and not check(tampered).private


def test_a_bound_may_not_use_a_budget_that_nobody_asked_for():
    found = design(profile=[(0.5, 0.3), (1, 0.2)], gap=0.05, sensitivity=1)
    alone = found.document.with_problem(profile=())
    assert check(alone).verdict("lower") == "refuted"


def test_implied_budgets_are_dropped_and_one_is_enough():
    one = design(profile=[(1, 0.2), (2, 0.3)], gap=0.01, sensitivity=1)
    assert one.profile == () and (one.epsilon, one.delta) == (1, 0.2)


def test_normal_bounds_enclose():
    for x in np.linspace(-9, 9, 37):
        low, high = normal_bounds(Fraction(float(x)))
        assert low <= high <= low + Fraction(1, 2**98)
        assert float(low) == pytest.approx(ndtr(x), rel=1e-9, abs=1e-28)


def test_chords_lie_below_the_curve_and_points_on_it():
    mu = Fraction(3, 4)
    curve = chords_below(mu, 20)
    assert curve.slack() >= 0
    for epsilon in np.linspace(0, float(curve.points[-1][0]), 200):
        gammas = [math.exp(float(e)) for e, _ in curve.points]
        chord = np.interp(math.exp(epsilon), gammas, [float(d) for _, d in curve.points])
        assert chord <= gaussian_delta(float(epsilon), 1 / float(mu)) + 1e-12
    for epsilon, delta in points_on(mu, 12):
        assert float(delta) == pytest.approx(gaussian_delta(float(epsilon), 1 / float(mu)))
        assert delta >= line_below(mu, mu / 2 + epsilon / mu, epsilon)
        assert curve_above(mu, epsilon) <= delta


def test_noise_below_a_curve_composes_and_beats_gaussian_noise(curved, tmp_path):
    for mu, ahead in ((1, 0.0), (2, 0.08)):
        found = curved[mu]
        assert found.verify().proven and found.gdp == mu
        assert found.upper < (1 - ahead) * GAUSS / mu
        # everywhere, also between the points and beyond the last one
        levels = np.concatenate([np.linspace(0, 3 * mu, 7), [8.0 * mu, 12.0 * mu]])
        curve = [gaussian_delta(float(e), 1 / mu) for e in levels]
        assert np.all(found.noise.profile(list(levels)) <= np.array(curve) + 1e-15)
        assert load(found.save(tmp_path / f"{mu}.json")) == found
    ten = compose(curved[1], 10, delta=1e-3)
    alike = compose(curved[1], 10, epsilon=ten.pessimistic)
    assert ten.pessimistic <= _gaussian_epsilon(1 / math.sqrt(10), 1e-3)
    assert alike.pessimistic <= 1.001e-3


def _gaussian_epsilon(sigma, delta):
    low, high = 0.0, 100.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(middle, sigma) > delta else (low, middle)
    return high


def test_a_curve_that_is_not_kept_is_refuted(curved):
    document = curved[1].document
    steeper = document.with_problem(curve=replace(document.gdp, mu=Fraction(999, 1000)), gdp=None)
    assert check(steeper).verdict("gdp") == "refuted"
    for share in (999, 1001):  # more than the noise keeps; chords that lie above the curve
        points = tuple((e, d * Fraction(share, 1000)) for e, d in document.gdp.points)
        claim = document.with_problem(curve=replace(document.gdp, points=points), gdp=None)
        assert check(claim).verdict("gdp") == "refuted"


def test_a_pure_budget_beside_a_curve_is_kept_and_bounded(curved):
    """It spends no delta, and its rows stay in the finer programs of the bound."""
    found = design(gdp=1, profile=[(2, 0)], sensitivity=1, gap=0.005)
    assert found.converged and found.noise.profile(2.0) <= 0
    assert len(found.stats["resolutions"]) > 1 and found.lower > curved[1].upper


def test_steep_curves_have_noise():
    """Weights that fall like e^-30 a sensitivity keep their ratios when they are rounded."""
    found = design(gdp=6, gap=0.5, time_limit=0.1, sensitivity=1)
    assert found.verify().proven and found.upper <= 1.002 * GAUSS / 6


def test_narrow_peaks_of_steep_curves_are_found():
    """Equal cells leave 4 % here, whatever time they are given."""
    found = design(gdp=3, gap=0.035, sensitivity=1)
    assert found.converged and found.verify().proven
    weights = found.document.noise.weights
    middle = len(weights) // 2
    assert len(set(weights)) < len(weights) / 2  # wide pieces between the peaks
    assert weights[middle] > 3 * weights[middle + 1]


def test_squared_error_wants_gaussian_noise_and_the_status_says_so():
    found = design(gdp=0.5, loss="l2", gap=0.02, sensitivity=1)
    assert found.upper <= 1.004 * 4 and found.lower >= 0.97 * 4
    assert "Gaussian" in found.status


def test_squared_error_is_bounded_by_a_closed_form():
    found = design(gdp=1, loss="l2", sensitivity=3)
    assert found.converged and 9 * (1 - 1e-15) <= found.lower < 9 <= found.upper < 9.01
    assert "bound: orbits of the curve" in found.status
    document = found.document
    above = replace(document, lower=Fraction(9), upper=max(document.upper, Fraction(9)))
    assert check(above).verdict("lower") == "refuted"
    # It is about this loss, about one release, and about the curve that is kept.
    for other in ({"loss": L1()}, {"releases": Releases(2, Fraction(3), Fraction(1, 10))}):
        assert check(document.with_problem(**other)).verdict("lower") == "refuted"
    assert check(document.with_problem(gdp=None, curve=None)).verdict("lower") == "refuted"


def test_roots_are_rounded_up():
    for value in (Fraction(2), Fraction(1, 3), Fraction(10**12 + 1, 10**13)):
        root = root_above(value)
        assert value <= root * root <= value * (1 + Fraction(1, 10**14))


def test_what_cannot_be_asked_together_is_refused():
    with pytest.raises(ArgumentError, match="bounded noise is below no Gaussian curve"):
        design(gdp=1, constraints=[MaxError(9)], sensitivity=1)
    with pytest.raises(ArgumentError, match="Unbiased"):
        design(gdp=1, loss="pinball:0.8", constraints=[Unbiased()], sensitivity=1)
    with pytest.raises(ArgumentError, match="left out when releases is given"):
        design(gdp=1, releases=3, sensitivity=1)
    with pytest.raises(ArgumentError, match="unless profile or gdp is given"):
        design(epsilon=1, sensitivity=1)
    for pure in ({"gdp": 1}, {"epsilon": 1, "delta": 0}, {"profile": [(1, 0), (0.5, 0.1)]}):
        with pytest.raises(ArgumentError, match="the loss of a function far from 0 is not known"):
            design(**pure, loss=Custom(abs, convex=True), sensitivity=1)
    with pytest.raises(ArgumentError, match="gdp must be from"):
        design(gdp=50, sensitivity=1)
    with pytest.raises(ArgumentError, match="pairs"):
        design(profile=[1, 2], sensitivity=1)
    with pytest.raises(ArgumentError, match="releases must be an integer"):
        design(epsilon=1, delta=0.1, sensitivity=1, releases=0)


def test_budgets_that_ask_for_wider_noise_than_the_curve_does():
    """Noise was looked for only as far out as the curve alone needs, and never found."""
    for epsilon, delta in ((0.5, 0.001), (0.5, 0)):
        found = design(gdp=6, epsilon=epsilon, delta=delta, sensitivity=1, gap=0.1)
        alone = design(epsilon=epsilon, delta=delta, sensitivity=1, gap=0.01)
        assert found.converged and found.verify().proven
        assert (Fraction(str(epsilon)), Fraction(str(delta))) in found.document.profile
        assert found.upper >= alone.lower and found.lower <= 1.01 * alone.upper


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "problem, step",
    [
        ({"integer": True, "sensitivity": 2, "loss": "pinball:0.8"}, 1),
        ({"output_step": 0.5}, Fraction(1, 2)),
        ({"resolution": 1, "epsilon": 1, "delta": 0.3, "constraints": [Monotone()]}, 1),
    ],
)
def test_cells_that_are_given_stay_as_wide_whatever_the_gap_is(problem, step):
    """All lines have their turn on them: the last ones asked for narrower cells."""
    found = design(**{"sensitivity": 1, "gdp": 4, "gap": 1e-6, **problem})
    assert found.verify().proven and found.document.noise.step == step


def test_a_search_that_finds_no_noise_ends_at_its_time_limit(monkeypatch):
    """Without noise the first program did not look at the clock, for minutes."""
    monkeypatch.setattr("leastnoise.engine.search.SETTINGS", SearchSettings(grace=0.1))
    wide = {"gdp": 2, "profile": [(0, 0.01)], "sensitivity": 1, "loss": "pinball:0.8"}
    began = time.process_time()
    with pytest.raises(ArgumentError, match="none was found in the time there was"):
        design(**wide, constraints=[LossAtMost("l2", 25)], time_limit=0.1)
    assert time.process_time() - began < 0.8


def test_noise_that_is_too_wide_for_a_program_is_found_without_one():
    """A program of so many columns takes all memory there is, and its stairs took minutes."""
    began = time.process_time()
    found = design(gdp=0.05, epsilon="0.002", delta=0, sensitivity=7, constraints=[Monotone()])
    assert found.verify().proven and found.upper < 3501
    free = design(gdp=0.05, epsilon="0.002", delta=0, sensitivity=7)
    assert free.converged and free.verify().proven  # one budget alone proves it
    assert design(epsilon="0.002", delta=0, sensitivity=1, loss="pinball:0.3").verify().proven
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "budgets, gap",
    [
        ([("0.001", 0.9), (0.1, 1e-12)], 0.01),
        ([("0.001", 1e-6), ("0.002", 1e-7), (0.1, 1e-12)], 0.02),
    ],
)
def test_several_budgets_of_which_programs_find_no_noise(budgets, gap):
    """The solver gives up on them; it was said that no noise keeps them."""
    found = design(profile=budgets, sensitivity=1, loss="huber:0.5", time_limit=1)
    assert found.verify().proven and found.gap < gap
    with pytest.raises(ArgumentError, match="sensitivity must be smaller"):
        design(profile=[(0, 0.1), (0.1, 0)], sensitivity=10**6, integer=True)


def test_rows_with_entries_that_the_solver_refuses_are_not_lost():
    """e^60 of a steep curve: all rows that were added with it were missing."""
    found = design(
        gdp=6,
        epsilon=1,
        delta=0.001,
        integer=True,
        sensitivity=1,
        loss="pinball:0.8",
        bounds=(0, 3),
    )
    assert found.converged and found.verify().proven
