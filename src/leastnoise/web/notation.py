"""How a CSV or Excel file is written: its owner's words, and the file with them."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..tables.sources.csv_file import CsvFile, delimiter_of
from ..tables.sources.excel_file import ExcelFile, is_excel

#: What only Excel files have.
OF_EXCEL = ("sheet", "header")


def source_of(path: str, said: dict[str, Any]) -> str | CsvFile | ExcelFile:
    """The table as its owner says that it is written; as its ending says where nothing was said."""
    if not said:
        return path
    delimiter, excel = delimiter_of(path), is_excel(path)
    for name, value in said.items():
        if (name in OF_EXCEL) != excel or (delimiter is None and not excel):
            kind = "an Excel" if name in OF_EXCEL else "a CSV"
            raise ArgumentError(name, value, f"left out: the table is not {kind} file")
    if excel:
        return ExcelFile(path, **said)
    return CsvFile(path, **({"delimiter": delimiter} | said))


def source_text(shown: str, said: dict[str, Any]) -> str:
    """The same in Python."""
    if not said:
        return repr(shown)
    tabs = {"delimiter": "\t"} if delimiter_of(shown) == "\t" else {}
    words = [f"{name}={value!r}" for name, value in (tabs | said).items()]
    kind = "ExcelFile" if is_excel(shown) else "CsvFile"
    return f"{kind}({', '.join([repr(shown), *words])})"
