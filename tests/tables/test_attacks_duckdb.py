"""Connections that others use, views that read rows to be opened, functions, Parquet's clocks."""

import collections
import os
import re
import subprocess
import sys
import threading

import duckdb
import ibis
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import sums_of
from leastnoise import Count, Histogram, Mean, Median, PrivacyUnit, Sum, Variance, ask
from leastnoise.errors import ArgumentError
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.catalog import USED
from leastnoise.tables.sources.duckdb import DuckDB
from leastnoise.tables.unit import Row

ROW = Setting(Row(), "add-remove")


def rows(source, query, unit=ROW):
    with opened(source) as table:
        return sums_of(table, query, unit)[""].rows


def connection(size=1000):
    con = ibis.duckdb.connect()
    con.raw_sql(f"create table t as select i as p, i % 10 as x from range({size}) r(i)")
    return con


# -- one connection, several users ----------------------------------------------------------------


def together(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_threads_that_ask_get_their_own_answers():
    table = connection(300_000).table("t")
    found = collections.Counter()

    def asking(query, true):
        for _ in range(8):
            found[true, rows(table, query)] += 1

    together(
        lambda: asking(Count(where="x = 7"), 30_000), lambda: asking(Count(where="x < 3"), 90_000)
    )
    assert found == {(30_000, 30_000): 8, (90_000, 90_000): 8}


def test_queries_of_the_owner_are_not_mixed_up_with_a_question():
    con = connection(300_000)
    ours, theirs = collections.Counter(), collections.Counter()
    with opened(con.table("t")) as table:

        def owner():
            for _ in range(60):
                theirs[con.con.execute("select count(*) from t where x < 3").fetchall()[0]] += 1

        def asking():
            for _ in range(20):
                ours[sums_of(table, Count(where="x = 7"), ROW)[""].rows] += 1

        together(owner, asking)
    assert ours == {30_000: 20}
    assert theirs == {(90_000,): 60}


def test_a_result_that_the_owner_is_fetching_is_left_alone(monkeypatch):
    monkeypatch.setattr("leastnoise.tables.sources.catalog._PATIENCE", 0.01)
    con = connection()
    table = con.table("t")
    held = con.con.execute("select p from t order by p")
    assert held.fetchone() == (0,)
    with pytest.raises(ArgumentError, match="without unfinished results"):
        open_table(table)
    assert held.fetchone() == (1,)
    assert len(held.fetchall()) == 998
    assert rows(table, Count()) == 1000


def test_settings_of_the_owner_are_never_touched():
    con = connection()
    every = "select name, value from duckdb_settings() order by name"
    con.raw_sql("set disabled_optimizers = 'join_order'")
    before = con.raw_sql(every).fetchall()
    table = open_table(con.table("t"))
    assert con.raw_sql(every).fetchall() == before
    other, seen = con.con.cursor(), []
    elsewhere = other.execute(every).fetchall()
    read = type(table.engine.connection).execute

    class Watched:
        def execute(self, query):
            seen.append(other.execute(every).fetchall())
            return read(table_connection, query)

    table_connection, table.engine.connection = table.engine.connection, Watched()
    sums_of(table, Count(where="x = 7"), ROW)
    table.engine.connection = table_connection
    assert seen
    assert all(one == elsewhere for one in seen)
    assert con.raw_sql(every).fetchall() == before
    table.close()
    assert con.raw_sql(every).fetchall() == before
    assert con.raw_sql("select count(*) from t").fetchall() == [(1000,)]


def test_a_file_that_is_open_elsewhere_keeps_its_settings(tmp_path):
    path = tmp_path / "t.duckdb"
    con = duckdb.connect(str(path))
    con.execute("create table t as select 1 as x")
    every = "select name, value from duckdb_settings() order by name"
    before = con.execute(every).fetchall()
    with opened(f"duckdb://{path}#t") as table:
        assert con.execute(every).fetchall() == before
        assert sums_of(table, Count(), ROW)[""].rows == 1
    assert con.execute("select x from t").fetchall() == [(1,)]


def test_names_mean_what_they_mean_on_the_connection():
    con = connection()
    con.raw_sql("create schema other")
    con.raw_sql("create table other.t as select 1 as x from range(5)")
    assert rows(con.table("T"), Count()) == 1000
    assert rows(con.table("t", database="other"), Count()) == 5
    assert rows(con.table("t", database=("memory", "other")), Count()) == 5
    con.raw_sql("use other")
    assert rows(con.table("t"), Count()) == 5
    assert rows(con.table("t", database="main"), Count()) == 1000
    con.raw_sql("use main")
    table = con.table("t")
    assert rows(table, Count()) == 1000
    con.raw_sql("create temp view t as select * from memory.main.t where x = 7")
    with pytest.raises(ArgumentError, match="temporary"):
        open_table(table)
    assert rows(con.table("t", database=("memory", "main")), Count()) == 1000
    table = con.table("t", database="other")
    con.raw_sql("attach ':memory:' as other")
    with pytest.raises(ArgumentError, match="with its database and its schema"):
        open_table(table)


def test_a_name_of_a_file_is_never_the_file(tmp_path):
    con = connection()
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(ArgumentError, match="a base table"):
        open_table(con.table(str(path)))
    con.raw_sql(f'create table "{path}" as select 1 as x from range(3)')
    assert rows(con.table(str(path)), Count()) == 3


def test_all_statements_of_a_table_see_one_state():
    con = connection()
    with opened(con.table("t")) as table:
        con.raw_sql("insert into t values (0, 0)")
        con.raw_sql("create macro least(a, b) as 0")
        assert sums_of(table, Sum("x", low=0, high=9), ROW)[""].rows == 1000
        assert sums_of(table, Count(), ROW)[""].rows == 1000
    con.raw_sql("drop macro least")
    assert rows(con.table("t"), Count()) == 1001


def test_rows_that_are_not_committed_are_not_there_yet():
    con = connection()
    table = con.table("t")
    con.raw_sql("begin")
    con.raw_sql("insert into t values (0, 0)")
    assert rows(table, Count()) == 1000
    con.raw_sql("commit")
    assert rows(table, Count()) == 1001


# -- where rows come from -------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    pq.write_table(pa.table({"x": [1, 2], "s": ["a", "b"]}), tmp_path / "a.parquet")
    return tmp_path


MADE = {
    "of a file": "create view of_a_file as select * from read_csv('{}/a.csv')",
    "of Parquet": "create view of_parquet as select * from '{}/a.parquet'",
    "of a table": "create view of_a_table as select * from t where x < 5",
    "temporary view": "create temp view temporary_view as select * from t",
    "temporary": "create temp table temporary as select * from t",
    "generated": "create table generated (x integer, y integer as (x + 1))",
}


@pytest.mark.parametrize("kind", MADE)
def test_all_but_base_tables_are_refused_before_duckdb_binds_them(files, kind):
    con = connection()
    con.raw_sql(MADE[kind].format(files))
    table = con.table(kind.lower().replace(" ", "_"))
    (files / "a.csv").write_text("")  # what is looked at from now on fails
    (files / "a.parquet").unlink()
    with pytest.raises(
        ArgumentError, match=r"make a table of it, export it to Parquet, or give the file"
    ):
        ask(table, Count(), epsilon=1)


def test_a_url_of_a_view_binds_nothing(files):
    path = files / "t.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"create view v as select * from read_csv('{files}/a.csv')")
        con.execute("create table t as select 1 as x")
    told = set()
    for content in ("x,y\n1,2\n", "x,y\ns3cret,2\n", ""):
        (files / "a.csv").write_text(content)
        with pytest.raises(ArgumentError, match="a base table") as caught:
            open_table(f"duckdb://{path}#v")
        told.add(str(caught.value))
    assert len(told) == 1
    assert rows(f"duckdb://{path}#t", Count()) == 1
    with pytest.raises(ArgumentError, match="a base table"):
        open_table(f"duckdb://{path}#nowhere")


def test_expressions_files_and_objects_of_ibis_are_refused(files):
    con = connection()
    t = con.table("t")
    con.con.register("frame", pd.DataFrame({"x": [1, 2]}))
    con.con.register("arrow", pa.table({"x": [1]}))
    for source in (
        t.filter(t.x > 5),
        t.group_by("x").agg(n=t.count()),
        t.semi_join(con.table("frame"), "x"),
        con.table("frame"),
        con.table("arrow"),
        con.read_csv(files / "a.csv"),
        con.read_parquet(files / "a.parquet"),
    ):
        with pytest.raises(ArgumentError, match="the frame itself"):
            open_table(source)


# -- functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "macro",
    [
        "least(a, b) as a",
        "Greatest(a, b) as a",
        "sum(a) as round(a)",
        "encode(a) as lower(a)::blob",
        '"+"(a, b) as a',
        "main.sha256(a) as 'x'",
        "dense_rank() as sum(0)",  # every group would be a person's first
    ],
)
def test_macros_with_names_of_functions_are_refused(macro):
    con = connection()
    table = con.table("t")
    con.raw_sql(f"create macro {macro}")
    with pytest.raises(ArgumentError, match="function"):
        ask(table, Count(), epsilon=1, unit=PrivacyUnit("p", max_rows_per_group=1))


