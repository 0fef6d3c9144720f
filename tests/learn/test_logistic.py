"""DPLogisticRegression: right without noise, honest with it, at home in scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from leastnoise import ArgumentError
from leastnoise.datasets import synthetic
from leastnoise.learn import DPLogisticRegression, gradient_sum, logistic
from leastnoise.learn.logistic import FINE

DATA = synthetic(1500)
X, Y = DATA.numeric, np.array(DATA.classes)[DATA.labels]
CLASSES = list(DATA.classes)
QUICK = {"delta": 0, "bounds": (0, 10), "classes": CLASSES}


def test_without_noise_it_converges_to_logistic_regression():
    model = DPLogisticRegression(
        noise=None, bounds=(0, 10), classes=CLASSES, max_iter=3000, coordinates=4, alpha=0
    ).fit(X, Y)
    known = LogisticRegression(C=1e9, max_iter=1000).fit(X, Y)
    assert np.allclose(model.coef_, known.coef_, atol=0.01)
    assert np.allclose(model.intercept_, known.intercept_, atol=0.05)
    assert np.allclose(model.predict_proba(X), known.predict_proba(X), atol=0.01)


def test_the_penalty_makes_coefficients_vanish():
    model = DPLogisticRegression(
        noise=None, bounds=(0, 10), classes=CLASSES, max_iter=200, coordinates=4, alpha=0.5
    ).fit(X, Y)
    assert np.all(model.coef_ == 0)


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_a_modest_budget_costs_little(neighbors):
    model = DPLogisticRegression(epsilon=20, neighbors=neighbors, **QUICK).fit(X, Y)
    assert model.score(X, Y) > 0.65
    assert (model.privacy_.epsilon, model.privacy_.delta) == (20, 0)
    assert model.privacy_.releases[0].name == "sum of gradients, over their bound"
    assert model.privacy_.releases[0].sensitivity == (2 if neighbors == "replace" else 1)


def test_three_classes_share_the_budget():
    labels = np.digitize(X[:, 0], [4, 6])
    model = DPLogisticRegression(epsilon=500, max_iter=50, **{**QUICK, "classes": [0, 1, 2]}).fit(
        X, labels
    )
    assert model.coef_.shape == (3, 3)
    assert model.privacy_.releases[0].numbers == 3 * 50 * 1
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, labels) > 0.5


def test_pipeline_search_and_pickle():
    frame = pd.DataFrame(DATA.columns())
    words = [list(level) for level in DATA.levels]
    encode = make_column_transformer(
        (OneHotEncoder(categories=words, handle_unknown="ignore"), ["colour", "size"]),
        remainder="passthrough",
    )
    bounds = (np.zeros(9), np.array([1.0] * 6 + [10.0] * 3))
    model = DPLogisticRegression(epsilon=30, delta=0, bounds=bounds, classes=CLASSES)
    pipe = make_pipeline(encode, model).fit(frame, Y)
    assert pipe.score(frame, Y) > 0.65
    search = GridSearchCV(pipe, {"dplogisticregression__max_iter": [5, 10]}, cv=2).fit(frame, Y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(frame), search.predict(frame))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_iter": 0}, "max_iter must be 'auto', or an integer from 1 to 10000"),
        ({"max_iter": "many"}, "max_iter must be 'auto', or an integer"),
        ({"coordinates": 9}, "coordinates must be an integer from 1 to 4"),
        ({"step": 0}, "step must be positive"),
        ({"bounds": None}, "bounds must be given"),
        ({"alpha": -1}, "alpha must be at least 0"),
        (
            {"noise": "gaussian", "delta": 0.01, "epsilon": 100, "max_iter": 20},
            "epsilon must be at most 20 for noise='gaussian' here",
        ),
    ],
)
def test_bad_parameters_are_named(options, words):
    with pytest.raises(ArgumentError, match=words):
        DPLogisticRegression(**{**QUICK, **options}).fit(X, Y)


NUMBER = st.floats(-1, 1)
ROW = st.tuples(st.floats(), st.sampled_from([-1.0, 1.0]), NUMBER)


@given(
    st.lists(ROW, min_size=1, max_size=20), ROW, st.integers(0, 19), st.randoms(), st.floats(0.5, 1)
)
def test_a_row_changes_a_sum_of_gradients_by_no_more_than_claimed(rows, new, at, random, bound):
    def total(table):
        columns = np.array(table).T
        return gradient_sum(columns[0], columns[1], columns[2], bound)

    other = list(rows)
    other[at % len(rows)] = new
    random.shuffle(other)  # whole numbers: the order of the rows does not matter
    assert abs(total(rows) - total(other)) <= 2 * FINE
    assert abs(total([*rows, new]) - total(rows)) <= FINE
    # What a row adds is the same whichever rows are beside it.
    assert total(rows) == sum(total([row]) for row in rows)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.data())
def test_the_public_bound_cuts_nothing(coefficients, data):
    row = [data.draw(NUMBER) for _ in coefficients]
    sign, x = data.draw(st.sampled_from([-1.0, 1.0])), data.draw(NUMBER)
    bound = float(expit(np.abs(coefficients).sum()))
    margin = float(np.dot(coefficients, row))
    part = -sign * x * float(expit(-sign * margin))
    found = gradient_sum(np.array([margin]), np.array([sign]), np.array([x]), bound)
    assert abs(found * bound / FINE - part) <= 1 / FINE


def test_the_first_sums_are_released_over_one_half():
    """At coefficients 0 no row adds more than 1/2, so the noise is half of what 1 would need."""
    seen = []

    def watched(margins, signs, column, bound=1.0):
        seen.append((bound, float(np.abs(margins).max())))
        return gradient_sum(margins, signs, column, bound)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logistic, "gradient_sum", watched)
        DPLogisticRegression(epsilon=5, **QUICK).fit(X, Y)
    assert seen[0] == (0.5, 0.0)
    assert all(expit(margin) <= bound * (1 + 1e-12) for bound, margin in seen)


def test_passes_follow_the_budget():
    def passes(**options):
        return DPLogisticRegression(**{**QUICK, **options}).fit(X, Y).n_iter_

    assert passes(epsilon=1) == 1500 // 60
    assert passes(epsilon=1, neighbors="add-remove") in range(35, 66)
    assert passes(epsilon=1, delta=1e-5) == 10 * 1500 // 60
    assert passes(epsilon=0.01) == 4
    assert passes(epsilon=100, coordinates=4) == 625
    assert passes(epsilon=1, max_iter=7) == 7
    assert passes(noise=None) == 1000


def test_the_number_of_rows_is_part_of_the_total():
    model = DPLogisticRegression(epsilon=2, neighbors="add-remove", **QUICK).fit(X, Y)
    sums, rows = model.privacy_.releases
    assert (rows.name, rows.numbers, rows.sensitivity) == ("rows", 1, 1)
    # Geometric noise tells its epsilon: variance 2 r / (1 - r)^2 with r = e^-epsilon.
    assert rows.std == pytest.approx(np.sqrt(0.5) / np.sinh(0.04 / 2), rel=1e-6)
    assert sums.std > np.sqrt(2) * sums.numbers / (2 - 0.04) * 0.999


@pytest.mark.parametrize("noise", ["optimal", "laplace"])
def test_epsilon_zero_counts_rows_too(noise):
    model = DPLogisticRegression(
        epsilon=0, delta=0.3, noise=noise, neighbors="add-remove", bounds=(0, 10), classes=CLASSES
    ).fit(X, Y)
    assert (model.privacy_.epsilon, model.privacy_.delta) == (0, 0.3)
    assert model.n_iter_ == 4
