"""The sheets of an .xlsx workbook as rows of texts, each cell by itself.

Proof that no cell changes how another is read: `excel_file.proof.md`.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from posixpath import join, normpath
from typing import Any
from xml.etree import ElementTree

from .bounded_xml import bounded_elements
from .csv_records import LONGEST_RECORD

#: Formats of dates and times that have a number and no code (ECMA-376, part 1, 18.8.30).
_DATES = {*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)}
#: Parts of a format's code that say nothing of its kind: texts, escaped signs, colors and locales.
_WORDS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_DURATION = re.compile(r"\[[hms]+\]", re.IGNORECASE)
#: A character that XML cannot hold, as workbooks write it.
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_PLACE = re.compile("([A-Z]{1,3})[0-9]+")
#: Numbers of rows, strings and styles have fewer digits.
_LONGEST_NUMBER = 10
#: Day 0 of a workbook, and of one that counts from 1904.
_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}


@dataclass(frozen=True)
class Workbook:
    """A workbook that is open: what it says of its sheets, and their rows.

    Guarantee: `rows` reads each cell by itself, whatever it holds. A file that is no workbook
    raises KeyError, ValueError, OSError or an error of `zipfile` or `ElementTree`.
    """

    archive: zipfile.ZipFile

    @cached_property
    def _parts(self) -> dict[str, str]:
        """Where the parts of the workbook are, by their kind, or by their id for sheets."""
        (main,) = (
            relation.get("Target", "")
            for relation in self._tree("_rels/.rels")
            if relation.get("Type", "").endswith("/officeDocument")
        )
        main = normpath(main.lstrip("/"))
        folder, _, name = main.rpartition("/")
        parts = {"workbook": main}
        for relation in self._tree(join(folder, "_rels", f"{name}.rels")):
            target = relation.get("Target", "")
            path = target.lstrip("/") if target.startswith("/") else normpath(join(folder, target))
            parts[relation.get("Type", "").rpartition("/")[2]] = parts[relation.get("Id", "")] = (
                path
            )
        return parts

    def _tree(self, name: str) -> ElementTree.Element:
        with self.archive.open(name) as file:
            return ElementTree.parse(file).getroot()

    @cached_property
    def sheets(self) -> dict[str, str]:
        """The sheets that a reader sees, and where each is."""
        paths = {}
        for sheet in _all(self._tree(self._parts["workbook"]), "sheet"):
            part = next((self._parts.get(v) for k, v in sheet.items() if k.endswith("}id")), None)
            visible = sheet.get("state", "visible") == "visible"
            if part is not None and "worksheets/" in part and visible:
                paths[sheet.get("name", "")] = part
        return paths

    @cached_property
    def _epoch(self) -> datetime:
        said: Any = next(_all(self._tree(self._parts["workbook"]), "workbookPr"), {})
        return _EPOCHS[said.get("date1904", "0") in ("1", "true")]

    @cached_property
    def _dates(self) -> list[bool]:
        """Whether a style shows numbers as dates, by the style's number."""
        if "styles" not in self._parts:
            return []
        styles = self._tree(self._parts["styles"])
        codes = {
            format.get("numFmtId"): format.get("formatCode", "")
            for format in _all(styles, "numFmt")
        }
        return [
            _is_date(style.get("numFmtId", "0"), codes)
            for group in _all(styles, "cellXfs")
            for style in group
        ]

    def _strings(self) -> Iterator[str]:
        """The texts that cells name by their numbers."""
        if "sharedStrings" in self._parts:
            with self.archive.open(self._parts["sharedStrings"]) as file:
                for item in bounded_elements(file, "si"):
                    yield _kept(_plain(item)) or ""

    def rows(self, sheet: str) -> Iterator[tuple[int, dict[int, str]]]:
        """The number of each row that is written, from 1, and its texts by their columns from 0."""
        strings = dict(enumerate(self._strings()))
        for number, row in self._rows(sheet):
            yield number, self._cells(row, strings)

    def row_from(self, sheet: str, first: int) -> tuple[int, dict[int, str]]:
        """The first row from a number on, and its texts; (0, {}) if there is none.

        It is read before anything is paid for: no text of another row is kept.
        """
        number, row = next(
            (row for row in self._rows(sheet) if row[0] >= first), (0, ElementTree.Element("row"))
        )
        named = {_string_number(_value(cell)) for cell in row if cell.get("t") == "s"}
        last = max(named, default=-1)
        strings = {
            place: text
            for place, text in enumerate(islice(self._strings(), last + 1))
            if place in named
        }
        return number, self._cells(row, strings)

    def _rows(self, sheet: str) -> Iterator[tuple[int, ElementTree.Element]]:
        number = 0
        with self.archive.open(self.sheets[sheet]) as file:
            for row in bounded_elements(file, "row"):
                given = row.get("r", "")
                known = given.isdecimal() and len(given) < _LONGEST_NUMBER
                number = int(given) if known else number + 1
                yield number, row

    def _cells(self, row: ElementTree.Element, strings: Mapping[int, str]) -> dict[int, str]:
        texts, column = {}, -1
        for cell in row:
            place = _PLACE.fullmatch(cell.get("r", ""))
            column = column + 1 if place is None else _column(place[1])
            text = self._text(cell, strings)
            if text:
                texts[column] = text
        return texts

    def _text(self, cell: ElementTree.Element, strings: Mapping[int, str]) -> str | None:
        """What a cell says; None if that is neither a text, a number, a date nor a Boolean."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _kept("".join(_plain(node) for node in cell if _name(node) == "is"))
        value = _value(cell)
        if kind == "s":
            return strings.get(_string_number(value))
        if kind == "str":
            return _kept(_unescaped(value))
        if kind == "b":
            return {"1": "true", "0": "false"}.get(value)
        if kind == "d":
            return _moment(value)
        style = cell.get("s", "0")
        known = style.isdecimal() and len(style) < _LONGEST_NUMBER
        dated = known and int(style) < len(self._dates)
        return self._number(value, dated and self._dates[int(style)]) if kind == "n" else None

    def _number(self, value: str, dated: bool) -> str | None:
        """A number, or the day and time that it is shown as."""
        try:
            number = float(value)
        except ValueError:
            return None
        if not math.isfinite(number):
            return None
        if not dated:
            whole = number.is_integer() and abs(number) < 2**53
            return str(int(number)) if whole else repr(number)
        try:
            # (Workbooks that count from 1900 have a 29th of February in that year.)
            early = number < 60 and self._epoch == _EPOCHS[False]
            days = timedelta(milliseconds=round((number + early) * 86_400_000))
            moment = self._epoch + days
        except OverflowError:
            return None
        if number < 0:
            return None
        return _written(moment) if number >= 1 else str(moment.time())


def _written(moment: datetime) -> str:
    """A day, with its time if that is not midnight."""
    day = f"{moment.year:04}-{moment:%m-%d}"
    return day if moment.time() == datetime.min.time() else f"{day} {moment.time()}"


def _moment(value: str) -> str | None:
    try:
        return _written(datetime.fromisoformat(value).replace(tzinfo=None))
    except (ValueError, OverflowError):
        return None


def _kept(text: str) -> str | None:
    """A text that can be written in UTF-8 and is no longer than a record of a CSV file."""
    try:
        return text if len(text.encode()) <= LONGEST_RECORD else None
    except UnicodeEncodeError:
        return None


def _is_date(number: str, codes: Mapping[str | None, str]) -> bool:
    if number not in codes:
        return number.isdecimal() and int(number) in _DATES
    code = codes[number]
    shown = _WORDS.sub("", code).partition(";")[0]
    return not _DURATION.search(code) and re.search("[dmyhs]", shown, re.IGNORECASE) is not None


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda escape: chr(int(escape[1], 16)), text)


def _plain(item: ElementTree.Element) -> str:
    """The text of an item without its fonts, and without how it is spoken."""
    texts = []
    for node in item:
        if _name(node) == "t":
            texts.append(node.text or "")
        elif _name(node) == "r":
            texts += [inner.text or "" for inner in node if _name(inner) == "t"]
    return _unescaped("".join(texts))


def _value(cell: ElementTree.Element) -> str:
    return next((node.text or "" for node in cell if _name(node) == "v"), "")


def _string_number(value: str) -> int:
    """The number of a string in the workbook, -1 if it is none."""
    return int(value) if value.isdecimal() and len(value) < _LONGEST_NUMBER else -1


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _all(tree: ElementTree.Element, name: str) -> Iterator[Any]:
    return (node for node in tree.iter() if _name(node) == name)


def open_workbook(path: str | Path) -> Workbook:
    """An open workbook, to be closed by its `archive`."""
    return Workbook(zipfile.ZipFile(path))
