"""Spark: DataFrames of a session. Forms and their proof: `forms.proof.md`."""

from __future__ import annotations

import contextlib
import logging
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ...errors import ArgumentError, Described, EngineError
from .dialect import DATED, LONGEST_NUMERAL, NUMERAL, Dialect
from .spark_files import ALLOWED, each, kind_of, nodes_of, spoiled
from .table import MOMENT, Column, ValueForm

_WHOLE = {"tinyint", "smallint", "int", "bigint"}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_TEXT = re.compile(r"string( collate .*)?|varchar\(\d+\)( collate .*)?|char\(\d+\)( collate .*)?")
#: The functions of every query here.
_NAMES = (
    "abs coalesce count dense_rank floor greatest isnan least left octet_length repeat "
    "row_number sha2 shiftright sum"
)
USED = frozenset(_NAMES.split())
#: Where Spark's own stand; a session can put one of the user's before them.
_OWN = "org.apache.spark.sql.catalyst.expressions."
#: Where rows may come from: of Spark's memory, and of files that say their types themselves.
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
_MEMORY = {f"{_LOGICAL}{name}" for name in ("LocalRelation", "OneRowRelation", "Range")}
_MEMORY |= {f"org.apache.spark.sql.execution.{name}" for name in ("LogicalRDD", "ExternalRDD")}
_MEMORY |= {f"{_LOGICAL}CTERelationRef"}  # (its definition stands in the same plan)
_READ = "org.apache.spark.sql.execution.datasources."
_FILES = {f"{_READ}parquet.ParquetFileFormat", f"{_READ}orc.OrcFileFormat"}
#: What lists them: by folders, and not by what is known of rows.
_LISTS = {f"{_READ}InMemoryFileIndex", f"{_READ}CatalogFileIndex"}
_LISTS |= {"org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex"}
#: What may stand between a source and its rows in the cache: it takes all of them.
_COPIED = """Aggregate Deduplicate Distinct Project RebalancePartitions Repartition
RepartitionByExpression Sort SubqueryAlias Union View"""
_COPYING = {f"{_LOGICAL}{name}" for name in _COPIED.split()}
_CACHED = "org.apache.spark.sql.execution.columnar.InMemoryRelation"
#: What reads it; another one may have statistics of its own.
_COPIER = "org.apache.spark.sql.execution.columnar.DefaultCachedBatchSerializer"
#: By these Spark skips rows for what other rows hold, or fails at a value: set while it reads.
_SETTINGS = {
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.orc.filterPushdown": "false",
    "spark.sql.inMemoryColumnarStorage.partitionPruning": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.optimizer.excludedRules": "",  # columns that nobody asks for are not read
}
_turn = threading.RLock()  # settings are those of all threads


def refuse_unsettled(frame: Any) -> None:
    """Refuse a DataFrame whose rows are not the same each time, or that is not of this process."""
    if not hasattr(frame, "_jdf"):
        allowed = "of a classic session: nothing is tested with Spark Connect"
        raise ArgumentError("table", Described("a DataFrame of Spark Connect"), allowed)
    if frame.isStreaming:
        raise ArgumentError("table", Described("a stream"), "a DataFrame that is not streaming")
    if not frame._jdf.queryExecution().analyzed().deterministic():
        allowed = "without rand(), uuid() or others that differ each time: write it to a file first"
        raise ArgumentError("table", Described("a DataFrame that is drawn at random"), allowed)


def readers_of(frame: Any) -> list[Any]:
    """The sessions by whose settings a DataFrame's files are read; refuse all other sources.

    Every leaf of its plan must be one of those that are known: a source may compute filters by
    rules of its own (a database), or let one line change others (CSV, JSON). It is the plan that
    will run, in which the rows of a part may be those of the cache.
    """
    plan = frame._jdf.queryExecution().withCachedData()
    return [frame.sparkSession._jsparkSession, *_readers(plan, frame.sparkSession._jvm)]


def unreadable(frame: Any) -> list[bool]:
    """Of each column of a DataFrame: whether a reader can fail at a value of it."""
    return spoiled(frame._jdf.queryExecution().withCachedData(), frame.sparkSession._jvm)


def _readers(plan: Any, jvm: Any) -> list[Any]:
    """The sessions that made the relations of a plan."""
    sessions = []
    for leaf in (leaf for part in _parts(plan) for leaf in each(part.collectLeaves())):
        name = kind_of(leaf)
        if name == _CACHED:
            copied = leaf.cacheBuilder().logicalPlan()
            name = kind_of(leaf.cacheBuilder().serializer())
            if name == _COPIER:
                _refuse_partial(copied)
                sessions += _readers(copied, jvm)
                if any(spoiled(copied, jvm)):  # (a cache has all columns of its rows)
                    raise ArgumentError(
                        "table", Described("a DataFrame with a part that is cached"), ALLOWED
                    )
                continue
        if name == f"{_READ}LogicalRelation":
            relation = leaf.relation()
            name = kind_of(relation)
            if name == f"{_READ}HadoopFsRelation":
                listed = kind_of(relation.location())
                name = kind_of(relation.fileFormat()) if listed in _LISTS else listed
                _refuse_options(relation.options())
                sessions.append(relation.sparkSession())
        if name in _MEMORY and name.endswith("RDD"):
            _refuse_pending(leaf.rdd())
        if name not in _MEMORY | _FILES:
            allowed = "of Parquet or ORC files or of rows in memory: write it to Parquet first"
            raise ArgumentError(
                "table", Described(f"a DataFrame of {name.rpartition('.')[2]}"), allowed
            )
    return sessions


