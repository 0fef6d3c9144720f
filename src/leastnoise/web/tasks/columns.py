"""The names and types of a table's columns, which are taken to be public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...tables.sources import opened
from ...tables.sources.excel_file import ExcelFile, is_excel
from ..notation import source_of


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """The columns of `table`, a file that is written as `csv` says.

    Of an Excel file its sheets, too; if none is named, the columns are those of the first.
    """
    path, said, sheets = arguments["table"], arguments["csv"], list[str]()
    if is_excel(path):
        sheets = ExcelFile(path).sheets()
        said = {"sheet": sheets[0]} | said
    with opened(source_of(path, said)) as table:
        return {"sheets": sheets, "columns": [column.to_json() for column in table.described]}
