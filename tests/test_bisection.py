"""Bisection finds where a condition begins, to the integer, the float and the width asked for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from leastnoise.bisection import bracket, first_integer, narrow


@pytest.mark.parametrize("least", [-4, -3, 0, 7, 10**30, 10**30 + 5])
def test_the_least_integer_is_found_and_no_end_is_asked(least: int) -> None:
    asked: list[int] = []

    def holds(x: int) -> bool:
        asked.append(x)
        return x >= least

    assert first_integer(holds, -5, 10**30 + 5) == least
    assert all(-5 < x < 10**30 + 5 for x in asked)


def test_floats_are_narrowed_to_neighbors() -> None:
    low, high = narrow(lambda x: x * x >= 2, 0.0, 2.0)
    assert low * low < 2 <= high * high
    assert math.nextafter(low, math.inf) == high


def test_fractions_stay_exact_and_within_the_width() -> None:
    low, high = narrow(lambda x: x >= Fraction(1, 3), Fraction(0), Fraction(1), width=1e-6)
    assert low < Fraction(1, 3) <= high
    assert high - low <= 1e-6 < 2 * (high - low)


def test_steps_and_relative_widths_end_the_search() -> None:
    assert narrow(lambda x: x >= 1, 0.0, 8.0, steps=2) == (0.0, 2.0)
    low, high = narrow(lambda x: x >= 300, 0.0, 1e6, relative=1e-3)
    assert 0 < high - low <= 1e-3 * high
    assert low < 300 <= high


@pytest.mark.parametrize(("least", "ends"), [(0.5, (0.25, 1.0)), (9.0, (8.0, 16.0))])
def test_doubling_stops_at_the_first_that_holds(least: float, ends: tuple[float, float]) -> None:
    assert bracket(lambda x: x >= least, 0.25, 1.0) == ends
