"""All 100 budgets of the paper's Table 1, l1 and l2: gaps, seconds, memory, and the checker.

    python benchmarks/table1.py [--loss l1|l2] [--quick]

Prints one line a budget and a summary. Every bracket has passed the exact check, which is run
once more on the file as written, timed.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time

from leastnoise import design
from leastnoise.certify import check, parse

EPSILONS = ("0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5")
DELTAS = ("0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.25", "0.3", "0.5", "0.75")


def target(loss: str, epsilon: str) -> float:
    """The gap we ask for: the product's own requirement."""
    large = float(epsilon) > 1
    return (1e-3 if large else 1e-4) if loss == "l1" else (5e-3 if large else 1e-3)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--loss", choices=("l1", "l2"))
    parser.add_argument("--quick", action="store_true", help="a diagonal of ten budgets")
    options = parser.parse_args()
    for loss in (options.loss,) if options.loss else ("l1", "l2"):
        seconds, checks, sizes, missed = [], [], [], []
        pairs = [(e, d) for e in EPSILONS for d in DELTAS]
        if options.quick:
            pairs = list(zip(EPSILONS, DELTAS, strict=True))
        for epsilon, delta in pairs:
            start = time.perf_counter()
            found = design(
                epsilon=epsilon,
                delta=delta,
                sensitivity=1,
                loss=loss,
                gap=target(loss, epsilon),
                time_limit=60,
            )
            seconds.append(time.perf_counter() - start)
            text = found.document.dumps()
            start = time.perf_counter()
            proven = check(parse(text)).proven
            checks.append(time.perf_counter() - start)
            sizes.append(len(text))
            if not (found.converged and proven):
                missed.append((epsilon, delta, found.gap))
            print(
                f"{loss} {epsilon:>6} {delta:>6} [{found.lower:.7g}, {found.upper:.7g}] "
                f"gap {found.gap:.1e} {seconds[-1]:6.2f} s check {checks[-1]:.3f} s "
                f"{sizes[-1] / 1000:.0f} kB repair {found.stats['repair']:.0e} "
                f"{found.stats['origin']}",
                flush=True,
            )
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{loss}: {len(pairs)} budgets, missed {missed}; seconds: median "
            f"{statistics.median(seconds):.2f}, largest {max(seconds):.2f}, "
            f"sum {sum(seconds):.0f}; checker: largest {max(checks):.2f} s; "
            f"file: largest {max(sizes) / 1000:.0f} kB; memory {memory:.0f} MB"
        )


if __name__ == "__main__":
    main()
