"""Squared error of each of k numbers at epsilon = 1: noise for their shape, and its baselines.

    python benchmarks/joint.py [--counts 2,5,10] [--epsilons 1] [--deltas 0,1e-6] [--csv FILE]
    python benchmarks/joint.py --band FILE
    python benchmarks/joint.py --floors FILE

For each k, epsilon and delta a line: independent noise with shares of epsilon, Gaussian noise (of
one size, and of the best covariance for rows that are added or removed), Euclidean noise and
`releases=k` (both only with --ours: they take seconds each), and noise by levels, which needs no
delta: a cube for rows that are replaced, one-sided for rows that are added or removed. The table
in docs/joint-details.md is its output.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from leastnoise import Cube, compare, design
from leastnoise.engine.methods import made
from leastnoise.engine.search import Search
from leastnoise.engine.shapes.method import BASES
from leastnoise.gaussian import smallest_sigma

FIELDS = (
    *("k", "epsilon", "delta", "laplace", "releases", "euclidean", "gaussian"),
    *("gaussian_covariance", "euclidean_covariance", "cube", "cube_lower", "one_sided"),
    *("overlap", "error_95", "seconds"),
)
#: Numbers, whether they are one-sided, epsilon and delta: where Euclidean noise is the best.
BAND = (
    (50, False, "1", "1e-6"),
    (50, True, "1", "1e-6"),
    (100, False, "1", "1e-6"),
    (50, False, "0.5", "1e-6"),
    (50, False, "2", "1e-6"),
    (20, False, "1", "1e-3"),
    (10, False, "0.1", "1e-3"),
)
#: For the lower bounds of counts of added or removed rows: numbers, budgets and losses.
FLOOR_COUNTS = (2, 3, 5, 10, 14)
FLOOR_BUDGETS = (("0.5", "0"), ("1", "0"), ("2", "0"), ("1", "1e-6"))
NOISES = {"noise by levels": "levels", "Gaussian": "gaussian", "Euclidean": "euclidean"}


@cache
def levels(k: int, epsilon: float) -> tuple[Any, Any]:
    """Noise by levels for a cube and for a one-sided one, the same at every delta."""
    common: dict[str, Any] = {"epsilon": epsilon, "delta": 0, "loss": "l2", "integer": True}
    one = design(sensitivity=Cube(k, one_sided=True), time_limit=0.1, **common)
    return design(sensitivity=Cube(k), **common), one


def row(k: int, epsilon: float, delta: float, ours: bool) -> dict[str, str]:
    """One line of the table."""
    began = time.process_time()
    common = {"epsilon": epsilon, "loss": "l2", "integer": True}
    both, one = levels(k, epsilon)
    q = math.exp(-epsilon / k)
    found: dict[str, float] = {
        "laplace": 2 * q / (1 - q) ** 2,
        "cube": both.upper,
        "cube_lower": both.lower,
        "one_sided": one.upper,
        "overlap": one.document.overlap or 0,
        "error_95": one.error_bound(0.95),
    }
    if delta > 0:
        variance = smallest_sigma(epsilon, delta) ** 2
        found["gaussian"] = k * variance
        found["gaussian_covariance"] = (math.sqrt(k) + 1) ** 2 / 4 * variance
        if ours and k > 1:
            beside = compare(delta=delta, sensitivity=Cube(k), **common)
            for other in ("releases", "euclidean"):
                found |= {r.name: r.loss for r in beside if r.name == other}
            one_sided = design(delta=delta, sensitivity=Cube(k, one_sided=True), **common)
            found["euclidean_covariance"] = costs(one_sided).get("euclidean", math.nan)
            if beside.design.document.noise.name == "Euclidean noise":
                found["euclidean"] = beside.design.upper
    found["seconds"] = time.process_time() - began
    texts = {name: f"{found[name]:.6g}" if name in found else "" for name in FIELDS[3:]}
    return {"k": str(k), "epsilon": f"{epsilon:g}", "delta": f"{delta:g}"} | texts


def costs(found: Any) -> dict[str, float]:
    """What each kind of noise costs that was looked at."""
    every = {found.document.noise_name: found.upper, **found.stats["others"]}
    return {
        name: loss
        for words, loss in every.items()
        for known, name in NOISES.items()
        if words.startswith(known)
    }


def band(path: Path) -> None:
    """What the three kinds of noise cost, and what is proven of all noise."""
    with path.open("w", newline="", encoding="utf-8") as file:
        fields = ("k", "one_sided", "epsilon", "delta", *NOISES.values(), "lower")
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        for k, one_sided, epsilon, delta in BAND:
            shape = Cube(k, one_sided=one_sided)
            found = design(
                epsilon=epsilon,
                delta=delta,
                sensitivity=shape,
                integer=True,
                loss="l2",
                time_limit=120,
            )
            losses = {name: f"{loss:.6g}" for name, loss in costs(found).items()}
            asked = {"k": k, "one_sided": one_sided, "epsilon": epsilon, "delta": delta}
            writer.writerow(asked | losses | {"lower": f"{found.lower:.6g}"})
            file.flush()


def floors(path: Path) -> None:
    """Brackets of counts of added or removed rows, with and without flows around bases."""
    with path.open("w", newline="", encoding="utf-8") as file:
        fields = ("k", "epsilon", "delta", "loss", "upper", "lower", "without", "seconds", "bytes")
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        for loss in ("l2", "l1"):
            for epsilon, delta in FLOOR_BUDGETS:
                for k in FLOOR_COUNTS:
                    asked = {"k": k, "epsilon": epsilon, "delta": delta, "loss": loss}
                    writer.writerow(asked | floor(k, epsilon, delta, loss))
                    file.flush()


def floor(k: int, epsilon: str, delta: str, loss: str) -> dict[str, Any]:
    """The bracket of so many counts, what its search takes, and how long its file is."""
    began = time.process_time()
    shape = Cube(k, one_sided=True)
    best = design(epsilon=epsilon, delta=delta, sensitivity=shape, integer=True, loss=loss)
    seconds = time.process_time() - began
    plan = made("shape", best.document.problem)
    others = tuple(method for method in plan.methods if method is not BASES)
    known = Search(replace(plan, methods=others), 1e-9, 60.0, None).run().lower
    losses = {"upper": best.upper, "lower": best.lower, "without": known.value if known else 0}
    texts = {name: f"{float(value):.6g}" for name, value in losses.items()}
    return texts | {"seconds": f"{seconds:.2f}", "bytes": len(best.document.dumps())}


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", default="2,5,10,20,30,50,100")
    parser.add_argument("--epsilons", default="1")
    parser.add_argument("--deltas", default="1e-6")
    parser.add_argument("--ours", action="store_true", help="our vectors and releases=k, too")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--band", type=Path, help="write where Euclidean noise is the best")
    parser.add_argument("--floors", type=Path, help="write what is proven of one-sided counts")
    asked = parser.parse_args()
    if asked.floors is not None:
        floors(asked.floors)
        return
    if asked.band is not None:
        band(asked.band)
        return
    rows = []
    print("| " + " | ".join(FIELDS) + " |")
    print("|" + "--:|" * len(FIELDS))
    for epsilon in asked.epsilons.split(","):
        for delta in asked.deltas.split(","):
            for k in asked.counts.split(","):
                rows.append(row(int(k), float(epsilon), float(delta), asked.ours))
                print("| " + " | ".join(rows[-1].values()) + " |", flush=True)
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
