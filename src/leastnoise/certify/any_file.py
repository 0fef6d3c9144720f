"""Mechanism files of every kind: read one and check it, whatever its kind."""

from __future__ import annotations

from pathlib import Path

from . import vector_document
from .channel import check_channel
from .channel_document import KIND, ChannelDocument
from .channel_reader import parse_channel
from .document import Document, document_of, load_json, read_bytes
from .report import Report, check
from .vector import check_vector
from .vector_document import VectorDocument, parse_vector


def read_any(path: str | Path) -> Document | ChannelDocument | VectorDocument:
    """The document in the file at `path`, of any kind; `FormatError` if it is not one."""
    raw = load_json(read_bytes(path))
    if isinstance(raw, dict) and raw.get("kind") == KIND:
        return parse_channel(raw)
    if isinstance(raw, dict) and raw.get("kind") == vector_document.KIND:
        return parse_vector(raw)
    return document_of(raw)


def check_any(document: Document | ChannelDocument | VectorDocument) -> Report:
    """Check every claim of a mechanism file in exact arithmetic."""
    if isinstance(document, ChannelDocument):
        return check_channel(document)
    if isinstance(document, VectorDocument):
        return check_vector(document)
    return check(document)
