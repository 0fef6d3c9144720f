"""Our interior point method beside those of HiGHS and Clarabel, on the programs that designs solve.

    python benchmarks/interior.py        (Clarabel where it is installed: pip install clarabel)

Every program that `program/interior.py` is given for a few questions is solved again by the others,
to the same relative tolerance, on one core. Printed are CPU seconds, and by how much the values
differ. What came of it stands in `program/interior_method.proof.md`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from leastnoise import design
from leastnoise.program.interior_method import InteriorEnd, InteriorMethod

QUESTIONS: list[dict[str, Any]] = [
    {"epsilon": 2, "delta": "1e-3", "sensitivity": 1, "loss": "l1"},
    {"epsilon": 6, "delta": "0.05", "sensitivity": 1, "loss": "l2"},
    {"epsilon": 4, "delta": "0.01", "sensitivity": 1, "loss": "pinball:0.9"},
    {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "loss": "l2", "gap": 1e-4},
]

Program = tuple[InteriorMethod, float, float, float]  # tolerance, CPU seconds, value


@contextmanager
def recorded() -> Iterator[list[Program]]:
    """Every program that the method is given, with what it took."""
    found: list[Program] = []
    follow = InteriorMethod.follow

    def told(
        self: InteriorMethod, start: Any, tolerance: float, stop: Callable[[], bool] = lambda: False
    ) -> InteriorEnd:
        begin = time.process_time()
        end = follow(self, start, tolerance, stop)
        found.append((self, tolerance, time.process_time() - begin, end.value))
        return end

    InteriorMethod.follow = told  # type: ignore[method-assign]
    try:
        yield found
    finally:
        InteriorMethod.follow = follow  # type: ignore[method-assign]


def spelled_out(method: InteriorMethod) -> tuple[Any, Any, Any, Any]:
    """cost, matrix, low and high of the same program over (x, s): s >= B x, budgets, masses."""
    rows, size = method.rows, len(method.cost)
    count, at = len(rows.group), np.arange(len(rows.group))
    excess = sparse.coo_array((rows.up, (at, rows.ahead)), (count, size)) - sparse.coo_array(
        (rows.down, (at, rows.behind)), (count, size)
    )
    sums = sparse.coo_array((np.ones(count), (rows.group, at)), (len(method.budgets), count))
    matrix = sparse.block_array(
        [[-excess, sparse.eye_array(count)], [method.extra, sums], [method.mass, None]]
    )
    laws, free = len(method.mass), len(method.budgets)
    low = np.concatenate([np.zeros(count), np.full(free, -np.inf), np.ones(laws)])
    high = np.concatenate([np.full(count, np.inf), method.budgets, np.ones(laws)])
    return np.append(method.cost, np.zeros(count)), matrix.tocsc(), low, high


def by_highs(method: InteriorMethod, tolerance: float) -> float:
    """The value by HiGHS's interior point method, without crossover."""
    cost, matrix, low, high = spelled_out(method)
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(cost), len(low)
    program.col_cost_, program.col_lower_ = cost, np.zeros(len(cost))
    program.col_upper_ = np.full(len(cost), np.inf)
    program.row_lower_, program.row_upper_ = low, high
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = matrix.indptr, matrix.indices
    program.a_matrix_.value_ = matrix.data
    solver = highspy.Highs()
    for name, value in (
        ("output_flag", False),
        ("solver", "ipm"),
        ("run_crossover", "off"),
        ("threads", 1),
        ("ipm_optimality_tolerance", max(tolerance, 1e-12)),
    ):
        solver.setOptionValue(name, value)
    solver.passModel(program)
    solver.run()
    return float(solver.getInfo().objective_function_value)


def by_clarabel(method: InteriorMethod, tolerance: float) -> float:
    """The value by Clarabel."""
    import clarabel

    cost, matrix, low, high = spelled_out(method)
    rows = matrix.tocsr()
    below, above, equal = np.isinf(high), np.isinf(low), low == high
    cones = [clarabel.ZeroConeT(int(equal.sum()))]
    stacked = sparse.vstack(
        [rows[equal], -rows[below], rows[above], -sparse.eye_array(len(cost))]
    ).tocsc()
    right = np.concatenate([low[equal], -low[below], high[above], np.zeros(len(cost))])
    cones.append(clarabel.NonnegativeConeT(len(right) - int(equal.sum())))
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = max(tolerance, 1e-10)
    empty = sparse.csc_matrix((len(cost), len(cost)))
    whole = sparse.csc_matrix(stacked)
    found = clarabel.DefaultSolver(empty, cost, whole, right, cones, settings).solve()
    return float(found.obj_val)


def main() -> None:
    """One line for each program."""
    others = {"HiGHS": by_highs}
    with suppress(ImportError):
        import clarabel  # noqa: F401

        others["Clarabel"] = by_clarabel
    for problem in QUESTIONS:
        with recorded() as programs:
            design(**problem)
        print(problem)
        for method, tolerance, seconds, value in programs:
            words = f"  {len(method.cost):5} columns {len(method.rows.group):7} rows, ours "
            words += f"{seconds:6.2f} s"
            for name, solved in others.items():
                begin = time.process_time()
                other = solved(method, tolerance)
                took = time.process_time() - begin
                words += f", {name} {took:6.2f} s ({other / value - 1:+.1e})"
            print(words, flush=True)


if __name__ == "__main__":
    main()
