"""Unknown keys with their counts: how many are shown, how wrong their values are, and how fast.

1,000 keys that 1000/1, 1000/2, ..., 1000/1000 units have (rounded down), at several budgets:
expected figures of the design and of its rivals, and what OpenDP's threshold shows where OpenDP is
installed (its least threshold by its own map, simulated). Then a million keys at once.

    python benchmarks/keys.py [--quick] [--out keys.json]
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

from leastnoise import keyed

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


def at(epsilon: str, delta: str, runs: int) -> dict[str, Any]:
    """Everything at one budget."""
    start = time.perf_counter()
    design = keyed(epsilon=epsilon, delta=delta)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    assert design.verify().proven
    checked = time.perf_counter() - start
    compared = design.compare().of(SIZES)
    rows = {name: {"shown": shown, "error": error} for name, (shown, error) in compared.items()}
    other = opendp(float(epsilon), float(delta), runs)
    if other is not None:
        rows["opendp"] = other
    return {
        "epsilon": epsilon,
        "delta": delta,
        "seconds": seconds,
        "check_seconds": checked,
        "rows": rows,
    }


def million(keys: int) -> dict[str, Any]:
    """A release of very many keys at once."""
    design = keyed(epsilon=1, delta="1e-5")
    units = {f"key {i}": 1 + keys // (i + 1) for i in range(keys)}
    start = time.perf_counter()
    found = design.release(units)
    return {"keys": keys, "shown": len(found), "seconds": time.perf_counter() - start}


def main() -> None:
    """Print a table; write the figures as JSON if asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {
        "budgets": [at(*budget, 20 if given.quick else 400) for budget in BUDGETS],
        "million": million(10_000 if given.quick else 1_000_000),
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
    many = found["million"]
    print(f"{many['keys']} keys: {many['shown']} shown in {many['seconds']:.2f} s")
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
