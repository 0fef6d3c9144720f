"""One question about ten million rows: leastnoise, plain DuckDB, OpenDP on Polars, and Spark.

The question is the mean salary, for the unit row and for a person with at most three rows. Each
contestant runs in a process of its own, five times after a warm-up; the best time counts, and the
peak of its memory. OpenDP needs a Polars of its own: give its interpreter as OPENDP_PYTHON
(`make bench-tables` sets one up). With --spark the exact aggregates of Spark and DuckDB are
compared, for all kinds of queries.

With --groups the question is about people who are in several groups, and count in at most five:
means of 1,000 groups, and counts by private keys, a thirtieth as many as rows. Times are then CPU
seconds of one run.

    python benchmarks/tables.py [--rows 10000000] [--spark] [--groups]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

PLAIN = {
    "row": "select avg(salary) from '{path}'",
    # What a person without privacy would write for the same bounded question.
    "person": """select sum(least(n, 3) * s / n) / sum(least(n, 3)) from (
        select person_id, count(*) n, sum(greatest(120, least(190, salary))) s
        from '{path}' group by person_id)""",
}
#: The same without privacy and without a choice of five groups: by person and group, then by group.
PLAIN_BY_GROUP = {
    "means": """select ward, sum(least(n, 3) * s / n) / sum(least(n, 3)) from (
        select person_id, ward, count(*) n, sum(greatest(120, least(190, salary))) s
        from '{path}' group by person_id, ward) group by ward""",
    "keys": "select shop, count(distinct person_id) from '{path}' group by shop",
}
OPENDP = """
import json, resource, sys, time
import opendp.prelude as dp, polars as pl
dp.enable_features("contrib")
path, unit, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
person = {"identifier": pl.col("person_id")} if unit == "person" else {}
context = dp.Context.compositor(
    data=pl.scan_parquet(path), privacy_unit=dp.unit_of(contributions=1, **person),
    privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=6,
    margins=[dp.polars.Margin(by=[], max_length=2 * rows, max_groups=1)])
best, error = 1e9, None
for _ in range(6):
    query = context.query()
    if unit == "person":
        query = query.truncate_per_group(3)
    query = query.select(pl.col("salary").fill_nan(155.0).fill_null(155.0).dp.mean((120.0, 190.0)))
    start = time.perf_counter()
    query.release().collect()
    best = min(best, time.perf_counter() - start)
# Its error at the whole budget, from its own summary: total and count, to first order.
context = dp.Context.compositor(
    data=pl.scan_parquet(path), privacy_unit=dp.unit_of(contributions=1, **person),
    privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=1,
    margins=[dp.polars.Margin(by=[], max_length=2 * rows, max_groups=1)])
query = context.query()
if unit == "person":
    query = query.truncate_per_group(3)
