"""Noise in a range of integers with the best remap of its answers."""

from __future__ import annotations

import numpy as np
import pytest

from leastnoise.baselines import DiscreteLaplace, Remapped
from leastnoise.compare import compare
from leastnoise.errors import RegimeError


def test_the_geometric_mechanism_with_the_best_remap_is_optimal_at_delta_0():
    """Ghosh, Roughgarden, Sundararajan (2009): the design can only agree with it."""
    geometric = Remapped(DiscreteLaplace(epsilon="0.5"), 0, 10, "l1")
    assert geometric.expected_loss == pytest.approx(1.4173557391, abs=1e-10)
    np.testing.assert_allclose(geometric.given.sum(axis=0), 1, rtol=1e-14)
    table = compare(epsilon="0.5", delta=0, sensitivity=1, integer=True, bounds=(0, 10))
    assert table["remapped"].loss == pytest.approx(1.4173557391, abs=1e-10)
    assert table["remapped"].label == "discrete Laplace noise, best remap"
    assert table.lower <= table["remapped"].loss <= table["design"].loss * (1 + 1e-8)
    assert table["discrete-laplace"].loss > 1.04 * table.lower


def test_a_remap_is_no_better_than_the_bound_and_no_worse_than_one_answer():
    table = compare(epsilon="0.5", delta="0.05", sensitivity=2, integer=True, bounds=(0, 10))
    assert table.lower <= table["remapped"].loss < table["rounded-tulap"].loss
    wide = Remapped(DiscreteLaplace(epsilon="0.001"), 0, 4, "l1")
    assert wide.expected_loss == pytest.approx(6 / 5) and wide.error_bound(0.95) == 2


def test_ranges_are_limited():
    with pytest.raises(RegimeError, match="up to 1000 integers"):
        Remapped(DiscreteLaplace(epsilon=1), 0, 1000, "l1")
