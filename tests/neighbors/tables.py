"""Small tables with a public schema, neighbors of them, and values at the ends of every type."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]

#: What a column can be. Dates are days, moments microseconds and nanos nanoseconds since 1970.
KINDS = ("number", "whole", "big", "numeric", "text", "truth", "date", "moment", "nano", "mixed")


@dataclass(frozen=True)
class Table:
    """Rows with names and kinds of their columns. `p` is the person, `g` the group."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    collation: str | None = None  # of texts, where the engine has such things

    def with_rows(self, rows: tuple[Row, ...], at: int | None = None) -> Table:
        """More rows, at a place (the end)."""
        place = len(self.rows) if at is None else at
        return replace(self, rows=self.rows[:place] + rows + self.rows[place:])

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        i = [one for one, _ in self.columns].index(name)
        return [row[i] for row in self.rows]


@dataclass(frozen=True)
class Pair:
    """Two neighboring tables, and in words what is different."""

    one: Table
    two: Table
    relation: str  # "add-remove" or "replace"
    words: str


#: The person that comes and goes; nobody else has this id.
NEWCOMER = 1001
DAYS_AT_ENDS = (-719162, 2932896)  # the years 1 and 9999
DAY = 86_400_000_000

TEXTS: tuple[str, ...] = (
    "",
    " ",
    " 12 ",
    "12\t",
    "\u00a012",
    "1e400",
    "-1e400",
    "1e-400",
    "1e-320",
    "5e-324",
    "1e309",
    "1e99999",
    "1.5e3",
    "+5",
    ".5",
    "5.",
    ".",
    "-",
    "e5",
    "-0",
    "1_000",
    "1,5",
    "0x10",
    "0b1",
    "1d",
    "2f",
    "٣",
    "½",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "true",
    "TRUE",
    "North",
    "NORTH",
    "é",
    "e\u0301",
    "ß",
    "İ",
    "'",
    '"',
    '""',
    "\\",
    "\\N",
    "%",
    "a\nb",
    "a\r\nb",
    "\r",
    "null",
    "2024-02-30",
    "\U0001f600",
    "9" * 400,
    "0." + "0" * 400 + "1",
    "x" * 70_000,
)

EXTREMES: dict[str, tuple[Any, ...]] = {
    "number": (
        math.nan,
        math.inf,
        -math.inf,
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        1e-310,
        1e-300,
        1e300,
        1e308,
        -1e308,
        1.7976931348623157e308,
        -1.7976931348623157e308,
        9.1e307,
        2.0**53 + 2,
        2.0**63,
        None,
    ),
    "whole": (0, -1, 2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 10**18, None),
    "big": (0, 2**63, 2**63 - 1, 2**64 - 1, None),
    "numeric": tuple(
        None if text is None else Decimal(text)
        for text in (
            "NaN",
            "Infinity",
            "-Infinity",
            "1e400",
            "-1e400",
            "1e309",
            "1.8e308",
            "1e131000",
            "5e-324",
            "1e-320",
            "1e-400",
            "-1e-400",
            "1e-16000",
            "9999999999999999999999999999.9999999999",
            "-9999999999999999999999999999.9999999999",
            "0.0000000001",
            None,
        )
    ),
    "text": (*TEXTS, None),
    "truth": (True, False, None),
    "date": (*DAYS_AT_ENDS, 0, 2**31 - 1, -(2**31) + 1, -(2**31), 2**31 - 2, None),
    "moment": (*(day * DAY for day in DAYS_AT_ENDS), 0, 2**63 - 1, -(2**63) + 1, -(2**63), None),
    "nano": (0, 2**63 - 1, -(2**63), -(2**63) + 1, 1, None),
    "mixed": (
        "abc",
        "12",
        2.5,
        7,
        2**63,
        -(2**70),
        10**400,
        True,
        b"bytes",
        b"\xff",
        math.nan,
        math.inf,
        Decimal("1e400"),
        Decimal("sNaN"),
        "\ud800",
        (1, 2),
        [1, 2],
        {"a": 1},
        object,
        1 + 2j,
        None,
    ),
}

ORDINARY: dict[str, tuple[Any, ...]] = {
    "number": (1.0, 2.5, 7.0, 11.0, -3.0),
    "whole": (1, 2, 7, 11, -3),
    "big": (1, 2, 7, 11, 3),
    "numeric": tuple(map(Decimal, ("1", "2.5", "7", "11", "-3"))),
    "text": ("north", "south", "1", "2.5", "7"),
    "truth": (True, False, True, True, False),
    "date": (19000, 19100, 19200, 19300, 19400),
    "moment": tuple(day * DAY for day in (19000, 19100, 19200, 19300, 19400)),
    "nano": tuple(day * DAY * 1000 for day in (19000, 19100, 19200, 19300, 19400)),
    "mixed": (1, 2, 7, 11, -3),
}
GROUPS = ("north", "south", "east")


def people(kind: str, rows: int = 12, collation: str | None = None) -> Table:
    """A table of persons p, groups g and a column x of a kind, with ordinary values."""
    values = ORDINARY[kind]
    return Table(
        (("p", "whole"), ("g", "text"), ("x", kind)),
        tuple((i // 2, GROUPS[i % 3], values[i % 5]) for i in range(rows)),
        collation,
    )


def newcomer(kind: str, values: Sequence[Any], at: int | None = None) -> Pair:
    """The ordinary table, and the same with one person whose rows hold these values."""
    base = people(kind)
    rows = tuple((NEWCOMER, GROUPS[i % 3], value) for i, value in enumerate(values))
    words = f"a row with {values[0]!a}" if len(values) == 1 else f"a person with {len(values)} rows"
    return Pair(base, base.with_rows(rows, at), "add-remove", words[:80])


def one_more(kind: str, values: Sequence[Any] | None = None) -> Iterator[Pair]:
    """For each extreme value: one row more that holds it, at the start, in the middle, at the end.

    Under "replace" that row was an ordinary one before.
    """
    for i, value in enumerate(EXTREMES[kind] if values is None else values):
        pair = newcomer(kind, [value], i % 3 * 6)
        yield pair
        ordinary = newcomer(kind, ORDINARY[kind][:1], i % 3 * 6).two
        yield Pair(ordinary, pair.two, "replace", f"{pair.words}, replaced")


def other_person(kind: str, person: Any) -> Pair:
    """Persons with ids of a kind, and one more with this id and rows in every group."""
    ids = ORDINARY[kind]
    rows = tuple((ids[i % 5], GROUPS[i % 2], float(i)) for i in range(10))
    base = Table((("p", kind), ("g", "text"), ("x", "number")), rows)
    more = tuple((person, group, 7.0) for group in GROUPS)
    return Pair(base, base.with_rows(more, 0), "add-remove", f"the person {person!a}"[:80])
