"""Attacks through what stands beside a table: other threads, functions of others, odd types."""

from __future__ import annotations

import contextlib
import logging
import math
import re
import threading
import time
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Count,
    EngineError,
    Histogram,
    Mean,
    Median,
    NotAnsweredError,
    PrivacyUnit,
    Proportion,
    Sum,
    Variance,
    ask,
)
from leastnoise.tables.charge import run_paid
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import bounded_request
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.bounding import reading_of
from leastnoise.tables.sources.frames import texts_of_categories, tidy
from leastnoise.tables.sources.postgres import USED, Postgres
from leastnoise.tables.sources.spark import USED as USED_BY_SPARK
from leastnoise.tables.sources.spark import _silent, logger_of
from leastnoise.tables.unit import Row

ROW = Setting(Row(), "add-remove")


def run(uri, *statements):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(uri, autocommit=True) as con:
        for statement in statements:
            con.execute(statement)


def sums(source, query, setting=ROW):
    with opened(source) as table:
        return sums_of(table, query, setting)


def in_threads(*work):
    threads = [threading.Thread(target=one, daemon=True) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


# -- numbers --------------------------------------------------------------------------------------


def test_a_distance_from_the_lower_bound_that_is_next_to_nothing(postgres):
    """PostgreSQL stops where a quotient is too small for a double: for one row of a table."""
    near = math.nextafter(1e-300, 1)
    values = f"values (0::float8), (1e-300), ({near!r}), (6e17), (1e300)"
    run(postgres, f"create table near as select * from ({values}) as v (x)")
    frame = pa.table({"x": [0.0, 1e-300, near, 6e17, 1e300]})
    for low, step in (("1e-300", None), ("1e-300", 10**17), ("-1e-300", 10**17), ("0", 3)):
        question = Sum("x", low=low, high=10**18 if step != 3 else 10**9, step=step)
        found = sums(f"{postgres}#near", question)
        assert found == sums(frame, question)
        assert found[""].rows == 5


def test_a_padded_text_that_postgresql_cannot_trim_is_missing(postgres):
    """It stopped there: a table with such a row was not answered."""
    run(
        postgres,
        "create view padded as values (repeat('x', 140000000)::bpchar), ('a   '), (' '), (null)",
    )
    found = sums(f"{postgres}#padded", Count(by="column1", keys="private"))
    assert {key: one.rows for key, one in found.items()} == {"a": 1, "": 1}


def test_many_edges_are_no_deeper_a_tree_than_few(postgres):
    """From 4,842 on PostgreSQL parsed it, and stopped when it planned it: paid, never answered."""
    values = "values (-1::float8), (0), (5), (9e9)"
    run(postgres, f"create table spread as select * from ({values}) as v (x)")
    # (DuckDB stops at a depth of 1,000.)
    for source, bins in (
        (f"{postgres}#spread", 5000),
        (pa.table({"x": [-1.0, 0.0, 5.0, 9e9]}), 2000),
    ):
        question = Histogram("x", bins=[*range(bins + 1)])
        found = {key: one.rows for key, one in sums(source, question).items()}
        assert found == {"0": 2, "5": 1, f"{bins - 1}": 1}


def test_the_least_whole_number_can_be_a_public_key(postgres):
    """It was taken for one that no row can have."""
    run(postgres, "create table least as select (-9223372036854775808)::bigint as x")
    question = Count(by="x", keys=[-(2**63)])
    for source in (f"{postgres}#least", pa.table({"x": pa.array([-(2**63)], pa.int64())})):
        assert sums(source, question)[str(-(2**63))].rows == 1


# -- functions of PostgreSQL ----------------------------------------------------------------------

COUNTED = "create aggregate public.count(bigint) (sfunc = int8pl, stype = int8, initcond = '100')"
OTHERS = {
    COUNTED: "drop aggregate public.count(bigint)",
    "create function public.convert_to(text, text) returns bytea immutable language sql as "
    "$$ select 'x'::bytea $$": "drop function public.convert_to(text, text)",
    "create function public.concat(text, text) returns text immutable language sql as "
    "$$ select 'x' $$": "drop function public.concat(text, text)",
    # Arguments of types of others that need not be given, or that a text turns into.
    "create function public.concat(text, text, pair_of_others default null) returns text immutable "
    "language sql as $$ select 'x' $$": "drop function public.concat",
    "create function public.concat(text, text_of_others) returns text immutable language sql as "
    "$$ select 'x' $$": "drop function public.concat",
    "create function public.concat(text, variadic text_of_others[]) returns text immutable "
    "language sql as $$ select 'x' $$": "drop function public.concat",
}


@pytest.fixture(scope="module")
def people(postgres):
    run(
        postgres,
        "create table beside as select i as p, 'g' || i % 3 as g, i::float8 as x, i::numeric as n, "
        "i::bigint as b, date '2024-01-01' as d, timestamp '2024-01-01' as t, i > 2 as y "
        "from generate_series(1, 30) i",
        "create type pair_of_others as (a int, b int)",
        "create domain text_of_others as text",
    )
    return f"{postgres}#beside"


NAMED = ["count", "convert_to", "concat", "default", "domain", "variadic"]


@pytest.mark.parametrize("made", OTHERS, ids=NAMED)
def test_functions_that_fit_better_than_those_of_postgresql_are_not_called(postgres, people, made):
    """The first one made a count of 30 rows 100, whatever the rows: it adds up nothing."""
    questions = Count("b"), Count(by="g", keys=["g0", "g1"]), Sum("g", low=0, high=9)
    expected = [sums(people, question) for question in questions]
    run(postgres, made)
    try:
        assert [sums(people, question) for question in questions] == expected
    finally:
        run(postgres, OTHERS[made])


def test_functions_and_operators_of_a_domain_are_not_called(postgres):
    """The first made a mean 0; the second let every row pass."""
    run(
        postgres,
        "create domain money_of as numeric",
        "create domain truth_of as boolean",
        "create table of_domains as select i::numeric::money_of as n, (i > 2)::truth_of as y "
        "from generate_series(1, 5) i",
        "create function public.abs(money_of) returns numeric immutable language sql as "
        "$$ select 0.0 $$",
        "create function always(truth_of, boolean) returns boolean immutable language sql as "
        "$$ select true $$",
        "create operator public.= (leftarg = truth_of, rightarg = boolean, function = always)",
    )
    try:
        assert sums(f"{postgres}#of_domains", Count(where="y = true"))[""].rows == 3
        found = sums(f"{postgres}#of_domains", Sum("n", low=0, high=4, step=1))[""]
        assert found.values == 1 + 2 + 3 + 4 + 4
    finally:
        run(postgres, "drop domain truth_of cascade", "drop domain money_of cascade")


@pytest.mark.parametrize("name", ["date", "text", "timestamptz"])
def test_temporary_types_do_not_stand_before_those_of_postgresql(postgres, people, name):
    """A day that a domain called date does not allow made every question fail that saw it."""
    con = pytest.importorskip("ibis").connect(postgres)
    table = con.table("beside")
    con.con.execute(f"create domain pg_temp.{name} as pg_catalog.{name} check (value is null)")
    where = "d > '2020-01-01' and t > '2020-01-01' and g = 'g1'"
    assert sums(table, Count(where=where))[""].rows == 10
    con.disconnect()


@pytest.mark.parametrize(
    "made, named, dropped",
    [
        (
            COUNTED.replace("public", "pg_catalog"),
            "function count",
            "drop aggregate pg_catalog.count(bigint)",
        ),
        (
            "create operator pg_catalog.<== (leftarg = int8, rightarg = int8, function = int8eq)",
            "operator <==",
            "drop operator pg_catalog.<== (int8, int8)",
        ),
    ],
    ids=["function", "operator"],
)
def test_what_others_have_put_among_things_of_postgresql_is_refused(
    postgres, people, made, named, dropped
):
    """A superuser's functions may be in pg_catalog: extensions do that."""
    run(postgres, made)
    try:
        with pytest.raises(ArgumentError, match=f"another {named}"):
            open_table(people)
    finally:
        run(postgres, dropped)


def test_reading_leaves_a_connection_as_it_was(postgres, people):
    """Also within a transaction of its owner, whose temporary table is read."""
    con = pytest.importorskip("ibis").connect(postgres)
    con.con.execute("set search_path to public, pg_catalog")
    con.con.execute("set timezone to 'Asia/Tokyo'")
    with con.con.transaction():
        con.con.execute("create temporary table beside as select 1 as p")
        assert sums(con.table("beside"), Count())[""].rows == 1
        assert sums(con.table("beside", database="public"), Count())[""].rows == 30
        shown = [con.con.execute(f"show {name}").fetchone() for name in ("search_path", "timezone")]
    assert shown == [("public, pg_catalog",), ("Asia/Tokyo",)]
    con.disconnect()


@contextlib.contextmanager
def connected(uri):
    """An Ibis backend."""
    con = pytest.importorskip("ibis").connect(uri)
    try:
        yield con
    finally:
        con.disconnect()


def test_what_an_owner_prefers_of_values_changes_nothing(postgres, people):
    """A loader for days failed for tables with a key; settings changed which groups counted."""
    psycopg = pytest.importorskip("psycopg")

    class Words(psycopg.adapt.Loader):
        def load(self, data):
            return str(bytes(data))

    setting = Setting(PrivacyUnit("d", 2, 1), "add-remove")
    questions = [(Count(by=by, keys="private"), setting) for by in ("d", "b", "g", "y")]
    expected = [sums(people, *question) for question in questions]
    with connected(postgres) as con:
        table = con.table("beside")
        for name in ("date", "int8", "bytea", "text", "bool"):
            con.con.adapters.register_loader(name, Words)
        con.con.cursor_factory = psycopg.RawCursor
        for name, value in ("DateStyle", "German"), ("client_encoding", "SQL_ASCII"):
            con.con.execute(f"set {name} to {value}".encode())
        assert [sums(table, *question) for question in questions] == expected


def test_only_the_table_of_that_name_and_database_is_read(postgres):
    """Ibis passes over the database, PostgreSQL cuts names short, and selects from sequences."""
    long = "x" * 63
    run(postgres, f"create table {long} (x int)", "create sequence numbers")
    with connected(postgres) as con:
        here = con.con.info.dbname
        assert open_table(con.table(long, database=(here, "public"))).sized
        with pytest.raises(ArgumentError, match="of the database"):
            open_table(con.table(long, database=("elsewhere", "public")))
    for name in (f"{long}x", "numbers"):
        with pytest.raises(ArgumentError, match="of the database"):
            open_table(f"{postgres}#{name}")


def test_columns_that_may_not_be_read_are_not_there(postgres):
    """It was found out after the charge."""
    run(
        postgres,
        "create table in_part as select 1 as a, 2 as b",
        "create role reader login",
        "grant select (a) on in_part to reader",
    )
    place = postgres.replace("//postgres:", "//reader:")
    assert open_table(f"{place}#in_part").columns == ("a",)
    run(postgres, "revoke all on in_part from reader")
    with pytest.raises(ArgumentError, match="may read"):
        open_table(f"{place}#in_part")
    run(postgres, "drop role reader")


def test_what_a_form_makes_of_a_column_is_computed_once_for_each_row(postgres):
    """Six copies of a text of a gigabyte are more than many a server has, because of one row."""
    run(
        postgres,
        "create sequence looks",
        "create function looked(int) returns text immutable language plpgsql as "
        "$$ begin perform nextval('public.looks'); return '5'; end $$",
        "create view costly as select i as p, looked(i) as x from generate_series(1, 10) i",
    )
    setting = Setting(PrivacyUnit("x", 2), "add-remove")
    found = sums(f"{postgres}#costly", Variance("x", low=0, high=9), setting)
    assert found[""].units == 1
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres) as con:  # a number's form names it four times, an id's once
        assert con.execute("select last_value from looks").fetchone() == (10 * 5,)


