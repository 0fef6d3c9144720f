"""`WorkloadDesign`: noise for many linear questions about one vector of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..certify.kinds.workload import WorkloadDocument
from ..errors import ArgumentError
from ..formatting import float_towards, number, percent
from ..losses import Loss
from ..noise.workload import WorkloadNoise
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..problem.privacy import Point
from ..problem.workload import Workload
from ..sampling import Entropy
from .base import BaseDesign
from .workload_comparison import WorkloadComparison, beside_workload


@dataclass(frozen=True, repr=False)
class WorkloadDesign(BaseDesign):
    """Noise for many linear queries, the proof of its privacy, and its proven bracket.

    Guarantee: one `release` of all answers is mu-GDP (`gdp`) or rho-zCDP (`zcdp`) for vectors that
    are `neighbors`; the total of the weighted squared errors (or, with loss "largest", the largest
    weighted variance) is at most `upper`, whatever the counts; and nothing as private has less than
    `lower`: no noise that is added to the answers, and no mechanism at all in the worst case over
    data (at small counts answers that depend on the data may be better). All three are checked in
    exact arithmetic before a design exists.

    Example: cumulative counts of eight groups of age.

        >>> best = design(workload=Workload.prefix(8), gdp=1)
        >>> round(best.upper, 3)
        17.866
        >>> float(round(best.std.max(), 3))
        1.635
    """

    document: WorkloadDocument
    loss: Loss = field(compare=False)

    @property
    def workload(self) -> Workload:
        """The questions."""
        return self.document.workload

    @property
    def neighbors(self) -> str:
        """Who is hidden: a unit more or less ("add-remove"), or one of another kind ("replace")."""
        return self.document.neighbors

    # -- the budget ---------------------------------------------------------------------------

    @property
    def exact_budget(self) -> Point | None:
        """(epsilon, delta), if that is the budget."""
        return self.document.asked

    @property
    def per_release(self) -> tuple[tuple[float, float], ...]:
        """The (epsilon, delta) of a release; none if the budget is a curve."""
        return () if self.total is None else (self.total,)

    @property
    def gdp(self) -> float | None:
        """mu, if the noise is Gaussian and keeps mu-GDP."""
        name, value = self.document.budget
        return float(value) if name == "gdp" else None

    def zcdp(self) -> float:
        """rho of zero-concentrated privacy: as asked for, or mu^2/2 or epsilon^2/2, rounded up.

        Infinite where the noise has a delta.
        """
        name, value = self.document.budget
        if self.document.law is not None and self.document.law.delta > 0:
            return math.inf
        return float_towards(value if name == "zcdp" else value * value / 2, math.inf)

    # -- using it -----------------------------------------------------------------------------

    @cached_property
    def noise(self) -> WorkloadNoise:
        """Draws and errors."""
        return WorkloadNoise(self.document)

    def release(
        self, x: Any, *, exact: bool = False, whole: bool = False, entropy: Entropy | None = None
    ) -> Any:
        """Private answers to all questions, in their order: publish them, once.

        x: the vector of whole counts, `workload.cells` of them. For marginals it may also be rows
            of records, one whole code from 0 on for each attribute.
        exact: Fractions instead of floats. whole: answers rounded to whole numbers, and not below
            0: post-processing that costs no privacy; sums of them may no longer fit together.
        """
        found = self.noise.release(x, exact=exact or whole, entropy=entropy)
        if not whole:
            return found
        answers = [max(0, round(one)) for one in found]
        return answers if exact else np.array(answers, dtype=float)

    @property
    def std(self) -> Floats:
        """The standard deviation of the error of each answer; errors have mean 0."""
        return self.noise.std

    def std_of(self, coefficients: Sequence[float]) -> float:
        """That of a sum of the answers, each times its coefficient."""
        if len(coefficients) != self.workload.queries:
            words = f"{len(coefficients)} numbers"
            raise ArgumentError(
                "coefficients", words, f"{self.workload.queries}: one for each answer"
            )
        return self.noise.std_of(coefficients)

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> Floats:
        """How far each answer may be off with this probability: error bars.

        all_at_once: such that all of them hold together (by the union bound). For Gaussian noise
        the quantiles are those of the normal law, in whose place it is in tiny steps; for Laplace
        noise they are on the safe side (and exact where an answer is one measurement).
        """
        level = check_confidence(confidence)
        return self.noise.bars((1 - level) / (self.workload.queries if all_at_once else 1))

    def compare(self) -> WorkloadComparison:
        """What Laplace or Gaussian noise, the better, on each count or each answer would cost."""
        return beside_workload(self)

    # -- showing ------------------------------------------------------------------------------

    def plot(self, path: str | Path | None = None, answers: Any = None) -> Any:
        """A picture (extra `plot`): the error bars of all questions, around `answers` if given."""
        from ..show.workload import plot_workload

        return plot_workload(self, path, answers)

    def _repr_html_(self) -> str:
        from ..show.html import html_workload

        return html_workload(self)

    def plain(self) -> dict[str, Any]:
        """What was asked and what was found, in plain values."""
        return {
            **self._budget,
            "workload": repr(self.workload),
            "cells": self.workload.cells,
            "queries": self.workload.queries,
            "neighbors": self.neighbors,
            "loss": self.loss_name,
            "lower": self.lower,
            "upper": self.upper,
            "certified": self.certified,
            "converged": self.converged,
        }

    def _question_words(self) -> list[str]:
        budget = [f"{name}={number(value)}" for name, value in self._budget.items()]
        return [repr(self.workload), *budget, self.neighbors]

    @property
    def _budget(self) -> dict[str, float]:
        """The budget that was asked for, by its arguments."""
        if self.total is not None:
            return {"epsilon": self.total[0], "delta": self.total[1]}
        name, value = self.document.budget
        return {name: float(value)}

    @property
    def budget_words(self) -> str:
        """The budget in a few words."""
        return ", ".join(f"{name} = {number(value)}" for name, value in self._budget.items())

    def __repr__(self) -> str:
        words = [*self._question_words(), f"loss={self.loss_name}"]
        return (
            f"WorkloadDesign({', '.join(words)}): {self._bracket_words()}, gap {percent(self.gap)}"
        )
