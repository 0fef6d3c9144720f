"""The literature's lower bound: sound when rounded down, not when rounded up."""

from __future__ import annotations

import math

import pytest
from mechanism_budgets import BUDGETS, real

from leastnoise.baselines.lower_bounds import geng_lower_bound, remainder_lower_bound
from leastnoise.errors import ArgumentError, RegimeError


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("loss", ["l1", "l2", "power:1.5"])
def test_below_every_mechanism(epsilon, delta, loss):
    budget = {"epsilon": epsilon, "delta": delta, "sensitivity": 3, "loss": loss}
    low, better = geng_lower_bound(**budget), remainder_lower_bound(**budget)
    assert 0 <= low <= better * (1 + 1e-12)
    for noise in real(epsilon, delta, 3):
        assert better <= noise.expected_loss(loss) * (1 + 1e-12), noise


def test_rounding_up_is_no_bound():
    # At (0.2, 0.2) it exceeds what Tulap noise achieves.
    up = geng_lower_bound(epsilon=0.2, delta=0.2, round_up=True)
    best = min(noise.expected_loss("l1") for noise in real(0.2, 0.2))
    assert up > 1.08 * best
    assert geng_lower_bound(epsilon=0.2, delta=0.2) < best


@pytest.mark.parametrize(
    ("epsilon", "delta", "published"), [(1, 0.2, 0.573357), (0.2, 0.05, 3.91688)]
)
def test_figure_3_rounds_up(epsilon, delta, published):
    value = geng_lower_bound(epsilon=epsilon, delta=delta, sensitivity=2, round_up=True)
    assert value == pytest.approx(published, rel=1e-5)


def test_figure_3_at_large_epsilon_sums_without_end():
    # 0.0136133 is what the series gives without stopping at all; rounded up it is 0.0134305.
    b = math.exp(-5)
    endless = 2 * 2 * (0.5 - b * 0.25) * b / (1 - b) ** 2
    assert endless == pytest.approx(0.0136133, rel=1e-5)
    up = geng_lower_bound(epsilon=5, delta=0.25, sensitivity=2, round_up=True)
    assert up == pytest.approx(0.0134305, rel=1e-5)


def test_pure_privacy_tends_to_the_known_rate():
    # delta = 0: E|X| >= D e^-epsilon/(1 - e^-epsilon), against e^(epsilon/2)/(e^epsilon - 1).
    for epsilon in (0.1, 1.0, 3.0):
        exact = 1 / math.expm1(epsilon)
        assert geng_lower_bound(epsilon=epsilon, delta=0) == pytest.approx(exact, rel=1e-12)


def test_refusals():
    with pytest.raises(ArgumentError, match="symmetric and never falling"):
        geng_lower_bound(epsilon=1, delta=0.1, loss="pinball:0.8")
    with pytest.raises(ArgumentError, match="positive if epsilon is 0"):
        geng_lower_bound(epsilon=0, delta=0)
    with pytest.raises(RegimeError, match="sums 5e\\+09 cells"):
        geng_lower_bound(epsilon=0, delta=1e-10)
