"""Intervals at a bound are neither everything nor empty; sums have the margin of their noise."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from leastnoise import Count, Marginals, Mean, Proportion, Sum, Variance
from leastnoise.noise.bars import laplace_bar, laplace_bars, laplace_masses, pattern_bars
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.numbers import clamp_estimate
from leastnoise.tables.unit import PrivacyUnit, Row

DRAWS = 1500
SETTINGS = [
    Setting(Row(), "add-remove"),
    Setting(Row(), "replace"),
    Setting(PrivacyUnit("id", 2, 2), "add-remove"),
]


def released(query, exact, setting, draws=DRAWS):
    """Estimates from many releases of the same exact parts."""
    release = prepare_publicly(query, setting, QueryBudget(F(1), F(1, 10**6)), "l1").release
    row = [*query.numbers(release.form, exact), *[F(0)] * len(release.form.beside)]
    entropy = InsecureSeededEntropy(5)
    groups = 1 if query.public_keys is None else len(query.public_keys)
    every = (
        [
            one
            for _ in range(-(-draws // groups))
            for one in release.release_rows([row] * groups, entropy)
        ]
        if release.one_draw
        else release.release_rows([row] * draws, entropy)
    )
    parts = len(release.form.parts)
    return [query.estimate(one[:parts], setting, release) for one in every]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("share", [0, 1])
@pytest.mark.parametrize(
    "query",
    [
        Mean("x", low=0, high=150_000, by="g", keys=["a", "b", "c"]),
        Proportion("x > 1", by="g", keys=["a", "b", "c"]),
    ],
    ids=["mean", "proportion"],
)
def test_a_mean_at_its_bound_has_an_interval_from_there_inwards(query, share, setting):
    low, high = (0, 150_000) if isinstance(query, Mean) else (0, 1)
    (part, *_) = query.forms(setting)[0].parts
    top = int(part.sensitivity) // setting.rows // (2 if setting.replace else 1)
    true, rows = (low, high)[share], 400
    ends = released(query, [F((2 * share - 1) * top * rows), F(rows)], setting)
    widths = [one.high - one.low for one in ends]
    assert max(widths) < 0.2 * (high - low)  # 2 to 3 of 100 were all of it
    assert min(widths) > 0
    assert np.mean([one.low <= true <= one.high for one in ends]) >= 0.945
    assert all(one.low <= one.value <= one.high for one in ends)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_variance_at_its_bound_is_not_anything(setting):
    query = Variance("x", low=0, high=100, by="g", keys=["a", "b"])
    top = query.scale.top
    rows = 500
    exact = [F(2 * top * top * rows - top * top * rows), F(-top * rows), F(rows)]  # all are 0
    ends = released(query, exact, setting, 600)
    assert max(one.high - one.low for one in ends) < 2500
    assert min(one.high - one.low for one in ends) > 0
    assert np.mean([one.low <= 0 <= one.high for one in ends]) >= 0.945


@pytest.mark.parametrize("exact", [0, 1, 5])
@pytest.mark.parametrize(
    "query", [Count(), Sum("x", low=0, high=1, step=1), Sum("x", low=-1, high=0)], ids=str
)
def test_counts_and_sums_near_0_have_an_interval_and_hold_the_truth(query, exact):
    sign = -1 if isinstance(query, Sum) and query.low < 0 else 1
    ends = released(query, [F(sign * exact)], SETTINGS[0])
    assert min(one.high - one.low for one in ends) >= 1  # some were "0 to 0"
    assert np.mean([one.low <= sign * exact <= one.high for one in ends]) >= 0.945
    assert all(sign * one.value >= 0 for one in ends)


def test_a_value_beyond_a_bound_is_moved_with_its_interval():
    ends = (F(-10), F(-4))
    assert clamp_estimate(F(-7), ends, F(0), None) == clamp_estimate(F(-7), ends, F(0), F(100))
    found = clamp_estimate(F(-7), ends, F(0), None)
    assert (found.value, found.low, found.high) == (0, 0, 3)
    found = clamp_estimate(F(107), (F(104), F(110)), F(0), F(100))
    assert (found.value, found.low, found.high) == (100, 97, 100)
    found = clamp_estimate(F(1), (F(-2), F(4)), F(0), None)
    assert (found.value, found.low, found.high) == (1, 0, 4)
    found = clamp_estimate(F(9), (F(-2), F(40)), F(10), F(20))
    assert (found.value, found.low, found.high) == (10, 10, 20)


# -- sums of counts -------------------------------------------------------------------------------


def tail_of_sum(rate, draws, bar):
    """P(|sum| > bar), by convolutions."""
    one, law = laplace_masses(rate), np.ones(1)
    for _ in range(draws):
        law = np.convolve(law, one)
    size = np.abs(np.arange(len(law)) - len(law) // 2)
    return law[size > bar + 1e-9].sum()


def bars(rate, pattern, beyond):
    from leastnoise.noise.bars import RATES, laplace_moment

    rates = [rate * share for share in RATES]
    alone, masses = laplace_bar(rate, beyond), laplace_masses(rate)
    return pattern_bars(alone, masses, laplace_moment(rate), rates, [pattern], beyond)[0]


@pytest.mark.parametrize("rate", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("draws", [2, 8, 60])
@pytest.mark.parametrize("beyond", [0.3, 0.05, 1e-4])
def test_the_margin_of_a_sum_is_the_least_that_holds(rate, draws, beyond):
    bar = bars(rate, ((1.0, draws),), beyond)
    assert tail_of_sum(rate, draws, bar) <= beyond
    assert bar == 0 or tail_of_sum(rate, draws, bar - 1) > beyond * (1 - 1e-3)
    assert bars(rate, ((2.5, draws),), beyond) == 2.5 * bar
    assert bar <= laplace_bars(rate, np.array([float(draws)]), beyond, draws)[0]


def test_a_sum_with_unlike_coefficients_keeps_a_bound():
    rate, pattern = 1.0, ((1.0, 3), (2.0, 2))
    bar = bars(rate, pattern, 0.05)
    rng = np.random.default_rng(3)
    draws = rng.geometric(1 - np.exp(-rate), (2, 40_000, 5))
    values = (draws[0] - draws[1]) @ np.array([1, 1, 1, 2, 2])
    assert np.mean(np.abs(values) > bar) <= 0.05


@pytest.mark.parametrize(("sizes", "before", "now"), [((5, 8), 24, 17), ((8,), 12, 8)])
def test_the_grand_total_of_a_table_has_the_margin_of_its_noise(sizes, before, now):
    """Added up by a bound the margin was half as wide again."""
    keys = [[str(i) for i in range(size)] for size in sizes]
    query = Marginals([f"a{i}" for i in range(len(sizes))], ways=[0, len(sizes)], keys=keys)
    release = prepare_publicly(query, SETTINGS[0], QueryBudget(F(1), F(0)), "l1").release
    margins = release.design.error_bound(0.95)
    assert now <= margins[0] <= now + 1 < before
    errors = np.abs(release.design.noise.sample(1500))[:, 0]
    assert np.mean(errors <= margins[0]) >= 0.94
