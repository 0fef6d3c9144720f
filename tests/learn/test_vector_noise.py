"""All statistics as one vector: how far a row can move it, what is drawn, and an audit of it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from leastnoise.learn import DPNaiveBayes, bayes_statistics
from leastnoise.learn.calibrate import plan
from leastnoise.learn.statistics import SCALE
from leastnoise.learn.vector_noise import at_once_plan, both_moments, squared_length
from leastnoise.sampling import InsecureSeededEntropy

BUDGET = Fraction(1), Fraction(1, 10)
ROW = st.tuples(
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 2),
    st.sampled_from([-SCALE, -SCALE // 2, 0, 1, SCALE // 3, SCALE]) | st.integers(-SCALE, SCALE),
    st.integers(-SCALE, SCALE),
)


def counted(rows):
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
    return bayes_statistics(table[:, 0], 3, table[:, 1:3], [4, 3], table[:, 3:])


NEIGHBORS = ("replace", "add-remove")
made = cache(at_once_plan)


def planned(neighbors):
    return made(DPNaiveBayes(neighbors=neighbors)._kinds(counted([(0, 0, 0, 0, 0)])), *BUDGET)


@given(st.lists(ROW, min_size=1, max_size=6), ROW, st.sampled_from(NEIGHBORS))
def test_one_row_moves_the_vector_by_no_more_than_its_sensitivity(rows, new, neighbors):
    joint = planned(neighbors).at_once
    after = [new, *rows[1:]] if neighbors == "replace" else [new, *rows]
    pairs = zip(
        DPNaiveBayes._exact(counted(rows)), DPNaiveBayes._exact(counted(after)), strict=True
    )
    lengths = [Fraction(0)] * joint.groups
    for (one, two), scale in zip(pairs, joint.scales, strict=True):
        part = len(one) // joint.groups
        for place, (a, b) in enumerate(zip(one, two, strict=True)):
            lengths[place // part] += ((a - b) * scale) ** 2
    assert sum(length > 0 for length in lengths) <= 1  # one vector alone
    assert sum(lengths) <= joint.design.document.sensitivity**2


def test_the_sensitivity_is_not_far_from_what_a_row_can_do():
    # Two values whose moments move as far as is claimed, but for the steps of the bound.
    most = max(u**2 + (2 * u * (2 - u)) ** 2 for u in (Fraction(k, 1000) for k in range(2001)))
    assert most <= both_moments(Fraction(1), Fraction(1)) <= Fraction("1.01") * most
    assert both_moments(Fraction(1), Fraction(1)) < Fraction("5.2")
    assert both_moments(Fraction(1), Fraction(0)) == 4


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_a_plan_keeps_its_budget_and_a_tampered_one_does_not(neighbors):
    found = planned(neighbors)
    kinds = tuple(one.kind for one in found.chosen)
    joint = found.at_once
    assert (
        joint.keeps(kinds, *BUDGET) and Fraction("0.999") < squared_length(kinds, joint.scales) <= 1
    )
    wider = replace(joint, scales=tuple(scale * Fraction("1.01") for scale in joint.scales))
    assert not wider.keeps(kinds, *BUDGET)
    assert not joint.keeps(kinds, BUDGET[0] / 2, BUDGET[1])
    assert not joint.keeps(kinds, BUDGET[0], BUDGET[1] / 2)
    assert not replace(joint, groups=joint.groups + 1).keeps(kinds, *BUDGET)
    assert not joint.keeps(kinds[:-1], *BUDGET)


def test_it_is_taken_where_it_does_less_harm():
    kinds = tuple(one.kind for one in planned("add-remove").chosen)
    small = Fraction(1), Fraction(1, 10**5)
    best, gaussian = plan(kinds, *small, "optimal", True), plan(kinds, *small, "analytic-gaussian")
    assert best.at_once is not None and best.harm < 0.8 * gaussian.harm
    assert "vector-designed (dimension 12) noise was best" in best.picked
    # A descent does not know its sums beforehand.
    assert plan(kinds[:1], Fraction(1), Fraction(1, 100), "optimal").at_once is None


def test_releases_are_unbiased_with_the_spread_that_is_told():
    found, values = planned("add-remove"), [[Fraction(3)] * 3, [Fraction(1, 7)] * 12]
    values += [[Fraction(0)] * 9, [Fraction(5, 3)] * 6, [Fraction(-2)] * 6]
    entropy = InsecureSeededEntropy(1)
    drawn = [found.at_once.release(values, entropy) for _ in range(400)]
    for k, one in enumerate(found.chosen):
        errors = np.array([float(x) for each in drawn for x in each[k]]) - float(values[k][0])
        spread = one.std / float(one.kind.unit)
        assert abs(errors.mean()) < 5 * spread / math.sqrt(len(errors))
        assert errors.std() == pytest.approx(spread, rel=0.15)


def audited(neighbors, factor):
    """A lower confidence bound on P(A) - e P'(A) for releases of two neighboring tables."""
    rows = [(k % 3, k % 4, k % 3, 0, 0) for k in range(12)]
    other = [(1, 3, 2, SCALE, SCALE), *rows[1:]]
    if neighbors == "add-remove":
        other = [(1, 3, 2, SCALE, SCALE), *rows]
    kinds = DPNaiveBayes(neighbors=neighbors)._kinds(counted(rows))
    joint = made(kinds, *BUDGET).at_once
    wrong = replace(joint, scales=tuple(scale / factor for scale in joint.scales))
    entropy, exact = InsecureSeededEntropy(7), []
    for table in (rows, other):
        exact.append(DPNaiveBayes._exact(counted(table)))
    line = [
        np.array([float(a - b) for a, b in zip(*k, strict=True)]) for k in zip(*exact, strict=True)
    ]
    scores = []
    for values in exact:
        drawn = [wrong.release(values, entropy) for _ in range(600)]
        scores.append(
            np.array(
                [
                    sum(
                        d @ np.array([float(x) for x in own]) * float(scale) ** 2
                        for d, own, scale in zip(line, one, joint.scales, strict=True)
                    )
                    for one in drawn
                ]
            )
        )
    return max(violation(*scores), violation(-scores[1], -scores[0]))


def violation(one, two, failure=1e-6):
    half = len(one) // 2
    grid = np.quantile(np.concatenate([one[:half], two[:half]]), np.linspace(0.02, 0.98, 49))
    gain = [(one[:half] > t).mean() - math.e * (two[:half] > t).mean() for t in grid]
    cut, n = grid[int(np.argmax(gain))], len(one) - half
    hits, misses = int((one[half:] > cut).sum()), int((two[half:] > cut).sum())
    low = beta.ppf(failure / 2, hits, n - hits + 1) if hits else 0.0
    high = beta.ppf(1 - failure / 2, misses + 1, n - misses) if misses < n else 1.0
    return low - math.e * high


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_audit_of_the_vector(neighbors):
    assert audited(neighbors, 1.0) <= 0.1


def test_the_audit_finds_half_the_noise():
    assert audited("add-remove", 0.4) > 0.1
