"""Noise that lasts for many releases, beside Gaussian noise calibrated for as many.

    python benchmarks/releases.py docs/reproduction/releases.csv    # k releases of a total budget
    python benchmarks/releases.py docs/reproduction/gdp.csv --gdp   # below a Gaussian curve
    python benchmarks/releases.py FILE [--gdp] --small              # the quick ones

One row for each question: its proven bracket, what Gaussian noise costs (put where it is cheapest,
for a loss that leans to one side), and the seconds of processor time. The tables of
docs/releases.md and docs/profiles.md are made from these files by docs/site/tables.py.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scipy.stats import norm

from leastnoise import design
from leastnoise.baselines import AnalyticGaussian

BUDGETS = (("1", "1e-5"), ("1", "0.01"), ("2", "0.1"))
COUNTS = (1, 2, 5, 10, 50)
CURVES = (("2", "l1"), ("1", "l1"), ("1", "l2"), ("1", "pinball:0.7"))
GAP = "0.01"
#: Wall-clock seconds: long, because a busy machine gives a question a part of them only.
LIMIT = 240.0


def gaussian(mu: str, loss: str) -> float:
    """What Gaussian noise of standard deviation 1/mu costs, moved to where that is least."""
    if loss.startswith("pinball:"):
        # The best shift is the quantile, and the least loss the density there.
        return float(norm.pdf(norm.ppf(float(loss.partition(":")[2])))) / float(mu)
    return {"l1": math.sqrt(2 / math.pi) / float(mu), "l2": 1 / float(mu) ** 2}[loss]


def measured(baseline: float, asked: dict[str, Any]) -> dict[str, Any]:
    """One question: its bracket, the baseline and the time."""
    start = time.process_time()
    found = design(sensitivity=1, gap=GAP, time_limit=LIMIT, **asked)
    seconds = time.process_time() - start
    return {
        **asked,
        "lower": found.lower,
        "upper": found.upper,
        "gaussian": baseline,
        "seconds": round(seconds, 1),
    }


def releases(small: bool) -> Iterator[dict[str, Any]]:
    """Total budgets and numbers of releases."""
    for loss in ("l1", "l2"):
        for epsilon, delta in BUDGETS[: 1 if small else None]:
            for count in COUNTS[: 1 if small else None]:
                budget = {"epsilon": epsilon, "delta": delta}
                baseline = AnalyticGaussian(**budget, sensitivity=math.sqrt(count))
                cost = float(baseline.expected_loss(loss))
                yield measured(cost, {**budget, "releases": count, "loss": loss})


def curves(small: bool) -> Iterator[dict[str, Any]]:
    """Gaussian curves."""
    for mu, loss in CURVES[1:2] if small else CURVES:
        yield measured(gaussian(mu, loss), {"gdp": mu, "loss": loss})


def main() -> None:
    """Write the file, a row at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--gdp", action="store_true")
    parser.add_argument("--small", action="store_true")
    wanted = parser.parse_args()
    rows = curves(wanted.small) if wanted.gdp else releases(wanted.small)
    with wanted.out.open("w", encoding="utf-8", newline="") as file:
        writer = None
        for row in rows:
            writer = writer or csv.DictWriter(file, list(row), lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main()
