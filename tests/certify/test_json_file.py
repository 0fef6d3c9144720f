"""Limits of a mechanism file's JSON, the same on every version of Python."""

from __future__ import annotations

import pytest

from leastnoise.certify.json_file import limit_depth, load_json
from leastnoise.certify.limits import MAX_NESTING, MAX_REPORT
from leastnoise.errors import FormatError


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}")])
def test_nesting_ends_at_a_stated_depth(opening, closing):
    def text(levels: int) -> str:
        return opening * levels + "1" + closing * levels

    load_json(text(MAX_NESTING))
    for levels in (MAX_NESTING + 1, 500, 900, 3_000, 100_000):
        with pytest.raises(FormatError):
            load_json(text(levels))


def test_a_value_in_memory_has_the_same_limit():
    limit_depth(nested(MAX_NESTING + 1))  # (an empty list is a value, as a number is)
    with pytest.raises(FormatError, match=f"more than {MAX_NESTING} levels"):
        limit_depth(nested(MAX_NESTING + 2))
    limit_depth(["["] * 1_000)


def test_empty_lists_by_the_million_are_not_read() -> None:
    """40 MB of them took 1.9 GB."""
    with pytest.raises(FormatError, match="8000000 commas and opening brackets"):
        load_json(b"[" + b"[]," * 4_000_001 + b"0]", MAX_REPORT)
