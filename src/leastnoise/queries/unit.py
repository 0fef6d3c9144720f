"""Whose privacy: one row, or a person with several; and which tables are neighbors."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentError
from ..hints import hinted_class

NEIGHBORS = ("add-remove", "replace")

#: More rows of one person than this would not be a bound.
MOST_ROWS = 1 << 20


@dataclass(frozen=True)
class Row:
    """The unit is one row. Neighbors differ in one row: there or not, or replaced."""

    @property
    def max_rows_per_group(self) -> int:
        """A unit has one row."""
        return 1

    def __str__(self) -> str:
        return "row"


@hinted_class
@dataclass(frozen=True)
class PrivacyUnit:
    """The privacy unit is all rows with the same value of the column `id`.

    A unit is a person, a household, a device: whatever `id` names. It counts with at most
    `max_rows_per_group` rows in each group and in at most `max_groups` groups (None: in all of a
    public list). The engine enforces both (`bounding.proof.md`); the guarantee holds for every
    unit, however many rows it has. Rows without an id are left out.

    Example: at most three visits of a person count.

        >>> PrivacyUnit("person_id", max_rows_per_group=3, max_groups=2)
        PrivacyUnit(id='person_id', max_rows_per_group=3, max_groups=2)
    """

    id: str
    max_rows_per_group: int
    max_groups: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise ArgumentError("id", self.id, "the name of a column")
        _bound("max_rows_per_group", self.max_rows_per_group)
        if self.max_groups is not None:
            _bound("max_groups", self.max_groups)

    def __str__(self) -> str:
        return f"privacy unit {self.id}"


Unit = Row | PrivacyUnit


def unit_of(unit: str | Unit) -> Unit:
    """ "row", or a `PrivacyUnit`."""
    if isinstance(unit, (Row, PrivacyUnit)):
        return unit
    if unit == "row":
        return Row()
    raise ArgumentError("unit", unit, '"row" or PrivacyUnit(column, max_rows_per_group=...)')


def check_neighbors(neighbors: str) -> str:
    """One of the two relations."""
    if neighbors not in NEIGHBORS:
        raise ArgumentError("neighbors", neighbors, f"one of {', '.join(NEIGHBORS)}")
    return neighbors


def _bound(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROWS:
        raise ArgumentError(name, value, f"an integer from 1 to {MOST_ROWS}")
