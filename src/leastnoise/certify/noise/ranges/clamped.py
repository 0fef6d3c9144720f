"""Answers by additive noise, moved to the nearer end of a range where they leave it.

Statements and proofs: `answers.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from ....losses import Loss
from ....problem import Problem
from ...codec import Count
from ...fields import demand
from ..line.cells import NumberNoise
from .answers import FALLS, NO_ROWS, NOT_CONVEX, Ends, RangeAnswers
from .rows import COLUMNS, Columns, NodeColumns


@dataclass(frozen=True, kw_only=True)
class ClampedAnswers(RangeAnswers):
    """One additive noise for every value of the range, or of `beyond`.

    Denominator and columns are keys of the file that say nothing here.
    """

    revealed = 0

    step: Fraction
    denominator: Count = 1
    columns: Annotated[Columns, COLUMNS] = NodeColumns(0)  # noqa: RUF009 (frozen)
    rows: ClassVar[Annotated[tuple[int, ...], NO_ROWS]] = ()
    added: NumberNoise
    beyond: Ends | None = None

    def check(self) -> None:
        """`FormatError` unless there are as many columns as weights in rows, none."""
        super().check()
        self.columns.check(0)

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless the noise serves the problem, and nothing else is demanded."""
        super().check_problem(problem)
        demand(problem.crossing is None, '"additive" does not go with "crossing"')
        demand(problem.max_error is None, '"additive" does not go with "max_error"')
        self.added.check_problem(problem)

    def ends(self, problem: Problem) -> Ends:
        """The least and the largest value that may be released."""
        return self.beyond or super().ends(problem)

    def total(self, problem: Problem) -> Fraction:
        """That of the noise."""
        return self.added.total(problem)

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """That of the noise: moving is post-processing."""
        return self.added.worst_divergence(problem, epsilon)

    def expected_loss(self, problem: Problem) -> Fraction | str:
        """At least that of the noise, for every value: answers are moved towards it."""
        return self._moved_loss(problem, problem.loss)

    def worst_value_loss(self, problem: Problem) -> Fraction | str:
        """The same, for a convex loss."""
        loss = problem.instance_loss
        return self._moved_loss(problem, loss) if loss.convex else NOT_CONVEX

    def _moved_loss(self, problem: Problem, loss: Loss) -> Fraction | str:
        return self.added.release_loss(problem, loss) if loss.falls_nowhere else FALLS

    def disorder(self, problem: Problem) -> Fraction:
        """None: one noise, moved with the value."""
        return Fraction(0)
