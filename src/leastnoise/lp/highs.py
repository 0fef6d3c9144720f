"""A minimisation problem held by HiGHS: grows by columns and rows, keeps its basis."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import highspy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..numeric import Floats
from .solution import Solution, Status

INF = float(highspy.kHighsInf)

#: How a model is solved: to a vertex from the last basis; to a point between the vertices, which
#: is faster for many columns; or by steps of first order, when a rough solution will do.
How = Literal["simplex", "interior", "first order"]
_OPTIONS: dict[How, dict[str, str]] = {
    "simplex": {},
    "interior": {"solver": "ipm", "run_crossover": "off"},
    "first order": {"solver": "pdlp"},
}


class Model:
    """minimise cost @ x subject to row and column bounds, solved again and again as it grows.

    Deterministic: one thread, fixed random seed. `tolerance` is the feasibility tolerance of
    both sides (HiGHS accepts nothing below 1e-10), `accuracy` how near to the optimum methods
    other than the simplex method end.
    """

    def __init__(
        self, tolerance: float = 1e-9, how: How = "simplex", accuracy: float = 1e-8
    ) -> None:
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]
        options: dict[str, str | float | int | bool] = {
            "output_flag": False,
            "threads": 1,
            "random_seed": 1,
            "primal_feasibility_tolerance": tolerance,
            "dual_feasibility_tolerance": tolerance,
            "ipm_optimality_tolerance": accuracy,
            "pdlp_optimality_tolerance": accuracy,
            **_OPTIONS[how],
        }
        self._always_cold = how == "interior"
        for name, value in options.items():
            self._highs.setOptionValue(name, value)

    @property
    def columns(self) -> int:
        """How many variables the model has."""
        return int(self._highs.getNumCol())

    @property
    def rows(self) -> int:
        """How many constraints the model has."""
        return int(self._highs.getNumRow())

    def add_columns(
        self, cost: ArrayLike, lower: ArrayLike = 0.0, upper: ArrayLike = INF
    ) -> NDArray[np.int32]:
        """Append variables; returns their indices."""
        costs = np.atleast_1d(np.asarray(cost, dtype=np.float64))
        count, start = len(costs), self.columns
        nothing = np.zeros(0, dtype=np.int32)
        self._highs.addCols(
            count,
            costs,
            _spread(lower, count),
            _spread(upper, count),
            0,
            np.zeros(count, dtype=np.int32),
            nothing,
            np.zeros(0),
        )
        return np.arange(start, start + count, dtype=np.int32)

    def add_rows(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        starts: ArrayLike,
        indices: ArrayLike,
        values: ArrayLike,
    ) -> NDArray[np.int32]:
        """Append constraints in compressed row form; returns their indices."""
        first = np.asarray(starts, dtype=np.int32)
        count, start = len(first), self.rows
        entries = np.asarray(values, dtype=np.float64)
        self._highs.addRows(
            count,
            _spread(lower, count),
            _spread(upper, count),
            len(entries),
            first,
            np.asarray(indices, dtype=np.int32),
            entries,
        )
        return np.arange(start, start + count, dtype=np.int32)

    def add_matrix(self, rows: Any, lower: ArrayLike, upper: ArrayLike) -> NDArray[np.int32]:
        """Append lower <= rows @ x <= upper for a sparse matrix by rows; returns their indices."""
        if rows.shape[0] == 0:
            return np.zeros(0, dtype=np.int32)
        return self.add_rows(
            _spread(lower, rows.shape[0]),
            _spread(upper, rows.shape[0]),
            rows.indptr[:-1],
            rows.indices,
            rows.data,
        )

    def set_entry(self, row: int, column: int, value: float) -> None:
        """Change one coefficient."""
        self._highs.changeCoeff(int(row), int(column), float(value))

    def set_row_bounds(self, row: int, lower: float, upper: float) -> None:
        """Change the bounds of one row."""
        self._highs.changeRowBounds(int(row), float(lower), float(upper))

    def set_column_bounds(self, column: int, lower: float, upper: float) -> None:
        """Change the bounds of one variable."""
        self._highs.changeColBounds(int(column), float(lower), float(upper))

    def delete_rows(self, indices: ArrayLike) -> None:
        """Remove constraints; later rows move up."""
        which = np.asarray(indices, dtype=np.int32)
        self._highs.deleteRows(len(which), which)

    def write(self, path: Path) -> None:
        """Write the model as it is now, in the format that the ending names (.mps or .lp)."""
        self._highs.writeModel(str(path))

    def _status(self) -> Status:
        return {
            highspy.HighsModelStatus.kOptimal: Status.OPTIMAL,
            highspy.HighsModelStatus.kTimeLimit: Status.TIME_LIMIT,
            highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
        }.get(self._highs.getModelStatus(), Status.FAILED)

    def solve(self, time_limit: float | None = None) -> Solution:
        """Minimise from the current basis. Never raises for a solver's failure."""
        if time_limit is not None:
            spent = float(self._highs.getRunTime())  # HiGHS counts over all solves of a model
            self._highs.setOptionValue("time_limit", spent + max(time_limit, 0.01))
        self._highs.run()
        status = self._status()
        if status in (Status.FAILED, Status.INFEASIBLE) and not self._always_cold:
            # A warm start can lose its way on badly scaled programs; a cold one rarely does.
            self._highs.clearSolver()
            self._highs.run()
            status = self._status()
        solution = self._highs.getSolution()
        info = self._highs.getInfo()
        return Solution(
            status,
            float(info.objective_function_value),
            np.array(solution.col_value, dtype=np.float64),
            np.array(solution.row_dual, dtype=np.float64),
            int(info.simplex_iteration_count),
        )


def minimised(
    cost: ArrayLike,
    rows: Any,
    low: ArrayLike,
    high: ArrayLike,
    *,
    least: ArrayLike = 0.0,
    tolerance: float = 1e-9,
    how: How = "simplex",
    seconds: float | None = None,
) -> Solution:
    """The least cost @ x with low <= rows @ x <= high and x >= least, rows being sparse."""
    model = Model(tolerance, how)
    model.add_columns(cost, least)
    model.add_matrix(rows, low, high)
    return model.solve(seconds)


def _spread(value: ArrayLike, count: int) -> Floats:
    return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=np.float64), (count,)))
