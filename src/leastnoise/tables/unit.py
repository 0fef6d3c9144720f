"""Whose privacy: one row, or a person with several; and which tables are neighbors."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..hints import hinted_class

NEIGHBORS = ("add-remove", "replace")

#: More rows of one person than this would not be a bound.
MOST_ROWS = 1 << 20

#: Names of columns that identify units which can have several rows; some words only before "id".
_SEVERAL = (
    "citizen|client|customer|donor|employee|household|individual|participant|passenger|patient|"
    "person|pupil|resident|respondent|student|taxpayer|user|voter|worker"
)
_WITH_ID = "account|card|child|device|family|member|player|subject|visitor"
_ID = "_?(ids?|number|no|nr|key|code|uuid|guid|hash)"
_IDENTIFIER = re.compile(f"({_SEVERAL})s?({_ID})?|({_WITH_ID})s?{_ID}")


@dataclass(frozen=True)
class Unit:
    """What is protected: one row, or all rows of somebody."""

    @property
    def column(self) -> str | None:
        """The column that says whose a row is; None where each row is a unit by itself."""
        return None

    @property
    def name(self) -> str:
        """What a unit is called: a row, or by its column."""
        return self.column or "row"

    if TYPE_CHECKING:  # fields of one kind, which a property would shadow

        @property
        def max_rows_per_group(self) -> int:
            """A unit counts with at most so many rows in each group."""

        @property
        def max_groups(self) -> int | None:
            """And in at most so many groups; None: in all of a public list."""


@dataclass(frozen=True)
class Row(Unit):
    """The unit is one row. Neighbors differ in one row: there or not, or replaced."""

    @property
    def max_rows_per_group(self) -> int:
        """A unit has one row."""
        return 1

    @property
    def max_groups(self) -> int:
        """It is in one group."""
        return 1

    def __str__(self) -> str:
        return "row"


@hinted_class
@dataclass(frozen=True)
class PrivacyUnit(Unit):
    """The privacy unit is all rows with the same value of the column `id`.

    A unit is a person, a household, a device: whatever `id` names. It counts with at most
    `max_rows_per_group` rows in each group and in at most `max_groups` groups (None: in all of a
    public list). Rows without an id are left out.

    Guarantee: the engine enforces both bounds (`bounding.proof.md`), so that answers are private
    for every unit, however many rows it has.

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

    @property
    def column(self) -> str:
        """The column that names it."""
        return self.id

    def __str__(self) -> str:
        return f"privacy unit {self.id}"


def unit_of(unit: str | Unit | None) -> Unit:
    """ "row" (also where nothing is stated), or a `PrivacyUnit`."""
    if isinstance(unit, Unit):
        return unit
    if unit is None or unit == "row":
        return Row()
    raise ArgumentError("unit", unit, '"row" or PrivacyUnit(column, max_rows_per_group=...)')


def stated_unit(
    column: str | None, max_rows_per_group: int | None, max_groups: int | None
) -> PrivacyUnit | None:
    """A unit as a form or a command line states it: a column with its bounds, or none for a row."""
    if column is None:
        if max_rows_per_group is not None or max_groups is not None:
            allowed = "left out when the unit is a row"
            raise ArgumentError("max_rows_per_group", max_rows_per_group, allowed)
        return None
    if max_rows_per_group is None:
        allowed = f"given with unit={column}: the largest number of rows of one person in a group"
        raise ArgumentError("max_rows_per_group", None, allowed)
    return PrivacyUnit(column, max_rows_per_group, max_groups)


def identifier_in(columns: Sequence[str]) -> str | None:
    """The first column that is called as what identifies people or the like, by its name alone."""
    for name in columns:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])|\W", "_", name).lower()
        if _IDENTIFIER.fullmatch(snake):
            return name
    return None


def warn_of_unit(unit: str | Unit | None, columns: Sequence[str]) -> None:
    """Warn if no unit is stated and a column seems to identify people: names are public."""
    name = identifier_in(columns) if unit is None else None
    if name is not None:
        warnings.warn(
            f"no unit is stated, so each row is protected by itself, and one column is called "
            f"{name}: if one {name} can have several rows, state "
            f'unit=PrivacyUnit({name!r}, max_rows_per_group=...), else unit="row"',
            UserWarning,
            stacklevel=4,  # where `ask` was called, which is wrapped
        )


def check_neighbors(neighbors: str) -> str:
    """One of the two relations."""
    if neighbors not in NEIGHBORS:
        raise ArgumentError("neighbors", neighbors, f"one of {', '.join(NEIGHBORS)}")
    return neighbors


def _bound(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROWS:
        raise ArgumentError(name, value, f"an integer from 1 to {MOST_ROWS}")
