"""How fast a data dependent bracket closes: design, repair and exact verification, one core.

    OMP_NUM_THREADS=1 python benchmarks/dependent.py [--long] [--curve]

The instances are those of the paper's second half: |x|, sensitivity 2, range [0, 4], uniform.
`--long` adds what the largest epsilon reaches in ten minutes; `--curve` shows how the optimum
grows to that of additive noise as the range widens.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from leastnoise import design

CASES: list[tuple[str, float, dict[str, Any]]] = [
    ("(1, 0.2), 5 %", 0.5, {"epsilon": 1, "delta": 0.2, "gap": 0.05}),
    ("(1, 0.2), 1 %", 10, {"epsilon": 1, "delta": 0.2, "gap": 0.01}),
    ("(0.2, 0.05), 1 %", 1, {"epsilon": 0.2, "delta": 0.05, "gap": 0.01}),
    ("(0.2, 0.05), 0.1 %", 60, {"epsilon": 0.2, "delta": 0.05, "gap": 0.001}),
    ("(5, 0.25), 10 %", 60, {"epsilon": 5, "delta": 0.25, "gap": 0.1}),
    ("(5, 0.25), 5 %", 60, {"epsilon": 5, "delta": 0.25, "gap": 0.05}),
    ("(1, 0.2), l2, 1 %", 10, {"epsilon": 1, "delta": 0.2, "loss": "l2", "gap": 0.01}),
    ("(1, 0.2), pinball:0.8, 1 %", 10,
     {"epsilon": 1, "delta": 0.2, "loss": "pinball:0.8", "gap": 0.01}),
    ("(1, 0), 1 %", 10, {"epsilon": 1, "delta": 0, "gap": 0.01}),
]


def main() -> None:
    """Print one line per instance."""
    range_: dict[str, Any] = {"sensitivity": 2, "bounds": (0, 4)}
    cases = list(CASES)
    if "--long" in sys.argv:
        cases.append(("(5, 0.25), ten minutes", 600,
                      {"epsilon": 5, "delta": 0.25, "gap": 1e-3, "time_limit": 590}))
    for name, target, options in cases:
        start = time.perf_counter()
        found = design(**range_, **options)
        seconds = time.perf_counter() - start
        report = found.verify()
        checking = time.perf_counter() - start - seconds
        print(
            f"{name:28} [{found.lower:.6f}, {found.upper:.6f}] gap {100 * found.gap:.3f} % "
            f"in {seconds:.2f} s (target {target:g} s), checked again in {checking:.2f} s: "
            f"{'proven' if report.proven else 'REFUTED'}, cells {found.stats['meshes']}, "
            f"{found.document.last} steps, {len(found.document.dumps()) // 1000} kB",
            flush=True,
        )
    if "--curve" in sys.argv:
        print("range / sensitivity, [lower, upper] / additive optimum, (1, 0.2), |x|")
        for width in (1, 2, 3, 4, 6, 8, 12):
            found = design(
                epsilon=1, delta=0.2, sensitivity=1, bounds=(0, width), gap=0.02)
            print(f"{width:4} [{found.lower / 0.558745:.4f}, {found.upper / 0.558690:.4f}]",
                  flush=True)


if __name__ == "__main__":
    main()
