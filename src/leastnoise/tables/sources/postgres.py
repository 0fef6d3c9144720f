"""PostgreSQL: tables and views of a database. Forms and their proof: `forms.proof.md`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from ...errors import ArgumentError, Described, EngineError
from .dialect import DATED, LARGEST, LONGEST_NUMERAL, NUMERAL, SMALLEST, Dialect
from .table import MOMENT, NUMBER, TEXT, Column, ValueForm

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
#: Bytes of the longest character(n), with its blanks. One of no n may be longer, and PostgreSQL may
#: stop where it takes the blanks off.
_PADDED = 4 * 10_485_760
#: PGRES_COMMAND_OK of libpq.
_DONE = 1
#: The functions of every query here.
_NAMES = (
    "abs convert_to count decode dense_rank encode floor left octet_length repeat row_number "
    "sha256 sum"
)
USED = frozenset(_NAMES.split())
#: Names mean PostgreSQL's own things, whatever others have made, and values are written in one
#: way, whatever a connection is set to.
_SETTINGS = {
    "search_path": "pg_catalog, pg_temp",
    "client_encoding": "UTF8",
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "extra_float_digits": "1",
    "max_parallel_workers_per_gather": "0",
}
_OWN = "SELECT " + ", ".join(
    f"pg_catalog.set_config('{name}', '{value}', true)" for name, value in _SETTINGS.items()
)
_NUMBERS = ", ".join(map(str, _TYPES))
#: What others have put among them (its number is not of the system's own): functions, operators
#: and collations that would be called in their place; and casts, which have no schema, between
#: types that are read here: PostgreSQL itself writes and reads the text there (as INOUT says).
_OTHERS = (
    "SELECT 'function ' || proname FROM pg_proc "
    "WHERE oid >= 16384 AND pronamespace = 'pg_catalog'::regnamespace "
    f"AND proname IN ({str(sorted(USED))[1:-1]}) "
    "UNION ALL SELECT 'operator ' || oprname FROM pg_operator "
    "WHERE oid >= 16384 AND oprnamespace = 'pg_catalog'::regnamespace "
    "UNION ALL SELECT 'collation ' || collname FROM pg_collation "
    "WHERE oid >= 16384 AND collnamespace = 'pg_catalog'::regnamespace AND collname = 'C' "
    "UNION ALL SELECT 'cast, ' || format_type(castsource, NULL) || ' to ' "
    "|| format_type(casttarget, NULL) FROM pg_cast WHERE oid >= 16384 AND castmethod <> 'i' "
    f"AND castsource IN ({_NUMBERS}) AND casttarget IN ({_NUMBERS}) ORDER BY 1"
)
#: The number of what a connection calls by a name, whose bytes are given in hexadecimal.
_MEANT = (
    "SELECT pg_catalog.to_regclass(pg_catalog.convert_from(pg_catalog.decode('{}', 'hex'), "
    "'UTF8'))::pg_catalog.oid::pg_catalog.int8"
)
#: The database, the schema and the name of a table or a view by its number.
_NAMED = (
    "SELECT current_database()::text, n.nspname::text, c.relname::text FROM pg_class AS c "
    "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE c.oid = {} AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
)
#: The types of those columns of a relation, by its number, that may be read.
_READABLE = (
    "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = {} "
    "AND attnum > 0 AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')"
)
#: However long a row takes, by a limit of the owner's it decides nothing. (The second one is there
#: since PostgreSQL 17.)
_PATIENT = (
    "SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN "
    "('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')"
)
#: All columns of a relation.
_ALL = "SELECT * FROM {} AS s"
#: What a relation reads: itself, its heirs, and what a view selects from; their kinds, and whether
#: policies hide rows.
_READ = (
    "WITH RECURSIVE held AS (SELECT CAST({} AS oid) AS oid UNION "
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
#: The full name of a table or a view, its columns, whether it is a base table.
Relation = tuple[str, tuple[Column, ...], bool]


class Postgres(Dialect):
    """A connection to PostgreSQL. ending: what ends it, if it was made here."""

    name: ClassVar[str] = "PostgreSQL"
    double: ClassVar[str] = "DOUBLE PRECISION"
    calm: ClassVar[bool] = False  # it stops where a product is too large or too small
    once: ClassVar[str] = " OFFSET 0"  # it would write an expression wherever its column stands

    def __init__(self, connection: Any, ending: Callable[[], None] | None = None) -> None:
        self.connection = connection
        self._ending = ending
        self._turn = _turns.setdefault(connection, threading.RLock())
        #: Database, schema and name of what was opened, and what it was.
        self._opened: tuple[tuple[str, str, str], Relation] | None = None
        if self.read("SHOW server_encoding") != [("UTF8",)]:
            raise EngineError("the database must be encoded in UTF8: other strings may not convert")

    # -- literals ---------------------------------------------------------------------------------

    def octets(self, value: bytes) -> str:
        """Bytes."""
        return f"decode('{value.hex()}', 'hex')"

    def _not_a_number(self, value: str) -> str:
        return f"{value} = CAST('NaN' AS DOUBLE PRECISION)"

    def _fingerprint(self, octets: str) -> str:
        return f"convert_to(repeat({self._digits(octets)}, 16), 'UTF8')"

    def _digits(self, octets: str) -> str:
        return f"encode(sha256({octets}), 'hex')"

    def _written(self, value: str) -> str:
        return f"convert_to(CAST({value} AS TEXT), 'UTF8')"

    # -- schema -----------------------------------------------------------------------------------

    def relation(self, catalog: str | None, schema: str | None, name: str) -> Relation:
        """What a connection calls by that name: its full name, its columns, is it a base table.

        That it is if it and its heirs are tables, perhaps in partitions, and no policy hides rows.
        Refused if it reads a foreign table, also through its heirs or views, and if it is none of
        this database: a name that PostgreSQL cuts short is another one's.
        """
        self._opened = self._found(catalog, schema, name)
        return self._opened[1]

    def _found(
        self, catalog: str | None, schema: str | None, name: str
    ) -> tuple[tuple[str, str, str], Relation]:
        for (other,) in self.read(_OTHERS):
            allowed = "of a database in which nobody has put any among those of PostgreSQL's own"
            raise ArgumentError("table", Described(f"a table beside another {other}"), allowed)
        whole = ".".join(self.identifier(part) for part in (schema, name) if part)
        with self._aside():  # (by the connection's own search path, and nothing else by that)
            ((number,),) = self._rows(_MEANT.format(whole.encode().hex()))
        named = [] if number is None else self.read(_NAMED.format(number))
        if not any(holder == name and catalog in (None, here) for here, _, holder in named):
            raise ArgumentError("table", name, "a table or a view of the database")
        relations = self.read(_READ.format(number))
        if any(kind == "f" for kind, _ in relations):
            allowed = "of this database itself: another one computes by rules of its own; copy it"
            raise ArgumentError("table", Described(f"{name}, which reads a foreign table"), allowed)
        base = all(kind in "rp" and not secured for kind, secured in relations)
        relation = ".".join(map(self.identifier, named[0][1:]))
        return named[0], (relation, self._columns(relation, number), base)

    def _columns(self, relation: str, number: int) -> tuple[Column, ...]:
        """The columns that may be read, from the catalog: nothing is planned or run."""
        columns = self._described(_ALL.format(relation))
        readable = dict(self.read(_READABLE.format(number)))
        if columns and not readable:
            raise ArgumentError("table", relation, "one that the connection's user may read")
        return tuple(
            self._column(name, _TYPES[kind], f"s.{self.identifier(name)}")
            if kind in _TYPES
            else Column(name, readable[name])
            for name, kind in columns
            if name in readable
        )

    def _column(self, name: str, stored: str, raw: str) -> Column:
        text = f"CAST({raw} AS TEXT)"
        if stored == "character":
            text = f"CAST(CASE WHEN octet_length({raw}) <= {_PADDED} THEN {raw} END AS TEXT)"
        octets = f"convert_to({text}, 'UTF8')"
        if stored in ("bigint", "smallint", "integer"):
            return self.whole_column(name, stored, raw)
        if stored in ("real", "double precision"):
            number = self.number(f"CAST({raw} AS DOUBLE PRECISION)")
            return Column(name, stored, number, number, None, number)
        if stored in ("text", "character", "character varying"):
            return self.text_column(
                name, stored, octets, self._numeral(text), self._matches(text, DATED)
            )
        if stored == "uuid":
            key = ValueForm(TEXT, octets)
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
            return Column(name, stored, ValueForm(MOMENT, raw, moment="CAST('{}' AS TIMESTAMP)"))
        return Column(name, stored, ValueForm(MOMENT, raw, moment="CAST('{}+00' AS TIMESTAMPTZ)"))

    def _numeric(self, before: str) -> ValueForm:
        """Of exact decimals, clamped before they become a double."""
        most, least, small = (f"CAST('{x!r}' AS NUMERIC)" for x in (LARGEST, -LARGEST, SMALLEST))
        finite = (
            "CASE WHEN {0} IS NULL OR {0} = CAST('NaN' AS NUMERIC) THEN NULL "
            f"WHEN ABS({{0}}) < {small} THEN CAST(0 AS NUMERIC) "
            f"ELSE LEAST({most}, GREATEST({least}, {{0}})) END"
        )
        return ValueForm(NUMBER, before, f"CAST({finite} AS DOUBLE PRECISION)")

    def _numeral(self, text: str) -> ValueForm:
        """Of a text, in a collation that knows regular expressions."""
        numeral = f"CASE WHEN {self._matches(text, NUMERAL)} THEN {_short(text)} END"
        return self._numeric(f"CAST({numeral} AS NUMERIC)")

    def _matches(self, text: str, pattern: str) -> str:
        return f"{_short(text)} COLLATE \"C\" ~ '^{pattern}$'"

    # -- rows -------------------------------------------------------------------------------------

    def check(self, query: str) -> None:
        """See that PostgreSQL understands a query; no row is read, and nothing planned."""
        self._described(query)

    def _described(self, query: str) -> list[tuple[str, int]]:
        """The names and types of a query's columns: the protocol's Parse and Describe.

        The planner would run functions that are declared STABLE, on the data: LIMIT 0 is planned.
        """
        with self._alone():
            return self._parsed(query)

    def _parsed(self, query: str) -> list[tuple[str, int]]:
        """The same in the transaction that there is, which keeps what it names from changing."""
        wire = self.connection.pgconn
        # (The connection's own lock: what is said on the wire itself is not said in its turn.)
        with self.connection.lock:
            for result in (wire.prepare(b"", query.encode()), wire.describe_prepared(b"")):
                if result.status != _DONE:
                    raise EngineError("PostgreSQL does not understand the query")
        return [
            ((result.fname(i) or b"").decode(), int(result.ftype(i))) for i in range(result.nfields)
        ]

    def load(self, names: Sequence[str]) -> None:
        """The rows are there."""

    def read(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._alone():
            return self._rows(query)

    def count(self, relation: str) -> int:
        """The number of rows of a relation: of what was opened, however long that takes."""
        with self.moment():
            return super().count(relation)

    @contextlib.contextmanager
    def moment(self) -> Iterator[None]:
        """All that is read herein is of one state of the database, and of what was opened.

        (In a transaction that its owner has begun, of those states that this one sees.) Forms rest
        on types: a table that has other columns since, or is another kind of table, is not read.
        """
        from psycopg.pq import TransactionStatus

        with self._turn:
            idle = self.connection.info.transaction_status == TransactionStatus.IDLE
            with self._aside():
                if idle:
                    with _cursor(self.connection) as cursor:
                        one_state = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
                        cursor.execute(one_state, prepare=False)
                self._rows(_OWN)
                self._rows(_PATIENT)
                if self._opened is not None:
                    place, opened = self._opened
                    self._parsed(_ALL.format(opened[0]))  # from now on nobody changes it
                    if self._found(*place) != self._opened:
                        raise EngineError("the table is not the one that was opened")
                yield

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

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with _cursor(self.connection) as cursor:
            return list(cursor.execute(query, prepare=False).fetchall())

    def close(self) -> None:
        """End a connection that was made here."""
        if self._ending is not None:
            with contextlib.suppress(Exception):
                self._ending()


def _short(text: str) -> str:
    """Short texts alone: a regular expression needs four times the memory of its text."""
    return f"CASE WHEN octet_length({text}) <= {LONGEST_NUMERAL} THEN {text} END"


def _cursor(connection: Any) -> Any:
    """A cursor of psycopg's own that reads values as psycopg does, whatever its owner prefers."""
    from psycopg import Cursor
    from psycopg.rows import tuple_row
    from psycopg.types import bool as truths
    from psycopg.types import datetime, numeric, string

    cursor = Cursor(connection, row_factory=tuple_row)
    for name, loader in (
        ("bool", truths.BoolLoader),
        ("bytea", string.ByteaLoader),
        ("date", datetime.DateLoader),
        ("int8", numeric.IntLoader),
        ("text", string.TextLoader),
    ):
        cursor.adapters.register_loader(name, loader)
    return cursor
