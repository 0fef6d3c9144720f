"""The names and types of a table's columns, which are taken to be public; no value is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...queries.door import open_table


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """The columns of `table`."""
    schema = open_table(arguments["table"]).schema()
    return {"columns": [{"name": str(name), "type": str(kind)} for name, kind in schema.items()]}
