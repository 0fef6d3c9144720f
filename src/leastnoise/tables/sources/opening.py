"""open_table(source): tables of all kinds, by their schema. No row is read here.

What an engine says when it fails may quote the data, so none of it is passed on.
"""

from __future__ import annotations

import contextlib
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import ArgumentError, Described, EngineError, LeastnoiseError, MissingExtraError
from ..charge import without_warnings
from ..connections import connection_reason
from .catalog import BASE_TABLE, full_name
from .csv_file import DATES, CsvFile, delimiter_of
from .duckdb import DuckDB
from .excel_file import ExcelFile, is_excel
from .frames import MemoryTable, frame_of
from .postgres import Postgres
from .spark import Spark, readers_of, refuse_unsettled, unreadable
from .spark_files import UNREADABLE
from .table import Column, Table

_ALLOWED = (
    "a CSV, TSV, Excel (.xlsx) or Parquet file, a pandas, Polars or Arrow table, a Spark "
    "DataFrame, an Ibis table, or URL#TABLE"
)
_COVERED = "of DuckDB, PostgreSQL or Spark: nothing is proven of others; export it to Parquet"
#: Types that say nothing of values: of files of strings, and of pandas.
_OF_ANYTHING = {"text", "object", "category"}
_VIEW = "a table or a view of PostgreSQL (con.create_view(name, expression) makes one)"
_DATA = '"data"'
#: No columns from the names of folders or of other files; bytes that are no text do not fail.
_AS_STORED = "hive_partitioning = false, union_by_name = false, utf8_validation = 'replace'"


def open_table(source: Any) -> Table:
    """The table that a user means. Only its schema is read; types are those of the source."""
    if isinstance(source, Table):
        return source
    if isinstance(source, (str, Path)):
        table = _named(str(source))
    elif isinstance(source, (CsvFile, ExcelFile)):
        table = _texts(source)
    elif type(source).__module__.partition(".")[0] == "pyspark":
        table = _spark_frame(source)
    elif type(source).__module__.partition(".")[0] == "ibis":
        table = _ibis_table(source)
    else:
        frame = quietly("the table's types could not be read", lambda: frame_of(source))
        if frame is None:
            raise ArgumentError("table", Described(type(source).__name__), _ALLOWED)
        table = _frame(frame)
    repeated = [name for name, times in Counter(table.columns).items() if times > 1]
    if repeated:
        table.close()
        raise ArgumentError("table", repeated[0], "without duplicate column names")
    return replace(table, name=_name_of(source))


def _name_of(source: Any) -> str:
    """What a file or a table of a database is called; "" for one in memory."""
    if isinstance(source, (str, Path)):
        return str(source).partition("#")[2] if "://" in str(source) else Path(source).name
    if isinstance(source, (CsvFile, ExcelFile)):
        return Path(source.path).name
    return str(source.get_name()) if type(source).__module__.partition(".")[0] == "ibis" else ""


@contextlib.contextmanager
def opened(source: Any) -> Iterator[Table]:
    """The table of a source, closed at the end if it was opened here."""
    table = open_table(source)
    try:
        yield table
    finally:
        if table is not source:
            with contextlib.suppress(Exception):
                table.close()


def quietly(words: str, work: Callable[[], Any]) -> Any:
    """Run `work`; if it fails, say so and nothing that the engine said."""
    try:
        with without_warnings():
            return work()
    except LeastnoiseError:
        raise
    except Exception as error:
        kind = type(error).__name__
    # Raised outside the handler: the engine's own words are not even the context of this error.
    raise EngineError(f"{words} ({kind}); its message is withheld because it may quote the data")


def _ibis() -> Any:
    try:
        import ibis
        import ibis.backends.duckdb
    except ImportError:
        raise MissingExtraError("ibis-framework[duckdb]", "tables") from None
    return ibis


def _new_connection() -> Any:
    try:
        import duckdb
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError("ibis-framework[duckdb]", "tables") from None
    return duckdb.connect()


