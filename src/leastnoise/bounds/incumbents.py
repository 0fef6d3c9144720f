"""Closed forms as incumbents: exactly checked mechanisms before any program is solved.

They make sure that the answer is never much worse than the best known mechanism, whatever the
solver does. Seeing one through a lattice is post-processing: `upper.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

from ..certify.document import MAX_CELLS, MAX_WORK
from ..mechanisms import Mechanism, Staircase
from ..spec import Problem
from .upper import (
    Proposal,
    Upper,
    discretise,
    end_of,
    exact_upper,
    rivals,
    strictly_feasible,
)

#: How many of the best closed forms are tried.
_TRIED = 2


class Incumbents:
    """The closed forms that serve a problem, ranked by loss."""

    def __init__(self, problem: Problem, resolution: int | None) -> None:
        self.problem = problem
        self.resolution = resolution
        found = rivals(problem, problem.delta)
        losses = [(m.expected_loss(problem.loss), k) for k, m in enumerate(found)]
        self._ranked = [found[k] for _, k in sorted(losses)]
        self.best, self.loss = self._ranked[0], min(losses)[0]
        self._safe: dict[int, Proposal | None] = {}

    @cached_property
    def radius(self) -> float:
        """Where the best closed form ends, or nearly ends, in sensitivities."""
        return end_of(self.problem, self.best)

    @cached_property
    def gamma(self) -> float:
        """Where, in sensitivities, the first step of the best staircase lies."""
        problem = self.problem
        tuned = Staircase(
            epsilon=problem.epsilon or 1, sensitivity=problem.sensitivity, loss=problem.loss
        )
        return float(tuned.gamma)

    def safe(self, n: int) -> Proposal | None:
        """A strictly feasible proposal at resolution n, to repair others with."""
        if n not in self._safe:
            self._safe[n] = strictly_feasible(self.problem, n)
        return self._safe[n]

    def mechanisms(self, n: int) -> Iterator[Upper]:
        """The best closed forms at (about) resolution n, those that pass the exact check."""
        problem, any_found = self.problem, False
        for mechanism in self._ranked[:_TRIED] if problem.delta > 0 else []:
            fitted, own = self._fitted(mechanism, n)
            radius = math.ceil(end_of(problem, fitted) * own) + 1
            if (2 * radius + 1) * own <= MAX_WORK and radius < MAX_CELLS // 2:
                proposal = discretise(problem, fitted, own, radius)
                found = exact_upper(problem, proposal, self.safe(own))
                if found is not None:
                    any_found = True
                    yield found
        if not any_found:
            yield from self._tailed(n)

    def _fitted(self, mechanism: Mechanism, n: int) -> tuple[Mechanism, int]:
        """A staircase moved so that its steps are edges of cells, and the resolution for it."""
        problem = self.problem
        if problem.integer or not isinstance(mechanism, Staircase):
            return mechanism, n
        gamma = float(mechanism.gamma)
        if self.resolution is None:
            # A step at gamma + d costs a share of about d^2 more; at small epsilon, where
            # gamma is near 1/2, one cell a sensitivity is as good as many.
            most = math.isqrt(int(MAX_WORK / (2.5 * end_of(problem, mechanism) + 1)))
            several = range(min(math.ceil(2 / gamma), most), min(math.ceil(8 / gamma), most) + 2)
            choice = [1] if float(problem.epsilon) < 0.05 else several
            n = min(choice, key=lambda k: abs(_half_cell(k * gamma) / k - gamma))
        fitted = type(mechanism)(
            epsilon=problem.epsilon, delta=problem.delta, sensitivity=problem.sensitivity,
            gamma=_half_cell(n * gamma) / n,
        )
        return fitted, n

    def _tailed(self, n: int) -> Iterator[Upper]:
        """Closed forms with geometric tails, which need no delta."""
        problem = self.problem
        wanted = "discrete-laplace" if problem.integer else "staircase"
        for mechanism in rivals(problem, Fraction(0)):
            if mechanism.name != wanted:
                continue
            fitted, own = self._fitted(mechanism, n)
            for periods in (2, 8, 64, 512, 4096):
                radius = periods * own
                if radius >= MAX_CELLS // 2:
                    break
                weights = discretise(problem, fitted, own, radius).weights
                proposal = Proposal(own, weights, tail=True, origin=mechanism.name)
                found = exact_upper(problem, proposal, None)
                if found is not None:
                    yield found
                    if problem.loss.tail_is_sharp:
                        break


def _half_cell(position: float) -> float:
    """The nearest edge of a centred cell: 1/2, 3/2, ..."""
    return max(0, round(position - 0.5)) + 0.5
