"""Theorem 1 as far as a test can show it, and why both assumptions on the loss are needed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from leastnoise.paper.hierarchy import D, P
from leastnoise.paper.hierarchy.convergence import hierarchy_of_bounds


def test_both_bounds_are_monotone_and_the_gap_closes():
    rows = hierarchy_of_bounds(
        epsilon=1, delta="0.2", sensitivity=1, support=4, resolutions=(1, 2, 4, 8)
    )
    uppers = [float(row.upper.upper) for row in rows]
    lowers = [float(row.lower.lower) for row in rows]
    assert uppers == sorted(uppers, reverse=True)
    assert lowers == sorted(lowers)
    gaps = [up - low for up, low in zip(uppers, lowers, strict=True)]
    # First order: halving beta halves the gap, which is beta/2 for |x|.
    for row, gap in zip(rows, gaps, strict=True):
        assert gap == pytest.approx(float(row.beta) / 2, abs=0.01)


def test_a_finer_mesh_alone_does_not_close_the_gap():
    """The noise of D may leave any fixed window, so its support has to grow as well."""
    data = {"epsilon": "0.2", "delta": "0.05", "beta": "1/2"}
    narrow = D(**data, cells=10).solve()
    wide = D(**data, cells=24).solve()
    assert narrow.lower < wide.lower
    assert P(**data, cells=24).solve().upper - narrow.lower > Fraction(1, 2)


@pytest.mark.parametrize("epsilon", [0, 1, 5])
def test_a_uniform_noise_bounds_p_for_every_epsilon(epsilon):
    """Lemma A.5: 2 ceil(1/(2 delta)) equal cells as wide as the sensitivity are private."""
    delta = Fraction("0.15")
    half = math.ceil(1 / (2 * delta))
    bound = P(epsilon=epsilon, delta=delta, beta=1, cells=half).solve()
    assert bound.upper <= Fraction(half, 2)


class NotContinuous:
    """0 at 0, 1 up to |x| = 2 ceil(1/(2 delta)) D, then 1 + |x|: unbounded, but it jumps."""

    certified = True

    def __init__(self, delta: Fraction) -> None:
        self.far = 2 * math.ceil(1 / (2 * delta))

    def mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        outside = abs(lo + hi) / 2 if max(abs(lo), abs(hi)) > self.far else 0
        return 1 + Fraction(outside)

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        if lo <= 0 < hi:
            return Fraction(0)
        near = min(abs(lo), abs(hi))
        return Fraction(1) if near <= self.far else 1 + near

    def beyond(self, side: int, edge: Fraction) -> Fraction:
        return 1 + edge if edge > self.far else Fraction(1)


class NotUnbounded:
    """Period 1: 1 on the first half, 0 on [5/8, 7/8), linear between: continuous, but at most 1."""

    certified = True
    corners = ((0, 1), (Fraction(1, 2), 1), (Fraction(5, 8), 0), (Fraction(7, 8), 0), (1, 1))

    def at(self, x: Fraction) -> Fraction:
        t = x - math.floor(x)
        for (a, up), (b, down) in pairwise(self.corners):
            if a <= t <= b:
                return up + (down - up) * (t - a) / Fraction(b - a)
        raise AssertionError

    def _nodes(self, lo: Fraction, hi: Fraction) -> list[Fraction]:
        kinks = (k + c for k in range(math.floor(lo), math.ceil(hi) + 1) for c, _ in self.corners)
        return sorted({lo, hi, *(Fraction(x) for x in kinks if lo < x < hi)})

    def mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        nodes = self._nodes(lo, hi)
        area = sum((b - a) * (self.at(a) + self.at(b)) / 2 for a, b in pairwise(nodes))
        return area / (hi - lo)

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        return min(self.at(x) for x in self._nodes(lo, hi))

    def beyond(self, side: int, edge: Fraction) -> Fraction:
        return Fraction(0)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_without_continuity_the_gap_stays(n):
    delta = Fraction(1, 4)
    data = {"epsilon": "0.5", "delta": delta, "beta": Fraction(1, n), "loss": NotContinuous(delta)}
    up, low = P(**data, cells=5 * n).solve(), D(**data, cells=5 * n).solve()
    assert up.upper >= 1
    assert low.optimum <= 1 - delta / 2 + 1e-9
    assert up.optimum - low.optimum >= delta / 2 - 1e-6


@pytest.mark.parametrize("n", [1, 2, 4])
def test_without_unboundedness_the_gap_stays(n):
    delta = Fraction(1, 4)
    data = {"epsilon": 1, "delta": delta, "beta": Fraction(1, n), "loss": NotUnbounded()}
    up, low = P(**data, cells=4 * n).solve(), D(**data, cells=4 * n).solve()
    least = (1 - delta) / (1 + math.e)
    assert up.optimum >= least - 1e-9
    assert low.lower == 0 and low.optimum == pytest.approx(0, abs=1e-9)
