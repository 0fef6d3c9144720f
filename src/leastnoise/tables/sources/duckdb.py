"""DuckDB: files, frames and tables of its own. Forms and their proof: `forms.proof.md`."""

from __future__ import annotations

import contextlib
import re
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from .catalog import base_table, refuse_other_functions
from .dialect import DATED, LONGEST_NUMERAL, NUMERAL, Dialect
from .spill import spill_folder
from .table import MOMENT, TEXT, Column, RowText, SumsQuery, ValueForm

#: Parts of the optimizer that believe what a file says about its values. Files of pyarrow and
#: Polars say nothing of NaN, so that DuckDB would take isnan(x) for false, and pass over rows.
_BELIEVING = (
    "statistics_propagation",
    "filter_pushdown",
    "join_filter_pushdown",
    "row_group_pruner",
    "compressed_materialization",
    "partitioned_execution",
    "partial_aggregate_pushdown",
    "scalar_fn_pushdown",
    "type_pushdown",
    "remote_pushdown",
)
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
_HUGE = {"UBIGINT", "HUGEINT", "UHUGEINT"}
_COARSE = {"TIMESTAMP_S", "TIMESTAMP_MS"}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
#: What to do about columns at whose values DuckDB's Parquet reader may stop.
_REMEDIES = {
    "TIMESTAMP": "milliseconds in Parquet: cast to microseconds",
    "DECIMAL": "wider in Parquet than its digits need: write it with DuckDB, Arrow or Polars",
    "DOUBLE": "of decimals that are wider in Parquet than their digits need",
}
_SPLIT = "in Parquet as BYTE_STREAM_SPLIT, which DuckDB does not read of this type"
_FIXED = "FIXED_LEN_BYTE_ARRAY"
#: A date in any notation that writes its year in four digits, which are one of two groups.
_YEAR = (
    " *(?:([0-9]{4})[-./][0-9]{1,2}[-./][0-9]{1,2}|[0-9]{1,2}[-./][0-9]{1,2}[-./]([0-9]{4}))"
    "(?:[ T].*)?"
)
#: Of more rows, the people are divided: what is held of each takes some 150 bytes.
_ROWS_AT_ONCE = 8_000_000
#: Digits of decimals, and the bytes that DuckDB has for them.
_BYTES = ((4, 2), (9, 4), (18, 8), (38, 16))


class Failing(NamedTuple):
    """Columns of Parquet files at whose values DuckDB's reader may stop.

    kind: their type. name: how their names begin, in small letters.
    """

    kind: str
    name: str
    remedy: str


