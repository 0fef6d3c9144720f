"""Many linear queries on the command line: reading a workload, showing a design, releasing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from ..errors import ArgumentError, DataError
from ..problem.workload import Workload
from .shared import show_json

HELP = (
    "Many linear queries: prefix:N, ranges:N, identity:N, marginals:2,3,5[:WAYS], or a file of "
    "rows of numbers (.csv, .json)."
)
_ALLOWED = "prefix:N, ranges:N, identity:N, marginals:SIZES[:WAYS], or a readable file of rows"


def workload_of(words: str) -> Workload:
    """The workload that --workload means."""
    kind, colon, rest = words.partition(":")
    if colon and kind in ("prefix", "ranges", "identity", "total"):
        if not rest.isdigit():
            raise ArgumentError("workload", words, _ALLOWED)
        made: Workload = getattr(Workload, kind)(int(rest))
        return made
    if colon and kind == "marginals":
        sizes, _, ways = rest.partition(":")
        parts = sizes.split(",")
        if not all(part.isdigit() for part in parts) or (ways and not ways.isdigit()):
            raise ArgumentError("workload", words, _ALLOWED)
        return Workload.marginals([int(part) for part in parts], int(ways) if ways else 2)
    return Workload(_rows(Path(words)))


def _rows(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            return json.loads(text)
        lines = [line.replace(",", " ").split() for line in text.splitlines()]
        return [line for line in lines if line]
    except (OSError, ValueError, RecursionError):
        raise ArgumentError("workload", str(path), _ALLOWED) from None


def release_workload(
    design: Any, rows: list[list[str]], exact: bool, as_json: bool, told: dict[str, Any]
) -> None:
    """Print the answers to all queries, one a line; the vector may be on several lines."""
    answers = design.release(_numbers([word for row in rows for word in row]), exact=exact)
    shown = [str(answer) if exact else float(answer) for answer in answers]
    if as_json:
        show_json("release", 0, told | {"releases": shown})
    else:
        typer.echo("\n".join(map(str, shown)))


def _numbers(words: Sequence[str]) -> list[int]:
    """Integers; an error repeats none."""
    if not all(re.fullmatch(r"-?[0-9]{1,300}", word) for word in words):
        raise DataError("values", "text", "integer counts")
    return [int(word) for word in words]
