"""Connections that others use, views that read rows to be opened, macros, and Parquet's clocks."""

import collections
import os
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import ibis
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise import Count, Person, Total, ask
from leastnoise.errors import ArgumentError
from leastnoise.queries.ask import sums_of
from leastnoise.queries.base import Setting
from leastnoise.queries.door import open_table, opened
from leastnoise.queries.door.opening import _of_duckdb
from leastnoise.queries.unit import Row

ROW = Setting(Row(), "add-remove")


def rows(source, query, unit=ROW):
    with opened(source) as table:
        return sums_of(table, query, unit)[""].rows


def connection(size=1000):
    con = ibis.duckdb.connect()
    con.raw_sql(f"create table t as select i as p, i % 10 as x from range({size}) r(i)")
    return con


def queried(con, sql):
    """The table of a query as it stands: Ibis would bind it first."""
    return _of_duckdb(con, sql, own=False)


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
    monkeypatch.setattr("leastnoise.queries.door.origins._PATIENCE", 0.01)
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
    con.raw_sql("use other")
    assert rows(queried(con, "select * from t"), Count()) == 5
    con.raw_sql("use main")
    assert rows(queried(con, "select * from t"), Count()) == 1000
    con.raw_sql("create temp view t as select * from memory.main.t where x = 7")
    con.raw_sql("create temp view few as select * from temp.t where p < 100")
    assert rows(con.table("t"), Count()) == 100
    assert rows(con.table("few"), Count()) == 10
    con.raw_sql("create temp table kept as select * from memory.main.t")
    with pytest.raises(ArgumentError, match="not temporary"):
        open_table(con.table("kept"))


def test_views_mean_what_they_mean_under_the_settings_of_the_connection():
    con = connection()
    con.raw_sql("create table m as select timestamptz '2024-01-01 20:00:00+00' as t")
    con.raw_sql("create view v as select cast(t as date) as d from m")
    con.raw_sql("set timezone = 'Asia/Tokyo'")
    assert rows(con.table("v"), Count(where="d = '2024-01-02'")) == 1
    con.raw_sql("set lock_configuration = true")
    with pytest.raises(ArgumentError, match="locked settings"):
        open_table(con.table("v"))


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
    (tmp_path / "a.json").write_text('{"x": 1}\n')
    pq.write_table(pa.table({"x": [1, 2], "s": ["a", "b"]}), tmp_path / "a.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('{}/a.csv')",
        "select * from read_csv_auto('{}/a.csv')",
        "select * from '{}/a.csv'",
        "from '{}/a.json'",
        "select * from read_json('{}/a.json')",
        "select * from read_text('{}/a.csv')",
        "select * from glob('{}/*')",
        "select x from t where x in (select x from '{}/a.csv')",
        "select x, (select max(x) from read_csv('{}/a.csv')) as m from t",
        "with u as (select * from '{}/a.csv') select * from u",
        'with "{0}/a.csv" as (select * from "{0}/a.csv") select * from "{0}/a.csv"',
        "select t.x from t join '{}/a.csv' c on t.x = c.x",
        "select x from t union all select x from '{}/a.csv'",
        "select * from query('select 1 as x')",
        "select * from query_table('t')",
        "select * from (describe t)",
        "select * from (summarize t)",
        "select * from (pivot t on x in (1, 2) using sum(p))",
        "select * from duckdb_tables()",
        "select * from information_schema.tables",
        "select * from nowhere",
        "select * from hidden",
        "select * from deep",
        'select * from "odd AS select 1 --"',
        "select peek(x) as m from t",
        "select * from listed()",
        "select * from read_parquet('{}' || '/a.parquet')",
    ],
)
def test_queries_whose_types_lie_in_rows_are_refused_before_duckdb_sees_them(files, sql):
    con = connection()
    csv = f"{files}/a.csv"
    con.raw_sql(f"create view hidden as select * from read_csv('{csv}')")
    con.raw_sql("create temp view deep as select x + 1 as x from hidden")
    con.raw_sql(f'create view "odd AS select 1 --" (a, "b)") as select * from \'{csv}\'')
    con.raw_sql(f"create macro peek(a) as (select max(x) from '{csv}')")
    con.raw_sql("create macro listed() as table select 1 as x")
    (files / "a.csv").write_text("")  # what is looked at from now on fails
    (files / "a.json").write_text("{{{")
    with pytest.raises(ArgumentError, match="table"):
        queried(con, sql.format(files))


