"""Who pays for a fit: ledgers and accountants, and calls that add up."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from leastnoise import ArgumentError
from leastnoise.datasets import synthetic
from leastnoise.errors import BudgetError
from leastnoise.learn import DPLogisticRegression, DPNaiveBayes
from leastnoise.tables.ledger import Ledger

DATA = synthetic(600)
X, Y = DATA.numeric, DATA.labels
PUBLIC = {"delta": 0, "bounds": (0, 10), "classes": [0, 1]}
MODELS = [DPNaiveBayes, DPLogisticRegression]


class Book:
    """An accountant of diffprivlib's shape, with a ceiling."""

    def __init__(self, most=np.inf):
        self.most, self.spent = most, []

    def spend(self, epsilon, delta):
        if sum(e for e, _ in self.spent) + epsilon > self.most:
            raise RuntimeError("over the ceiling")
        self.spent.append((epsilon, delta))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
def test_every_fit_is_charged_once_and_a_refused_one_computes_nothing(model, neighbors):
    book = Book(2.5)
    made = model(epsilon=1, neighbors=neighbors, accountant=book, **PUBLIC)
    made.fit(X, Y).fit(X, Y)
    assert book.spent == [(1.0, 0.0)] * 2
    fresh = clone(made)
    with pytest.raises(RuntimeError, match="over the ceiling"):
        fresh.fit(X, Y)
    assert not hasattr(fresh, "privacy_") and len(book.spent) == 2
    with pytest.raises(ArgumentError, match="epsilon"):
        model(epsilon=-1, accountant=book, **PUBLIC).fit(X, Y)
    assert len(book.spent) == 2


@pytest.mark.parametrize("model", MODELS)
def test_a_ledger_keeps_the_books(model, tmp_path):
    where = tmp_path / "budget.db"
    book = Ledger.create(where, epsilon=3)
    model(epsilon=1, neighbors="add-remove", accountant=book, **PUBLIC).fit(X, Y)
    by_path = model(epsilon=1, neighbors="add-remove", accountant=str(where), **PUBLIC).fit(X, Y)
    assert [charge.query for charge in book.history()] == [f"{model.__name__}.fit"] * 2
    assert book.balance.spent_epsilon == 2
    with pytest.raises(BudgetError, match="too little budget left"):
        by_path.set_params(epsilon=2).fit(X, Y)
    with pytest.raises(BudgetError, match="budgets do not add up"):
        model(epsilon=0.5, neighbors="replace", accountant=book, **PUBLIC).fit(X, Y)
    with pytest.raises(BudgetError, match="without noise"):
        model(noise=None, accountant=book, **PUBLIC).fit(X, Y)
    assert book.balance.spent_epsilon == 2


def test_searches_share_the_books(tmp_path):
    book = Book()
    cross_val_score(DPNaiveBayes(epsilon=1, accountant=book, **PUBLIC), X, Y, cv=3)
    assert len(book.spent) == 3
    ledger = Ledger.create(tmp_path / "budget.db", epsilon=10)
    model = DPNaiveBayes(epsilon=1, accountant=ledger, **PUBLIC)
    cross_val_score(model, X, Y, cv=3, n_jobs=2)  # other processes
    assert ledger.balance.spent_epsilon == 3
    again = pickle.loads(pickle.dumps(model.fit(X, Y)))
    assert again.accountant.balance.spent_epsilon == 4


@pytest.mark.parametrize("model", MODELS)
def test_what_is_no_accountant_is_refused(model):
    with pytest.raises(ArgumentError, match=r"spend\(epsilon, delta\)"):
        model(accountant=3, **PUBLIC).fit(X, Y)


# -- more rows ----------------------------------------------------------------------------------


def test_calls_without_noise_are_one_fit():
    whole = DPNaiveBayes(noise=None, **PUBLIC).fit(X, Y)
    parts = DPNaiveBayes(noise=None, bounds=(0, 10))
    parts.partial_fit(X[:100], Y[:100], classes=[0, 1]).partial_fit(X[100:], Y[100:])
    assert np.allclose(parts.theta_, whole.theta_) and np.allclose(parts.var_, whole.var_)
    assert np.array_equal(parts.class_count_, whole.class_count_)
    assert np.array_equal(whole.class_count_, np.bincount(Y))
    known = GaussianNB().fit(X, Y)
    assert np.allclose(whole.class_prior_, known.class_prior_, atol=1e-2)


