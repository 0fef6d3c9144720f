"""Columns of files that Spark's readers can fail at, for one value. Proof: `forms.proof.md`.

A reader converts values before any form is reached. Which conversion it is, files say in their
schemas, which are public; statistics of their columns are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from ...errors import ArgumentError, Described

_T = TypeVar("_T")
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
#: What hands all columns of its rows on, under the same ids, and needs those it refers to alone.
_HANDED = """Filter Join Sort SubqueryAlias View Repartition RepartitionByExpression
RebalancePartitions Window"""
_HANDING = {f"{_LOGICAL}{name}" for name in _HANDED.split()}
_RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"
_FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
#: Timestamps that a reader takes as they are, or without an overflow that fails.
_EXACT = re.compile(
    r"(optional|required) (int96 .*|int64 .*\(TIMESTAMP(_MICROS|\(MICROS,(true|false)\))\))",
    re.DOTALL,
)
_COLLATED = re.compile(r" collate \w+", re.IGNORECASE)
#: What columns are taken for whose names differ in case alone, in a DataFrame and in a file: of no
#: type of the other. (Which of them Spark reads is a setting.)
_ASKED_TWICE, _HELD_TWICE = "several", ("none", "")
_SHIFTED = "spark.sql.parquet.int96TimestampConversion"
ALLOWED = (
    "timestamps of Parquet files in microseconds (or INT96), or of memory, and types as the files "
    "have them: select other columns first"
)


#: What is said of the type of such a column.
UNREADABLE = (
    "Spark's reader may fail at a value: write timestamps to Parquet in microseconds, and read "
    "files by their own types"
)


def each(sequence: Any) -> list[Any]:
    """A sequence of Scala's."""
    return [sequence.apply(i) for i in range(sequence.size())]


def kind_of(thing: Any) -> str:
    """The name of its class."""
    return str(thing.getClass().getName())


def nodes_of(plan: Any) -> Iterator[Any]:
    """All that is below a plan, and the plan at last."""
    for child in each(plan.children()):
        yield from nodes_of(child)
    yield plan


def spoiled(plan: Any, jvm: Any) -> list[bool]:
    """Of each column of a plan: whether it comes of one that a reader can fail at.

    Refuse a plan whose rows, and not one of its columns alone, depend on such a one.
    """
    for inner in each(plan.subqueriesAll()):
        if any(_spoiled(inner, jvm)):
            raise ArgumentError("table", Described("a DataFrame with a subquery"), ALLOWED)
    return _spoiled(plan, jvm)


def _spoiled(plan: Any, jvm: Any) -> list[bool]:
    spoiled: set[int] = set()
    for node in nodes_of(plan):
        kind = kind_of(node)
        if kind == _RELATION:
            spoiled |= _failing(node, jvm)
        elif not spoiled:
            continue
        elif kind == f"{_LOGICAL}Project":
            made = each(node.projectList())
            spoiled |= {
                _number(output)
                for output in made
                if spoiled & _ids(each(output.references().toSeq()))
            }
        elif kind == f"{_LOGICAL}Union":
            for child in each(node.children()):
                both = zip(each(node.output()), each(child.output()), strict=True)
                spoiled |= {
                    _number(out) for out, attribute in both if _number(attribute) in spoiled
                }
        else:
            needed = each(node.references().toSeq())
            if kind not in _HANDING | {f"{_LOGICAL}Aggregate"}:
                needed += [
                    attribute
                    for child in each(node.children())
                    for attribute in each(child.output())
                ]
            if spoiled & _ids(needed):
                name = kind.rpartition(".")[2]
                raise ArgumentError("table", Described(f"a DataFrame with a step {name}"), ALLOWED)
    return [_number(attribute) in spoiled for attribute in each(plan.output())]


def _number(attribute: Any) -> int:
    return int(attribute.exprId().id())


def _ids(attributes: list[Any]) -> set[int]:
    return {_number(attribute) for attribute in attributes}


def _failing(leaf: Any, jvm: Any) -> set[int]:
    """The ids of those columns of a relation that its reader can fail at."""
    relation = leaf.relation()
    if kind_of(relation) != _FILES:
        return set()
    session = relation.sparkSession()
    fields = each(relation.dataSchema().toSeq())
    kinds = [_plain(field.dataType().catalogString()) for field in fields]
    wanted = _by_name([field.name() for field in fields], kinds, _ASKED_TWICE)
    conf = session.sessionState().newHadoopConfWithOptions(relation.options())
    orc = kind_of(relation.fileFormat()).endswith("OrcFileFormat")
    shifted = str(session.conf().get(_SHIFTED, "false")).lower() == "true"
    bad = {name for name, kind in wanted.items() if orc and "timestamp" in kind}
    for path in relation.location().inputFiles():
        types = _of_orc(jvm, conf, path) if orc else _of_parquet(jvm, conf, path, session)
        bad |= {name for name, kind in wanted.items() if not _as_stored(kind, types.get(name), orc)}
        if shifted:
            bad |= {name for name in wanted if " int96 " in types.get(name, ("", ""))[1]}
    return {
        _number(attribute) for attribute in each(leaf.output()) if attribute.name().lower() in bad
    }


def _as_stored(kind: str, stored: tuple[str, str] | None, orc: bool) -> bool:
    """Whether a column is read as a file has it, a type that its reader knows no failure of."""
    if stored is None:  # (ORC may find it by its place)
        return not orc
    if not orc and kind in ("timestamp", "timestamp_ntz"):
        return _EXACT.fullmatch(stored[1]) is not None
    return kind == stored[0] and "timestamp" not in kind


def _plain(kind: str) -> str:
    return _COLLATED.sub("", str(kind)).lower()


def _of_orc(jvm: Any, conf: Any, path: str) -> dict[str, tuple[str, str]]:
    """The types of a file's columns."""
    files = jvm.org.apache.orc.OrcFile
    reader = files.createReader(jvm.org.apache.hadoop.fs.Path(path), files.readerOptions(conf))
    try:
        schema = reader.getSchema()
        kinds = [_plain(kind.toString()) for kind in schema.getChildren()]
        return _by_name(schema.getFieldNames(), [(kind, kind) for kind in kinds], _HELD_TWICE)
    finally:
        reader.close()


def _of_parquet(jvm: Any, conf: Any, path: str, session: Any) -> dict[str, tuple[str, str]]:
    """The types of a file's columns, as Spark's and as the file has them."""
    skipping = jvm.org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
    reader = jvm.org.apache.parquet.hadoop.ParquetFileReader
    footer = reader.readFooter(conf, jvm.org.apache.hadoop.fs.Path(path), skipping)
    schema = footer.getFileMetaData().getSchema()
    package = jvm.org.apache.spark.sql.execution.datasources.parquet
    fields = package.ParquetToSparkSchemaConverter(session.sessionState().conf()).convert(schema)
    both = zip(each(fields.toSeq()), schema.getFields(), strict=True)
    names = [field.getName() for field in schema.getFields()]
    types = [(_plain(c.dataType().catalogString()), str(field.toString())) for c, field in both]
    return _by_name(names, types, _HELD_TWICE)


def _by_name(names: Iterable[Any], types: Iterable[_T], twice: _T) -> dict[str, _T]:
    """Types by name in lower case; `twice` where two names differ in case alone."""
    known: dict[str, _T] = {}
    for name, kind in zip(names, types, strict=True):
        lower = str(name).lower()
        known[lower] = twice if lower in known else kind
    return known
