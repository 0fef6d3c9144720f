"""DPLogisticRegression: proximal coordinate descent on noisy sums of gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..errors import ArgumentError
from ._base import PrivateClassifier
from .calibrate import Kind, Plan, plan

Floats = NDArray[np.float64]

#: A row's part of a sum of gradients is rounded to a multiple of 1/FINE: sums are then exact.
FINE = 1 << 20


def gradient_sum(margins: Floats, signs: Floats, column: Floats) -> int:
    """The sum over rows of -y x / (1 + e^(y m)), as a whole multiple of 1/FINE.

    margins: m = h.x of each row, computed from that row alone; signs: y = +-1; column: one feature,
    within [-1, 1]. Each row adds a whole number from -FINE to FINE, so replacing a row changes the
    sum by at most 2 FINE and adding one by at most FINE, whatever the order of summation. The only
    thing the descent learns from the data, hence the one function to replace where the rows live
    elsewhere.
    """
    parts = np.rint(-FINE * expit(-signs * margins) * signs * column)
    return int(np.clip(parts, -FINE, FINE).astype(np.int64).sum())


class DPLogisticRegression(PrivateClassifier):
    """Logistic regression with an l1 penalty, (epsilon, delta)-private in total.

    Guarantee: coefficients depend on the data through noisy sums of gradients alone, whose adaptive
    release is (epsilon, delta)-private for the stated neighbours; `privacy_` lists them. It takes
    for granted that `bounds` and the set of classes are public, and, for neighbours="replace", the
    number of rows.

    Features are numeric, clipped to `bounds` and mapped to [-1, 1]; encode categories with public
    levels first, for example by OneHotEncoder(categories=...) with bounds (0, 1). One
    classifier per class for more than two classes; all share the budget.

    epsilon, delta: the total budget of one `fit`. delta = 0 goes with noise "laplace" or "optimal".
    noise, neighbours, bounds, classes, random_state, take_public_knowledge_from_data_not_private:
        as for `DPNaiveBayes`.
    alpha: weight of the l1 penalty (the paper's lambda).
    max_iter: passes T. More passes mean more releases, each with more noise.
    coordinates: coordinates K per pass, chosen at random; None for a quarter of them, rounded up.
    step: length of a step along the mean gradient; 4 is the inverse of its largest curvature, the
        paper has 1.
    fit_intercept: whether to put a column of ones first.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        noise: str | None = "optimal",
        neighbours: str = "replace",
        bounds: Any = None,
        classes: Any = None,
        alpha: float = 1e-8,
        max_iter: int = 20,
        coordinates: int | None = None,
        step: float = 4.0,
        fit_intercept: bool = True,
        take_public_knowledge_from_data_not_private: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.noise = noise
        self.neighbours = neighbours
        self.bounds = bounds
        self.classes = classes
        self.alpha = alpha
        self.max_iter = max_iter
        self.coordinates = coordinates
        self.step = step
        self.fit_intercept = fit_intercept
        self.take_public_knowledge_from_data_not_private = (
            take_public_knowledge_from_data_not_private)
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Descend on noisy gradients."""
        self._check_parameters()
        self._not_negative("alpha")
        if self.step <= 0:
            raise ArgumentError("step", self.step, "positive")
        passes = _whole("max_iter", self.max_iter, 1, 10_000)
        schema, numeric, _, labels = self._read(X, y)
        self._schema = schema
        features = self._features(numeric)
        width = features.shape[1]
        each = math.ceil(width / 4) if self.coordinates is None else _whole(
            "coordinates", self.coordinates, 1, width)
        models = 1 if len(self.classes_) == 2 else len(self.classes_)
        kinds = self._kinds(models * passes * each)
        found = None
        if self.noise is not None:
            found = plan(kinds, self._epsilon, self._delta, self.noise)
        noise, rows = self._noise(found, models * passes * each, len(labels))
        order = np.random.default_rng(self._entropy().bits(128))
        coefficients = np.zeros((models, width))
        for model in range(models):
            own = 1 if models == 1 else model
            signs = np.where(labels == own, 1.0, -1.0)
            coefficients[model] = self._descend(features, signs, rows, noise, order, passes, each)
        self._keep(coefficients)
        self.n_iter_ = passes
        self.privacy_ = self._privacy(found, kinds)
        return self

    def _features(self, numeric: Floats) -> Floats:
        """Scaled columns, the intercept's first."""
        scaled = self._schema.scaled(numeric)
        if not self.fit_intercept:
            return scaled
        return np.concatenate([np.ones((len(scaled), 1)), scaled], axis=1)

    def _kinds(self, releases: int) -> tuple[Kind, ...]:
        one = Fraction(1)
        reach = 2 if self.neighbours == "replace" else 1
        kinds = [Kind("sum of gradients", releases, one, ((releases, reach),), 1.0, False)]
        if self.neighbours == "add-remove":
            # One number among many, and a relative error of one part in a hundred does no harm.
            kinds.append(Kind("rows", 1, one, ((1, 1),), 1e-4, True))
        return tuple(kinds)

    def _noise(
        self, found: Plan | None, releases: int, rows: int
    ) -> tuple[Iterator[Any], float]:
        """A function that makes a sum noisy, once per release; and the number of rows to use."""
        if found is None:
            return iter([lambda total: total / FINE] * releases), float(rows)
        entropy = self._entropy()
        chosen = found.chosen[0]
        cells = chosen.cells
        drawn = chosen.noise.draw(entropy, releases)

        def noisy(total: int, step: int) -> float:
            whole, rest = divmod(total * cells, FINE)
            if rest and entropy.below(FINE) < rest:
                whole += 1
            return (whole + step) / cells

        number = float(rows)
        if len(found.chosen) > 1:
            released = found.chosen[1].noise.release([Fraction(rows)], 1, entropy)
            number = max(float(released[0]), 1.0)
        return iter([lambda total, step=step: noisy(total, step) for step in drawn]), number

    def _descend(
        self, features: Floats, signs: Floats, rows: float, noise: Iterator[Any],
        order: np.random.Generator, passes: int, each: int,
    ) -> Floats:
        """Passes over random coordinates; each pass ends at the mean of its iterates."""
        coefficients = np.zeros(features.shape[1])
        columns = np.asfortranarray(features)
        shrink = float(self.alpha) * float(self.step)
        for _ in range(passes):
            margins = _margins(columns, coefficients)
            for k, j in enumerate(order.permutation(len(coefficients))[:each].tolist()):
                total = next(noise)(gradient_sum(margins, signs, columns[:, j]))
                moved = coefficients[j] - self.step * total / rows
                moved = math.copysign(max(abs(moved) - shrink, 0.0), moved)
                step = moved - coefficients[j]
                margins += step * columns[:, j]
                # The iterates from here on hold this step: (K - k) of K.
                coefficients[j] += step * (each - k) / each
        return coefficients

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
        clipped = np.clip(numeric, self._schema.low, self._schema.high)
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


def _margins(columns: Floats, coefficients: Floats) -> Floats:
    """h.x of each row, by the same rounded operations whatever the other rows are.

    A matrix product may order a row's sum by where the row stands in its block, and another row
    more or less would then show in the last bit of the others.
    """
    total = np.zeros(len(columns))
    for j in np.flatnonzero(coefficients).tolist():
        total += coefficients[j] * columns[:, j]
    return total


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not (
            low <= value <= high):
        raise ArgumentError(name, value, f"a whole number from {low} to {high}")
    return int(value)
