"""Answers as CSV and Excel files: a row for each number, in the digits that its interval supports.

All of it is in the answers, which may be published.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from xml.sax.saxutils import escape

from ...exact import text_of
from ...formatting import bare_unit, printable
from ..answer import Answer
from ..queries.digits import rounded, shown
from ..queries.numbers import LEFT_OUT, ROWS, imprecise, imprecise_words

#: Files that are written here.
ENDINGS = (".csv", ".xlsx")
#: The columns of every file, beside those of keys; a key column of such a name gets another one.
_QUERY, _NUMBERS, _UNBIASED = "query", ("answer", "low", "high"), "unbiased"
_IMPRECISE = "imprecise"
#: A text that begins like this is a formula to spreadsheet programs.
_FORMULA = ("=", "+", "-", "@")
_NUMERAL = re.compile(r"[+-]?[0-9.]+")
#: Cells: texts, numbers with the digits that are shown, truth values, and None for empty ones.
_Value = str | Decimal | bool | None
_Row = list[_Value]


def write_answers(answers: Sequence[Answer], path: Path, margin: Fraction | None = None) -> None:
    """Write FILE.csv, or FILE.xlsx with a second sheet on what was spent.

    margin: with a column that says whether a number is imprecise at this margin.
    """
    rows = _rows(answers, margin)
    if path.suffix.lower() == ".csv":
        path.write_text(_csv(rows), encoding="utf-8", newline="")
    else:
        path.write_bytes(_workbook({"Answers": rows, "About": _about(answers, margin)}))


def _axes(answers: Sequence[Answer], columns: Collection[str]) -> dict[str, str]:
    """The axes of all answers, and what each is called in a file."""
    places = (place for answer in answers for place in answer.basis.places)
    axes = dict.fromkeys(axis for place in places for axis in place.axes)
    taken = {_QUERY, *_NUMBERS, _UNBIASED, ROWS, LEFT_OUT, *columns}
    return {axis: f"{axis} (key)" if axis in taken else axis for axis in axes}


def _rows(answers: Sequence[Answer], margin: Fraction | None) -> Iterator[_Row]:
    """The names of the columns, then a row for each number.

    Of counts also the unbiased one, and of others how many rows they rest on.
    """
    marked = [] if margin is None else [_IMPRECISE]
    axes = _axes(answers, marked)
    every = [estimate for answer in answers for estimate in answer.groups.values()]
    more = [_UNBIASED] if any(estimate.unbiased is not None for estimate in every) else []
    figures = dict.fromkeys(figure.name for estimate in every for figure in estimate.rests_on)
    yield [_QUERY, *axes.values(), *_NUMBERS, *more, *figures, *marked]
    for answer in answers:
        for place, estimate in zip(answer.basis.places, answer.groups.values(), strict=True):
            keys = dict(zip(place.axes, place.keys, strict=True))
            numbers: _Row = [Decimal(text) if text else None for text in rounded(estimate)]
            numbers += [_digits(estimate.unbiased) for _ in more]
            behind = {figure.name: Decimal(figure.value) for figure in estimate.rests_on}
            numbers += [behind.get(name) for name in figures]
            numbers += [] if margin is None else [imprecise(estimate, margin)]
            yield [answer.query, *(keys.get(axis) for axis in axes), *numbers]


def _digits(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(shown(value))


def _about(answers: Sequence[Answer], margin: Fraction | None) -> Iterator[_Row]:
    """What each query was asked of, and what it spent."""
    yield ["query", "table", "date", "privacy unit", "neighbors", "epsilon", "delta", "spent with"]
    for answer in answers:
        mates = [
            str(k) for k, x in enumerate(answers, 1) if answer.batch and x.batch == answer.batch
        ]
        yield [
            answer.query, answer.table, answer.date, bare_unit(answer.unit), answer.neighbors,
            text_of(answer.epsilon), text_of(answer.delta),
            f"queries {', '.join(mates)}, once" if len(mates) > 1 else None,
        ]  # fmt: skip
    yield []
    yield ["low and high: the 95% confidence interval of the number without noise"]
    if margin is not None:
        yield [f"imprecise: the {imprecise_words(margin)}"]


def _csv(rows: Iterator[_Row]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([_plain(cell) for cell in row] for row in rows)
    return text.getvalue()


def _plain(cell: _Value) -> str:
    """A cell of a CSV file: an apostrophe stands before a text that would be a formula."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return "" if cell is None else str(cell)
    text = printable(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMERAL.fullmatch(text) else text


# -- a workbook --------------------------------------------------------------------------------

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def _workbook(sheets: Mapping[str, Iterator[_Row]]) -> bytes:
    """An .xlsx workbook of these sheets (ECMA-376), with texts as texts, never as formulas."""
    names = dict(enumerate(sheets, 1))
    listed = "".join(f'<sheet name="{n}" sheetId="{k}" r:id="r{k}"/>' for k, n in names.items())
    links = "".join(
        f'<Relationship Id="r{k}" Type="{_LINKS}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k in names
    )
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_TYPES}.worksheet+xml"/>'
        for k in names
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>{kinds}'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{_LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}'
        "</Relationships>",
    }
    for k, rows in enumerate(sheets.values(), 1):
        body = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
        parts[f"xl/worksheets/sheet{k}.xml"] = sheet
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, _HEAD + text)
    return data.getvalue()


def _cell(cell: _Value) -> str:
    if cell is None:
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{cell:d}</v></c>'
    if isinstance(cell, Decimal):
        return f"<c><v>{float(cell)!r}</v></c>"
    text = escape(printable(cell))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
