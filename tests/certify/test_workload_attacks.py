"""Files of kind "workload" made by hand, and error bars of noise that is not Gaussian."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import Workload, design
from leastnoise.certify import check_any, parse_any
from leastnoise.cli.workload import release_workload
from leastnoise.errors import DataError
from leastnoise.noise.bars import laplace_bars

ONE = {"name": "identity", "cells": 1}
PLAIN = {"bits": 1, "triangle": [[2]]}
SHIFTS = {"shifts": [[0, 1]], "matrix": [[1]]}


def made(budget: dict, noise: dict, own: dict, copies: int = 1, upper: str = "1") -> dict:
    """A file about one count, or about a product of so many."""
    return {
        "format": "leastnoise/1",
        "kind": "workload",
        "workload": ONE if copies == 1 else {"product": [ONE] * copies},
        "neighbours": "add-remove",
        "budget": budget,
        "loss": {"name": "l2"},
        "largest": False,
        "noise": [noise] * copies,
        "upper": upper,
        "lower": "0",
        "certificate": [own] * copies,
    }


@pytest.mark.parametrize("rho", ["499", "501", "1000"])
def test_a_rho_whose_exponential_is_too_large(rho: str) -> None:
    assert check_any(parse_any(json.dumps(made({"zcdp": rho}, PLAIN, SHIFTS)))).proven


@pytest.mark.parametrize("copies", [1, 2, 30])
def test_laplace_noise_on_a_grid_finer_than_any_number(copies: int) -> None:
    fine = {"bits": 80, "rows": [[1 << 80]]}
    budget = {"epsilon": "0.000001", "delta": "0"}
    for upper, proven in (("2000000000001", True), ("1999999999998", False)):
        data = made(budget, fine, SHIFTS | {"inverse": [[1]]}, copies, upper)
        assert check_any(parse_any(json.dumps(data))).proven is proven


def law_of_sum(rate: float, count: int) -> np.ndarray:
    """P(S = k) of a sum of discrete Laplace draws, k from -200 count on."""
    one = np.exp(-rate * np.abs(np.arange(-200, 201)))
    found = one = one / one.sum()
    for _ in range(count - 1):
        found = np.convolve(found, one)
    return found


@pytest.mark.parametrize("rate", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("beyond", [0.3, 0.05, 1e-4])
def test_bars_of_laplace_noise_hold(rate: float, count: int, beyond: float) -> None:
    law = law_of_sum(rate, count)
    size = np.abs(np.arange(len(law)) - len(law) // 2)
    (bar,) = laplace_bars(rate, np.array([float(count)]), beyond)
    assert law[size > bar + 1e-9].sum() <= beyond * (1 + 1e-9)
    if count == 1 and bar > 0:
        assert law[size > bar - 1].sum() > beyond  # and no smaller one does


def test_error_bars_are_not_those_of_the_normal_law() -> None:
    best = design(workload=Workload.prefix(3), epsilon=1, delta=0)
    assert "Laplace" in best.status and best.document.grid == 1
    for level in (0.95, 0.99):
        for k, bar in enumerate(best.error_bound(level)):
            law = law_of_sum(1.0, k + 1)
            size = np.abs(np.arange(len(law)) - len(law) // 2)
            assert law[size <= bar + 1e-9].sum() >= level
    # (1.96 standard deviations of one count hold 92 % of errors, not 95 %.)
    law, size = law_of_sum(1.0, 1), np.abs(np.arange(-200, 201))
    assert law[size <= 1.96 * math.sqrt(1.8414)].sum() < 0.93
    assert float(Fraction(best.document.upper)) == pytest.approx(6 * 1.84135, rel=1e-4)


def test_answers_that_are_known_have_no_bars() -> None:
    best = design(workload=Workload.prefix(2), epsilon=1, delta=0, neighbours="replace")
    assert best.error_bound(0.95)[1] == 0 < best.error_bound(0.95)[0]


@pytest.mark.parametrize("word", ["--5", "-", "9" * 5000, "1.0", "1_0", "٣"])
def test_a_count_that_is_none_is_not_shown(word: str) -> None:
    best = design(workload=Workload.identity(1), gdp=1)
    with pytest.raises(DataError) as caught:
        release_workload(best, [[word]], False, False, {})
    assert str(caught.value) == ("values must be whole counts; got text (not shown: it is data)")


def test_an_empty_table_is_not_told_from_others_by_an_error() -> None:
    best = design(workload=Workload.marginals([2, 3], [[0], [1]]), gdp=1)
    assert len(best.release([])) == len(best.release([[0, 1]])) == 5


@pytest.mark.parametrize("count", [10**400, -(10**400), 1 << 801])
def test_counts_that_no_float_holds_are_refused_before_anything_is_drawn(count: int) -> None:
    best = design(workload=Workload.prefix(2), gdp=1)
    with pytest.raises(DataError, match=r"whole counts below 2\^800"):
        best.release([count, 1], entropy=None)
    assert len(best.release([1 << 799, 1])) == 2