@pytest.mark.parametrize("own", [False, True], ids=["its", "owner's"])
def test_questions_of_a_batch_see_one_state(postgres, people, own):
    """Each of them saw what was committed when it came to it."""
    run(postgres, "create table if not exists growing (x int)", "truncate growing")
    with connected(postgres) as con, opened(con.table("growing")) as table:
        with con.con.transaction() if own else contextlib.nullcontext():
            counts = []
            with table.engine.moment():
                for _ in range(2):
                    counts.append(sums_of(table, Count(), ROW)[""].rows)
                    run(postgres, "insert into growing values (1)")
        assert counts == ([0, 1] if own else [0, 0])
        assert sums_of(table, Count(), ROW)[""].rows == 2


@pytest.mark.parametrize("now", ["text", "numeric", "view"])
def test_what_has_changed_since_it_was_opened_is_not_read(postgres, now):
    """A whole number's form failed for texts that are none, and told that there was one."""
    changed = {
        "view": "alter table changing rename to changed; create view changing as table changed"
    }
    run(postgres, "create table changing as select 1::bigint as x")
    with opened(f"{postgres}#changing") as table:
        with table.engine.moment():
            assert sums_of(table, Sum("x", low=0, high=9), ROW)[""].rows == 1
            with pytest.raises(Exception, match="lock timeout"):
                run(postgres, "set lock_timeout = 10", "alter table changing alter x type text")
        run(postgres, changed.get(now, f"alter table changing alter x type {now}"))
        for _ in range(2):  # (the second time it was taken for what had been opened)
            with pytest.raises(EngineError, match="opened"), table.engine.moment():
                pass
        # A view may leave rows out: their number would have been taken for the table's public one.
        with pytest.raises(EngineError, match="opened"):
            table.engine.count(table.relation)
    run(postgres, "drop table if exists changed cascade", "drop table if exists changing")


