"""Naive Bayes as published: (1, 0.1)-noise on every statistic, for many draws at once.

A row's log likelihood is a sum of table entries, one for each feature: the logarithm of a noisy
frequency, or of a noisy normal density at one of the values that the feature takes. Tables have a
column for each draw. Two features are merged into one, whose values are the pairs that occur, until
one is left: its values are the different rows, and few sums are computed twice.

This is the paper's protocol, not a private classifier: minima, maxima and class counts come from
the data, only the levels that occur are perturbed, and the budget is spent once per statistic.
`leastnoise.learn` is the one to use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...datasets import Dataset
from ...numeric import Floats
from .noises import StatisticRange, noisy_all

#: Counts and spreads are kept at or above these, as published.
LEAST_COUNT, LEAST_SPREAD = 1e-6, 1.0
#: The published code takes the logarithm of a product, which underflows here.
_UNDERFLOW = -745.13
_LOG_ROOT = 0.5 * math.log(2 * math.pi)
#: Classes are numbered as they appear in the file. Only here the published errors speak against it.
_BY_NUMBER = ("spambase",)
#: Far above any sum of log likelihoods, and its square is a number in single precision too.
_NEVER = 1e15
#: Entries of the tables of a block of draws, so few that they stay near.
_BLOCK = 1 << 17

Halves = NDArray[np.float32]


@dataclass(frozen=True)
class Statistic:
    """One perturbed number: where it goes, its exact value, what is known of it."""

    role: str  # "class", "count", "mean" or "spread"
    label: int
    feature: int
    level: int
    value: float
    kind: StatisticRange


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
        self._merge(places, sizes)

    def _merge(self, places: list[np.ndarray], sizes: list[int]) -> None:
        """Find the pairs that occur, the two smallest features first."""
        self.merges: list[tuple[int, np.ndarray, int, np.ndarray]] = []
        left = sorted(range(len(sizes)), key=sizes.__getitem__)
        while len(left) > 1:
            a, b = left.pop(0), left.pop(0)
            pairs, place = np.unique(places[a] * sizes[b] + places[b], return_inverse=True)
            self.merges.append((a, pairs // sizes[b], b, pairs % sizes[b]))
            left.append(len(sizes))
            places, sizes = [*places, place], [*sizes, len(pairs)]
            left.sort(key=sizes.__getitem__)
        self.row, self.rows = places[-1], sizes[-1]

    def scores(self, table: Halves) -> Halves:
        """Of every different row: the sum of its entries and of the last one, draw by draw."""
        parts = [table[a:b] for a, b in pairwise(self.starts)]
        for a, of_a, b, of_b in self.merges:
            merged = parts[a].take(of_a, axis=0)
            merged += parts[b].take(of_b, axis=0)
            parts.append(merged)
        return np.asarray(parts[-1] + table[-1])


def statistics(dataset: Dataset, train: np.ndarray) -> list[Statistic]:
    """Every number the published classifier takes from its training rows."""
    labels, size = dataset.labels[train], len(dataset)
    totals = np.bincount(dataset.labels, minlength=len(dataset.classes))
    count = StatisticRange(1.0, 0.0, float(size), float(size))
    collected = []
    for label in range(len(dataset.classes)):
        inside = train[labels == label]
        collected.append(Statistic("class", label, -1, -1, float(len(inside)), count))
        for feature, words in enumerate(dataset.levels):
            counts = np.bincount(dataset.categorical[inside, feature], minlength=len(words))
            # As published: a level that does not occur in the class has no count to perturb.
            collected += [
                Statistic("count", label, feature, level, float(n), count)
                for level, n in enumerate(counts)
                if n
            ]
        for feature, column in enumerate(dataset.numeric.T):
            mean, spread = _kinds(float(column.min()), float(column.max()), totals, label)
            values = column[inside] if len(inside) else np.zeros(1)
            collected.append(Statistic("mean", label, feature, -1, float(values.mean()), mean))
            collected.append(
                Statistic(
                    "spread", label, feature, -1, max(float(values.std()), LEAST_SPREAD), spread
                )
            )
    return collected


def _kinds(
    low: float, high: float, totals: np.ndarray, label: int
) -> tuple[StatisticRange, StatisticRange]:
    """What is known of a feature's mean and spread in a class; sensitivities rounded up."""
    means = np.ceil((high - low) / totals)
    spreads = np.ceil((high - low) / np.sqrt(totals))
    size = int(totals.sum())
    largest = max((high - low) * math.sqrt((size // 2) * (size - size // 2)) / size, LEAST_SPREAD)
    mean = StatisticRange(float(means[label]), low, high, float((high - low) / means.min()))
    spread = StatisticRange(float(spreads[label]), 0.0, largest, float(largest / spreads.min()))
    return mean, spread


class Fitted:
    """A split: its statistics, and how often each different row occurs in each class and part."""

    def __init__(self, columns: Columns, train: np.ndarray, test: np.ndarray) -> None:
        self.columns, self.sizes = columns, np.array([[len(train)], [len(test)]])
        self.statistics = statistics(columns.dataset, train)
        least = {"mean": -math.inf, "spread": LEAST_SPREAD}
        self._least = np.array([[least.get(s.role, LEAST_COUNT)] for s in self.statistics])
        labels, classes = columns.dataset.labels, _classes(columns.dataset)
        #: class x part x row
        self._counts = np.array(
            [
                [
                    np.bincount(columns.row[part[labels[part] == label]], minlength=columns.rows)
                    for part in (train, test)
                ]
                for label in classes
            ],
            dtype=np.float32,
        )
        self._places = [self._of(label) for label in classes]

    def _of(self, label: int) -> dict[str, np.ndarray]:
        """Where the statistics of a class are, role by role."""
        indexed = [(k, s) for k, s in enumerate(self.statistics) if s.label == label]
        return {
            role: np.array([k for k, s in indexed if s.role == role], dtype=np.int64)
            for role in ("class", "count", "mean", "spread")
        } | {
            "at": np.array(
                [self.columns.starts[s.feature] + s.level for _, s in indexed if s.role == "count"],
                dtype=np.int64,
            )
        }

    def errors(self, method: str, uniforms: Floats) -> tuple[Floats, Floats]:
        """(in-sample, out-of-sample) error of every draw: `uniforms` is statistics x draws."""
        noisy = noisy_all(
            method, [s.value for s in self.statistics], [s.kind for s in self.statistics], uniforms
        )
        if method != "none":
            noisy = np.maximum(noisy, self._least)
        together = max(16, _BLOCK // (self.columns.rows + int(self.columns.starts[-1])))
        right = [
            self._right(noisy[:, at : at + together]) for at in range(0, noisy.shape[1], together)
        ]
        inside, outside = 1 - np.concatenate(right, axis=1) / self.sizes
        return inside, outside

    def _right(self, noisy: Floats) -> Floats:
        """How many rows get their own label."""
        tables = [self._table(places, noisy) for places in self._places]
        return self._of_two(*tables) if len(tables) == 2 else self._of_many(tables)

    def _table(self, places: dict[str, np.ndarray], noisy: Floats) -> Floats:
        """Log likelihood of every column in every draw, and of the class itself last."""
        columns = self.columns
        table = np.full((int(columns.starts[-1]) + 1, noisy.shape[1]), -np.inf)
        with np.errstate(divide="ignore"):
            table[-1:] = np.log(noisy[places["class"]])
            table[places["at"]] = np.log(noisy[places["count"]] / noisy[places["class"]])
        for k, values in enumerate(columns.values):
            mean, spread = noisy[places["mean"][k]], noisy[places["spread"][k]]
            start = columns.starts[len(columns.dataset.levels) + k]
            density = table[start : start + len(values)]
            np.subtract(values[:, None], mean, out=density)
            density *= math.sqrt(0.5) / spread
            density *= density
            np.subtract(-np.log(spread) - _LOG_ROOT, density, out=density)
            np.copyto(density, -np.inf, where=density < _UNDERFLOW)
        return table

    def _of_many(self, tables: list[Floats]) -> Floats:
        """The largest wins; ties, and rows no class can explain, go to the first."""
        best = self.columns.scores(tables[0].astype(np.float32))
        guess = np.zeros(best.shape, dtype=np.int8)
        for k, table in enumerate(tables[1:], 1):
            likelihood = self.columns.scores(table.astype(np.float32))
            np.copyto(guess, k, where=likelihood > best, casting="unsafe")
            np.maximum(best, likelihood, out=best)
        return np.asarray(
            sum(count @ (guess == k).astype(np.float32) for k, count in enumerate(self._counts))
        )

    def _of_two(self, first: Floats, second: Floats) -> Floats:
        """The same from the difference of two tables.

        What the second class cannot explain outweighs what the first cannot, as for a tie.
        """
        with np.errstate(invalid="ignore"):
            difference = (second - first).astype(np.float32)
        np.copyto(difference, _NEVER, where=first == -np.inf)
        np.copyto(difference, -_NEVER * _NEVER, where=second == -np.inf)
        second_wins = self.columns.scores(difference) > 0
        of_first, of_second = self._counts
        gain = (of_second - of_first) @ second_wins.astype(np.float32)
        return np.asarray(of_first.sum(axis=1, keepdims=True) + gain)


def _classes(dataset: Dataset) -> list[int]:
    """In the order in which the published code numbers them; ties go to the first."""
    known = dict.fromkeys(range(len(dataset.classes)))
    seen = dict.fromkeys(dataset.labels.tolist())
    return list(known if dataset.name in _BY_NUMBER else seen | known)


def split(rows: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """(train, test): a random fifth of the rows is for testing."""
    order = np.random.default_rng([1, number]).permutation(rows)
    cut = rows // 5
    return np.sort(order[cut:]), np.sort(order[:cut])
