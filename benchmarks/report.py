"""A report of a count, a histogram of 4 bins and two means: one draw, and by other libraries.

    python benchmarks/report.py [--epsilon 1] [--rows 1000] [--draws 2000]

Rows are added or removed. OpenDP (its library, where it is installed) makes four releases with a
quarter of epsilon each: the count, the histogram, and two sums of distances from the middle of the
bounds, which are divided by the count that was released. PipelineDP (local backend, Laplace noise)
makes three aggregations with a third each: count and mean of x together, the mean of y, the
histogram. That is the best plain use of both that we know. Ours is `plan_all` and the noise that it
names. Printed is what 95 % of answers are within, for others measured on draws of their own
mechanisms. A library that is not installed has no column.
"""

from __future__ import annotations

import argparse
import contextlib
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


def pipelinedp(epsilon: float, rows: int, draws: int) -> list[float]:
    """The errors of three aggregations of PipelineDP, measured; a tenth as many draws."""
    import pipeline_dp as pdp

    data = [(i, (i + 0.5) * HIGH / rows) for i in range(rows)]
    count, mean = pdp.Metrics.COUNT, pdp.Metrics.MEAN
    found: list[list[float]] = [[] for _ in NAMES]
    for _ in range(max(1, draws // 10)):
        budget = pdp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-12)
        engine = pdp.DPEngine(budget, pdp.LocalBackend())

        def asked(metrics: list[Any], bins: int, engine: Any = engine, **bounds: float) -> Any:
            params = pdp.AggregateParams(
                metrics=metrics,
                noise_kind=pdp.NoiseKind.LAPLACE,
                max_partitions_contributed=1,
                max_contributions_per_partition=1,
                **bounds,
            )
            columns = pdp.DataExtractors(
                privacy_id_extractor=lambda row: row[0],
                partition_extractor=lambda row: int(row[1] * bins / HIGH),
                value_extractor=lambda row: row[1],
            )
            return engine.aggregate(data, params, columns, public_partitions=list(range(bins)))

        first = asked([count, mean], 1, min_value=0, max_value=HIGH)
        second = asked([mean], 1, min_value=0, max_value=HIGH)
        bins = asked([count], 4)
        budget.compute_budgets()
        ((_, x),), ((_, y),) = list(first), list(second)
        found[0].append(abs(x.count - rows))
        found[1] += [abs(one.count - rows / 4) for _, one in bins]
        found[2].append(abs(x.mean - HIGH / 2))
        found[3].append(abs(y.mean - HIGH / 2))
    return [float(np.quantile(errors, 0.95)) for errors in found]


def main() -> None:
    """Print all that are installed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=2000)
    asked = parser.parse_args()
    began = time.process_time()
    columns = {"one draw": ours(asked.epsilon, asked.rows)}
    for name, other in (("OpenDP", opendp), ("PipelineDP", pipelinedp)):
        with contextlib.suppress(ImportError):
            columns[name] = other(asked.epsilon, asked.rows, asked.draws)
    print("| 95 % within | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    for name, *errors in zip(NAMES, *columns.values(), strict=True):
        print(f"| {name} | " + " | ".join(f"{error:.4g}" for error in errors) + " |")
    print(f"{time.process_time() - began:.1f} s of processor time")


if __name__ == "__main__":
    main()
