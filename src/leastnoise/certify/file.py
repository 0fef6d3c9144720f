"""Mechanism files of every kind: read one and check it, whatever its kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..work import counted
from .base import AnyFile, head_of
from .json_file import load_json, read_bytes
from .kinds.additive import ADDITIVE
from .kinds.dependent import DEPENDENT
from .kinds.joint import JOINT
from .kinds.keyed import KEYED
from .kinds.vector import VECTOR
from .kinds.workload import WORKLOAD
from .layout import Layout
from .report import Report, check_parts
from .summary import summary_of

#: How files of each kind are read and written. A new kind is a new line here.
_LAYOUTS = {
    kind: layout
    for layout in (ADDITIVE, DEPENDENT, VECTOR, JOINT, KEYED, WORKLOAD)
    for kind in layout.kinds
}


def layout_of(kind: str) -> Layout:
    """How files of a kind are read and written."""
    return _LAYOUTS[kind]


def read_any(path: str | Path) -> AnyFile:
    """The document in the file at `path`, of any kind; `FormatError` if it is not one."""
    with counted():
        return _any_of(load_json(read_bytes(path)))


def parse_any(text: bytes | str) -> AnyFile:
    """The document in a mechanism file's text, of any kind; `FormatError` if it is not one."""
    with counted():
        return _any_of(load_json(text))


def _any_of(raw: object) -> AnyFile:
    named = raw.get("kind") if isinstance(raw, dict) else None
    if not isinstance(named, str) or named not in _LAYOUTS:
        head_of(raw, tuple(_LAYOUTS))
        raise AssertionError("an unknown kind is refused")
    return _LAYOUTS[named].read(raw)


def check(document: AnyFile) -> Report:
    """Check every claim of a mechanism file, of any kind, in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    report = check_parts(document)
    return replace(report, summary=summary_of(document, report))


check_any = check


def check_file(path: str | Path) -> Report:
    """Read and check the file at `path`, within one budget of work for both.

    `FormatError` if it is malformed, `LimitError` among them if it takes too much work.
    """
    return read_and_check(path)[1]


def read_and_check(path: str | Path) -> tuple[AnyFile, Report]:
    """The document too; errors as of `check_file`."""
    return check_bytes(read_bytes(path))


def check_bytes(data: bytes) -> tuple[AnyFile, Report]:
    """The same of a file's content."""
    with counted():
        document = _any_of(load_json(data))
        return document, check_any(document)
