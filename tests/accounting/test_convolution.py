"""Totals read off convolved losses lie on their own side of the truth, computed exactly here."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product as pairs_of

import numpy as np
import pytest

from leastnoise.accounting.convolution import power, product
from leastnoise.accounting.dominating import Losses
from leastnoise.exact import exp_lower, exp_upper

STEP = 0.125


def law(places, masses, infinite=0.0):
    """Losses at `places` times STEP, with nothing between them."""
    dense = np.zeros(places[-1] - places[0] + 1)
    dense[np.array(places) - places[0]] = masses
    return Losses(STEP, places[0], dense, infinite, 0.0)


def exactly(laws, epsilon):
    """(below, above): the delta of the product of small laws, in rationals."""
    terms = [
        [((one.start + i), Fraction(float(m))) for i, m in enumerate(one.masses) if m]
        for one in laws
    ]
    finite = Fraction(1)
    for one in laws:
        finite *= 1 - Fraction(one.infinite)
    sides = []
    for exp in (exp_upper, exp_lower):
        total = 1 - finite
        for chosen in pairs_of(*terms):
            loss = sum(place for place, _ in chosen) * Fraction(STEP)
            if loss > epsilon:
                mass = math.prod((m for _, m in chosen), start=Fraction(1))
                total += mass * (1 - exp(epsilon - loss))
        sides.append(total)
    return sides


SMALL = law([-8, -1, 3, 9], [0.25, 0.25, 0.375, 0.09375], 0.03125)
OTHER = law([-2, 40], [0.625, 0.375])


@pytest.mark.parametrize("epsilon", ["0", "0.3", "1", "2.375", "6", "20"])
@pytest.mark.parametrize("times", [1, 3])
def test_powers_hold_the_exact_value(times, epsilon):
    found = power(SMALL, times, pessimistic=True)
    below, above = exactly([SMALL] * times, Fraction(epsilon))
    low, high = (found.delta(float(epsilon), up=up) for up in (False, True))
    assert Fraction(low) <= below <= above <= Fraction(high)
    assert high - low < 1e-12


@pytest.mark.parametrize("epsilon", ["0", "0.3", "1", "2.375", "6", "20"])
def test_products_hold_the_exact_value(epsilon):
    found = product([power(SMALL, 2, pessimistic=True), power(OTHER, 1, pessimistic=True)])
    below, above = exactly([SMALL, SMALL, OTHER], Fraction(epsilon))
    low, high = (found.delta(float(epsilon), up=up) for up in (False, True))
    assert Fraction(low) <= below <= above <= Fraction(high)
    assert high - low < 1e-12


def test_the_length_counts_what_lies_between_losses():
    """dp-accounting holds few losses sparsely: how many there are is not how long they reach."""
    far = law([0, 30_000], [0.5, 0.5])
    wide = Losses(STEP, 0, np.full(2_000, 1 / 2_000), 0.0, 0.0)
    sparse, dense = power(far, 1, pessimistic=True), power(wide, 1, pessimistic=True)
    assert sparse.length == 30_001 and dense.length == 2_000
    both = product([sparse, dense])
    # The transforms that multiply them are as long as the result.
    assert both.length <= sparse.length + dense.length
    assert both.margin > 8 * math.sqrt(30_000) * 2.0**-52


def test_epsilons_lie_on_their_own_side():
    found = power(SMALL, 3, pessimistic=True)
    for delta in (0.1, 0.2, 0.4):
        low, high = (found.epsilon(delta, up=up) for up in (False, True))
        assert low <= high <= low + 1e-6
        assert exactly([SMALL] * 3, Fraction(high))[1] <= Fraction(delta)
        assert low == 0 or exactly([SMALL] * 3, Fraction(low))[0] > Fraction(delta)
    # 1 - (1 - 1/32)^3 of the mass is infinite.
    assert found.epsilon(0.09, up=True) == math.inf == found.epsilon(0.09, up=False)
    assert found.epsilon(0.95, up=True) == 0


@pytest.mark.parametrize("epsilon", [0, 10, 25])
def test_long_powers_are_cut_and_hold_the_exact_value(epsilon):
    """What is cut off is no more than the margin says; transforms of it all would take much."""
    step, times = 2.0**-7, 600
    coin = Losses(step, -50, np.array([0.5, *[0.0] * 99, 0.5]), 0.0, 0.0)
    found = power(coin, times, pessimistic=True)
    assert found.length < 101 * times / 2
    losses = [((2 * heads - times) * 50 * Fraction(step), heads) for heads in range(times + 1)]
    for exp, up in ((exp_upper, False), (exp_lower, True)):
        truth = sum(
            math.comb(times, heads) * (1 - exp(epsilon - loss))
            for loss, heads in losses
            if loss > epsilon
        ) / Fraction(2**times)
        told = Fraction(found.delta(float(epsilon), up=up))
        assert (truth <= told) if up else (told <= truth)
        assert abs(told - truth) < Fraction(1, 10**8)
