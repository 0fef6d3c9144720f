"""CSV files as Arrow tables of texts, read such that no record changes another.

    CsvFile(path).names()            the header's names; nothing else is read
    CsvFile(path).batches(columns)   the rows as Arrow record batches, all columns or those named
    CsvFile(path).reader(columns)    the same as a pyarrow.RecordBatchReader

What the bytes of the rows are is never a reason to fail. A file that cannot be read or unpacked
raises OSError or EOFError. Proof: `csv_records.proof.md`.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ...errors import ArgumentError, Described, MissingExtraError
from ...hints import hinted_class
from .csv_records import Fields, header_end, whole_records

#: Bytes that are looked at together: as many as a processor's cache holds with all that is found.
_BLOCK = 1 << 20
#: A header is shorter: what has no line end for so long is no text file.
_HEADER = 1 << 20
#: How dates can be written, each by the last day of 2024.
DATES = ("2024-12-31", "31.12.2024", "31/12/2024", "12/31/2024")
#: What can stand between groups of three digits.
THOUSANDS = (",", ".", " ", "'", "_")
_BOM = b"\xef\xbb\xbf"


def delimiter_of(path: str | Path) -> str | None:
    """What stands between fields by the name of a file, packed or not; None if it is no CSV."""
    inner = Path(path)
    inner = Path(inner.stem) if inner.suffix.lower() == ".gz" else inner
    return {".csv": ",", ".tsv": "\t"}.get(inner.suffix.lower())


@hinted_class
@dataclass(frozen=True)
class CsvFile:
    """A CSV file: lines that end with LF or CRLF, the first record naming the columns.

    path: the file; one that ends in .gz is unpacked as it is read.
    delimiter: what stands between fields, one ASCII character.
    encoding: "utf-8", or one with a byte for each character, such as "cp1252".
    decimal: what stands before the decimals of a number, "." or ",": with "," a text such as
    51473,44 is a number, and 51473.44 is none.
    thousands: what stands between groups of three digits, one of "," "." "'" "_" and a blank, or ""
    for nothing (the default): with "," the text 1,174.5 is a number, and 1,17 is none.
    dates: how dates are written, by the last day of 2024: "2024-12-31" (the default), "31.12.2024",
    "31/12/2024" or "12/31/2024". Texts in this notation, with a time behind them or not, are days
    where a condition compares with a date, and where rows are grouped by periods.
    line_breaks: False (the default) if every line is a record, whatever it holds. True states that
    fields in quotes may hold line breaks, and that every quote of the file is closed in its own
    record, as every CSV writer does. It is part of the public description of the file: nothing
    about it is decided from the rows.

    Every column is text. An empty field is NULL; so is one that is not of the encoding or whose
    quotes are malformed, in its row alone. A short record has NULLs at its end, further fields of
    a long one are ignored, a record of more than 1 MiB has no values. Empty lines are no records;
    but where there is one column, they are records with NULL.

    Guarantee: any bytes after the header are a table. When any one line is added or removed, all
    other rows stay as they are. With line_breaks=True this holds for records whose quotes are
    closed; a line with an open quote would take in the lines after it. The names are public: a
    file without a header would show its first record as names.

    Example: a file with semicolons and decimal commas.

        >>> from pathlib import Path
        >>> _ = Path("sales.csv").write_text("region;amount")
        >>> CsvFile("sales.csv", delimiter=";", decimal=",").names()
        ['region', 'amount']
    """

    path: str | Path
    delimiter: str = ","
    line_breaks: bool = False
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    dates: str = DATES[0]
    #: A line is a row whatever its fields hold.
    sized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, Path)):
            raise ArgumentError("path", Described(type(self.path).__name__), "the path of a file")
        single = isinstance(self.delimiter, str) and len(self.delimiter) == 1
        if not single or not self.delimiter.isascii() or self.delimiter in '"\r\n':
            raise ArgumentError("delimiter", self.delimiter, "one ASCII character, and not a quote")
        if not isinstance(self.line_breaks, bool):
            raise ArgumentError("line_breaks", self.line_breaks, "True or False")
        if self.decimal not in (".", ","):
            raise ArgumentError("decimal", self.decimal, '"." or ","')
        if self.thousands not in ("", *THOUSANDS):
            allowed = f"one of {', '.join(map(repr, THOUSANDS))}, or '' for none"
            raise ArgumentError("thousands", self.thousands, allowed)
        if self.thousands == self.decimal:
            raise ArgumentError("thousands", self.thousands, "another character than decimal")
        if self.dates not in DATES:
            raise ArgumentError("dates", self.dates, f"one of {', '.join(DATES)}")
        _characters(self.encoding)

    def names(self) -> list[str]:
        """The names of the columns. Only the header is read; it is public."""
        with _Source(self) as source:
            return source.names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The rows as Arrow record batches of texts, with these columns in this order, or all.

        Guarantee: only a block of the file and one record are held at a time.
        """
        return self._batches(*self._wanted(columns))

    def reader(self, columns: Sequence[str] | None = None) -> Any:
        """The batches as a pyarrow.RecordBatchReader, which other engines read."""
        wanted, schema = self._wanted(columns)
        return arrow().RecordBatchReader.from_batches(schema, self._batches(wanted, schema))

    def _wanted(self, columns: Sequence[str] | None) -> tuple[list[int], Any]:
        """The numbers of columns, and their schema."""
        names = self.names()
        wanted = names if columns is None else list(columns)
        if not wanted:
            raise ArgumentError("columns", columns, "at least one column")
        for name in wanted:
            if name not in names:  # which names there are is not said: see CsvFile.names
                raise ArgumentError("columns", name, "columns of the file")
        pa = arrow()
        schema = pa.schema([(name, pa.string()) for name in wanted])
        return [names.index(name) for name in wanted], schema

    def _batches(self, wanted: list[int], schema: Any) -> Iterator[Any]:
        with _Source(self) as source:
            for block in whole_records(source.rows(), self.line_breaks):
                single = len(source.names) == 1
                fields = Fields(block, self.delimiter, self.line_breaks, empty_lines=single)
                if fields.records:
                    columns = fields.columns(wanted)
                    yield arrow().RecordBatch.from_arrays(columns, schema=schema)


