"""scikit-learn's own checks, with and without noise, on instances with public bounds."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import check_estimator

from leastnoise.learn import DPLogisticRegression, DPNaiveBayes

#: The checks bring tables with two and with three classes, so these are read from the data.
PUBLIC = {"bounds": (-10, 10), "take_public_knowledge_from_data_not_private": True}
#: A refusal would tell of the one value that it is about, so there is none.
REFUSES = {"check_dtype_object": "asks for an error where one cell of X holds a dict"}
INSTANCES = [
    DPNaiveBayes(noise=None, **PUBLIC),
    DPNaiveBayes(epsilon=300, delta=0, **PUBLIC),
    DPLogisticRegression(noise=None, max_iter=80, **PUBLIC),
    DPLogisticRegression(epsilon=50_000, delta=0, max_iter=80, **PUBLIC),
]
SLOWER = [
    DPNaiveBayes(epsilon=50, delta=0.01, **PUBLIC),
    DPLogisticRegression(epsilon=1000, delta=0.1, **PUBLIC),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", INSTANCES, ids=repr)
def test_check_estimator(estimator):
    check_estimator(estimator, expected_failed_checks=REFUSES)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", [DPNaiveBayes, DPLogisticRegression])
def test_at_a_small_epsilon_only_accuracy_is_missed(model):
    results = check_estimator(model(epsilon=1, delta=0, **PUBLIC), on_fail=None)
    failed = [one["check_name"] for one in results if one["status"] == "failed"]
    assert set(failed) == {"check_classifiers_train", *REFUSES}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", SLOWER, ids=repr)
def test_check_estimator_with_delta(estimator):
    check_estimator(estimator, expected_failed_checks=REFUSES)
