"""Conditions are parsed by a small grammar; all else is refused, and SQL is never pasted."""

from __future__ import annotations

import contextlib

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise import ArgumentError
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.expression import parse_condition
from leastnoise.tables.sources.rows import TableRows
from leastnoise.tables.sources.where import truth_of

FRAME = pd.DataFrame(
    {
        "year": [2023, 2024, 2024, None],
        "region": ["north", "so'uth", None, "and"],
        "x y": [1.5, float("nan"), -3.0, 1e9],
        "flag": [True, False, True, None],
        "text": ["2024", "7", "abc", None],
        "day": pd.to_datetime(["2024-01-01", "2024-06-01", None, "2023-01-01"]),
    }
).astype({"year": "Int64", "flag": "boolean", "text": object})
TABLE = open_table(FRAME)
TABLE.engine.load(list(FRAME.columns))


def rows(text):
    return true_rows(TABLE, text)


def true_rows(table, text):
    """For each row, whether the condition is true."""
    found = TableRows(table)
    truth = truth_of(found, parse_condition(text))
    return [bool(t) for (t,) in table.engine.read(f"SELECT {truth} FROM {found.source()}")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year = 2024", [0, 1, 1, 0]),
        ("year == 2024", [0, 1, 1, 0]),
        ("year <> 2024", [1, 0, 0, 0]),
        ("year >= 2024 AND region = 'so''uth'", [0, 1, 0, 0]),
        ("not year = 2024", [1, 0, 0, 0]),
        ("year is null or year = 2023", [1, 0, 0, 1]),
        ("`x y` > 1", [1, 0, 0, 1]),
        ('"x y" between -5 and 2', [1, 0, 1, 0]),
        ("region in ('north', 'and')", [1, 0, 0, 1]),
        ("region not in ('north')", [0, 1, 0, 1]),
        ("flag = true", [1, 0, 1, 0]),
        ("text = 2024", [1, 0, 0, 0]),
        ("text > 5", [1, 1, 0, 0]),
        ("text = '2024'", [1, 0, 0, 0]),
        ("day >= '2024-01-01'", [1, 1, 0, 0]),
        ("(year = 2023 or year = 2024) and not (`x y` < 0)", [1, 0, 0, 0]),
        ("year < 1e18", [1, 1, 1, 0]),
        ("year not between 2023 and 2023", [0, 1, 1, 0]),
        ("text is not null", [1, 1, 1, 0]),
    ],
)
def test_what_conditions_mean(text, expected):
    assert rows(text) == [bool(x) for x in expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "year",
        "year =",
        "= 3",
        "year = 2024;",
        "year = 2024; drop table t",
        "1=1",
        "year = 2024 -- x",
        "year = 2024 /* x */",
        "year = (select 1)",
        "sum(year) > 3",
        "year + 1 = 3",
        "year = year",
        "year in ()",
        "year in 3",
        "year = 2024 or",
        "(year = 2024",
        "year = 2024)",
        "year like 'x%'",
        "year = 'a",
        "'a' = 'a'",
        "year = 1e999",
        "year = 2024 2025",
        "year = null",
        "exists (select 1)",
        "year is 3",
        "not",
        "and",
        "year between 1",
        "x'41' = 3",
        "(" * 60 + "year = 1" + ")" * 60,
        "year = 1" + " or year = 1" * 2000,
        "year\x00 = 1",
        "year = $1",
        "year = ?",
        "read_csv('/etc/passwd') = 1",
        "a.b = 3",
        "year = 0x10",
        "year = 1_0",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ArgumentError, match="where must be"):
        parse_condition(text)


@pytest.mark.parametrize("text", ["flag", ' "flag" ', "`flag`"])
def test_a_proportion_of_a_boolean_column_needs_its_name_alone(text):
    found = TableRows(TABLE)
    truth = truth_of(found, parse_condition(text, "condition", flag=True), "condition")
    values = [t for (t,) in TABLE.engine.read(f"SELECT {truth} FROM {found.source()}")]
    assert values == [True, False, True, None]


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("year", "year = 1,"),
        ("region", "region = 'yes' (or = true),"),
        ("day", "day = '2024-12-31'"),
    ],
)
def test_a_name_alone_of_another_column_says_what_to_write(name, example):
    with pytest.raises(ArgumentError, match="Boolean") as caught:
        truth_of(TableRows(TABLE), parse_condition(name, "condition", flag=True), "condition")
    assert example in str(caught.value)


@pytest.mark.parametrize("text", ["", "not", "'flag'", "3", "flag flag", "flag(", "x" * 10_001])
def test_nothing_else_is_the_name_of_a_boolean_column(text):
    with pytest.raises(ArgumentError, match="condition must be"):
        parse_condition(text, "condition", flag=True)


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text):
    with contextlib.suppress(ArgumentError):
        parse_condition(text)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@settings(max_examples=8)
@given(st.lists(TEXTS, min_size=5, max_size=10))
def test_texts_are_values_and_never_code(values):
    """Whatever stands between the quotes is compared as it is."""
    rows = ["x", *(text for value in values for text in (value, value + "x"))]
    with opened(pd.DataFrame({"a": rows})) as table:
        table.engine.load(["a"])
        for value in values:
            found = true_rows(table, "a = '" + value.replace("'", "''") + "'")
            assert found == [row == value for row in rows]


@pytest.mark.parametrize(
    "text",
    [
        "nothere = 3",
        "year = 'x'",
        "flag = 1",
        "day = 5",
        "day = 'soon'",
        "year in (1, 'a')",
        "year = true",
    ],
)
def test_wrong_columns_and_types_are_refused(text):
    with pytest.raises(ArgumentError):
        truth_of(TableRows(TABLE), parse_condition(text))
