"""Twenty questions, at least one of every kind: does a change make a bracket wider, or take longer?

    python benchmarks/every_commit.py             # half a minute; exit code 1 if a gap is wider
    python benchmarks/every_commit.py --rows 3    # the first three
    python benchmarks/every_commit.py --record    # what it finds becomes what is recorded

What is recorded stands in `every_commit.csv`. Brackets of two commits may differ and must meet: a
lower bound above another commit's upper one is a contradiction, and one of the two is wrong. The
gaps are those of a whole search (the time limit is far away); CPU seconds depend on the machine and
are only shown.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from leastnoise import MaxError, Monotone, design

RECORDED = Path(__file__).with_suffix(".csv")
#: Gaps that differ by less than this part are the same: solvers of another version round otherwise.
SAME = 0.01

ONE: dict[str, Any] = {"sensitivity": 1, "gap": "0.001", "time_limit": 600}
QUESTIONS: dict[str, dict[str, Any]] = {
    "l1, 1, 1e-6": {"epsilon": 1, "delta": "1e-6"},
    "whole, 1, 1e-6": {"epsilon": 1, "delta": "1e-6", "integer": True},
    "range 4": {"epsilon": 1, "delta": "0.01", "bounds": (0, 4), "gap": "0.05"},
    "l2, 0.1, 1e-9": {"epsilon": "0.1", "delta": "1e-9", "loss": "l2"},
    "l1, 8, 1e-3": {"epsilon": 8, "delta": "1e-3"},
    "l1, 2, 0": {"epsilon": 2, "delta": 0},
    "l1, 0, 0.3": {"epsilon": 0, "delta": "0.3"},
    "l1, 1, 0.2": {"epsilon": 1, "delta": "0.2"},
    "pinball 0.9, 4, 1e-5": {"epsilon": 4, "delta": "1e-5", "loss": "pinball:0.9"},
    "huber, 0.5, 0.01": {"epsilon": "0.5", "delta": "0.01", "loss": "huber:0.5"},
    "power 3, 1, 0.05": {"epsilon": 1, "delta": "0.05", "loss": "power:3"},
    "whole 1000, 4, 0.01": {"epsilon": 4, "delta": "0.01", "integer": True, "sensitivity": 1000},
    "whole 10^6, 1, 0": {"epsilon": 1, "delta": 0, "integer": True, "sensitivity": 10**6},
    "monotone": {"epsilon": 1, "delta": "0.1", "constraints": [Monotone()]},
    "max error 6": {"epsilon": 1, "delta": "0.1", "constraints": [MaxError(6)]},
    "two budgets": {"profile": [(1, "0.1"), (2, "0.01")]},
    "gdp 1": {"gdp": 1, "gap": "0.01"},
    "2 releases": {"epsilon": 1, "delta": "1e-5", "releases": 2, "gap": "0.05"},
    "whole range 9": {"epsilon": 1, "delta": "1e-3", "bounds": (0, 9), "integer": True},
    "3 numbers": {"epsilon": 1, "delta": "1e-5", "dimension": 3, "gap": "0.05"},
}


@dataclass(frozen=True)
class Row:
    """What was found."""

    name: str
    lower: float
    upper: float
    gap: float
    seconds: float

    @classmethod
    def of(cls, name: str) -> Row:
        """Ask it."""
        start = time.process_time()
        found = design(**(ONE | QUESTIONS[name]))
        seconds = time.process_time() - start
        assert found.certified and found.verify().proven, name
        return cls(name, found.lower, found.upper, found.gap, round(seconds, 2))

    def beside(self, old: Row | None) -> str:
        """What is wrong, in words; nothing if all is well."""
        if old is None:
            return "not recorded"
        if self.lower > old.upper or old.lower > self.upper:
            return "CONTRADICTION"
        if self.gap <= old.gap * (1 + SAME) + 1e-9:
            return ""
        # A search ends where the gap is met: how far below it ends is luck.
        asked = float((ONE | QUESTIONS[self.name])["gap"])
        return "WIDER" if self.gap > asked else "wider, and still what was asked for"


def recorded(path: Path = RECORDED) -> dict[str, Row]:
    """The rows of the file."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            line["name"]: Row(line["name"], *(float(line[one.name]) for one in fields(Row)[1:]))
            for line in csv.DictReader(file)
        }


def main(words: list[str] | None = None) -> int:
    """Ask, print, compare; how many rows are worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=len(QUESTIONS))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(words)
    known = recorded() if RECORDED.exists() else {}
    rows, worse = [], 0
    print(f"{'problem':<24}{'gap':>10}{'recorded':>10}{'CPU s':>8}{'recorded':>10}")
    for name in list(QUESTIONS)[: options.rows]:
        row, old = Row.of(name), known.get(name)
        remark = row.beside(old)
        worse += remark in ("WIDER", "CONTRADICTION")
        before = (f"{100 * old.gap:.4f} %", f"{old.seconds:.2f}") if old else ("-", "-")
        print(
            f"{name:<24}{100 * row.gap:>8.4f} %{before[0]:>10}{row.seconds:>8.2f}{before[1]:>10}"
            f"  {remark}",
            flush=True,
        )
        rows.append(row)
    if options.record:
        with RECORDED.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [one.name for one in fields(Row)], lineterminator="\n")
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)
    return worse


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