def test_no_row_with_a_long_text_is_sorted_or_handed_over(postgres):
    """PostgreSQL cannot where its texts are a gigabyte together; plans depend on costs, on sizes.

    A sort carried the text along of which a row's value was made, and so did parallel workers.
    """
    settings = {"enable_hashagg": "off", "parallel_setup_cost": 0, "parallel_tuple_cost": 0}
    settings |= {"min_parallel_table_scan_size": 0, "debug_parallel_query": "on"}
    run(postgres, "create table scanned as select i, i::text as x from generate_series(1, 9) i")
    person = Setting(PrivacyUnit("i", 2), "add-remove")
    with connected(postgres) as con, opened(con.table("scanned")) as table:
        for name, value in settings.items():
            con.con.execute(f"set {name} to {value}".encode())
        for question, setting in (
            (Count("x", by="i", keys="private"), ROW),
            (Proportion("x = 'a'"), person),
        ):
            query = reading_of(table, bounded_request(question, setting)).query
            assert "Gather" in str(con.con.execute(f"explain {query}").fetchall())
            plan = str(table.engine.read(f"EXPLAIN {query}"))
            assert "Gather" not in plan
            assert re.findall(r"Sort  .*? width=(\d+)", plan) == ["16"]  # two numbers
    run(postgres, "drop table scanned")