query = query.select(pl.col("salary").fill_nan(155.0).fill_null(155.0).dp.mean((120.0, 190.0)))
scales = query.summarize()["scale"].to_list()
print(json.dumps({"seconds": best, "scales": scales,
                  "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def generate(path: Path, rows: int, groups: bool = False) -> None:
    """Rows of a tenth as many persons, salaries in cents, four regions; and wards and shops."""
    import duckdb

    more = f""",
        'ward ' || hash(i + 31) % 1000 as ward,
        'shop ' || hash(i + 37) % {max(1, rows // 30)} as shop"""

    duckdb.connect().execute(f"""copy (
        select (hash(i) % {max(1, rows // 10)})::bigint as person_id,
               120 + ((hash(i + 7) % 7000) / 100.0)::double as salary,
               ['north', 'south', 'east', 'west'][1 + (hash(i + 13) % 4)::int] as region,
               (2020 + hash(i + 29) % 5)::int as year{more if groups else ""}
        from range({rows}) t(i)) to '{path}' (format parquet)""")


def best_of(work) -> float:
    """Seconds of the fastest of five runs after a warm-up."""
    found = []
    for _ in range(6):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found[1:])


def contestant(name: str, path: str, unit: str) -> dict[str, float]:
    """One measurement, in this process."""
    if name == "plain":
        import duckdb

        con = duckdb.connect()
        seconds = best_of(lambda: con.execute(PLAIN[unit].format(path=path)).fetchall())
        result = {"seconds": seconds}
    else:
        from leastnoise import Mean, PrivacyUnit, ask

        whose = "row" if unit == "row" else PrivacyUnit("person_id", max_rows_per_group=3)
        query = Mean("salary", low=120, high=190)
        last = {}

        def work() -> None:
            last["answer"] = ask(path, query, epsilon=1, unit=whose)

        result = {"seconds": best_of(work)}
        low, high = last["answer"].interval
        result["error"] = (high - low) / 2
    result["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result


def of_groups(name: str, path: str, asked: str) -> dict[str, float]:
    """CPU seconds and memory of one question about people in several groups."""
    if name == "plain":
        import duckdb

        con = duckdb.connect()
        start = time.process_time()
        con.execute(PLAIN_BY_GROUP[asked].format(path=path)).fetchall()
    else:
        from leastnoise import Count, Mean, PrivacyUnit, ask

        wards = [f"ward {i}" for i in range(1000)]
        query, delta = Mean("salary", low=120, high=190, by="ward", keys=wards), 0
        if asked == "keys":
            query, delta = Count(by="shop", keys="private"), "1e-6"
        unit = PrivacyUnit("person_id", max_rows_per_group=3, max_groups=5)
        start = time.process_time()
        ask(path, query, epsilon=1, delta=delta, unit=unit)
    seconds = time.process_time() - start
    return {"seconds": seconds, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measured(name: str, path: Path, unit: str, rows: int) -> dict[str, float] | None:
    """One measurement, in a process of its own."""
    words = [sys.executable, __file__, "--one", name, str(path), unit]
    if name == "opendp":
        python = os.environ.get("OPENDP_PYTHON")
        if not python:
            return None
        words = [python, "-W", "ignore", "-c", OPENDP, str(path), unit, str(rows)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name} {unit}: failed: {done.stderr.strip().splitlines()[-1][:200]}")
        return None
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    if "scales" in result:
        # 95 % of |a + b| for two Laplace laws: the total's, and the count's times the mean.
        import numpy as np

        total, count = result["scales"]  # type: ignore[misc]
        random = np.random.default_rng(1)
        used = rows if unit == "row" else 3 * rows / 10
        drawn = random.laplace(0, total, 10**6) - 155 * random.laplace(0, count, 10**6)
        result["error"] = float(np.quantile(np.abs(drawn), 0.95)) / used
    return result


def compare_with_spark(path: Path) -> None:
    """The exact aggregates of both engines, for all kinds of queries and both units."""
    from pyspark.sql import SparkSession

    from leastnoise import Count, Histogram, Mean, Median, PrivacyUnit, Sum, Variance
    from leastnoise.tables.queries.base import Setting
    from leastnoise.tables.queries.groups import bounded_request
    from leastnoise.tables.sources import open_table
    from leastnoise.tables.sources.bounding import reading_of
    from leastnoise.tables.sources.dialect import Dialect
    from leastnoise.tables.sources.duckdb import DuckDB
    from leastnoise.tables.unit import Row

    DuckDB.mixed = Dialect.mixed  # that both choose the same groups of a person
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "3g").config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.sql.ansi.enabled", "true").getOrCreate()
    here, there = open_table(path), open_table(session.read.parquet(str(path)))
    bounds = {"low": 120, "high": 190}
    regions = {"by": "region", "keys": ["north", "south"]}
    queries = [
        Count(where="year = 2024"),
        Sum("salary", **bounds),
        Mean("salary", **bounds, **regions),
        Variance("salary", **bounds),
        Median("salary", **bounds),
        Histogram("salary", **bounds, bins=7),
    ]
    for unit in (Row(), PrivacyUnit("person_id", 3, 2)):
        for query in queries:
            seconds, results = [], []
            for table in (here, there):
                start = time.perf_counter()
                reading = reading_of(table, bounded_request(query, Setting(unit, "add-remove")))
                table.engine.load(reading.names)
                results.append(reading.sums())
                seconds.append(time.perf_counter() - start)
            word = "identical" if results[0] == results[1] else "DIFFERENT"
            print(
                f"{query!s:28} {unit!s:18} {word}  DuckDB {seconds[0]:6.2f} s  "
                f"Spark {seconds[1]:6.2f} s",
                flush=True,
            )
    session.stop()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--groups", action="store_true")
    chosen = parser.parse_args()
    if chosen.one:
        work = of_groups if chosen.one[2] in PLAIN_BY_GROUP else contestant
        print(json.dumps(work(*chosen.one)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        generate(path, chosen.rows, chosen.groups)
        print(f"{chosen.rows} rows, {path.stat().st_size / 1e6:.0f} MB of Parquet; epsilon 1")
        print(f"{'unit':8}{'contestant':12}{'seconds':>9}{'MB':>8}{'95 % error':>14}")
        questions, names = tuple(PLAIN), ("plain", "leastnoise", "opendp")
        if chosen.groups:
            questions, names = tuple(PLAIN_BY_GROUP), ("plain", "leastnoise")
        for unit, name in product(questions, names):
            found = measured(name, path, unit, chosen.rows)
            if found is not None:
                error = f"{found['error']:.3g}" if "error" in found else ""
                row = f"{unit:8}{name:12}{found['seconds']:9.3f}{found['memory']:8.0f}{error:>14}"
                print(row, flush=True)
        if chosen.spark:
            compare_with_spark(path)


if __name__ == "__main__":
    main()
