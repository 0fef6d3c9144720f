"""The number of rows, where all neighbors share it: counted, and compared with the sums."""

from __future__ import annotations

from ...errors import ArgumentError, Described, NotAnsweredError
from ..charge import run_paid
from . import Table
from .bounding import GroupSums


class UncountedError(Exception):
    """The rows, whose number is public, could not be counted."""


def public_size(table: Table) -> int:
    """The number of rows, which all neighbors share."""
    try:
        size = run_paid(lambda: table.engine.count(table.relation))
    except NotAnsweredError:
        size = None
    if size is None:
        raise UncountedError
    if size < 1:
        raise ArgumentError(
            "table", Described("0 rows"), "a table of at least one row where rows are replaced"
        )
    return size


def check_size(sums: dict[str, GroupSums], size: int) -> None:
    """Sensitivities rest on it: every row of the public number is in the sums."""
    if sums.get("", GroupSums()).rows != size:
        raise NotAnsweredError