def test_an_expression_of_ibis_becomes_a_view(postgres, people):
    con = pytest.importorskip("ibis").connect(postgres)
    table = con.table("beside")
    with pytest.raises(ArgumentError, match="create_view"):
        open_table(table.filter(table.p > 10))
    view = con.create_view("older", table.filter(table.p > 10))
    assert sums(view, Count())[""].rows == 20
    assert not open_table(view).sized
    con.disconnect()
    run(postgres, "drop view older")


def test_casts_that_others_have_made_are_refused(postgres, people):
    """PostgreSQL casts texts to numbers by itself, unless somebody has a function for it."""
    run(
        postgres,
        "create function public.thousand(text) returns numeric immutable language sql as "
        "$$ select 1000.0 $$",
        "create cast (text as numeric) with function public.thousand(text)",
    )
    try:
        with pytest.raises(ArgumentError, match="another cast, text to numeric"):
            ask(people, Sum("g", low=0, high=10), epsilon=1)
    finally:
        run(postgres, "drop function public.thousand(text) cascade")
    run(postgres, "create cast (text as numeric) with inout as assignment")
    try:  # which is what there is without it
        assert sums(people, Count("b"))[""].rows == 30
    finally:
        run(postgres, "drop cast (text as numeric)")


def test_json_and_shapes_are_not_cast_to_texts(postgres):
    """Of 9,000 numbers in 2 kB PostgreSQL would write more than a gigabyte, and stop there."""
    run(
        postgres,
        "create table shapes (x int, j jsonb, o point)",
        "insert into shapes select 1, ('[' || string_agg('1e131071', ',') || ']')::jsonb "
        "from generate_series(1, 9000)",
    )
    with opened(f"{postgres}#shapes") as table:
        assert table.columns == ("x", "j", "o")
        assert [one.value is None for one in table.described] == [False, True, True]
    assert sums(f"{postgres}#shapes", Count("x"))[""].rows == 1
    with pytest.raises(ArgumentError, match="not of type jsonb"):
        ask(f"{postgres}#shapes", Count("j"), epsilon=1)