class _Source:
    """An open CSV file: its names, then the bytes of its rows."""

    def __init__(self, csv: CsvFile) -> None:
        self._csv = csv

    def __enter__(self) -> _Source:
        path = Path(self._csv.path)
        if path.exists() and not path.is_file():  # (a pipe would keep those waiting who have paid)
            raise ArgumentError("table", str(path), "a regular file: it is read more than once")
        packed = path.suffix.lower() == ".gz"
        self._characters = _characters(self._csv.encoding)
        self._file: Any = gzip.open(path) if packed else path.open("rb")
        try:
            self.names = self._header()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def rows(self) -> Iterator[bytes]:
        """The bytes after the header, in blocks."""
        if self._rest:
            yield self._rest
        while block := self._more(_BLOCK):
            yield block

    def _more(self, size: int) -> bytes:
        try:
            block: bytes = self._file.read(size)
        except zlib.error:
            raise OSError("the file could not be unpacked") from None
        if self._characters is None:
            return block
        text, _ = codecs.charmap_decode(block, "surrogateescape", self._characters)
        return text.encode("utf-8", "surrogatepass")  # a byte of no character is no UTF-8 either

    def _header(self) -> list[str]:
        """The names; errors say nothing of what was found instead."""
        text, end = b"", 0
        while not end and len(text) <= _HEADER:
            block = self._more(min(_BLOCK, 1 << 16))
            text += block
            if not block:
                text += b"\n"
            begin = len(_BOM) if text.startswith(_BOM) else 0
            end = header_end(text, begin, self._csv.line_breaks)
            if not block:
                end = end or len(text)
        self._rest = text[end:]
        if not 0 < end <= _HEADER:
            raise self._refused()
        fields = Fields(text[begin:end], self._csv.delimiter, self._csv.line_breaks)
        if not fields.records:
            raise self._refused()
        if fields.width == 1 and not text[begin:end].lstrip().startswith(b'"'):
            for other in ";\t|,":
                if other.encode() in text[begin:end]:
                    allowed = f"the separator of the names in the first line, probably {other!r}"
                    raise ArgumentError("delimiter", self._csv.delimiter, allowed)
        names = [column[0].as_py() for column in fields.columns(range(fields.width))]
        if not all(name and name.strip() and "\0" not in name for name in names):
            raise self._refused()
        if any("\r" in name.replace("\r\n", "") for name in names):
            raise self._refused()
        if len({name.lower() for name in names}) < len(names):
            raise ArgumentError(
                "table",
                str(self._csv.path),
                "a file without duplicate column names (case is ignored)",
            )
        return names

    def _refused(self) -> ArgumentError:
        return ArgumentError(
            "table",
            str(self._csv.path),
            f"a file whose first line, in {self._csv.encoding}, names its columns (the line is not "
            "shown: it may be data). State another encoding, such as cp1252, if it has one",
        )


@lru_cache(maxsize=64)
def _characters(encoding: str) -> str | None:
    """The characters of the bytes 0 to 255, U+FFFE for none; None stands for UTF-8."""
    try:
        name = codecs.lookup(encoding).name
        if name in ("utf-8", "utf-8-sig"):
            return None
        letters = [bytes([byte]).decode(name, "replace") for byte in range(256)]
        pairs = bytes(
            byte for first in range(256) for second in range(256) for byte in (first, second)
        )
        alone = pairs.decode(name, "replace") == "".join(letters[byte] for byte in pairs)
    except (LookupError, TypeError, ValueError):
        alone = False
    if not alone or "".join(letters[:128]) != bytes(range(128)).decode():
        allowed = "utf-8, or one with a byte for each character, such as cp1252 or latin-1"
        raise ArgumentError("encoding", encoding, allowed)
    return "".join(letters).replace("\N{REPLACEMENT CHARACTER}", "\ufffe")


def arrow() -> Any:
    """The module pyarrow; `MissingExtraError` if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    return pyarrow
