"""Histogram: counts by bins of a column. Sensitivity and proof: `count.proof.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ...errors import ArgumentError
from ...exact import Number
from ...hints import hinted_class
from ..axes.bins import bin_of, edges_of
from ..axes.crossed import MOST_GROUPS, Crossed
from ..axes.keys import number_keys
from ..axes.place import Place
from ..sources import WHOLE, ValueForm
from ..sources.bounding import Request
from ..sources.rows import RowValue, TableRows
from .base import PRIVATE, Query, Setting
from .count import Count


@hinted_class
@dataclass(frozen=True)
class Histogram(Count):
    """A histogram: how many rows fall into each public bin of a column.

    bins: a number of equal ones between low and high, or their edges in rising order. Values
    beyond the ends are in the first or last bin; rows without a number are in none.
    by: a histogram for every combination of the public keys of these columns.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: ages by decade.

        >>> plan(Histogram("age", bins=10, low=0, high=100), epsilon=1, rows=1000).error
        3.0
    """

    column: str | None = None
    low: Number | None = None
    high: Number | None = None
    bins: int | Sequence[Number] = 10
    word: ClassVar[str] = "histogram"
    phrase: ClassVar[str] = "Rows by {column}"
    title: ClassVar[str] = "Histogram"
    positional: ClassVar[tuple[str, ...]] = ("column", "bins")
    all_rows: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not self.column:
            raise ArgumentError("column", self.column, "the name of a column")
        if isinstance(self.keys, str) and self.keys == PRIVATE:
            raise ArgumentError(
                "keys", PRIVATE, "a list of public keys: a histogram has bins for each of them"
            )
        Query.__post_init__(self)
        bins = len(self._edges) - 1
        if len({self._bin(i) for i in range(bins)}) < bins:
            raise ArgumentError("bins", self.bins, "wide enough to be distinguished by 12 digits")
        if self._outer is not None and bins * self._outer.groups > MOST_GROUPS:
            raise ArgumentError(
                "keys", self.keys, f"few enough for at most {MOST_GROUPS} bins in all"
            )

    @property
    def grouped(self) -> bool:
        """It is: by its bins."""
        return True

    @property
    def columns_by(self) -> tuple[str, ...]:
        """Its column: a key is a bin, behind the keys of other columns."""
        return (str(self.column),)

    @property
    def public_keys(self) -> tuple[str, ...]:
        """The numbers of its bins, those of one combination of keys after the other."""
        outer = 1 if self._outer is None else self._outer.groups
        return number_keys(outer * (len(self._edges) - 1))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Its bins, behind the columns that it is grouped by."""
        outer = () if self._outer is None else self._outer.sizes
        return (*outer, len(self._edges) - 1)

    @property
    def _outer(self) -> Crossed | None:
        """The columns that it is grouped by, even if it is only one."""
        if isinstance(self.by, str):
            return Crossed((self.by,), (tuple(self.keys or ()),))
        return self.crossed

    @cached_property
    def _edges(self) -> list[Fraction]:
        return edges_of(self.bins, self.low, self.high)

    def _group(self) -> Callable[[TableRows], tuple[RowValue, ...]]:
        name, edges = str(self.column), [float(edge) for edge in self._edges]

        def group(rows: TableRows) -> tuple[RowValue, ...]:
            bin_sql = bin_of(rows, name, edges, equal=isinstance(self.bins, int))
            if self._outer is not None:
                before = self._outer.cell(rows).sql
                bin_sql = f"({before} * {rows.engine.whole(len(edges) - 1)} + {bin_sql})"
            return (RowValue(bin_sql, ValueForm(WHOLE, "")),)

        return group

    @property
    def lacks_values(self) -> bool:
        """Rows without a number are in no bin, so they have no group to be counted in."""
        return False

    def request(self, setting: Setting) -> Request:
        """Rows by bin."""
        return self._request(setting)

    def label(self, key: str) -> str:
        """The bin in words, behind its combination of keys."""
        outer, i = divmod(int(key), len(self._edges) - 1)
        return (
            self._bin(i) if self._outer is None else f"{self._outer.label(outer)}: {self._bin(i)}"
        )

    def places(self, keys: Sequence[str]) -> Iterator[Place]:
        """The bins of a group, behind its keys."""
        bins = len(self._edges) - 1
        return (self._bin_place(self._bin(int(key) % bins), int(key) // bins) for key in keys)

    def _bin_place(self, name: str, group: int) -> Place:
        inner = Place((str(self.column),), (name,))
        return inner if self._outer is None else inner.within(self._outer.place(group))

    def _bin(self, i: int) -> str:
        edges = self._edges
        close = "]" if i == len(edges) - 2 else ")"
        return f"[{float(edges[i]):.12g}, {float(edges[i + 1]):.12g}{close}"

    def why(self, setting: Setting) -> str:
        """Why a unit moves few bins by little."""
        return super().why(setting) + " Every row is in at most one bin."

    def __str__(self) -> str:
        return self.text(str(self.column))
