"""Hostile input gives a clear error or the right answer, and no error shows a data value."""

from __future__ import annotations

import math
import sys
import traceback
from dataclasses import replace

import ibis
import pandas as pd
import pyarrow as pa
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Count,
    CsvFile,
    EngineError,
    ExcelFile,
    Histogram,
    LeastnoiseError,
    Ledger,
    Mean,
    MeanVector,
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
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.sources.duckdb import DuckDB
from leastnoise.tables.sources.size import public_size
from leastnoise.tables.unit import Row

SECRET = "s3cretvalue"
BIG = 10**18


def tell(error):
    """Everything that a user would see of an error, its causes and contexts included."""
    return "".join(traceback.format_exception(error)) + repr(error.__context__)


def near(answer, true, slack=10.0):
    low, high = answer.interval
    width = high - low + slack
    return low - 4 * width <= true <= high + 4 * width


def test_nan_infinities_and_huge_values_are_clamped_or_left_out():
    x = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, None, float(BIG), 3.0] * 200
    frame = pd.DataFrame({"x": pd.array(x, dtype="float64")})
    assert near(ask(frame, Count(where="x is null"), epsilon=5), 400)
    kept = [v for v in x if v is not None and not math.isnan(v)]
    true = [min(max(v, 0.0), 10.0) for v in kept]
    with opened(frame) as table:
        assert near(ask(table, Sum("x", low=0, high=10), epsilon=5), sum(true))
        assert near(ask(table, Mean("x", low=0, high=10), epsilon=5), sum(true) / len(true))
        assert near(ask(table, Count("x"), epsilon=5), len(kept))
        assert 0 <= ask(table, Median("x", low=0, high=10), epsilon=5).value <= 10


def test_whole_numbers_near_the_ends_of_64_bits():
    frame = pd.DataFrame({"x": [BIG, BIG + 7, BIG + 10, 2**63 - 1, -(2**63)] * 100})
    answer = ask(frame, Sum("x", low=BIG - 10**6, high=BIG - 10**6 + 10), epsilon=5)
    assert near(answer, (BIG - 10**6 + 10) * 400 + (BIG - 10**6) * 100)
    with pytest.raises(ArgumentError, match="1e18"):
        ask(frame, Sum("x", low=BIG, high=BIG + 10), epsilon=5)
    # Exact to the last unit, although doubles are 128 apart there:
    from exact_sums import aggregate
    from leastnoise.tables.queries.base import Setting
    from leastnoise.tables.sources import open_table
    from leastnoise.tables.unit import Row

    query = Sum("x", low=BIG - 3, high=BIG)
    sums = aggregate(
        open_table(pd.DataFrame({"x": [BIG - 3, BIG - 2, BIG - 1, BIG]})),
        query.request(Setting(Row(), "add-remove")),
    )[""]
    assert query.exact(sums, Setting(Row(), "add-remove")) == [4 * BIG - 6]


@pytest.fixture(scope="module")
def empty():
    kinds = {"x": pa.float64(), "g": pa.string(), "p": pa.int64()}
    with opened(pa.table({name: pa.array([], kind) for name, kind in kinds.items()})) as table:
        yield table


