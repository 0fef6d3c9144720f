"""DPLogisticRegression: right without noise, honest with it, at home in scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from leastnoise import ArgumentError
from leastnoise.datasets import synthetic
from leastnoise.estimators import DPLogisticRegression, gradient_sum
from leastnoise.estimators.logistic import FINE, _margins

DATA = synthetic(1500)
X, Y = DATA.numeric, np.array(DATA.classes)[DATA.labels]
QUICK = {"delta": 0, "bounds": (0, 10)}


def test_without_noise_it_converges_to_logistic_regression():
    model = DPLogisticRegression(
        noise=None, bounds=(0, 10), max_iter=3000, coordinates=4, alpha=0).fit(X, Y)
    known = LogisticRegression(C=1e9, max_iter=1000).fit(X, Y)
    assert np.allclose(model.coef_, known.coef_, atol=0.01)
    assert np.allclose(model.intercept_, known.intercept_, atol=0.05)
    assert np.allclose(model.predict_proba(X), known.predict_proba(X), atol=0.01)


def test_the_penalty_makes_coefficients_vanish():
    model = DPLogisticRegression(
        noise=None, bounds=(0, 10), max_iter=200, coordinates=4, alpha=0.5).fit(X, Y)
    assert np.all(model.coef_ == 0)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_a_modest_budget_costs_little(neighbours):
    model = DPLogisticRegression(epsilon=20, neighbours=neighbours, **QUICK).fit(X, Y)
    assert model.score(X, Y) > 0.65
    assert (model.privacy_.epsilon, model.privacy_.delta) == (20, 0)
    assert next(r.name for r in model.privacy_.releases) == "sum of gradients"
    assert model.privacy_.releases[0].sensitivity == (2 if neighbours == "replace" else 1)
    assert model.n_iter_ == 20


def test_three_classes_share_the_budget():
    labels = np.digitize(X[:, 0], [4, 6])
    model = DPLogisticRegression(epsilon=500, max_iter=50, **QUICK).fit(X, labels)
    assert model.coef_.shape == (3, 3)
    assert model.privacy_.releases[0].numbers == 3 * 50 * 1
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, labels) > 0.5


def test_pipeline_search_and_pickle():
    frame = pd.DataFrame(DATA.columns())
    words = [list(level) for level in DATA.levels]
    encode = make_column_transformer(
        (OneHotEncoder(categories=words, handle_unknown="ignore"), ["colour", "size"]),
        remainder="passthrough")
    bounds = (np.zeros(9), np.array([1.0] * 6 + [10.0] * 3))
    model = DPLogisticRegression(epsilon=30, delta=0, bounds=bounds)
    pipe = make_pipeline(encode, model).fit(frame, Y)
    assert pipe.score(frame, Y) > 0.65
    search = GridSearchCV(pipe, {"dplogisticregression__max_iter": [5, 10]}, cv=2).fit(frame, Y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(frame), search.predict(frame))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_iter": 0}, "max_iter must be a whole number from 1 to 10000"),
        ({"coordinates": 9}, "coordinates must be a whole number from 1 to 4"),
        ({"step": 0}, "step must be positive"),
        ({"bounds": None}, "bounds must be given"),
        ({"alpha": -1}, "alpha must be at least 0"),
        ({"noise": "gaussian", "delta": 0.01, "epsilon": 100},
         "epsilon must be at most 20 for noise='gaussian' here"),
    ],
)
def test_bad_parameters_are_named(options, words):
    with pytest.raises(ArgumentError, match=words):
        DPLogisticRegression(**{**QUICK, **options}).fit(X, Y)


def test_margins_of_a_row_do_not_depend_on_the_others():
    rng = np.random.default_rng(0)
    table, coefficients = rng.uniform(-1, 1, (1000, 7)), rng.normal(size=7)
    whole = _margins(np.asfortranarray(table), coefficients)
    assert np.allclose(whole, table @ coefficients)
    for count in (1, 3, 8, 17, 999):
        assert np.array_equal(_margins(np.asfortranarray(table[:count]), coefficients),
                              whole[:count])


NUMBER = st.floats(-1, 1)
ROW = st.tuples(st.floats(-50, 50), st.sampled_from([-1.0, 1.0]), NUMBER)


@settings(max_examples=200, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=20), ROW, st.integers(0, 19), st.randoms())
def test_a_row_changes_a_sum_of_gradients_by_no_more_than_claimed(rows, new, at, random):
    def total(table):
        columns = np.array(table).T
        return gradient_sum(columns[0], columns[1], columns[2])

    other = list(rows)
    other[at % len(rows)] = new
    random.shuffle(other)  # whole numbers: the order of the rows does not matter
    assert abs(total(rows) - total(other)) <= 2 * FINE
    assert abs(total([*rows, new]) - total(rows)) <= FINE
