"""The atlas: its answers are bounds, whatever lies between its budgets."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise import design
from leastnoise.atlas import DELTAS, EPSILONS, _cut, atlas
from leastnoise.errors import ArgumentError
from leastnoise.mechanisms import Staircase, closed_forms

budgets = st.tuples(
    st.integers(10, 5600).map(lambda k: Fraction(k, 1000)),
    st.integers(0, 740).map(lambda k: Fraction(k, 1000)),
)


@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_the_file_is_whole(loss):
    found = atlas(loss)
    assert found.epsilons == EPSILONS
    assert found.deltas == DELTAS
    for e, row in zip(found.epsilons, found.brackets, strict=True):
        for d, (lower, upper) in zip(found.deltas, row, strict=True):
            assert 0 < lower <= upper
            low, high = found.bounds(e, d)
            assert lower <= Fraction(high)
            assert Fraction(low) <= upper
            assert low <= high


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("0.013", "0.04"), ("0.9", "0.15"), ("0.62", "0.0004"), ("1.1", "0.6"), ("2.5", "0.25")],
)
def test_a_design_is_within_the_bounds(loss, epsilon, delta):
    lower, upper = atlas(loss).bounds(epsilon, delta)
    found = design(epsilon=epsilon, delta=delta, sensitivity=1, loss=loss, gap=0.02)
    assert lower <= found.upper
    assert found.lower <= upper
    assert upper / lower < (1.4 if loss == "l1" else 1.9)


@settings(max_examples=60)
@given(budgets, st.sampled_from(["l1", "l2"]))
def test_no_closed_form_is_below_the_lower_bound(budget, loss):
    epsilon, delta = budget
    lower, upper = atlas(loss).bounds(epsilon, delta)
    assert 0 < lower <= upper
    best = min(m.expected_loss(loss) for m in closed_forms(epsilon, delta, loss=loss))
    assert lower <= best * (1 + 1e-9)


def test_at_delta_0_the_staircase_is_optimal():
    for epsilon in ("0.05", "0.9", "3.1", "5.5"):
        exact = Staircase(epsilon=epsilon, loss="l1").expected_loss("l1")
        lower, upper = atlas("l1").bounds(epsilon, 0)
        assert lower <= exact * (1 + 1e-12)
        assert exact <= upper * (1 + 1e-12)


@settings(max_examples=30)
@given(budgets, budgets)
def test_bounds_at_ordered_budgets_do_not_contradict_monotonicity(first, second):
    small = min(first[0], second[0]), min(first[1], second[1])
    large = max(first[0], second[0]), max(first[1], second[1])
    assert atlas().bounds(*large)[0] <= atlas().bounds(*small)[1]


def test_sensitivity_scales():
    for loss, power in (("l1", 1), ("l2", 2)):
        one, ten = (atlas(loss).bounds("0.5", "0.1", s) for s in (1, 10))
        assert ten == pytest.approx([10**power * end for end in one], rel=1e-12)


def test_beyond_its_ends_the_atlas_refuses():
    for budget, words in (
        ((0.001, 0.1), "epsilon must be from 0.01 to 5.6"),
        ((11, 0.1), "epsilon must be"),
        ((1, 0.8), "delta must be at most 0.75"),
        ((1, -0.1), "delta must be"),
    ):
        with pytest.raises(ArgumentError, match=words):
            atlas().bounds(*budget)
    with pytest.raises(ArgumentError, match="loss must be"):
        atlas("pinball:0.5")


@given(st.floats(1e-12, 1e12))
def test_seven_digits_are_rounded_to_the_safe_side(value):
    low, high = Fraction(_cut(value, -1)), Fraction(_cut(value, 1))
    assert low <= Fraction(value) <= high
    assert high - low <= Fraction(value) * Fraction(3, 10**6)