def _named(text: str) -> Table:
    if "://" in text:
        return _at_url(text)
    path = Path(text)
    if not path.exists():
        remedy = " Patterns are not read: name a folder." if set(text) & set("*?[") else ""
        words = f"There is no file {text!r}.{remedy} A table is {_ALLOWED}."
        raise ArgumentError("table", text, f"{_ALLOWED} that exists", words)
    if (delimiter := delimiter_of(path)) is not None:
        return _by_name_alone(CsvFile(path, delimiter))
    if is_excel(path):
        return _texts(ExcelFile(path))
    plain = path.is_file() and path.suffix.lower() in (".parquet", ".pq")
    if not path.is_dir() and not plain:
        raise ArgumentError("table", str(path), _ALLOWED)
    return _parquet(path)


# -- files ----------------------------------------------------------------------------------------


def _parquet(path: Path) -> Table:
    """A Parquet file, or all of a folder, which must have one schema."""
    if path.is_dir() and not any(path.glob("*.parquet")):
        allowed = "a folder with *.parquet files in it (folders of partitions: name one of them)"
        raise ArgumentError("table", str(path), allowed)
    engine = DuckDB(_new_connection(), exclusive=True)
    file = _literal(path) + ("/*.parquet" if path.is_dir() else "")
    text = "'" + file.replace("'", "''") + "'"

    def seen() -> Table:
        failing = engine.failing(file)
        if failing is None:
            allowed = "a folder of files with the same columns and types"
            raise ArgumentError("table", str(path), allowed)
        relation = f"read_parquet({text}, {_AS_STORED})"
        return Table(engine, relation, engine.columns(relation, failing), sized=True)

    with _closing(engine.close):
        table: Table = quietly(f"{path} could not be read", seen)
    return table


