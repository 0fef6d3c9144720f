"""What a reader of an answer must know: all of it is public."""

from __future__ import annotations

from ..axes.period import period_of
from ..planning.release import Release
from ..queries.base import Query, Setting
from ..unit import Unit
from .hints import other_keys


def notes(query: Query, setting: Setting, groups: int, release: Release) -> list[str]:
    """What a reader must know; public. groups: that one unit can move."""
    sentences = query.notes(setting)
    if words := other_keys(query):
        sentences.append(words)
    if any(map(period_of, query.columns_by)):
        sentences.append(
            "a date as a string counts if it is written like 2024-01-31, or as stated for the "
            "file; others are in no group"
        )
    if setting.size is not None:
        sentences.append(f"the number of rows, {setting.size}, is public because rows are replaced")
    if setting.unit.column is not None:
        sentences.append(_of_persons(query, setting.unit))
    if query.grouped and groups > 1:
        one_draw = "all groups come from one draw"
        budget = one_draw if release.one_draw else "each group has a part of the budget"
        sentences.append(f"one unit can move {groups} groups, and {budget}")
    return [*sentences, *release.notes]


def _rows(count: int) -> str:
    return "one row" if count == 1 else f"{count} rows"


def _groups(count: int) -> str:
    return "one group" if count == 1 else f"{count} groups"


def _of_persons(query: Query, unit: Unit) -> str:
    """How much of a person counts: what distorts an answer, and no interval knows of."""
    each = " in each group" if query.grouped else ""
    keys = query.public_keys if query.grouped else ()
    most = unit.max_groups
    groups = (
        f", and in at most {_groups(most)}: rows in other groups are left out, so that "
        "counts and sums are too small where people are in more groups"
        if most is not None and (keys is None or most < len(keys))
        else ""
    )
    return (
        f"a person counts with at most {_rows(unit.max_rows_per_group)}{each} (with more rows, "
        f"{query.excess}){groups}; rows without {unit.name} are left out"
    )
