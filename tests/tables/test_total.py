"""Every question is answered for every value, nothing is free, and no failure tells anything.

Each test here is an attack that once worked.
"""

from __future__ import annotations

import contextlib
import decimal
import math
import os
import pickle
import stat
import sys
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Count,
    Histogram,
    LeastnoiseError,
    Ledger,
    Mean,
    Median,
    NotAnsweredError,
    PrivacyUnit,
    Proportion,
    Sum,
    Variance,
    ask,
    ask_all,
)
from leastnoise.tables.charge import _log_failure
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table
from leastnoise.tables.sources.duckdb import DuckDB
from leastnoise.tables.sources.frames import text_of
from leastnoise.tables.unit import Row

ROW = Setting(Row(), "add-remove")
EXTREME = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e-310, 1e308, -1e308, 9.1e307, None]
WHOLE = [0, -1, 2**63 - 1, -(2**63), 2**53 + 1, None]
BOUNDS = {"low": 0, "high": 10}
QUESTIONS = [
    Count("x"),
    Count(where="x > 0 or x < -1e299 or x = 9223372036854775807"),
    Sum("x", low=-(10**18), high=10**18),
    Mean("x", **BOUNDS),
    Variance("x", low="-1e-270", high=1),
    Median("x", **BOUNDS, step=1),
    Histogram("x", **BOUNDS, bins=4),
    Histogram("x", low=-1e300, high=1e300, bins=3),
    Histogram("x", low=0, high=1e300, bins=100),
    Histogram("x", bins=[-1e300, 0, 1e-200, 1e300]),
    Proportion("x >= 5 or x is null"),
    Count(where="x >= 2024 or x in (1999, 2000)"),  # (years, where strings may be dates)
]


@contextlib.contextmanager
def totals(source):
    """The exact sums of a source, which is opened once, for any questions."""
    with contextlib.closing(open_table(source)) as table:
        yield lambda query, unit=ROW: sums_of(table, query, unit)


def total(source, query, unit=ROW):
    """The exact sums of a source."""
    with totals(source) as asked:
        return asked(query, unit)


def frame(values, kind="float64"):
    return pd.DataFrame({"x": pd.array(values, dtype=kind), "p": range(len(values))})


# -- a failure is an answer -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def extreme_frames():
    texts = [*map(str, EXTREME), "1e400", "-1e999", "1e-999", "9" * 400, "x" * 70_000, "5\n", "٣"]
    texts += ["2024-12-31", "2024-99-99 x", "31.12.2024", "1/1/0000\n", "9999-1-1"]
    frames = [frame(EXTREME), frame(WHOLE, "Int64"), frame([0, 2**64 - 1, None], "UInt64")]
    untyped = frame(texts, object).astype({"x": object})
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(totals(one)) for one in (*frames, untyped)]


@pytest.mark.parametrize("query", QUESTIONS, ids=str)
@pytest.mark.parametrize(
    "unit", [ROW, Setting(PrivacyUnit("p", 2), "add-remove")], ids=["row", "person"]
)
def test_every_value_has_an_answer(extreme_frames, query, unit):
    assert all(asked(query, unit) for asked in extreme_frames)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Histogram("x", low=0, high=1e-310, bins=10),
        lambda: Histogram("x", low=-1e308, high=1e308),
        lambda: Histogram("x", low=1, high="1.0000000000000000001", bins=2),
        lambda: Histogram("x", bins=[0, "9e-330", 1]),
        lambda: Mean("x", low=0, high="9e-330"),
        lambda: Sum("x", low=0, high="1e-300"),
        lambda: Median("x", low=0, high="9e-330"),
        lambda: Variance("x", low=0, high="1e-310"),
    ],
)
def test_arguments_that_no_double_can_hold_are_refused_when_they_are_made(make):
    with pytest.raises(ArgumentError):
        make()


