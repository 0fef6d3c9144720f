"""The pages of limits, data types, the query language and the environment are the code's."""

from __future__ import annotations

import datetime
import json
import re
from decimal import Decimal
from fractions import Fraction
from importlib import import_module

import pyarrow
import pytest
from doc_pages import ROOT

from cli_command import run
from leastnoise.tables.queries.registry import words
from leastnoise.tables.queries.text import query_of
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.expression import parse_condition

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+) \| ([\d.,e-]+) \| `([\w.]+)` \|$", PAGE, re.M)


def value_of(name: str) -> object:
    """What has this name below `leastnoise`: a constant of a module, or a field's default."""
    parts = name.split(".")
    for last in range(len(parts) - 1, 0, -1):
        try:
            value = import_module(".".join(["leastnoise", *parts[:last]]))
        except ModuleNotFoundError:
            continue
        for part in parts[last:]:
            value = getattr(value, part)
        return value
    raise LookupError(name)


def test_every_row_names_a_limit():
    rows = [
        line for line in PAGE.splitlines() if line.startswith("| ") and "in the code" not in line
    ]
    assert len(ROWS) == len(rows) > 40


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2])
def test_a_limit_is_that_of_the_code(row):
    _, shown, name = row
    assert Fraction(shown.replace(",", "")) == Fraction(str(value_of(name)))


def test_every_variable_of_ours_is_on_the_page():
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "leastnoise"
    read = {
        name
        for path in source.rglob("*.py")
        for name in re.findall(r'"(LEASTNOISE_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    assert read == set(re.findall(r"^\| `(LEASTNOISE_[A-Z_]+)`", page, re.M))


#: A column of each type, in the order of the page.
COLUMNS = {
    "integers": [1],
    "floats": [1.5],
    "decimals with digits after the point": [Decimal("1.5")],
    "decimals without": [Decimal(15)],
    "strings": ["a"],
    "Booleans": [True],
    "dates": [datetime.date(2020, 1, 1)],
    "timestamps": [datetime.datetime(2020, 1, 1)],
    "lists and other types": [[1]],
}


def test_the_types_of_columns_are_used_as_the_page_says():
    page = (ROOT / "docs" / "data-types.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| ([\w ]+) \| ((?:yes|no) .*) \|$", page, re.M))
    assert list(shown) == list(COLUMNS)
    with opened(pyarrow.table(COLUMNS)) as table:
        for name, cells in shown.items():
            column = table.column(name, "column")
            uses = (column.number, column.value, column.key, column.person)
            assert cells.split(" | ") == ["no" if use is None else "yes" for use in uses], name


LANGUAGE = (ROOT / "docs" / "query-language.md").read_text(encoding="utf-8")
OPTIONS = {"low": 0, "high": 9, "nulls": "skip", "step": 1, "bins": 4, "ways": 1}
OPTIONS |= {"smallest": "0.5", "largest": "2000"}


def test_the_queries_of_the_page_are_those_of_the_parser():
    rows = re.findall(r"^\| `((\w+)\(.*\))` \| .* \|(.*)\|$", LANGUAGE, re.M)
    assert {word for _, word, _ in rows} == set(words())
    for text, _, cells in rows:
        bounds = {name: 0 if name == "low" else 9 for name in ("low", "high") if name in cells}
        keys = {"keys": [["x"], ["y"]]} if text.startswith("marginals") else {}
        assert query_of(text, **bounds, **keys)
        for name in re.findall(r"`(\w+)`", cells):
            # What the text itself gives is left out.
            last = ", " if name == "bins" and text.count(",") == 1 else ", ways"
            inside = f"{text[:-1].partition(last)[0]}, {name}={OPTIONS[name]})"
            assert query_of(inside, **{k: v for k, v in bounds.items() if k != name}, **keys)


def test_the_conditions_of_the_page_are_parsed():
    forms = LANGUAGE.partition("## Conditions")[2]
    cells = re.findall(r"^\| .* \| (`.*`) \|$", forms, re.M)
    examples = [found for cell in cells for found in re.findall(r"`([^`]+)`", cell)]
    operators = re.search(r"comparison: (.*?) \|", forms)[1].replace("`", "").split()
    assert len(examples) >= 8
    for condition in [*examples, *(f"x {operator} 1" for operator in operators)]:
        parse_condition(condition, "where")


COUNT = ("--epsilon", "1", "--delta", "0", "--sensitivity", "1", "--integer")
COMMANDS = {
    "design": (("design", *COUNT, "--out", "c.json"), ("design", *COUNT, "--bounds", "0", "5")),
    "verify": (("verify", "c.json"),),
    "release": (("release", "c.json", "3"),),
    "sample": (("sample", "c.json", "--count", "3", "--out", "s.npy"),),
    "compare": (("compare", *COUNT),),
    "compose": (("compose", "c.json", "--delta", "0.01", "--times", "1"),),
    "columns": (("columns", "t.csv"),),
    "plan": (("plan", "count()", "--epsilon", "1", "--rows", "10"),),
    "ask": (("ask", "t.csv", "count()", "--epsilon", "1", "--ledger", "b.db"),),
    "ledger create": (("ledger", "create", "b.db", "--epsilon", "2"),),
    "ledger history": (("ledger", "history", "b.db"),),
}


def test_the_keys_of_json_are_on_the_page(tmp_path):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8").partition("## JSON")[2]
    (tmp_path / "t.csv").write_text("x\n1\n", encoding="utf-8")
    for name in ("ledger create", *(name for name in COMMANDS if name != "ledger create")):
        row = re.search(rf"^\| `{name}`.*$", page, re.M)[0]
        if "#facts-of-a-design" in row or "facts of the design" in row:
            row += page.partition("### Facts of a design")[2]
        for command in COMMANDS[name]:
            printed = run(*command, "--json", cwd=tmp_path).stdout
            keys = set(json.loads(printed)) - {"command", "exit_code"}
            assert keys, name
            assert [key for key in sorted(keys) if f"`{key}`" not in row] == [], name
