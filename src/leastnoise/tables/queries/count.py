"""Count: how many rows. Sensitivity and proof: `count.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ...hints import hinted_class
from ..planning.tracks import Track
from ..postprocessing.layout import CountLayout
from ..postprocessing.margins import MarginTables
from ..sources.bounding import Request
from ..sources.rows import TableRows
from .base import Setting
from .counts import Counted
from .numbers import Part, ReleaseForm, Sharing


@hinted_class
@dataclass(frozen=True)
class Count(Counted):
    """The number of rows, or of rows that have a value (not NULL, not NaN) in `column`.

    An integer, never negative. Counts by public keys add up; the numbers as they were released are
    in `Answer.unbiased`. One unit moves a count by at most its number of rows that count: 1, or
    max_rows_per_group for a person, under both neighbor relations.

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
    phrase: ClassVar[str] = "Number of rows"
    title: ClassVar[str] = "How many rows"
    all_rows: ClassVar[bool] = True

    def layout(self) -> CountLayout:
        """One table of all groups."""
        return MarginTables.alone(self.sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many public keys each column has that it is grouped by."""
        crossed = self.crossed
        return (len(self.public_keys or ("",)),) if crossed is None else crossed.sizes

    @property
    def heading(self) -> str:
        """With the column, if one is named."""
        words = super().heading
        return f"{words} with a {self.column}" if self.column and self.all_rows else words

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """A unit adds 0 to R rows."""
        width = Fraction(setting.rows)
        return (Track("rows", width, not setting.replace, Fraction(1), whole=True),)

    def sharing(self, setting: Setting) -> Sharing:
        """The units themselves, if each has one row; or how far the rows are from both ends."""
        rows, none, unit = Fraction(setting.rows), Fraction(0), Fraction(1)
        counted = unit, none, none
        if setting.rows > 1:
            return Sharing.sides(counted, none, rows, unit)
        part = Part("rows", unit, whole=True)
        return Sharing(ReleaseForm((part,), 1), (counted,), unit, unit, (unit,))

    @property
    def lacks_values(self) -> bool:
        """Rows without a value in the column."""
        return self.column is not None

    def request(self, setting: Setting) -> Request:
        """Rows; those with a value, if a column is named."""
        name = self.column
        if name is None:
            return self._request(setting)

        def present(rows: TableRows) -> str:
            cell = rows.value(name, "column").sql
            return f"CASE WHEN {cell} IS NULL THEN NULL ELSE {rows.engine.whole(0)} END"

        return self._request(setting, value=present)

    def why(self, setting: Setting) -> str:
        """Why the sensitivity is max_rows_per_group."""
        return (
            f"A unit adds between 0 and {setting.rows} to the number of rows, so it moves the "
            f"count by at most {setting.rows}, whether it is added, removed or replaced."
        )

    def __str__(self) -> str:
        return self.text(self.column or "")
