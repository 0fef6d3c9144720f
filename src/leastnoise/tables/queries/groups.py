"""Groups of a question: how many one unit is in, and how many it can move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import ArgumentError
from ..planning.joint_draw import GroupedQuery
from .base import Query, Setting


def groups_moved(query: Query, setting: Setting) -> int:
    """How many groups one unit can move, at most: added or removed, or in both of two places."""
    if not query.grouped:
        return 1
    keys, most = query.public_keys, setting.unit.max_groups
    if keys is None and most is None:
        raise ArgumentError(
            "max_groups",
            None,
            "given with private keys: the largest number of groups of one person (docs/keys.md)",
        )
    limits = [most] if keys is None else [most, len(keys)]
    each = min(limit for limit in limits if limit is not None)
    moved = 2 * each if setting.replace else each
    return moved if keys is None else min(moved, len(keys))


def grouped_query(query: Query, setting: Setting) -> GroupedQuery:
    """The question with how many groups one unit is in, and can move."""
    each = groups_moved(query, replace(setting, neighbors="add-remove"))
    return GroupedQuery(query, setting, each, groups_moved(query, setting))


def bounded_request(query: Query, setting: Setting) -> Any:
    """The engine's request, with the groups per person enforced where they are not all allowed."""
    request = query.request(setting)
    unit, keys = setting.unit, query.public_keys
    if not query.grouped or unit.column is None or unit.max_groups is None:
        return request
    if keys is not None and unit.max_groups >= len(keys):
        return request
    return replace(request, max_groups=unit.max_groups)