def test_macros_that_only_their_connection_sees_change_nothing():
    con = connection()
    con.raw_sql("create temp macro least(a, b) as 0")
    con.raw_sql("create temp macro current_schema() as 'other'")
    con.raw_sql("create macro twice(a) as a * 2")
    assert rows(con.table("t"), Sum("x", low=0, high=9)) == 1000


@pytest.mark.parametrize("name", ["least", "greatest"])
def test_python_functions_with_names_of_functions_are_refused(name):
    con = connection()
    table = con.table("t")
    con.con.create_function("mine", lambda a: a, ["BIGINT"], "BIGINT")
    assert rows(table, Count()) == 1000
    con.con.create_function(name, lambda a, b: 7, ["BIGINT", "BIGINT"], "BIGINT")
    with pytest.raises(ArgumentError, match="function"):
        open_table(table)


def test_every_function_of_a_question_is_known(monkeypatch):
    seen = []
    real = DuckDB.read

    def read(self, query):
        seen.append(query)
        return real(self, query)

    monkeypatch.setattr(DuckDB, "read", read)
    con = ibis.duckdb.connect()
    con.raw_sql(
        "create table t as select i as p, i::double as x, 'a' || i as s, i::decimal(9, 2) as d, "
        "true as b, date '2024-01-01' as y, timestamp_s '2024-01-01 00:00:00' as z, "
        "i::hugeint as h from range(9) r(i)"
    )
    bounds = {"low": 0, "high": 9}
    where = (
        "s = 'a1' or x > 2 or d < 3 or b = true or y > '2020-01-01' or z > '2020-01-01' or h > 1"
    )
    queries = [
        Count(where=where),
        Count(by="s", keys=["a1"]),
        Mean("x", **bounds),
        Mean("s", **bounds),
        Sum("p", **bounds),
        Variance("d", **bounds),
        Median("x", **bounds),
        Median("x", **bounds, by="s", keys=["a1", "a2"]),
        Histogram("x", bins=3, **bounds),
    ]
    few = PrivacyUnit("p", max_rows_per_group=2, max_groups=1)
    with opened(con.table("t")) as table:
        for query in queries:
            for unit in (
                Row(),
                PrivacyUnit("p", max_rows_per_group=2),
                PrivacyUnit("s", max_rows_per_group=2),
                few,
            ):
                sums_of(table, query, Setting(unit, "add-remove"))
    called = {name.lower() for query in seen for name in re.findall(r"\b([A-Za-z_]\w*) ?\(", query)}
    words = {"as", "when", "then", "else", "and", "or", "not", "from", "in", "over", "select", "by"}
    words |= {"decimal"}  # a type: DuckDB lets nobody make another of its name
    assert seen
    assert called - words - {"try_cast", "where", "on", "join", "with", "all"} <= USED


