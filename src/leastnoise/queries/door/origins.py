"""Where the rows of a DuckDB query come from, by its text alone. Proof: `forms.proof.md`.

DuckDB reads rows of CSV and JSON files, and of Python objects, to find out the types of a query.
So a query is followed here, through views and macros, down to tables and Parquet files, before
DuckDB may look at it. What is not understood is refused.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

from ...errors import ArgumentError

_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_VIEW = re.compile(
    rf"CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?VIEW\s+{_NAME}(?:\.{_NAME})*\s*"
    rf"(?:\(\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\)\s*)?AS\s+(.*?);?\s*",
    re.DOTALL | re.IGNORECASE,
)
_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_SOURCES = {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY"}
_PARQUET = {"read_parquet", "parquet_scan"}
_SERIES = {"range", "generate_series", "unnest"}
_PATIENCE = 2.0
_ALLOWED = (
    "made of tables and Parquet files: DuckDB reads the rows of other sources to find their types; "
    "give CsvFile(path), the frame itself, or a table made of it"
)
#: What only the connection itself can see, asked without disturbing a result of its owner.
_VIEWS = (
    "SELECT database_name, schema_name, view_name, sql FROM system.main.duckdb_views() "
    "WHERE NOT internal"
)
_TABLES = (
    "SELECT t.database_name, t.schema_name, t.table_name FROM system.main.duckdb_tables() AS t, "
    "system.main.duckdb_databases() AS d WHERE d.database_name = t.database_name "
    "AND d.type = 'duckdb' AND NOT t.internal"
)
_MACROS = (
    "SELECT database_name, function_name, function_type, macro_definition "
    "FROM system.main.duckdb_functions() WHERE NOT internal"
)
_SESSION = "SELECT name, value FROM system.main.duckdb_settings() WHERE scope = 'LOCAL'"
#: Settings that write or show something, or let names be Python's variables, as none here can be;
#: `schema` is another word for the search path.
_NO_MEANING = ("profil", "metric", "progress", "log", "python", "schema")
_BUILT_IN = "SELECT DISTINCT function_name FROM system.main.duckdb_functions() WHERE internal"


class Origins:
    """What a query on a user's connection reads.

    temporary: statements that make the temporary views it needs on another connection.
    files: the Parquet files, one list for each call. session: settings of this connection alone.
    """

    def __init__(self, connection: Any, sql: str) -> None:
        self._connection = connection
        self.session = {
            str(name): str(value)
            for name, value in self._asked(_SESSION)
            if value and not any(word in name for word in _NO_MEANING)
        }
        self._views = self._asked(_VIEWS)
        self._tables = self._asked(_TABLES)
        self._macros = self._asked(_MACROS)
        if self._macros:
            built_in = {str(row[0]).lower() for row in self._asked(_BUILT_IN)}
            for _, name, *_ in self._macros:
                if str(name).lower() in built_in:
                    allowed = "on a connection whose macros have names of their own"
                    raise ArgumentError("table", f"a table beside the macro {name}", allowed)
        self.temporary: list[str] = []
        self.files: list[list[str]] = []
        self._seen: set[str] = set()
        self._query(sql)

    def _asked(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query about the connection. It waits a while for other threads' calls."""
        import duckdb

        end = time.monotonic() + _PATIENCE
        while True:
            try:
                # (`execute` would take the place of a result that another thread is fetching.)
                found: list[tuple[Any, ...]] = self._connection.sql(query).fetchall()
                return found
            except duckdb.Error as error:
                if type(error).__name__ != "ResourceInUseException":
                    raise
                if time.monotonic() > end:
                    break
            time.sleep(0.002)
        allowed = "a connection without unfinished results that no other thread keeps busy"
        raise ArgumentError("table", "a table of a connection in use", allowed)

    # -- queries ----------------------------------------------------------------------------------

    def _query(self, sql: str) -> None:
        if sql in self._seen:
            return
        self._seen.add(sql)
        text = sql.replace("'", "''")
        row = self._asked(f"SELECT system.main.json_serialize_sql('{text}')")[0]
        parsed = json.loads(row[0])
        if parsed.get("error") or len(parsed["statements"]) != 1:
            raise ArgumentError("table", "a query that is no plain SELECT", _ALLOWED)
        self._part(parsed["statements"][0], frozenset())

    def _part(self, part: Any, known: frozenset[str]) -> None:
        """Follow a part of a query; known: the names that WITH gives there."""
        if isinstance(part, list):
            for one in part:
                self._part(one, known)
        elif isinstance(part, dict):
            if "cte_map" in part:
                known = self._node(part, known)
            elif "class" in part:
                if part["class"] == "FUNCTION":
                    self._macro(str(part["function_name"]))
            elif "sample" in part:
                self._source(part, known)
            for name, one in part.items():
                if name != "cte_map":
                    self._part(one, known)

    def _node(self, node: dict[str, Any], known: frozenset[str]) -> frozenset[str]:
        if node["type"] not in _NODES:
            raise ArgumentError("table", f"a query with {node['type']}", _ALLOWED)
        if "cte_name" in node:  # WITH RECURSIVE: it names itself
            known |= {str(node["cte_name"]).lower()}
        for one in node["cte_map"]["map"]:
            self._part(one["value"], known)
            known |= {str(one["key"]).lower()}
        return known

    def _macro(self, name: str) -> None:
        for database, called, kind, definition in self._macros:
            if str(called).lower() == name.lower():
                if kind != "macro" or database == "temp" or definition is None:
                    raise ArgumentError("table", f"a query with the macro {name}", _ALLOWED)
                self._query(f"SELECT ({definition})")

    # -- sources ----------------------------------------------------------------------------------

    def _source(self, source: dict[str, Any], known: frozenset[str]) -> None:
        kind = source["type"]
        if kind == "BASE_TABLE":
            self._named([str(part) for part in source["qualified_name"]["path"]], known)
        elif kind == "TABLE_FUNCTION":
            self._function(source["function"])
        elif kind not in _SOURCES:
            raise ArgumentError("table", f"a query with {kind}", _ALLOWED)

    def _named(self, path: list[str], known: frozenset[str]) -> None:
        """A name: every table and view that it can mean must do."""
        wanted = [part.lower() for part in path]
        shown = ".".join(path)
        found = len(wanted) == 1 and wanted[0] in known
        for database, schema, name in self._tables:
            if _means(wanted, (database, schema, name)):
                found = True
                if database == "temp":
                    allowed = "not temporary: another connection cannot see it"
                    raise ArgumentError("table", f"the temporary table {shown}", allowed)
        for database, schema, name, sql in self._views:
            if _means(wanted, (database, schema, name)):
                found = True
                body = _VIEW.fullmatch(str(sql))
                if body is None:
                    raise ArgumentError("table", f"the view {shown}", _ALLOWED)
                self._query(body.group(1))
                if database == "temp" and sql not in self.temporary:
                    self.temporary.append(sql)
        if not found and len(path) == 1 and wanted[0].endswith(".parquet"):
            self.files.append(path)
        elif not found:
            raise ArgumentError("table", shown, _ALLOWED)

    def _function(self, call: dict[str, Any]) -> None:
        name = str(call["function_name"]).lower()
        if name in _PARQUET:
            self.files.append(list(_texts(call["arguments"][0]["expression"])))
        elif name not in _SERIES:
            raise ArgumentError("table", f"a query with {name}", _ALLOWED)


def _means(wanted: list[str], place: tuple[Any, ...]) -> bool:
    database, schema, name = (str(part).lower() for part in place)
    full = [database, schema, name]
    return wanted in (full, full[1:], full[2:], [database, name])


def _texts(expression: dict[str, Any]) -> Iterator[str]:
    """The constant texts of an argument."""
    if expression["class"] == "CONSTANT" and expression["literal"]["kind"] == "STRING":
        yield str(expression["literal"]["text"])
    elif expression["class"] == "FUNCTION" and expression["function_name"] == "list_value":
        for one in expression["arguments"]:
            yield from _texts(one["expression"])
    else:
        allowed = "a query that names its Parquet files in constant texts"
        raise ArgumentError("table", "a file with a computed name", allowed)
