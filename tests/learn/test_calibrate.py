"""Noise for a total budget: the total is recomputed by other means."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import ArgumentError
from leastnoise.accounting import gaussian_epsilon
from leastnoise.accounting.mixed import (
    ComposedPart,
    budget_pair,
    shifted_pair,
    total_delta,
    total_epsilon,
)
from leastnoise.learn.calibrate import plan
from leastnoise.learn.integer_noise import CellNoise, gaussian, geometric, laplace
from leastnoise.learn.kinds import StatisticKind, cost
from leastnoise.learn.range_noise import range_noise
from leastnoise.sampling import InsecureSeededEntropy

ONE = Fraction(1)
KINDS = (
    StatisticKind("counts", 2, ONE, ((2, 1), (0, 0)), 1.0, True),
    StatisticKind("sums", 4, ONE, ((4, 1), (2, 2)), 9.0, False, 1),
)
FEW = (StatisticKind("count", 2, ONE, ((2, 1),), 1.0, True),)
BUDGET = (Fraction(2), Fraction(1, 1000))


def brute_delta(noises, shifts, epsilon):
    """The hockey stick of independent releases, from the product of their laws."""
    laws = [shifted_pair(noise.masses, shift) for noise, shift in zip(noises, shifts, strict=True)]
    p = laws[0][0]
    q = laws[0][1]
    for a, b in laws[1:]:
        p, q = np.outer(p, a).ravel(), np.outer(q, b).ravel()
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


@pytest.mark.parametrize(
    "noise", ["optimal", "analytic-gaussian", "gaussian", "laplace", "truncated-laplace", "tulap"]
)
def test_two_releases_keep_the_budget_and_use_it(noise):
    found = plan(FEW, *BUDGET, noise)
    (one,) = found.chosen
    if one.noise.ratio is not None:  # geometric: epsilons add up
        assert -2 * math.log(float(one.noise.ratio)) <= 2
        return
    true = brute_delta([one.noise] * 2, [1, 1], 2.0)
    assert true <= 1e-3
    # The classic formula wastes most of it; delta jumps where losses of single releases add up.
    used = {"gaussian": 0.0, "truncated-laplace": 0.2, "tulap": 0.2}
    assert true >= used.get(noise, 0.9) * 1e-3


def test_different_kinds_in_the_worst_way():
    kinds = (
        StatisticKind("counts", 2, ONE, ((1, 1), (0, 0)), 1.0, True),
        StatisticKind("sums", 2, ONE, ((1, 1), (1, 2)), 1.0, True),
    )
    found = plan(kinds, *BUDGET, "analytic-gaussian")
    count, total = (one.noise for one in found.chosen)
    ways = [brute_delta([count, total], [1, 1], 2.0), brute_delta([total], [2], 2.0)]
    assert max(ways) <= 1e-3
    assert max(ways) >= 0.9e-3
    assert cost(found.chosen, 2.0) == pytest.approx(max(ways), rel=0.02)


def test_optimal_is_no_worse_than_any_family():
    best = plan(KINDS, *BUDGET, "optimal")
    for noise in ("analytic-gaussian", "gaussian", "laplace", "tulap"):
        assert best.harm <= plan(KINDS, *BUDGET, noise).harm * 1.0001
    assert "was best for 6 changed numbers" in best.picked


def test_more_budget_means_less_noise():
    stds = [
        plan(KINDS, Fraction(e), BUDGET[1], "analytic-gaussian").chosen[0].std
        for e in ("0.1", "1", "10")
    ]
    assert stds[0] > stds[1] > stds[2]


def test_the_budget_is_divided_to_hurt_least():
    found = plan(KINDS, *BUDGET, "analytic-gaussian")
    # Moving noise from one kind to the other, at the same total, must not help.
    best = found.harm
    for factor in (0.9, 1.1):
        first = gaussian(found.chosen[0].std * factor)
        scale = found.chosen[1].std * found.chosen[1].cells
        moved = [
            (
                first.variance * KINDS[0].weight * 2
                + (scale * other / found.chosen[1].cells) ** 2 * KINDS[1].weight * 4,
                other,
            )
            for other in (0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.03)
        ]
        total = [
            2 / first.variance + 4 * 1 / (found.chosen[1].std * other) ** 2 for _, other in moved
        ]
        now = 2 / found.chosen[0].std ** 2 + 4 / found.chosen[1].std ** 2
        allowed = [harm for (harm, _), t in zip(moved, total, strict=True) if t <= now]
        assert all(harm >= best * 0.97 for harm in allowed)


def test_mixed_composition_of_gaussians_is_the_known_one():
    parts = [
        ComposedPart((shifted_pair(gaussian(10).masses, 1),), 10),
        ComposedPart((shifted_pair(gaussian(20).masses, 2),), 10),
    ]
    ratio = 1 / math.sqrt(10 / 100 + 10 * 4 / 400)
    assert total_epsilon(parts, 1e-5) == pytest.approx(gaussian_epsilon(ratio, 1, 1e-5), rel=2e-3)
    assert total_delta([], 1.0) == 0


def test_optimal_composition_of_budgets():
    # Kairouz, Oh, Viswanath: two (e, 0) releases at epsilon e: delta = (1-e^-e) e^e/(1+e^e)^2 ...
    p, q = budget_pair(0.5, 0.0)
    true = sum(
        max(0.0, p[i] * p[j] - math.exp(0.5) * q[i] * q[j])
        for i, j in itertools.product(range(4), repeat=2)
    )
    assert total_delta([ComposedPart((budget_pair(0.5, 0.0),), 2)], 0.5) == pytest.approx(
        true, rel=1e-3
    )


def test_log_concave_noise_is_worst_at_the_largest_shift():
    for noise in (gaussian(3.3), laplace(2.0)):
        assert noise.log_concave
        for epsilon in (0.0, 0.5, 2.0):
            values = [brute_delta([noise], [shift], epsilon) for shift in range(1, 6)]
            assert np.all(np.diff(values) > -1e-15)
        assert len(noise.pairs(5)) == 1
    stepped = CellNoise(-2, (3, 1, 4, 1, 3))
    assert not stepped.log_concave
    assert len(stepped.pairs(5)) == 5


def test_geometric_noise_keeps_epsilon_exactly():
    noise = geometric(Fraction(1, 3), 2)
    assert noise.ratio is not None
    assert float(noise.ratio) ** 2 >= math.exp(-1 / 3)
    assert -2 * math.log(float(noise.ratio)) == pytest.approx(1 / 3, rel=1e-12)
    draws = np.array(noise.draw(InsecureSeededEntropy(3), 40_000))
    assert draws.var() == pytest.approx(noise.variance, rel=0.05)


def test_releases_are_unbiased_and_on_the_lattice():
    noise = gaussian(2.0)
    value = Fraction(12345, 65536)
    draws = noise.release([value] * 40_000, 4, InsecureSeededEntropy(4))
    assert all((4 * x).denominator == 1 for x in draws)
    values = np.array([float(x) for x in draws])
    share = float(4 * value % 1)
    variance = (noise.variance + share * (1 - share)) / 16
    assert abs(values.mean() - float(value)) < 5 * math.sqrt(variance / 40_000)
    assert values.var() == pytest.approx(variance, rel=0.05)


def test_impossible_budgets_are_refused():
    with pytest.raises(ArgumentError, match="epsilon must be positive, or delta positive"):
        plan(FEW, Fraction(0), Fraction(0), "optimal")
    with pytest.raises(ArgumentError, match="at most 2 for noise='gaussian' here"):
        plan(FEW, Fraction(5), Fraction(1, 100), "gaussian")


def test_range_dependent_answers_are_used_only_where_they_help():
    counts = StatisticKind("counts", 2, ONE, ((2, 1),), 1.0, True, size=6)
    found = plan((counts,), Fraction(1, 2), Fraction(1, 10), "optimal-dependent")
    baseline = plan((counts,), Fraction(1, 2), Fraction(1, 10), "optimal")
    assert found.harm <= baseline.harm
    assert cost(found.chosen, 0.5) <= 0.1
    wide = plan(FEW, *BUDGET, "optimal-dependent")
    assert wide.picked.startswith("additive: no range is public")
    noise = range_noise(Fraction(1, 2), Fraction(1, 20), 6)
    answers = noise.release([Fraction(2)] * 50, 1, InsecureSeededEntropy(1))
    assert set(answers) <= {Fraction(k) for k in range(7)}
    assert total_delta([ComposedPart(noise.pairs(1), 1)], 0.5) == pytest.approx(0.05, rel=1e-3)
    with pytest.raises(ValueError, match="the design is for changes of 1"):
        noise.pairs(2)


def test_a_design_for_so_many_releases_wins_between_one_and_many():
    kinds = (StatisticKind("sum", 4, ONE, ((4, 1),), 1.0, False),)
    budget = Fraction(2), Fraction(1, 100)
    best, baseline = plan(kinds, *budget, "optimal"), plan(kinds, *budget, "analytic-gaussian")
    assert "profile-designed" in best.picked and best.harm < 0.96 * baseline.harm
    assert cost(best.chosen, 2.0) <= 1e-2
