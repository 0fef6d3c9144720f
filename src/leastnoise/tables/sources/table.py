"""A table of a public schema: what every column means, known before any row is read.

A column has forms. Each is one expression of its engine that is defined for every value of the
column's type, and means the same on every engine: `forms.proof.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from ...errors import ArgumentError

TEXT, WHOLE, NUMBER, TRUTH, DATE, MOMENT = "text", "whole", "number", "truth", "date", "moment"
#: A text of more bytes is no key.
LONGEST_KEY = 1000


@dataclass(frozen=True)
class ValueForm:
    """A value of one kind, made of a column in two steps.

    before: of the column as it is stored. after: of what the first step gave, which stands at {0}.
    TEXT is bytes, WHOLE 64 bits, NUMBER a double that is no NaN and at most 1e300 in size, TRUTH a
    boolean, DATE a day of the years 1 to 9999, MOMENT a timestamp; missing is NULL in all of them.
    """

    kind: str
    before: str
    after: str = "{0}"
    moment: str = ""  # how a moment is written that this one is compared with
    #: Where it is not empty: the first step alone will do for numbers that are clamped at once,
    #: and this says of which there is one.
    quick: str = ""


class SumsQuery(NamedTuple):
    """A query whose rows are sums by group: its columns, of which the first `by` are keys."""

    sql: str
    columns: tuple[str, ...]
    by: int


#: A value of a row: its form, and its SQL.
RowText = tuple[ValueForm, str]


@dataclass(frozen=True)
class Column:
    """A column: its name and its type, which are public, and its forms.

    value: for comparisons and to see what is missing. number: where it is counted with. key: to
    group by; a longer text than `LONGEST_KEY` is none. person: to tell persons apart; of a longer
    text its SHA-256. day: of a text, the day that it is in the notation that was stated for the
    file, if that is another one than 2024-12-31. dated: of a text, itself if it is written like
    2024-12-31, so that an order of texts is one of days. year: of a column whose strings may stand
    for anything, the number that one is, or the year of a date. None where the type does not allow
    it.
    """

    name: str
    stored: str
    value: ValueForm | None = None
    number: ValueForm | None = None
    key: ValueForm | None = None
    person: ValueForm | None = None
    day: ValueForm | None = None
    dated: ValueForm | None = None
    year: ValueForm | None = None

    @property
    def timed(self) -> bool:
        """Whether its periods can be groups: of dates, timestamps, and strings that may be ones."""
        return self.value is not None and self.value.kind in (TEXT, DATE, MOMENT)

    def to_json(self) -> dict[str, Any]:
        """Its name, its type, and what it is good for, in plain values."""
        return {
            "name": self.name,
            "type": self.stored,
            "number": self.number is not None,
            "key": self.key is not None,
            "person": self.person is not None,
            "time": self.timed,
        }


class Engine(Protocol):
    """What is asked of an engine."""

    once: ClassVar[str]
    double: ClassVar[str]

    def identifier(self, name: str) -> str:
        """A quoted name."""

    def real(self, value: float) -> str:
        """A double."""

    def whole(self, value: int) -> str:
        """A 64-bit number."""

    def octets(self, value: bytes) -> str:
        """Bytes."""

    def shifted(self, value: str, bits: int) -> str:
        """A 64-bit number >= 0 without its lowest bits."""

    def sum_of(self, value: str) -> str:
        """The exact sum of 64-bit numbers."""

    def quotient(self, total: str, count: str) -> str:
        """floor(total / count) of integers >= 0, exactly."""

    def spread_rows(self, most: int) -> str:
        """How many of so many evenly spread rows are in a cell."""

    def mixed(self, person: RowText, keys: Sequence[RowText]) -> str:
        """What depends on these alone, is quick to sort, and looks like chance: of a hash of them.

        (MD5 fails on servers that are set to FIPS: for tables with a row that needs it.)
        """

    def check(self, query: str) -> None:
        """See that the engine understands a query; no row is read."""

    def moment(self) -> AbstractContextManager[None]:
        """All that is read herein is of one state of the table."""

    def load(self, names: Sequence[str]) -> None:
        """Have these columns ready to be read."""

    def read(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    def read_columns(self, query: str, count: int) -> Sequence[Sequence[Any]]:
        """The rows of a query as its columns, so many of them."""

    def count(self, relation: str) -> int:
        """The number of rows of a relation."""

    def read_people(
        self, relation: str, person: ValueForm, asked: Callable[[str], SumsQuery]
    ) -> Sequence[Sequence[Any]]:
        """The columns of what is asked of a relation, in which each person adds to the sums.

        The engine may ask some persons' rows after the others', and add up the results.
        """

    def close(self) -> None:
        """Remove what was made for the table."""


@dataclass(frozen=True)
class Table:
    """A source of rows on an engine. Nothing is read of it but its schema until `load`.

    relation: what stands after FROM. told: whether names may be listed in an error.
    sized: whether neighbors, one unit of which is replaced, have as many rows. A file, a frame or
    a base table has; a view, an expression or a sheet may leave rows out by what they hold.
    name: of the file or the table, for reports; "" of one in memory.
    """

    engine: Engine
    relation: str
    described: tuple[Column, ...]
    told: bool = True
    sized: bool = False
    name: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.described)

    def schema(self) -> dict[str, str]:
        """The names and the types as the source has them: all that is public of it."""
        return {column.name: column.stored for column in self.described}

    def column(self, name: str, argument: str) -> Column:
        """A column by its exact name; the error lists names, which are public."""
        for column in self.described:
            if column.name == name:
                return column
        known = ", ".join(self.columns[:20]) if self.told else "leastnoise columns shows them"
        raise ArgumentError(argument, name, f"a column of the table ({known})")

    def close(self) -> None:
        """Remove what was made to read it."""
        self.engine.close()
