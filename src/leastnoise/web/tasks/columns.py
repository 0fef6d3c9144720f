"""The names and types of a table's columns, which are taken to be public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...tables.sources import opened
from ..written import source_of


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """The columns of `table`, a file that is written as `csv` says."""
    with opened(source_of(arguments["table"], arguments["csv"])) as table:
        return {
            "columns": [
                {
                    "name": one.name,
                    "type": one.stored,
                    "number": one.number is not None,
                    "key": one.key is not None,
                    "person": one.person is not None,
                }
                for one in table.held
            ]
        }