def test_foreign_tables_are_refused_also_below_views_and_heirs(postgres, people):
    """Another server is handed comparisons and sums; a file of lines may fail at one of them."""
    run(
        postgres,
        "create foreign data wrapper elsewhere",
        "create server there foreign data wrapper elsewhere",
        "create table parts (p int, x int) partition by range (p)",
        "create table near_part partition of parts for values from (0) to (9)",
    )
    assert open_table(f"{postgres}#parts").sized
    run(
        postgres,
        "create foreign table far (p int, x int) server there",
        "alter table parts attach partition far for values from (9) to (99)",
        "create view above as select * from beside where p in (select p from far)",
        "create view higher as select * from above",
    )
    for name in ("far", "parts", "above", "higher"):
        with pytest.raises(ArgumentError, match="which reads a foreign table"):
            ask(f"{postgres}#{name}", Count(), epsilon=1)
    run(postgres, "drop server there cascade")


def test_no_row_decides_whether_a_question_is_in_time(postgres):
    """A text of a gigabyte takes a second, and one row of it ran into the owner's limit."""
    run(
        postgres,
        "create function slow(int) returns int volatile language sql as "
        "$$ select 1 from pg_sleep(0.3) $$",
        "create view late as select slow(1) as x",
    )
    with connected(postgres) as con, opened(con.table("late")) as table:
        con.con.execute("set statement_timeout = 100")
        con.con.execute("set transaction_timeout = 200")
        con.con.commit()
        with table.engine.moment():
            assert sums_of(table, Count("x"), ROW)[""].rows == 1
        assert table.engine.count(table.relation) == 1
        assert con.con.execute("show statement_timeout").fetchone() == ("100ms",)
        con.con.rollback()
    run(postgres, "drop view late", "drop function slow(int)")


def test_every_function_of_a_question_to_postgresql_is_known(people, monkeypatch):
    seen = []
    real = Postgres.read
    monkeypatch.setattr(Postgres, "read", lambda *given: seen.append(given[1]) or real(*given))
    bounds = {"low": 0, "high": 9}
    where = "g = 'g1' or x > 2 or n < 3 or y = true or d > '2020-01-01' or t > '2020-01-01'"
    table = open_table(people)
    seen.clear()
    for query in (
        Count(where=where),
        Count(by="g", keys=["g1", "g2"]),
        Mean("g", **bounds),
        Mean("x", low=0, high=10**18),
        Variance("n", **bounds),
        Median("x", **bounds, by="g", keys=["g1", "g2"]),
        Histogram("x", bins=3, **bounds),
    ):
        for unit in (Row(), PrivacyUnit("p", 2), PrivacyUnit("g", 2, 1), PrivacyUnit("x", 2, 1)):
            sums_of(table, query, Setting(unit, "add-remove"))
    called = {name.lower() for query in seen for name in re.findall(r"\b([A-Za-z_]\w*) ?\(", query)}
    # Words of the language, which no function can stand for.
    words = "as when then else and or not from in over select by where cast least greatest coalesce"
    assert called - {*words.split()} == USED
    assert "md5" not in USED | USED_BY_SPARK  # where it is forbidden, it fails at the first row
    table.close()


