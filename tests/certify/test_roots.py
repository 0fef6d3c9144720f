"""Long prefix sums in closed form: against matrices that are written out."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.linalg import toeplitz

from leastnoise import Workload, design
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.roots import (
    RootStrategy,
    _sine_above,
    length_of_roots,
    lower_roots,
    upper_roots,
)
from leastnoise.errors import FormatError
from leastnoise.sampling.entropy import InsecureSeededEntropy


@pytest.mark.parametrize("n", [1, 2, 3, 17, 100])
@pytest.mark.parametrize("bits", [20, 40])
def test_the_bounds_are_those_of_the_matrices(n: int, bits: int) -> None:
    strategy, one = RootStrategy(bits), 2.0**bits
    t = np.tril(toeplitz(np.array(strategy.series(n)) / one))
    y = t * (np.array(strategy.scales(n)) / one)
    w = np.tril(np.ones((n, n)))
    cost = (np.linalg.solve(y.T, w.T) ** 2).sum()
    assert cost <= float(upper_roots(n, strategy)) * (1 + 1e-12)
    assert float(upper_roots(n, strategy)) == pytest.approx(cost, rel=1e-2 if bits == 20 else 1e-8)
    assert float(length_of_roots(n, strategy)) == pytest.approx((y**2).sum(axis=0).max())
    assert length_of_roots(n, strategy) <= 1
    even = np.linalg.svd(w, compute_uv=False).sum() ** 2 / n
    assert even * (1 - 1e-6) <= float(lower_roots(n)) <= even * (1 + 1e-13)


def test_sines_are_above() -> None:
    one = 1 << 120
    for k in range(400):
        x = one * k // 255
        if x / one < math.pi / 2:
            assert 0 <= _sine_above(x, one) / one - math.sin(x / one) + 1e-15 < 5e-6


def test_a_thousand_prefix_sums() -> None:
    found = design(workload=Workload.prefix(1024), gdp=1)
    assert found.lower <= 8944.3292 <= found.upper  # the best there is
    assert 0.05 < found.gap < 0.06 and len(found.document.dumps()) < 1_000
    small = Workload.prefix(401)
    own = design(workload=small, gdp=1)
    x = np.arange(401)
    drawn = np.array([own.release(x, entropy=InsecureSeededEntropy(k)) for k in range(12)])
    errors = (drawn - np.cumsum(x)) / own.std
    assert abs(errors.mean()) < 0.3 and abs((errors**2).mean() - 1) < 0.25
    assert (own.std**2).sum() == pytest.approx(own.upper, rel=1e-6)
    share = np.zeros(401)
    share[300], share[100] = 1, -1
    assert own.std_of(share) < math.hypot(own.std[300], own.std[100])


def test_it_is_a_factor_of_products_and_of_nothing_else() -> None:
    both = design(workload=Workload.product(Workload.prefix(401), Workload.identity(2)), gdp=1)
    one = design(workload=Workload.prefix(401), gdp=1)
    assert both.upper == pytest.approx(2 * one.upper, rel=1e-6)
    x = list(range(802))
    assert len(both.release(x)) == 802
    data = json.loads(one.document.dumps())
    for change in (
        {"largest": True},
        {"neighbours": "replace"},
        {"workload": {"name": "ranges", "cells": 401}},
        {"workload": {"name": "prefix", "cells": 2001}},
        {"noise": [{"bits": 40, "roots": False}]},
        {"noise": [{"bits": 5, "roots": True}]},
        {"certificate": [{"shifts": []}]},
    ):
        with pytest.raises(FormatError):
            parse_any(json.dumps(data | change))
    assert not check_any(parse_any(json.dumps(data | {"lower": data["upper"]}))).proven
    lie = data | {"workload": {"name": "prefix", "cells": 500}}
    assert not check_any(parse_any(json.dumps(lie))).proven
