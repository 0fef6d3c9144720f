"""Errors for words of other libraries say what to type instead."""

from __future__ import annotations

import pandas as pd
import pytest

import leastnoise
from leastnoise import (
    ArgumentError,
    Count,
    CsvFile,
    Histogram,
    Ledger,
    Marginals,
    Mean,
    PrivacyUnit,
    Quantile,
    Sum,
    ask,
    ask_all,
    design,
    partition_selection,
    plan,
)

TABLE = pd.DataFrame({"x": [1, 2, 3]})


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Total", "Sum"),
        ("Share", "Proportion"),
        ("Ranges", "RangeCounts"),
        ("Person", "PrivacyUnit"),
        ("keyed", "partition_selection"),
    ],
)
def test_a_name_of_another_library(typed: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{typed}'. Did you mean '{meant}'?"):
        getattr(leastnoise, typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("total", "sum"), ("avg", "mean"), ("share", "proportion"), ("percentile", "quantile")],
)
def test_a_query_of_another_language(typed: str, meant: str) -> None:
    with pytest.raises(ArgumentError, match=rf"Did you mean '{meant}'\?"):
        ask(TABLE, f"{typed}(x)", epsilon=1)


def test_an_argument_of_another_library() -> None:
    with pytest.raises(ArgumentError, match=r"PrivacyUnit\(\) has no.*'max_rows_per_group'"):
        PrivacyUnit("id", max_rows=3)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"ask\(\) has no argument 'mechanism'"):
        ask(TABLE, "count()", epsilon=1, mechanism="laplace")  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"ask\(\) has no argument 'neighbours'.*'neighbors'"):
        ask(TABLE, "count()", epsilon=1, neighbours="replace")  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"Mean\(\) has no argument 'lo'. Did you mean 'low'"):
        Mean("x", lo=0, high=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: Mean("x", 0, 100), "Mean() has too many arguments without a name. Name them: "),
        (lambda: Quantile("x", 0.9, 0, 100), "Name them: low=0, high=100"),
        (lambda: ask(TABLE, "count()", 1), "Name them: epsilon=..., delta=..., ledger=..."),
        (lambda: ask(TABLE, "mean(x, 0, 100)", epsilon=1), "mean(x, low=0, high=100)"),
        (lambda: ask(TABLE, "sum(x, 0, 100)", epsilon=1), "sum(column, low=0, high=100)"),
        (lambda: ask(TABLE, epsilon=1), 'query must be given: such as "count()"'),
        (lambda: ask(TABLE, "count()"), "epsilon must be given: the privacy budget"),
        (lambda: plan("count()", epsilon=1), "rows must be given: your guess"),
        (lambda: PrivacyUnit("id"), "max_rows_per_group must be given: the largest number"),
        (lambda: ask(TABLE, "count()", epsilon=1, delimiter=";"), "the file: ask(CsvFile(path, "),
        (lambda: ask(TABLE, "count()", epsilon=1, seed=1), "Releases take no seed"),
        (lambda: Mean("x", bounds=(0, 1)), "no argument 'bounds'. Write low= and high=."),
        (lambda: CsvFile("x.csv", sep=";"), "Did you mean 'delimiter'?"),
        (lambda: design(epsilon=1, delta=0, sensitivity=[1, 1]), "a shape such as Cube(2) for"),
        (lambda: ask(TABLE, "count(*)", epsilon=1), 'The number of rows is "count()".'),
        (lambda: Count(by=["x", "y"], keys=["f", "m"]), "of several columns a list of such lists"),
        (lambda: Marginals(["x"], 1, keys=[1, 2]), "a list of 1 public list of values, "),
        (lambda: Mean("x", low=0), "mean(x) needs low= and high=: "),
        (lambda: Count(where="flag"), "write flag = true"),
        (lambda: Sum([("1", "l1")], low=0, high=1), "the loss that adds up losses is WeightedSum"),
        (lambda: Histogram("x", bins=2, low=0, high=4, keys="private"), "a list of public keys"),
        (lambda: ask(TABLE, Count(by="x", keys="private"), epsilon=1), "delta > 0"),
        (lambda: partition_selection(epsilon=1, delta=0), "needs delta > 0, for example"),
    ],
)
def test_what_to_write_instead(asked, words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        asked()
    assert words in str(caught.value)


def test_a_file_with_another_delimiter_says_how_to_state_it(tmp_path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region;amount\nnorth;3\n")
    with pytest.raises(
        ArgumentError, match=r"probably ';', got ','. Pass CsvFile\('.*', delimiter="
    ):
        ask(path, Count(), epsilon=1)


def test_several_answers_say_once_what_they_spent() -> None:
    several = ["count()", "mean(x, low=0, high=3)"], [Count(where=f"x > {i}") for i in range(12)]
    for queries in several:
        told = str(ask_all(TABLE, queries, epsilon=1, rows=3))
        assert told.count("spent") == 1
        assert told.endswith(f"spent epsilon=1, delta=0 once for all {len(queries)} queries")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Max", r"Write Bounds\(\.\.\.\) or Quantiles"),
        ("minimum", r"Write Bounds\(\.\.\.\) or Quantiles"),
        ("GroupBy", r'by="column", keys='),
        ("read_csv", r'ask\("data\.csv"'),
        ("Avg", "Did you mean 'Mean'"),
        ("Quantil", "Did you mean 'Quantile'"),
    ],
)
def test_a_name_that_is_not_there_says_what_to_write(name: str, words: str) -> None:
    """Before: for Max that MaxError was meant."""
    with pytest.raises(AttributeError, match=words):
        getattr(leastnoise, name)
    assert not hasattr(leastnoise, name)


def test_a_ledger_is_opened_by_its_path() -> None:
    with pytest.raises(ArgumentError, match=r'where must be given: .*"budget\.db"'):
        Ledger()  # type: ignore[call-arg]
