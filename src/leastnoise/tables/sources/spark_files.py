"""Columns of files that Spark's readers can fail at, for one value. Proof: `forms.proof.md`.

A reader converts values before any form is reached. Which conversion it is, files say in their
schemas, which are public; statistics of their columns are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import ArgumentError, Described

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


def each(found: Any) -> list[Any]:
    """A sequence of Scala's."""
    return [found.apply(i) for i in range(found.size())]


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
    found: set[int] = set()
    for node in nodes_of(plan):
        kind = kind_of(node)
        if kind == _RELATION:
            found |= _failing(node, jvm)
        elif not found:
            continue
        elif kind == f"{_LOGICAL}Project":
            made = each(node.projectList())
            found |= {_number(one) for one in made if found & _ids(each(one.references().toSeq()))}
        elif kind == f"{_LOGICAL}Union":
            for child in each(node.children()):
                both = zip(each(node.output()), each(child.output()), strict=True)
                found |= {_number(out) for out, one in both if _number(one) in found}
        else:
            needed = each(node.references().toSeq())
            if kind not in _HANDING | {f"{_LOGICAL}Aggregate"}:
                needed += [one for child in each(node.children()) for one in each(child.output())]
            if found & _ids(needed):
                name = kind.rpartition(".")[2]
                raise ArgumentError("table", Described(f"a DataFrame with a step {name}"), ALLOWED)
    return [_number(one) in found for one in each(plan.output())]


def _number(attribute: Any) -> int:
    return int(attribute.exprId().id())


def _ids(attributes: list[Any]) -> set[int]:
    return {_number(one) for one in attributes}


def _failing(leaf: Any, jvm: Any) -> set[int]:
    """The ids of those columns of a relation that its reader can fail at."""
    relation = leaf.relation()
    if kind_of(relation) != _FILES:
        return set()
    session = relation.sparkSession()
    fields = {one.name().lower(): one for one in each(relation.dataSchema().toSeq())}
    wanted = {name: _plain(one.dataType().catalogString()) for name, one in fields.items()}
    conf = session.sessionState().newHadoopConfWithOptions(relation.options())
    orc = kind_of(relation.fileFormat()).endswith("OrcFileFormat")
    shifted = str(session.conf().get(_SHIFTED, "false")).lower() == "true"
    bad = {name for name, kind in wanted.items() if orc and "timestamp" in kind}
    for path in relation.location().inputFiles():
        held = _of_orc(jvm, conf, path) if orc else _of_parquet(jvm, conf, path, session)
        bad |= {name for name, kind in wanted.items() if not _as_stored(kind, held.get(name), orc)}
        if shifted:
            bad |= {name for name in wanted if " int96 " in held.get(name, ("", ""))[1]}
    return {_number(one) for one in each(leaf.output()) if one.name().lower() in bad}


def _as_stored(kind: str, held: tuple[str, str] | None, orc: bool) -> bool:
    """Whether a column is read as a file has it, a type that its reader knows no failure of."""
    if held is None:  # (ORC may find it by its place)
        return not orc
    if not orc and kind in ("timestamp", "timestamp_ntz"):
        return _EXACT.fullmatch(held[1]) is not None
    return kind == held[0] and "timestamp" not in kind


def _plain(kind: str) -> str:
    return _COLLATED.sub("", str(kind)).lower()


def _of_orc(jvm: Any, conf: Any, path: str) -> dict[str, tuple[str, str]]:
    """The types of a file's columns."""
    files = jvm.org.apache.orc.OrcFile
    reader = files.createReader(jvm.org.apache.hadoop.fs.Path(path), files.readerOptions(conf))
    try:
        schema = reader.getSchema()
        names = [str(name).lower() for name in schema.getFieldNames()]
        kinds = [_plain(kind.toString()) for kind in schema.getChildren()]
    finally:
        reader.close()
    return {name: (kind, kind) for name, kind in zip(names, kinds, strict=True)}


def _of_parquet(jvm: Any, conf: Any, path: str, session: Any) -> dict[str, tuple[str, str]]:
    """The types of a file's columns, as Spark's and as the file has them."""
    skipping = jvm.org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
    reader = jvm.org.apache.parquet.hadoop.ParquetFileReader
    footer = reader.readFooter(conf, jvm.org.apache.hadoop.fs.Path(path), skipping)
    schema = footer.getFileMetaData().getSchema()
    package = jvm.org.apache.spark.sql.execution.datasources.parquet
    found = package.ParquetToSparkSchemaConverter(session.sessionState().conf()).convert(schema)
    both = zip(each(found.toSeq()), schema.getFields(), strict=True)
    return {
        str(one.name()).lower(): (_plain(one.dataType().catalogString()), str(field.toString()))
        for one, field in both
    }
