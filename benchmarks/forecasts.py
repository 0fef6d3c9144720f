"""What orders the table of methods: seconds of one core until each has done what it can.

    OMP_NUM_THREADS=1 python benchmarks/forecasts.py --out benchmarks/forecasts.csv   # a minute
    python benchmarks/forecasts.py --quick                                            # one question

Some questions of every kind of `leastnoise.engine.methods`, methods in their order. A row: a method
that was asked, the seconds when it ended (those of the methods before it included) and the gap by
then. The order of the table is chosen by such rows. It is not that of their medians: a closed form
that is soon done and seldom enough comes after a staircase.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from leastnoise import Monotone, Support, design
from leastnoise.engine import methods
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.method import Method, SearchPlan
from leastnoise.engine.search import Search
from leastnoise.problem import Problem

BUDGETS = [(1, 0.2), (0.1, "1e-6"), (1, "1e-6"), (1, 0.01), (4, "1e-3"), (8, 0.05), (2, 0)]
KINDS: dict[str, list[dict[str, Any]]] = {
    "one budget": [
        {"epsilon": epsilon, "delta": delta, "loss": loss}
        for epsilon, delta in BUDGETS
        for loss in ("l1", "l2", "pinball:0.9")
    ],
    "constraints or several budgets": [
        {"epsilon": 1, "delta": 0.2, "constraints": [Monotone()], "gap": 5e-3},
        {"epsilon": 1, "delta": 0.2, "constraints": [Support(-2, 4)], "gap": 5e-3},
        {"profile": [(1, 0.2), (2, 0.05)], "gap": 5e-3},
    ],
    "Gaussian curve": [{"gdp": mu, "gap": 0.02} for mu in (0.5, 1, 2)],
    "several releases": [
        {"epsilon": 1, "delta": delta, "releases": count, "gap": 0.01}
        for count, delta in ((2, "1e-5"), (5, 0.01), (10, 0.01))
    ],
    "range": [
        {"epsilon": epsilon, "delta": delta, "bounds": (0, width), "gap": 0.02}
        for epsilon, delta in ((1, 0.2), (1, "1e-6"), (4, "1e-3"))
        for width in (2, 10, 100)
    ],
    "vector": [
        {"dimension": d, "epsilon": 1, "delta": "1e-3", "loss": "l2", "gap": 0.02} for d in (2, 5)
    ],
}


@dataclass(frozen=True)
class Row:
    """A method that was asked."""

    kind: str
    problem: str
    method: str
    seconds: float
    gap: float


def measured(kind: str, problem: dict[str, Any]) -> Iterator[Row]:
    """The rows of one question."""
    found: list[tuple[str, float, float]] = []
    start = 0.0

    def timed(method: Method) -> Method:
        def bounds(asked: Problem, search: Search) -> Iterator[Bounds]:
            try:
                yield from method.bounds(asked, search)
            finally:
                found.append((method.name, time.process_time() - start, search.bracket.gap))

        return replace(method, bounds=bounds)

    def plan_of(wanted: Any) -> SearchPlan:
        nonlocal start
        plan, start = methods.plan_of(wanted), time.process_time()
        return replace(plan, methods=tuple(map(timed, plan.methods)))

    sys.modules["leastnoise.design"].plan_of = plan_of  # type: ignore[attr-defined]
    design(**({"sensitivity": 1, "time_limit": 60} | problem))
    words = " ".join(f"{name}={value}" for name, value in problem.items())
    for name, seconds, gap in found:
        yield Row(kind, words, name, round(seconds, 3), round(gap, 6))


def medians(rows: list[Row]) -> dict[tuple[str, str], float]:
    """(kind, method) -> the median of its seconds."""
    keys = dict.fromkeys((row.kind, row.method) for row in rows)
    return {
        key: statistics.median(row.seconds for row in rows if (row.kind, row.method) == key)
        for key in keys
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rows: list[Row] = []
    for kind, problems in KINDS.items():
        for problem in problems[:1] if options.quick else problems:
            rows += measured(kind, problem)
        if options.quick:
            break
    for (kind, method), seconds in medians(rows).items():
        print(f"{kind:32} {method:30} {seconds:.3f} s")
    if options.out is not None:
        with options.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([one.name for one in fields(Row)])
            writer.writerows([list(vars(row).values()) for row in rows])


if __name__ == "__main__":
    main()
