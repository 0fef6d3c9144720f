"""Cumulative: how many rows are below each edge of a column, all of them from one release.

Sensitivity and proof: `cumulative.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..ask.workload import Workload
from ..kept import sha256_of, workload_designed
from ..sampling import Entropy
from .base import Form, Part, Released, Setting
from .histogram import Histogram
from .noise import delta_of_a_step
from .tracks import Track


@dataclass(frozen=True)
class Cumulative(Histogram):
    """How many rows have a value below each edge of a column; the edges are public.

    bins, low, high: as for a histogram, whose counts are added up from the first bin on. Values
    beyond the ends are in the first or last bin, so the last number is that of all rows with a
    number. The noise is designed for all sums together, and far smaller than that of the counts
    where there are many.
    """

    word: ClassVar[str] = "cumulative"

    def workload(self) -> Workload:
        """The sums of the first 1, 2, ... bins, for each combination of keys."""
        bins = len(self._edges) - 1
        outer = len(self.public_keys) // bins
        sums = Workload.prefix(bins)
        return sums if outer == 1 else Workload.product(Workload.identity(outer), sums)

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> WorkloadNoiseFor:
        """Noise for all sums; a unit moves `groups` counts by at most its rows each.

        The least total of squared errors, whatever the loss is.
        """
        steps = groups * setting.rows
        share = delta_of_a_step(epsilon / steps, delta / steps, steps)
        found, path = workload_designed(self.workload(), epsilon / steps, share)
        words = (
            f"noise for {found.workload.queries} sums together, for each of {steps} rows that a "
            f"unit can have in them: {found.status.partition(';')[2].partition(',')[0].strip()}"
        )
        return WorkloadNoiseFor(found, path, words, steps)

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """None: sums are not drawn with the numbers of other questions."""
        return ()

    def why(self, setting: Setting) -> str:
        """Why a unit moves the counts by little, and the sums with them."""
        return super().why(setting) + " The sums follow from the counts of the bins."

    def _bin(self, i: int) -> str:
        if i == len(self._edges) - 2:
            return "all"
        return f"below {float(self._edges[i + 1]):.12g}"


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
        return (Part("counts of all bins", Fraction(self.steps), whole=True, step=Fraction(1)),)

    @cached_property
    def _errors(self) -> list[Fraction]:
        return [Fraction(float(one)) for one in self.design.error_bound(0.95)]

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """A number as if it had been released, for planning: the one with the largest error."""
        return [Released(value, max(self._errors)) for value in values]

    def released(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy | None
    ) -> list[list[Released]]:
        """One release of all counts, as their sums."""
        found = self.design.release([int(row[0]) for row in rows], exact=True, entropy=entropy)
        return [[Released(value, error)] for value, error in zip(found, self._errors, strict=True)]