def test_functions_that_take_the_place_of_those_of_spark_are_refused(spark):
    """A temporary floor put all rows of a histogram into the last bin."""
    frame = spark.createDataFrame([(1.0, "a")], "x double, g string")
    bounds, by = {"low": 0, "high": 9}, {"by": "g", "keys": ["a", "b"]}
    queries = Count(where="x > 2"), Mean("g", **bounds, **by), Variance("x", **bounds)
    queries = *queries, Median("x", **bounds, **by), Histogram("x", bins=3, **bounds, **by)
    setting = Setting(PrivacyUnit("g", 2, 1), "add-remove")
    with opened(frame) as table:
        seen = [reading_of(table, bounded_request(query, setting)).query for query in queries]
    called = {name.lower() for query in seen for name in re.findall(r"\b([A-Za-z_]\w*) ?\(", query)}
    words = "as when then else and or not from in over select by where cast try_cast"
    assert called - {*words.split()} == USED_BY_SPARK - {"coalesce"}  # of a missing value
    order = "spark.sql.functionResolution.sessionOrder"
    before = spark.conf.get(order, "second")
    try:
        spark.udf.register("floor", lambda x: 7, "long")
        spark.conf.set(order, "first")
        with pytest.raises(ArgumentError, match="another function floor"):
            open_table(frame)
    finally:
        spark.conf.set(order, before)
        spark.sql("DROP TEMPORARY FUNCTION floor")


def test_a_path_that_puts_functions_before_those_of_spark_is_refused(spark):
    """The catalog tells of Spark's own all the same."""
    frame = spark.createDataFrame([(1.0,)], "x double")
    spark.conf.set("spark.sql.path.enabled", "true")
    try:
        assert sums(frame, Histogram("x", low=0, high=9, bins=3))["0"].rows == 1
        spark.sql("CREATE FUNCTION default.floor(x DOUBLE) RETURNS BIGINT RETURN 7")
        spark.sql("SET PATH = spark_catalog.default, system.builtin, system.session")
        with pytest.raises(ArgumentError, match="SQL path"):
            open_table(frame)
    finally:
        spark.sql("SET PATH = DEFAULT_PATH")
        spark.sql("DROP FUNCTION IF EXISTS default.floor")
        spark.conf.unset("spark.sql.path.enabled")


def test_a_view_of_spark_that_is_replaced_is_the_one_that_was_opened(spark):
    """Its form, for numbers, failed for a text of the other one."""
    spark.createDataFrame([(1.0,)], "x double").createOrReplaceTempView("replaced")
    with opened(spark.table("replaced")) as table:
        spark.createDataFrame([("a",)], "x string").createOrReplaceTempView("replaced")
        assert sums_of(table, Mean("x", low=0, high=9), ROW)[""].rows == 1
    spark.catalog.dropTempView("replaced")


