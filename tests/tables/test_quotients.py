"""Intervals of quotients: they hold what they promise, and are no wider than they must be."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import Mean, Proportion
from leastnoise.exact import exp_upper
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.planning.noise import delta_of_a_step, noise_for
from leastnoise.tables.planning.quotients import (
    BoundLine,
    _cells,
    _probability_within,
    believed_range,
)
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.numbers import ReleaseForm
from leastnoise.tables.unit import Row

DRAWS = 900


def exact_of(query, count, share):
    """The total and the count of so many rows whose mean is this share of the way."""
    top = query.scale.top if isinstance(query, Mean) else 1
    return [Fraction(round((2 * share - 1) * top * count)), Fraction(count)]


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(
    "query", [Mean("x", low=0, high=10, where="y = 1"), Proportion("x > 1", where="y = 1")], ids=str
)
def test_intervals_of_means_hold_in_95_of_100_cases(query, relation):
    setting = Setting(Row(), relation)
    noise = noise_for(query.forms(setting), Fraction(1), Fraction(1, 10**6), 1)
    assert noise.form.name
    entropy = InsecureSeededEntropy(8)
    width = 10 if isinstance(query, Mean) else 1
    for count, share in ((40, 0.0), (40, 0.5), (10, 0.9), (3, 0.5)):
        exact = exact_of(query, count, share)
        top = query.scale.top if isinstance(query, Mean) else 1
        true = width * (1 + float(exact[0] / exact[1]) / top) / 2
        found = noise.release_rows([query.numbers(noise.form, exact)] * DRAWS, entropy)
        ends = [query.estimate(parts, setting, noise) for parts in found]
        held = np.mean([one.low - 1e-9 <= true <= one.high + 1e-9 for one in ends])
        assert held >= 0.935, (count, share)
        assert all(one.low <= one.value <= one.high for one in ends)
        if count == 40 and not isinstance(query, Proportion):
            assert held <= 0.99  # and they are not just wide


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("epsilon", [1, 3])
def test_small_counts_are_covered_exactly(relation, epsilon):
    """Every outcome of both noises with its probability: one row, none of two, at the ends."""
    query, setting = Proportion("x > 1", where="y = 1"), Setting(Row(), relation)
    for form in query.forms(setting):
        noise = noise_for([form], Fraction(epsilon), Fraction(1, 20), 1)
        axes = []
        for law in noise.noises:
            far = int(law.design.noise.error_bound(1 - 1e-9)) + 1
            at = np.arange(-far, far + 1)
            axes.append(
                zip(at, law.design.noise.cdf(at) - law.design.noise.cdf(at - 1), strict=True)
            )
        outcomes = list(itertools.product(*axes))
        for count, true in ((1, 0), (1, 1), (2, 1), (40, 0)):
            numbers = query.numbers(form, [Fraction(2 * true - count), Fraction(count)])
            held = 0.0
            for (x, p), (y, q) in outcomes:
                moved = [numbers[0] + int(x), numbers[1] + int(y)]
                one = query.estimate(noise.around(moved), setting, noise)
                assert one.low <= one.value <= one.high
                held += p * q * (one.low - 1e-12 <= true / count <= one.high + 1e-12)
            assert held >= 0.95 - 1e-9, (form.name, count, true)


def test_what_is_kept_is_never_overstated():
    setting = Setting(Row(), "add-remove")
    random = np.random.default_rng(3)
    for query in (Mean("x", low=0, high=10), Proportion("x > 1")):
        one, two = noise_for(query.forms(setting), Fraction(1), Fraction(1, 100), 1).noises
        x, y = (law.design.noise.sample(20_000) for law in (one, two))
        for limit in (0.5, 2.0, 5.0):
            weights = [(random.uniform(-1, 1), random.uniform(-1, 1)) for _ in range(2)]
            drawn = np.mean([np.abs(a * x + b * y) <= limit for a, b in weights], axis=0) == 1
            kept = _probability_within(limit, _cells(one), two.design.noise, weights)
            assert kept <= drawn.mean() + 0.015 and kept >= drawn.mean() - 0.06


def test_steps_of_the_smallest_budgets_cost_no_more_than_the_whole():
    for exponent in (1, 12, 37, 38, 50, 300):
        for most in (2, 33, 64):
            epsilon, delta = Fraction(1, 10**exponent), Fraction(1, 10)
            each = delta_of_a_step(epsilon, delta, most)
            together = sum(each * exp_upper(k * epsilon) for k in range(most))
            assert 0.99 * most * delta < together <= most * delta * (1 + Fraction(1, 10**9))


def test_nothing_is_believed_where_nothing_fits():
    setting = Setting(Row(), "add-remove")
    sides = BoundLine(1, -1), BoundLine(0, -1)
    laws = noise_for(Proportion("x > 1").forms(setting), Fraction(1), Fraction(0), 1).limits(sides)
    assert believed_range(laws, sides, (Fraction(10**6), Fraction(-(10**6)))) == (0.0, 1.0)
    low, high = believed_range(laws, sides, (Fraction(0), Fraction(0)))
    assert (low, high) == (0, 1)
    low, high = believed_range(laws, sides, (Fraction(10**6), Fraction(10**6)))
    assert 0.49999 < low < 0.5 < high < 0.50001


@pytest.mark.parametrize(("relation", "gain"), [("add-remove", 0.85), ("replace", 0.55)])
def test_what_a_unit_cannot_move_at_once_is_not_paid_for_twice(relation, gain):
    query = Mean("x", low=120, high=190, where="y = 1")
    setting, budget = Setting(Row(), relation), (Fraction(1), Fraction(1, 10**6))
    forms = query.forms(setting)
    best, plain = (
        noise_for(few, *budget, 1).expected_error(query, setting, 1000)
        for few in (forms, forms[:1])
    )
    assert best < gain * plain
    sides = ReleaseForm((), 0, name="sides", top=7)
    assert query.numbers(sides, [Fraction(3), Fraction(2)]) == [Fraction(17, 2), Fraction(11, 2)]
