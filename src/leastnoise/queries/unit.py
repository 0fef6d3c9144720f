"""Whose privacy: one row, or a person with several; and which tables are neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentError

NEIGHBOURS = ("add-remove", "replace")

#: More rows of one person than this would not be a bound.
MOST_ROWS = 1 << 20


@dataclass(frozen=True)
class Row:
    """The unit is one row. Neighbours differ in one row: there or not, or replaced."""

    @property
    def max_rows(self) -> int:
        """A unit has one row."""
        return 1

    def __str__(self) -> str:
        return "row"


@dataclass(frozen=True)
class Person:
    """The unit is all rows with the same value of the column `id`.

    A person counts with at most `max_rows` rows in each group and in at most `max_groups` groups
    (None: in all of a public list). The engine enforces both (`bounding.proof.md`); the privacy
    claim holds for every person, however many rows they have. Rows without an id are left out.
    """

    id: str
    max_rows: int
    max_groups: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise ArgumentError("id", self.id, "the name of a column")
        _bound("max_rows", self.max_rows)
        if self.max_groups is not None:
            _bound("max_groups", self.max_groups)

    def __str__(self) -> str:
        return f"person {self.id}"


Unit = Row | Person


def unit_of(unit: str | Unit) -> Unit:
    """ "row", or a `Person`."""
    if isinstance(unit, (Row, Person)):
        return unit
    if unit == "row":
        return Row()
    raise ArgumentError("unit", unit, '"row" or Person(id, max_rows=...)')


def check_neighbours(neighbours: str) -> str:
    """One of the two relations."""
    if neighbours not in NEIGHBOURS:
        raise ArgumentError("neighbours", neighbours, f"one of {', '.join(NEIGHBOURS)}")
    return neighbours


def _bound(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROWS:
        raise ArgumentError(name, value, f"a whole number from 1 to {MOST_ROWS}")