@pytest.mark.parametrize(
    "query",
    [
        Count(),
        Sum("x", low=0, high=1),
        Mean("x", low=0, high=1),
        Variance("x", low=0, high=1),
        Median("x", low=0, high=1),
        Proportion("x > 0"),
        Histogram("x", low=0, high=1, bins=2),
        Count(by="g", keys=["a"]),
        Count(by="g", keys="private"),
        Mean("x", low=0, high=1, by="g", keys=["a", "b"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("unit", ["row", PrivacyUnit("p", 2, 1)], ids=str)
def test_empty_tables_and_groups(empty, query, unit):
    answer = ask(empty, query, epsilon=1, delta=1e-6, unit=unit)
    values = answer.value if isinstance(answer.value, dict) else {"": answer.value}
    assert all(math.isfinite(value) for value in values.values())
    assert (query.keys == "private") == (values == {})


def test_an_empty_table_is_refused_where_its_size_is_public():
    frame = pa.table({"x": pa.array([], pa.float64())})
    with pytest.raises(ArgumentError, match="at least one row"):
        ask(frame, Mean("x", low=0, high=1, nulls="middle"), epsilon=1, neighbors="replace")


def test_rows_without_a_person_are_left_out():
    frame = pd.DataFrame({"p": pd.array([None] * 500 + list(range(300)), dtype="Int64")})
    answer = ask(frame, Count(), epsilon=5, unit=PrivacyUnit("p", 1))
    assert near(answer, 300) and any("without p" in note for note in answer.notes)


def test_texts_that_are_no_numbers_count_as_missing(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,g\n" + f"3,a\n{SECRET},a\n,b\nnan,b\n1e400,a\n" * 300)
    assert near(ask(path, Count("x"), epsilon=5), 1200)  # texts are present in a count
    assert near(ask(path, Sum("x", low=0, high=10), epsilon=5), 300 * 13)


def test_ragged_and_odd_csv_files(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b'\xef\xbb\xbf"a b",c\r\n1,2\r\n3\r\n4,5,6\r\n"x\ny",7\r\n')
    path.write_bytes(path.read_bytes() + b"4,5,6\r\n" * 200 + b"1\r\n" * 500)
    # Lines with too few fields have NULLs at their end, further fields are ignored.
    assert near(ask(path, Count(), epsilon=5), 704)
    assert near(ask(path, Count("c"), epsilon=5), 203)
    assert near(ask(path, Sum("a b", low=0, high=5), epsilon=5), 1308)
    (tmp_path / "dup.csv").write_text("a,b,a\n1,2,3\n")
    with pytest.raises(ArgumentError, match="duplicate column names"):
        ask(tmp_path / "dup.csv", Count(), epsilon=1)
    for name, content in (("none.csv", ""), ("blank.csv", "\n\n"), ("gap.csv", "a,,c\n1,2,3\n")):
        (tmp_path / name).write_text(content)
        with pytest.raises(ArgumentError, match="names its columns"):
            ask(tmp_path / name, Count(), epsilon=1)
    with pytest.raises(ArgumentError, match="There is no file"):
        ask(tmp_path / "absent.csv", Count(), epsilon=1)
    for kind, name in ((CsvFile, "absent.csv"), (ExcelFile, "absent.xlsx")):
        with pytest.raises(ArgumentError, match="There is no file"):
            ask(kind(tmp_path / name), Count(), epsilon=1)
    (tmp_path / "x.parquet").write_text(f"{SECRET} is not parquet")
    with pytest.raises(EngineError) as caught:
        ask(tmp_path / "x.parquet", Count(), epsilon=1)
    assert SECRET not in tell(caught.value)


def test_one_row_cannot_change_what_another_means(tmp_path):
    """With a sniffed type, one text in a column of numbers would turn them all into texts."""
    path = tmp_path / "d.csv"
    for extra in ("", f"{SECRET}\n", "2024-01-01\n", "true\n", "1;2\n", "'7'\n"):
        path.write_text("x\n" + "5\n" * 400 + extra)
        with opened(path) as table:
            assert near(ask(table, Sum("x", low=0, high=10), epsilon=5), 2000)
            assert near(ask(table, Count(where="x = 5"), epsilon=5), 400)


@pytest.mark.parametrize("row", [b"1,abc", b"1,\xff", b"\xff,105", b"1,"], ids=repr)
def test_no_row_of_a_file_is_in_the_public_number_and_not_in_the_sum(tmp_path, row):
    """A reader that passes over a line where it looks for numbers, and not where it counts,
    would let one row move the mean by (value)/n: a thousand times what is charged here."""
    path = tmp_path / "d.csv"
    path.write_bytes(b"p,x\n" + b"1,1000\n" * 3_000 + row + b"\n")
    setting, table = Setting(Row(), "replace"), open_table(path)
    for query in (
        Mean("x", low=1000, high=1001, nulls="middle"),
        Sum("x", low=1000, high=1001, nulls="middle"),
        Variance("x", low=1000, high=1001, nulls="middle"),
        Proportion("x > 1", nulls="no"),
        MeanVector(["x", "p"], low=[1000, 0], high=[1001, 1]),
    ):
        sized = replace(setting, size=public_size(table))
        assert sized.size == 3_001
        sums = sums_of(table, query, sized)[""]
        for one in (sums,) if isinstance(sums, GroupSums) else sums:
            assert one.rows == sized.size
        if isinstance(query, Mean):
            assert 1000 <= query.exact(sums, sized)[0] <= 1001


def test_a_table_that_changes_while_it_is_read_is_refused_or_read_as_it_was(tmp_path):
    con = ibis.duckdb.connect()
    con.raw_sql("create table t as select 7 as x from range(1000)")
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    path, frame = tmp_path / "t.parquet", pd.DataFrame({"x": [7] * 1000})
    frame.to_parquet(path)

    def changed(_):  # after the rows were counted, too
        con.raw_sql("insert into t values (7)")
        pd.concat([pd.read_parquet(path), frame[:1]]).to_parquet(path)

    query = Mean("x", low=5, high=9, nulls="middle")
    options = {"neighbors": "replace", "ledger": ledger, "progress": changed}
    for _ in range(2):
        with pytest.raises(NotAnsweredError):
            ask(path, query, epsilon="0.1", **options)
    assert len(ledger.history()) == 2  # a failure is paid for, too
    rows = con.raw_sql("select count(*) from t").fetchall()[0][0]
    answer = ask(con.table("t"), query, epsilon="0.1", **options)
    assert any(f"the number of rows, {rows}," in note for note in answer.notes)
    assert con.raw_sql("select count(*) from t").fetchall()[0][0] > rows


@pytest.mark.parametrize(("name", "other"), [("a[1]", "a1"), ("b*", "bb"), ("c?", "cc")])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ""])
def test_names_of_files_are_no_patterns(tmp_path, name, other, ending):
    """Another file, with a budget of its own, must not be read in its place."""
    for file, rows in ((name, 1000), (other, 30)):
        path, frame = tmp_path / f"{file}{ending}", pd.DataFrame({"x": [1] * rows})
        if ending.startswith(".csv"):
            frame.to_csv(path, index=False)
        elif ending:
            frame.to_parquet(path)
        else:
            path.mkdir()
            frame.to_parquet(path / "part.parquet")
    assert public_size(open_table(tmp_path / f"{name}{ending}")) == 1000


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        {"a": [1]},
        7,
        None,
        [SECRET],
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
    ids=lambda t: type(t).__name__,
)
def test_what_is_no_table_is_refused_without_a_value(table):
    with pytest.raises(LeastnoiseError) as caught:
        ask(table, Count(), epsilon=1)
    assert SECRET not in tell(caught.value)


@pytest.fixture(scope="module")
def odd():
    columns = {
        "s": pa.array([SECRET.encode()], pa.binary()),
        "x": pa.array([1.5]),
        "d": pa.array([10], pa.date32()),
        "l": pa.array([[1, 2]]),
    }
    with opened(pa.table(columns)) as table:
        yield table


@pytest.mark.parametrize(
    "query",
    [
        Mean("s", low=0, high=1),
        Sum("d", low=0, high=1),
        Median("l", low=0, high=1),
        Count(by="x", keys=["1.5"]),
        Proportion("s > 3 and d = 4"),
        Count(where="l = 3"),
        Mean("nothere", low=0, high=1),
        Count(by="nothere", keys=["a"]),
        Count("nothere"),
        Histogram("d", low=0, high=1),
        MeanVector(["x", "s"], low=[0, 0], high=[1, 1]),
        MeanVector(["x", "nothere"], low=[0, 0], high=[1, 1]),
    ],
    ids=str,
)
def test_wrong_types_and_columns(odd, query):
    with pytest.raises(ArgumentError) as caught:
        ask(odd, query, epsilon=1, delta="0.01")
    assert SECRET not in tell(caught.value)


def test_a_size_that_is_not_that_of_the_sums_is_refused(monkeypatch):
    """Where the number of rows is public it must be that of the sums."""
    monkeypatch.setattr(sys.modules["leastnoise.tables.ask"], "public_size", lambda table: 7)
    frame = pd.DataFrame({"x": [1.0] * 8, "y": [2.0] * 8})
    monkeypatch.setattr(sys.modules["leastnoise.cache"], "_GAP", "0.1")
    options = {"epsilon": "1.0123", "delta": "0.01", "neighbors": "replace"}  # nobody else's noise
    bounds = {"low": 0, "high": 3, "nulls": "middle"}
    for query in (Mean("x", **bounds), Proportion("x > 1", nulls="no"), Variance("x", **bounds)):
        with pytest.raises(NotAnsweredError):
            ask(frame, query, **options)


def test_an_engine_that_fails_does_not_quote_the_data(monkeypatch):
    def read(self, query):
        self.connection.execute(f"select cast('{SECRET}' as integer)").fetchall()

    monkeypatch.setattr(DuckDB, "read", read)
    frame = pd.DataFrame({"x": [1.0]})
    for query in (Sum("x", low=0, high=1), Median("x", low=0, high=1), Count("x")):
        with pytest.raises(
            NotAnsweredError, match=r"^not answered; the budget is spent$"
        ) as caught:
            ask(frame, query, epsilon=1)
        assert SECRET not in tell(caught.value)


def test_injection_through_names_and_keys():
    names = ['x"; drop table t; --', "a'b", "`c`", "😀", "g"]
    frame = pd.DataFrame({name: [1, 2, 3] * 100 for name in names[:-1]})
    frame["g"] = ["'; drop table t; --", "b", "c"] * 100
    with opened(frame) as table:
        for name in names[:-1]:
            assert near(ask(table, Sum(name, low=0, high=5), epsilon=5), 600)
            assert near(
                ask(table, Count(), epsilon=5, unit=PrivacyUnit(name, max_rows_per_group=100)), 300
            )
    answer = ask(frame, Count(by="g", keys=["'; drop table t; --", "b"]), epsilon=5)
    assert all(70 < value < 130 for value in answer.value.values())


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mean("x"),
        lambda: Mean("x", low=0),
        lambda: Mean("x", low=2, high=1),
        lambda: Mean("x", low=math.nan, high=1),
        lambda: Mean("x", low=0, high=math.inf),
        lambda: Sum("x", low=0, high=1, step=0),
        lambda: Sum("x", low=0, high=1, step=2),
        lambda: Mean("", low=0, high=1),
        lambda: Mean("x", low=0, high=1, nulls="zero"),
        lambda: Quantile("x", 1.5, low=0, high=1),
        lambda: Median("x", 0.3, low=0, high=1),
        lambda: Count(by="g"),
        lambda: Count(keys=["a"]),
        lambda: Count(by="g", keys=[]),
        lambda: Count(by="g", keys=["a", "a"]),
        lambda: Count(by="g", keys="north"),
        lambda: Histogram("x", bins=0, low=0, high=1),
        lambda: Histogram("x"),
        lambda: Histogram("x", bins=[3, 2]),
        lambda: Proportion(""),
        lambda: PrivacyUnit("p", 0),
        lambda: PrivacyUnit("", 1),
        lambda: PrivacyUnit("p", True),
        lambda: PrivacyUnit("p", 1, 0),
    ],
)
def test_bad_questions_are_refused_when_they_are_made(make):
    with pytest.raises(ArgumentError):
        make()


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": -1},
        {"epsilon": math.nan},
        {"epsilon": 16},
        {"epsilon": 0},
        {"epsilon": 1, "delta": 1},
        {"epsilon": 1, "unit": "person"},
        {"epsilon": 1, "neighbors": "bounded"},
        {"epsilon": 1, "loss": "l7"},
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(ArgumentError):
        ask(pd.DataFrame({"x": [1]}), Count(), **options)


@pytest.mark.parametrize("n", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_very_many_groups(n):
    import numpy as np

    frame = pa.table({"g": pa.array(np.arange(n).astype(str)), "p": np.arange(n)})
    frame = pa.concat_tables([frame, pa.table({"g": pa.array(["big"] * 500), "p": np.arange(500)})])
    answer = ask(
        frame, Count(by="g", keys="private"), epsilon=1, delta=1e-9, unit=PrivacyUnit("p", 1, 2)
    )
    assert set(answer.value) == {"big"} and abs(answer.value["big"] - 500) < 100
