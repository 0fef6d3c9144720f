"""Tables 2 and 3 at the published size, 100 splits x 1,000 draws, for small datasets.

    python benchmarks/classifiers_full.py FOLDER SUMMARY.csv table2|table3 DATASET ...

Splits are kept in FOLDER, and a run that was stopped goes on. Lines of SUMMARY.csv about the named
datasets are written anew, others stay; p is of a paired one-sided t-test over splits, in sample,
against the noise on the line before (no noise and data dependent noise are not compared).
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from leastnoise.paper.experiments.classifiers import (
    EVERY,
    ORDER,
    collect,
    column,
    paired,
    sizes_of,
    standard_error,
)

SPLITS, DRAWS = 100, 1000
FIELDS = (
    "table",
    "dataset",
    "splits",
    "draws",
    "noise",
    "in_sample",
    "in_se",
    "out_of_sample",
    "out_se",
    "p_in_against_next_better",
)


def lines(table: str, name: str, results) -> list[tuple[str, ...]]:
    """A line for each noise, the best first."""
    found = []
    for k, noise in enumerate(("none", *ORDER)):
        cells = []
        for side in (0, 1):
            values = column(results, name, noise, side)
            cells += [f"{values.mean():.3f}", f"{standard_error(values):.3f}"]
        p = f"{paired(results, name, ORDER[k - 2], noise, 0)[1]:.1e}" if k > 2 else ""
        found.append((table, name, str(SPLITS), str(DRAWS), noise, *cells, p))
    assert len(found) == len(EVERY)
    return found


def main(folder: Path, summary: Path, table: str, names: list[str]) -> None:
    """Run and write."""
    folder.mkdir(parents=True, exist_ok=True)
    results = collect(table, sizes_of(names, SPLITS, DRAWS), folder / f"{table}-full.csv", print)
    kept = []
    if summary.exists():
        with summary.open(newline="", encoding="utf-8") as file:
            kept = [tuple(row) for row in csv.reader(file)][1:]
    kept = [row for row in kept if not (row[0] == table and row[1] in names)]
    for name in names:
        kept += lines(table, name, results)
    with summary.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [FIELDS, *sorted(kept, key=lambda row: row[:2])]
        )


if __name__ == "__main__":
    if len(sys.argv) < 5 or sys.argv[3] not in ("table2", "table3"):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
