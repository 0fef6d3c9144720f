"""What scikit-learn does around a private fit: searches, pipelines, weights."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the package scikit-learn is not installed")
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, StandardScaler

from leastnoise import DPNaiveBayes
from leastnoise.errors import ReleaseWarning

X = np.random.default_rng(1).uniform(size=(90, 2))
Y = (X[:, 0] > 0.5).astype(int)


def model() -> DPNaiveBayes:
    return DPNaiveBayes(epsilon=5, noise=None, bounds=([0, 0], [1, 1]), classes=[0, 1])


def warned(action) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(one.message) for one in caught if one.category is ReleaseWarning]


def test_a_fitted_step_in_front_of_the_model_is_warned_of():
    (words,) = warned(lambda: make_pipeline(StandardScaler(), model()).fit(X, Y))
    assert "'standardscaler'" in words and "not differentially private" in words


def test_steps_that_learn_nothing_are_not():
    pipeline = make_pipeline(Normalizer(), FunctionTransformer(np.abs), "passthrough", model())
    assert warned(lambda: pipeline.fit(X, Y)) == []
    assert warned(lambda: model().fit(X, Y)) == []


def test_steps_whose_parameters_are_stated_are_not():
    levels = OneHotEncoder(categories=[[0, 1]], handle_unknown="ignore", sparse_output=False)
    parts = [("level", levels, [0]), ("rest", "passthrough", [1])]
    private = DPNaiveBayes(
        epsilon=5, noise=None, bounds=([0] * 3, [1] * 3), classes=[0, 1], categorical=None
    )
    constant = SimpleImputer(strategy="constant", fill_value=0, keep_empty_features=True)
    assert (
        warned(lambda: make_pipeline(constant, ColumnTransformer(parts), private).fit(X, Y)) == []
    )
    parts[1] = ("rest", StandardScaler(), [1])
    assert len(warned(lambda: make_pipeline(ColumnTransformer(parts), private).fit(X, Y))) == 1


def test_each_fit_of_a_search_spends_a_budget():
    search = GridSearchCV(model(), {"alpha": [1, 2]}, cv=3)
    words = warned(lambda: search.fit(X, Y))
    assert len(words) == 6 and all("k fits spend k times epsilon" in one for one in words)
    assert len(warned(lambda: cross_val_score(model(), X, Y, cv=3))) == 3


def test_weights_are_rejected_with_their_reason():
    with pytest.raises(TypeError, match=r"fit\(\) has no argument 'sample_weight': it would"):
        model().fit(X, Y, sample_weight=np.ones(90))
    with pytest.raises(TypeError, match=r"DPNaiveBayes\(\) has no argument 'class_weight': it"):
        DPNaiveBayes(class_weight="balanced")
    with pytest.raises(TypeError, match=r"fit\(\) has no argument 'weights'$"):
        model().fit(X, Y, weights=1)
    with pytest.raises(TypeError, match="nonsense"):
        DPNaiveBayes(nonsense=1)


def test_arguments_are_still_shown_and_models_still_copied():
    assert "epsilon" in inspect.signature(DPNaiveBayes).parameters
    fitted = model().fit(X, Y)
    for other in (copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
        assert (other.predict(X) == fitted.predict(X)).all()
    assert clone(fitted).get_params() == fitted.get_params()
