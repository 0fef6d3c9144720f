"""Unknown keys with their counts: how many are shown, how wrong their values are, and how fast.

1,000 keys that 1000/1, 1000/2, ..., 1000/1000 units have (rounded down), at several budgets:
expected figures of the design and of its baselines, what OpenDP's threshold shows (its least by its
own map, simulated) and what PipelineDP shows, where they are installed. (Tumult Analytics is
not measured: its installation was tried once, for three minutes, and had not ended.) Then sums of
values from 0 to 1 of the same keys, which say themselves which keys are shown, beside half of
epsilon for the keys; and a million keys at once, from a dict and from a table on DuckDB, or on
Spark if asked for.

    python benchmarks/keys.py [--quick] [--spark] [--out keys.json]
"""

from __future__ import annotations

import argparse
import json
import math
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise import Count, Mean, Sum, ask, design, partition_selection
from leastnoise.tables.planning.keys_by_values import keyed_values, sharing_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.unit import Row

BUDGETS = (("1", "1e-5"), ("0.5", "1e-6"), ("2", "1e-6"), ("0.1", "1e-8"))
SIZES = [1000 // i for i in range(1, 1001)]


def opendp(epsilon: float, delta: float, runs: int) -> dict[str, Any] | None:
    """OpenDP's Laplace noise with a threshold, drawn so many times; None without OpenDP."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space = (
        dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
        dp.l01inf_distance(dp.absolute_distance(T=int)),
    )

    def made(threshold: int) -> Any:
        return dp.m.make_laplace_threshold(*space, scale=1 / epsilon, threshold=threshold)

    threshold = 1
    while made(threshold).map((1, 1, 1))[1] > delta:
        threshold += 1
    measurement, units = made(threshold), {str(i): n for i, n in enumerate(SIZES)}
    shown = wrong = 0
    for _ in range(runs):
        found = measurement(units)
        shown += len(found)
        wrong += sum(abs(value - units[key]) for key, value in found.items())
    # It shows noisy counts of the threshold and above.
    one = math.exp(-epsilon * (threshold - 1)) / (1 + math.exp(-epsilon))
    return {
        "shown": shown / runs,
        "error": wrong / shown,
        "threshold": threshold,
        "one_unit_shown": one,
    }


def pipeline_dp(epsilon: float, delta: float, runs: int, after: bool) -> dict[str, Any] | None:
    """PipelineDP's counts of privacy ids, keys chosen before or after noise; None without it."""
    try:
        import pipeline_dp as dp
    except ImportError:
        return None
    rows = [(f"{key} {i}", key) for key, n in enumerate(SIZES) for i in range(n)]
    shown = wrong = 0.0
    for _ in range(runs):
        accountant = dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=delta)
        found = dp.DPEngine(accountant, dp.LocalBackend()).aggregate(
            rows,
            dp.AggregateParams(
                metrics=[dp.Metrics.PRIVACY_ID_COUNT],
                noise_kind=dp.NoiseKind.LAPLACE,
                max_partitions_contributed=1,
                max_contributions_per_partition=1,
                post_aggregation_thresholding=after,
            ),
            dp.DataExtractors(
                privacy_id_extractor=lambda row: row[0],
                partition_extractor=lambda row: row[1],
                value_extractor=lambda row: 0,
            ),
        )
        accountant.compute_budgets()
        counts = [(key, value.privacy_id_count) for key, value in found]
        shown += len(counts)
        wrong += sum(abs(value - SIZES[key]) for key, value in counts)
    return {"shown": shown / runs, "error": wrong / shown}


def at(epsilon: str, delta: str, runs: int) -> dict[str, Any]:
    """Everything at one budget."""
    start = time.perf_counter()
    design = partition_selection(epsilon=epsilon, delta=delta)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    assert design.verify().proven
    checked = time.perf_counter() - start
    compared = design.compare().of(SIZES)
    rows = {name: {"shown": shown, "error": error} for name, (shown, error) in compared.items()}
    other = opendp(float(epsilon), float(delta), runs)
    if other is not None:
        rows["opendp"] = other
    for name, after in (("pipeline-dp", False), ("pipeline-dp, after", True)):
        other = pipeline_dp(float(epsilon), float(delta), min(runs, 25), after)
        if other is not None:
            rows[name] = other
    return {
        "epsilon": epsilon,
        "delta": delta,
        "seconds": seconds,
        "check_seconds": checked,
        "rows": rows,
        "sums": sums(epsilon, delta),
    }


