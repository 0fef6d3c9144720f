"""DPNaiveBayes: naive Bayes from noisy counts and sums, with one total budget."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._live import waiting
from ..errors import ArgumentError
from ..numeric import Floats
from ._base import PrivateClassifier
from .cells import rows_of
from .kinds import StatisticKind
from .privacy import Privacy, together
from .public import Schema, known_classes
from .statistics import SCALE, BayesStatistics, bayes_statistics

#: Half of a numeric feature's range holds about this many squared standard deviations: only the
#: division of the budget depends on it.
_SPREAD = 1 / 9
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True)
class Batch:
    """What one call released: noisy statistics, the spread of their noise, and what it cost."""

    noisy: list[Floats]
    noise: float  # the standard deviation of a noisy sum; 0 without noise
    privacy: Privacy


class DPNaiveBayes(PrivateClassifier):
    """Naive Bayes with numeric and categorical features, (epsilon, delta)-DP in total.

    Guarantee: everything `fit` keeps is computed from noisy statistics whose joint release is
    (epsilon, delta)-private for the stated neighbors; `privacy_` lists the releases. It takes
    for granted that `bounds`, `categories` and `classes` are public, and, for
    neighbors="replace", the number of rows. What is fitted to the data before (a scaler, an
    imputer, a selection of features) is not covered: it voids the guarantee, also inside a
    pipeline. No scaler is needed, `bounds` does its work.

    epsilon, delta: the total budget of one `fit`. delta = 0 goes with noise "laplace" or
        "optimal".
    noise: "optimal" picks what does least harm at the total budget; "truncated-laplace", "tulap",
        "analytic-gaussian", "gaussian", "laplace" are baselines; "optimal-dependent" uses ranges
        where they are narrow enough; None adds no noise.
    neighbors: "replace" (one row replaced, the number of rows public) or "add-remove".
    bounds: (low, high) of the numeric features: two numbers for all, two sequences, or a dict by
        column. Values outside are clipped, infinite ones too; what is missing or no number (NaN,
        None, text among numbers) counts as the middle. No value is rejected: that would reveal it.
    categorical: columns that hold categories, by name or number; "auto" takes the columns of a
        data frame that hold no numbers.
    categories: the levels of each categorical feature. Other values, in `fit` or `predict`, share
        one level of their own.
    classes: the labels that there may be. A row with any other label is left out.
    priors: the probabilities of the classes, in order, where they are public; None for noisy shares
        of the rows.
    alpha: added to every count, as in scikit-learn.
    accountant: who keeps the books: a `Ledger`, the path of its file, or an object with
        spend(epsilon, delta) such as diffprivlib's BudgetAccountant. Every call of `fit` or
        `partial_fit` charges it (epsilon, delta) before any noise is drawn; what it rejects is not
        computed. Clones share it. (Worker processes share the ledger in a file, nothing else.)
    verbose: True for a line that moves while noise is calibrated, which can take some seconds.
    take_public_knowledge_from_data_not_private: take missing bounds, categories and classes from
        the data. Voids the guarantee.
    random_state: for tests only: whoever knows it can remove the noise.

    Example: a classifier with a total budget of epsilon 1.

        >>> from leastnoise.datasets import synthetic
        >>> data = synthetic(1000)
        >>> X = [[row[0], row[1]] for row in data.numeric]
        >>> model = DPNaiveBayes(epsilon=1, delta=0, bounds=(0, 10), classes=[0, 1])
        >>> model = model.fit(X, data.labels)
        >>> model.privacy_.epsilon
        1.0
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        noise: str | None = "optimal",
        neighbors: str = "replace",
        bounds: Any = None,
        categorical: Any = "auto",
        categories: Any = None,
        classes: Any = None,
        priors: Any = None,
        alpha: float = 1.0,
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
        self.categorical = categorical
        self.categories = categories
        self.classes = classes
        self.priors = priors
        self.alpha = alpha
        self.accountant = accountant
        self.verbose = verbose
        self.take_public_knowledge_from_data_not_private = (
            take_public_knowledge_from_data_not_private
        )
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **other: Any) -> Self:
        """Count, add noise, and keep only what follows from the noisy statistics."""
        self._begin(other)
        self._check_parameters()
        self._not_negative("alpha")
        statistics = self._statistics(*self._read(X, y, self.classes))
        return self._fit_statistics(statistics, rows_of(y), [])

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Add the noisy statistics of more rows to those there are.

        classes: the labels that there may be, in the first call, unless the model has them.

        Every call is an (epsilon, delta)-private release about its own rows, with noise of its own
        (k calls have k times the variance of one), and is charged as one. `privacy_` adds the calls
        up, which holds whoever is in them. Where no row is in two calls the model is as private as
        one call: neighbors then differ in one of them alone.
        """
        self._check_parameters()
        self._not_negative("alpha")
        if not hasattr(self, "_past"):
            known = self.classes if classes is None else classes
            if self.classes is not None and classes is not None:
                self._same_classes(classes, known_classes(self.classes))
            statistics = self._statistics(*self._read(X, y, known))
            return self._fit_statistics(statistics, rows_of(y), [])
        if classes is not None:
            self._same_classes(classes, self.classes_)
        statistics = self._statistics(*self._read(X, y, self.classes_, again=True))
        return self._fit_statistics(statistics, rows_of(y), self._past)

    @staticmethod
    def _same_classes(classes: Any, known: Any) -> None:
        if not np.array_equal(known_classes(classes), known):
            raise ArgumentError("classes", classes, "those of the model or of the first call")

    def fit_statistics(
        self, statistics: BayesStatistics, schema: Schema, rows: int | None = None
    ) -> Self:
        """The private half of `fit`, from statistics that anything may have counted.

        rows: the public number of rows, if some of them, with labels that are no class, are not
        in the statistics.
        """
        self._check_parameters()
        self._not_negative("alpha")
        self._schema = schema
        self._classes_read = self.classes is None
        if self.classes is not None:
            self.classes_ = known_classes(self.classes)
        return self._fit_statistics(statistics, rows, [])

    def _statistics(
        self, numeric: Floats, categorical: list[Any], labels: NDArray[np.int64]
    ) -> BayesStatistics:
        schema = self._schema
        return bayes_statistics(
            labels,
            len(self.classes_),
            schema.codes(categorical),
            [len(words) + 1 for words in schema.levels],
            schema.whole(numeric),
        )

    def _fit_statistics(
        self, statistics: BayesStatistics, rows: int | None, past: list[Batch]
    ) -> Self:
        """Release the statistics and add them to those of past calls."""
        priors = self._known_priors(len(statistics.counts))
        kinds = self._kinds(statistics, rows)
        with waiting(bool(self.verbose), "calibrating noise"):
            noisy, plan = self._release(kinds, self._exact(statistics))
        noise = 0.0
        if plan is not None and statistics.sums.shape[1]:
            noise = max(choice.std / float(choice.kind.unit) for choice in plan.chosen[-2:])
        self._past = [*past, Batch(noisy, noise, self._privacy(plan))]
        self._keep(statistics, priors)
        self.privacy_ = together([batch.privacy for batch in self._past])
        return self

    def _known_priors(self, classes: int) -> Floats | None:
        if self.priors is None:
            return None
        allowed = f"None, or {classes} probabilities, one for each class, that add up to 1"
        try:
            priors = np.asarray(self.priors, dtype=np.float64)
        except (TypeError, ValueError):
            raise ArgumentError("priors", self.priors, allowed) from None
        good = priors.shape == (classes,) and np.all(priors >= 0) and np.isclose(priors.sum(), 1)
        if not good:
            raise ArgumentError("priors", self.priors, allowed)
        return np.asarray(priors / priors.sum())

    def _kinds(
        self, statistics: BayesStatistics, rows: int | None = None
    ) -> tuple[StatisticKind, ...]:
        """What one row can change. Replacing: (its class changes, it stays the same)."""
        replace = self.neighbors == "replace"
        counts = ((2, 1), (0, 0)) if replace else ((1, 1),)
        levels = ((2, 1), (2, 1)) if replace else ((1, 1),)
        numbers = ((2, 1), (1, 2)) if replace else ((1, 1),)
        unit, classes = Fraction(1), len(statistics.counts)
        # Public for these neighbors; of use to range-dependent answers only.
        ranged = replace and self.noise == "optimal-dependent"
        known = int(statistics.counts.sum()) if rows is None else rows
        size = known if ranged else None
        # The logarithm of a prior errs by s/(n p). With numeric features a count is also what
        # their sums are divided by: an error of s rows moves a mean m by m s/n and a variance v by
        # (v - m^2 - 1/2) s/n, hence the log density, for m anywhere in [-1, 1], by about
        # (s/n)^2 (0.33 / v + 0.61 / (2 v^2)) on average.
        features = statistics.sums.shape[1]
        divides = features * (0.33 / _SPREAD + 0.61 / (2 * _SPREAD**2))
        groups = 1 if replace else classes  # an added row changes the numbers of its class alone
        kinds = [
            StatisticKind(
                "rows of a class",
                classes,
                unit,
                counts,
                1 + divides,
                True,
                size=size,
                groups=groups,
            )
        ]
        # The logarithm of a share p errs by s/(n p): averaged over L equal levels, (L s/n)^2.
        for many, tables in _by_size(statistics).items():
            kinds.append(
                StatisticKind(
                    f"rows of a level, of {many - 1} and others",
                    classes * many * len(tables),
                    unit,
                    levels,
                    float(many - 1) ** 2,
                    True,
                    len(tables),
                    size,
                    groups,
                )
            )
        if features:
            kinds += _sums(classes * features, numbers, features, groups)
        return tuple(kinds)

    @staticmethod
    def _exact(statistics: BayesStatistics) -> list[list[Fraction]]:
        """The statistics in the order of the kinds, class by class, each in its unit."""
        values = [[Fraction(int(v)) for v in statistics.counts]]
        for tables in _by_size(statistics).values():
            stacked = np.stack([statistics.levels[j] for j in tables], axis=1)
            values.append([Fraction(int(v)) for v in stacked.ravel()])
        if statistics.sums.shape[1]:
            values.append([Fraction(int(v), SCALE) for v in statistics.sums.ravel()])
            values.append([Fraction(2 * int(v), SCALE) for v in statistics.squares.ravel()])
        return values

    def _keep(self, statistics: BayesStatistics, priors: Floats | None) -> None:
        """Turn noisy statistics into probabilities; of `statistics` only shapes are used."""
        calls = [batch.noisy for batch in self._past]
        noisy = [np.sum(block, axis=0) for block in zip(*calls, strict=True)]
        counts, shape = noisy[0], statistics.sums.shape
        floor = max(float(self.alpha), 1e-10)
        rows = np.maximum(counts, 0.0)
        shares = rows + floor
        self.class_count_ = rows
        self.class_prior_ = shares / shares.sum() if priors is None else priors
        with np.errstate(divide="ignore"):  # a prior of 0 rules its class out
            self.class_log_prior_ = np.log(self.class_prior_)
        self.category_log_prob_ = [np.zeros((len(rows), 0))] * len(statistics.levels)
        for block, (size, tables) in zip(noisy[1:], _by_size(statistics).items(), strict=False):
            for place, j in enumerate(tables):
                table = block.reshape(len(rows), len(tables), size)[:, place]
                shares = np.maximum(table, 0.0) + floor
                self.category_log_prob_[j] = np.log(shares / shares.sum(axis=1, keepdims=True))
        means, variances = np.zeros(shape), np.ones(shape)
        if shape[1]:
            noise = max(float(np.hypot.reduce([batch.noise for batch in self._past])), 1e-9)
            sums, squares = noisy[-2].reshape(shape), noisy[-1].reshape(shape) / 2
            for j in range(shape[1]):
                means[:, j], variances[:, j] = _moments(rows, sums[:, j], squares[:, j], noise)
        half = (self._schema.high - self._schema.low) / 2
        self.theta_ = (self._schema.high + self._schema.low) / 2 + half * means
        self.var_ = half**2 * variances

    def _joint_log_likelihood(self, X: Any) -> Floats:
        numeric, categorical = self._read_again(X)
        schema = self._schema
        rows = len(numeric) if schema.numeric else len(categorical[0])
        total = np.tile(self.class_log_prior_, (rows, 1))
        codes = schema.codes(categorical)
        for j, table in enumerate(self.category_log_prob_):
            total += table[:, codes[:, j]].T
        if schema.numeric:
            clipped = schema.clip(numeric)
            for label in range(len(self.classes_)):
                mean, variance = self.theta_[label], self.var_[label]
                total[:, label] -= 0.5 * (
                    np.log(2 * np.pi * variance) + (clipped - mean) ** 2 / variance
                ).sum(axis=1)
        return np.asarray(total)

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the class probabilities."""
        joint = self._joint_log_likelihood(X)
        top = joint.max(axis=1, keepdims=True)
        return np.asarray(joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True)))

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict(self, X: Any) -> Any:
        """The likeliest class of each row."""
        best = np.argmax(self._joint_log_likelihood(X), axis=1)
        return self.classes_[best]


