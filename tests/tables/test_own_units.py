"""A report says in the units of its queries how far one unit moves their numbers."""

from __future__ import annotations

import pandas as pd
import pytest

from leastnoise import Count, Mean, PrivacyUnit, Sum, Summary, Variance, ask, ask_all
from leastnoise.tables import report
from leastnoise.tables.reports.report import check_report

TABLE = pd.DataFrame({"x": range(600), "p": range(600), "g": ["a", "b"] * 300})
BOUNDS = {"low": 0, "high": 600}


def steps_of(answers):
    return [step.words for step in check_report(report(answers).to_json())]


@pytest.mark.parametrize(
    ("query", "unit", "moved"),
    [
        (Mean("x", **BOUNDS), "row", "by at most 600, in steps of 18.75"),
        (Mean("x", **BOUNDS), PrivacyUnit("p", 2), "by at most 1200, in steps of 37.5"),
        (Summary("x", **BOUNDS, step="0.000001"), "row", "by at most 600, in steps of 18.75"),
        (Sum("x", **BOUNDS), "row", "sum: a unit moves it by at most 600;"),
        (Count(), "row", "rows: a unit moves it by at most 1;"),
    ],
    ids=str,
)
def test_how_far_a_unit_moves_a_number_is_in_the_units_of_the_query(query, unit, moved):
    """Before: "by at most 600000000, in steps of 18750000" for a mean of values up to 600."""
    steps = steps_of(ask(TABLE, query, epsilon=1, unit=unit))
    assert any(moved in words for words in steps)
    assert not any("0000000" in words for words in steps)


def test_a_step_of_a_file_is_stated_in_the_units_of_the_queries():
    steps = steps_of(ask(TABLE, Mean("x", **BOUNDS), epsilon=1))
    (file,) = (words for words in steps if words.startswith("mechanism"))
    assert file.endswith(
        "1 stands for 18.75 in mean(x) and for 0.03125 in mean(x) (rows left out)."
    )
    (file,) = (words for words in steps_of(ask(TABLE, Count(), epsilon=1)) if "mechanism" in words)
    assert "1 stands for" not in file


def test_a_draw_is_stated_in_the_units_of_its_queries():
    answers = ask_all(TABLE, [Count(), Mean("x", **BOUNDS), Variance("x", **BOUNDS)], epsilon=1)
    (draw,) = (words for words in steps_of(answers) if "one draw of" in words)
    for words in ("count(): rows by at most 1,", "both bounds by at most 600,", "at most 90000"):
        assert words in draw
