"""Count: how many rows. Sensitivity and proof: `count.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ...hints import hinted_class
from ..planning.tracks import Track
from ..sources.bounding import Request, Sums
from ..sources.rows import Rows
from .base import Query, Setting
from .numbers import Estimate, Form, Part, Released, Sharing, clamped


@hinted_class
@dataclass(frozen=True)
class Count(Query):
    """The number of rows, or of rows that have a value (not NULL, not NaN) in `column`.

    An integer, never negative. One unit moves it by at most its number of rows that count: 1,
    or max_rows_per_group for a person, under both neighbor relations.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: how many people are over 40.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> ask(table, Count(where="age > 40"), epsilon=1).value  # doctest: +SKIP
        641
        >>> plan(Count(), epsilon=1, rows=1000).error
        3.0
    """

    column: str | None = None
    word: ClassVar[str] = "count"
    title: ClassVar[str] = "How many rows"
    all_rows: ClassVar[bool] = True
    counts_rows: ClassVar[bool] = True

    def parts(self, setting: Setting) -> list[Part]:
        """One number."""
        return [Part("rows", Fraction(setting.rows), whole=True)]

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """A unit adds 0 to R rows."""
        width = Fraction(setting.rows)
        return (Track("rows", width, not setting.replace, Fraction(1), whole=True),)

    def sharing(self, setting: Setting) -> Sharing:
        """The units themselves, if each has one row; or how far the rows are from both ends."""
        rows, none, one = Fraction(setting.rows), Fraction(0), Fraction(1)
        counted = one, none, none
        if setting.rows > 1:
            return Sharing.sides(counted, none, rows, one)
        part = Part("rows", one, whole=True)
        return Sharing(Form((part,), 1), (counted,), one, one, (one,))

    def exact(self, sums: Sums, setting: Setting) -> list[Fraction]:
        """The number of rows."""
        return [Fraction(sums.rows)]

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The number, not below 0."""
        (rows,) = released
        return clamped(Fraction(round(rows.value)), rows.ends, Fraction(0), None)

    def request(self, setting: Setting) -> Request:
        """Rows; those with a value, if a column is named."""
        name = self.column
        if name is None:
            return self._request(setting)

        def present(rows: Rows) -> str:
            cell = rows.value(name, "column").sql
            return f"CASE WHEN {cell} IS NULL THEN NULL ELSE {rows.engine.whole(0)} END"

        return self._request(setting, value=present)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """The number of rows, and an error as a part of it."""
        return [Fraction(rows)], Fraction(max(1, rows))

    def units_beyond(self, distance: Fraction, rows: int, setting: Setting) -> int:
        """Each unit has as many rows as count."""
        return int(distance // setting.rows) + 1

    def why(self, setting: Setting) -> str:
        """Why the sensitivity is max_rows_per_group."""
        return (
            f"A unit adds between 0 and {setting.rows} to the number of rows, so it moves the "
            f"count by at most {setting.rows}, whether it is added, removed or replaced."
        )

    def __str__(self) -> str:
        return self.text(self.column or "")
