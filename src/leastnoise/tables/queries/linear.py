"""Questions whose answers are all sums of one vector of counts, from one release.

Sensitivity and proof: `linear.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ...cache import sha256_of, workload_designed
from ...errors import ArgumentError
from ...problem.workload import Workload
from ...problem.workload_arguments import MIN_EPSILON
from ...sampling import Entropy
from ..planning.noise import delta_of_a_step
from ..planning.tracks import Track
from ..sources.bounding import Sums
from .base import Estimate, Form, Part, Query, Released, Setting, clamped

#: Answers of one question, at most.
MOST_ANSWERS = 100_000


class Linear(Query):
    """Linear questions about the counts of rows by public keys, answered together.

    The keys are those of the counts, one for each cell of the vector that is read; `labels` are
    those of the answers.
    """

    def workload(self) -> Workload:
        """What is asked of the vector of counts."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """What each answer is called, in the order of the workload."""
        raise NotImplementedError

    def labels(self, keys: Sequence[str]) -> list[str]:
        """The names of the answers: they are not those of the counts."""
        return self.names()

    def parts(self, setting: Setting) -> list[Part]:
        """One count."""
        return [Part("rows", Fraction(setting.rows), whole=True)]

    def exact(self, sums: Sums, setting: Setting) -> list[Fraction]:
        """The number of rows."""
        return [Fraction(sums.rows)]

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """An answer as a whole number, not below 0."""
        (rows,) = released
        return clamped(Fraction(round(rows.value)), rows.ends, Fraction(0), None)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """So many rows in an answer, and an error as a part of them."""
        return [Fraction(rows)], Fraction(max(1, rows))

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """None: sums are not drawn with the numbers of other questions."""
        return ()

    def why(self, setting: Setting) -> str:
        """Why a unit moves few counts by little, and all answers with them."""
        return (
            f"A unit adds between 0 and {setting.rows} to each count that its rows are in, and "
            "every row is in one of them at most. The answers follow from the counts."
        )

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> WorkloadNoiseFor:
        """Noise for all answers; a unit moves `groups` counts by at most its rows each.

        The least total of squared errors, whatever the loss is.
        """
        steps = groups * setting.rows
        if epsilon < steps * MIN_EPSILON:
            words = f"at least {float(steps * MIN_EPSILON):g} for {steps} rows of a unit in {self}"
            raise ArgumentError("epsilon", float(epsilon), words)
        share = delta_of_a_step(epsilon / steps, delta / steps, steps)
        found, path = workload_designed(self.workload(), epsilon / steps, share)
        rows = "the one row" if steps == 1 else f"each of {steps} rows"
        words = (
            f"noise for {found.workload.queries} sums together, for {rows} that a unit can have "
            f"in them: {found.status.partition(';')[2].partition(',')[0].strip()}"
        )
        return WorkloadNoiseFor(found, path, words, steps)


@dataclass(frozen=True)
class WorkloadNoiseFor:
    """A design for all sums of a question."""

    design: Any
    path: Path
    words: str
    steps: int  # by which one unit can move all counts together
    scale: ClassVar[Fraction] = Fraction(1)

    @property
    def laws(self) -> list[WorkloadNoiseFor]:
        """One, which has a file."""
        return [self]

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    @property
    def form(self) -> Form:
        """The counts as they are: all steps of a unit are steps of the one release."""
        return Form(self.parts, self.steps, most=self.steps)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The vector of counts."""
        return (Part("counts of all cells", Fraction(self.steps), whole=True, step=Fraction(1)),)

    @cached_property
    def _errors(self) -> list[Fraction]:
        return [Fraction(float(one)) for one in self.design.error_bound(0.95)]

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """A number as if it had been released, for planning: the one with the largest error."""
        return [Released(value, max(self._errors)) for value in values]

    def released(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy | None
    ) -> list[list[Released]]:
        """One release of all counts, as the answers that follow from it."""
        found = self.design.release([int(row[0]) for row in rows], exact=True, entropy=entropy)
        return [[Released(value, error)] for value, error in zip(found, self._errors, strict=True)]