def _refuse_other_rules(session: Any) -> None:
    """Refuse a session in which code of others plans, by whichever way it came there."""
    tried, added = session.experimental(), session.extensions()
    rules = [tried.extraOptimizations(), tried.extraStrategies()]
    for method in added.getClass().getMethods():
        if method.getName().startswith("build") and method.getParameterCount() == 1:
            rules.append(getattr(added, method.getName())(session))
    parser = session.sessionState().sqlParser()
    if any(rule.size() for rule in rules) or added.buildParser(session, parser) != parser:
        allowed = "of a session without rules of others: they would plan or read"
        raise ArgumentError("table", Described("a table of Spark"), allowed)


def _refuse_partial(copied: Any) -> None:
    """Refuse what is cached of a filter or a join: rows were skipped by settings of that time."""
    inner = [node for part in _parts(copied) for node in nodes_of(part) if each(node.children())]
    if any(kind_of(node) not in _COPYING for node in inner):
        allowed = "cached before filters and joins, or not at all: unpersist() what is"
        raise ArgumentError("table", Described("a DataFrame with a part that is cached"), allowed)


def _refuse_options(options: Any) -> None:
    """Refuse a reader that leaves out the rest of a file, or fails, for a row of it."""
    given = {option._1().lower(): option._2().lower() for option in each(options.toSeq())}
    for name in ("ignoreCorruptFiles", "datetimeRebaseMode", "int96RebaseMode"):
        if given.get(name.lower(), "false") != "false":
            raise ArgumentError(
                "table", Described("a DataFrame"), f"read without the option {name}"
            )


def _refuse_pending(rows: Any) -> None:
    """Refuse rows that are still to be read of files, by settings of another time."""
    if "FileScanRDD" in rows.toDebugString():
        allowed = "the DataFrame itself, or localCheckpoint() of it: rows in memory"
        raise ArgumentError("table", Described("a DataFrame of an RDD of files"), allowed)


def _parts(plan: Any) -> list[Any]:
    """A plan, and those of its subqueries."""
    return [plan, *each(plan.subqueriesAll())]


