"""Sources that were made to leak: what is in a row must not decide what is opened or refused."""

from __future__ import annotations

import datetime
import signal
import subprocess
import sys
import traceback
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from exact_sums import sums_of
from leastnoise import ArgumentError, Count, Ledger, Mean, NotAnsweredError, PrivacyUnit, ask
from leastnoise.cli import app
from leastnoise.tables.ask import Collected, Prepared
from leastnoise.tables.charge import run_paid
from leastnoise.tables.planning.private_keys import keys_design
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.csv_file import CsvFile
from leastnoise.tables.sources.csv_records import LONGEST_RECORD
from leastnoise.tables.unit import Row


def run(uri, *statements):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(uri, autocommit=True) as con:
        for statement in statements:
            con.execute(statement)


def test_postgresql_runs_no_function_of_a_view_before_the_charge(postgres, tmp_path):
    run(
        postgres,
        "create table stable_base (id int, x float8, s varchar(9))",
        "insert into stable_base values (1, 7, 'a')",
        "create function stable_one() returns float8 stable language sql as "
        "$$ select max(1 / (x - 7)) from stable_base $$",
        "create view stable_view as select * from stable_base where x > stable_one()",
    )
    table = open_table(f"{postgres}#stable_view")
    assert table.schema() == {"id": "integer", "x": "double precision", "s": "character varying"}
    table.close()
    ledger = Ledger.create(tmp_path / "l.db", epsilon=10)
    with pytest.raises(NotAnsweredError):
        ask(f"{postgres}#stable_view", Mean("x", low=0, high=1, by="s", keys=["a"]),
            epsilon=1, ledger=ledger)  # fmt: skip
    assert ledger.balance.spent_epsilon == 1


LONG = {"t": ["a" * 1000, "b" * 1001, "c" * 1001, "é" * 500, "é" * 501, None, "c" * 1001]}


def long_texts(source):
    """The keys of long texts, and how many persons have them for an id."""
    with opened(source) as table:
        row, person = (Setting(unit, "add-remove") for unit in (Row(), PrivacyUnit("t", 1)))
        keys = sums_of(table, Count(by="t", keys="private"), row)
        chosen = sums_of(table, Count(by="t", keys=["a" * 1000, "x"]), row)
        return {*keys}, {*chosen}, sums_of(table, Count(), person)[""].units


SHORT = ({"a" * 1000, "é" * 500}, {"a" * 1000}, 5)


def test_a_long_text_is_no_key_and_a_person_by_its_digest():
    assert long_texts(pa.table(LONG)) == SHORT
    with pytest.raises(ArgumentError, match="at most 1000 bytes") as caught:
        Count(by="t", keys=["é" * 501])
    assert "é" not in str(caught.value)


