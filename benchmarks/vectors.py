"""Brackets and gains of vector designs: docs/vectors.csv, and the table in docs/vectors-details.md.

    python benchmarks/vectors.py [--seconds 20] [--dimensions 2,3,5] [--budgets 1:1e-5,1:0.2]
        [--losses l1,l2] [--csv docs/vectors.csv]

For each dimension, budget and loss: the proven bracket, processor time, and how much less the
expected loss of a release is than that of the better of analytic Gaussian and exponential noise.
The time limit counts processor time, so that a busy machine gives the same table. Lines that the
file has already are replaced, others kept.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

from leastnoise import design
from leastnoise.baselines.vectors import baselines
from leastnoise.lp.highs import Model

DIMENSIONS = (2, 3, 5, 10, 20, 50, 100)
BUDGETS = (
    ("0.5", "1e-6"),
    ("1", "1e-5"),
    ("1", "1e-3"),
    ("2", "1e-6"),
    ("4", "1e-6"),
    ("1", "0.2"),
)
FIELDS = (
    "dimension",
    "epsilon",
    "delta",
    "loss",
    "lower",
    "upper",
    "gap_percent",
    "gain_percent",
    "better_baseline",
    "cpu_seconds",
)
KEY = FIELDS[:4]

_solve = Model.solve


def _patient(self: Model, time_limit: float | None = None) -> object:
    """The solver's own clock counts other processes, too: it is not asked."""
    return _solve(self, None)


def row(dimension: int, epsilon: str, delta: str, loss: str, seconds: float) -> dict[str, str]:
    """One line of the table."""
    start = time.process_time()
    found = design(
        sensitivity=1,
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        loss=loss,
        time_limit=seconds,
    )
    spent = time.process_time() - start
    two = [
        one
        for one in baselines(dimension, float(epsilon), float(delta), 1.0, found.loss)
        if one.name in ("gaussian", "exponential")
    ]
    best = min(two, key=lambda one: one.loss)
    values = (
        dimension,
        epsilon,
        delta,
        loss,
        f"{found.lower:.6g}",
        f"{found.upper:.6g}",
        f"{100 * found.gap:.2f}",
        f"{100 * (1 - found.upper / best.loss):.1f}",
        best.name,
        f"{spent:.1f}",
    )
    return dict(zip(FIELDS, map(str, values), strict=True))


def keep(path: Path, line: dict[str, str]) -> None:
    """The line in the file, in the place of an older one; lines in order."""
    lines = list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []
    lines = [one for one in lines if any(one[name] != line[name] for name in KEY)] + [line]
    budgets = {budget: k for k, budget in enumerate(BUDGETS)}
    lines.sort(
        key=lambda one: (
            int(one["dimension"]),
            budgets.get((one["epsilon"], one["delta"]), len(BUDGETS)),
            one["loss"],
        )
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def table(lines: list[dict[str, str]]) -> list[str]:
    """The lines as Markdown: one for each dimension and budget, both losses beside each other."""
    found = [
        "| d | epsilon | delta | gap l1 | gap l2 | gain l1 | gain l2 | better baseline | CPU s |",
        "|--:|--:|--:|--:|--:|--:|--:|---|--:|",
    ]
    pairs: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for one in lines:
        key = one["dimension"], one["epsilon"], one["delta"]
        pairs.setdefault(key, {})[one["loss"]] = one
    for key, by in pairs.items():
        cells = [f"{by[x]['gap_percent']}%" if x in by else "" for x in ("l1", "l2")]
        cells += [f"{by[x]['gain_percent']}%" if x in by else "" for x in ("l1", "l2")]
        baseline = ", ".join(dict.fromkeys(one["better_baseline"] for one in by.values()))
        spent = " and ".join(by[x]["cpu_seconds"] for x in ("l1", "l2") if x in by)
        found.append("| " + " | ".join([*key, *cells, baseline, spent]) + " |")
    return found


def main() -> None:
    """Measure, a line as soon as it is known; then print the table of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a design")
    parser.add_argument("--dimensions", default=",".join(map(str, DIMENSIONS)))
    parser.add_argument("--budgets", default=",".join(map(":".join, BUDGETS)))
    parser.add_argument("--losses", default="l1,l2")
    parser.add_argument("--csv", type=Path, default=Path("docs/vectors.csv"))
    options = parser.parse_args()
    time.monotonic = time.process_time
    Model.solve = _patient  # type: ignore[method-assign,assignment]
    for dimension in map(int, options.dimensions.split(",")):
        for budget in options.budgets.split(","):
            epsilon, delta = budget.split(":")
            for loss in options.losses.split(","):
                line = row(dimension, epsilon, delta, loss, options.seconds)
                print(*line.values(), flush=True)
                keep(options.csv, line)
    print("\n".join(table(list(csv.DictReader(options.csv.open(encoding="utf-8"))))))


if __name__ == "__main__":
    main()
