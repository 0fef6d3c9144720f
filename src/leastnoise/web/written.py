"""How a CSV file is written: its owner's words, and the file with them."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..tables.sources.csv_file import CsvFile, delimiter_of


def source_of(path: str, csv: dict[str, Any]) -> str | CsvFile:
    """The table as its owner says that it is written; as its ending says where nothing was said."""
    if not csv:
        return path
    if (delimiter := delimiter_of(path)) is None:
        raise ArgumentError(
            next(iter(csv)), next(iter(csv.values())), "left out: the table is not a CSV file"
        )
    said: dict[str, Any] = {"delimiter": delimiter} | csv
    return CsvFile(path, **said)


def source_text(shown: str, csv: dict[str, Any]) -> str:
    """The same in Python."""
    if not csv:
        return repr(shown)
    tabs = {"delimiter": "\t"} if delimiter_of(shown) == "\t" else {}
    words = [f"{name}={value!r}" for name, value in (tabs | csv).items()]
    return f"CsvFile({', '.join([repr(shown), *words])})"
