"""Brackets and gains of vector designs: the table in docs/vectors.md.

    python benchmarks/vectors.py [--small] [--seconds 20]

For each dimension, budget and loss: the proven bracket, processor time, and how much less the
expected loss of a release is than that of the better of analytic Gaussian and exponential noise.
"""

from __future__ import annotations

import argparse
import time

from leastnoise import design
from leastnoise.vectors import rivals

DIMENSIONS = (2, 3, 5, 10, 20, 50, 100)
BUDGETS = (
    ("0.5", "1e-6"),
    ("1", "1e-5"),
    ("1", "1e-3"),
    ("2", "1e-6"),
    ("4", "1e-6"),
    ("1", "0.2"),
)
SMALL = (("1", "1e-5"), ("1", "0.2"))


def main() -> None:
    """Print the table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="two budgets, squared error only")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a design")
    options = parser.parse_args()
    print("| d | epsilon | delta | loss | lower | upper | gap | gain | better rival | CPU s |")
    print("|--:|--:|--:|---|--:|--:|--:|--:|---|--:|", flush=True)
    for dimension in DIMENSIONS:
        for epsilon, delta in SMALL if options.small else BUDGETS:
            for loss in ("l2",) if options.small else ("l1", "l2"):
                print(row(dimension, epsilon, delta, loss, options.seconds), flush=True)


def row(dimension: int, epsilon: str, delta: str, loss: str, seconds: float) -> str:
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
    assert found.loss is not None
    two = [
        one
        for one in rivals(dimension, float(epsilon), float(delta), 1.0, found.loss)
        if one.name in ("gaussian", "exponential")
    ]
    best = min(two, key=lambda one: one.loss)
    gain = 1 - found.upper / best.loss
    return (
        f"| {dimension} | {epsilon} | {delta} | {loss} | {found.lower:.6g} | {found.upper:.6g} "
        f"| {100 * found.gap:.2f} % | {100 * gain:.1f} % | {best.name} | {spent:.1f} |"
    )


if __name__ == "__main__":
    main()