def _literal(path: Path) -> str:
    """The path of this one file for DuckDB, which would read "a[1].csv" as a pattern for others."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute()))


def _by_name_alone(file: CsvFile) -> Table:
    """A file that is named and not described; an error says how to state its delimiter."""
    try:
        return _texts(file)
    except ArgumentError as error:
        if error.name != "delimiter":
            raise
        words = (
            f"{error}. Pass CsvFile({str(file.path)!r}, delimiter=...) in the place of the name."
        )
        raise ArgumentError(error.name, error.value, error.allowed, words) from None


def _texts(file: CsvFile | ExcelFile) -> Table:
    """A file of texts: every column is text, so that no row has a say in the type of another."""
    if not Path(file.path).exists():
        words = f"There is no file {str(file.path)!r}."
        raise ArgumentError("table", str(file.path), "a file that exists", words)
    names = quietly(f"{file.path} could not be read", file.names)

    def batches(wanted: Sequence[str]) -> Any:
        import pyarrow as pa

        chosen = list(wanted) or names[:1]
        called = [f"c{names.index(name)}" for name in chosen]
        for batch in file.batches(chosen):
            yield pa.RecordBatch.from_arrays(batch.columns, names=called)

    def loaded(connection: Any, wanted: Sequence[str]) -> None:
        import pyarrow as pa

        chosen = list(wanted) or names[:1]
        schema = pa.schema([(f"c{names.index(name)}", pa.string()) for name in chosen])
        reader = pa.RecordBatchReader.from_batches(schema, batches(wanted))
        # A reader is read once: a table can be read as often as a question needs.
        connection.unregister("data")
        connection.register("lines", reader)
        connection.execute(f'CREATE OR REPLACE TEMP TABLE {_DATA} AS SELECT * FROM "lines"')
        connection.unregister("lines")

    import pyarrow as pa

    schema = pa.schema([(f"c{i}", pa.string()) for i in range(len(names))])
    empty = pa.Table.from_batches([], schema)  # (`empty_table` would import pandas)
    columns = [(name, "text") for name in names]
    return _in_duckdb(
        empty,
        columns,
        loaded,
        lambda: sum(batch.num_rows for batch in file.batches(names[:1])),
        told=False,
        decimal=file.decimal,
        thousands=file.thousands,
        dates=file.dates,
        sized=file.sized,
    )


# -- tables in memory -----------------------------------------------------------------------------


def _frame(frame: MemoryTable) -> Table:
    names = frame.names()
    if len({*names}) < len(names):
        raise ArgumentError("table", Described("a frame"), "without duplicate column names")

    def declared() -> dict[str, Any]:
        return {name: frame.usable(name) for name in names}

    empties = quietly("the table's types could not be read", declared)
    import pyarrow as pa

    usable = {f"c{i}": empties[n] for i, n in enumerate(names) if empties[n] is not None}

    def loaded(connection: Any, wanted: Sequence[str]) -> None:
        import numpy as np

        if wanted:
            arrays = frame.columns(wanted)
            columns = {f"c{names.index(name)}": arrays[name] for name in wanted}
        else:
            columns = {"c": np.zeros(frame.rows(), np.int8)}
        connection.unregister("data")
        connection.register("data", pa.table(columns))

    empty = pa.table(usable or {"c": pa.array([], pa.int8())})
    columns = [(name, frame.declared(name)) for name in names]
    return _in_duckdb(empty, columns, loaded, frame.rows)


def _in_duckdb(
    empty: Any,
    declared: Sequence[tuple[str, str]],
    loaded: Callable[[Any, Sequence[str]], None],
    counted: Callable[[], int],
    told: bool = True,
    decimal: str = ".",
    thousands: str = "",
    dates: str = DATES[0],
    sized: bool = True,
) -> Table:
    """A table that DuckDB gets when it is paid for; until then an empty one has its schema.

    Column i is called c<i> there, so that no name is taken for another one.
    """
    connection = _new_connection()
    schema = connection.cursor()  # whatever a question before this one has loaded
    engine = DuckDB(
        connection,
        True,
        lambda names: loaded(connection, names),
        counted,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        schema=schema,
    )

    def seen() -> dict[str, Column]:
        connection.register("data", empty)
        schema.register("data", empty)
        return {column.name: column for column in engine.columns(_DATA)}

    with _closing(engine.close):
        known = quietly("the table has a column of a type that no engine knows", seen)
    listed = []
    for i, (name, stored) in enumerate(declared):
        column = known.get(f"c{i}", Column(name, stored))
        if stored in _OF_ANYTHING and column.value is not None:
            column = engine.of_anything(column, f"c{i}")
        listed.append(replace(column, name=name, stored=stored))
    return Table(engine, _DATA, tuple(listed), told, sized)


# -- engines --------------------------------------------------------------------------------------


def _at_url(text: str) -> Table:
    url, mark, name = text.partition("#")
    scheme = url.partition("://")[0]
    if scheme in ("s3", "gs", "gcs", "az", "abfs", "abfss", "hdfs", "http", "https", "file"):
        allowed = "a file of this machine, or a Spark DataFrame of it: addresses are not read"
        raise ArgumentError("table", Described(f"{scheme}://..."), allowed)
    if not mark or not name:
        raise ArgumentError(
            "table", Described(f"{scheme}://..."), "a URL with the table's name after #"
        )
    if scheme not in ("duckdb", "postgres", "postgresql"):
        raise ArgumentError("table", Described(f"{scheme}://..."), f"a table {_COVERED}")

    def opened() -> Table:
        if scheme == "duckdb":
            file = url.partition("://")[2].partition("?")[0]
            if not Path(file).is_file():  # (DuckDB would make an empty one)
                raise ArgumentError("table", file, "the name of a DuckDB file that exists")
            backend = _ibis().connect(url)  # (its own `table` would bind a view to open it)
            with _closing(backend.disconnect):
                return _of_duckdb(backend.con, None, None, name, backend.disconnect)
        connection = _connected(url)
        with _closing(connection.close):
            return _of_postgres(connection, None, None, name, connection.close)

    table: Table = quietly("the database could not be opened", opened)
    return table


def _ibis_table(source: Any) -> Table:
    ibis = _ibis()
    if not isinstance(source, ibis.Table):
        raise ArgumentError("table", Described(type(source).__name__), _ALLOWED)
    import ibis.expr.operations as ops

    if source.op().find(ops.InMemoryTable):
        raise ArgumentError(
            "table", Described("an Ibis memtable"), "the frame itself, not a memtable of it"
        )
    backend = quietly("the Ibis table has no engine", source.get_backend)
    if backend.name == "pyspark":  # (a query may read rows to find out its types)
        raise ArgumentError(
            "table", Described("an Ibis table of Spark"), "the DataFrame: spark.table(name)"
        )
    if backend.name not in ("duckdb", "postgres"):
        raise ArgumentError("table", Described(f"a table of {backend.name}"), f"a table {_COVERED}")
    operation = source.op()
    if type(operation) is not ops.DatabaseTable:
        allowed = BASE_TABLE if backend.name == "duckdb" else _VIEW
        raise ArgumentError("table", Described("an expression or a query"), allowed)
    place, name = operation.namespace, operation.name

    def seen() -> Table:
        if backend.name == "duckdb":
            return _of_duckdb(backend.con, place.catalog, place.database, name)
        return _of_postgres(backend.con, place.catalog, place.database, name)

    table: Table = quietly("the table's types could not be read", seen)
    return table


def _connected(url: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("psycopg", "postgres") from None
    try:
        return psycopg.connect(url)
    except psycopg.Error as error:
        reason = connection_reason(error, url)
    # Raised outside the handler: the driver's own words are not even the context of this error.
    raise EngineError(f"the database could not be opened: {reason or 'the driver gave no reason'}")


def _of_duckdb(
    connection: Any, catalog: str | None, schema: str | None, name: str, ending: Any = None
) -> Table:
    """A base table, on a cursor of its connection; nothing else is bound."""
    wanted = full_name(connection, catalog, schema, name)
    engine = DuckDB(connection, False, ending=ending)
    with _closing(engine.close):
        relation = engine.base_table(wanted)
        return Table(engine, relation, engine.columns(relation), sized=True)


def _of_postgres(
    connection: Any, catalog: str | None, schema: str | None, name: str, ending: Any = None
) -> Table:
    """A table or a view, by its full name."""
    engine = Postgres(connection, ending)
    relation, columns, base = engine.relation(catalog, schema, name)
    return Table(engine, relation, columns, sized=base)


def _spark_frame(frame: Any) -> Table:
    if not hasattr(frame, "createOrReplaceTempView"):
        raise ArgumentError("table", Described(type(frame).__name__), _ALLOWED)

    def seen() -> Table:
        refuse_unsettled(frame)
        name = f"leastnoise_{uuid.uuid4().hex}"
        engine = Spark(frame.sparkSession, name)
        names = [str(field.name) for field in frame.schema.fields]
        # Column i is called c<i> there: no name is read as a variable, a pattern or another one.
        renamed = frame.toDF(*(f"c{i}" for i in range(len(names))))
        # Of a plan of its own: whoever drops a view drops what is cached of the same plan, too.
        renamed = renamed.filter(f"'{name}' = '{name}'")
        readers_of(renamed)  # (of others it is refused)
        with _closing(engine.close):
            renamed.createOrReplaceTempView(name)
            described = zip(engine.columns(name), names, unreadable(renamed), strict=True)
            return Table(
                engine,
                name,
                tuple(
                    Column(called, f"{column.stored} ({UNREADABLE})")
                    if failing
                    else replace(column, name=called)
                    for column, called, failing in described
                ),
            )

    table: Table = quietly("the table's types could not be read", seen)
    return table


@contextlib.contextmanager
def _closing(end: Callable[[], object]) -> Iterator[None]:
    """Close what was opened for a table if that cannot be opened."""
    try:
        yield
    except BaseException:
        end()
        raise