class DuckDB(Dialect):
    """A connection to DuckDB that nobody else uses: one made here, or a cursor of a user's.

    own: whether its database was made here, so that its settings are ours. Those of a user's
    are of the whole database, and are left alone: the forms alone hide numbers from statistics.
    ending: what is to be done at the end. decimal: what stands before the decimals of texts, and
    thousands: between groups of three digits. dates: how texts write the last day of 2024.
    loading: brings columns into the table, for sources that are not DuckDB's own, and
    counting: tells how many rows these have. schema: a connection where that table is always empty
    and has all its columns.
    """

    name: ClassVar[str] = "DuckDB"

    def __init__(
        self,
        connection: Any,
        exclusive: bool,
        loading: Callable[[Sequence[str]], None] | None = None,
        counting: Callable[[], int] | None = None,
        ending: Callable[[], None] | None = None,
        decimal: str = ".",
        thousands: str = "",
        dates: str = "2024-12-31",
        schema: Any = None,
    ) -> None:
        # The result of a connection is that of the last query, whichever thread has asked it.
        self.connection = connection if exclusive else connection.cursor()
        self._loading, self._counting = loading, counting
        self._decimal, self._thousands, self._dates = decimal, thousands, dates
        self._ended = contextlib.ExitStack()
        if ending is not None:
            self._ended.callback(ending)
        if exclusive:
            folder = spill_folder(self._ended)
        self._ended.callback(self.connection.close)
        self._schema = self.connection if schema is None else schema
        if schema is not None:
            self._ended.callback(schema.close)
        if exclusive:
            self._set("temp_directory", str(folder))
            # In a notebook without ipywidgets it is off, and DuckDB refuses to be told so again.
            if self._setting("enable_progress_bar"):
                self._set("enable_progress_bar", "false")
            self._set("disabled_optimizers", self._believing())
            self._set("preserve_insertion_order", "false")  # half the work, and nobody asks
        self._finalizer = weakref.finalize(self, self._ended.close)

    # -- literals ---------------------------------------------------------------------------------

    def octets(self, value: bytes) -> str:
        """Bytes."""
        return f"from_hex('{value.hex()}')"

    def _not_a_number(self, value: str) -> str:
        return f"isnan({value})"

    def mixed(self, person: RowText, keys: Sequence[RowText]) -> str:
        """By DuckDB's own hash, which is quick; of the hash again, so that no key is favored."""
        values = ", ".join(value for _, value in [person, *keys])
        return f"hash(hash({values}))"

    # -- schema -----------------------------------------------------------------------------------

    def columns(self, relation: str, failing: Sequence[Failing] = ()) -> tuple[Column, ...]:
        """The columns of a relation; those of a Parquet file that are `failing` have no forms."""
        rows = self.connection.execute(f"DESCRIBE SELECT * FROM {relation} AS s").fetchall()
        columns = []
        for name, stored, *_ in rows:
            kind = stored.partition("(")[0].partition(" ")[0]
            begins = [f for f in failing if f.kind == kind and name.lower().startswith(f.name)]
            if begins:
                columns.append(Column(name, f"{stored} ({begins[0].remedy})"))
            else:
                columns.append(self._column(name, str(stored), f"s.{self.identifier(name)}"))
        return tuple(columns)

    def base_table(self, wanted: list[str]) -> str:
        """A base table of a user's database for FROM, by its full name.

        A transaction begins that ends with the connection: all statements see one state.
        """
        self.connection.execute("BEGIN TRANSACTION READ ONLY")
        refuse_other_functions(self.connection)
        return ".".join(self.identifier(part) for part in base_table(self.connection, wanted))

    def failing(self, files: str) -> list[Failing] | None:
        """The Parquet columns at whose values DuckDB's reader may stop.

        None: files disagree. Those with other columns or types than the first would be cast row by
        row.
        """
        text = "'" + files.replace("'", "''") + "'"
        rows = self.connection.execute(
            "SELECT file_name, name, type, type_length, converted_type, logical_type, precision, "
            f"scale, num_children FROM parquet_schema({text})"
        ).fetchall()
        schemas: dict[str, list[str]] = {}
        for file, name, *kind in rows:
            types = schemas.setdefault(file, [])
            types.append("" if not types else f"{name} {kind}")  # the root's name says nothing
        if len({tuple(types) for types in schemas.values()}) > 1:
            return None
        stopping = [(_stopping(*kind), str(name).lower()) for _, name, *kind in rows]
        found = [Failing(kind, name, _REMEDIES[kind]) for kind, name in stopping if kind]
        fixed = {str(name): kind for _, name, *kind in rows if kind[0] == _FIXED}
        split = set().union(*map(_split_columns, schemas)) if fixed else set()
        return found + [
            Failing(_kind_of_fixed(*kind), name.lower(), _SPLIT)
            for name, kind in fixed.items()
            if name in split
        ]

    def _column(self, name: str, stored: str, raw: str) -> Column:
        text = f"encode(CAST({raw} AS VARCHAR))"
        # DuckDB looks through everything but this for statistics of the file.
        double = f"CASE WHEN {raw} IS NULL THEN NULL ELSE CAST({raw} AS DOUBLE) END"
        decimal = _DECIMAL.fullmatch(stored)
        if stored in _WHOLE:
            return self.whole_column(name, stored, raw)
        if stored in ("FLOAT", "DOUBLE"):
            number = self.number(double)
            return Column(name, stored, number, number, None, number)
        if stored in _HUGE or decimal is not None:
            whole = decimal is None or decimal.group(2) == "0"
            if decimal is not None:  # (a file may hold -2^127, which DuckDB cannot divide)
                most = _nines(*decimal.groups())
                low, high = (f"CAST('{sign}{most}' AS {stored})" for sign in ("-", ""))
                inside = f"LEAST({high}, GREATEST({low}, {raw}))"
                double = f"CASE WHEN {raw} IS NULL THEN NULL ELSE CAST({inside} AS DOUBLE) END"
            if decimal is not None and whole:  # (a file may hold 2^127 - 1, of no 38 digits)
                text = f"encode(CAST(CAST({raw} AS HUGEINT) AS VARCHAR))"
            return self.number_column(name, stored, raw, self.number(double), text if whole else "")
        if stored == "VARCHAR":
            return self._text(name, stored, f"encode({raw})", raw)
        if stored.startswith("ENUM("):
            return self._text(name, "ENUM", text, f"CAST({raw} AS VARCHAR)")
        if stored == "UUID":
            key = ValueForm(TEXT, text)
            return Column(name, stored, key, None, key, key)
        if stored == "BOOLEAN":
            return self.truth_column(name, stored, raw)
        if stored == "DATE":
            return self.date_column(name, stored, raw)
        return Column(name, stored, self._moment(stored, raw))

    def _text(self, name: str, stored: str, octets: str, raw: str) -> Column:
        dated = _matches(raw, DATED)
        return self.text_column(name, stored, octets, self.number(self._numeral(raw)), dated)

    def of_anything(self, column: Column, name: str) -> Column:
        """A column of strings whose source says nothing of what they stand for.

        name: in the relation.
        """
        raw = f"s.{self.identifier(name)}"
        words = f"concat(regexp_extract({raw}, '{_YEAR}', 1), regexp_extract({raw}, '{_YEAR}', 2))"
        year = f"TRY_CAST(CASE WHEN {_matches(raw, _YEAR)} THEN {words} END AS DOUBLE)"
        number = self.number(f"COALESCE({self._numeral(raw)}, {year})")
        return replace(column, day=self._written_day(raw), year=number)

    def _numeral(self, raw: str) -> str:
        numeral, digits = NUMERAL, f"trim({raw})"
        if self._decimal == ",":
            numeral = numeral.replace("[.]", "[,]")
        if self._thousands:
            mark = self._thousands.replace("'", "''")
            grouped = f"[1-9][0-9]{{0,2}}([{mark}][0-9]{{3}})+([{self._decimal}][0-9]*)?"
            numeral = numeral.replace("(", f"({grouped}|", 1)
            digits = f"replace({digits}, '{mark}', '')"
        if self._decimal == ",":
            digits = f"replace({digits}, ',', '.')"
        return f"TRY_CAST(CASE WHEN {_matches(raw, numeral)} THEN {digits} END AS DOUBLE)"

    def _written_day(self, raw: str) -> ValueForm | None:
        """The day that a text is, in a notation that puts day or month first."""
        if self._dates.startswith("2024"):
            return None
        pair, sign = "([0-9]{1,2})", f"[{self._dates[2]}]"
        pattern = f" *{pair}{sign}{pair}{sign}([0-9]{{4}})([ T].*)?"
        part = [f"lpad(regexp_extract({raw}, '{pattern}', {k}), 2, '0')" for k in (1, 2)]
        day, month = part if self._dates.startswith("31") else part[::-1]
        year = f"regexp_extract({raw}, '{pattern}', 3)"
        digits = f"concat({year}, '-', {month}, '-', {day})"
        return self.day(f"TRY_CAST(CASE WHEN {_matches(raw, pattern)} THEN {digits} END AS DATE)")

    def _moment(self, stored: str, raw: str) -> ValueForm | None:
        plain = "CAST('{}' AS TIMESTAMP)"
        if stored in ("TIMESTAMP", "TIMESTAMP_NS"):
            return ValueForm(MOMENT, f"CAST({raw} AS TIMESTAMP)", moment=plain)
        if stored in _COARSE:
            ends = f"CAST('10000-01-01' AS {stored})", f"CAST('0001-01-01 (BC)' AS {stored})"
            clamped = f"LEAST({ends[0]}, GREATEST({ends[1]}, {raw}))"
            kept = f"CASE WHEN {raw} IS NULL THEN NULL ELSE CAST({clamped} AS TIMESTAMP) END"
            return ValueForm(MOMENT, kept, moment=plain)
        if stored == "TIMESTAMP WITH TIME ZONE":
            return ValueForm(MOMENT, raw, moment="CAST('{}+00' AS TIMESTAMP WITH TIME ZONE)")
        return None

    # -- rows -------------------------------------------------------------------------------------

    def check(self, query: str) -> None:
        """See that DuckDB understands a query; no row is read."""
        self._schema.execute(f"DESCRIBE {query}").fetchall()

    def load(self, names: Sequence[str]) -> None:
        """Bring these columns into the table."""
        if self._loading is not None:
            self._loading(names)

    def count(self, relation: str) -> int:
        """The number of rows of a relation."""
        return super().count(relation) if self._counting is None else self._counting()

    def read(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        rows: list[tuple[Any, ...]] = self.connection.execute(query).fetchall()
        return rows

    def read_people(
        self, relation: str, person: ValueForm, asked: Callable[[str], SumsQuery]
    ) -> Sequence[Sequence[Any]]:
        """The columns of what is asked of a relation, in which each person adds to the sums.

        Of very many rows, some persons are read after the others, so that what is held of persons
        and their groups is bounded. DuckDB's own hash divides them: equal ids have equal ones.
        """
        parts = 1 + super().count(relation) // _ROWS_AT_ONCE
        if parts == 1:
            return super().read_people(relation, person, asked)
        place = f"hash({person.after.format(person.before)}) % {parts}"
        queries = [
            asked(f"(SELECT * FROM {relation} AS s WHERE {place} = {part})")
            for part in range(parts)
        ]
        return self._added_up(queries)

    def _added_up(self, queries: Sequence[SumsQuery]) -> Sequence[Sequence[Any]]:
        """The columns of queries with the same columns, one after the other, added up by key.

        By DuckDB: Arrow's sums have wrong keys where these have more than 2 GiB. They are in order,
        because a million keys are then quicker to work with.
        """
        import pyarrow as pa

        _, columns, by = queries[0]
        found = pa.concat_tables([self.connection.sql(q.sql).to_arrow_table() for q in queries])
        keys = ", ".join(columns[:by])
        sums = ", ".join(
            [*columns[:by], *(f"{self.sum_of(name)} AS {name}" for name in columns[by:])]
        )
        total = self.connection.from_arrow(found).aggregate(sums, keys)
        ordered = total.order(keys) if keys else total
        return [column.to_pylist() for column in ordered.to_arrow_table().columns]

    def close(self) -> None:
        """End a connection that is ours and remove its folder."""
        self._finalizer()

    # -- settings ---------------------------------------------------------------------------------

    def _believing(self) -> str:
        rows = self.connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()
        return ",".join(name for name in _BELIEVING if (name,) in rows)

    def _setting(self, name: str) -> Any:
        return self.connection.execute(f"SELECT current_setting('{name}')").fetchall()[0][0]

    def _set(self, name: str, value: str) -> None:
        self.connection.execute(f"SET {name} = '{value.replace(chr(39), chr(39) * 2)}'")


def _matches(raw: str, pattern: str) -> str:
    return f"length({raw}) <= {LONGEST_NUMERAL} AND regexp_full_match({raw}, '{pattern}')"


def _nines(width: str, scale: str) -> str:
    """The largest decimal of a type."""
    digits = "9" * int(width)
    return f"{digits[int(scale) :]}.{digits[: int(scale)]}"


def _stopping(
    stored: Any, length: Any, converted: Any, logical: Any, precision: Any, *_: Any
) -> str:
    """The type of a column of a footer if DuckDB's reader may stop at a value of it, else "".

    At timestamps in milliseconds, beyond its years; at decimals whose bytes do not fit into what
    it has for so many digits.
    """
    if converted == "TIMESTAMP_MILLIS":
        return "TIMESTAMP"
    if "Timestamp" in str(logical) and "MILLIS=Milli" in str(logical):
        return "TIMESTAMP"
    if converted != "DECIMAL" and "Decimal" not in str(logical):
        return ""
    digits = int(precision or 0)
    room = next((size for most, size in _BYTES if digits <= most), None)
    if stored == _FIXED:
        fits = room is None or int(length or 0) <= room
    else:
        fits = room is not None and stored in ("INT32", "INT64")
    return "" if fits else "DOUBLE" if room is None else "DECIMAL"


def _split_columns(file: str) -> set[str]:
    """The columns of a Parquet file whose values are of a fixed length and have their bytes apart.

    By the footer alone, and no statistics in it: the encodings of a file are its writer's choice.
    """
    import pyarrow.parquet as pq

    footer = pq.read_metadata(file)
    columns = (footer.schema.column(place) for place in range(footer.num_columns))
    fixed = [place for place, column in enumerate(columns) if column.physical_type == _FIXED]
    groups = (footer.row_group(number) for number in range(footer.num_row_groups))
    parts = (group.column(place) for group in groups for place in fixed)
    return {part.path_in_schema for part in parts if "BYTE_STREAM_SPLIT" in part.encodings}


def _kind_of_fixed(
    stored: Any, length: Any, converted: Any, logical: Any, precision: Any, *_: Any
) -> str:
    """The type that DuckDB reads values of a fixed length as, where it has forms."""
    if converted == "DECIMAL" or "Decimal" in str(logical):
        return "DECIMAL" if int(precision or 0) <= _BYTES[-1][0] else "DOUBLE"
    return "UUID" if "UUID" in str(logical) else "FLOAT"
