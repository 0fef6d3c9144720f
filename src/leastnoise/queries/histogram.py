"""Histogram: counts by bins of a column. Sensitivity and proof: `count.proof.md`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from ..errors import ArgumentError
from ..exact import Number, rational
from .base import Query, Setting
from .bounding import Request
from .count import Count
from .door import WHOLE, Form
from .rows import Cell, Rows
from .scale import FURTHEST, NARROWEST

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
        edges = self._edges
        object.__setattr__(self, "keys", tuple(str(i) for i in range(len(edges) - 1)))
        object.__setattr__(self, "by", self.column)
        if len({self.label(str(i)) for i in range(len(edges) - 1)}) < len(edges) - 1:
            raise ArgumentError("bins", self.bins, "wide enough to be told apart in 12 digits")
        Query.__post_init__(self)

    @cached_property
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
        ends = [float(edge) for edge in edges if abs(edge) <= FURTHEST]
        if len(ends) < len(edges):
            raise ArgumentError("bins", self.bins, "between ends of at most 1e300 in size")
        rising = all(b - a >= NARROWEST for a, b in pairwise(ends))
        if not rising or not 2 <= len(edges) <= _MOST_BINS + 1:
            raise ArgumentError(
                "bins",
                self.bins,
                f"1 to {_MOST_BINS} bins with rising edges that doubles can tell apart",
            )
        return edges

    def _group(self) -> Callable[[Rows], Cell]:
        name, edges = str(self.column), [float(edge) for edge in self._edges]

        def group(rows: Rows) -> Cell:
            number = rows.number(name, "column").sql
            if isinstance(self.bins, int):
                index = _equal_bin(rows, number, edges)
            else:
                passed = (f"{number} >= {rows.engine.real(edge)}" for edge in edges[1:-1])
                ones = (f"CASE WHEN {one} THEN 1 ELSE 0 END" for one in passed)
                index = f"CAST({' + '.join(ones) or '0'} AS BIGINT)"
            return Cell(f"CASE WHEN {number} IS NULL THEN NULL ELSE {index} END", Form(WHOLE, ""))

        return group

    def request(self, setting: Setting) -> Request:
        """Rows by bin."""
        return self._request(setting)

    def label(self, key: str) -> str:
        """The bin in words."""
        edges = self._edges
        i = int(key)
        close = "]" if i == len(edges) - 2 else ")"
        return f"[{float(edges[i]):.12g}, {float(edges[i + 1]):.12g}{close}"

    def why(self, setting: Setting) -> str:
        """Why a unit moves few bins by little."""
        return super().why(setting) + " Every row is in at most one bin."

    def __str__(self) -> str:
        words = f"histogram({self.column})"
        return words if self.where is None else f"{words} where {self.where}"


def _equal_bin(rows: Rows, number: str, edges: list[float]) -> str:
    """The bin of a number among equal ones, by arithmetic: from 0 to bins - 1, whatever it is.

    A distance from the lower end that is next to nothing is taken for a little more than that: it
    stays in the first bin, and no engine has to multiply what it cannot write down.
    """
    engine, bins = rows.engine, len(edges) - 1
    low, high = edges[0], edges[-1]
    held = f"LEAST({engine.real(high)}, GREATEST({engine.real(low)}, {number}))"
    least = engine.real((high - low) * 1e-10 / bins)
    away = f"GREATEST({least}, {held} - {engine.real(low)})"
    index = f"CAST(FLOOR({away} * {engine.real(bins / (high - low))}) AS BIGINT)"
    return f"LEAST({engine.whole(bins - 1)}, GREATEST({engine.whole(0)}, {index}))"
