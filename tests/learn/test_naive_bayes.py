"""DPNaiveBayes: right without noise, honest with it, at home in scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from leastnoise import ArgumentError
from leastnoise.datasets import synthetic
from leastnoise.learn import DPNaiveBayes, bayes_statistics
from leastnoise.learn.statistics import SCALE

LEVELS = {"colour": ["blue", "green", "red", "yellow"], "size": ["large", "small"]}
DATA = synthetic(1500)
FRAME = pd.DataFrame(DATA.columns())
LABELS = np.array(DATA.classes)[DATA.labels]
#: delta = 0 needs no accountant, which keeps these tests quick.
CLASSES = list(DATA.classes)
QUICK = {"delta": 0, "bounds": (0, 10), "categories": LEVELS, "classes": CLASSES}


def test_without_noise_it_is_gaussian_naive_bayes():
    model = DPNaiveBayes(noise=None, bounds=(0, 10), classes=CLASSES, alpha=0).fit(
        DATA.numeric, LABELS
    )
    known = GaussianNB().fit(DATA.numeric, LABELS)
    assert np.allclose(model.theta_, known.theta_, atol=1e-3)
    assert np.allclose(model.var_, known.var_, atol=2e-3)
    assert np.mean(model.predict(DATA.numeric) == known.predict(DATA.numeric)) > 0.995
    assert model.privacy_.epsilon == np.inf
    assert not model.privacy_.private


def test_without_noise_it_is_categorical_naive_bayes():
    codes = DATA.categorical
    levels = [list(range(len(words))) for words in DATA.levels]
    model = DPNaiveBayes(
        noise=None, categorical=[0, 1], categories=levels, classes=CLASSES, alpha=1e-9
    ).fit(codes, LABELS)
    known = CategoricalNB(alpha=1e-9).fit(codes, LABELS)
    for ours, theirs in zip(model.category_log_prob_, known.feature_log_prob_, strict=True):
        assert np.allclose(ours[:, :-1], theirs, atol=1e-6)
    assert np.array_equal(model.predict(codes), known.predict(codes))


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_a_modest_budget_costs_little(neighbors):
    exact = DPNaiveBayes(noise=None, **QUICK).fit(FRAME, LABELS).score(FRAME, LABELS)
    model = DPNaiveBayes(epsilon=3, neighbors=neighbors, **QUICK).fit(FRAME, LABELS)
    assert exact > 0.82
    assert model.score(FRAME, LABELS) > exact - 0.1
    assert model.privacy_.private
    assert (model.privacy_.epsilon, model.privacy_.delta) == (3, 0)
    assert "number of rows" in repr(model.privacy_) or neighbors == "add-remove"


def test_pandas_polars_and_arrays_agree():
    columns = {name: list(values) for name, values in DATA.columns().items()}
    options = {"epsilon": 2, "random_state": 5, **QUICK}
    pandas = DPNaiveBayes(**options).fit(FRAME, LABELS)
    polars = DPNaiveBayes(**options).fit(pl.DataFrame(columns), LABELS)
    assert np.array_equal(pandas.predict_proba(FRAME), polars.predict_proba(pl.DataFrame(columns)))
    array = FRAME.to_numpy(dtype=object)
    plain = DPNaiveBayes(
        **{**options, "categorical": [3, 4], "categories": list(LEVELS.values())}
    ).fit(array, LABELS)
    assert np.array_equal(pandas.predict_proba(FRAME), plain.predict_proba(array))
    assert "NOT PRIVATE: random_state" in repr(plain.privacy_)


def test_unseen_categories_share_a_level_of_their_own():
    model = DPNaiveBayes(noise=None, **QUICK).fit(FRAME, LABELS)
    strange = FRAME.head(3).copy()
    strange["colour"] = ["mauve", None, "teal"]
    assert np.all(np.isfinite(model.predict_log_proba(strange)))
    odd = FRAME.copy()
    odd.loc[:99, "colour"] = "mauve"
    refit = DPNaiveBayes(noise=None, **QUICK).fit(odd, LABELS)
    assert refit.category_log_prob_[0][0, -1] > model.category_log_prob_[0][0, -1]


def test_pipelines_searches_clones_and_pickles():
    model = DPNaiveBayes(epsilon=5, **QUICK)
    pipe = make_pipeline(FunctionTransformer(), model)
    assert cross_val_score(pipe, FRAME, LABELS, cv=3).mean() > 0.7
    search = GridSearchCV(model, {"alpha": [0.5, 2.0], "epsilon": [1, 10]}, cv=2).fit(FRAME, LABELS)
    assert search.best_params_["epsilon"] in (1, 10)
    fitted = clone(model).fit(FRAME, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(FRAME), fitted.predict(FRAME))
    assert again.privacy_ == fitted.privacy_


def test_public_knowledge_is_asked_for():
    with pytest.raises(ArgumentError, match=r"bounds .* for columns 0, 1, 2: .* public knowledge"):
        DPNaiveBayes().fit(DATA.numeric, LABELS)
    with pytest.raises(ArgumentError, match="categories must be given"):
        DPNaiveBayes(bounds=(0, 10)).fit(FRAME, LABELS)
    loud = DPNaiveBayes(epsilon=3, delta=0, take_public_knowledge_from_data_not_private=True).fit(
        FRAME, LABELS
    )
    assert not loud.privacy_.private
    assert repr(loud.privacy_).startswith("Privacy: NOT PRIVATE")
    assert loud.score(FRAME, LABELS) > 0.7


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epsilon": -1}, "epsilon must be at least 0"),
        ({"delta": 1}, "delta must be at least 0 and below 1"),
        ({"noise": "gauss"}, "noise must be one of optimal, "),
        ({"neighbors": "swap"}, "neighbors must be one of add-remove, replace"),
        ({"bounds": (1, 0)}, "pairs with low < high"),
        ({"bounds": {"height": (0, 10)}}, "given for every numeric column"),
        ({"bounds": (0, np.inf)}, "finite"),
        ({"categories": {"colour": ["blue"]}}, "given for every categorical column"),
        ({"categories": {"colour": ["a", "a"], "size": ["b"]}}, "at least one level, without rep"),
        ({"categorical": ["height?"]}, "the name of a column"),
        ({"alpha": -1}, "alpha must be at least 0"),
        ({"classes": ["yes"]}, "classes must be a list of at least two"),
        ({"delta": 0, "noise": "tulap"}, "delta must be positive for noise='tulap'"),
    ],
)
def test_bad_parameters_are_named(options, words):
    with pytest.raises(ArgumentError, match=words):
        DPNaiveBayes(**{**QUICK, **options}).fit(FRAME, LABELS)


def test_statistics_can_come_from_elsewhere():
    options = {"epsilon": 2, "random_state": 1, **QUICK}
    fitted = DPNaiveBayes(**options).fit(FRAME, LABELS)
    schema = fitted._schema
    counted = bayes_statistics(
        DATA.labels,
        2,
        schema.codes([FRAME["colour"], FRAME["size"]]),
        [5, 3],
        schema.whole(DATA.numeric),
    )
    assert counted.counts.sum() == len(FRAME)
    assert all(table.sum() == len(FRAME) for table in counted.levels)
    other = DPNaiveBayes(**options)
    other.fit_statistics(counted, schema)
    assert np.array_equal(other.theta_, fitted.theta_)


# -- what one row can do ------------------------------------------------------------------------

ROW = st.tuples(
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(-SCALE, SCALE),
    st.integers(-SCALE, SCALE),
)


def counted(rows):
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
    return bayes_statistics(table[:, 0], 3, table[:, 1:3], [4, 3], table[:, 3:])


@given(st.lists(ROW, min_size=1, max_size=8), ROW, st.sampled_from(["replace", "add-remove"]))
def test_one_row_changes_no_more_than_is_accounted_for(rows, new, neighbors):
    before = counted(rows)
    after = counted([new, *rows[1:]] if neighbors == "replace" else [new, *rows])
    model = DPNaiveBayes(neighbors=neighbors)
    kinds = model._kinds(before)
    exact = zip(kinds, model._exact(before), model._exact(after), strict=True)
    changes = [
        (kind, [abs(a - b) for a, b in zip(one, two, strict=True) if a != b])
        for kind, one, two in exact
    ]
    # Some one way of `changes` covers all kinds at once.
    assert any(
        all(
            len(moved) <= kind.times(way) and all(m <= kind.changes[way][1] for m in moved)
            for kind, moved in changes
        )
        for way in range(len(kinds[0].changes))
    )
