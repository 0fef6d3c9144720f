"""What noise costs today: everyday questions, what usual noise costs, and what is possible.

    python benchmarks/cost.py docs/reproduction/cost.csv [--quick]

One row for each question: a lower bound for all noise of its kind, what our noise costs at most
(both proven), and what Laplace and Gaussian noise and the best closed form cost at the same budget.
For whole numbers these are the discrete ones. The table of docs/index.md is made from this
file by docs/site/tables.py. About 20 seconds of processor time.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from leastnoise import Cube, compare

#: name: (what people ask, the question). Sensitivity 1: other ones scale all of it alike.
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "mean": ("a mean, epsilon 1", {"epsilon": 1}),
    "generous": ("a mean, epsilon 4", {"epsilon": 4}),
    "squared": ("a mean, epsilon 4, squared error", {"epsilon": 4, "loss": "l2"}),
    "count": ("a count, epsilon 1", {"epsilon": 1, "integer": True}),
    "range": (
        "a count between 0 and 10, epsilon 0.5",
        {"epsilon": "0.5", "integer": True, "bounds": (0, 10)},
    ),
    "ten": (
        "ten counts at once, epsilon 1, delta 0",
        {"epsilon": 1, "sensitivity": Cube(10), "integer": True, "delta": 0},
    ),
    "vector": (
        "ten numbers as one vector, epsilon 1, squared error",
        {"epsilon": 1, "dimension": 10, "loss": "l2"},
    ),
}
DELTA = "1e-6"
LAPLACE = ("laplace", "discrete-laplace")
GAUSSIAN = ("analytic-gaussian", "discrete-gaussian", "gaussian")
QUICK = ("mean", "generous", "squared", "count", "range")
FIELDS = ("name", "question", "lower", "ours", "laplace", "gaussian", "best", "best_label")


def row(name: str) -> dict[str, Any]:
    """One question, asked of everybody."""
    words, asked = QUESTIONS[name]
    found = compare(**{"delta": DELTA, "sensitivity": 1} | asked)
    loss = {one.name: one.loss for one in found}
    if name == "ten":  # our noise needs no delta; Gaussian noise does
        again = compare(**asked | {"delta": DELTA, "time_limit": 1})
        loss |= {one.name: one.loss for one in again if one.name == "gaussian"}
        # Known since Hardt and Talwar (2010): density ~ exp(-epsilon max |x_i|), E |x_1| = 11/2.
        cube = 5.5, "exponential (K-norm) noise on the cube"

    def first(names: tuple[str, ...]) -> float:
        return next(loss[one] for one in names if one in loss)

    # Our own noise for the line, moved into the range or split over coordinates, is no baseline.
    ours = {"design", "additive", "split"}
    best = min((one.loss, one.label) for one in found if one.name not in ours)
    if name == "ten":
        best = min(best, cube)
    return {
        "name": name,
        "question": words,
        "lower": found.lower,
        "ours": loss["design"],
        "laplace": first(LAPLACE),
        "gaussian": first(GAUSSIAN),
        "best": best[0],
        "best_label": best[1],
    }


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--quick", action="store_true", help="leave out what takes seconds")
    wanted = parser.parse_args()
    with wanted.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for name in QUICK if wanted.quick else QUESTIONS:
            found = row(name)
            writer.writerow(found)
            print(found)


if __name__ == "__main__":
    main()
