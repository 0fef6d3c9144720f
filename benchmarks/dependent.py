"""How fast a data dependent bracket closes: design, repair and exact verification, one core.

    OMP_NUM_THREADS=1 python benchmarks/dependent.py [--long] [--gdp] [--curve [PICTURE]]

The instances are those of the paper's second half: |x|, sensitivity 2, range [0, 4], uniform.
`--long` adds what the largest epsilon reaches in ten minutes; `--gdp` compares answers below a
Gaussian curve with additive noise below it that is moved into the range; `--curve` shows, and
draws, how the optimum grows to that of additive noise as the range widens.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from scipy.special import ndtri

from leastnoise import design

CASES: list[tuple[str, float, dict[str, Any]]] = [
    ("(1, 0.2), 5 %", 0.5, {"epsilon": 1, "delta": 0.2, "gap": 0.05}),
    ("(1, 0.2), 1 %", 10, {"epsilon": 1, "delta": 0.2, "gap": 0.01}),
    ("(0.2, 0.05), 1 %", 1, {"epsilon": 0.2, "delta": 0.05, "gap": 0.01}),
    ("(0.2, 0.05), 0.1 %", 60, {"epsilon": 0.2, "delta": 0.05, "gap": 0.001}),
    ("(5, 0.25), 10 %", 60, {"epsilon": 5, "delta": 0.25, "gap": 0.1}),
    ("(5, 0.25), 5 %", 60, {"epsilon": 5, "delta": 0.25, "gap": 0.05}),
    ("(1, 0.2), l2, 1 %", 10, {"epsilon": 1, "delta": 0.2, "loss": "l2", "gap": 0.01}),
    (
        "(1, 0.2), pinball:0.8, 1 %",
        10,
        {"epsilon": 1, "delta": 0.2, "loss": "pinball:0.8", "gap": 0.01},
    ),
    ("(1, 0), 1 %", 10, {"epsilon": 1, "delta": 0, "gap": 0.01}),
]


def main() -> None:
    """Print one line per instance."""
    range_: dict[str, Any] = {"sensitivity": 2, "bounds": (0, 4)}
    cases = list(CASES)
    if "--long" in sys.argv:
        cases.append(
            (
                "(5, 0.25), ten minutes",
                600,
                {"epsilon": 5, "delta": 0.25, "gap": 1e-3, "time_limit": 590},
            )
        )
    if "--gdp" in sys.argv:
        gaussian_curves()
        return
    for name, target, options in [] if "--curve" in sys.argv else cases:
        start = time.process_time()
        found = design(**range_, **options)
        seconds = time.process_time() - start
        report = found.verify()
        checking = time.process_time() - start - seconds
        print(
            f"{name:28} [{found.lower:.6f}, {found.upper:.6f}] gap {100 * found.gap:.3f} % "
            f"in {seconds:.2f} s of one core (target {target:g} s), checked in {checking:.2f} s: "
            f"{'proven' if report.proven else 'REFUTED'}, cells {found.stats['meshes']}, "
            f"{len(found.document.dumps()) // 1000} kB",
            flush=True,
        )
    if "--curve" in sys.argv:
        curve(sys.argv[sys.argv.index("--curve") + 1 :])


def gaussian_curves() -> None:
    """Mean absolute errors of a uniform value of [0, 4], all of them mu-Gaussian-private."""
    values = (np.arange(400) + 0.5) / 100
    shares = (np.arange(4000) + 0.5) / 4000

    def moved(noise: Any) -> float:
        answers = np.clip(values[:, None] + noise, 0, 4)
        return float(np.abs(answers - values[:, None]).mean())

    for sensitivity, mu in ((2, 0.5), (2, 1), (2, 2), (1, 1), (1, 2)):
        additive = design(gdp=mu, sensitivity=sensitivity, gap=0.02, time_limit=20)
        start = time.process_time()
        found = design(gdp=mu, sensitivity=sensitivity, bounds=(0, 4), gap=0.03, time_limit=60)
        print(
            f"mu {mu:g}, sensitivity {sensitivity}: Gaussian noise "
            f"{moved(sensitivity / mu * ndtri(shares)):.4f}, the best additive noise "
            f"{moved(additive.noise.quantile(shares)):.4f}, data dependent "
            f"[{found.lower:.4f}, {found.upper:.4f}] in {time.process_time() - start:.1f} s",
            flush=True,
        )


def curve(paths: list[str]) -> None:
    """How the optimum grows to that of additive noise; drawn if a path is given."""
    additive = design(epsilon=1, delta=0.2, sensitivity=1)
    print("range / sensitivity, [lower, upper] / additive optimum, (1, 0.2), |x|")
    widths, low, high = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 48, 96), [], []
    for width in widths:
        found = design(
            epsilon=1,
            delta=0.2,
            sensitivity=1,
            bounds=(0, width),
            gap=0.03 if width < 48 else 0.012,  # near 1 a wide band says nothing
            time_limit=90,
        )
        low.append(found.lower / additive.upper)
        high.append(min(1.0, found.upper / additive.lower))
        print(f"{width:4} [{low[-1]:.4f}, {high[-1]:.4f}]", flush=True)
    if paths:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.add_subplot()
        axes.fill_between(widths, low, high, color="#0072B2", alpha=0.3, linewidth=0)
        axes.plot(widths, high, color="#0072B2", linewidth=1.2, marker="v", markersize=4)
        axes.plot(widths, low, color="#0072B2", linewidth=1.2, marker="^", markersize=4)
        axes.axhline(1.0, color="#777777", linestyle=(0, (6, 2)), linewidth=1.1)
        axes.text(widths[0], 1.015, "additive noise", color="#555555", fontsize=9)
        axes.set_xscale("log", base=2)
        axes.set_xticks([2**k for k in range(7)], [str(2**k) for k in range(7)])
        axes.set_ylim(0, 1.1)
        axes.set_xlabel("range / sensitivity")
        axes.set_ylabel("optimal |error| / additive optimum")
        axes.set_title("ε = 1, δ = 0.2: proven bracket", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(paths[0], dpi=120)


if __name__ == "__main__":
    main()
