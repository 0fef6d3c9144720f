"""Tables as what `ask` is given: files, frames, and tables of engines, one at a time.

Neighbors are written to the same place under the same name, one after the other: a name in an
error then tells nothing.
"""

from __future__ import annotations

import csv
import gzip
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from leastnoise import CsvFile

from .servers import NoServerError, Place
from .tables import DAYS_AT_ENDS, Table

#: Puts a table somewhere and yields what `ask` is given.
Source = Callable[[Place, Table], AbstractContextManager[Any]]

_TYPES = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "big": pa.uint64(),
    "numeric": pa.decimal128(38, 10),
    "text": pa.string(),
    "truth": pa.bool_(),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "nano": pa.timestamp("ns"),
}
_WHOLE = {"date": pa.int32(), "moment": pa.int64(), "nano": pa.int64()}


def arrow_of(table: Table) -> pa.Table:
    """The table in Arrow."""
    found = {}
    for name, kind in table.columns:
        values = table.column(name)
        if kind in _WHOLE:
            found[name] = pa.array(values, _WHOLE[kind]).view(_TYPES[kind])
        else:
            found[name] = pa.array(values, _TYPES[kind])
    return pa.table(found)


@contextmanager
def arrow(place: Place, table: Table) -> Iterator[Any]:
    """An Arrow table."""
    yield arrow_of(table)


@contextmanager
def pandas(place: Place, table: Table) -> Iterator[Any]:
    """A pandas frame; mixed columns are those of Python objects."""
    import pandas as pd

    found = {}
    for name, kind in table.columns:
        values = table.column(name)
        if kind == "mixed":
            column = pd.Series([None] * len(values), dtype=object)
            for i, value in enumerate(values):
                column.iat[i] = value
            found[name] = column
        else:
            found[name] = arrow_of(Table(((name, kind),), tuple((v,) for v in values)))[
                name
            ].to_pandas(types_mapper=_NULLABLE.get)
    yield pd.DataFrame(found)


def _nullable() -> dict[Any, Any]:
    import pandas as pd

    return {
        pa.int64(): pd.Int64Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }


_NULLABLE = _nullable()


@contextmanager
def polars(place: Place, table: Table) -> Iterator[Any]:
    """A Polars frame."""
    import polars as pl

    yield pl.from_arrow(arrow_of(table))


@contextmanager
def parquet(place: Place, table: Table) -> Iterator[Any]:
    """A Parquet file written by pyarrow, in small row groups."""
    path = place.folder / "t.parquet"
    pq.write_table(arrow_of(table), path, row_group_size=_group(table))
    yield path
    path.unlink()


@contextmanager
def parquet_polars(place: Place, table: Table) -> Iterator[Any]:
    """A Parquet file written by Polars, with its statistics."""
    import polars as pl

    path = place.folder / "t.parquet"
    frame = pl.DataFrame(pl.from_arrow(arrow_of(table)))
    frame.write_parquet(path, row_group_size=_group(table), statistics="full")
    yield path
    path.unlink()


@contextmanager
def folder(place: Place, table: Table) -> Iterator[Any]:
    """A folder of two Parquet files."""
    path = place.folder / "parts"
    path.mkdir()
    whole, half = arrow_of(table), len(table.rows) // 2
    pq.write_table(whole.slice(0, half), path / "a.parquet")
    pq.write_table(whole.slice(half), path / "b.parquet")
    yield path
    shutil.rmtree(path)


