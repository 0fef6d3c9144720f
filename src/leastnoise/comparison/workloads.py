"""Baselines of noise for many queries: noise on each count, or on each answer."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np

from ..baselines import AnalyticGaussian
from ..certify.kinds.workload import WorkloadDocument
from ..designs.design import Design
from ..errors import RegimeError
from ..noise.workload import WorkloadNoise
from ..problem.workload_parts import WorkloadPart
from .table import ComparisonRow, Refused

#: Numbers of a matrix that are looked at, at most.
_MOST = 4_000_000


def rows(
    design: Design[WorkloadNoise], time_limit: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design, noise on each count, and noise on each answer, where they are known.

    Each has the better of Laplace and Gaussian noise at the budget: closed forms in floats.
    """
    document = design.noise.document
    yield ComparisonRow("design", "this design", design.upper)
    parts = [_Plain(part, document.replaced) for part in document.factors]
    if not all(part.known for part in parts):
        refused.append(("counts", "the workload is too large for this baseline"))
        return
    moved = 2 if document.replaced else 1
    counts = math.prod(part.counts(document.largest) for part in parts)
    weight = math.prod(part.weight(document.largest) for part in parts)
    far, long = (math.prod(part.longest(power) for part in parts) for power in (1, 2))
    whole = all(part.part.denominator == 1 for part in parts)
    on_counts = counts * _variance(document, moved, math.sqrt(moved), True)
    yield ComparisonRow("counts", "noise on each count, then summed", on_counts)
    on_answers = weight * _variance(document, far, long, whole)
    yield ComparisonRow("answers", "noise on each answer", on_answers)


def _variance(document: WorkloadDocument, far: float, long: float, whole: bool) -> float:
    """The least variance of Laplace or Gaussian noise for shifts of these l1 and l2 lengths."""
    name, value = document.budget
    epsilon, gaussian = float(value), math.inf
    if document.asked is not None:
        epsilon, delta = (float(part) for part in document.asked)
        with contextlib.suppress(RegimeError):
            gaussian = AnalyticGaussian(epsilon=epsilon, delta=delta).variance
    elif name == "gdp":
        # Pure epsilon-DP with this epsilon is mu-GDP: its trade-off has the chords of that curve.
        normal = NormalDist().cdf(-epsilon / 2)
        epsilon, gaussian = math.log1p(-normal) - math.log(normal), 1 / epsilon**2
    elif name == "zcdp":
        epsilon, gaussian = math.sqrt(2 * epsilon), 1 / (2 * epsilon)
    rate = epsilon / far if far else math.inf
    # (A larger rate would be too large for a float; the variance is then nearly 0.)
    laplace = 0.5 / math.sinh(min(rate, 600) / 2) ** 2 if whole else 2 / rate**2
    return min(laplace, gaussian * long**2)


class _Plain:
    """What one factor costs without a strategy, for noise of variance 1."""

    def __init__(self, part: WorkloadPart, replaced: bool) -> None:
        self.part, self.replaced = part, replaced
        pairs = part.cells if replaced else 1
        self.known = part.queries * part.cells * pairs <= _MOST

    def _matrix(self) -> tuple[Any, Any]:
        rows = np.array([[float(x) for x in row] for row in self.part.rows()])
        weights = np.array([float(weight) for weight in self.part.weights()])
        return rows / self.part.denominator, weights

    def counts(self, largest: bool) -> float:
        """weight times the squared length of a question: the sum, or the largest."""
        rows, weights = self._matrix()
        each = weights * (rows**2).sum(axis=1)
        return float(each.max() if largest else each.sum())

    def weight(self, largest: bool) -> float:
        """The sum of the weights, or the largest."""
        weights = self._matrix()[1]
        return float(weights.max() if largest else weights.sum())

    def longest(self, power: int) -> float:
        """The longest shift of the answers, in the norm of this power."""
        rows, _ = self._matrix()
        if self.replaced:
            first, second = np.triu_indices(self.part.cells, 1)
            rows = rows[:, first] - rows[:, second]
        return float((np.abs(rows) ** power).sum(axis=0).max(initial=0) ** (1 / power))
