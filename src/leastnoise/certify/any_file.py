"""Mechanism files of every kind: read one and check it, whatever its kind."""

from __future__ import annotations

from pathlib import Path

from ..work import counted
from . import vector_document
from .channel import check_channel
from .channel_document import KIND, ChannelDocument
from .channel_reader import parse_channel
from .document import Document, document_of, load_json, read_bytes
from .report import Report, check
from .vector import check_vector
from .vector_document import VectorDocument, parse_vector

#: A mechanism file of any kind, in memory.
AnyDocument = Document | ChannelDocument | VectorDocument


def read_any(path: str | Path) -> AnyDocument:
    """The document in the file at `path`, of any kind; `FormatError` if it is not one."""
    with counted():
        return _any_of(load_json(read_bytes(path)))


def parse_any(text: str) -> AnyDocument:
    """The document in a mechanism file's text, of any kind; `FormatError` if it is not one."""
    with counted():
        return _any_of(load_json(text))


def _any_of(raw: object) -> AnyDocument:
    if isinstance(raw, dict) and raw.get("kind") == KIND:
        return parse_channel(raw)
    if isinstance(raw, dict) and raw.get("kind") == vector_document.KIND:
        return parse_vector(raw)
    return document_of(raw)


def check_any(document: AnyDocument) -> Report:
    """Check every claim of a mechanism file in exact arithmetic."""
    if isinstance(document, ChannelDocument):
        return check_channel(document)
    if isinstance(document, VectorDocument):
        return check_vector(document)
    return check(document)


def check_file(path: str | Path) -> Report:
    """Read and check the file at `path`, within one budget of work for both.

    `FormatError` if it is malformed, `LimitError` among them if it takes too much work.
    """
    return read_and_check(path)[1]


def read_and_check(path: str | Path) -> tuple[AnyDocument, Report]:
    """The document too; errors as of `check_file`."""
    with counted():
        document = read_any(path)
        return document, check_any(document)
