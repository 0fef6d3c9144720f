"""PostgreSQL: tables and views of a database. Forms and their proof: `forms.proof.md`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from ...errors import ArgumentError, EngineError
from .dialect import LARGEST, LONGEST_NUMERAL, NUMERAL, SMALLEST, Dialect
from .table import MOMENT, NUMBER, TEXT, Column, Form

#: Types by their number in the catalog; a domain has that of what it is made of.
_TYPES = {
    16: "boolean",
    20: "bigint",
    21: "smallint",
    23: "integer",
    25: "text",
    700: "real",
    701: "double precision",
    1042: "character",
    1043: "character varying",
    1082: "date",
    1114: "timestamp without time zone",
    1184: "timestamp with time zone",
    1700: "numeric",
    2950: "uuid",
}
#: PGRES_COMMAND_OK of libpq.
_DONE = 1
#: The functions of every query here.
_NAMES = (
    "abs concat convert_from convert_to count decode dense_rank encode floor md5 octet_length "
    "repeat row_number sha256 sum"
)
USED = frozenset(_NAMES.split())
#: Where names mean PostgreSQL's own things, whatever others have made; time zones are UTC.
_OWN = (
    "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), "
    "pg_catalog.set_config('TimeZone', 'UTC', true)"
)
#: What others have put among them (its number is not of the system's own): functions, operators
#: and collations that would be called in their place; and casts, which have no schema, between
#: types that are read here: PostgreSQL itself writes and reads the text there (as INOUT says).
_OTHERS = (
    "SELECT 'function ' || proname FROM pg_proc "
    "WHERE oid >= 16384 AND pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (%s) "
    "UNION ALL SELECT 'operator ' || oprname FROM pg_operator "
    "WHERE oid >= 16384 AND oprnamespace = 'pg_catalog'::regnamespace "
    "UNION ALL SELECT 'collation ' || collname FROM pg_collation "
    "WHERE oid >= 16384 AND collnamespace = 'pg_catalog'::regnamespace AND collname = 'C' "
    "UNION ALL SELECT 'cast, ' || format_type(castsource, NULL) || ' to ' "
    "|| format_type(casttarget, NULL) FROM pg_cast WHERE oid >= 16384 AND castmethod <> 'i' "
    "AND castsource = ANY (%s) AND casttarget = ANY (%s) ORDER BY 1"
)
_OTHER_TYPES = "SELECT oid::int8, format_type(oid, NULL) FROM pg_type WHERE oid = ANY (%s)"
#: The number of what a connection calls by a name.
_MEANT = "SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid::pg_catalog.int8"
_NAMED = (
    "SELECT n.nspname, c.relname FROM pg_class AS c JOIN pg_namespace AS n "
    "ON n.oid = c.relnamespace WHERE c.oid = %s"
)
#: What a relation reads: itself, its heirs, and what a view selects from; their kinds, and whether
#: policies hide rows.
_READ = (
    "WITH RECURSIVE held AS (SELECT CAST(%s AS oid) AS oid UNION "
    "SELECT below.oid FROM held CROSS JOIN LATERAL ("
    "SELECT i.inhrelid AS oid FROM pg_inherits AS i WHERE i.inhparent = held.oid "
    "UNION ALL SELECT d.refobjid FROM pg_class AS v "
    "JOIN pg_rewrite AS r ON r.ev_class = v.oid AND r.ev_type = '1' "
    "JOIN pg_depend AS d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass "
    "AND d.refclassid = 'pg_class'::regclass WHERE v.oid = held.oid AND v.relkind = 'v') AS below) "
    "SELECT c.relkind::text, c.relrowsecurity FROM held JOIN pg_class AS c ON c.oid = held.oid"
)
#: Whose turn it is on a connection, which does one thing at a time.
_turns: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()


class Postgres(Dialect):
    """A connection to PostgreSQL. ending: what ends it, if it was made here."""

    name: ClassVar[str] = "PostgreSQL"
    double: ClassVar[str] = "DOUBLE PRECISION"
    calm: ClassVar[bool] = False  # it stops where a product is too large or too small

    def __init__(self, connection: Any, ending: Callable[[], None] | None = None) -> None:
        self.connection = connection
        self._ending = ending
        self._turn = _turns.setdefault(connection, threading.RLock())
        if self.read("SHOW server_encoding") != [("UTF8",)]:
            raise EngineError("the database must be encoded in UTF8: other texts may not convert")
        for (other,) in self.read(_OTHERS, ([*USED], [*_TYPES], [*_TYPES])):
            allowed = "of a database in which nobody has put any among those of PostgreSQL's own"
            raise ArgumentError("table", f"a table beside another {other}", allowed)

    # -- literals ---------------------------------------------------------------------------------

    def octets(self, value: bytes) -> str:
        """Bytes."""
        return f"decode('{value.hex()}', 'hex')"

    def _not_a_number(self, value: str) -> str:
        return f"{value} = CAST('NaN' AS DOUBLE PRECISION)"

    def _fingerprint(self, octets: str) -> str:
        return f"convert_to(repeat(encode(sha256({octets}), 'hex'), 16), 'UTF8')"

    def digest(self, form: Form, value: str) -> str:
        """A text that depends on the value alone, and looks like chance."""
        return f"md5({value if form.kind == TEXT else f'CAST({value} AS TEXT)'})"

    # -- schema -----------------------------------------------------------------------------------

    def relation(self, schema: str | None, name: str) -> tuple[str, bool]:
        """The full name of what a connection calls by that name, and whether it is a base table.

        That it is if it and its heirs are tables, perhaps in partitions, and no policy hides rows.
        Refused if it reads a foreign table, also through its heirs or views.
        """
        whole = ".".join(self.identifier(part) for part in (schema, name) if part)
        with self._aside():  # (by the connection's own search path, and nothing else by that)
            ((number,),) = self._rows(_MEANT, (whole,))
        named = [] if number is None else self.read(_NAMED, (number,))
        if not named:
            raise ArgumentError("table", name, "a table or a view of the database")
        found = self.read(_READ, (number,))
        if any(kind == "f" for kind, _ in found):
            allowed = "of this database itself: another one computes by rules of its own; copy it"
            raise ArgumentError("table", f"{name}, which reads a foreign table", allowed)
        base = all(kind in "rp" and not secured for kind, secured in found)
        return ".".join(map(self.identifier, named[0])), base

    def columns(self, relation: str) -> tuple[Column, ...]:
        """The columns of a relation, from the catalog: nothing is planned or run."""
        found = self._described(f"SELECT * FROM {relation} AS s")
        others = dict(self.read(_OTHER_TYPES, ([kind for _, kind in found],)))
        return tuple(
            self._column(name, _TYPES[kind], f"s.{self.identifier(name)}")
            if kind in _TYPES
            else Column(name, others[kind])
            for name, kind in found
        )

    def _column(self, name: str, stored: str, raw: str) -> Column:
        octets = f"convert_to(CAST({raw} AS TEXT), 'UTF8')"
        if stored in ("bigint", "smallint", "integer"):
            return self.whole_column(name, stored, raw)
        if stored in ("real", "double precision"):
            number = self.number(f"CAST({raw} AS DOUBLE PRECISION)")
            return Column(name, stored, number, number, None, number)
        if stored in ("text", "character", "character varying"):
            return self.text_column(name, stored, octets, self._numeral(octets))
        if stored == "uuid":
            key = Form(TEXT, octets)
            return Column(name, stored, key, None, key, key)
        # Of a domain what it is made of: others may have functions and operators of the domain.
        raw = f"CAST({raw} AS {stored})"
        if stored == "numeric":
            return self.number_column(name, stored, raw, self._numeric(raw))
        if stored == "boolean":
            return self.truth_column(name, stored, raw)
        if stored == "date":
            return self.date_column(name, stored, raw)
        if stored == "timestamp without time zone":
            return Column(name, stored, Form(MOMENT, raw, moment="CAST('{}' AS TIMESTAMP)"))
        return Column(name, stored, Form(MOMENT, raw, moment="CAST('{}+00' AS TIMESTAMPTZ)"))

    def _numeric(self, before: str) -> Form:
        """Of exact decimals, clamped before they become a double."""
        most, least, small = (f"CAST('{x!r}' AS NUMERIC)" for x in (LARGEST, -LARGEST, SMALLEST))
        held = (
            "CASE WHEN {0} IS NULL OR {0} = CAST('NaN' AS NUMERIC) THEN NULL "
            f"WHEN ABS({{0}}) < {small} THEN CAST(0 AS NUMERIC) "
            f"ELSE LEAST({most}, GREATEST({least}, {{0}})) END"
        )
        return Form(NUMBER, before, f"CAST({held} AS DOUBLE PRECISION)")

    def _numeral(self, octets: str) -> Form:
        """Of bytes back to a text: its collation is then one that knows regular expressions."""
        # Short ones alone: a regular expression needs four times the memory of its text.
        short = f"CASE WHEN octet_length({octets}) <= {LONGEST_NUMERAL} THEN {octets} END"
        text = f"(convert_from({short}, 'UTF8') COLLATE \"C\")"
        numeral = f"CASE WHEN {text} ~ '^{NUMERAL}$' THEN {text} END"
        return self._numeric(f"CAST({numeral} AS NUMERIC)")

    # -- rows -------------------------------------------------------------------------------------

    def check(self, query: str) -> None:
        """See that PostgreSQL understands a query; no row is read, and nothing planned."""
        self._described(query)

    def _described(self, query: str) -> list[tuple[str, int]]:
        """The names and types of a query's columns: the protocol's Parse and Describe.

        The planner would run functions that are declared STABLE, on the data: LIMIT 0 is planned.
        """
        encoding, wire = self.connection.info.encoding, self.connection.pgconn
        # (The connection's own lock: what is said on the wire itself is not said in its turn.)
        with self._alone(), self.connection.lock:
            for result in (wire.prepare(b"", query.encode(encoding)), wire.describe_prepared(b"")):
                if result.status != _DONE:
                    raise EngineError("PostgreSQL does not understand the query")
        return [
            ((result.fname(i) or b"").decode(encoding), int(result.ftype(i)))
            for i in range(result.nfields)
        ]

    def load(self, names: Sequence[str]) -> None:
        """The rows are there."""

    def read(self, query: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a query; values: for its %s."""
        with self._alone():
            return self._rows(query, values)

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        """A transaction of which nothing is left behind, whatever the connection was doing."""
        with self._turn, self.connection.transaction(force_rollback=True):
            yield

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Such a transaction, in which names mean PostgreSQL's own things."""
        with self._aside():
            self._rows(_OWN)
            yield

    def _rows(self, query: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        from psycopg.rows import tuple_row

        with self.connection.cursor(row_factory=tuple_row) as cursor:
            return list(cursor.execute(query, values).fetchall())

    def close(self) -> None:
        """End a connection that was made here."""
        if self._ending is not None:
            with contextlib.suppress(Exception):
                self._ending()
