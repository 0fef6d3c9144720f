"""Noise for all sums of a vector of counts. Proof: `../queries/linear.proof.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from ...cache import sha256_of, workload_designed
from ...design import Design
from ...noise.workload import WorkloadNoise
from ...numeric import Floats
from ...problem.workload import Workload
from ...sampling import Entropy
from ..queries.base import Query, Setting
from ..queries.numbers import Part, Released, ReleaseForm
from .noise import delta_of_a_step
from .release import GroupedRelease


def sums_release(workload: Workload, epsilon: Fraction, delta: Fraction, steps: int) -> SumsRelease:
    """Noise for sums of counts that one unit moves by so many steps of 1 together."""
    share = delta_of_a_step(epsilon / steps, delta / steps, steps)
    design, path = workload_designed(workload, epsilon / steps, share)
    rows = "the one row" if steps == 1 else f"each of {steps} rows"
    words = (
        f"noise for {design.noise.workload.queries} sums together, for {rows} that a unit can have "
        f"in them: {design.noise.words}"
    )
    return SumsRelease(design, path, words, steps)


@dataclass(frozen=True)
class SumsRelease(GroupedRelease):
    """A design for all sums of a query."""

    design: Design[WorkloadNoise]
    path: Path
    words: str
    steps: int  # by which one unit can move all counts together
    scale: ClassVar[Fraction] = Fraction(1)

    @property
    def noises(self) -> tuple[SumsRelease]:
        """One, which has a file."""
        return (self,)

    @property
    def one_draw(self) -> bool:
        """All groups come from one."""
        return True

    def releases(self, groups: int, setting: Setting) -> tuple[int, int]:
        """A unit moves one release, whatever its cells are."""
        return 1, 1

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    @property
    def form(self) -> ReleaseForm:
        """The counts as they are: all steps of a unit are steps of the one release."""
        counts = Part("counts of all cells", Fraction(self.steps), whole=True, step=Fraction(1))
        return ReleaseForm((counts,), self.steps, most=self.steps)

    @cached_property
    def _errors(self) -> list[Fraction]:
        return [Fraction(float(error)) for error in self.design.error_bound(0.95)]

    def relative_error(self, query: Query, setting: Setting, rows: int) -> float:
        """The largest part that an error is of the rows in its answer.

        A count by the most attributes has so many rows, a sum of such counts as many times more.
        """
        return float(max(self._per_cell)) / rows

    @cached_property
    def _per_cell(self) -> list[Fraction]:
        """Each error divided by the cells that its answer adds up, in parts of the fewest."""
        part = self.design.noise.workload.part
        cells = part.answers([1] * part.cells)
        return [
            error * min(cells) / count for error, count in zip(self._errors, cells, strict=True)
        ]

    def combined_error(self, coefficients: Floats, confidence: float) -> Fraction | None:
        """By what the answers are made of."""
        rows = np.array([coefficients], dtype=float)
        (bar,) = self.design.noise.combined_bars(rows, 1 - confidence)
        return Fraction(float(bar))

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """A number as if it had been released, for planning: the one with the largest error."""
        return [Released(value, max(self._errors)) for value in values]

    def release_rows(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy
    ) -> list[list[Released]]:
        """One release of all counts, as the answers that follow from it."""
        values = self.design.release([int(row[0]) for row in rows], exact=True, entropy=entropy)
        return [[Released(*pair)] for pair in zip(values, self._errors, strict=True)]
