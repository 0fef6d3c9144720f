"""Excel files: one sheet of an .xlsx workbook as a table of texts. Proof: `excel_file.proof.md`."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import ParseError

from ...errors import ArgumentError, Described
from ...hints import hinted_class
from .csv_file import DATES, arrow
from .workbook import Workbook, open_workbook

ENDINGS = (".xlsx", ".xlsm")
#: Rows that are held at a time.
_BLOCK = 10_000


def is_excel(path: str | Path) -> bool:
    """Whether a file is a workbook by its name."""
    return Path(path).suffix.lower() in ENDINGS


@hinted_class
@dataclass(frozen=True)
class ExcelFile:
    """One sheet of an Excel workbook (.xlsx), as a spreadsheet program saved it.

    path: the file. sheet: the name of the sheet; it can be left out where only one is visible.
    header: the row that names the columns, counted from 1; the rows above it are left out. Columns
    without a name are left out, too.

    Every column is text, and every cell is read by itself: strings as they are, numbers with their
    digits, dates as 2024-12-31 with a time behind them unless it is midnight, Booleans as true or
    false, formulas with their saved results. An empty cell, an error such as #N/A, and anything
    else is NULL. A row without any value below the names is no row. Hidden rows and rows that a
    filter hides are read like all others.

    Guarantee: no cell changes how another row is read, and none is a reason to fail. The names of
    sheets and columns are public.

    Example: the second sheet of a workbook, with its names in the third row.

        >>> ExcelFile("visits.xlsx", sheet="2024", header=3).header
        3
    """

    path: str | Path
    sheet: str | None = None
    header: int = 1
    #: How its texts are read as numbers and dates.
    decimal: ClassVar[str] = "."
    thousands: ClassVar[str] = ""
    dates: ClassVar[str] = DATES[0]
    #: A row that is emptied is no row: their number depends on what they hold.
    sized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.path, (str, Path)):
            raise ArgumentError("path", Described(type(self.path).__name__), "the path of a file")
        if self.sheet is not None and not isinstance(self.sheet, str):
            words = Described(type(self.sheet).__name__)
            raise ArgumentError("sheet", words, "the name of a sheet")
        if type(self.header) is not int or self.header < 1:
            raise ArgumentError("header", self.header, "the number of a row, from 1")

    def sheets(self) -> list[str]:
        """The names of the visible sheets, which are public."""
        with self._book() as book:
            return list(book.sheets)

    def names(self) -> list[str]:
        """The names of the columns, which are public; no row below them is looked at."""
        with self._opened() as book:
            return list(self._columns(book).values())

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The rows as Arrow record batches of texts, with these columns in this order, or all."""
        with self._opened() as book:
            places = {name: at for at, name in self._columns(book).items()}
            wanted = list(places) if columns is None else list(columns)
            block: list[dict[int, str]] = []
            for number, cells in book.rows(self._sheet(book)):
                if number > self.header and not cells.keys().isdisjoint(places.values()):
                    block.append(cells)
                if len(block) == _BLOCK:
                    yield _batch(block, wanted, places)
                    block = []
            if block:
                yield _batch(block, wanted, places)

    @contextmanager
    def _opened(self) -> Iterator[Workbook]:
        """The workbook, once the sheet is known."""
        with self._book() as book:
            if self.sheet not in book.sheets and (self.sheet or len(book.sheets) != 1):
                names = ", ".join(map(repr, book.sheets))
                raise ArgumentError("sheet", self.sheet, f"one of {names}")
            yield book

    @contextmanager
    def _book(self) -> Iterator[Workbook]:
        path = Path(self.path)
        if path.exists() and not path.is_file():
            raise ArgumentError("table", str(path), "a regular file: it is read more than once")
        try:
            book = open_workbook(path)
            _ = book.sheets
        except (zipfile.BadZipFile, KeyError, ValueError, ParseError):
            allowed = "an .xlsx workbook that is not protected by a password"
            raise ArgumentError("table", str(path), allowed) from None
        with book.archive:
            yield book

    def _sheet(self, book: Workbook) -> str:
        return next(iter(book.sheets)) if self.sheet is None else self.sheet

    def _columns(self, book: Workbook) -> dict[int, str]:
        """The named columns of the sheet by their places, blanks in a name made one."""
        number, cells = book.row_from(self._sheet(book), self.header)
        cells = cells if number == self.header else {}
        named = {at: " ".join(text.split()) for at, text in sorted(cells.items())}
        names = {at: name for at, name in named.items() if name}
        if not names:
            allowed = "the number of the row that names the columns (what it holds is not said)"
            raise ArgumentError("header", self.header, allowed)
        if len({name.lower() for name in names.values()}) < len(names):
            allowed = "a sheet without duplicate column names (case is ignored)"
            raise ArgumentError("table", str(self.path), allowed)
        return names


def _batch(block: list[dict[int, str]], wanted: list[str], places: dict[str, int]) -> Any:
    pa = arrow()
    columns = [pa.array([row.get(places[name]) for row in block], pa.string()) for name in wanted]
    return pa.RecordBatch.from_arrays(columns, names=wanted)
