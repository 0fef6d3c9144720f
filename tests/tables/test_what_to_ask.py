"""Errors about queries say what to write instead, and name pages that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leastnoise import Count, Quantile, ask, ask_all, design
from leastnoise.errors import ArgumentError, UnknownArgumentError

ROOT = Path(__file__).parents[2]
TABLE = "nothing.csv"  # never opened: a query is looked at first


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("max(days)", r"no query max\(\)\. .* ask for quantile\(x, 0\.99\)"),
        ("minimum(days)", r"ask for quantile\(x, 0\.01\)"),
        ("count_distinct(patient)", "the person as the privacy unit"),
        ("STDDEV(days)", r"Ask for variance\(x\)"),
        ("avg(days)", "Did you mean 'mean'"),
        ("count", r'written with brackets: "count\(\)"'),
        ("SELECT count(*) FROM stays", "SQL is not read"),
        ([Count(), "mean(days)"], r"use ask_all\(\)"),
        ("mean(days)", r"needs low= and high=.*docs/choosing\.md"),
    ],
)
def test_an_error_says_what_to_ask_instead(query, words):
    with pytest.raises(ArgumentError, match=words):
        ask(TABLE, query, epsilon=1)


def test_other_errors_say_what_to_write():
    with pytest.raises(ArgumentError, match="got one query: ask"):
        ask_all(TABLE, Count(), epsilon=1)
    with pytest.raises(ArgumentError, match=r"There is no file 'nothing\.csv'\. A table is a CSV"):
        ask(TABLE, Count(), epsilon=1)
    with pytest.raises(ArgumentError, match=r"did you mean 0\.95\?"):
        Quantile("age", 95, low=0, high=100)
    with pytest.raises(ArgumentError, match="strings stand in 'single quotes'"):
        Count(where="ward = surgery")
    with pytest.raises(UnknownArgumentError, match=r"Name them: epsilon="):
        design(1, 1e-6, 1)


def test_pages_that_messages_name_exist():
    named = {
        page
        for path in (ROOT / "src" / "leastnoise").rglob("*.py")
        for page in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) >= 8
    assert [page for page in sorted(named) if not (ROOT / page).exists()] == []