@contextlib.contextmanager
def told_by_spark():
    """What PySpark writes to standard error."""
    told = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    logs = [logger_of(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")]
    for log in logs:
        log.addHandler(handler)
    try:
        yield told
    finally:
        for log in logs:
            log.removeHandler(handler)


def test_spark_tells_of_no_row_and_keeps_what_is_cached_and_its_own_errors(spark):
    """A cast in Python told the text; an owner's errors became TypeErrors, and caches were lost."""
    from pyspark.errors import AnalysisException
    from pyspark.sql.functions import col

    frame = spark.createDataFrame([("s3cret",)], "g string").cache()
    with told_by_spark() as told:
        for number in (frame.select(col("g").cast("int")), frame.selectExpr("int(g) as g")):
            with pytest.raises(NotAnsweredError):
                ask(number, Mean("g", low=0, high=9), epsilon=1)
        assert told == []
        assert sums(frame, Count("g"))[""].rows == 1
        assert frame.storageLevel.useMemory
        with pytest.raises(AnalysisException):
            spark.sql("SELECT nothing")
        assert len(told) == 1
    frame.unpersist()


# -- threads --------------------------------------------------------------------------------------


def test_threads_that_ask_on_one_connection_to_postgresql_take_turns(postgres, people):
    """They ended in a connection that waited for ever, and in failures that were paid for."""
    ibis = pytest.importorskip("ibis")
    con = ibis.connect(postgres)
    table, found = con.table("beside"), []

    def asking(bound):
        def work():
            for _ in range(5):
                found.append((bound, sums(table, Count(where=f"p <= {bound}"))[""].rows))

        return work

    in_threads(*map(asking, (3, 7, 20)))
    con.disconnect()
    assert sorted(found) == [(bound, bound) for bound in (3, 7, 20) for _ in range(5)]


def test_warnings_are_as_before_when_questions_of_several_threads_have_ended():
    """Whoever ended last used to leave all warnings off, that of the log of failures too."""
    before = list(warnings.filters)
    seen = []

    def work(seconds):
        def one():
            time.sleep(seconds)
            warnings.warn("a value", stacklevel=1)
            seen.append(seconds)

        return lambda: run_paid(one)

    in_threads(*map(work, (0.02, 0.06, 0.04)))
    assert sorted(seen) == [0.02, 0.04, 0.06]
    assert list(warnings.filters) == before


def test_a_thread_that_is_done_does_not_make_spark_tell_of_another():
    log = logger_of("SQLQueryContextLogger")
    first, second = threading.Event(), threading.Event()

    def short():
        with _silent():
            first.set()
            second.wait(10)

    def long():
        first.wait(10)
        with _silent():
            second.set()
            done.join(10)
            log.error("a value")

    done = threading.Thread(target=short, daemon=True)
    done.start()
    with told_by_spark() as told:
        in_threads(long)
        log.error("of the owner")
    assert told == ["of the owner"]


# -- types ----------------------------------------------------------------------------------------


def test_texts_of_a_dictionary_may_be_many_gigabytes():
    """Two gigabytes of them ended in a failure; a table of that size would be slow to test."""
    found = tidy(pa.array(["a", "b", "a", None]).dictionary_encode())
    assert found.type == pa.large_string()
    assert found.to_pylist() == ["a", "b", "a", None]


def test_a_column_of_an_odd_type_is_no_matter_for_the_others():
    odd = pa.array([Decimal(100), Decimal(200)], pa.decimal128(5, -2))
    assert sums(pa.table({"x": [1.0, 2.0], "odd": odd}), Count("x"))[""].rows == 2
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [1.0, 2.0], "wide": polars.Series([1, 2], dtype=polars.Int128)})
    assert sums(frame, Count("x"))[""].rows == 2


@pytest.mark.parametrize("extra", [1.5, 1e300, 1j, Decimal("0.5"), "x", None, True])
def test_a_category_does_not_change_how_others_are_written(extra):
    """One of 1.5 made floats of all others: 1,000 rows of the key "2" became none."""
    few, more = (pd.DataFrame({"z": pd.Categorical([2, 0, *new])}) for new in ((), (extra,)))
    assert open_table(few).schema() == open_table(more).schema()
    keys = [{*sums(frame, Count(by="z", keys="private"))} for frame in (few, more)]
    assert keys[0] == {"2", "0"} <= keys[1]
    assert len(keys[1]) <= 3


def test_numbers_that_pandas_takes_for_one_category_are_written_alike():
    texts = texts_of_categories([2, 2.0, 2 + 0j, np.float32(2), Decimal("2.00")])
    assert {*texts} == {"2"}
    assert {*texts_of_categories([10**16, 1e16])} == {"1" + 16 * "0"}
    assert texts_of_categories([-0.0, "2.0", 1.5, float("nan"), True, 1j]) == [
        *("0", "2.0", "1.5", None, "true", None)
    ]


def test_a_public_key_that_is_given_twice_is_refused():
    """Its text and its bytes: one of the two would have had no rows."""
    with pytest.raises(ArgumentError, match="different"):
        Count(by="g", keys=["a", r"\x61"])


def test_the_categories_of_an_enum_are_not_shown():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"g": polars.Series(["s3cret"], dtype=polars.Enum(["s3cret"]))})
    table = open_table(frame)
    assert table.schema() == {"g": "Enum"}
    assert {*sums_of(table, Count(by="g", keys="private"), ROW)} == {"s3cret"}
    table.close()
    with pytest.raises(ArgumentError) as caught:
        ask(frame, Count(where="g > true"), epsilon=1)
    assert "s3cret" not in str(caught.value)
