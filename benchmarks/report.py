"""A report of a count, a histogram of 4 bins and two means: one draw, and the same by OpenDP.

    python benchmarks/report.py [--epsilon 1] [--rows 1000] [--draws 2000]

Rows are added or removed. OpenDP (its library, where it is installed) makes four releases with a
quarter of epsilon each: the count, the histogram, and two sums of distances from the middle of the
bounds, which are divided by the count that was released. That is the best plain use of it that we
know. Ours is `plan_all` and the noise that it names. Printed is what 95 % of answers are within,
and for OpenDP it is measured on draws of its own mechanisms.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from leastnoise import Count, Histogram, Mean, plan_all

HIGH = 100.0
NAMES = ("count", "histogram", "mean of x", "mean of y")


def ours(epsilon: float, rows: int) -> list[float]:
    """The errors of one draw."""
    bounds = {"low": 0, "high": HIGH}
    queries = [Count(), Histogram("x", **bounds, bins=4), Mean("x", **bounds), Mean("y", **bounds)]
    plans = plan_all(queries, epsilon=epsilon, rows=rows)
    print(plans[0].noise)
    return [one.error for one in plans]


def opendp(epsilon: float, rows: int, draws: int) -> list[float]:
    """The errors of four releases of OpenDP, measured."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    quarter = epsilon / 4

    def made(space: tuple[Any, Any], distance: Any) -> Any:
        return dp.binary_search_chain(
            lambda scale: dp.m.make_laplace(*space, scale=scale), d_in=distance, d_out=quarter
        )

    count = made((dp.atom_domain(T=int), dp.absolute_distance(T=int)), 1)
    bins = made((dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)), 1)
    real = dp.atom_domain(T=float, nan=False)
    total = made((real, dp.absolute_distance(T=float)), HIGH / 2)
    n = np.array([count(rows) for _ in range(draws)])
    held = np.array([bins([rows // 4] * 4) for _ in range(draws)])
    found = [np.abs(n - rows), np.abs(held - rows // 4)]
    for _ in range(2):  # values spread evenly: the exact sum of distances from the middle is 0
        sums = np.array([total(0.0) for _ in range(draws)])
        found.append(np.abs(sums / np.maximum(n, 1)))
    return [float(np.quantile(errors, 0.95)) for errors in found]


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=2000)
    asked = parser.parse_args()
    began = time.process_time()
    columns = {"one draw": ours(asked.epsilon, asked.rows)}
    columns["OpenDP"] = opendp(asked.epsilon, asked.rows, asked.draws)
    print("| 95 % within | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    for name, *errors in zip(NAMES, *columns.values(), strict=True):
        print(f"| {name} | " + " | ".join(f"{error:.4g}" for error in errors) + " |")
    print(f"{time.process_time() - began:.1f} s of processor time")


if __name__ == "__main__":
    main()
