"""Base tables of a user's DuckDB, by the catalog alone. Proof: `forms.proof.md`.

DuckDB reads rows of files, and of Python objects, to find out the types of a view or a query. So
nothing but a table that it stores itself is bound, and by its full name, which means nothing else.
"""

from __future__ import annotations

import time
from collections import Counter
from functools import lru_cache
from typing import Any

from ...errors import ArgumentError, Described

BASE_TABLE = (
    "a base table of DuckDB (a view, an expression or a temporary table: make a table of it, "
    "export it to Parquet, or give the file or the frame itself)"
)
#: The functions and operators of every query here, and those that DuckDB makes of them.
_NAMES = (
    "abs cast ceil coalesce concat count count_star dense_rank encode floor from_hex greatest hash "
    "isnan least left length octet_length parquet_schema read_parquet regexp_full_match repeat "
    "row_number sha256 sum sum_no_overflow trim + - * / // % & | || >> <<"
)
USED = frozenset(_NAMES.split())
_PATIENCE = 2.0
_HERE = "SELECT system.main.current_database(), system.main.current_schema()"
_TEMPORARY = (
    "SELECT table_name FROM system.main.duckdb_tables() WHERE temporary "
    "UNION ALL SELECT view_name FROM system.main.duckdb_views() WHERE temporary"
)
_DATABASES = "SELECT database_name, type, internal FROM system.main.duckdb_databases()"
_TABLES = (
    "SELECT database_name, schema_name, table_name, internal OR temporary, sql "
    "FROM system.main.duckdb_tables()"
)
_FUNCTIONS = (
    "SELECT function_name, CAST(parameter_types AS VARCHAR), function_type "
    "FROM system.main.duckdb_functions()"
)


def full_name(owner: Any, catalog: str | None, schema: str | None, name: str) -> list[str]:
    """Database, schema and name as the connection of an owner means them.

    Refused if the name could be that of something temporary, or of another database.
    """
    if catalog is not None and schema is not None:
        return [catalog, schema, name]
    database, present = _asked(owner, _HERE)[0]
    if schema is None:
        if any(str(other).lower() == name.lower() for (other,) in _asked(owner, _TEMPORARY)):
            raise ArgumentError("table", Described(f"{name}, which is temporary"), BASE_TABLE)
    elif any(str(other).lower() == schema.lower() for other, *_ in _asked(owner, _DATABASES)):
        allowed = "with its database and its schema: that is the name of a database, too"
        raise ArgumentError("table", Described(f"{schema}.{name}"), allowed)
    return [str(catalog or database), str(schema or present), name]


def base_table(cursor: Any, wanted: list[str]) -> list[str]:
    """The full name of the one base table that is meant, as the catalog writes it."""
    shown = ".".join(wanted)
    stored = {
        name
        for name, kind, internal in cursor.execute(_DATABASES).fetchall()
        if kind == "duckdb" and not internal
    }
    relations = [
        ([str(part) for part in place], str(sql))
        for *place, hidden, sql in cursor.execute(_TABLES).fetchall()
        if [part.lower() for part in place] == [part.lower() for part in wanted]
        and place[0] in stored
        and not hidden
    ]
    if len(relations) != 1:
        raise ArgumentError("table", shown, BASE_TABLE)
    place, sql = relations[0]
    if "GENERATED ALWAYS AS" in sql:
        raise ArgumentError("table", Described(f"{shown} with a generated column"), BASE_TABLE)
    return place


def refuse_other_functions(cursor: Any) -> None:
    """Refuse a database with macros or functions that could take the place of those used here."""
    for name, *_ in Counter(cursor.execute(_FUNCTIONS).fetchall()) - _built_in():
        if str(name).lower() in USED:
            allowed = "on a connection whose macros and functions have names of their own"
            raise ArgumentError(
                "table", Described(f"a table beside another function {name}"), allowed
            )


@lru_cache(maxsize=1)
def _built_in() -> Counter[tuple[str, ...]]:
    import duckdb

    with duckdb.connect() as fresh:
        return Counter(fresh.execute(_FUNCTIONS).fetchall())


def _asked(owner: Any, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query about an owner's connection, which may be busy in other threads."""
    import duckdb

    end = time.monotonic() + _PATIENCE
    while True:
        try:
            # (`execute` would take the place of a result that another thread is fetching.)
            rows: list[tuple[Any, ...]] = owner.sql(query).fetchall()
            return rows
        except duckdb.Error as error:
            if type(error).__name__ != "ResourceInUseException":
                raise
            if time.monotonic() > end:
                break
        time.sleep(0.002)
    allowed = "a connection without unfinished results that no other thread keeps busy"
    raise ArgumentError("table", Described("a table of a connection in use"), allowed)