def test_files_and_objects_that_ibis_reads_are_refused_by_name(files):
    con = connection()
    with pytest.raises(ArgumentError, match=r"CsvFile.*read_csv"):
        ask(con.read_csv(files / "a.csv"), Count(), epsilon=1)
    con.con.register("frame", pd.DataFrame({"x": [1, 2]}))
    con.con.register("arrow", pa.table({"x": [1]}))
    for name in ("frame", "arrow"):
        with pytest.raises(ArgumentError, match="the frame itself"):
            open_table(con.table(name))
        with pytest.raises(ArgumentError, match="the frame itself"):
            open_table(con.table("t").semi_join(con.table(name), "x"))


def test_views_and_expressions_of_tables_and_parquet_files_are_read(files):
    con = connection()
    con.raw_sql("create view v as with t as (select * from t) select x, p from t where x < 5")
    con.raw_sql('create view w (a, "b)") as select * from v union all select * from main.v')
    con.raw_sql("create macro twice(a) as a * 2")
    con.raw_sql("create view m as select twice(x) as x from t, range(2)")
    con.raw_sql(f"create view q as select * from '{files}/a.parquet'")
    t = con.table("t")
    assert rows(con.table("v"), Count()) == 500
    assert rows(con.table("w"), Count()) == 1000
    assert rows(con.table("m"), Count(where="x = 18")) == 200
    assert rows(con.table("q"), Count()) == 2
    assert rows(con.read_parquet(files / "a.parquet"), Count(where="s = 'a'")) == 1
    assert rows(t.filter(t.x > 5).join(con.table("v"), "p", how="anti"), Count()) == 400
    assert rows(t.group_by("x").agg(n=t.count()).mutate(k=ibis._.n + 1), Count()) == 10
    recursive = "with recursive r as (select 1 a union all select a + 1 from r where a < 3) from r"
    assert rows(queried(con, f"select * from ({recursive})"), Count()) == 3


def test_parquet_files_of_a_view_must_agree_in_their_types(files):
    pq.write_table(pa.table({"x": ["1", "s3cret"], "s": ["a", "b"]}), files / "b.parquet")
    table = ibis.duckdb.connect().read_parquet(f"{files}/*.parquet")
    with pytest.raises(ArgumentError, match="same columns and types"):
        open_table(table)


# -- macros ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["macro", "temp macro"])
@pytest.mark.parametrize(
    "macro",
    [
        "least(a, b) as a",
        "Greatest(a, b) as a",
        "sum(a) as round(a)",
        "encode(a) as lower(a)::blob",
        "current_setting(a) as ''",
        "duckdb_views() as table select 1",
    ],
)
def test_macros_with_names_of_functions_are_refused(kind, macro):
    con = connection()
    table = con.table("t")
    con.raw_sql(f"create {kind} {macro}")
    with pytest.raises(ArgumentError, match="macro"):
        ask(table, Count(), epsilon=1, unit=Person("p", max_rows=1))


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
    assert rows(path, Total("x", low=0, high=3)) == 2
    con = ibis.duckdb.connect()
    con.raw_sql(f"create view v as select x from '{path}'")
    for source in (con.read_parquet(path), con.table("v")):
        with pytest.raises(ArgumentError, match="microseconds"):
            ask(source, Count(), epsilon=1)
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


def test_the_folder_of_a_killed_process_is_removed_at_the_next_start(tmp_path):
    started = (
        "import sys, pandas; from leastnoise.queries.door import open_table\n"
        "table = open_table(pandas.DataFrame({'x': [1]}))\n"
        "print(table.engine._setting('temp_directory'), flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}

    def process():
        return subprocess.Popen(
            [sys.executable, "-c", started],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    with process() as killed, process() as alive:
        gone, kept = (Path(one.stdout.readline().strip()) for one in (killed, alive))
        assert gone.stat().st_mode & 0o777 == 0o700
        killed.kill()
        killed.wait()
        assert gone.exists()
        with process() as after:
            mine = Path(after.stdout.readline().strip())
            assert {*tmp_path.glob("leastnoise-*")} == {kept, mine}
            after.communicate("")
        assert {*tmp_path.glob("leastnoise-*")} == {kept}
        alive.communicate("")
    assert not list(tmp_path.glob("leastnoise-*"))
