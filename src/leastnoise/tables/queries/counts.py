"""Queries whose answers are numbers of rows: what they share. Proof: `counts.proof.md`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...numeric import Floats
from ..postprocessing.intervals import count_interval
from ..postprocessing.layout import CountLayout
from ..sources.bounding import GroupSums
from .base import PRIVATE, Query, Setting
from .numbers import Estimate, Part, Released, clamp_estimate


class Counted(Query):
    """Counts of rows: released without bias, shown as integers from 0 on that add up."""

    counts_rows: ClassVar[bool] = True
    adds_up: ClassVar[bool] = True

    def layout(self) -> CountLayout:
        """How the answers are sums of counts, in their order."""
        raise NotImplementedError

    def counted_by(self, coefficients: Floats) -> Floats:
        """How often a row is counted in a sum of the answers, each times its coefficient.

        A number for each cell that rows are in. Here every answer is a cell of its own.
        """
        return coefficients

    def parts(self, setting: Setting) -> list[Part]:
        """One number for each group."""
        return [Part("rows", Fraction(setting.rows), whole=True)]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """The number of rows."""
        return [Fraction(sums.rows)]

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """One number by itself, not below 0."""
        (rows,) = released
        return clamp_estimate(Fraction(round(rows.value)), rows.ends, Fraction(0), None)

    def every_estimate(
        self, drawn: Iterable[list[Released]], setting: Setting, noise: Any = None
    ) -> list[Estimate]:
        """All numbers together, with the unbiased ones beside them.

        With private keys each by itself: which of them are answered depends on the counts, so none
        is unbiased, and there is nothing that they add up to.
        """
        if self.keys == PRIVATE:
            return super().every_estimate(drawn, setting, noise)
        released = [rows for (rows,) in drawn]
        values = np.array([float(rows.value) for rows in released])
        errors = np.array([float(rows.error) for rows in released])
        consistent = self.layout().consistent(values, errors).tolist()
        return [
            _count_estimate(value, rows) for value, rows in zip(consistent, released, strict=True)
        ]

    def notes(self, setting: Setting) -> list[str]:
        """Which numbers are shown."""
        if self.keys == PRIVATE or not self.grouped:
            return super().notes(setting)
        return [
            *super().notes(setting),
            "counts are integers from 0 on that add up, computed from the unbiased numbers of the "
            "release, which stand beside them (`unbiased`) and can be negative",
        ]

    def units_beyond(self, distance: Fraction, rows: int, setting: Setting) -> int:
        """Each unit has as many rows as count, all in one cell."""
        return int(distance // setting.rows) + 1

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """So many rows in an answer, and an error as a part of them."""
        return [Fraction(rows)], Fraction(max(1, rows))


def _count_estimate(value: int, rows: Released) -> Estimate:
    low, high = count_interval(value, rows.value, rows.ends)
    return Estimate(float(value), float(low), float(high), float(rows.value))
