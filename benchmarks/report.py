"""A report of a count, a histogram of 4 bins and two means: one draw, and by other libraries.

    python benchmarks/report.py [--epsilon 1] [--rows 1000] [--draws 2000] [--splits]

Rows are added or removed. OpenDP (its library, where it is installed) is used in two ways. Equal
parts: four releases with a quarter of epsilon each, the count, the histogram, and two sums of
distances from the middle of the bounds, which are divided by the count that was released. Tuned:
half of epsilon for the histogram, whose sum is the count, and a quarter for each of the two sums.
That is the split with the smallest worst ratio to ours, as `--splits` finds. PipelineDP (local
backend, Laplace noise) makes three aggregations with a third each: count and mean of x together,
the mean of y, the histogram. Ours is `plan_all` and the noise that it names. Printed is what 95 %
of answers are within, for others measured on draws of their own mechanisms. A library that is not
installed has no column.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from functools import partial
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


def opendp(epsilon: float, rows: int, draws: int, bins_part: float = 0) -> list[float]:
    """The errors of OpenDP, measured: four equal releases, or the count as the sum of the bins,
    which have this part of epsilon.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    quarter = epsilon / 4

    def made(space: tuple[Any, Any], distance: Any, budget: float = quarter) -> Any:
        return dp.binary_search_chain(
            lambda scale: dp.m.make_laplace(*space, scale=scale), d_in=distance, d_out=budget
        )

    count = made((dp.atom_domain(T=int), dp.absolute_distance(T=int)), 1)
    numbers = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    bins = made(numbers, 1, epsilon * bins_part or quarter)
    real = dp.atom_domain(T=float, nan=False)
    each = epsilon * (1 - bins_part) / 2 if bins_part else quarter
    total = made((real, dp.absolute_distance(T=float)), HIGH / 2, each)
    released = np.array([bins([rows // 4] * 4) for _ in range(draws)])
    n = released.sum(axis=1) if bins_part else np.array([count(rows) for _ in range(draws)])
    found = [np.abs(n - rows), np.abs(released - rows // 4)]
    for _ in range(2):  # values spread evenly: the exact sum of distances from the middle is 0
        sums = np.array([total(0.0) for _ in range(draws)])
        found.append(np.abs(sums / np.maximum(n, 1)))
    return [float(np.quantile(errors, 0.95)) for errors in found]


def splits(errors: list[float], rows: int, draws: int = 200_000) -> list[tuple[float, ...]]:
    """Splits of epsilon 1 for Laplace noise, best first: by the worst ratio to these errors.

    A split is (worst ratio, part of the histogram, part of the count, errors of the four queries);
    the means share the rest. The count is the mean of its own release and the sum of the bins,
    with the weights of their variances.
    """
    source = np.random.default_rng(1)

    def drawn(epsilon: float, size: tuple[int, ...]) -> np.ndarray:
        success = -np.expm1(-epsilon)
        return source.geometric(success, size) - source.geometric(success, size)

    def within(noise: np.ndarray) -> float:
        return float(np.quantile(np.abs(noise), 0.95, method="higher"))

    found = []
    for percent in range(20, 72, 2):
        bins = drawn(percent / 100, (draws, 4))
        for own in (0, 5, 10, 15, 20, 25, 30):
            rest = (100 - percent - own) / 200
            count = bins.sum(axis=1)
            if own:
                alone = drawn(own / 100, (draws,))
                share = count.var() / (count.var() + alone.var())
                count = np.rint(share * alone + (1 - share) * count)
            mean = float(np.log(20)) * HIGH / 2 / rows / rest if rest > 0 else np.inf
            theirs = within(count), within(bins[:, 0]), mean, mean
            worst = max(a / b for a, b in zip(theirs, errors, strict=True))
            found.append((worst, percent / 100, own / 100, *theirs))
    return sorted(found)


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
    parser.add_argument("--splits", action="store_true", help="the best splits of Laplace noise")
    asked = parser.parse_args()
    if asked.splits:
        for split in splits(ours(1.0, asked.rows), asked.rows)[:10]:
            print(" ".join(f"{number:.3g}" for number in split))
        return
    began = time.process_time()
    columns = {"one draw": ours(asked.epsilon, asked.rows)}
    others = (
        ("OpenDP, tuned", partial(opendp, bins_part=0.54)),
        ("OpenDP, equal parts", opendp),
        ("PipelineDP", pipelinedp),
    )
    for name, other in others:
        with contextlib.suppress(ImportError):
            columns[name] = other(asked.epsilon, asked.rows, asked.draws)
    print("| 95 % within | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    for name, *errors in zip(NAMES, *columns.values(), strict=True):
        print(f"| {name} | " + " | ".join(f"{error:.4g}" for error in errors) + " |")
    print(f"{time.process_time() - began:.1f} s of processor time")


if __name__ == "__main__":
    main()
