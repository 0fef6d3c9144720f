"""Separators of thousands: read as stated, in groups of three digits, and never a failure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_command import run
from leastnoise import ArgumentError, CsvFile, Mean, Sum, ask
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.csv_file import THOUSANDS
from leastnoise.tables.sources.rows import TableRows
from neighbors.tables import TEXTS

STYLES = [(mark, point) for mark in THOUSANDS for point in ".," if mark != point]


def numbers(path, fields, mark, point):
    """What each field is as a number."""
    quoted = ['"' + field.replace('"', '""') + '"' for field in fields]
    lines = [f"{one};{i}" for i, one in enumerate(quoted)]
    path.write_text("\n".join(["x;y", *lines, ""]), encoding="utf-8")
    file = CsvFile(path, delimiter=";", decimal=point, thousands=mark)
    with opened(file) as table:
        table.engine.load(["x", "y"])
        rows = TableRows(table)
        cell, place = rows.number("x", "column").sql, rows.number("y", "column").sql
        found = table.engine.read(f"SELECT {place}, {cell} FROM {rows.source()}")
        return [value for _, value in sorted(found)]


def meant(field, mark, point):
    """The same, said once more."""
    number = re.fullmatch(
        rf"[+-]?([0-9{mark}]*)(?:[{point}]([0-9]*))?(?:[eE][+-]?[0-9]{{1,3}})?", field.strip(" ")
    )
    if len(field) > 100 or number is None or not (number[1] or number[2]):
        return None
    first, *groups = number[1].split(mark)
    if groups and not (
        first[:1] in {*"123456789"} and len(first) < 4 and {*map(len, groups)} == {3}
    ):
        return None
    value = float(field.strip(" ").replace(mark, "").replace(point, "."))
    return max(-1e300, min(1e300, value)) if abs(value) >= 1e-300 else 0.0


@pytest.mark.parametrize(("mark", "point"), STYLES)
def test_groups_have_three_digits(tmp_path, mark, point):
    fields = {
        f"1{mark}174": 1174,
        f"-12{mark}345{mark}678{point}5": -12345678.5,
        f" 1{mark}174 ": 1174,
        "1174": 1174,
        f"1174{point}5": 1174.5,
        f"1{mark}174e2": 117400,
        f"1{mark}17": None,
        f"1{mark}1745": None,
        f"1234{mark}567": None,
        f"0{mark}174": None,
        f"{mark}174": 174 if mark == " " else None,
        f"1{mark}{mark}174": None,
        f"1{mark}": 1 if mark == " " else None,
        f"1{mark}174{point}5{mark}000": None,
        "": None,
    }
    assert numbers(tmp_path / "t.csv", list(fields), mark, point) == list(fields.values())


@pytest.mark.parametrize(("mark", "point"), STYLES)
def test_every_text_has_one_meaning(tmp_path, mark, point):
    fields = [text for text in TEXTS if not set(text) & {"\r", "\n", "\ud800"}]
    found = numbers(tmp_path / "t.csv", fields, mark, point)
    assert found == [meant(field, mark, point) for field in fields]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(STYLES),
    st.lists(st.text("0123456789.,' _+-eE\u00e9", max_size=14), min_size=1, max_size=60),
)
def test_random_texts_have_one_meaning(tmp_path_factory, style, fields):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    assert numbers(path, fields, *style) == [meant(field, *style) for field in fields]


def test_answers_read_them_and_say_what_is_missing(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x\n" + '"1,174.5"\n' * 300 + "none\n" * 100)
    file = CsvFile(path, thousands=",")
    answer = ask(file, Mean("x", low=0, high=2000), epsilon=10)
    assert abs(answer.value - 1174.5) < 20
    assert any("text that is none) are left out" in note for note in answer.notes)
    assert abs(ask(path, Sum("x", low=0, high=2000), epsilon=10).value) < 2000  # not stated
    words = "ask", "d.csv", "mean(x, low=0, high=2000)", "--epsilon", 10, "--json"
    done = run(*words, "--thousands", ",", cwd=tmp_path)
    assert done.returncode == 0 and '"value": 11' in done.stdout
    told = run("columns", "d.csv", "--thousands", ",", cwd=tmp_path)
    assert "1,234.5" in told.stdout


@pytest.mark.parametrize(
    ("mark", "point"), [(".", "."), (",", ","), ("x", "."), (None, "."), ("-", ".")]
)
def test_other_separators_are_rejected(tmp_path, mark, point):
    with pytest.raises(ArgumentError, match="thousands must be"):
        CsvFile(tmp_path / "d.csv", thousands=mark, decimal=point)
