"""The same exact aggregates on every engine: DuckDB, a local Spark session, PostgreSQL."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import aggregate
from leastnoise import (
    ArgumentError,
    Count,
    EngineError,
    Histogram,
    Marginals,
    Mean,
    Median,
    NotAnsweredError,
    PrivacyUnit,
    Proportion,
    Quantile,
    Sum,
    Variance,
    ask,
)
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import bounded_request as _bounded
from leastnoise.tables.sources import open_table
from leastnoise.tables.sources.dialect import Dialect
from leastnoise.tables.sources.duckdb import DuckDB
from leastnoise.tables.unit import Row

N = 600
RANDOM = np.random.default_rng(5)
WHEN = np.datetime64("2023-11-17T23:30", "us") + np.arange(N) * np.timedelta64(17, "h")
TABLE = pa.table(
    {
        "p": pa.array(RANDOM.integers(0, 90, N), mask=RANDOM.random(N) < 0.05),
        "g": pa.array(
            [("north", "süd", "", "ost")[i] for i in RANDOM.integers(0, 4, N)],
            mask=RANDOM.random(N) < 0.05,
        ),
        "x": pa.array(
            np.where(RANDOM.random(N) < 0.05, np.nan, RANDOM.normal(50, 40, N) ** 3),
            mask=RANDOM.random(N) < 0.05,
        ),
        "y": pa.array(RANDOM.integers(-(10**17), 10**17, N)),
        "t": pa.array([str(v) for v in RANDOM.integers(0, 99, N)]),
        "w": pa.array(WHEN, pa.timestamp("us"), mask=RANDOM.random(N) < 0.05),
        "d": pa.array(WHEN.astype("datetime64[D]"), mask=RANDOM.random(N) < 0.05),
        "s": pa.array([str(when)[: 10 + 6 * (k % 2)] for k, when in enumerate(WHEN)]),
    }
)
BOUNDS = {"low": "-1000.5", "high": 200_000}
QUERIES = [
    Count(where="x > 3.5 and g != 'ost'"),
    Count("x", by="g", keys=["north", "süd", "none"]),
    Sum("x", **BOUNDS),
    Sum("y", low=-(10**16), high=10**17),
    Mean("x", **BOUNDS, by=["g", "p"], keys="private"),
    Variance("x", **BOUNDS),
    Proportion("x > 100 or p < 20"),
    Histogram("x", **BOUNDS, bins=9),
    Histogram("y", bins=[-(10**17), 0, 10, 10**16]),
    Median("x", **BOUNDS),
    Quantile("x", 0.9, **BOUNDS, by="g", keys=["north", "ost"]),
    Marginals(["g", "p"], [0, 1, 2], keys=[["north", "süd", ""], list(range(40))]),
    Count(by=["month(w)", "g"], keys=["2023-10..2024-12", ["north", "ost"]]),
    Mean("x", **BOUNDS, by=["quarter(d)", "year(s)"], keys=["2024-Q1..2024-Q4", "2023..2025"]),
    Histogram("x", **BOUNDS, bins=2, by="day(s)", keys="2023-12-30..2024-01-03"),
]
UNITS = [Row(), PrivacyUnit("p", 3, 2)]


def sums(table, query, unit):
    setting = Setting(unit, "add-remove")
    return aggregate(table, _bounded(query, setting))


@pytest.fixture(scope="module")
def frame(spark, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "t.parquet"
    pq.write_table(TABLE, path)
    return spark.read.parquet(str(path))


@pytest.fixture
def alike(monkeypatch):
    """DuckDB chooses the groups of a person as other engines do."""
    monkeypatch.setattr(DuckDB, "mixed", Dialect.mixed)


#: Every feature once, for the default run: a second each on Spark.
FEW = [QUERIES[i] for i in (3, 4, 5, 7, 10, 11, 13)]


@pytest.mark.parametrize(
    "queries", [FEW, pytest.param(QUERIES, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.usefixtures("alike")
def test_spark_adds_up_as_duckdb_does(frame, unit, queries):
    here, there = open_table(TABLE), open_table(frame)
    for query in queries:
        mine, other = sums(here, query, unit), sums(there, query, unit)
        assert mine == other and mine, query


def test_spark_answers(frame):
    answer = ask(frame, Count(), epsilon=5)
    assert abs(answer.value - N) < 30
    assert ask(frame, Mean("x", **BOUNDS), epsilon=5, neighbors="replace").value > 0


def test_spark_without_arrow_reads_row_by_row(frame, monkeypatch):
    query = Count(by=["g", "p"], keys="private")
    mine = sums(open_table(frame), query, Row())

    def refused(self):
        raise RuntimeError("no Arrow here")

    monkeypatch.setattr(type(frame), "toArrow", refused)
    assert sums(open_table(frame), query, Row()) == mine and mine


def test_spark_must_not_wrap_around(frame):
    session = frame.sparkSession
    session.conf.set("spark.sql.ansi.enabled", "false")
    try:
        with pytest.raises(EngineError, match="ansi"):
            ask(frame, Count(), epsilon=1)
    finally:
        session.conf.set("spark.sql.ansi.enabled", "true")


def test_spark_errors_do_not_quote_the_data(spark, tmp_path):
    pq.write_table(pa.table({"s": ["s3cretvalue"]}), tmp_path / "s.parquet")
    frame = spark.read.parquet(str(tmp_path / "s.parquet")).selectExpr("cast(s as int) as x")
    with warnings.catch_warnings(record=True) as warned, pytest.raises(NotAnsweredError) as caught:
        ask(frame, Sum("x", low=0, high=1), epsilon=1)
    assert not [one for one in warned if "s3cret" in str(one.message)]
    assert "s3cret" not in str(caught.value) and caught.value.__context__ is None


@pytest.mark.usefixtures("alike")
def test_postgresql_by_its_url(postgres):
    """PostgreSQL, where its driver is there: the same sums, and the same groups of a person."""
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(postgres) as con:
        con.execute(
            "create table people (p bigint, g text, x double precision, y bigint, w timestamp, "
            "d date, s text)"
        )
        with con.cursor().copy("copy people from stdin") as copy:
            for row in TABLE.select(["p", "g", "x", "y", "w", "d", "s"]).to_pylist():
                copy.write_row(tuple(row.values()))
    try:
        there = open_table(f"{postgres}#people")
    except EngineError as error:
        pytest.skip(f"Ibis cannot open PostgreSQL here: {error}")
    here = open_table(TABLE)
    for query in QUERIES:
        for unit in UNITS:
            mine, other = sums(here, query, unit), sums(there, query, unit)
            assert mine == other and mine, query


TEXTS = [
    *("", " 12 ", "12\t", "1e400", "-1e400", "1e-400", "5e-324", "1e99999", "1.5e3", "+5", ".5"),
    *("5.", ".", "-", "e5", "1_000", "0x10", "1d", "\u0663", "nan", "inf", "true", "North", "5\n"),
    *("9" * 400, "0." + "0" * 400 + "1", "x" * 70_000),
    *("2024-12-31", "2025-01", "31.12.2024", "2024-12-31T23:59", "2024-12-31 x", "2024-12-31\n"),
]
SMALL = {"low": 0, "high": 10}


def odd_questions(name):
    """Questions with every operation once, about a column of any type."""
    return [
        Count(name),
        Sum(name, low=-(10**18), high=10**18),
        Variance(name, low="-1e-270", high=1),
        Median(name, **SMALL, step=1),
        Histogram(name, low=-1e300, high=1e300, bins=3),
        Histogram(name, bins=[-1e300, 0, 1e-200, 1e300]),
        Proportion(f"{name} >= 5 or {name} = 9223372036854775807"),
        Count(where=f"{name} >= '0001-01-01' or {name} != '9999-12-31'"),
        Count(by=name, keys="private"),
        Count(by=[f"year({name})", f"month({name})"], keys=["0001..0003", "2024-01..2024-03"]),
    ]


def answered(table, names, unit, every=1):
    """How many questions have sums; those that the types do not allow are refused.

    every: one question in so many is asked of a column, and others of the next one.
    """
    found = 0
    for i, name in enumerate(names):
        for query in odd_questions(name)[i % every :: every]:
            with contextlib.suppress(ArgumentError):
                assert sums(table, query, unit) is not None
                found += 1
    return found


def test_postgresql_answers_for_every_value(postgres):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    columns = {
        "f": (
            "float8",
            ["NaN", "Infinity", "-Infinity", "0", "-0", "5e-324", "1e-310", "1e308", "-1e308"],
        ),
        "n": (
            "numeric",
            ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "5e-324", "1e131000"],
        ),
        "t": ("text", TEXTS),
        "b": ("char(9)", [text[:9] for text in TEXTS]),
        "d": ("date", ["infinity", "-infinity", "0044-03-15 BC", "5874897-12-31", "2024-01-01"]),
        "m": ("timestamp", ["infinity", "-infinity", "0044-03-15 BC", "294276-12-31"]),
        "z": ("timestamptz", ["infinity", "-infinity", "0044-03-15 BC", "294276-12-31"]),
        "i": ("bigint", [str(2**63 - 1), str(-(2**63)), "0"]),
        "k": ("boolean", ["true", "false"]),
        "e": ("mood", ["a"]),
        "a": ("int[]", ["{1}"]),
    }
    with psycopg.connect(postgres, autocommit=True) as con:
        con.execute("create type mood as enum ('a')")
        con.execute(f"create table odd ({', '.join(f'{n} {k}' for n, (k, _) in columns.items())})")
        for name, (kind, values) in columns.items():
            for value in values:
                con.execute(f"insert into odd ({name}) values (%s::{kind})", (value,))
    table = open_table(f"{postgres}#odd")
    for unit in (Row(), PrivacyUnit("t", 2, 1), PrivacyUnit("f", 2, 1)):
        assert answered(table, columns, unit) > 40
    for name in "ea":
        with pytest.raises(ArgumentError, match="not of type"):
            sums(table, Count(name), Row())
    assert sums(table, Count("n"), Row())[""].rows == 7  # NaN is missing
    assert sums(table, Count(where="f >= 1e299"), Row())[""].rows == 2
    here = open_table(pa.table({"t": TEXTS}))
    dated = Count(where="t >= '2024-12-31'")
    for query in (Histogram("t", low=-1, high=20, bins=21), Count(where="t < 'a'"), dated):
        assert sums(table, query, Row()) == sums(here, query, Row())
    assert sums(here, dated, Row())[""].rows == 3  # (not 31.12.2024, and nothing behind a date)
    table.close()


def test_spark_answers_for_every_value_and_knows_no_collation(spark, tmp_path):
    n = len(TEXTS)

    def column(values, kind, view=None):
        array = pa.array([*values, *[None] * (n - len(values))], kind)
        return array if view is None else array.view(view)

    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e-310, 1e308, -1e308]
    table = pa.table(
        {
            "t": TEXTS,
            "f": column(odd, pa.float64()),
            "i": column([2**63 - 1, -(2**63)], pa.int64()),
            "m": column([-(2**62), 2**62], pa.int64(), pa.timestamp("us")),
            "z": column([-(2**62), 2**62], pa.int64(), pa.timestamp("us", "UTC")),
            "d": column([-(2**30), 2**30], pa.int32(), pa.date32()),
        }
    )
    pq.write_table(table, tmp_path / "odd.parquet")
    frame = spark.read.parquet(str(tmp_path / "odd.parquet"))
    frame = frame.selectExpr("*", "t collate UTF8_LCASE as c")
    there = open_table(frame)
    assert answered(there, ["c", "f", "m"], PrivacyUnit("c", 2, 1), 2) > 7
    assert answered(there, ["d", "i", "z", "c"], Row(), 2) > 9
    here = open_table(table)
    for name in "tc":
        query, mine = (Histogram(x, low=-1, high=20, bins=21) for x in (name, "t"))
        assert sums(there, query, Row()) == sums(here, mine, Row())
    assert sums(there, Count(where="t >= '2024-12-31'"), Row())[""].rows == 3
    assert sums(there, Count(where="c = 'NORTH'"), Row())[""].rows == 0
    assert sums(there, Count(by="c", keys=["North", "north"]), Row())["North"].rows == 1
    assert spark.catalog.tableExists(there.relation)
    there.close()
    assert not spark.catalog.tableExists(there.relation)
