"""A pytest plugin: diffprivlib's tests of its classifiers meet ours, under its names.

Thin on purpose: arguments are renamed and nothing else. Theirs are pure and count a row as added or
removed; the classes are never told, so they are read off the data; a bound on the norm of a row
bounds each of its numbers. What ours does not have is not pretended: an unknown argument is a
TypeError, and a missing bound does not warn.
"""

from __future__ import annotations

import math

import diffprivlib.models.logistic_regression
import diffprivlib.models.naive_bayes

from leastnoise.learn import DPLogisticRegression, DPNaiveBayes


def _shared(epsilon: float) -> dict[str, object]:
    return {
        "epsilon": epsilon if epsilon < math.inf else 1.0,
        "noise": "optimal" if epsilon < math.inf else None,
        "delta": 0,
        "neighbors": "add-remove",
        "take_public_knowledge_from_data_not_private": True,
    }


class GaussianNB(DPNaiveBayes):
    """diffprivlib's arguments, our model."""

    def __init__(self, *, epsilon=1.0, var_smoothing=1e-9, **options):
        super().__init__(**_shared(epsilon), **options)


class LogisticRegression(DPLogisticRegression):
    """diffprivlib's arguments, our model."""

    def __init__(
        self,
        *,
        epsilon=1.0,
        data_norm=None,
        tol=1e-4,
        C=1.0,
        max_iter="auto",
        verbose=0,
        n_jobs=None,
        **options,
    ):
        bounds = None if data_norm is None else (-data_norm, data_norm)
        super().__init__(**_shared(epsilon), bounds=bounds, C=C, max_iter=max_iter, **options)


diffprivlib.models.naive_bayes.GaussianNB = GaussianNB
diffprivlib.models.logistic_regression.LogisticRegression = LogisticRegression
