"""What is printed of answers, and what `ask --json` says: marks, keys, cross tables, plurals."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from cli_command import run
from leastnoise import ArgumentError, Count, Mean, Quantiles, ask, ask_all, plan

TABLE = pd.DataFrame(
    {"ward": list("ABCD") * 250, "sex": list("fmxx") * 125 + list("xmff") * 125, "x": range(1000)}
)
WARDS = {"by": "ward", "keys": ["A", "B", "none"]}
LEGEND = "in parentheses: 95% margin of error is more than 30% of the number, or no finite"
OTHERS = "hint: rows with other keys, even by a blank or upper case, are in no group"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("printed")
    TABLE.to_csv(path / "t.csv", index=False)
    return path


def test_marked_answers_print_imprecise_numbers_in_parentheses():
    answer = ask(TABLE, Count(**WARDS), epsilon=1)
    assert "(" not in str(answer) and answer.as_dict()["imprecise"] is None
    marked = answer.marked(0.3)
    lines = str(marked).splitlines()
    assert lines[0].startswith("A: 2") and lines[2].startswith("none: (")
    assert any(line.startswith(LEGEND) for line in lines)
    assert marked.as_dict()["imprecise"] == ["none"] == answer.imprecise(0.3)
    assert marked.as_dict() | {"imprecise": None} == answer.as_dict()
    assert f"({answer.value['none']})" in marked._repr_html_()
    both = ask_all(TABLE, [Count(**WARDS), Count()], epsilon=1).marked("0.3")
    assert str(both).count(LEGEND) == 2 and both[1].imprecise(0.3) == []
    with pytest.raises(ArgumentError, match=r"^margin must be a number above 0"):
        answer.marked(0)


def test_printed_answers_say_that_rows_with_other_keys_are_in_no_group():
    assert OTHERS in str(ask(TABLE, Count(**WARDS), epsilon=1))
    both = ask_all(TABLE, [Mean("x", low=0, high=1000, **WARDS), Count()], epsilon=1)
    assert str(both).count(OTHERS) == 1
    assert "other keys" in " ".join(plan(Count(**WARDS), epsilon=1, rows=10).notes)
    for query in (Count(), Count(by="month(x)", keys=["2024-01"])):
        assert "other keys" not in " ".join(plan(query, epsilon=1, rows=10).notes)


def test_the_command_line_marks_without_a_file(folder):
    """Before: --imprecise must be left out without --report, --csv or --excel."""
    words = ("ask", "t.csv", "count()", "--by", "ward", "--keys", "A,none", "--epsilon", 1)
    found = run(*words, "--imprecise", 0.3, cwd=folder)
    assert found.returncode == 0 and LEGEND in " ".join(found.stdout.split())
    assert re.search(r"none +│ \(\d+\) ", found.stdout)
    found = run(*words, "--imprecise", 0.3, "--json", cwd=folder)
    assert json.loads(found.stdout)["imprecise"] == ["none"]
    assert json.loads(run(*words, "--json", cwd=folder).stdout)["imprecise"] is None


@pytest.mark.parametrize(
    ("query", "rests"),
    [
        ("count()", ""),
        ("mean(x, low=0, high=1000)", " from "),
        ("marginals(ward, sex, ways=0;1;2)", ""),
    ],
)
def test_two_axes_are_a_cross_table_where_it_fits(folder, monkeypatch, query, rests):
    by = () if "marginals" in query else ("--by", "ward,sex")
    words = ("ask", "t.csv", query, *by, "--keys", "A,B,C,D;f,m,x", "--epsilon", 1)
    monkeypatch.setenv("COLUMNS", "100")
    lines = run(*words, cwd=folder).stdout.splitlines()
    head = next(line for line in lines if "ward" in line and " f " in line)
    assert head.index(" f ") < head.index(" m ") < head.index(" x ")
    assert any("columns: sex" in line for line in lines)
    assert any(" to " in line and line.count(" to ") >= 3 for line in lines)
    assert not rests or any(line.count(rests) == 3 for line in lines)
    monkeypatch.setenv("COLUMNS", "40")
    listed = run(*words, cwd=folder).stdout
    assert "A, f" in listed and "columns: sex" not in listed


def test_one_row_is_not_one_rows():
    assert "for 1 row a group" in str(plan(Count(), epsilon=1, rows=1))
    assert "for 2 rows a group" in str(plan(Count(), epsilon=1, rows=2))
    why = plan(Quantiles("x", [0.5], low=0, high=9), epsilon=1, rows=9).why
    assert "at most 1 row to" in why
    one = pd.DataFrame({"x": [5.0]})
    for _ in range(20):
        words = str(ask(one, Mean("x", low=0, high=10), epsilon=15))
        assert "from 1 rows" not in words
