"""Naive Bayes as published: (1, 0.1)-noise on every statistic, for many draws at once.

A row's log likelihood is a sum of table entries, one for each feature: the logarithm of a noisy
frequency, or of a noisy normal density at one of the values that the feature takes. So a sparse
0/1 matrix times a table with one column per draw classifies all rows for all draws.

This is the paper's protocol, not a private classifier: minima, maxima and class counts come from
the data, only the levels that occur are perturbed, and the budget is spent once per statistic.
`leastnoise.estimators` is the one to use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..datasets import Dataset
from ..mechanisms.numeric import Floats
from .noises import Kind, noisy

#: Counts and spreads are kept at or above these, as published.
LEAST_COUNT, LEAST_SPREAD = 1e-6, 1.0
#: The published code takes the logarithm of a product, which underflows here.
_UNDERFLOW = -745.13
_LOG_ROOT = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True)
class Statistic:
    """One perturbed number: where it goes, its exact value, what is known of it."""

    role: str  # "class", "count", "mean" or "spread"
    label: int
    feature: int
    level: int
    value: float
    kind: Kind


class Columns:
    """The table's columns: each level of each category, each value of each numeric feature."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.values = [np.unique(column) for column in dataset.numeric.T]
        sizes = [len(words) for words in dataset.levels] + [len(v) for v in self.values]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = [*dataset.categorical.T] + [
            np.searchsorted(values, column)
            for values, column in zip(self.values, dataset.numeric.T, strict=True)
        ]
        rows, features = len(dataset), len(sizes)
        index = np.stack(
            [place + start for place, start in zip(places, self.starts, strict=False)], axis=1)
        pointer = np.arange(0, rows * features + 1, features)
        shape = (rows, int(self.starts[-1]))
        self.matrix = sparse.csr_matrix((np.ones(rows * features), index.ravel(), pointer), shape)


def statistics(dataset: Dataset, train: np.ndarray) -> list[Statistic]:
    """Every number the published classifier takes from its training rows."""
    labels, size = dataset.labels[train], len(dataset)
    totals = np.bincount(dataset.labels, minlength=len(dataset.classes))
    count = Kind(1.0, 0.0, float(size), float(size))
    found = []
    for label in range(len(dataset.classes)):
        own = train[labels == label]
        found.append(Statistic("class", label, -1, -1, float(len(own)), count))
        for feature, words in enumerate(dataset.levels):
            counts = np.bincount(dataset.categorical[own, feature], minlength=len(words))
            # As published: a level that does not occur in the class has no count to perturb.
            found += [Statistic("count", label, feature, level, float(n), count)
                      for level, n in enumerate(counts) if n]
        for feature, column in enumerate(dataset.numeric.T):
            mean, spread = _kinds(float(column.min()), float(column.max()), totals, label)
            values = column[own] if len(own) else np.zeros(1)
            found.append(Statistic("mean", label, feature, -1, float(values.mean()), mean))
            found.append(Statistic(
                "spread", label, feature, -1, max(float(values.std()), LEAST_SPREAD), spread))
    return found


def _kinds(low: float, high: float, totals: np.ndarray, label: int) -> tuple[Kind, Kind]:
    """What is known of a feature's mean and spread in a class; sensitivities rounded up."""
    means = np.ceil((high - low) / totals)
    spreads = np.ceil((high - low) / np.sqrt(totals))
    size = int(totals.sum())
    largest = max((high - low) * math.sqrt((size // 2) * (size - size // 2)) / size, LEAST_SPREAD)
    mean = Kind(float(means[label]), low, high, float((high - low) / means.min()))
    spread = Kind(float(spreads[label]), 0.0, largest, float(largest / spreads.min()))
    return mean, spread


def tables(
    columns: Columns, found: Sequence[Statistic], method: str, uniforms: Floats
) -> list[Floats]:
    """For each class: log likelihood of every column in every draw, and the class itself last."""
    dataset, draws = columns.dataset, uniforms.shape[1]
    width, categories = int(columns.starts[-1]), len(dataset.levels)
    classes = len(dataset.classes)
    result = [np.full((width + 1, draws), -np.inf) for _ in range(classes)]
    drawn = {}
    for statistic, uniform in zip(found, uniforms, strict=True):
        exact = np.full(draws, statistic.value)
        values = exact if method == "none" else noisy(
            method, statistic.value, statistic.kind, uniform)
        if method != "none" or statistic.role == "spread":
            least = LEAST_SPREAD if statistic.role == "spread" else LEAST_COUNT
            values = values if statistic.role == "mean" else np.maximum(values, least)
        drawn[statistic.role, statistic.label, statistic.feature, statistic.level] = values
    with np.errstate(divide="ignore"):
        for (role, label, feature, level), values in drawn.items():
            if role == "class":
                result[label][width] = np.log(values)
            elif role == "count":
                own = drawn["class", label, -1, -1]
                result[label][columns.starts[feature] + level] = np.log(values / own)
    for label in range(classes):
        for feature, values in enumerate(columns.values):
            mean = drawn["mean", label, feature, -1]
            spread = drawn["spread", label, feature, -1]
            start = columns.starts[categories + feature]
            density = -0.5 * ((values[:, None] - mean) / spread) ** 2 - np.log(spread) - _LOG_ROOT
            density[density < _UNDERFLOW] = -np.inf
            result[label][start : start + len(values)] = density
    return result


def errors(
    columns: Columns, train: np.ndarray, test: np.ndarray, method: str, uniforms: Floats
) -> tuple[Floats, Floats]:
    """(in-sample, out-of-sample) error of every draw: `uniforms` is statistics x draws."""
    found = statistics(columns.dataset, train)
    made = tables(columns, found, method, uniforms)
    parts = []
    for rows in (train, test):
        matrix, truth = columns.matrix[rows], columns.dataset.labels[rows]
        best = np.full((len(rows), uniforms.shape[1]), -np.inf)
        guess = np.zeros(best.shape, dtype=np.int64)
        for label, table in enumerate(made):
            likelihood = matrix @ table[:-1] + table[-1]
            better = likelihood > best  # ties, and rows no class can explain, go to the first
            guess[better] = label
            best = np.maximum(best, likelihood)
        parts.append((guess != truth[:, None]).mean(axis=0))
    return parts[0], parts[1]


def split(rows: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """(train, test): a random fifth of the rows is for testing."""
    order = np.random.default_rng([1, number]).permutation(rows)
    cut = rows // 5
    return np.sort(order[cut:]), np.sort(order[:cut])
