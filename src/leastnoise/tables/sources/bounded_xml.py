"""Elements of an XML file one by one, each of bounded size. Proof: `excel_file.proof.md`, 4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO
from xml.etree import ElementTree

from .csv_records import LONGEST_RECORD

#: The most characters of an element, in which each element inside counts as so many: a full row
#: of a sheet (16,384 cells with a number each) has an eighth of it.
_LARGEST, _EACH = 32 * LONGEST_RECORD, 100
_BLOCK = 1 << 16


def bounded_elements(file: IO[bytes], name: str) -> Iterator[ElementTree.Element]:
    """The elements of this name, in their order. One that is too large has its attributes alone."""
    builder = _Builder(name)
    parser = ElementTree.XMLParser(target=builder)
    while block := file.read(_BLOCK):
        parser.feed(block)
        yield from builder.taken()
    parser.close()
    yield from builder.taken()


class _Builder:
    """What the parser tells: where elements begin and end, and the text between."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._complete: list[ElementTree.Element] = []
        self._tree: ElementTree.TreeBuilder | None = None  # None: outside, or of one too large
        self._emptied = ElementTree.Element(name)
        self._depth = self._size = 0

    def taken(self) -> list[ElementTree.Element]:
        """The elements that have ended since the last time."""
        taken, self._complete = self._complete, []
        return taken

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if not self._depth:
            if tag.rpartition("}")[2] != self._name:
                return
            self._tree, self._size = ElementTree.TreeBuilder(), 0
            self._emptied = ElementTree.Element(tag, attributes)
        self._depth += 1
        self._size += _EACH
        if self._size > _LARGEST:
            self._tree = None
        if self._tree is not None:
            self._tree.start(tag, attributes)

    def data(self, text: str) -> None:
        """Text, or a part of it."""
        if self._tree is not None:
            self._size += len(text)
            if self._size <= _LARGEST:
                self._tree.data(text)
            else:
                self._tree = None

    def end(self, tag: str) -> None:
        """An element ends."""
        if not self._depth:
            return
        self._depth -= 1
        if self._tree is not None:
            self._tree.end(tag)
        if not self._depth:
            whole = self._emptied if self._tree is None else self._tree.close()
            self._complete.append(whole)
            self._tree = None

    def close(self) -> None:
        """The file ends."""