TOO_LONG = ["a" * LONGEST_RECORD, "é" * (LONGEST_RECORD // 2) + "b", None, "d"]
MAKERS = {
    "string": lambda: pa.table({"t": pa.array(TOO_LONG)}),
    "large": lambda: pa.table({"t": pa.array(TOO_LONG, pa.large_string())}),
    "view": lambda: pa.table({"t": pa.array(TOO_LONG).cast(pa.string_view())}),
    "chunks": lambda: pa.table({"t": pa.chunked_array([TOO_LONG[:1], TOO_LONG[1:]])}),
    "dictionary": lambda: pa.table({"t": pa.array(TOO_LONG).dictionary_encode()}),
    "objects": lambda: pd.DataFrame({"t": pd.Series(TOO_LONG, dtype=object)}),
    "categories": lambda: pd.DataFrame({"t": pd.Categorical(TOO_LONG)}),
    "pandas": lambda: pd.DataFrame({"t": pd.array(TOO_LONG, dtype="string[pyarrow]")}),
    "polars": lambda: pl.DataFrame({"t": TOO_LONG}),
    "categorical": lambda: pl.DataFrame({"t": pl.Series(TOO_LONG, dtype=pl.Categorical)}),
}


@pytest.mark.parametrize("kind", [*MAKERS, "parquet", "csv"])
def test_a_string_of_more_than_a_mebibyte_is_missing(kind, tmp_path):
    if kind == "parquet":
        pq.write_table(MAKERS["string"](), source := tmp_path / "t.parquet")
    elif kind == "csv":
        source = tmp_path / "t.csv"
        source.write_text("t\n" + "".join(f"{text or ''}\n" for text in TOO_LONG))
    else:
        source = MAKERS[kind]()
    with opened(source) as table:
        row, person = (Setting(unit, "add-remove") for unit in (Row(), PrivacyUnit("t", 1)))
        assert sums_of(table, Count("t"), row)[""].rows == 2
        assert sums_of(table, Count(), person)[""].units == 2
        assert sums_of(table, Count(where="t is null"), row)[""].rows == 2


SEPARATORS = """
import resource, sys
from leastnoise.tables.sources.csv_file import CsvFile
file = CsvFile(sys.argv[1], line_breaks=False)
next(file.batches(["b"]))
used = next(int(line.split()[1]) for line in open("/proc/self/status") if "VmData" in line)
most = used * 1024 + 200_000_000
resource.setrlimit(resource.RLIMIT_DATA, (most, most))
print(sum(batch.num_rows for batch in file.batches(["b"])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does")
def test_a_record_of_separators_takes_little_memory(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 9 + b"," * (1 << 24) + b"\n" + b"1,2\n" * 9)
    command = [sys.executable, "-c", SEPARATORS, str(path)]
    assert subprocess.run(command, capture_output=True, check=True).stdout.split() == [b"19"]


def test_a_long_text_is_no_key_of_postgresql(postgres):
    values = ", ".join("(NULL)" if text is None else f"('{text}')" for text in LONG["t"])
    run(postgres, "create table long_texts (t text)", f"insert into long_texts values {values}")
    assert long_texts(f"{postgres}#long_texts") == SHORT


def test_a_long_text_is_no_key_of_spark(spark, tmp_path):
    pq.write_table(pa.table(LONG), tmp_path / "long.parquet")
    frame = spark.read.parquet(str(tmp_path / "long.parquet"))
    assert long_texts(frame) == SHORT
    # One row of so many bytes used to end in an error of the driver's memory.
    huge = frame.selectExpr("repeat(t, 80000) as t").limit(1)
    assert ask(huge, Count(by="t", keys="private"), epsilon=1, delta=1e-6).value == {}


def size_notes(source):
    query = Mean("x", low=0, high=10, nulls="middle")
    answer = ask(source, query, epsilon=1, neighbors="replace")
    return [note for note in answer.notes if "is public" in note]


def test_the_number_of_rows_of_a_view_is_not_public(postgres):
    run(
        postgres,
        "create table sized (hiv bool, x float8)",
        "insert into sized select i % 3 = 0, i from generate_series(1, 90) i",
        "create view sized_view as select * from sized where hiv",
        "create materialized view sized_kept as select * from sized where hiv",
        "create table sized_policy (x float8)",
        "alter table sized_policy enable row level security",
    )
    assert size_notes(f"{postgres}#sized") == [
        "the number of rows, 90, is public because rows are replaced"
    ]
    for name in ("sized_view", "sized_kept", "sized_policy"):
        assert size_notes(f"{postgres}#{name}") == []


def test_the_number_of_rows_of_a_base_table_and_of_a_frame_is_public(tmp_path):
    ibis = pytest.importorskip("ibis")
    polars = pytest.importorskip("polars")
    con = ibis.duckdb.connect(tmp_path / "t.duckdb")
    con.raw_sql("create table people as select range::double as x from range(50)")
    assert size_notes(con.table("people"))
    assert size_notes(polars.DataFrame({"x": [1.0, 2.0, 3.0]}))


def test_a_lazy_frame_is_refused_before_polars_looks_at_rows(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "t.csv"
    told = set()
    for content in ("g,x\n1,1\n", "g,x\ns3cret,1\n", "g,x\n1,1,9,9\n", ""):
        path.write_text(content)
        with pytest.raises(ArgumentError, match=r"call \.collect\(\)") as caught:
            ask(polars.scan_csv(path), Count("g"), epsilon=1)
        told.add(str(caught.value))
    assert len(told) == 1

    def looked(frame):
        raise AssertionError

    with pytest.raises(ArgumentError, match="LazyFrame"):
        open_table(polars.LazyFrame({"x": [1]}).map_batches(looked))
    with pytest.raises(ArgumentError, match="Series"):
        open_table(polars.Series("x", [1]))


def test_a_missing_value_is_a_row_of_a_file_of_one_column(tmp_path):
    polars = pytest.importorskip("polars")
    notes = []
    for value in ("5", None):
        polars.DataFrame({"x": ["1", value, "3"]}).write_csv(tmp_path / "one.csv")
        notes.append(size_notes(tmp_path / "one.csv"))
    assert notes[0] == notes[1] == ["the number of rows, 3, is public because rows are replaced"]


def rows(source, query):
    with opened(source) as table:
        return sums_of(table, query, Setting(Row(), "add-remove"))


@pytest.mark.parametrize("values", [[1, 2], [1, "2"], [1, b"2"], [1.5, None], [True, False]])
def test_categories_are_texts_whatever_they_hold(values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype="category")})
    with opened(frame) as table:
        kinds = [
            getattr(table.described[0], form).kind for form in ("value", "number", "key", "person")
        ]
    assert kinds == ["text", "number", "text", "text"]
    numbers = [v for v in values if not isinstance(v, (bytes, bool, type(None)))]
    assert rows(frame, Mean("x", low=0, high=9))[""].rows == len(numbers)


def test_arrow_tables_and_batches_are_tables_and_what_reads_files_is_none(tmp_path):
    import pyarrow.dataset as ds

    table = pa.table({"x": [1, 2, 3]})
    pq.write_table(table, tmp_path / "t.parquet")
    for source in (table, table.to_batches()[0]):
        assert rows(source, Count("x"))[""].rows == 3
    ledger = Ledger.create(tmp_path / "l.db", epsilon=1)
    for refused in (
        ds.dataset(tmp_path / "t.parquet"),
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        pq.ParquetFile(tmp_path / "t.parquet"),
    ):
        with pytest.raises(ArgumentError, match="table must be"):
            ask(refused, Count(), epsilon=1, ledger=ledger)
    assert ledger.balance.spent_epsilon == 0


class Leaving(float):
    """A number that ends the program when it is looked at."""

    def __float__(self):
        raise SystemExit("secret")


class Odd(datetime.date):
    def isoformat(self):
        return Leaving()


class Ending(datetime.date):
    def isoformat(self):
        raise SystemExit("secret")


def test_a_cell_does_not_end_the_program():
    """A float of a class of its own is its number, and is not asked for it."""
    cells = [Leaving(1), Odd(2020, 1, 1), Ending(2020, 1, 1), 2.0]
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    assert rows(frame, Count("x"))[""].rows == 2
    assert rows(frame, Count(by="x", keys="private")).keys() == {"1.0", "2.0"}


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_what_ends_a_question_says_nothing(error):
    def ending():
        raise error("s3cret") from ValueError("s3cret")

    with pytest.raises(BaseException) as caught:
        run_paid(ending)
    assert caught.type is (error if error is KeyboardInterrupt else NotAnsweredError)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "s3cret" not in repr(caught.value)


def test_ctrl_c_while_an_engine_reads_a_file_stops_the_program_and_is_paid(tmp_path, monkeypatch):
    """DuckDB makes an error of its own of it: a loop of questions would go on and pay for all."""
    (tmp_path / "t.csv").write_text("x\n1\n")
    whole, heard = CsvFile.batches, signal.getsignal(signal.SIGINT)

    def stopped(self, names):
        signal.raise_signal(signal.SIGINT)
        yield from whole(self, names)

    monkeypatch.setattr(CsvFile, "batches", stopped)
    ledger = Ledger.create(tmp_path / "l.db", epsilon=2)
    with pytest.raises(KeyboardInterrupt) as caught:
        ask(tmp_path / "t.csv", Mean("x", low=0, high=2), epsilon=1, ledger=ledger)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert len(ledger.history()) == 1 and signal.getsignal(signal.SIGINT) is heard


def test_an_open_table_takes_one_question_after_another(tmp_path):
    """What the last one loaded is no schema: columns that it did not need were missing."""
    (tmp_path / "t.csv").write_text("x,y\n" + "1,0\n" * 50)
    frame = pd.read_csv(tmp_path / "t.csv")
    for source in (tmp_path / "t.csv", frame, pa.table(frame)):
        with opened(source) as table:
            for query, right in ((Count(), 50), (Mean("y", low=0, high=1), 0), (Count("x"), 50)):
                assert ask(table, query, epsilon=15).value == pytest.approx(right, abs=9)


def test_junk_in_the_cache_is_written_anew():
    _, path = keys_design(Fraction(1), Fraction(1, 1000), 1)
    right = path.read_bytes()
    path.write_bytes(b"\xff\xfe junk")
    keys_design.cache_clear()
    assert keys_design(Fraction(1), Fraction(1, 1000), 1)[1].read_bytes() == right


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_no_frame_of_an_error_holds_an_exact_sum(error, monkeypatch):
    def failing(self, *_):
        raise error

    monkeypatch.setattr(Prepared, "draw", failing)
    with pytest.raises(BaseException) as caught:
        ask(pa.table({"x": [1]}), Count(), epsilon=1)
    assert caught.type is (error if error is KeyboardInterrupt else NotAnsweredError)
    held = [
        value
        for frame, _ in traceback.walk_tb(caught.value.__traceback__)
        for value in frame.f_locals.values()
        if frame.f_code.co_filename != __file__
    ]
    assert held and not any(isinstance(one, Collected) for one in held)
    assert not any(isinstance(x, Collected) for one in held if isinstance(one, list) for x in one)
    assert not any(isinstance(one, tuple) and "Collected" in repr(one) for one in held)


def test_names_of_polars_columns_are_no_patterns():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"^a.*$": [1.0, 2.0], "ab": [None, 4.0], "*": [None, 5.0]})
    assert rows(frame, Count("^a.*$"))[""].rows == 2
    assert rows(frame, Count("ab"))[""].rows == 1
    assert rows(frame, Count("*"))[""].rows == 1


def test_a_key_is_no_command_for_a_terminal(tmp_path):
    bad = "a\x1b]0;owned\x07\u202eb"
    frame = pa.table({"g": [bad] * 500})
    answer = ask(frame, Count(by="g", keys="private"), epsilon=5, delta=1e-3)
    assert list(answer.value) == [bad]
    pq.write_table(frame, tmp_path / "t.parquet")
    arguments = ["ask", str(tmp_path / "t.parquet"), "count()", "--by", "g", "--keys", "private"]
    told = CliRunner().invoke(app, [*arguments, "--epsilon", "5", "--delta", "1e-3"])
    assert told.exit_code == 0
    for text in (str(answer), answer._repr_html_(), told.output):
        assert "\x1b]" not in text and "\x07" not in text and "\u202e" not in text
        assert "a\\x1b]0;owned\\x07\\u202eb" in text
