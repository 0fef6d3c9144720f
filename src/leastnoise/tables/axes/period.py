"""Periods: the years, quarters, months or days of a column as groups, by a public list.

    by="month(admitted)", keys=["2024-01", "2024-02"]      or keys=["2024-01..2024-12"]

A row belongs to a period if its value is between the period's ends, which are constants. Proof:
`../sources/bounding.proof.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ...errors import ArgumentError, Described
from ..sources.rows import TableRows
from ..sources.table import TEXT
from ..sources.where import comparable

_NAME = re.compile(r"(year|quarter|month|day)\((.+)\)", re.DOTALL)
#: How a period of each kind is written: 2024, 2024-Q1, 2024-01, 2024-01-31.
_KEYS = {
    "year": re.compile(r"(?P<year>\d{4})"),
    "quarter": re.compile(r"(?P<year>\d{4})-Q(?P<quarter>[1-4])"),
    "month": re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})"),
    "day": re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
}
_EXAMPLES = {"year": "2024", "quarter": "2024-Q1", "month": "2024-01", "day": "2024-01-31"}
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
#: Between the first and the last key of a range.
_TO = ".."
#: Keys of a range: as many as a column can have that is grouped with others.
_MOST = 1_000


def spoken_column(name: str) -> str:
    """A column, or the periods of one, as people say it: "month of admitted"."""
    period = period_of(name)
    return name if period is None else f"{period.unit} of {period.column}"


@dataclass(frozen=True)
class Period:
    """The periods of a column: unit is "year", "quarter", "month" or "day"."""

    unit: str
    column: str

    def keys(self, keys: Any) -> tuple[str, ...]:
        """Public keys as texts, with every period of a range such as "2024-01..2024-12"."""
        allowed = (
            f"{self.unit}s such as {_EXAMPLES[self.unit]}, or a range of them such as "
            f"{_EXAMPLES[self.unit]}{_TO}{_EXAMPLES[self.unit].replace('2024', '2025', 1)}"
        )
        given = [keys] if isinstance(keys, str) else keys
        if not isinstance(given, Sequence):
            raise ArgumentError("keys", Described(type(keys).__name__), allowed)
        periods: list[str] = []
        for key in map(str, given):
            first, to, last = key.partition(_TO)
            start, end = self._start(first), self._start(last) if to else self._start(first)
            if start is None or end is None or end < start:
                raise ArgumentError("keys", key, allowed)
            while start <= end:
                periods.append(self._key(start))
                start = self._next(start)
                if len(periods) > _MOST:
                    raise ArgumentError("keys", key, f"at most {_MOST} {self.unit}s")
        if len(set(periods)) < len(periods) or not periods:
            raise ArgumentError("keys", Described("a key twice, or none"), "different values")
        return tuple(periods)

    def branches(self, rows: TableRows, keys: Sequence[str]) -> Iterator[str]:
        """Conditions of the rows of each key, which exclude each other."""
        column = rows.table.column(self.column, "by")
        if column.value is None or not column.timed:
            allowed = f"a column of dates, timestamps or strings, not of type {column.stored}"
            raise ArgumentError("by", f"{self.unit}({self.column})", allowed)
        for key in keys:
            start = self._start(key)
            assert start is not None
            ends = str(start), str(self._next(start))
            if column.value.kind == TEXT and column.day is None:
                ends = self._texts(start)
            cell, (low, high) = comparable(rows, self.column, ends, "by")
            yield f"({cell.sql} >= {low} AND {cell.sql} < {high})"

    def _start(self, key: str) -> date | None:
        """The first day of a period."""
        match = _KEYS[self.unit].fullmatch(key)
        if match is None or not key.isascii():
            return None
        parts = {name: int(value) for name, value in match.groupdict().items()}
        month = parts.get("month", 3 * parts.get("quarter", 1) - 2)
        if not 1 <= parts["year"] <= 9998:
            return None
        try:
            return date(parts["year"], month, parts.get("day", 1))
        except ValueError:
            return None

    def _next(self, start: date) -> date:
        """The first day of the period behind it."""
        if self.unit == "day":
            return start + timedelta(days=1)
        months = start.month - 1 + _MONTHS[self.unit]
        return date(start.year + months // 12, months % 12 + 1, 1)

    def _key(self, start: date) -> str:
        if self.unit == "quarter":
            return f"{start.year:04}-Q{start.month // 3 + 1}"
        return start.isoformat()[: len(_EXAMPLES[self.unit])]

    def _texts(self, start: date) -> tuple[str, str]:
        """Between these are the texts that begin as a day of the period does, and no others."""
        if self.unit == "year":
            return f"{start.year:04}-", f"{start.year:04}."
        begin = start.isoformat()[: 10 if self.unit == "day" else 7]
        last = start.isoformat()[:10] if self.unit == "day" else ""
        if not last:
            months = start.month + _MONTHS[self.unit] - 1
            last = f"{start.year:04}-{months:02}"
        return begin, f"{last[:-1]}{chr(ord(last[-1]) + 1)}"


def period_of(name: object) -> Period | None:
    """The periods that a name to group by means, such as "month(admitted)"; None for a column."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    return None if match is None else Period(match[1], match[2])