def sums(epsilon: str, delta: str) -> dict[str, Any]:
    """Sums with their keys from the same numbers, or with half of epsilon for either."""
    setting = Setting(Row(), "add-remove")
    sharing = sharing_of(Sum("x", low=0, high=1, by="k", keys="private"), setting)
    assert sharing is not None
    budget = Fraction(epsilon), Fraction(delta)
    found = keyed_values(sharing, *budget, 1, "l1")
    keys = partition_selection(epsilon=budget[0] / 2, delta=budget[1])
    apart = design(epsilon=budget[0] / 2, delta=0, sensitivity=1, gap=0.01)
    return {
        "together": {
            "shown": sum(map(found.release_probability, SIZES)),
            "error": found.noises[0].size,
        },
        "halves": {"shown": sum(map(keys.noise.release_probability, SIZES)), "error": apart.upper},
    }


def million(keys: int) -> dict[str, Any]:
    """A release of very many keys at once."""
    design = partition_selection(epsilon=1, delta="1e-5")
    units = {f"key {i}": 1 + keys // (i + 1) for i in range(keys)}
    start = time.perf_counter()
    found = design.release(units)
    return {"keys": keys, "shown": len(found), "seconds": time.perf_counter() - start}


def tables(keys: int, spark: bool) -> list[dict[str, Any]]:
    """Counts and means of a table with so many keys, which a few to a thousand rows have."""
    import pyarrow as pa

    sizes = np.minimum(1 + keys // np.arange(1, keys + 1), 1000)
    held = np.repeat(np.arange(keys), sizes)
    values = np.linspace(0, 1, len(held))
    table: Any = pa.table({"k": pa.array(held).cast(pa.string()), "x": values})
    engine = "DuckDB"
    if spark:
        from pyspark.sql import SparkSession

        options = {"spark.sql.ansi.enabled": "true", "spark.driver.memory": "4g"}
        session = SparkSession.builder.master("local[*]").config(map=options).getOrCreate()
        table, engine = session.createDataFrame(table), "Spark"
    found = []
    for query in (Count(by="k", keys="private"), Mean("x", low=0, high=1, by="k", keys="private")):
        start, cpu = time.perf_counter(), time.process_time()
        answer = ask(table, query, epsilon=1, delta="1e-5")
        figures = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
        about = {"engine": engine, "query": str(query), "rows": len(held), "keys": keys}
        found.append(about | {"shown": len(answer.groups)} | figures)
    return found


def main() -> None:
    """Print a table; write the figures as JSON if asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    budgets, runs = (BUDGETS[:1], 20) if given.quick else (BUDGETS, 400)
    found = {
        "budgets": [at(*budget, runs) for budget in budgets],
        "million": million(10_000 if given.quick else 1_000_000),
        "tables": tables(10_000 if given.quick else 1_000_000, given.spark),
    }
    for one in found["budgets"]:
        print(f"epsilon {one['epsilon']}, delta {one['delta']}: made in {one['seconds']:.3f} s")
        for name, row in one["rows"].items():
            words = ""
            if "one_unit_shown" in row:
                words = (
                    f"  threshold {row['threshold']}; a key of one unit is shown with "
                    f"{row['one_unit_shown']:.3g}"
                )
            print(f"  {name:<20}{row['shown']:>8.2f} shown, mean error {row['error']:.3f}{words}")
        for name, row in one["sums"].items():
            words = f"{row['shown']:>8.2f} shown, mean error {row['error']:.3f}"
            print(f"  sums, {name:<14}{words}")
    many = found["million"]
    print(f"{many['keys']} keys: {many['shown']} shown in {many['seconds']:.2f} s")
    for one in found["tables"]:
        print(
            f"{one['query']} of {one['keys']} keys in {one['rows']} rows on {one['engine']}: "
            f"{one['shown']} shown, {one['cpu']:.1f} s of this process, {one['seconds']:.1f} s"
        )
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