# -- milliseconds ---------------------------------------------------------------------------------


def test_milliseconds_in_parquet_have_no_forms(tmp_path):
    path = tmp_path / "a.parquet"
    far = pa.array([0, 2**62], pa.timestamp("ms"))
    near = pa.array([0, 1], pa.timestamp("us"))
    zone = pa.array([0, 2**62], pa.timestamp("ms", "UTC"))
    pq.write_table(pa.table({"far": far, "near": near, "zone": zone, "x": [1, 2]}), path)
    for name in ("far", "zone"):
        for query in (Count(name), Count(where=f"{name} > '2020-01-01'")):
            with pytest.raises(ArgumentError, match="microseconds"):
                ask(path, query, epsilon=1)
    assert rows(path, Sum("x", low=0, high=3)) == 2
    assert rows(path, Count(where="near < '2020-01-01'")) == 2


# -- long conditions ------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["and", "or"])
def test_a_condition_of_many_parts_is_refused_or_answered(word):
    table = pd.DataFrame({"x": [1, 2]})
    many = f" {word} ".join(["x>0"] * 1100)
    with pytest.raises(ArgumentError, match="where"):
        ask(table, Count(where=many), epsilon=1)
    assert rows(table, Count(where=f" {word} ".join(["x>0"] * 100))) == 2


