"""Queries whose answers are all sums of one vector of counts, from one release.

Sensitivity and proof: `linear.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from ...errors import ArgumentError
from ...formatting import several
from ...noise.plain import counts_of
from ...numeric import Floats
from ...problem.workload import Workload
from ...problem.workload_arguments import MIN_EPSILON
from ..planning.sums import SumsRelease, sums_release
from ..planning.tracks import Track
from .base import Setting
from .counts import Counted
from .groups import groups_moved

#: Answers of one question, at most.
MOST_ANSWERS = 100_000


class Linear(Counted):
    """Linear queries about the counts of rows by public keys, answered together.

    The keys are those of the counts, one for each cell of the vector that is read; `labels` are
    those of the answers.
    """

    mechanism: ClassVar[str] = "sums"

    def workload(self) -> Workload:
        """What is asked of the vector of counts."""
        raise NotImplementedError

    def counted_by(self, coefficients: Floats) -> Floats:
        """The answers overlap: each is a sum of cells."""
        for factor in self.workload().part.split():
            coefficients = counts_of(factor).lifted(coefficients.reshape(factor.queries, -1)).T
        return coefficients.ravel()

    def names(self) -> list[str]:
        """What each answer is called, in the order of the workload."""
        raise NotImplementedError

    def labels(self, keys: Sequence[str]) -> list[str]:
        """The names of the answers: they are not those of the counts."""
        return self.names()

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """None: sums are not drawn with the numbers of other questions."""
        return ()

    def moves(self, setting: Setting) -> int:
        """Its rows in every cell that it moves."""
        return groups_moved(self, setting) * setting.rows

    def why(self, setting: Setting) -> str:
        """Why a unit moves few counts by little, and all answers with them."""
        return (
            f"A unit adds between 0 and {setting.rows} to each count that its rows are in, and "
            "every row is in one of them at most. The answers follow from the counts."
        )

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> SumsRelease:
        """Noise for all answers; a unit moves `groups` counts by at most its rows each.

        The least total of squared errors, whatever the loss is.
        """
        steps = groups * setting.rows
        if epsilon < steps * MIN_EPSILON:
            rows = several(steps, "row")
            words = f"at least {float(steps * MIN_EPSILON):g} for {rows} of a unit in {self}"
            raise ArgumentError("epsilon", float(epsilon), words)
        return sums_release(self.workload(), epsilon, delta, steps)
