"""CPU seconds of planning reports, each with an empty cache in a process of its own.

With --against the same cases run in turn on another source tree, and the ratio is printed.

    python benchmarks/planning.py [--against OTHER/src] [--only WORDS]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
#: Imports and one design, which are no part of what is measured; then the case.
PROGRAM = """
import time
from leastnoise import *
plan(Count(), epsilon=1, rows=10)
B = {{"low": 0, "high": 100}}
GROUPS = [f"g{{i}}" for i in range(10)]
CROSS = {{"by": ["g", "h"], "keys": [GROUPS[:4], [str(i) for i in range(12)]]}}
TABLES = Marginals(["g", "h"], ways=[0, 1, 2], keys=CROSS["keys"])
PEOPLE = {{"unit": PrivacyUnit("id", max_rows_per_group=3, max_groups=3)}}
began = time.process_time()
{case}
print(time.process_time() - began)
"""
BY_G = 'by="g", keys=GROUPS'
CASES = {
    "marginals of 4 x 12": "plan(TABLES, epsilon=1, rows=50)",
    "counts and means of 4 x 12": (
        'plan_all([Count(**CROSS), Mean("x", **CROSS, **B)], epsilon=1, rows=50)'
    ),
    "counts and means of 4 x 12, people": (
        'plan_all([Count(**CROSS), Mean("x", **CROSS, **B)], epsilon=1, rows=50, **PEOPLE)'
    ),
    "counts and means of 4 x 12, rows replaced": (
        'plan_all([Count(**CROSS), Mean("x", **CROSS, **B)], epsilon=1, rows=50, '
        'neighbors="replace")'
    ),
    "margins of 4 x 12, people": (
        'plan_all([Count(**CROSS), Mean("x", **CROSS, **B)], within=[20, 10], rows=50, **PEOPLE)'
    ),
    "margins of 10 groups, people": (
        f'plan_all([Count({BY_G}), Mean("x", {BY_G}, **B)], within=[40, 10], rows=100, **PEOPLE)'
    ),
    "counts and two means of 10 groups": (
        f'plan_all([Count({BY_G}), Mean("x", {BY_G}, **B), Mean("y", {BY_G}, **B)], epsilon=1)'
    ),
    "a summary of 10 groups, people, by margin": (
        f'plan(Summary("x", {BY_G}, **B), within=10, rows=100, **PEOPLE)'
    ),
    "three numbers by margins": (
        'plan_all([Count(), Mean("x", **B), Proportion("x > 50")], within=[20, 0.5, 0.05])'
    ),
}


def seconds(case: str, source: Path) -> float:
    """What one case takes."""
    with tempfile.TemporaryDirectory() as cache:
        places = {"PYTHONPATH": str(source), "LEASTNOISE_CACHE": cache}
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM.format(case=case)],
            env=os.environ | places | threads,
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout.split()[-1])


def main() -> None:
    """Print all cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    for name, case in CASES.items():
        if asked.only in name:
            line = f"{name:45} {(now := seconds(case, SOURCE)):6.2f} s"
            if asked.against is not None:
                before = seconds(case, asked.against)
                line += f"  before {before:6.2f} s  ratio {now / before:.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