# -- what a killed process leaves -----------------------------------------------------------------


#: One process that imports, and forks: a child starts as a process does, and ends as it is told.
_NURSERY = """
import os, signal, sys, duckdb, pyarrow
from pathlib import Path
from leastnoise.tables.sources import open_table

def start():
    (told, tell), (wait, go) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)  # (so that it ends with its parent)
        table = open_table(sys.argv[1] + "/t.csv")
        os.write(tell, table.engine._setting("temp_directory").encode())
        os.read(wait, 1)
        sys.exit()
    return child, Path(os.read(told, 4096).decode()), go

def ended(child, go):
    os.write(go, b".")
    os.waitpid(child, 0)

def folders():
    return {*Path(sys.argv[1]).glob("leastnoise-*")}

(killed, gone, _), (alive, kept, go) = start(), start()
assert gone.stat().st_mode & 0o777 == 0o700
os.kill(killed, signal.SIGKILL)
os.waitpid(killed, 0)
assert folders() == {gone, kept}
after, mine, end = start()
assert folders() == {kept, mine}
ended(after, end)
assert folders() == {kept}
ended(alive, go)
assert not folders()
"""


def test_the_folder_of_a_killed_process_is_removed_at_the_next_start(tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", _NURSERY, tmp_path], env=environment, check=True)


def test_decimals_beyond_their_digits_are_keys_all_the_same(tmp_path):
    """DuckDB stopped where it wrote 2^127 - 1, which a file may call a decimal(38, 0)."""
    held = b"".join(one.to_bytes(16, "little", signed=True) for one in (2**127 - 1, -(2**127), 7))
    column = pa.Array.from_buffers(pa.decimal128(38, 0), 3, [None, pa.py_buffer(held)])
    pq.write_table(pa.table({"x": column}), tmp_path / "a.parquet")
    with opened(tmp_path / "a.parquet") as table:
        found = sums_of(table, Count(by="x", keys="private"), ROW)
    assert {*found} == {str(2**127 - 1), str(-(2**127)), "7"}


def test_nobody_makes_another_type_of_a_built_in_name():
    with duckdb.connect() as connection:
        for name in ("DECIMAL", "BIGINT", "DOUBLE", "TIMESTAMP", "BOOLEAN", "DATE", "VARCHAR"):
            with pytest.raises(duckdb.CatalogException, match="already exists"):
                connection.execute(f'create type "{name}" as varchar')
