"""A design for many questions beside what one would do without: noise on counts, or on answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ask.queries_of import Part
from ..certify.plain import AnswersStrategy
from ..certify.workload import variance_above
from ..words import outwards

if TYPE_CHECKING:
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
            f"{d.workload!r}, {d.budget_words}, {d.neighbours}: {what}; "
            f"nothing is below {outwards(d.lower, 7, False)}"
        ]
        lines += [f"  {row.label:<44}{row.loss:>14.7g}" for row in self.rows]
        return "\n".join(lines)


def beside_workload(design: WorkloadDesign) -> WorkloadComparison:
    """The design, noise of the same kind on each count, and on each answer, where it is known.

    The last two are closed forms in floats.
    """
    document = design.document
    found = [("design", "this design", design.upper)]
    square = document.budget[0] != "epsilon"
    parts = [_Plain(one, square, document.replaced) for one in document.factors]
    if all(one.known for one in parts):
        size = float(variance_above(document))
        plain = document.law is not None or AnswersStrategy() in document.strategies
        if plain:  # Laplace noise for a count that moves by one is what one would take
            size = 0.5 / math.sinh(float(document.budget[1]) / 2) ** 2
        moved = 2 if document.replaced else 1
        moved = moved if square else moved**2
        counts = math.prod(one.counts(document.largest) for one in parts)
        answers = math.prod(one.answers(document.largest) for one in parts)
        found.append(("counts", "noise on each count, then added up", size * moved * counts))
        found.append(("answers", "noise on each answer", size * answers))
    rows = [
        WorkloadRow(
            name, label, loss, (loss - design.lower) / design.lower if design.lower else math.inf
        )
        for name, label, loss in sorted(found, key=lambda one: (one[2], one[0] != "design"))
    ]
    return WorkloadComparison(design, tuple(rows))


class _Plain:
    """What one factor costs without a strategy, for noise of variance 1."""

    def __init__(self, part: Part, square: bool, replaced: bool) -> None:
        self.part, self.square, self.replaced = part, square, replaced
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

    def answers(self, largest: bool) -> float:
        """The longest shift of the answers, squared, times the weights."""
        rows, weights = self._matrix()
        if self.replaced:
            first, second = np.triu_indices(self.part.cells, 1)
            rows = rows[:, first] - rows[:, second]
        long = (rows**2).sum(axis=0).max() if self.square else np.abs(rows).sum(axis=0).max() ** 2
        return float(long * (weights.max() if largest else weights.sum()))
