"""A design for many questions beside what one would do without: noise on counts, or on answers."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from ..baselines import AnalyticGaussian
from ..errors import RegimeError
from ..formatting import outwards
from ..problem.workload_parts import Part

if TYPE_CHECKING:
    from ..certify.kinds.workload import WorkloadDocument
    from .workload import WorkloadDesign

#: Numbers of a matrix that are looked at, at most.
_MOST = 4_000_000


@dataclass(frozen=True)
class WorkloadRow:
    """One way to answer all questions: what it costs, in floats, and in parts of the least."""

    name: str
    label: str
    loss: float
    excess: float  # (loss - lower) / lower

    def to_json(self) -> dict[str, Any]:
        """Plain values; infinities become None, which JSON can say."""
        excess = self.excess if math.isfinite(self.excess) else None
        return {"name": self.name, "label": self.label, "loss": self.loss, "excess": excess}


@dataclass(frozen=True)
class WorkloadComparison:
    """Ways to answer the same questions at the same budget, the least loss first."""

    design: WorkloadDesign
    rows: tuple[WorkloadRow, ...]

    def __iter__(self) -> Iterator[WorkloadRow]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> WorkloadRow:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """What was asked, the bracket, and all rows."""
        return self.design.plain() | {"rows": [row.to_json() for row in self.rows]}

    def __repr__(self) -> str:
        d = self.design
        what = "largest variance" if d.document.largest else "total squared error"
        lines = [
            f"{d.workload!r}, {d.budget_words}, {d.neighbors}: {what}; "
            f"no noise is below {outwards(d.lower, 7, False)}"
        ]
        lines += [f"  {row.label:<44}{row.loss:>14.7g}" for row in self.rows]
        return "\n".join(lines)


def beside_workload(design: WorkloadDesign) -> WorkloadComparison:
    """The design, noise on each count, and noise on each answer, where they are known.

    Each has the better of Laplace and Gaussian noise at the budget: closed forms in floats.
    """
    document = design.document
    found = [("design", "this design", design.upper)]
    parts = [_Plain(one, document.replaced) for one in document.factors]
    if all(one.known for one in parts):
        moved = 2 if document.replaced else 1
        counts = math.prod(one.counts(document.largest) for one in parts)
        weight = math.prod(one.weight(document.largest) for one in parts)
        far, long = (math.prod(one.longest(p) for one in parts) for p in (1, 2))
        whole = all(one.part.denominator == 1 for one in parts)
        on_counts = counts * _variance(document, moved, math.sqrt(moved), True)
        on_answers = weight * _variance(document, far, long, whole)
        found.append(("counts", "noise on each count, then summed", on_counts))
        found.append(("answers", "noise on each answer", on_answers))
    rows = [
        WorkloadRow(
            name, label, loss, (loss - design.lower) / design.lower if design.lower else math.inf
        )
        for name, label, loss in sorted(found, key=lambda one: (one[2], one[0] != "design"))
    ]
    return WorkloadComparison(design, tuple(rows))


def _variance(document: WorkloadDocument, far: float, long: float, whole: bool) -> float:
    """The least variance of Laplace or Gaussian noise for shifts of these l1 and l2 lengths."""
    name, value = document.budget
    epsilon, gaussian = float(value), math.inf
    if document.asked is not None:
        epsilon, delta = (float(one) for one in document.asked)
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

    def __init__(self, part: Part, replaced: bool) -> None:
        self.part, self.replaced = part, replaced
        pairs = part.cells if replaced else 1
        self.known = part.queries * part.cells * pairs <= _MOST

    def _matrix(self) -> tuple[Any, Any]:
        rows = np.array([[float(x) for x in row] for row in self.part.rows()])
        weights = np.array([float(one) for one in self.part.weights()])
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