def _moments(rows: Floats, sums: Floats, squares: Floats, noise: float) -> tuple[Floats, Floats]:
    """Mean and variance in each class, drawn to those of all rows where noise outweighs rows.

    `squares` are sums of x^2 - 1/2; `noise` is the standard deviation of a noisy sum.
    """
    total = max(float(rows.sum()), 1.0)
    mean = float(np.clip(sums.sum() / total, -1, 1))
    second = float(np.clip(squares.sum() / total + 0.5, mean**2, 1))
    means = np.clip((sums + noise * mean) / (rows + noise), -1, 1)
    seconds = (squares + rows / 2 + noise * second) / (rows + noise)
    least = np.maximum(_LEAST_VARIANCE, np.minimum(noise / (rows + noise), 1 / 4) * _SPREAD)
    return means, np.clip(seconds - means**2, least, 1.0)


def _sums(count: int, moves: Any, features: int, groups: int) -> list[StatisticKind]:
    """Sums of features and of their squares.

    A mean that errs by s/n changes the log density by (s/n)^2 / variance on average, a variance
    that errs by s/(2n) by (s/n)^2 / (8 variance^2).
    """
    unit, weights = Fraction(1), (1 / _SPREAD, 1 / (8 * _SPREAD**2))
    shared: dict[str, Any] = {"groups": groups}
    return [
        StatisticKind(
            "sum of a feature, in half ranges",
            count,
            unit,
            moves,
            weights[0],
            False,
            features,
            **shared,
        ),
        StatisticKind(
            "sum of its squares",
            count,
            unit / 2,
            moves,
            weights[1],
            False,
            features,
            squares=True,
            **shared,
        ),
    ]


def _by_size(statistics: BayesStatistics) -> dict[int, list[int]]:
    """Categorical features by their number of levels."""
    columns: dict[int, list[int]] = {}
    for j, table in enumerate(statistics.levels):
        columns.setdefault(table.shape[1], []).append(j)
    return columns
