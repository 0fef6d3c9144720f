"""Histogram: counts by bins of a column. Sensitivity and proof: `count.proof.md`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from ..errors import ArgumentError
from ..exact import Number, rational
from .base import Query, Setting
from .bounding import Request
from .count import Count
from .where import column_of, number_of

_MOST_BINS = 10_000


@dataclass(frozen=True)
class Histogram(Count):
    """How many rows fall into each bin of a column; the bins are public.

    bins: a number of equal ones between low and high, or their edges in rising order. Values
    beyond the ends are in the first or last bin; rows without a number are in none.
    """

    column: str | None = None
    low: Number | None = None
    high: Number | None = None
    bins: int | Sequence[Number] = 10
    word: ClassVar[str] = "histogram"

    def __post_init__(self) -> None:
        if self.by is not None or self.keys is not None:
            raise ArgumentError("by", self.by, "left out: a histogram is a count by bins")
        if not self.column:
            raise ArgumentError("column", self.column, "the name of a column")
        edges = self._edges()
        object.__setattr__(self, "keys", tuple(str(i) for i in range(len(edges) - 1)))
        object.__setattr__(self, "by", self.column)
        if len({self.label(str(i)) for i in range(len(edges) - 1)}) < len(edges) - 1:
            raise ArgumentError("bins", self.bins, "wide enough to be told apart in 12 digits")
        Query.__post_init__(self)

    def _edges(self) -> list[Fraction]:
        if not isinstance(self.bins, int):
            edges = [rational(edge, "bins") for edge in self.bins]
        elif self.low is None or self.high is None:
            raise ArgumentError("low", self.low, "given, and high too, or the edges as bins")
        else:
            low, high = rational(self.low, "low"), rational(self.high, "high")
            if isinstance(self.bins, bool) or not 1 <= self.bins <= _MOST_BINS:
                raise ArgumentError("bins", self.bins, f"from 1 to {_MOST_BINS}")
            edges = [low + (high - low) * i / self.bins for i in range(self.bins + 1)]
        rising = all(a < b for a, b in pairwise(edges))
        if not rising or not 2 <= len(edges) <= _MOST_BINS + 1:
            raise ArgumentError("bins", self.bins, f"1 to {_MOST_BINS} bins with rising edges")
        return edges

    def _group(self) -> Any:
        name, inner = str(self.column), self._edges()[1:-1]

        def group(table: Any) -> Any:
            import ibis

            number = number_of(column_of(table, name, "column"), "column")
            if not inner:
                index: Any = ibis.literal(0, "int64")
            elif isinstance(self.bins, int):
                # Equal bins by arithmetic; the ends make it whole numbers from 0 to bins - 1.
                low, high = (float(rational(x, "low")) for x in (self.low or 0, self.high or 0))
                held = ibis.greatest(ibis.literal(low), ibis.least(ibis.literal(high), number))
                wide = ibis.literal(self.bins / (high - low))
                index = ibis.greatest(
                    0, ibis.least(self.bins - 1, ((held - low) * wide).floor().cast("int64"))
                )
            else:
                passed = [ibis.ifelse(number >= ibis.literal(float(edge)), 1, 0) for edge in inner]
                index = functools.reduce(operator.add, passed)
            return ibis.ifelse(number.isnull(), ibis.null("string"), index.cast("string"))

        return group

    def request(self, setting: Setting) -> Request:
        """Rows by bin."""
        return self._request(setting)

    def label(self, key: str) -> str:
        """The bin in words."""
        edges = self._edges()
        i = int(key)
        close = "]" if i == len(edges) - 2 else ")"
        return f"[{float(edges[i]):.12g}, {float(edges[i + 1]):.12g}{close}"

    def why(self, setting: Setting) -> str:
        """Why a unit moves few bins by little."""
        return super().why(setting) + " Every row is in at most one bin."

    def __str__(self) -> str:
        words = f"histogram({self.column})"
        return words if self.where is None else f"{words} where {self.where}"