def test_bounds_that_doubles_cannot_tell_apart_are_refused_before_the_charge(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    query = Sum("x", low=10**18 - 10, high=10**18 - 9)
    with pytest.raises(ArgumentError, match="as a double"):
        ask(frame([1.0]), query, epsilon=1, ledger=ledger)
    assert ledger.history() == []
    assert total(frame([10**18 - 9], "int64"), query)[""].values > 0


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
def test_moments_of_all_units_are_compared_with_any_date(unit):
    ends = {"ns": (-(2**63) + 1, 2**63 - 1)}.get(unit, (-(2**62), 2**62))
    array = pa.array([*ends, 0, None], pa.int64()).view(pa.timestamp(unit))
    zoned = pa.array([*ends, 0, None], pa.int64()).view(pa.timestamp(unit, "UTC"))
    table = pa.table({"t": array, "z": zoned})
    dates = ("9999-12-31", 2), ("0001-01-01", 1), ("1970-01-01T01:00:00+02:00", 1)
    with totals(table) as asked:
        for name in ("t", "z"):
            for text, rows in dates:
                found = asked(Count(where=f"{name} < '{text}'"))[""].rows
                assert found in (rows, 3) if unit == "ns" else found == rows
            assert asked(Count(name))[""].rows == 3


def failing(self, *_):
    """What an engine does that quotes the data."""
    self.connection.execute("select cast('s3cret' as integer)").fetchall()


def test_a_failure_is_paid_for_and_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(DuckDB, "read", failing)
    table = frame([1.0])
    ledger = Ledger.create(tmp_path / "b.db", epsilon=5)
    told = set()
    log = tmp_path / "log"
    for query in (Count("x"), [Count("x"), Mean("x", **BOUNDS)]):
        asked = ask_all if isinstance(query, list) else ask
        with pytest.raises(NotAnsweredError) as caught:
            asked(table, query, epsilon=1, ledger=ledger)
        assert caught.value.__cause__ is None and caught.value.__context__ is None
        told.add(str(caught.value))
        assert "s3cret" not in "".join(traceback.format_exception(caught.value))
    assert told == {"not answered; the budget is spent"} and len(ledger.history()) == 2
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), NotAnsweredError)
    assert not log.exists()
    monkeypatch.setenv("LEASTNOISE_FAILURE_LOG", str(log))
    with pytest.warns(UserWarning, match="not private"), pytest.raises(NotAnsweredError):
        ask(table, Count("x"), epsilon=1, ledger=ledger)
    assert "s3cret" in log.read_text() and stat.S_IMODE(log.stat().st_mode) == 0o600
    # A file that others can read, or that a link leads to, is refused before the charge.
    spent = len(ledger.history())
    (tmp_path / "link").symlink_to(log)
    (wide := tmp_path / "wide").touch(mode=0o644)
    for path in (tmp_path / "link", wide, tmp_path):
        monkeypatch.setenv("LEASTNOISE_FAILURE_LOG", str(path))
        with pytest.raises(
            ArgumentError, match="LEASTNOISE_FAILURE_LOG must be a regular file that you own"
        ):
            ask(table, Count("x"), epsilon=1, ledger=ledger)
        with contextlib.suppress(OSError):
            _log_failure(RuntimeError("other s3cret"))  # nor if it came there after the charge
    assert "other" not in log.read_text()
    assert len(ledger.history()) == spent and not wide.read_text()


@pytest.mark.parametrize("name", ["notes", "QueryBasis"])
def test_what_needs_no_row_is_ready_before_the_charge(tmp_path, monkeypatch, name):
    """Before: a bug in a note was a `NotAnsweredError`, and the budget was spent."""
    module = sys.modules["leastnoise.tables.ask"]

    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(module, name, broken if name == "notes" else object())
    ledger, table = Ledger.create(tmp_path / "b.db", epsilon=1), frame([1.0])
    for asked in (partial(ask, table, Count("x")), partial(ask_all, table, [Count("x"), Count()])):
        with pytest.raises((ZeroDivisionError, AttributeError)):
            asked(epsilon=1, ledger=ledger)
    assert ledger.history() == []


def test_rows_that_cannot_even_be_counted_are_paid_for(tmp_path, monkeypatch):
    monkeypatch.setattr(DuckDB, "read", failing)
    monkeypatch.setattr(DuckDB, "count", failing)
    view = replace(open_table(frame([1.0])), sized=False)
    ledger = Ledger.create(tmp_path / "b.db", epsilon=5)
    with pytest.raises(NotAnsweredError) as caught:
        ask(view, Mean("x", **BOUNDS), epsilon=1, ledger=ledger, neighbors="replace")
    assert caught.value.__context__ is None and len(ledger.history()) == 1


