"""Properties of the engine on random problems; `make slow` tries more examples of each."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise import Piecewise, design
from leastnoise.baselines import closed_forms
from leastnoise.certify import check
from leastnoise.noise import noise_of

GAP = 1e-2
EXAMPLES = int(os.environ.get("LEASTNOISE_EXAMPLES", "3"))

epsilons = st.sampled_from(["0", "0.05", "0.1", "0.3", "0.7", "1", "1.5", "2", "3"])
deltas = st.sampled_from(["0.001", "0.01", "0.05", "0.1", "0.2", "0.35", "0.5", "0.8"])
losses = st.sampled_from(["l1", "l2", "pinball:0.7", "huber:0.5"])
budgets = st.tuples(epsilons, deltas).filter(lambda b: not (b[0] == "0" and b[1] == "0.001"))


@cache
def solve(epsilon, delta, loss, **more):
    more = {"sensitivity": 1} | more
    return design(epsilon=epsilon, delta=delta, loss=loss, gap=GAP, **more)


@settings(max_examples=EXAMPLES)
@given(budgets, losses)
def test_lower_below_upper_below_every_closed_form(budget, loss):
    found = solve(*budget, loss)
    assert found.converged, found.status
    assert 0 < found.lower <= found.upper
    for baseline in closed_forms(epsilon=budget[0], delta=budget[1], loss=loss):
        value = baseline.expected_loss(loss)
        assert found.lower <= value * (1 + 1e-9), baseline
        assert found.upper <= (1 + GAP) * value * (1 + 1e-9), baseline


@settings(max_examples=EXAMPLES)
@given(st.tuples(epsilons, epsilons), st.tuples(deltas, deltas), losses)
def test_more_budget_never_costs_more(pair_epsilon, pair_delta, loss):
    small_e, large_e = sorted(pair_epsilon, key=Fraction)
    small_d, large_d = sorted(pair_delta, key=Fraction)
    if small_e == "0" and small_d == "0.001":
        small_d = "0.01"
        large_d = max(large_d, small_d, key=Fraction)
    tight, loose = solve(small_e, small_d, loss), solve(large_e, large_d, loss)
    assert loose.lower <= tight.upper


@settings(max_examples=EXAMPLES)
@given(
    budgets,
    st.sampled_from(["l1", "l2", "pinball:0.7"]),
    st.builds(
        lambda a, b, k: Fraction(a, b) * Fraction(10) ** k,
        st.integers(1, 9),
        st.integers(1, 9),
        st.integers(-6, 6),
    ),
)
def test_scales_with_sensitivity(budget, loss, sensitivity):
    one, many = solve(*budget, loss), solve(*budget, loss, sensitivity=sensitivity)
    power = 2 if loss == "l2" else 1
    scale = float(sensitivity) ** power
    assert abs(many.upper / scale - one.upper) <= 1e-7 * one.upper
    # Multipliers are thinned and rounded to decimals, which do not scale.
    assert abs(many.lower / scale - one.lower) <= 2e-4 * one.lower


@settings(max_examples=EXAMPLES)
@given(budgets, st.integers(1, 9), st.integers(1, 9))
def test_mirror_image_for_a_mirrored_loss(budget, left, right):
    loss = Piecewise(((0, 0), (1, right)), (-left, right + 1))
    one, two = solve(*budget, loss), solve(*budget, loss.mirror())
    assert one.lower <= two.upper and two.lower <= one.upper
    cost = one.noise.expected_loss(loss)
    assert cost <= one.upper * (1 + 1e-9)
    # The mirrored noise, its weights from right to left, costs the same under the mirrored loss,
    # is as private, and so cannot cost less than what is proven for that loss.
    document = one.document
    noise = document.noise
    turned = (
        {"first": -noise.first - len(noise.weights) + 1}
        if noise.edges is None
        else {"edges": tuple(-edge for edge in reversed(noise.edges))}
    )
    flipped = document.with_problem(loss=loss.mirror())
    flipped = replace(
        flipped.with_noise(weights=noise.weights[::-1], **turned),
        certificate=two.document.certificate,
        lower=min(two.document.lower, document.upper),
    )
    assert noise_of(flipped).expected_loss(loss.mirror()) == pytest.approx(cost, rel=1e-12)
    report = check(flipped)
    assert report.private and report.proven
    assert document.upper >= two.document.lower


@settings(max_examples=EXAMPLES)
@given(epsilons, st.tuples(deltas, deltas), st.sampled_from(["l1", "l2"]))
def test_optimum_over_one_minus_delta_never_rises(epsilon, pair, loss):
    small, large = sorted(pair, key=Fraction)
    if epsilon == "0" and small == "0.001":
        small = "0.01"
        large = max(large, small, key=Fraction)
    one, two = solve(epsilon, small, loss), solve(epsilon, large, loss)
    assert two.lower / (1 - float(large)) <= one.upper / (1 - float(small)) * (1 + 1e-12)
