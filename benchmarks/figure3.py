"""Data dependent bounds of the paper's Figure 3 for many cells of the range.

    python benchmarks/figure3.py 64
    python benchmarks/figure3.py 128 --budget 1 0.2

It needs numpy, scipy, threadpoolctl and highspy; without an installation, PYTHONPATH=src. 64 cells
take some 4 GB, 128 cells some 60 GB and a machine of many cores: one factorisation of a matrix of
about 33,000 rows for each of some 100 steps. Each line is written as soon as it is known.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from leastnoise.paper.experiments.figure3 import REGIMES, dependent_bounds, support_of


def main() -> None:
    """Print one line for each budget and number of cells."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="+", type=int)
    parser.add_argument("--budget", nargs=2, metavar=("EPSILON", "DELTA"))
    asked = parser.parse_args()
    print("epsilon,delta,cells,lower,upper,cpu_seconds,seconds", flush=True)
    for epsilon, delta, _ in REGIMES:
        if asked.budget and [epsilon, delta] != asked.budget:
            continue
        budget: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": 2}
        for count in asked.cells:
            start, cpu = time.perf_counter(), time.process_time()
            _, lower, upper = dependent_bounds(budget, support_of(budget), count)
            spent, passed = time.process_time() - cpu, time.perf_counter() - start
            numbers = f"{lower:.7g},{upper:.7g},{spent:.1f},{passed:.1f}"
            print(f"{epsilon},{delta},{count},{numbers}", flush=True)


if __name__ == "__main__":
    main()
