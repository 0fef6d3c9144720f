"""Sixty questions of every kind, frozen: what the engine proves about them and what it takes.

    python benchmarks/frozen.py before.json            # about ten minutes on one core
    python benchmarks/frozen.py after.json --against before.json
    python benchmarks/frozen.py --quick                # one question of every kind, nothing written

A change of the engine runs both on one machine and compares: no bracket may be wider, and CPU
seconds (one thread, so other work on the machine matters little) should stay as they are.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leastnoise import (
    L1,
    L2,
    LossAtMost,
    MaxError,
    Monotone,
    Piecewise,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    design,
)

Problem = dict[str, Any]


def problems() -> Iterator[tuple[str, Problem]]:
    """(kind, arguments of `design`); the first of each kind is the quick one."""
    for epsilon, delta, loss in [
        (1, 0.2, "l1"),
        (1, 0.2, "l2"),
        (0.2, 0.05, "l1"),
        (5, 0.25, "l1"),
        (2, 0.05, "l2"),
        (1, 1e-6, "l1"),
        (0.5, 1e-5, "l2"),
        (3, 1e-3, "l1"),
        (0.1, 1e-8, "l1"),
        (0.5, 0.5, "l1"),
        (0, 0.3, "l1"),
        (0, 0.3, "l2"),
        (5, 0.75, "l1"),
        (1, 0.1, "pinball:0.8"),
        (0.5, 0.01, "huber:0.5"),
        (1, 0.05, "power:3"),
        (2, 0, "l1"),
        (1, 0, "pinball:0.7"),
        (0.005, 0.005, "l1"),
        (1, 0.75, "l1"),
    ]:
        yield "plain", {"epsilon": epsilon, "delta": delta, "loss": loss}
    leaning = Piecewise([(-1, 2), (0, 0), (1, 1)], [-2, 1])
    yield "plain", {"epsilon": 1, "delta": 0.1, "loss": leaning}
    yield "plain", {"epsilon": 1, "delta": 0.1, "loss": L1() + 0.5 * L2()}
    for epsilon, delta, sensitivity in [(1, 0.2, 1), (2, 0.05, 2), (1, 1e-4, 7), (0.5, 0.1, 20)]:
        yield (
            "integer",
            {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "integer": True},
        )
    for demand in [
        MaxError(3),
        Monotone(),
        Support(-2, 4),
        Symmetric(),
        Unbiased(),
        Unimodal(0.5),
        LossAtMost("l2", 0.8),
    ]:
        yield "constrained", {"epsilon": 1, "delta": 0.2, "constraints": [demand], "gap": 5e-3}
    yield (
        "constrained",
        {
            "epsilon": 1,
            "delta": 0.2,
            "loss": "pinball:0.7",
            "constraints": [Unbiased()],
            "gap": 5e-3,
        },
    )
    yield (
        "constrained",
        {
            "epsilon": 1,
            "delta": 0.2,
            "sensitivity": 3,
            "integer": True,
            "constraints": [MaxError(9)],
        },
    )
    yield "profile", {"profile": [(1, 0.2), (2, 0.05)], "gap": 2e-3}
    yield "profile", {"profile": [(0.5, 0.1), (1, 0.01), (2, 1e-3)], "loss": "l2", "gap": 5e-3}
    yield "coarse", {"epsilon": 1, "delta": 0.1, "output_step": 0.2, "gap": 0.05}
    for mu, loss in [(1, "l1"), (0.5, "l2"), (2, "l1")]:
        yield "curve", {"gdp": mu, "loss": loss, "gap": 0.03}
    for count, loss, delta in [(2, "l1", 1e-5), (5, "l2", 0.01), (10, "l1", 0.01), (3, "l1", 0)]:
        yield (
            "releases",
            {"epsilon": 1, "delta": delta, "loss": loss, "releases": count, "gap": 0.01},
        )
    ranged: Problem = {"bounds": (0, 4), "sensitivity": 2}
    for epsilon, delta, gap, more in [
        (1, 0.2, 0.03, {}),
        (0.2, 0.05, 0.01, {}),
        (5, 0.25, 0.1, {}),
        (1, 0, 0.03, {}),
        (1, 0.2, 0.05, {"loss": "l2"}),
        (1, 0.2, 0.05, {"loss": "pinball:0.7"}),
        (1, 0.2, 0.05, {"prior": {"edges": [0, 1, 4], "masses": [3, 1]}}),
        (1, 0.2, 0.08, {"max_error": 3}),
        (1, 0.2, 0.08, {"instance_bound": 1}),
        (1, 0.2, 0.08, {"monotone": True}),
        (1, 0.2, 0.1, {"crossing": (2, 1)}),
        (1, 0.2, 0.05, {"profile": [(2, 0.05)]}),
        (1, 0.2, 0.1, {"outputs": [0, 1, 2, 3, 4]}),
    ]:
        yield "range", ranged | {"epsilon": epsilon, "delta": delta, "gap": gap} | more
    yield "range", ranged | {"gdp": 1, "gap": 0.06}
    yield "range", ranged | {"epsilon": 1, "delta": 0.1, "releases": 3, "gap": 0.05}
    yield (
        "whole range",
        {"epsilon": 1, "delta": 0.1, "sensitivity": 2, "integer": True, "bounds": (0, 12)},
    )
    yield (
        "core",
        {"epsilon": 1, "delta": 0.2, "bounds": (-5000, 5000), "sensitivity": 2, "gap": 0.15},
    )


def run(kind: str, problem: Problem) -> dict[str, Any]:
    """One question: its bracket and CPU seconds."""
    start = time.process_time()
    best = design(**({"sensitivity": 1} | problem))
    seconds = time.process_time() - start
    return {
        "kind": kind,
        "problem": {k: str(v) for k, v in problem.items()},
        "lower": best.lower,
        "upper": best.upper,
        "seconds": seconds,
        "converged": best.converged,
        "certified": best.certified,
    }


def compare(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """Print where brackets got wider or times longer, and the mean ratio of times."""
    known = {json.dumps([one["kind"], one["problem"]]): one for one in before}
    ratios = []
    for one in after:
        old = known[json.dumps([one["kind"], one["problem"]])]
        ratio = one["seconds"] / old["seconds"]
        ratios.append(ratio)
        gaps = [(x["upper"] - x["lower"]) / max(x["lower"], 1e-300) for x in (old, one)]
        wide = gaps[1] > gaps[0] * (1 + 1e-3) and not one["converged"]
        apart = one["lower"] > old["upper"] or old["lower"] > one["upper"]
        words = " WIDER" * wide + " CONTRADICTION" * apart + " slower" * (ratio > 1.5)
        print(
            f"{ratio:6.2f} {100 * gaps[0]:9.4f} {100 * gaps[1]:9.4f} % {old['seconds']:7.2f} "
            f"{one['seconds']:7.2f} s  {one['kind']} {one['problem']}{words}"
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} questions, mean ratio of CPU seconds {mean:.3f}, worst {max(ratios):.2f}")


def main() -> None:
    """Run, write and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kind")
    options = parser.parse_args()
    found, kinds = [], set()
    for kind, problem in problems():
        if (options.quick and kind in kinds) or (options.kind and kind != options.kind):
            continue
        kinds.add(kind)
        found.append(run(kind, problem))
        one = found[-1]
        print(
            f"{one['seconds']:7.2f} s [{one['lower']:.7g}, {one['upper']:.7g}] "
            f"{'' if one['converged'] else 'open '}{kind} {one['problem']}",
            flush=True,
        )
        if options.out is not None:
            options.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if options.against is not None:
        compare(json.loads(options.against.read_text(encoding="utf-8")), found)


if __name__ == "__main__":
    main()
