"""Numbers from the paper, and how to read them.

`figure6.csv`, `supplement5.csv` and the bands of `figure3.csv` are not published numbers: they are
ours, read off drawings.
"""

from __future__ import annotations

import csv
from importlib import resources

Budget = tuple[float, float]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of published/`name`.csv; lines that begin with # say where they are from."""
    text = resources.files(__package__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def percents(name: str) -> dict[Budget, float]:
    """A table of the paper: (epsilon, delta) -> percent."""
    return {
        (float(row["epsilon"]), float(row["delta"])): float(row["percent"]) for row in rows(name)
    }
