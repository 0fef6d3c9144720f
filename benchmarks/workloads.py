"""Many linear questions at mu = 1: the bracket, the file, the check; and others' optimisers.

    python benchmarks/workloads.py [--small] [--csv FILE]
    python benchmarks/workloads.py --pure [--small]
    python benchmarks/workloads.py --walk 600 [--from 2] [--epsilon 1] [--delta 1e-6]

For each workload a line: the proven bracket, its gap, seconds of the design and of the exact check,
and kilobytes of the file. Beside it

- the plain fixed point v <- diag((D K D)^(1/2)), D^2 = diag(v), of Denisov, McMahan, Rush, Smith
  and Thakurta (2022): the best total that it has after as many rounds as ours took, and the rounds
  that it takes to 1e-6;
- JAX-Privacy's optimisers, where that is installed beside this (`pip install jax-privacy`): dense
  up to 256 counts, Toeplitz for longer prefix sums, as they come; totals for a sensitivity of 1;
- for marginals the value of ResidualPlanner (Xiao, He, Zhang, Kifer 2023) by its closed form, a sum
  over sets of attributes.

With --pure: cumulative counts and ranges at (epsilon, delta), beside noise on each count and trees
of sums. With --walk: each number of cumulative counts in turn, and where one count more costs more
than 3%, beyond what counts alone would. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise import Workload, design
from leastnoise.engine.workloads.optimise import columns
from leastnoise.problem.workload_parts import Named
from leastnoise.problem.workload_tables import MarginalsPart

FIELDS = (
    *("workload", "lower", "upper", "gap", "seconds", "check_seconds", "kilobytes"),
    *("rounds", "fixed_point", "fixed_point_rounds"),
    *("jax_privacy", "jax_privacy_seconds", "residual_planner"),
)


def workloads(small: bool) -> list[tuple[str, Workload, dict[str, Any]]]:
    """What is measured."""
    rng = np.random.default_rng(1)
    found: list[tuple[str, Workload, dict[str, Any]]] = [
        ("prefix 8", Workload.prefix(8), {}),
        ("prefix 8, largest", Workload.prefix(8), {"loss": "largest"}),
        ("pairs of 6 binary attributes", Workload.marginals([2] * 6), {}),
    ]
    if small:
        return found
    return [
        *found,
        ("prefix 64", Workload.prefix(64), {}),
        ("prefix 64, largest", Workload.prefix(64), {"loss": "largest"}),
        ("prefix 64, replace", Workload.prefix(64), {"neighbors": "replace"}),
        ("prefix 256", Workload.prefix(256), {}),
        ("prefix 1024", Workload.prefix(1024), {}),
        ("ranges 64", Workload.ranges(64), {}),
        ("random 64 x 64", Workload(rng.integers(0, 2, (64, 64))), {}),
        ("sparse 200 x 100", Workload((rng.random((200, 100)) < 0.05).astype(int)), {}),
        ("prefix 64 by ranges 16", Workload.product(Workload.prefix(64), Workload.ranges(16)), {}),
        ("pairs of attributes of sizes 2 to 7", Workload.marginals(range(2, 8)), {}),
        ("pairs of 100 attributes of size 10", Workload.marginals([10] * 100), {}),
    ]


def fixed_point(gram: np.ndarray, most: int) -> tuple[list[float], int]:
    """Totals of the plain iteration after each round, until the gap is 1e-6 or `most` rounds."""
    v = np.full(len(gram), 1 / len(gram))
    totals: list[float] = []
    for count in range(1, most + 1):
        d = np.sqrt(v)
        values, q = np.linalg.eigh(d[:, None] * gram * d)
        roots = np.sqrt(np.maximum(values, 0))
        ratios = (q**2 @ roots) / (roots.sum() * v)
        totals.append(float(roots.sum() ** 2 * ratios.max()))
        if ratios.max() < 1 + 1e-6:
            return totals, count
        v = v * ratios
        v /= v.sum()
    return totals, most


def jax_privacy(n: int) -> dict[str, str]:
    """The total of JAX-Privacy's strategy for n prefix sums; nothing where it is missing."""
    try:
        import jax
        from jax_privacy.matrix_factorization import dense, toeplitz
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    start = time.process_time()
    if n <= 256:
        found = dense.optimize(n)
        each = dense.per_query_error(strategy_matrix=found)
        total = float(each.sum()) * float((found**2).sum(axis=0).max())
    else:
        total = float(toeplitz.loss(toeplitz.optimize_banded_toeplitz(n, n), n)) * n
    seconds = f"{time.process_time() - start:.2f}"
    return {"jax_privacy": f"{total:.10g}", "jax_privacy_seconds": seconds}


