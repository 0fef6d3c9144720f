"""What a condition or a key compares with a column must be of its type, by the schema alone."""

from __future__ import annotations

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import aggregate
from leastnoise import ArgumentError, Count, Ledger, Marginals, Proportion, ask
from leastnoise.tables import CsvFile
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import bounded_request
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import Row

DAYS = pd.date_range("2023-12-01", periods=800, freq="D")
COLUMNS = {
    "iso": DAYS.strftime("%Y-%m-%d"),
    "german": DAYS.strftime("%d.%m.%Y"),
    "day": DAYS.date,
    "age": range(len(DAYS)),
    "member": [k % 2 == 0 for k in range(len(DAYS))],
}
SINCE_2025 = int((DAYS.year >= 2025).sum())


def rows(source, where):
    table = open_table(source)
    request = bounded_request(Count(where=where), Setting(Row(), "add-remove"))
    found = aggregate(table, request)
    table.close()
    return found[""].rows if found else 0


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The same rows in sources that state the types of their columns."""
    folder = tmp_path_factory.mktemp("typed")
    frame = pd.DataFrame(COLUMNS).astype({"iso": "str", "german": "str"})
    arrow = pa.Table.from_pandas(frame)
    pq.write_table(arrow, folder / "t.parquet")
    return {
        "pandas": arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "Polars": pl.from_pandas(frame),
        "Arrow": arrow,
        "Parquet": folder / "t.parquet",
    }


@pytest.fixture(scope="module")
def untyped(tmp_path_factory):
    """The same rows in sources of strings."""
    folder = tmp_path_factory.mktemp("untyped")
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(folder / "t.csv", index=False)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    for row in [list(frame), *frame.itertuples(index=False)]:
        sheet.append(list(row))
    book.save(folder / "t.xlsx")
    objects = frame.astype(object)
    category = frame.astype({"iso": "category", "german": "category"})
    return [folder / "t.csv", folder / "t.xlsx", objects, category]


REJECTED = {
    "iso >= 2025": "'iso', a column of strings .*, with a number: .* a string in quotes",
    "iso in (2024, 2025)": "'iso', a column of strings",
    "iso between 2024 and 2025": "'iso', a column of strings",
    "day >= 2025": "'day', a column of dates .* with a number: .*'2024-12-31'",
    "day = true": "'day', a column of dates .* with true or false",
    "age >= '30'": "'age', a column of numbers .*, with a string: .* a number without quotes",
    "age in (1, 'x')": "'age', a column of numbers .*, with values of several types",
    "member > 1": "'member', a column of Booleans .*, with a number: .* true or false",
    "german >= '01.07.2025'": "'2024-12-31'; dates= states how",
    "german >= '01.07.25'": "'2024-12-31'; dates= states how",
    "german < '2025/07/01'": "'2024-12-31'; dates= states how",
    "german < '1-7-25 10:00'": "'2024-12-31'; dates= states how",
}


@pytest.mark.parametrize("where", REJECTED)
def test_values_of_another_type_are_rejected_before_the_charge(sources, where, tmp_path):
    """Before: `iso >= 2025` was charged and answered with 0."""
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    for table in sources.values():
        for query in (Count(where=where), Proportion(where)):
            with pytest.raises(ArgumentError, match=REJECTED[where]):
                ask(table, query, epsilon=1, ledger=ledger)
    assert ledger.history() == []


def test_postgresql_rejects_them_too(postgres):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(postgres, autocommit=True) as con:
        con.execute("create table typed (iso text, day date, age integer, member boolean)")
    for where in ("iso >= 2025", "day >= 2025", "age >= '30'", "iso > '1.7.25'"):
        with pytest.raises(ArgumentError, match=r"'iso'|'day'|'age'|'2024-12-31'"):
            ask(f"{postgres}#typed", Count(where=where), epsilon=1)


def test_spark_rejects_them_too(spark):
    frame = spark.createDataFrame([], "iso string, day date, age int")
    for where in ("iso >= 2025", "day >= 2025", "age >= '30'", "iso > '1.7.25'"):
        with pytest.raises(ArgumentError, match=r"'iso'|'day'|'age'|'2024-12-31'"):
            ask(frame, Count(where=where), epsilon=1)


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("iso >= 2025", SINCE_2025),
        ("german >= 2025", SINCE_2025),
        ("iso = 2024", 366),
        ("german in (2023, 2024)", 31 + 366),
        ("day between 2024 and 2025", 366 + 365),
        ("iso > 2025", len(DAYS[DAYS.year > 2025])),
        ("age >= 790", 10),
        ("age >= 2025", 0),
        ("day >= '2025-01-01'", SINCE_2025),
        ("iso >= '2025-01'", SINCE_2025),
        ("german >= '2025-01-01'", 0),  # (before: all that begin with more than 20)
    ],
)
def test_strings_that_may_be_dates_are_compared_with_years(untyped, where, wanted):
    """Before: 0 for each number that a date was compared with, because no date is a number."""
    assert [rows(source, where) for source in untyped] == [wanted] * len(untyped)


def test_digits_in_quotes_have_no_order(untyped):
    """As strings, '9' comes after '30'."""
    for source in untyped[:3]:
        with pytest.raises(ArgumentError, match="where must be a number without quotes"):
            rows(source, "iso >= '30'")
        assert rows(source, "iso = '30'") == 0


def test_only_dates_come_before_or_after_a_date(sources):
    """Before: 31.12.2024 came after 2025-07-01."""
    for source in sources.values():
        assert rows(source, "iso >= '2025-01-01'") == SINCE_2025
        assert rows(source, "german >= '2025-01-01'") == 0


def test_stated_dates_are_compared_with_years(untyped):
    stated = CsvFile(untyped[0], dates="31.12.2024")
    assert rows(stated, "german >= 2025") == rows(stated, "german >= '2025-01-01'") == SINCE_2025


@pytest.mark.parametrize(
    ("by", "keys", "allowed"),
    [
        ("age", ["1", "two"], "integers such as 1"),
        ("age", [1.0, 2.0], "integers such as 1"),
        ("member", [0, 1], "true and false"),
        ("day", ["31.12.2024"], "dates such as 2024-12-31"),
    ],
)
def test_a_key_that_no_row_can_have_is_rejected(sources, by, keys, allowed):
    """Before: its group was charged, and empty."""
    words = rf"keys must be {allowed}, as the column '{by}' has, got"
    for query in (Count(by=by, keys=keys), Marginals([by, "iso"], [1], keys=[keys, ["a"]])):
        for table in sources.values():
            with pytest.raises(ArgumentError, match=words):
                ask(table, query, epsilon=1)
