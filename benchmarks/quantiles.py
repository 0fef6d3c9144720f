"""How far the ranks of several quantiles are off: cumulative counts, and exponential mechanisms.

The error of rank that all quantiles of a row stay within together with 95%: as `plan` states it of
both mechanisms, and as it is in so many releases of rows that are spread evenly over the bins.

    python benchmarks/quantiles.py [--runs 300] [--bins 256] [--out quantiles.csv]
"""

from __future__ import annotations

import argparse
import csv
from fractions import Fraction
from pathlib import Path

import numpy as np

from leastnoise import Quantiles
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.planning.bands import BandsRelease, ChoicesRelease, bands_release
from leastnoise.tables.planning.release import Collected
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

EPSILON, DELTA, ROWS_PER_BIN = Fraction(1), Fraction(1, 10**6), 8
SETTING = Setting(Row(), "add-remove")


def levels(count: int) -> list[Fraction]:
    """So many, evenly spread."""
    return [Fraction(k, count + 1) for k in range(1, count + 1)]


def seen(query: Quantiles, release: BandsRelease | ChoicesRelease, runs: int) -> float:
    """The largest error of rank that 95% of the releases stay within."""
    bins = query.target.bins
    collected = Collected(
        {"": GroupSums(cells=dict.fromkeys(range(bins), ROWS_PER_BIN))}, keys=("",)
    )
    rows = bins * ROWS_PER_BIN
    entropy, worst = InsecureSeededEntropy(2), []
    ranks = np.array([float(level) for level in query.target.levels]) * rows
    for _ in range(runs):
        _, estimates = release.answers(query, SETTING, collected, entropy)
        values = np.array([one.value for one in estimates])
        worst.append(float(np.abs(values * rows - ranks).max()))
    return float(np.quantile(worst, 0.95))


def main() -> None:
    """Measure all numbers of quantiles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--bins", type=int, default=256)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    for count in (1, 3, 5, 9, 99):
        query = Quantiles("x", levels(count), low=0, high=1, bins=given.bins)
        bands = bands_release(query.target, EPSILON, DELTA, 1)
        choices = ChoicesRelease(query.target, SETTING, EPSILON / count, 1, "")
        row = {"quantiles": str(count)}
        for name, release in (("exponential", choices), ("counts", bands)):
            row[name] = f"{release.rank_error:.0f}"
            row[f"{name} seen"] = f"{seen(query, release, given.runs):.0f}"
        rows.append(row)
        print("; ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    if given.out:
        with given.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