def residual_planner(sizes: Sequence[int], sets: Sequence[Sequence[int]]) -> float:
    """The least total variance of all tables at privacy cost 1 (mu = 1).

    Xiao, He, Zhang and Kifer (2023): a set A of attributes is measured with variance s_A, which
    costs p_A/s_A privacy, p_A the product over A of (n - 1)/n; a count of the table of P then has
    the variance sum over A in P of s_A p_A times the product over P - A of 1/n^2. The best s_A are
    in proportion to (p_A/v_A)^(1/2), v_A the share of s_A in the total: (sum of (v_A p_A)^(1/2))^2.
    """
    shares: dict[tuple[int, ...], float] = {}
    cost: dict[tuple[int, ...], float] = {}
    for table in sets:
        cells = math.prod(sizes[i] for i in table)
        for k in range(len(table) + 1):
            for chosen in combinations(table, k):
                own = math.prod((sizes[i] - 1) / sizes[i] for i in chosen)
                rest = math.prod(sizes[i] for i in table if i not in chosen)
                shares[chosen] = shares.get(chosen, 0.0) + cells * own / rest**2
                cost[chosen] = own
    return sum(math.sqrt(shares[one] * cost[one]) for one in shares) ** 2


def row(name: str, workload: Workload, given: dict[str, Any]) -> dict[str, str]:
    """One line."""
    start = time.process_time()
    found = design(workload=workload, gdp=1, **given)
    middle = time.process_time()
    assert found.verify().proven
    line = {
        "workload": name,
        "lower": f"{found.lower:.10g}",
        "upper": f"{found.upper:.10g}",
        "gap": f"{found.gap:.2g}",
        "seconds": f"{middle - start:.2f}",
        "check_seconds": f"{time.process_time() - middle:.2f}",
        "kilobytes": f"{len(found.document.dumps()) / 1000:.1f}",
    }
    if not given and workload.cells <= 300 and not name.startswith("pairs"):
        gram = np.array(workload.part.gram()[0], dtype=float) / workload.part.gram()[1]
        _, rounds = columns(np.linalg.cholesky(gram).T, 1e-6, 60)
        totals, plain = fixed_point(gram, 2000 if workload.cells <= 100 else 200)
        line["rounds"] = str(rounds)
        line["fixed_point"] = f"{totals[min(rounds, len(totals)) - 1]:.10g}"
        line["fixed_point_rounds"] = str(plain) if totals[-1] < 1.000002 * found.upper else "> 200"
    if not given and name.startswith("prefix") and isinstance(workload.part, Named):
        line |= jax_privacy(workload.cells)
    if isinstance(workload.part, MarginalsPart):
        total = residual_planner(workload.part.sizes, workload.part.sets)
        line["residual_planner"] = f"{total:.14g}"
    return line


def pure(small: bool) -> None:
    """Totals at (epsilon, delta), beside what one would do without a design."""
    sizes = (16, 64) if small else (64, 200, 201, 256, 400, 401, 1000, 2000)
    asked = [("prefix", n, epsilon) for n in sizes for epsilon in ("1", "0.5")]
    asked += [("ranges", n, "1") for n in ((16,) if small else (64, 256, 1000))]
    for name, n, epsilon in asked:
        start = time.process_time()
        best = design(workload=getattr(Workload, name)(n), epsilon=epsilon, delta=0)
        seconds = time.process_time() - start
        others = "; ".join(f"{row.name} {row.loss:.6g}" for row in best.compare())
        print(f"{name} {n}, epsilon {epsilon}: lower {best.lower:.6g}; {others}; {seconds:.2f} s")


def walk(first: int, last: int, epsilon: str, delta: str) -> None:
    """Whether one count more ever costs much more."""
    before, worst = math.inf, 0.0
    for n in range(first, last + 1):
        total = design(workload=Workload.prefix(n), epsilon=epsilon, delta=delta).upper
        rise = total / before / max(1.03, (n + 1) / (n - 1)) - 1 if n > first else 0.0
        worst, before = max(worst, rise), total
        if rise > 1e-6:
            print(f"{n}: {total:.6g}, {100 * rise:.2f}% too much", flush=True)
    print(f"{first} to {last} counts at ({epsilon}, {delta}): {100 * worst:.2f}% too much at most")


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="", help="workloads whose name holds this text")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--pure", action="store_true")
    parser.add_argument("--walk", type=int, metavar="N")
    parser.add_argument("--from", type=int, default=2, dest="first")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--delta", default="1e-6")
    wanted = parser.parse_args()
    if wanted.walk:
        walk(wanted.first, wanted.walk, wanted.epsilon, wanted.delta)
        return
    if wanted.pure:
        pure(wanted.small)
        return
    lines = []
    for one in workloads(wanted.small):
        if wanted.only not in one[0]:
            continue
        lines.append(row(*one))
        print("; ".join(f"{key} {value}" for key, value in lines[-1].items()), flush=True)
    if wanted.csv is not None:
        with wanted.csv.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)


if __name__ == "__main__":
    main()
