"""What the classifiers say to those who meet them for the first time."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from leastnoise.errors import ArgumentError, DataError
from leastnoise.learn import DPLogisticRegression, DPNaiveBayes

TABLE = pd.DataFrame(
    {"height": [1.0, 2, 3, 4, 5, 6], "width": [6.0, 5, 4, 3, 2, 1], "colour": list("bgbgbg")}
)
NUMBERS = TABLE[["height", "width"]]
LABELS = [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("model", [DPNaiveBayes, DPLogisticRegression])
def test_missing_bounds_are_named_by_column(model):
    with pytest.raises(ArgumentError, match="bounds must be given for columns 'height', 'width'"):
        model(classes=[0, 1]).fit(NUMBERS, LABELS)
    with pytest.raises(ArgumentError, match="scaler fitted to the same data makes no range public"):
        model(classes=[0, 1]).fit(NUMBERS, LABELS)
    with pytest.raises(ArgumentError, match="also for column 'width'"):
        model(classes=[0, 1], bounds={"height": (0, 10)}).fit(NUMBERS, LABELS)
    with pytest.raises(ArgumentError, match="for columns 0, 1:"):
        model(classes=[0, 1]).fit(NUMBERS.to_numpy(), LABELS)


def test_bounds_and_texts_are_refused_with_what_to_write_instead():
    pairs = [(0, 10)] * 3
    with pytest.raises(ArgumentError, match=r"two sequences \(lows, highs\), or a dict"):
        DPLogisticRegression(classes=[0, 1], bounds=pairs).fit(NUMBERS, LABELS)
    with pytest.raises(ArgumentError, match="a list of two tuples may mean either"):
        DPLogisticRegression(classes=[0, 1], bounds=[(0, 5), (1, 10)]).fit(NUMBERS, LABELS)
    with pytest.raises(DataError, match=r"encoded before .* OneHotEncoder\(categories"):
        DPLogisticRegression(classes=[0, 1], bounds=(0, 10)).fit(TABLE, LABELS)


def test_missing_levels_are_named_by_column():
    with pytest.raises(ArgumentError, match="categories must be given for column 'colour'"):
        DPNaiveBayes(classes=[0, 1], bounds=(0, 10)).fit(TABLE, LABELS)


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (DPNaiveBayes(classes=[0, 1], bounds=(0, 10), categories={"colour": ["b", "g"]}), TABLE),
        (DPNaiveBayes(classes=[0, 1], bounds=(0, 10)), NUMBERS),
        (DPLogisticRegression(classes=[0, 1], bounds=(0, 10)), NUMBERS),
    ],
)
def test_missing_values_are_no_refusal(model, table):
    """That would tell, for nothing, that one is there."""
    spoiled = table.assign(width=[6.0, np.nan, 31415926, 3, 2, 1])
    filled = table.assign(width=[6.0, 5.0, 10.0, 3, 2, 1])
    one, other = (
        clone(model).set_params(epsilon=2, delta=0, random_state=1).fit(X, LABELS)
        for X in (spoiled, filled)
    )
    assert np.array_equal(one.predict_proba(filled), other.predict_proba(filled))
    assert np.array_equal(one.predict_proba(spoiled), one.predict_proba(filled))


@pytest.mark.parametrize("model", [DPNaiveBayes, DPLogisticRegression])
def test_a_scaler_is_warned_of_where_people_look(model):
    assert "a scaler" in model.__doc__ and "voids the guarantee" in model.__doc__
    fitted = model(epsilon=2, delta=0, classes=[0, 1], bounds=(0, 10)).fit(NUMBERS, LABELS)
    assert fitted.privacy_.private and "Scalers" in repr(fitted.privacy_)


@pytest.mark.parametrize("model", [DPNaiveBayes, DPLogisticRegression])
@pytest.mark.parametrize("epsilon", [0, 1e-4])
def test_a_budget_that_would_take_minutes_is_refused_at_once(model, epsilon):
    start = time.process_time()
    with pytest.raises(ArgumentError, match=r"epsilon must be larger.*standard deviation"):
        model(epsilon=epsilon, delta=1e-5, classes=[0, 1], bounds=(0, 10)).fit(NUMBERS, LABELS)
    assert time.process_time() - start < 5
    model(epsilon=1e-4, delta=0, classes=[0, 1], bounds=(0, 10)).fit(NUMBERS, LABELS)
