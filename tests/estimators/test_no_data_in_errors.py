"""Bounds that floats cannot map are refused by themselves; errors of `fit` show no data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from leastnoise.errors import ArgumentError
from leastnoise.estimators import DPLogisticRegression, DPNaiveBayes
from leastnoise.estimators.public import Schema, bounds_of

LABELS = ["a", "b"] * 3


@pytest.mark.parametrize(
    "bounds", [(0, 5e-324), (-1.7e308, 1.7e308), (1e308, 1.7e308), ([0, 0], [1, 5e-324])]
)
def test_bounds_without_a_middle_or_a_width_are_refused(bounds):
    with pytest.raises(ArgumentError, match="bounds must be"):
        bounds_of(bounds, (0, 1), None, 2, np.zeros((1, 2)), False)


@pytest.mark.parametrize("bounds", [(0, 1e-323), (-8e307, 8e307), (0, 1), (1e16, 1e16 + 2)])
def test_all_other_bounds_map_into_the_scale(bounds):
    low, high = bounds_of(bounds, (0,), None, 1, np.zeros((1, 1)), False)
    schema = Schema((0,), (), low, high, ())
    values = np.array([[-1e308], [bounds[0]], [0.0], [5e-324], [bounds[1]], [1e308]])
    with np.errstate(all="raise", under="ignore"):
        found = schema.whole(values)
    assert np.abs(found).max() <= 2**16 and np.all(np.diff(found[[0, 1, 4, 5], 0]) >= 0)


@pytest.mark.parametrize(
    "X",
    [
        [["31415926x", 1.0]] * 6,
        np.array([["31415926x", 1]] * 6, dtype=object),
        pd.DataFrame({"p": ["31415926x"] * 6, "q": [1] * 6}),
    ],
    ids=lambda X: type(X).__name__,
)
@pytest.mark.parametrize(
    "model",
    [
        DPLogisticRegression(epsilon=1, bounds=(0, 1)),
        DPNaiveBayes(epsilon=1, bounds=(0, 1), categorical=None),
        DPNaiveBayes(epsilon=1, bounds=(0, 1), categorical=[1], categories=[[1]]),
    ],
    ids=["logistic", "bayes", "mixed"],
)
def test_words_among_the_numbers_are_not_shown(model, X):
    with pytest.raises(ArgumentError, match="X must be numbers") as caught:
        model.fit(X, LABELS)
    assert "31415926" not in str(caught.value) + repr(vars(caught.value))
