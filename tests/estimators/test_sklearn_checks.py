"""scikit-learn's own checks, with and without noise, on instances with public bounds."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import check_estimator

from leastnoise.estimators import DPLogisticRegression, DPNaiveBayes

INSTANCES = [
    DPNaiveBayes(noise=None, bounds=(-10, 10)),
    DPNaiveBayes(epsilon=300, delta=0, bounds=(-10, 10)),
    DPLogisticRegression(noise=None, bounds=(-10, 10)),
    DPLogisticRegression(epsilon=50_000, delta=0, bounds=(-10, 10)),
]
SLOWER = [
    DPNaiveBayes(epsilon=50, delta=0.01, bounds=(-10, 10)),
    DPLogisticRegression(epsilon=1000, delta=0.1, bounds=(-10, 10)),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", INSTANCES, ids=repr)
def test_check_estimator(estimator):
    check_estimator(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", SLOWER, ids=repr)
def test_check_estimator_with_delta(estimator):
    check_estimator(estimator)
