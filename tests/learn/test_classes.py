"""The set of classes is public knowledge: asked for, or read aloud."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from leastnoise import ArgumentError
from leastnoise.learn import DPLogisticRegression, DPNaiveBayes
from leastnoise.learn.cells import named_kind
from leastnoise.learn.public import classes_of, known_classes

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 10, (60, 2))
Y = np.where(X[:, 0] + RNG.normal(0, 1, 60) > 5, "yes", "no")
#: A neighbor: one row has a label that no other row has.
Y_RARE = np.where(np.arange(60) == 7, "rare", Y)
BOTH = pytest.mark.parametrize("model", [DPNaiveBayes, DPLogisticRegression])
QUICK = {"epsilon": 2, "delta": 0, "bounds": (0, 10)}
LOUD = {"take_public_knowledge_from_data_not_private": True}


@BOTH
def test_classes_are_asked_for(model):
    with pytest.raises(ArgumentError, match=r"classes must be given: .* from public knowledge"):
        model(**QUICK).fit(X, Y)


@BOTH
def test_reading_them_from_the_data_is_not_private(model):
    loud = model(**QUICK, **LOUD).fit(X, Y)
    assert not loud.privacy_.private
    assert "NOT PRIVATE: classes were taken from the data" in repr(loud.privacy_)
    # It is not, indeed: neighbors are told apart with certainty.
    assert set(model(**QUICK, **LOUD).fit(X, Y_RARE).classes_) != set(loud.classes_)
    # The flag alone takes nothing.
    named = model(**QUICK, **LOUD, classes=["no", "yes"]).fit(X, Y)
    assert named.privacy_.private and "NOT PRIVATE" not in repr(named.privacy_)
    everything = model(epsilon=2, delta=0, **LOUD).fit(X, Y)
    assert "NOT PRIVATE: bounds and classes were taken" in repr(everything.privacy_)


@BOTH
@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_neighbors_have_the_same_classes_and_the_same_plan(model, neighbors):
    options = {**QUICK, "classes": ["no", "yes"], "neighbors": neighbors}
    fits = [model(**options).fit(X, labels) for labels in (Y, Y_RARE)]
    for fit in fits:
        assert fit.privacy_.private
        assert list(fit.classes_) == ["no", "yes"]
        assert set(fit.predict(X)) <= {"no", "yes"}
    if neighbors == "replace":  # (the other releases its number of rows first)
        assert fits[0].privacy_ == fits[1].privacy_


@BOTH
def test_a_row_with_another_label_counts_for_nothing(model):
    options = {"noise": None, "bounds": (0, 10), "classes": ["no", "yes"]}
    if model is DPLogisticRegression:
        options |= {"coordinates": 3, "max_iter": 50}
    left_out = model(**options).fit(X, Y_RARE)
    kept = Y_RARE != "rare"
    without = model(**options).fit(X[kept], Y_RARE[kept])
    if model is DPNaiveBayes:
        assert np.allclose(left_out.theta_, without.theta_)
    else:  # the public number of rows counts it, so steps are a little shorter
        assert np.allclose(left_out.coef_, without.coef_, rtol=0.1, atol=0.02)
        assert not np.allclose(left_out.coef_, model(**options).fit(X, Y).coef_, atol=1e-9)


def test_a_row_with_another_label_beside_categories():
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 5, "p", "q")})
    options = {
        "noise": None,
        "bounds": (0, 10),
        "categories": {"b": ["p", "q"]},
        "classes": ["no", "yes"],
    }
    kept = Y_RARE != "rare"
    left_out = DPNaiveBayes(**options).fit(frame, Y_RARE)
    without = DPNaiveBayes(**options).fit(frame[kept], Y_RARE[kept])
    assert np.allclose(left_out.category_log_prob_[0], without.category_log_prob_[0])


def test_answers_that_depend_on_the_range_use_the_public_number_of_rows():
    options = {
        "epsilon": 2,
        "delta": 1e-3,
        "noise": "optimal-dependent",
        "classes": ["no", "yes"],
        "categorical": [0],
        "categories": [[0, 1]],
    }
    table = (X[:40, :1] > 5).astype(int)
    fits = [DPNaiveBayes(**options).fit(table, labels[:40]) for labels in (Y, Y_RARE)]
    assert fits[0].privacy_ == fits[1].privacy_


@pytest.mark.parametrize(
    "classes",
    [["yes"], "yes", 3, [], [1, 1], ["yes", 1], [["no", "yes"], ["a", "b"]], [None, "yes"]],
)
def test_what_is_no_list_of_classes_is_refused(classes):
    with pytest.raises(ArgumentError, match="classes must be a list of at least two labels"):
        known_classes(classes)


def test_labels_of_another_type_are_refused_by_type_alone():
    for classes, labels in (([0, 1], ["0", "1"]), (["0", "1"], [0, 1])):
        with pytest.raises(ArgumentError, match="numbers if y holds numbers, text if it holds"):
            classes_of(classes, labels, False, named_kind(np.array(labels)))


@pytest.mark.parametrize(
    ("classes", "labels", "codes"),
    [
        ([1, 0], [0, 1, 5, 0], [0, 1, -1, 0]),
        ([0, 1], [0.0, 1.0, 0.5], [0, 1, -1]),
        ([False, True], [True, False], [1, 0]),
        (np.array(["b", "a"]), ["a", "b", "c"], [0, 1, -1]),
        (("a", "b"), np.array(["a", "b", None], dtype=object), [0, 1, -1]),
    ],
)
def test_codes_of_labels(classes, labels, codes):
    known, found = classes_of(classes, np.asarray(labels), False)
    assert found.tolist() == codes
    assert known.tolist() == sorted(classes)
