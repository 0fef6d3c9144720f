"""Groups by several columns at once: every combination of their public keys is a group.

A group is known to the engine by its number. Why the number is defined for every row, and no two
combinations share one: `../sources/bounding.proof.md`. Where keys are private a group is a
combination that occurs, known by the keys themselves.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ...errors import ArgumentError, Described
from ..sources import WHOLE, ValueForm
from ..sources.rows import RowValue, TableRows, check_keys, sought
from .keys import keys_of, list_keys
from .period import period_of
from .place import Place

#: Groups that an engine tells apart by comparing, row by row.
MOST_GROUPS = 100_000
_MOST_EACH = 1_000


@dataclass(frozen=True)
class Crossed:
    """Columns to group by together, each with its public keys."""

    names: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if max(self.sizes) > _MOST_EACH or self.groups > MOST_GROUPS:
            allowed = f"at most {_MOST_EACH} keys a column and {MOST_GROUPS} combinations"
            raise ArgumentError("keys", Described(f"{self.groups} combinations"), allowed)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many keys each column has."""
        return tuple(map(len, self.keys))

    @property
    def groups(self) -> int:
        """How many combinations there are."""
        return prod(self.sizes)

    def combination(self, number: int) -> tuple[str, ...]:
        """The keys of a combination."""
        parts = []
        for keys in reversed(self.keys):
            number, at = divmod(number, len(keys))
            parts.append(keys[at])
        return tuple(parts[::-1])

    def label(self, number: int) -> str:
        """A combination in words, different for each; `parts_of` takes it apart again."""
        return label_of(self.combination(number))

    def place(self, number: int) -> Place:
        """Where a combination stands."""
        return Place(self.names, self.combination(number))

    def cell(self, rows: TableRows) -> RowValue:
        """The number of each row's combination; NULL where a column has none of its keys."""
        sql = ""
        for name, keys in zip(self.names, self.keys, strict=True):
            period = period_of(name)
            conditions = _equal(rows, name, keys) if period is None else period.branches(rows, keys)
            branches = [
                f"WHEN {condition} THEN {rows.engine.whole(at)}"
                for at, condition in enumerate(conditions)
            ]
            place = f"(CASE {' '.join(branches)} END)"
            sql = f"({sql} * {rows.engine.whole(len(keys))} + {place})" if sql else place
        return RowValue(sql, ValueForm(WHOLE, ""))


def _equal(rows: TableRows, name: str, keys: Sequence[str]) -> Iterator[str]:
    """Conditions of the rows with each key."""
    column = rows.key(name, "by")
    check_keys(name, column.kind, keys)
    literals = (sought(column.kind, key) for key in keys)
    return (f"{column.sql} = {literal(rows.engine)}" for literal in literals if literal)


def keys_on(name: str, keys: Any) -> tuple[str, ...]:
    """Public keys of a column, or of the periods of one, as texts."""
    period = period_of(name)
    return keys_of(keys) if period is None else period.keys(list_keys(keys))


def label_of(keys: Sequence[str]) -> str:
    """Keys of so many columns in words, different for each combination.

    A part is in quotation marks iff it begins with one, and a comma, quotation mark, line end or
    space at an end is in a part only there, so that every label can be taken apart in one way.
    """
    return ", ".join(map(quote_key, keys))


def parts_of(label: str) -> list[str]:
    """The keys of a combination from its label."""
    return next(csv.reader([label], skipinitialspace=True))


def names_of(by: Sequence[str]) -> tuple[str, ...]:
    """The columns to group by, as texts."""
    if not by or not all(isinstance(name, str) for name in by):
        raise ArgumentError("by", by, "the name of a column, or a list of names")
    if len(set(by)) < len(by):
        raise ArgumentError("by", list(by), "different columns")
    return tuple(by)


def quote_key(key: str) -> str:
    """A key as a part of a label: in quotes where `parts_of` needs them."""
    plain = key and key == key.strip() and not set(key) & set(',"\r\n')
    return key if plain else '"' + key.replace('"', '""') + '"'


def name_in_group(label: str, name: str) -> str:
    """ "group: column"; a group's key that could be taken for more than itself is quoted."""
    if not name:
        return label
    plain = label and ": " not in label and not label.startswith('"')
    return f"{label if plain else json.dumps(label, ensure_ascii=False)}: {name}"
