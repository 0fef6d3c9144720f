"""Long prefix sums in closed form: against matrices that are written out."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.linalg import toeplitz

from leastnoise import Workload, design
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.noise.workloads.plain_strategies import lower_plain
from leastnoise.certify.noise.workloads.root_strategy import (
    PrefixProof,
    RootStrategy,
    _count_above,
    _sine_above,
    length_of_roots,
    lower_prefix,
    lower_roots,
    upper_roots,
)
from leastnoise.design import Design
from leastnoise.engine.workloads.roots import best_roots
from leastnoise.errors import FormatError
from leastnoise.sampling.entropy import InsecureSeededEntropy
from leastnoise.work import counted


@pytest.mark.parametrize("n", [1, 2, 3, 17, 100])
@pytest.mark.parametrize("bits", [20, 40])
@pytest.mark.parametrize("even", [True, False])
def test_the_bounds_are_those_of_the_matrices(n: int, bits: int, even: bool) -> None:
    rows = np.random.default_rng(n).integers(1 << 13, 1 << 18, n)
    strategy, one = RootStrategy(bits, () if even else tuple(map(int, rows))), 2.0**bits
    t = np.tril(toeplitz(np.array(strategy.series(n)) / one))
    t *= np.array(strategy.multiples(n))[:, None] / 2**16
    y = t * (np.array(strategy.scales(n)) / one)
    w = np.tril(np.ones((n, n)))
    cost = (np.linalg.solve(y.T, w.T) ** 2).sum()
    assert cost <= float(upper_roots(n, strategy)) * (1 + 1e-12)
    assert float(upper_roots(n, strategy)) == pytest.approx(cost, rel=1e-2 if bits == 20 else 1e-8)
    assert float(length_of_roots(n, strategy)) == pytest.approx((y**2).sum(axis=0).max())
    assert length_of_roots(n, strategy) <= 1
    same = np.linalg.svd(w, compute_uv=False).sum() ** 2 / n
    assert same * (1 - 1e-6) <= float(lower_roots(n)) <= same * (1 + 1e-13)


def ranges_of(n: int) -> np.ndarray:
    return np.array([[i <= k <= j for k in range(n)] for i in range(n) for j in range(i, n)]) * 1.0


@pytest.mark.parametrize("ranges", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_singular_values_are_counted(n: int, ranges: bool) -> None:
    rng, w = np.random.default_rng(n), ranges_of(n) if ranges else np.tril(np.ones((n, n)))
    for _ in range(20):
        v = rng.integers(1, 1 << int(rng.integers(1, 25)), n)
        values = np.linalg.svd(w * np.sqrt(v), compute_uv=False)
        weights = tuple(map(int, v))
        for k, value in enumerate(values):
            for near, count in ((value * (1 - 1e-7), k + 1), (value * (1 + 1e-7), k)):
                # (rounded to whole steps: at a value itself either count is right)
                g = math.floor(near * 1024) if count == k + 1 else math.ceil(near * 1024)
                seen = _count_above(max(1, g), weights, ranges)
                assert seen == (values > max(1, g) / 1024).sum()
        whole = tuple(max(1, math.floor(one * 1024 * (1 - 1e-9))) for one in values)
        bound = lower_prefix(n, PrefixProof(weights, whole), ranges)
        true = values.sum() ** 2 / v.sum()
        assert float(bound) <= true * (1 + 1e-12)
        assert float(bound) == pytest.approx(true, rel=1e-2 if v.max() < 99 else 1e-3)
        # One value that is too large proves nothing at all.
        for k in range(n):
            bold = (*whole[:k], math.ceil(values[k] * 1024) + 1, *whole[k + 1 :])
            assert lower_prefix(n, PrefixProof(weights, bold), ranges) == 0


def test_prefix_sums_of_any_length_are_bounded_without_multipliers() -> None:
    """By singular values, which are 1/(2 sin)."""
    n = 20_000
    values = 0.5 / np.sin((2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2))
    near = values.sum() ** 2 / n
    plain = Workload.prefix(n)
    assert float(lower_plain(plain.part, False, False)) == pytest.approx(near, rel=1e-5)
    heavy = plain.weighted(3)
    assert lower_plain(heavy.part, False, False) == 3 * lower_plain(plain.part, False, False)
    assert lower_plain(plain.part, True, False) == lower_plain(plain.part, False, True) == 0


def test_both_bounds_meet() -> None:
    strategy, proof = best_roots(64, 10)
    lower, upper = lower_prefix(64, proof), upper_roots(64, strategy)
    assert lower <= 282.2014219 <= upper and upper / lower < 1.002
    assert float(lower) == pytest.approx(282.201421, rel=5e-5)


def test_sines_are_above() -> None:
    one = 1 << 120
    for k in range(400):
        x = one * k // 255
        if x / one < math.pi / 2:
            assert 0 <= _sine_above(x, one) / one - math.sin(x / one) + 1e-15 < 5e-6


@cache
def some() -> Design:
    """The sums of 401 numbers, designed once."""
    return design(workload=Workload.prefix(401), gdp=1)


def test_a_thousand_prefix_sums() -> None:
    found = design(workload=Workload.prefix(1024), gdp=1)
    assert found.lower <= 8944.3292 <= found.upper  # the best there is
    assert found.gap < 0.002 and len(found.document.dumps()) < 25_000
    own = some()
    x = np.arange(401)
    drawn = np.array([own.release(x, entropy=InsecureSeededEntropy(k)) for k in range(12)])
    errors = (drawn - np.cumsum(x)) / own.noise.std
    assert abs(errors.mean()) < 0.3 and abs((errors**2).mean() - 1) < 0.25
    assert (own.noise.std**2).sum() == pytest.approx(own.upper, rel=1e-6)
    share = np.zeros(401)
    share[300], share[100] = 1, -1
    assert own.noise.std_of(share) < math.hypot(own.noise.std[300], own.noise.std[100])


def test_it_is_a_factor_of_products_and_of_nothing_else() -> None:
    both = design(workload=Workload.product(Workload.prefix(401), Workload.identity(2)), gdp=1)
    one = some()
    assert both.upper == pytest.approx(2 * one.upper, rel=1e-6)
    x = list(range(802))
    assert len(both.release(x)) == 802
    data = json.loads(one.document.dumps())
    for change in (
        {"largest": True},
        {"neighbors": "replace"},
        {"workload": {"name": "ranges", "cells": 401}},
        {"workload": {"name": "prefix", "cells": 2001}},
        {"noise": [{"bits": 40, "roots": False}]},
        {"noise": [{"bits": 5, "roots": True}]},
        {"certificate": [{"shifts": []}]},
        {"certificate": [data["certificate"][0] | {"weights": [1] * 400}]},
        {"certificate": [data["certificate"][0] | {"weights": [0] * 401}]},
        {"noise": [data["noise"][0] | {"row_scales": [0] * 401}]},
        {"noise": [data["noise"][0] | {"row_scales": [1] * 402}]},
    ):
        with pytest.raises(FormatError):
            parse_any(json.dumps(data | change))
    assert not check_any(parse_any(json.dumps(data | {"lower": data["upper"]}))).proven
    own = data["certificate"][0]
    for forged in (
        {"certificate": [own | {"values": [own["values"][0] + 99, *own["values"][1:]]}]},
        {"certificate": [own | {"weights": [one // 2 + 1 for one in own["weights"]]}]},
        {"certificate": [{}]},  # (the closed form proves less)
        {"noise": [data["noise"][0] | {"row_scales": [1 << 16] * 401}]},
        {"upper": str(Fraction(data["upper"]) * Fraction(9999, 10000))},
    ):
        assert not check_any(parse_any(json.dumps(data | forged))).proven
    # Without multiples, and without weights: as files were before.
    plain = {"noise": [{"bits": 40, "roots": True}], "certificate": [{}], "lower": "0"}
    assert check_any(parse_any(json.dumps(data | plain | {"upper": "2930"}))).proven


def test_what_a_check_counts_does_not_depend_on_files_before_it() -> None:
    """A file at the limit of work must not pass only because it was looked at before."""
    strategy, spent = RootStrategy(40), []
    for _ in range(2):
        with counted() as work:
            length_of_roots(50, strategy)
            upper_roots(50, strategy)
        spent.append(work.spent)
    assert spent[0] == spent[1]