def test_nothing_is_read_before_the_charge(tmp_path, monkeypatch):
    from leastnoise.tables.sources import duckdb as module

    ledger = Ledger.create(tmp_path / "b.db", epsilon=50)
    path = tmp_path / "t.csv"
    path.write_text("x,g\n1,a\n2,b\n")
    real = module.DuckDB.read

    def read(self, query):
        assert len(ledger.history()) == asked
        return real(self, query)

    monkeypatch.setattr(module.DuckDB, "read", read)
    monkeypatch.setattr(module.DuckDB, "load", _after(module.DuckDB.load, lambda: ledger, 1))
    asked = 0
    for source in (path, frame([1.0, 2.0])):
        for query in (Count(), Mean("x", **BOUNDS), Median("x", **BOUNDS)):
            asked += 1
            ask(source, query, epsilon=1, ledger=ledger)


def _after(real, ledger, least):
    def load(self, names):
        assert len(ledger().history()) >= least
        return real(self, names)

    return load


# -- statistics of files --------------------------------------------------------------------------


def parquet(path, values, writer):
    table = pa.table({"x": pa.array(values, pa.float64()), "p": range(len(values))})
    if writer == "pyarrow":
        pq.write_table(table, path, row_group_size=1000)
    else:
        pl.DataFrame(pl.from_arrow(table)).write_parquet(
            path, row_group_size=1000, statistics="full"
        )


@pytest.mark.parametrize("writer", ["pyarrow", "polars"])
@pytest.mark.parametrize("connection", ["ours", "theirs", "locked"])
def test_nan_in_a_parquet_file_is_missing_whatever_its_statistics_say(tmp_path, writer, connection):
    path = tmp_path / "x.parquet"
    parquet(path, [1.0, 2.0, math.nan] * 3000, writer)
    source = path
    if connection != "ours":
        con = ibis.duckdb.connect()
        con.raw_sql(f"create table t as select * from '{path}'")
        source = con.table("t")
        if connection == "locked":
            con.raw_sql("set lock_configuration = true")
    person = Setting(PrivacyUnit("p", 1), "add-remove")
    with totals(source) as asked:
        for query, rows in (
            (Count("x"), 6000),
            (Count(where="x is null"), 3000),
            (Count(where="x > 5"), 0),
            (Count(where="not x > 1.5"), 3000),
            (Count(where="x is not null"), 6000),
            (Sum("x", low=0, high=10), 6000),
            (Sum("x", low=0, high=10, nulls="middle"), 9000),
            (Mean("x", low=0, high=10, where="x >= 2"), 3000),
        ):
            assert asked(query)[""].rows == rows, query
            assert asked(query, person)[""].rows == rows, query
        assert asked(Sum("x", low=0, high=10, step=1))[""].values == 9000
        bins = asked(Histogram("x", low=0, high=3, bins=3))
        assert {key: one.rows for key, one in bins.items()} == {"1": 3000, "2": 3000}
        assert sum(asked(Median("x", **BOUNDS, step=1))[""].cells.values()) == 6000 << 20


def test_parquet_files_of_one_folder_must_agree_in_their_types(tmp_path):
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": ["1", "s3cret"]}), tmp_path / "b.parquet")
    with pytest.raises(ArgumentError, match="same columns and types") as caught:
        ask(tmp_path, Count("x"), epsilon=1)
    assert "s3cret" not in str(caught.value)
    pq.write_table(pa.table({"x": [5]}), tmp_path / "b.parquet")
    assert total(tmp_path, Count("x"))[""].rows == 3


# -- texts and collations -------------------------------------------------------------------------


@pytest.mark.parametrize("default", ["", "NOCASE"])
def test_collations_make_no_difference(default):
    con = ibis.duckdb.connect()
    con.raw_sql("create table t (g varchar collate nocase, p varchar collate nocase, x double)")
    con.raw_sql("insert into t select 'north', 'A' || i, 1 from range(1000) r(i)")
    con.raw_sql("insert into t values ('North', 'a0', 1)")
    if default:
        con.raw_sql(f"set default_collation = '{default}'")
    person = Setting(PrivacyUnit("p", 1, 1), "add-remove")
    with totals(con.table("t")) as asked:
        for keys in (["north", "North"], "private"):
            found = asked(Count(by="g", keys=keys))
            assert {key: one.rows for key, one in found.items()} == {"north": 1000, "North": 1}
        assert asked(Count(where="g = 'NORTH'"))[""].rows == 0
        assert asked(Count(where="g < 'a'"))[""].rows == 1
        assert asked(Count(), person)[""].units == 1001
        found = asked(Count(by="g", keys=["north", "North"]), person)
        assert sum(one.rows for one in found.values()) == 1001


