"""DPLogisticRegression: proximal coordinate descent on noisy sums of gradients.

Why a fit costs no more than it says: `logistic.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._live import tell, waiting
from ..errors import ArgumentError
from ..exact import rational
from ..numeric import Floats
from ..sampling import Entropy
from ._base import PrivateClassifier
from .calibrate import plan
from .cells import rows_of
from .kinds import ClassifierPlan, StatisticKind

Noisy = Callable[[int], float]

#: A row's part of a sum of gradients is rounded to a multiple of 1/FINE: sums are then exact.
FINE = 1 << 20
#: A coordinate's last move is repeated by so much: directions of small curvature need it.
_MOMENTUM = 0.7
#: Of the budget, for the number of rows where it is not public.
_FOR_ROWS = Fraction(1, 50)
#: max_iter="auto": so many rows times epsilon for each release of a pass; the least and the most
#: passes; the most releases.
_ROWS_WITH_DELTA, _ROWS_WITHOUT = 3, 30
_FEWEST, _MOST, _MOST_RELEASES = 4, 1000, 10_000


def gradient_sum(margins: Floats, signs: Floats, column: Floats, bound: float = 1.0) -> int:
    """The sum over rows of -y x / (1 + e^(y m)), as a whole multiple of bound/FINE.

    margins: m = h.x of each row, computed from that row alone; signs: y = +-1; column: one feature,
    within [-1, 1]; bound: a public number that no row's part exceeds (what exceeds it is cut). Each
    row adds a whole number from -FINE to FINE, so replacing a row changes the sum by at most 2 FINE
    and adding one by at most FINE, whatever the order of summation. The only thing the descent
    learns from the data, hence the one function to replace where the rows live elsewhere.
    """
    parts = -FINE / bound * expit(-signs * margins)
    parts *= signs
    parts *= column
    np.rint(parts, out=parts)
    # A step that overflows must not undo the bound: what is no number counts as 0.
    parts[np.isnan(parts)] = 0
    return int(np.maximum(np.minimum(parts, FINE), -FINE).astype(np.int64).sum())


class DPLogisticRegression(PrivateClassifier):
    """Logistic regression with an l1 penalty, (epsilon, delta)-DP in total.

    Guarantee: coefficients depend on the data through noisy sums of gradients alone (and, for
    neighbors="add-remove", a noisy number of rows), whose adaptive release is
    (epsilon, delta)-private for the stated neighbors; `privacy_` lists them. It takes for granted
    that `bounds` and `classes` are public, and, for neighbors="replace", the number of rows. What
    is fitted to the data before (a scaler, an imputer, a selection of features) is not covered: it
    voids the guarantee, also inside a pipeline. No scaler is needed, `bounds` does its work.

    Features are numeric, clipped to `bounds` and mapped to [-1, 1]; encode categories with public
    levels first, for example by OneHotEncoder(categories=...) with bounds (0, 1). One
    classifier per class for more than two classes; all share the budget.

    epsilon, delta: the total budget of one `fit`. delta = 0 goes with noise "laplace" or "optimal".
    noise, neighbors, bounds, classes, random_state, take_public_knowledge_from_data_not_private:
        as for `DPNaiveBayes`.
    accountant, verbose: as for `DPNaiveBayes`.
    alpha: weight of the l1 penalty (the paper's lambda).
    C: inverse weight of an l2 penalty on `coef_`, as in scikit-learn: |coef|^2 / (2 C rows) is
        added to the mean loss; None for none. Do not choose it by looking at the private data.
    max_iter: passes T. More passes mean more releases, each with more noise. "auto" makes
        rows * epsilon / (3 * releases in a pass) of them, a tenth of that for delta = 0, half for
        neighbors="replace"; at least 4, at most 1000 or 10,000 releases; 1000 without noise. The
        number of rows is the public one, or the noisy one.
    coordinates: coordinates K per pass, chosen at random; None for a quarter of them, rounded up.
    step: length of a step along the mean gradient; 4 is the inverse of its largest curvature, the
        paper has 1.
    fit_intercept: whether to put a column of ones first.

    Example: a classifier with a total budget of epsilon 1.

        >>> from leastnoise.datasets import synthetic
        >>> data = synthetic(1000)
        >>> X = [[row[0], row[1]] for row in data.numeric]
        >>> model = DPLogisticRegression(1, 1e-5, bounds=(0, 10), classes=[0, 1])
        >>> model = model.fit(X, data.labels)
        >>> model.privacy_.delta
        1e-05
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        noise: str | None = "optimal",
        neighbors: str = "replace",
        bounds: Any = None,
        classes: Any = None,
        alpha: float = 1e-8,
        C: float | None = None,
        max_iter: int | str = "auto",
        coordinates: int | None = None,
        step: float = 4.0,
        fit_intercept: bool = True,
        accountant: Any = None,
        verbose: bool | int = False,
        take_public_knowledge_from_data_not_private: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.noise = noise
        self.neighbors = neighbors
        self.bounds = bounds
        self.classes = classes
        self.alpha = alpha
        self.C = C
        self.max_iter = max_iter
        self.coordinates = coordinates
        self.step = step
        self.fit_intercept = fit_intercept
        self.accountant = accountant
        self.verbose = verbose
        self.take_public_knowledge_from_data_not_private = (
            take_public_knowledge_from_data_not_private
        )
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **other: Any) -> Self:
        """Descend on noisy gradients."""
        self._begin(other)
        self._check_parameters()
        self._not_negative("alpha")
        if self.step <= 0:
            raise ArgumentError("step", self.step, "positive")
        if self.C is not None and rational(self.C, "C") <= 0:
            raise ArgumentError("C", self.C, "positive, or None for no such penalty")
        numeric, _, labels = self._read(X, y, self.classes)
        with waiting(bool(self.verbose), "calibrating noise"):
            return self._fit(self._features(numeric), labels, rows_of(y))

    def _fit(self, features: Floats, labels: NDArray[np.int64], size: int) -> Self:
        width = features.shape[1]
        each = (
            math.ceil(width / 4)
            if self.coordinates is None
            else _whole("coordinates", self.coordinates, 1, width)
        )
        models = 1 if len(self.classes_) == 2 else len(self.classes_)
        entropy = self._entropy()
        rows, counted = self._rows(size, entropy)
        passes = self._passes(rows, models * each)
        planned = self._plan(models * passes * each, counted)
        if counted is None:
            self._charge()
        noise = _noise(planned, models * passes * each, entropy)
        order = np.random.default_rng(entropy.bits(128))
        coefficients = np.zeros((models, width))
        for model in range(models):
            tell(f"descending: {passes} passes for classifier {model + 1} of {models}")
            positive = 1 if models == 1 else model
            signs = np.where(labels == positive, 1.0, -1.0)
            coefficients[model] = self._descend(features, signs, rows, noise, order, passes, each)
        self._keep(coefficients)
        self.n_iter_ = passes
        self.privacy_ = self._privacy(planned)
        return self

    def _features(self, numeric: Floats) -> Floats:
        """Scaled columns, the intercept's first."""
        scaled = self._schema.scale(numeric)
        if not self.fit_intercept:
            return scaled
        return np.concatenate([np.ones((len(scaled), 1)), scaled], axis=1)

    def _rows(self, rows: int, entropy: Entropy) -> tuple[float, ClassifierPlan | None]:
        """The number of rows to use, and what it cost if it is not public."""
        if self.noise is None or self.neighbors == "replace":
            return float(rows), None
        kind = StatisticKind("rows", 1, Fraction(1), ((1, 1),), 1.0, True)
        if self._epsilon:
            planned = plan((kind,), self._epsilon * _FOR_ROWS, Fraction(0), "laplace")
        else:
            planned = plan((kind,), Fraction(0), self._delta * _FOR_ROWS, "analytic-gaussian")
        self._charge()
        released = planned.chosen[0].noise.release([Fraction(rows)], 1, entropy)
        # Below its own noise the number says nothing, and short steps do no harm.
        return max(float(released[0]), planned.chosen[0].std, 1.0), planned

    def _passes(self, rows: float, releases: int) -> int:
        """`max_iter`, or what its rule says for so many releases in a pass."""
        if not (isinstance(self.max_iter, str) and self.max_iter == "auto"):
            return _whole("max_iter", self.max_iter, 1, 10_000, "'auto', or ")
        if self.noise is None:
            return _MOST
        reach = 2 if self.neighbors == "replace" else 1
        enough = reach * releases * (_ROWS_WITH_DELTA if self._delta else _ROWS_WITHOUT)
        most = min(_MOST, _MOST_RELEASES // releases)
        return max(_FEWEST, min(most, int(rows * float(self._epsilon) / enough)))

    def _plan(self, releases: int, counted: ClassifierPlan | None) -> ClassifierPlan | None:
        """Noise for the sums out of what the number of rows has left of the budget."""
        if self.noise is None:
            return None
        reach = 2 if self.neighbors == "replace" else 1
        kind = StatisticKind(
            "sum of gradients, over their bound",
            releases,
            Fraction(1),
            ((releases, reach),),
            1.0,
            False,
        )
        if counted is None:
            return plan((kind,), self._epsilon, self._delta, self.noise)
        left = 1 - _FOR_ROWS
        epsilon = self._epsilon * left
        delta = self._delta if self._epsilon else self._delta * left
        planned = plan((kind,), epsilon, delta, self.noise)
        return replace(
            planned,
            epsilon=float(self._epsilon),
            delta=float(self._delta),
            chosen=(*planned.chosen, *counted.chosen),
        )

    def _descend(
        self,
        features: Floats,
        signs: Floats,
        rows: float,
        noise: Iterator[Noisy],
        order: np.random.Generator,
        passes: int,
        each: int,
    ) -> Floats:
        """Passes over random coordinates; the mean of their ends, later ones counting more."""
        coefficients = np.zeros(features.shape[1])
        moves, average = np.zeros_like(coefficients), np.zeros_like(coefficients)
        columns = np.asfortranarray(features)
        margins = np.zeros(len(columns))
        shrink = float(self.alpha) * float(self.step)
        decay = 1 + float(self.step) * self._ridge(rows)
        for t in range(passes):
            for j in order.permutation(len(coefficients))[:each].tolist():
                # No margin is larger than the sum of the coefficients, which are no secret.
                bound = float(expit(np.abs(coefficients).sum()))
                total = bound * next(noise)(gradient_sum(margins, signs, columns[:, j], bound))
                moved = coefficients[j] + _MOMENTUM * moves[j] - self.step * total / rows
                moved = math.copysign(max(abs(moved) - shrink, 0.0), moved) / decay[j]
                moves[j] = moved - coefficients[j]
                coefficients[j] = moved
                margins += moves[j] * columns[:, j]
            average += (coefficients - average) * 2 / (t + 2)
        return average

    def _ridge(self, rows: float) -> Floats:
        """The curvature that `C` adds along each coordinate; the intercept has none."""
        half = (self._schema.high - self._schema.low) / 2
        ridge = np.zeros(len(half)) if self.C is None else 1 / (float(self.C) * rows * half**2)
        return np.concatenate([[0.0], ridge]) if self.fit_intercept else ridge

    def _keep(self, coefficients: Floats) -> None:
        """Coefficients for features as they are given, not as they were scaled."""
        schema, start = self._schema, int(self.fit_intercept)
        half = (schema.high - schema.low) / 2
        middle = (schema.high + schema.low) / 2
        self.coef_ = coefficients[:, start:] / half
        first = coefficients[:, 0] if start else np.zeros(len(coefficients))
        self.intercept_ = first - self.coef_ @ middle

    def decision_function(self, X: Any) -> Floats:
        """The margin of the second class, or of each class if there are more than two."""
        numeric, _ = self._read_again(X)
        clipped = self._schema.clip(numeric)
        scores = clipped @ self.coef_.T + self.intercept_
        return np.asarray(scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities; for more than two classes those of each against the rest, scaled."""
        scores = expit(self.decision_function(X))
        if scores.ndim == 1:
            return np.stack([1 - scores, scores], axis=1)
        return np.asarray(scores / np.maximum(scores.sum(axis=1, keepdims=True), 1e-300))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the class probabilities."""
        return np.asarray(np.log(np.maximum(self.predict_proba(X), 1e-300)))

    def predict(self, X: Any) -> Any:
        """The class of the largest margin."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.int64) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[best]


def _noise(planned: ClassifierPlan | None, releases: int, entropy: Entropy) -> Iterator[Noisy]:
    """For each release a function that makes a whole multiple of 1/FINE a noisy number."""
    if planned is None:
        return iter([lambda total: total / FINE] * releases)
    chosen = planned.chosen[0]
    cells = chosen.cells

    def noisy(total: int, step: int) -> float:
        whole, rest = divmod(total * cells, FINE)
        if rest and entropy.below(FINE) < rest:
            whole += 1
        return (whole + step) / cells

    drawn = chosen.noise.draw(entropy, releases)
    return iter([partial(noisy, step=step) for step in drawn])


def _whole(name: str, value: Any, low: int, high: int, other: str = "") -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, np.integer))
        or not (low <= value <= high)
    ):
        raise ArgumentError(name, value, f"{other}an integer from {low} to {high}")
    return int(value)
