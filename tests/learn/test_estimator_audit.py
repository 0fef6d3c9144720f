"""A black-box audit of `fit` on two neighboring tables, against the claimed total budget.

Everything a fitted classifier tells is put on one line: the log likelihood ratio of the two tables
if its noise were normal. A threshold is chosen on one half of the fits; on the other half, exact
binomial bounds for both frequencies give a lower bound on P(A) - e^epsilon P'(A), which must not
exceed delta (confidence 1 - 1e-6).
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import beta

from leastnoise.learn import DPLogisticRegression, DPNaiveBayes, _base, bayes_statistics, logistic
from leastnoise.learn.calibrate import plan
from leastnoise.learn.integer_noise import gaussian
from leastnoise.sampling import InsecureSeededEntropy

EPSILON, DELTA = 1.0, 0.01
FAILURE = 1e-6


def scaled(monkeypatch, module, factor):
    """Noise of a smaller standard deviation, under the same claims."""

    @lru_cache
    def wrong(*args, **options):
        found = plan(*args, **options)
        chosen = tuple(
            replace(one, noise=gaussian(math.sqrt(one.noise.variance) * factor))
            for one in found.chosen
        )
        return replace(found, chosen=chosen)

    monkeypatch.setattr(module, "plan", wrong)


def violation(one, two):
    """Lower confidence bound on P(A | one) - e^eps P(A | two), both directions."""
    found = -math.inf
    for a, b in ((one, two), (-two, -one)):
        half = len(a) // 2
        grid = np.quantile(np.concatenate([a[:half], b[:half]]), np.linspace(0.01, 0.99, 99))
        gain = [(a[:half] > t).mean() - math.exp(EPSILON) * (b[:half] > t).mean() for t in grid]
        cut = grid[int(np.argmax(gain))]
        n = len(a) - half
        hits, misses = int((a[half:] > cut).sum()), int((b[half:] > cut).sum())
        low = beta.ppf(FAILURE / 4, hits, n - hits + 1) if hits else 0.0
        high = beta.ppf(1 - FAILURE / 4, misses + 1, n - misses) if misses < n else 1.0
        found = max(found, low - math.exp(EPSILON) * high)
    return found


# Two tables that differ in one row: its class and its category. Every count that may change does.
ROWS = 60
LABELS, CODES = np.arange(ROWS) % 2, (np.arange(ROWS) // 3) % 2
OPTIONS = {"categorical": [0], "categories": [[0, 1]], "classes": [0, 1]}


def tables():
    other_labels, other_codes = LABELS.copy(), CODES.copy()
    other_labels[0], other_codes[0] = 1, 1
    return (CODES[:, None], LABELS), (other_codes[:, None], other_labels)


def statistics():
    return [
        bayes_statistics(y, 2, X, [3], np.zeros((ROWS, 0), dtype=np.int64)) for X, y in tables()
    ]


def scores(one, two):
    """Both sets of releases along the line between the exact statistics."""
    exact = [
        np.concatenate([np.array([float(v) for v in kind]) for kind in DPNaiveBayes._exact(found)])
        for found in statistics()
    ]
    spread = np.concatenate([one, two]).var(axis=0)
    direction = (exact[0] - exact[1]) / np.maximum(spread, 1e-9)
    return one @ direction, two @ direction


def released(found, times, factor):
    """What `times` fits would release: the plan's noise on the exact statistics."""
    model = DPNaiveBayes()
    made = plan(model._kinds(found), Fraction(1), Fraction(1, 100), "analytic-gaussian")
    columns = []
    for one, values in zip(made.chosen, model._exact(found), strict=True):
        noise = one.noise if factor == 1 else gaussian(math.sqrt(one.noise.variance) * factor)
        for value in values:
            draws = noise.release([value] * times, one.cells, InsecureSeededEntropy(len(columns)))
            columns.append([float(x) for x in draws])
    return np.array(columns).T


@pytest.mark.parametrize(("factor", "found_out"), [(1, False), (0.5, True)])
def test_audit_of_the_releases(factor, found_out):
    one, two = statistics()
    first, second = released(one, 6_000, factor), released(two, 12_000, factor)[6_000:]
    assert (violation(*scores(first, second)) > DELTA) == found_out


@pytest.mark.slow
def test_audit_of_fit(monkeypatch):
    """What `fit` hands to the step after the noise: all that a fitted model can tell."""
    delta, size = 0.1, 3000  # a budget at which a few thousand fits are enough to tell
    model = DPNaiveBayes(EPSILON, delta, noise="analytic-gaussian", **OPTIONS)
    seen = []
    keep = DPNaiveBayes._keep

    def watched(self, counted, priors):
        seen.append(np.concatenate(self._past[-1].noisy))
        keep(self, counted, priors)

    def audited():
        seen.clear()
        for table in tables():
            for _ in range(size):
                model.fit(*table)
        return violation(*scores(np.array(seen[:size]), np.array(seen[size:])))

    monkeypatch.setattr(DPNaiveBayes, "_keep", watched)
    assert audited() <= delta
    scaled(monkeypatch, _base, 0.5)
    assert audited() > delta


def descent_scores(times, delta):
    """One step along one coordinate: all that it tells is the coefficient."""
    model = DPLogisticRegression(
        EPSILON,
        delta,
        noise="analytic-gaussian",
        bounds=(-1, 1),
        classes=[0, 1],
        max_iter=1,
        fit_intercept=False,
        random_state=np.random.RandomState(0),
    )
    first = np.zeros((60, 1))
    second = first.copy()
    first[0], second[0] = 1.0, -1.0
    labels = np.arange(60) % 2
    return [
        np.array([float(model.fit(table, labels).coef_[0, 0]) for _ in range(times)])
        for table in (first, second)
    ]


def test_audit_of_logistic_regression(monkeypatch):
    """The row that differs moves the first sum by all that is accounted for."""
    delta, size = 0.3, 600
    one, two = descent_scores(size, delta)
    assert max(violation(one, two), violation(two, one)) <= delta
    scaled(monkeypatch, logistic, 0.5)
    one, two = descent_scores(size, delta)
    assert max(violation(one, two), violation(two, one)) > delta


def test_the_audit_sees_what_it_should():
    rng = np.random.default_rng(0)
    size = 40_000
    # sigma = 1 at shift 1 is (1, 0.127)-private, and at shift 1/2 (1, 0.01)-private.
    assert violation(rng.normal(1, 1, size), rng.normal(0, 1, size)) > DELTA
    assert violation(rng.normal(0.5, 1, size), rng.normal(0, 1, size)) <= DELTA
