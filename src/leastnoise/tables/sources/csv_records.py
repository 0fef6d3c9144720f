"""The bytes of a CSV file as records and fields, each read by itself.

A record ends with a line feed, a field with a separator, outside quotes. Whether a byte is inside
is counted from the beginning of the record (or, without line breaks, of the line): an odd number
of quotes stands before it. No record changes how another is read: `csv_records.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Truths = NDArray[np.bool_]

#: A longer record has no values, so that one record cannot take all memory: each of its bytes may
#: be a separator, which takes about forty bytes here. Strings of frames have the same limit.
LONGEST_RECORD = 1 << 20
_QUOTE, _CR, _LF = b'"\r\n'


def header_end(text: bytes, begin: int, line_breaks: bool) -> int:
    """Behind the line feed that ends the first record after empty lines; 0 if there is none."""
    while text[begin : begin + 1] == b"\n" or text[begin : begin + 2] == b"\r\n":
        begin = text.index(b"\n", begin) + 1
    odd = 0
    while end := text.find(b"\n", begin) + 1:
        odd = (odd + text.count(b'"', begin, end)) % 2
        if not (line_breaks and odd):
            return end
        begin = end
    return 0


def whole_records(
    chunks: Iterable[bytes], line_breaks: bool, longest: int = LONGEST_RECORD
) -> Iterator[bytes]:
    """The same bytes cut where records end; the last of them ends with the file.

    Of a record that is too long only so much is kept that it is seen to be too long.
    """
    rest: list[bytes] = []  # the record that has begun, or the beginning of it
    size = odd = dropped = 0  # how much that is, and whether quotes of the record are odd in number
    for chunk in chunks:
        cut = _last_end(chunk, line_breaks, odd)
        if cut:
            yield b"".join([*rest, b'"' * dropped, chunk[:cut]])
            rest, size, odd, dropped = [], 0, 0, 0
        kept = chunk[cut : cut + longest + 2 - size]
        if kept:
            rest.append(kept)
        size += len(kept)
        odd = (odd + chunk.count(b'"', cut)) % 2
        dropped = (dropped + chunk.count(b'"', cut + len(kept))) % 2
    if rest:
        yield b"".join([*rest, b'"' * dropped, b"\n"])


def _last_end(chunk: bytes, line_breaks: bool, odd: int) -> int:
    """Behind the last line feed of a chunk that ends a record; 0 if there is none."""
    if not line_breaks or (not odd and b'"' not in chunk):
        return chunk.rfind(b"\n") + 1
    text = np.frombuffer(chunk, np.uint8)
    lines = np.flatnonzero(text == _LF)
    quotes = np.searchsorted(np.flatnonzero(text == _QUOTE), lines)
    ends = lines[(quotes + odd) % 2 == 0]
    return int(ends[-1]) + 1 if len(ends) else 0


class Fields:
    """The fields of whole records: where each begins and ends, and which are NULL."""

    def __init__(
        self,
        block: bytes,
        separator: str,
        line_breaks: bool,
        longest: int = LONGEST_RECORD,
        empty_lines: bool = False,
    ) -> None:
        """`block` ends with the line feed of its last record, and holds whole records.

        empty_lines: whether these are records, too: with one column writers write NULL like this.
        """
        self._block = block
        self._text = text = np.frombuffer(block, np.uint8)
        self._quotes: NDArray[np.int32] | None = None
        if b'"' in block:
            stops, self._quotes = _stops_and_quotes(text, ord(separator), line_breaks)
        else:
            stops = np.flatnonzero((text == ord(separator)) | (text == _LF))
        self._starts = np.empty_like(stops)
        self._starts[0] = 0
        self._starts[1:] = stops[:-1] + 1
        self._last = np.flatnonzero(text[stops] == _LF)  # of each record, its last field
        ends = stops[self._last]
        before = text[ends - 1] == _CR  # at place 0 this looks at the last byte, a line feed
        if before.any():
            stops[self._last] = ends - before
        self._stops = stops
        self._first = np.empty_like(self._last)
        self._first[0] = 0
        self._first[1:] = self._last[:-1] + 1
        if not empty_lines:
            self._leave_out_empty_lines()
        lengths = self._stops[self._last] - self._starts[self._first]
        self._too_long = lengths > longest if (lengths > longest).any() else None
        self._valid = block.isascii() or _is_utf8(block)

    def _leave_out_empty_lines(self) -> None:
        empty = (self._first == self._last) & (self._starts[self._last] == self._stops[self._last])
        if empty.any():
            self._first, self._last = self._first[~empty], self._last[~empty]

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self._last)

    @property
    def width(self) -> int:
        """The number of fields of the longest record."""
        return int((self._last - self._first).max(initial=-1)) + 1

    def columns(self, wanted: Iterable[int]) -> list[Any]:
        """The fields with these numbers, of all records, as Arrow arrays of texts."""
        import pyarrow as pa

        if not self.records:
            return [pa.array([], pa.string()) for _ in wanted]
        width = int(self._last[0] - self._first[0]) + 1
        steady = len(self._stops) == width * self.records  # and no field is of an empty line
        steady = steady and bool((self._last - self._first == width - 1).all())
        return [
            self._column(slice(number, None, width), None)
            if steady and number < width
            else self._column(
                np.minimum(self._first + number, self._last), self._first + number > self._last
            )
            for number in wanted
        ]

    def _column(self, at: Any, missing: Truths | None) -> Any:
        """The fields at these places as texts: NULL if missing, empty, malformed or too long."""
        import pyarrow as pa
        import pyarrow.compute as pc

        starts, stops = self._starts[at], self._stops[at]
        null = starts == stops
        if missing is not None:
            null |= missing
        if self._too_long is not None:
            null |= self._too_long
        slow = np.zeros(0, dtype=np.int64)
        if self._quotes is not None:
            quotes = self._quotes[at]
            enclosed = (self._text[starts] == _QUOTE) & (self._text[stops - 1] == _QUOTE)
            enclosed &= (quotes >= 2) & ~null
            slow = np.flatnonzero(enclosed & (quotes > 2))
            null |= (quotes > 0) & ~enclosed
            starts, stops = starts + enclosed, stops - enclosed
            null |= starts == stops
        if not self._valid:
            slow = np.union1d(slow, self._beyond_ascii(starts, stops))
        slow = slow[~null[slow]]
        column = _gathered(self._block, starts, stops, null)
        if len(slow):
            values = [_text_of(self._block[starts[i] : stops[i]]) for i in slow]
            mask = np.zeros(len(starts), dtype=bool)
            mask[slow] = True
            column = pc.replace_with_mask(column, pa.array(mask), pa.array(values, pa.string()))
        return column

    def _beyond_ascii(self, starts: Places, stops: Places) -> Places:
        beyond = np.flatnonzero(self._text > 127)
        return np.flatnonzero(np.searchsorted(beyond, starts) < np.searchsorted(beyond, stops))


def _stops_and_quotes(
    text: Bytes, separator: int, line_breaks: bool
) -> tuple[Places, NDArray[np.int32]]:
    """Where fields end, and how many quotes each holds."""
    marks = np.flatnonzero((text == separator) | (text == _LF) | (text == _QUOTE))
    kinds = text[marks]
    is_quote = kinds == _QUOTE
    quotes = np.cumsum(is_quote, dtype=np.int32)
    inside = quotes
    if not line_breaks:  # counted from the beginning of the line
        inside = quotes - np.maximum.accumulate(np.where(kinds == _LF, quotes, 0))
    ends = (inside & 1 == 0) & ~is_quote
    ends[-1] = True  # the file may end with a quote still open
    return marks[ends], np.diff(quotes[ends], prepend=np.int32(0))


def _gathered(block: bytes, starts: Places, stops: Places, null: Truths) -> Any:
    """The texts between starts and stops: every other one of those that both cut the block into."""
    import pyarrow as pa

    cuts = np.empty(2 * len(starts), dtype=np.int32)
    cuts[0::2] = starts
    cuts[1::2] = stops
    pieces = pa.StringArray.from_buffers(
        len(cuts) - 1, pa.py_buffer(cuts.data), pa.py_buffer(block)
    )
    every_other = np.arange(0, len(cuts), 2, dtype=np.int32)
    # (`pa.array` would import pandas where it is installed, in a fifth of a second.)
    validity = pa.py_buffer(np.packbits(~null, bitorder="little")) if null.any() else None
    buffers = [validity, pa.py_buffer(every_other)]
    return pieces.take(pa.Array.from_buffers(pa.int32(), len(every_other), buffers))


def _text_of(field: bytes) -> str | None:
    """What a field means whose outer quotes are gone; None if there is no meaning."""
    if b'"' in field.replace(b'""', b""):
        return None
    try:
        return field.replace(b'""', b'"').decode()
    except UnicodeDecodeError:
        return None


def _is_utf8(block: bytes) -> bool:
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True
