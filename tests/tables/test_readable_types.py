"""Types that can be read and that are rejected, as `docs/sources-details.md` has them."""

from __future__ import annotations

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from leastnoise.tables.sources import opened


def forms(source):
    """What each column is good for."""
    with opened(source) as table:
        kinds = ("value", "number", "key", "person")
        return {
            column.name: {kind for kind in kinds if getattr(column, kind) is not None}
            for column in table.described
        }


NUMBERS = {"value", "number"}
VALUES = {"value"}
NUMBERED = {"value", "number", "key", "person"}
NAMED = {"value", "key", "person"}
REJECTED = frozenset()

IN_DUCKDB = {
    "hugeint": NUMBERED,
    "uhugeint": NUMBERED,
    "double": {*NUMBERS, "person"},
    "decimal(9, 2)": NUMBERS,
    "decimal(38, 0)": NUMBERED,
    "boolean": {*NUMBERS, "key"},
    "varchar": NUMBERED,
    "enum('a', 'b')": NUMBERED,
    "uuid": NAMED,
    "date": NAMED,
    **dict.fromkeys(("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"), VALUES),
    "timestamptz": VALUES,
    **dict.fromkeys(("timestamptz_ns", "bignum", "time", "timetz", "interval"), REJECTED),
    **dict.fromkeys(("blob", "bit", "json", "int[]", "int[2]", "variant"), REJECTED),
    **dict.fromkeys(("struct(a int)", "map(int, int)", "union(a int, b int)"), REJECTED),
}
IN_ARROW = {
    pa.uint64(): NUMBERED,
    pa.float16(): {*NUMBERS, "person"},
    pa.decimal64(18, 0): NUMBERED,
    pa.string_view(): NUMBERED,
    pa.timestamp("ns", "Asia/Kathmandu"): VALUES,
    pa.dictionary(pa.int8(), pa.date32()): NAMED,
    **dict.fromkeys((pa.decimal256(50, 2), pa.decimal128(9, -2), pa.date64(), pa.uuid()), REJECTED),
    **dict.fromkeys((pa.time32("s"), pa.duration("s"), pa.binary(), pa.json_()), REJECTED),
    **dict.fromkeys((pa.null(), pa.list_(pa.int64())), REJECTED),
}
IN_POLARS = {
    pl.UInt64: NUMBERED,
    pl.Categorical: NUMBERED,
    pl.Datetime("ms", "Asia/Kathmandu"): VALUES,
    **dict.fromkeys((pl.Int128, pl.Object, pl.Binary, pl.Time, pl.Duration), REJECTED),
}
IN_POSTGRESQL = {
    "real": {*NUMBERS, "person"},
    "numeric": NUMBERS,
    "numeric(20, 0)": NUMBERS,
    "character(3)": NUMBERED,
    "a_domain": NUMBERED,
    "boolean": {*NUMBERS, "key"},
    "uuid": NAMED,
    "date": NAMED,
    "timestamptz": VALUES,
    **dict.fromkeys(("an_enum", "bytea", "money", "jsonb", "xml", "bit(3)", "time"), REJECTED),
    **dict.fromkeys(("interval", "int[]", "int4range", "inet", "name", '"char"', "oid"), REJECTED),
}


def columns(kinds):
    return ", ".join(f"x{i} {kind}" for i, kind in enumerate(kinds))


def test_types_of_duckdb(tmp_path):
    with duckdb.connect(tmp_path / "a.db") as connection:
        connection.execute(f"create table t ({columns(IN_DUCKDB)})")
    seen = forms(f"duckdb://{tmp_path / 'a.db'}#t")
    assert dict(zip(IN_DUCKDB, seen.values(), strict=True)) == IN_DUCKDB


def test_types_of_arrow():
    table = pa.schema([(str(i), kind) for i, kind in enumerate(IN_ARROW)]).empty_table()
    assert dict(zip(IN_ARROW, forms(table).values(), strict=True)) == IN_ARROW


def test_types_of_polars():
    table = pl.DataFrame(schema={str(kind): kind for kind in IN_POLARS})
    assert dict(zip(IN_POLARS, forms(table).values(), strict=True)) == IN_POLARS


def test_types_of_postgresql(postgres):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("create type an_enum as enum ('a')")
        connection.execute("create domain a_domain as bigint check (value > 0)")
        connection.execute(f"create table of_all_types ({columns(IN_POSTGRESQL)})")
    seen = forms(f"{postgres}#of_all_types")
    assert dict(zip(IN_POSTGRESQL, seen.values(), strict=True)) == IN_POSTGRESQL
