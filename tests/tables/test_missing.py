"""Rows whose values are missing are left out of every answer, on every engine."""

from __future__ import annotations

import math
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Sum,
    Variance,
    ask,
    ask_all,
)
from leastnoise.tables import query_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import NEIGHBORS, Row

#: 50 rows without a value; of the others 126 of 150 are above 3: a proportion of 0.84, not 0.63.
TABLE = pa.table(
    {
        "p": [i // 4 for i in range(200)],
        "x": pa.array([None if i % 4 == 3 else 9.0 if i % 25 > 3 else 0.0 for i in range(200)]),
        "y": [i % 2 for i in range(200)],
        "flag": pa.array([None if i % 10 == 9 else i % 3 == 0 for i in range(200)]),
    }
)
KNOWN = [x for x in TABLE.column("x").to_pylist() if x is not None]
TRUE = sum(x > 3 for x in KNOWN)
UNITS = [Row(), PrivacyUnit("p", 4)]


def proportion(table, query, unit, neighbors="add-remove"):
    """The exact rows that count and the exact proportion of them."""
    setting = Setting(unit, neighbors)
    sums = sums_of(table, query, setting)[""]
    return sums.rows, Fraction(sums.values, query.request(setting).scale.top * sums.rows)


@pytest.fixture(
    params=["arrow", "pandas", "polars", "parquet", "csv", "duckdb", "spark", "postgres"]
)
def table(request, tmp_path):
    kind = request.param
    if kind == "arrow":
        yield open_table(TABLE)
    elif kind == "pandas":
        yield open_table(TABLE.to_pandas())
    elif kind == "polars":
        yield open_table(pytest.importorskip("polars").from_arrow(TABLE))
    elif kind == "csv":
        lines = [
            ",".join("" if v is None else str(v) for v in row.values()) for row in TABLE.to_pylist()
        ]
        (tmp_path / "t.csv").write_text("\n".join(["p,x,y,flag", *lines, ""]))
        yield open_table(tmp_path / "t.csv")
    elif kind == "duckdb":
        import duckdb

        with duckdb.connect(tmp_path / "t.duckdb") as con:
            con.register("given", TABLE)
            con.execute("create table t as select * from given")
        yield open_table(f"duckdb://{tmp_path / 't.duckdb'}#t")
    elif kind == "postgres":
        psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
        url = request.getfixturevalue("postgres")
        with psycopg.connect(url) as con:
            con.execute("drop table if exists missing")
            con.execute("create table missing (p bigint, x double precision, y bigint, flag bool)")
            with con.cursor().copy("copy missing from stdin") as copy:
                for row in TABLE.to_pylist():
                    copy.write_row(tuple(row.values()))
        yield open_table(f"{url}#missing")
    else:
        pq.write_table(TABLE, tmp_path / "t.parquet")
        if kind == "spark":
            spark = request.getfixturevalue("spark")
            yield open_table(spark.read.parquet(str(tmp_path / "t.parquet")))
        else:
            yield open_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_condition_that_is_null_is_neither_yes_nor_no(table, unit):
    rows, share = proportion(table, Proportion("x > 3"), unit)
    assert rows == len(KNOWN) == 150 and share == Fraction(TRUE, 150)
    rows, share = proportion(table, Proportion("not x > 3"), unit)
    assert rows == 150 and share == 1 - Fraction(TRUE, 150)
    # SQL knows the answer where one side decides it.
    rows, share = proportion(table, Proportion("x > 3 or y = 1"), unit)
    assert rows == 150 + sum(x is None and y == 1 for x, y in zip(*columns(), strict=True))
    rows, share = proportion(table, Proportion("x is null"), unit)
    assert rows == 200 and share == Fraction(1, 4)
    rows, share = proportion(table, Proportion("x > 3", nulls="no"), unit)
    assert rows == 200 and share == Fraction(TRUE, 200)


def test_a_boolean_column_is_a_condition(table):
    if table.column("flag", "condition").value.kind == "text":  # all of CSV, objects of pandas
        with pytest.raises(ArgumentError, match="condition must be a comparison such as flag = "):
            proportion(table, Proportion("flag"), Row())
        return
    for unit in UNITS:
        found = proportion(table, Proportion("flag"), unit)
        assert found == proportion(table, Proportion("flag = true"), unit)
    assert found == (180, Fraction(sum(i % 3 == 0 and i % 10 != 9 for i in range(200)), 180))
    with pytest.raises(ArgumentError, match="condition must be a comparison such as y = 1,"):
        proportion(table, Proportion("y"), Row())


def columns():
    return TABLE.column("x").to_pylist(), TABLE.column("y").to_pylist()


@pytest.mark.parametrize("neighbors", NEIGHBORS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_answers_leave_missing_values_out(unit, neighbors):
    options = {"epsilon": 12, "delta": "0.01", "unit": unit, "neighbors": neighbors}
    share = ask(TABLE, Proportion("x > 3"), **options)
    assert abs(share.value - TRUE / 150) < 0.08
    assert "rows for which the condition is NULL (a value is missing) are left out" in share.notes
    mean, total = sum(KNOWN) / 150, sum(KNOWN)
    for query, true, within in (
        (Mean("x", low=0, high=10), mean, 0.8),
        (Sum("x", low=0, high=10), total, 100),
        (Variance("x", low=0, high=10), sum((x - mean) ** 2 for x in KNOWN) / 150, 4),
    ):
        answer = ask(TABLE, query, **options)
        assert abs(answer.value - true) < within, query
        assert any(
            "rows without a number (missing, or text that is none) are left out" in note
            for note in answer.notes
        )
    both = ask_all(TABLE, [Proportion("x > 3"), Mean("x", low=0, high=10)], rows=200, **options)
    assert abs(both[0].value - TRUE / 150) < 0.15 and abs(both[1].value - mean) < 1.5


def test_the_number_of_rows_with_a_value_is_not_public():
    for query in (Proportion("x > 3"), Mean("x", low=0, high=10), Median("x", low=0, high=10)):
        assert not query.fixed(Row(), "replace")
        assert not any(
            "is public" in note for note in ask(TABLE, query, epsilon=1, neighbors="replace").notes
        )
    for query in (Proportion("x > 3", nulls="no"), Mean("x", low=0, high=10, nulls="middle")):
        assert query.fixed(Row(), "replace") and not query.fixed(Row(), "add-remove")
        answer = ask(TABLE, query, epsilon=12, neighbors="replace")
        assert "the number of rows, 200, is public because rows are replaced" in answer.notes
    assert (
        abs(
            ask(TABLE, Proportion("x > 3", nulls="no"), epsilon=12, neighbors="replace").value
            - TRUE / 200
        )
        < 0.03
    )


def test_nothing_is_known_of_a_table_of_missing_values():
    nothing = pa.table({"x": pa.array([None, None, math.nan], pa.float64())})
    for neighbors in NEIGHBORS:
        answer = ask(nothing, Proportion("x > 3"), epsilon=1, neighbors=neighbors)
        assert 0 <= answer.interval[0] <= answer.value <= answer.interval[1] <= 1


def test_the_rule_is_stated_by_name():
    with pytest.raises(ArgumentError, match="skip, no"):
        Proportion("x > 3", nulls="middle")
    assert query_of("proportion(flag)") == Proportion("flag")
    assert query_of("proportion(x > 3)", nulls="no") == Proportion("x > 3", nulls="no")