def extremes():
    """A connection with the extreme values, of persons with several rows each."""
    con = ibis.duckdb.connect()
    con.con.register("f", pa.table({"x": EXTREME * 3, "p": [i // 4 for i in range(33)]}))
    con.raw_sql("create table t as select * from f")
    return con


def totals_of(con):
    person = Setting(PrivacyUnit("p", 2), "add-remove")
    queries = [*QUESTIONS, Mean("x", low=0, high=3, by="p", keys=[0, 1, 2])]
    with totals(con.table("t")) as asked:
        return [asked(query, unit) for query in queries for unit in (ROW, person)]


@pytest.fixture(scope="module")
def plain_totals():
    return totals_of(extremes())


@pytest.mark.parametrize(
    "setting",
    [
        "integer_division = true",
        "ieee_floating_point_ops = false",
        "default_null_order = 'nulls_first'",
        "default_order = 'desc'",
        "disabled_optimizers = 'expression_rewriter'",
        "threads = 1",
    ],
)
def test_settings_of_a_connection_make_no_difference(plain_totals, setting):
    con = extremes()
    con.raw_sql(f"set {setting}")
    assert totals_of(con) == plain_totals
    name = setting.partition(" ")[0]
    held = con.raw_sql(f"select current_setting('{name}')").fetchall()[0][0]
    assert str(held).lower() == setting.partition(" = ")[2].strip("'")


def test_keys_whose_bytes_are_no_text_are_told_apart():
    table = pa.table({"g": pa.array([b"\xff", b"\\xff", b"a", b"a"]).cast(pa.string(), safe=False)})
    found = total(table, Count(by="g", keys="private"))
    assert {key: one.rows for key, one in found.items()} == {"\\xff": 1, "\\x5c786666": 1, "a": 2}
    again = total(table, Count(by="g", keys=list(found)))
    assert found == again


def test_persons_are_told_apart_by_numbers_too():
    ids = [math.nan, 0.0, -0.0, math.inf, 1.0, None]
    table = pa.table({"p": pa.array(ids, pa.float64()), "x": [1.0] * 6})
    assert total(table, Count(), Setting(PrivacyUnit("p", 5), "add-remove"))[""].units == 3
    huge = pa.table({"p": pa.array([2**64 - 1, 2**64 - 2, 2**63, None], pa.uint64())})
    assert total(huge, Count(), Setting(PrivacyUnit("p", 5), "add-remove"))[""].units == 3
    found = total(huge, Count(by="p", keys=[2**64 - 1, 7]))
    assert found[str(2**64 - 1)].rows == 1


# -- persons with very many rows ------------------------------------------------------------------


@pytest.mark.parametrize("rows", [2**19 + 1, pytest.param(2**24, marks=pytest.mark.slow)])
def test_the_variance_of_a_person_with_very_many_rows(rows):
    table = pa.table({"p": np.zeros(rows, np.int64), "x": np.full(rows, 10.0)})
    query = Variance("x", **BOUNDS)
    with totals(table) as asked:
        for most in (1, 3, 2**20):
            found = asked(query, Setting(PrivacyUnit("p", most), "add-remove"))[""]
            top, c = query.scale.top, min(most, rows)
            assert (found.rows, found.values, found.squares) == (c, c * top, c * top * top)


def test_squares_of_persons_are_exact_or_their_mean():
    table = pa.table({"p": [1, 1, 2, 2, 2], "x": [0.0, 3.0, 0.0, 1.0, 2.0]})
    query = Variance("x", low=0, high=3, step=1)
    found = total(table, query, Setting(PrivacyUnit("p", 2), "add-remove"))[""]
    # (2x - 3)^2: 9 and 9 of person 1, two thirds of 9 + 1 + 1 of person 2, rounded down.
    assert found.squares == 18 + 7 and found.rows == 4


# -- frames ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "extra",
    ["abc", 2.5, 2**63, 10**5000, None, math.nan, b"x", object(), [1]],
    ids=["text", "float", "big", "huge", "none", "nan", "bytes", "object", "list"],
)
def test_one_object_does_not_change_what_the_others_are(extra):
    values = [1, 2, 3] * 100
    with totals(pd.DataFrame({"x": pd.Series([*values, extra], dtype=object)})) as asked:
        assert asked(Count(where="x = 2"))[""].rows == 100
        found = asked(Sum("x", low=0, high=5, step=1))[""].values
        assert found - 600 in (0, 2, 3, 5)
        assert asked(Count(by="x", keys=[1]))["1"].rows == 100


def test_objects_are_texts_by_a_rule_of_their_own():
    class Odd(str):
        def __str__(self):
            raise RuntimeError("s3cret")

    cases = {
        "a": "a",
        Odd("b"): "b",
        True: "true",
        7: "7",
        2.5: "2.5",
        math.nan: None,
        None: None,
        pd.NaT: None,
        pd.NA: None,
        decimal.Decimal("1.50"): "1.50",
        pd.Timestamp("2024-01-31"): "2024-01-31T00:00:00",
        "\ud800": None,
        b"x": None,
        "nan": "nan",
    }
    assert [text_of(value) for value in cases] == list(cases.values())


@pytest.mark.parametrize(
    ("column", "allowed"),
    [
        (pl.Series("x", ["1", None], pl.Categorical), True),
        (pl.Series("x", ["1", None], pl.Enum(["1", "2"])), True),
        (pl.Series("x", [decimal.Decimal(1), None], pl.Decimal(20, 2)), True),
        (pl.Series("x", [[1], None]), False),
        (pl.Series("x", [object(), None], pl.Object), False),
        (pl.Series("x", [b"1", None]), False),
        (pa.array(["1", None]).dictionary_encode(), True),
        (pa.array([1, None], pa.date64()), False),
        (pa.array([1.5, None], pa.float16()), True),
        (pa.array([None, None]), False),
        (pa.array([b"1" * 16, None], pa.uuid()), False),
        (pd.Series(["1", None], dtype="category"), True),
        (pd.Series([1, None], dtype="category"), True),
        (pd.Series([1, 2]).astype("complex128"), False),
        (pd.Series(pd.period_range("2024", periods=2)), False),
    ],
    ids=lambda x: str(getattr(x, "dtype", getattr(x, "type", x))),
)
def test_types_are_allowed_or_refused_by_themselves(column, allowed):
    if isinstance(column, pl.Series):
        source = column.to_frame()
    elif isinstance(column, pd.Series):
        source = pd.DataFrame({"x": column})
    else:
        source = pa.table({"x": column})
    with totals(source) as asked:
        assert asked(Count())[""].rows == 2
        if allowed:
            assert asked(Count("x"))[""].rows == 1
        else:
            with pytest.raises(ArgumentError, match="not of type"):
                asked(Count("x"))


def test_names_that_differ_in_case_are_two_columns():
    source = pd.DataFrame({"a": [1.0] * 3, "A": [2.0] * 3, "c0": [3.0] * 3})
    with totals(source) as asked:
        for name, value in (("a", 1), ("A", 2), ("c0", 3)):
            assert asked(Sum(name, low=0, high=5, step=1))[""].values == 3 * value


# -- engines --------------------------------------------------------------------------------------


def test_other_engines_are_refused_by_name(tmp_path):
    import sqlite3

    sqlite3.connect(tmp_path / "x.db").execute("create table t (x)").connection.commit()
    for source in (f"sqlite://{tmp_path}/x.db#t", "mysql://host/x#t"):
        with pytest.raises(ArgumentError, match="export it to Parquet"):
            ask(source, Count(), epsilon=1)
    with pytest.raises(LeastnoiseError, match="memtable"):
        ask(ibis.memtable({"x": [1]}), Count(), epsilon=1)


def test_what_duckdb_spills_is_private_and_removed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = open_table(frame([1.0]))
    folder = Path(table.engine._setting("temp_directory"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and folder.parent != tmp_path
    table.close()
    assert not folder.exists()
    ask(frame([1.0]), Count(), epsilon=1)
    assert os.listdir(tmp_path) == []


def test_a_file_without_a_header_does_not_show_its_first_record(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("s3cret,42\nb,1\n")
    with pytest.raises(ArgumentError) as caught:
        ask(path, Mean("x", **BOUNDS), epsilon=1)
    assert "s3cret" not in str(caught.value)


def test_sums_do_not_depend_on_threads_or_the_order_of_rows():
    values = [v for v in EXTREME if v is not None] * 50
    person = Setting(PrivacyUnit("p", 3, 2), "add-remove")
    table = pa.table({"x": values, "p": [i % 7 for i in range(len(values))]})
    with totals(table) as one, totals(table.take(list(range(len(values)))[::-1])) as two:
        for query in QUESTIONS:
            assert one(query, person) == two(query, person)
