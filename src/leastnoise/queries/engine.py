"""Tables of all kinds as Ibis tables, and the one place where an engine runs.

What an engine says when it fails may quote the data, so none of it is passed on.
"""

from __future__ import annotations

import uuid
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, EngineError, LeastnoiseError, MissingExtraError
from .csv_file import CsvFile

_TEXT = {".csv": ",", ".tsv": "\t"}
_ALLOWED = (
    "a CSV, TSV or Parquet file, a CsvFile, a pandas, Polars or Arrow table, a Spark DataFrame, "
    "an Ibis table, or URL#TABLE"
)


def _ibis() -> Any:
    try:
        import ibis
        import ibis.backends.duckdb
    except ImportError:
        raise MissingExtraError("ibis-framework[duckdb]", "tables") from None
    return ibis


def _duckdb() -> Any:
    """A DuckDB in this process, which prints nothing: standard output is the caller's."""
    con = _ibis().duckdb.connect()
    # In a notebook without ipywidgets it is off, and DuckDB refuses to be told so again.
    if con.raw_sql("select current_setting('enable_progress_bar')").fetchall()[0][0]:
        con.raw_sql("set enable_progress_bar = false")
    return con


def open_table(source: Any) -> Any:
    """The Ibis table that a user means. Types are those of the file; texts stay texts."""
    ibis = _ibis()
    if isinstance(source, ibis.Table):
        table = source
    elif isinstance(source, (str, Path)):
        table = _named(str(source))
    elif isinstance(source, CsvFile):
        table = _csv(source)
    else:
        table = _in_memory(source)
    repeated = [name for name, times in Counter(table.columns).items() if times > 1]
    if repeated:
        raise ArgumentError("table", repeated[0], "without duplicate column names")
    return table


def _named(text: str) -> Any:
    ibis = _ibis()
    if "://" in text:
        url, mark, name = text.partition("#")
        if not mark or not name:
            raise ArgumentError(
                "table", url.partition("://")[0] + "://...", "a URL with the table's name after #"
            )
        return _quietly("the database could not be opened", lambda: ibis.connect(url).table(name))
    path = Path(text)
    if not path.exists():
        raise ArgumentError("table", text, f"{_ALLOWED} that exists")
    inner = Path(path.stem) if path.suffix == ".gz" else path
    if inner.suffix.lower() in _TEXT:
        return _csv(CsvFile(path, _TEXT[inner.suffix.lower()]))
    text = _literal(path)
    if path.is_dir():
        text += "/*.parquet"
    elif inner.suffix.lower() not in (".parquet", ".pq"):
        raise ArgumentError("table", str(path), _ALLOWED)
    return _quietly(f"{path} could not be read", lambda: _duckdb().read_parquet(text))


def _literal(path: Path) -> str:
    """The path of this one file for DuckDB, which would read "a[1].csv" as a pattern for others."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute()))


def _csv(file: CsvFile) -> Any:
    """A CSV file with every column as text: what one row holds cannot change another's type."""
    con = _duckdb()

    def read() -> Any:
        con.con.register("rows", file.reader())
        con.raw_sql("set preserve_insertion_order = false")  # half the work; nobody asks
        con.raw_sql("create table t as select * from rows")
        con.con.unregister("rows")
        return con.table("t")

    return _quietly(f"{file.path} could not be read", read)


def _in_memory(source: Any) -> Any:
    module = type(source).__module__.partition(".")[0]
    if module == "pyspark":
        return _spark(source)
    if module not in ("pandas", "polars", "pyarrow"):
        raise ArgumentError("table", type(source).__name__, _ALLOWED)
    if len(set(map(str, _names(source)))) < len(_names(source)):
        raise ArgumentError("table", type(source).__name__, "without duplicate column names")
    con = _duckdb()

    def seen() -> Any:
        con.con.register("t", _arrow(source, module))  # no copy: DuckDB reads Arrow where it is
        return con.table("t")

    return _quietly("the table has a column that mixes types or has one that no engine knows", seen)


def _arrow(source: Any, module: str) -> Any:
    import pyarrow

    if module == "pandas":
        return pyarrow.Table.from_pandas(source, preserve_index=False)
    if module == "polars":
        return source.lazy().collect().to_arrow()
    return source


def _names(source: Any) -> list[Any]:
    if type(source).__module__.partition(".")[0] == "pyarrow":
        return list(source.schema.names)
    return list(getattr(source, "columns", []))


def _spark(frame: Any) -> Any:
    ibis = _ibis()
    session = frame.sparkSession
    if str(session.conf.get("spark.sql.ansi.enabled")).lower() != "true":
        raise EngineError(
            "Spark must run with spark.sql.ansi.enabled=true: without it a sum that "
            "overflows wraps around silently"
        )
    con = ibis.pyspark.connect(session)
    name = f"leastnoise_{uuid.uuid4().hex}"
    frame.createOrReplaceTempView(name)
    return con.table(name)


def run(expression: Any, keys: tuple[str, ...] | None = None) -> dict[str, list[Any]]:
    """The rows of an aggregate as Python numbers and texts, column by column.

    Those of a group g that is NULL, or not among the keys, are left out.
    """

    def collect() -> dict[str, list[Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an engine's warnings may quote the data, too
            found = expression.to_pyarrow()
        if "g" in found.column_names:
            import pyarrow as pa
            import pyarrow.compute as pc

            wanted = (
                pc.is_valid(found["g"])
                if keys is None
                else pc.is_in(found["g"], value_set=pa.array(keys, found["g"].type))
            )
            found = found.filter(wanted)
        return found.to_pydict()  # type: ignore[no-any-return]

    return _quietly("the engine could not compute this", collect)  # type: ignore[no-any-return]


def has(table: Any, operation: str) -> bool:
    """Whether the table's engine knows an Ibis operation."""
    import ibis.expr.operations as ops

    return bool(table.get_backend().has_operation(getattr(ops, operation)))


def _quietly(words: str, work: Any) -> Any:
    """Run `work`; if it fails, say which kind of failure and nothing that the engine said."""
    try:
        return work()
    except LeastnoiseError:
        raise
    except Exception as error:
        kind = type(error).__name__
    # Raised outside the handler: the engine's own words are not even the context of this error.
    raise EngineError(f"{words} ({kind}); its message is withheld because it may quote the data")
