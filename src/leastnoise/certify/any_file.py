"""Mechanism files of every kind: read one and check it, whatever its kind."""

from __future__ import annotations

from pathlib import Path

from .channel import check_channel
from .channel_document import KIND, ChannelDocument
from .channel_reader import parse_channel
from .document import Document, document_of, load_json, read_bytes
from .limits import counted
from .report import Report, check


def read_any(path: str | Path) -> Document | ChannelDocument:
    """The document in the file at `path`, of any kind; `FormatError` if it is not one."""
    with counted():
        raw = load_json(read_bytes(path))
        if isinstance(raw, dict) and raw.get("kind") == KIND:
            return parse_channel(raw)
        return document_of(raw)


def check_any(document: Document | ChannelDocument) -> Report:
    """Check every claim of a mechanism file in exact arithmetic."""
    if isinstance(document, ChannelDocument):
        return check_channel(document)
    return check(document)


def check_file(path: str | Path) -> Report:
    """Read and check the file at `path`, within one budget of work for both.

    `FormatError` if it is malformed, `LimitError` among them if it takes too much work.
    """
    with counted():
        return check_any(read_any(path))
