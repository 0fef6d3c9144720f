"""Python functions as losses: estimates, and what is still promised of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from leastnoise.errors import ArgumentError
from leastnoise.losses import L1, Custom


def test_custom_losses_are_estimates() -> None:
    loss = Custom(lambda x: x * x, convex=True)
    assert not loss.certified and loss.spec() == {"name": "custom"}
    assert not (loss + L1()).certified
    with pytest.raises(ArgumentError):
        Custom(lambda x: x * x)
    with pytest.raises(ArgumentError, match="unbounded"):
        Custom(lambda x: 1.0, convex=True)


def test_a_convex_function_may_be_least_elsewhere() -> None:
    loss = Custom(lambda x: abs(x - 5), convex=True)
    assert not loss.falls_nowhere
    for edge in map(Fraction, range(9)):
        for side in (1, -1):
            out = [edge + Fraction(j, 4) for j in range(60)]
            values = [loss.lower(side * t) for t in out]
            assert loss.outer_minimum(side, edge) <= min(values)
            slopes = [4 * (b - a) for a, b in pairwise(values)]
            assert loss.steepness(side, edge) <= min(slopes)
    assert loss.outer_minimum(1, Fraction(6)) == 1 and loss.steepness(-1, Fraction(0)) == 1
    assert Custom(abs, convex=True).falls_nowhere