def test_calls_add_up_and_are_charged_each():
    book = Book()
    model = DPNaiveBayes(epsilon=0.1, accountant=book, **PUBLIC)
    for part in np.array_split(np.arange(len(X)), 3):
        model.partial_fit(X[part], Y[part])
    assert len(book.spent) == 3
    assert (model.privacy_.epsilon, model.privacy_.delta) == (0.3, 0)
    assert "Where no row is in two of them it is (0.1, 0)" in repr(model.privacy_)
    once = DPNaiveBayes(epsilon=0.1, **PUBLIC).fit(X, Y).privacy_
    assert [r.changed for r in model.privacy_.releases] == [3 * r.changed for r in once.releases]
    model.fit(X, Y)  # begins anew
    assert model.privacy_.epsilon == 0.1
    # Each call has noise of its own.
    noise = [batch.noisy[0] for batch in model._past]
    assert len(noise) == 1


def test_more_rows_have_the_same_columns_and_classes():
    model = DPNaiveBayes(epsilon=1, **PUBLIC).partial_fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], Y)
    with pytest.raises(ArgumentError, match="those of the model or of the first call"):
        model.partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(ArgumentError, match="those of the model"):
        DPNaiveBayes(epsilon=1, **PUBLIC).partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(ArgumentError, match="classes must be given"):
        DPNaiveBayes(epsilon=1, bounds=(0, 10)).partial_fit(X, Y)
    model.partial_fit(X, Y + 7)  # labels that are no class: left out, as in `fit`
    read = DPNaiveBayes(
        epsilon=1, delta=0, bounds=(0, 10), take_public_knowledge_from_data_not_private=True
    ).partial_fit(X, Y)
    assert not read.privacy_.private
    with pytest.raises(ValueError, match="not in the first call") as error:
        read.partial_fit(X, Y + 31415)
    assert "31415" not in str(error.value)


def test_different_neighbors_do_not_add_up():
    model = DPNaiveBayes(epsilon=1, **PUBLIC).partial_fit(X, Y)
    model.set_params(neighbors="add-remove").partial_fit(X, Y)
    assert not model.privacy_.private


# -- what is known beforehand -------------------------------------------------------------------


def test_public_priors_are_used():
    model = DPNaiveBayes(epsilon=1, priors=(0.25, 0.75), **PUBLIC).fit(X, Y)
    assert np.allclose(np.exp(model.class_log_prior_), [0.25, 0.75])
    sure = DPNaiveBayes(epsilon=1, priors=(0, 1), **PUBLIC).fit(X, Y)
    assert np.all(sure.predict(X) == 1)
    for bad in ((1,), (0.5, 0.7), (-0.5, 1.5), "half", (np.nan, 1)):
        with pytest.raises(ArgumentError, match="priors must be None, or 2 probabilities"):
            DPNaiveBayes(epsilon=1, priors=bad, **PUBLIC).fit(X, Y)


def test_the_ridge_is_that_of_scikit_learn():
    options = {"max_iter": 3000, "coordinates": 4, "alpha": 0}
    model = DPLogisticRegression(noise=None, C=0.01, **options, **PUBLIC).fit(X, Y)
    known = LogisticRegression(C=0.01, tol=1e-8).fit(X, Y)
    free = DPLogisticRegression(noise=None, **options, **PUBLIC).fit(X, Y)
    assert np.allclose(model.coef_, known.coef_, atol=2e-3)
    assert np.allclose(model.intercept_, known.intercept_, atol=2e-2)
    assert not np.allclose(model.coef_, free.coef_, atol=2e-2)
    for bad in (0, -1, "x"):
        with pytest.raises(ArgumentError, match="C must be"):
            DPLogisticRegression(C=bad, **PUBLIC).fit(X, Y)