def _group(table: Table) -> int:
    return max(1, len(table.rows) // 3)


@contextmanager
def csv_file(place: Place, table: Table) -> Iterator[Any]:
    """A CSV file as Python's csv writes it; a missing value is an empty field."""
    path = place.folder / "t.csv"
    _write_csv(path, table)
    yield CsvFile(path, line_breaks=True)
    path.unlink()


@contextmanager
def csv_gz(place: Place, table: Table) -> Iterator[Any]:
    """The same, compressed."""
    path = place.folder / "t.csv.gz"
    _write_csv(path, table)
    yield CsvFile(path, line_breaks=True)
    path.unlink()


def _write_csv(path: Path, table: Table) -> None:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow([name for name, _ in table.columns])
        kinds = [kind for _, kind in table.columns]
        for row in table.rows:
            out.writerow([_field(v, k) for v, k in zip(row, kinds, strict=True)])


def _field(value: Any, kind: str) -> str:
    if value is None:
        return ""
    if kind == "date" and DAYS_AT_ENDS[0] <= value <= DAYS_AT_ENDS[1]:
        return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
    return str(value)


@contextmanager
def duckdb(place: Place, table: Table) -> Iterator[Any]:
    """A table of DuckDB, opened through Ibis."""
    import ibis

    con = ibis.duckdb.connect()
    con.con.register("source", arrow_of(table))
    texts = ", ".join(
        f"{name} collate {table.collation} as {name}"
        if kind == "text" and table.collation
        else name
        for name, kind in table.columns
    )
    con.raw_sql(f"create table t as select {texts} from source")
    if table.collation:
        for name, kind in table.columns:
            if kind == "text":
                con.raw_sql(f"alter table t alter {name} type varchar collate {table.collation}")
    yield con.table("t")
    con.disconnect()


_POSTGRES = {
    "number": "double precision",
    "whole": "bigint",
    "big": "numeric(20, 0)",
    "numeric": "numeric",
    "text": "text",
    "truth": "boolean",
    "date": "date",
    "moment": "timestamp",
}
#: The first and the last moment that PostgreSQL has, and its infinities.
_ENDS = {
    2**31 - 1: "infinity",
    -(2**31) + 1: "-infinity",
    2**31 - 2: "5874897-12-31",
    -(2**31): "4713-01-01 BC",
    2**63 - 1: "infinity",
    -(2**63) + 1: "-infinity",
    -(2**63): "4713-01-01 BC",
}


@contextmanager
def postgres(place: Place, table: Table) -> Iterator[Any]:
    """A table of PostgreSQL, by its URL."""
    import psycopg

    with psycopg.connect(place.postgres, autocommit=True) as con:
        if table.collation == "folding":
            _fold(con)
        con.execute("drop table if exists neighbors_t")
        columns = ", ".join(
            f"{name} {_POSTGRES[kind]}"
            + (f' collate "{table.collation}"' if kind == "text" and table.collation else "")
            for name, kind in table.columns
        )
        con.execute(f"create table neighbors_t ({columns})")
        kinds = [kind for _, kind in table.columns]
        with con.cursor().copy("copy neighbors_t from stdin") as copy:
            for row in table.rows:
                copy.write_row([_sent(v, k) for v, k in zip(row, kinds, strict=True)])
    yield f"{place.postgres}#neighbors_t"
    with psycopg.connect(place.postgres, autocommit=True) as con:
        con.execute("drop table neighbors_t")


def _fold(con: Any) -> None:
    """A collation for which texts that differ in case are equal."""
    import psycopg

    try:
        con.execute(
            "create collation if not exists folding "
            "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
    except psycopg.errors.FeatureNotSupported:
        raise NoServerError("this PostgreSQL was built without ICU") from None


def _sent(value: Any, kind: str) -> Any:
    """A value as PostgreSQL takes it."""
    if value is None:
        return None
    if kind in ("date", "moment"):
        if value in _ENDS:
            return _ENDS[value]
        days = value if kind == "date" else value // 86_400_000_000
        return (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    if kind == "number":
        return repr(value)
    return format(value, "f") if isinstance(value, Decimal) and value.is_finite() else str(value)


@contextmanager
def spark(place: Place, table: Table) -> Iterator[Any]:
    """A frame of Spark."""
    path = place.folder / "spark.parquet"
    pq.write_table(arrow_of(table), path)
    frame = place.spark.read.parquet(str(path))
    if table.collation:
        texts = [name for name, kind in table.columns if kind == "text"]
        frame = frame.selectExpr(
            *(
                f"{name} collate {table.collation} as {name}" if name in texts else name
                for name, _ in table.columns
            )
        )
    yield frame
    path.unlink()


SOURCES: dict[str, Source] = {
    "csv": csv_file,
    "csv.gz": csv_gz,
    "parquet": parquet,
    "parquet-polars": parquet_polars,
    "folder": folder,
    "pandas": pandas,
    "polars": polars,
    "arrow": arrow,
    "duckdb": duckdb,
    "postgres": postgres,
    "spark": spark,
}
ENGINES = {
    "duckdb": tuple(name for name in SOURCES if name not in ("postgres", "spark")),
    "postgres": ("postgres",),
    "spark": ("spark",),
}


#: These lose or refuse the very ends of dates and moments before anything is asked.
_SHORT = ("csv", "csv.gz", "polars", "parquet-polars", "pandas", "spark")


def holds(source: str, kind: str, value: Any) -> bool:
    """Whether a source can hold a value of this kind at all."""
    if kind == "mixed":
        return source == "pandas"
    if kind == "numeric" and source != "postgres" and isinstance(value, Decimal):
        digits = value.as_tuple()
        return value.is_finite() and digits.exponent >= -10 and value.adjusted() < 28
    if kind == "nano" and source in ("postgres", "spark"):
        return False
    if kind in _WHOLE and value is not None and source in _SHORT:
        return abs(value) < (2**31 - 3 if kind == "date" else 2**63 - 3)
    return not (source == "postgres" and kind == "text" and value is not None and "\0" in value)