class Spark(Dialect):
    """A Spark session. view: a temporary view that was made for the table, to be dropped."""

    name: ClassVar[str] = "Spark"

    def __init__(self, session: Any, view: str = "") -> None:
        self.session = session
        self._view = view
        if str(session.conf.get("spark.sql.ansi.enabled")).lower() != "true":
            raise EngineError(
                "Spark must run with spark.sql.ansi.enabled=true: without it a sum that "
                "overflows wraps around silently"
            )
        for name in ("spark.sql.extensions", "spark.plugins"):
            if self.session.conf.get(name, ""):
                allowed = f"of a session without {name}: others would plan or read"
                raise ArgumentError("table", Described("a table of Spark"), allowed)
        _refuse_other_rules(session._jsparkSession)
        self._refuse_other_functions()

    def _refuse_other_functions(self) -> None:
        """Refuse a session in which something else stands for a function."""
        if str(self.session.conf.get("spark.sql.path.enabled", "false")).lower() == "true":
            # (The catalog does not see what a path puts before Spark's own.)
            ((path,),) = self.session.sql("SELECT current_path()").collect()
            if str(path).partition(",")[0].replace("`", "").lower() != "system.builtin":
                allowed = "of a session whose SQL path begins with system.builtin"
                raise ArgumentError("table", Described("a table of Spark"), allowed)
        # (DESCRIBE FUNCTION asks it, too: a statement for each would be most of opening a table.)
        catalog = self.session._jsparkSession.sessionState().catalog()
        for name in sorted(USED):
            function = catalog.lookupBuiltinOrTempFunction(name)
            if function.isEmpty() or not function.get().getClassName().startswith(_OWN):
                allowed = "of a session whose temporary functions have names of their own"
                raise ArgumentError(
                    "table", Described(f"a table beside another function {name}"), allowed
                )

    # -- literals ---------------------------------------------------------------------------------

    def octets(self, value: bytes) -> str:
        """Bytes."""
        return f"X'{value.hex()}'"

    def shifted(self, value: str, bits: int) -> str:
        """A 64-bit number >= 0 without its lowest bits."""
        return f"shiftright({value}, {bits})"

    def _not_a_number(self, value: str) -> str:
        return f"isnan({value})"

    def _fingerprint(self, octets: str) -> str:
        return f"CAST(repeat({self._digits(octets)}, 16) AS BINARY)"

    def _digits(self, octets: str) -> str:
        return f"sha2({octets}, 256)"

    def _written(self, value: str) -> str:
        return f"CAST(CAST({value} AS STRING) AS BINARY)"

    # -- schema -----------------------------------------------------------------------------------

    def columns(self, relation: str) -> tuple[Column, ...]:
        """The columns of a relation, which are called by plain words."""
        fields = self.session.sql(f"SELECT * FROM {relation} AS s").schema.fields
        return tuple(
            self._column(str(field.name), field.dataType.simpleString(), f"s.{field.name}")
            for field in fields
        )

    def _column(self, name: str, stored: str, raw: str) -> Column:
        octets = f"CAST({raw} AS BINARY)"
        decimal = _DECIMAL.fullmatch(stored)
        if stored in _WHOLE:
            return self.whole_column(name, stored, raw)
        if stored in ("float", "double"):
            number = self.number(f"CAST({raw} AS DOUBLE)")
            return Column(name, stored, number, number, None, number)
        if decimal is not None:
            text = f"CAST(CAST({raw} AS STRING) AS BINARY)" if decimal.group(2) == "0" else ""
            number = self.number(f"CAST({raw} AS DOUBLE)")
            return self.number_column(name, stored, raw, number, text)
        if _TEXT.fullmatch(stored):
            return self.text_column(
                name, stored, octets, self._numeral(octets), self._matches(octets, DATED)
            )
        if stored == "boolean":
            return self.truth_column(name, stored, raw)
        if stored == "date":
            return self.date_column(name, stored, raw)
        if stored == "timestamp":
            return Column(name, stored, ValueForm(MOMENT, raw, moment="TIMESTAMP_LTZ '{} UTC'"))
        if stored == "timestamp_ntz":
            return Column(name, stored, ValueForm(MOMENT, raw, moment="TIMESTAMP_NTZ '{}'"))
        return Column(name, stored)

    def _numeral(self, octets: str) -> ValueForm:
        fits, text = self._matches(octets, NUMERAL), f"CAST({octets} AS STRING)"
        return self.number(f"TRY_CAST(CASE WHEN {fits} THEN {text} END AS DOUBLE)")

    def _matches(self, octets: str, pattern: str) -> str:
        # (?!.) and not $, which would pass over a line end.
        whole = f"(?s)^{pattern}(?!.)"
        short = f"octet_length({octets}) <= {LONGEST_NUMERAL}"
        return f"{short} AND CAST({octets} AS STRING) RLIKE '{whole}'"

    # -- rows -------------------------------------------------------------------------------------

    def check(self, query: str) -> None:
        """See that Spark understands a query; no row is read."""
        _ = self.session.sql(query).schema

    def load(self, names: Sequence[str]) -> None:
        """The rows are there."""

    def read(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with _silent(), self._unskipped(query) as frame:
            return [tuple(row) for row in frame.collect()]

    def read_columns(self, query: str, count: int) -> Sequence[Sequence[Any]]:
        """The rows of a query as its columns: by Arrow, without an object for every row.

        Where that does not work, for whatever reason, they are read row by row.
        """
        try:
            with _silent(), self._unskipped(query) as frame:
                table = frame.toArrow()
            return [column.to_pylist() for column in table.columns]
        except Exception:  # an Arrow that is too old, a JVM that keeps it out, ...
            return super().read_columns(query, count)

    @contextlib.contextmanager
    def _unskipped(self, query: str) -> Iterator[Any]:
        """A query, without the settings by which rows are skipped; one reads at a time."""
        with _turn, contextlib.ExitStack() as after:
            frame = self.session.sql(query)
            for reader in readers_of(frame):  # (from here on its plan is this one)
                settings = reader.conf()
                before = settings.getAll()
                for name, value in _SETTINGS.items():
                    if before.contains(name):
                        after.callback(settings.set, name, before.apply(name))
                    else:
                        after.callback(settings.unset, name)
                    settings.set(name, value)
            try:
                yield frame
            except Exception as error:  # (PySpark tells of the job that Ctrl-C has ended)
                if isinstance(error.__context__, KeyboardInterrupt):
                    raise KeyboardInterrupt from None
                raise

    def close(self) -> None:
        """Drop the view."""
        if self._view:
            with contextlib.suppress(Exception):
                self.session.catalog.dropTempView(self._view)


_here = threading.local()


def _is_told(record: logging.LogRecord) -> bool:
    return not getattr(_here, "silent", False)


def logger_of(name: str) -> logging.Logger:
    """A log of PySpark's, of its own class: it calls it in ways that no other understands."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before its version 4
        return logging.getLogger(name)
    logger: logging.Logger = PySparkLogger.getLogger(name)
    return logger


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Without the logs of PySpark and Py4J, which write down an error, values and all.

    For this thread alone: another one may end its question first, or fail in its own work.
    """
    logs = [logger_of(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")]
    logs += [logging.getLogger(f"py4j.{part}") for part in ("clientserver", "java_gateway")]
    for log in logs:
        log.addFilter(_is_told)  # (once: it is the same)
    _here.silent = True
    try:
        yield
    finally:
        _here.silent = False
