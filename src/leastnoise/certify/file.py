"""Mechanism files of every kind: read one and check it, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..work import counted
from .base import MechanismDocument, MechanismFile, head_of
from .json_file import load_json, read_bytes
from .kinds.additive import ADDITIVE
from .kinds.dependent import DEPENDENT
from .kinds.joint import JOINT
from .kinds.keyed import KEYED
from .kinds.vector import VECTOR
from .kinds.workload import WorkloadDocument, parse_workload
from .kinds.workload_check import check_workload
from .layout import Layout
from .report import Report, check_parts
from .summary import summary_of

AnyDocument = MechanismDocument  #: a mechanism file of any kind, in memory


@dataclass(frozen=True)
class _Kind:
    """How files of one kind are read and checked."""

    document: type[Any]
    parse: Callable[[object], Any]
    check: Callable[[Any], Report]


#: Every kind of file. A new kind of noise is a new line here.
_KINDS = (_Kind(WorkloadDocument, parse_workload, check_workload),)


#: How files of each kind are read and written. A new kind is a new line here.
_LAYOUTS = {
    kind: layout for layout in (ADDITIVE, DEPENDENT, VECTOR, JOINT, KEYED) for kind in layout.kinds
}


def layout_of(kind: str) -> Layout:
    """How files of a kind are read and written."""
    return _LAYOUTS[kind]


def read_any(path: str | Path) -> AnyDocument:
    """The document in the file at `path`, of any kind; `FormatError` if it is not one."""
    with counted():
        return _any_of(load_json(read_bytes(path)))


def parse_any(text: bytes | str) -> AnyDocument:
    """The document in a mechanism file's text, of any kind; `FormatError` if it is not one."""
    with counted():
        return _any_of(load_json(text))


def _any_of(raw: object) -> AnyDocument:
    named = raw.get("kind") if isinstance(raw, dict) else None
    if isinstance(named, str) and named in _LAYOUTS:
        return _LAYOUTS[named].read(raw)
    kind = next((kind for kind in _KINDS if named in kind.document.KINDS), None)
    if kind is None:
        head_of(raw, (*_LAYOUTS, *(name for kind in _KINDS for name in kind.document.KINDS)))
        raise AssertionError("an unknown kind is refused")
    document: AnyDocument = kind.parse(raw)
    return document


def check(document: AnyDocument) -> Report:
    """Check every claim of a mechanism file, of any kind, in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    if isinstance(document, MechanismFile):
        report = check_parts(document)
    else:
        kind = next(kind for kind in _KINDS if isinstance(document, kind.document))
        report = kind.check(document)
    return replace(report, summary=summary_of(document, report))


check_any = check


def check_file(path: str | Path) -> Report:
    """Read and check the file at `path`, within one budget of work for both.

    `FormatError` if it is malformed, `LimitError` among them if it takes too much work.
    """
    return read_and_check(path)[1]


def read_and_check(path: str | Path) -> tuple[AnyDocument, Report]:
    """The document too; errors as of `check_file`."""
    return check_bytes(read_bytes(path))


def check_bytes(data: bytes) -> tuple[AnyDocument, Report]:
    """The same of a file's content."""
    with counted():
        document = _any_of(load_json(data))
        return document, check_any(document)
