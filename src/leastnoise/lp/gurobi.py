"""The face of `lp.Model` on Gurobi, for those who have it (extra `gurobi`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import MissingExtraError
from .solution import Floats, Solution, Status


class GurobiModel:
    """minimise cost @ x subject to row and column bounds, solved again and again as it grows.

    One thread, fixed seed, dual simplex, as `Model` does with HiGHS. A row has one finite bound or
    two equal ones, which is all that the hierarchy needs. Without a licence of your own Gurobi
    solves up to 2000 rows and columns.
    """

    def __init__(self, tolerance: float = 1e-9) -> None:
        try:
            import gurobipy
        except ImportError:
            raise MissingExtraError("gurobipy", "gurobi") from None
        self._api = gurobipy
        quiet = gurobipy.Env(empty=True)
        quiet.setParam("OutputFlag", 0)
        quiet.start()
        self._model = gurobipy.Model(env=quiet)
        options = {
            "Threads": 1,
            "Seed": 1,
            "Method": 1,
            "FeasibilityTol": tolerance,
            "OptimalityTol": tolerance,
        }
        for name, value in options.items():
            self._model.setParam(name, value)
        self._columns: list[Any] = []
        self._rows: list[Any] = []

    @property
    def columns(self) -> int:
        """How many variables the model has."""
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many constraints the model has."""
        return len(self._rows)

    def add_columns(
        self, cost: ArrayLike, lower: ArrayLike = 0.0, upper: ArrayLike = np.inf
    ) -> NDArray[np.int32]:
        """Append variables; returns their indices."""
        costs = np.atleast_1d(np.asarray(cost, dtype=np.float64))
        start = self.columns
        low, high = _spread(lower, len(costs)), _spread(upper, len(costs))
        for j, c in enumerate(costs):
            self._columns.append(self._model.addVar(lb=low[j], ub=high[j], obj=c))
        return np.arange(start, self.columns, dtype=np.int32)

    def add_rows(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        starts: ArrayLike,
        indices: ArrayLike,
        values: ArrayLike,
    ) -> NDArray[np.int32]:
        """Append constraints in compressed row form; returns their indices."""
        first = np.asarray(starts, dtype=np.int64)
        which, entries = np.asarray(indices, dtype=np.int64), np.asarray(values, dtype=np.float64)
        low, high = _spread(lower, len(first)), _spread(upper, len(first))
        ends, start = np.append(first[1:], len(entries)), self.rows
        for r, (a, b) in enumerate(zip(first, ends, strict=True)):
            columns = [self._columns[j] for j in which[a:b]]
            row = self._api.LinExpr(entries[a:b].tolist(), columns)
            self._rows.append(self._model.addLConstr(row, *self._sense(low[r], high[r])))
        return np.arange(start, self.rows, dtype=np.int32)

    def _sense(self, lower: float, upper: float) -> tuple[str, float]:
        if lower == upper:
            return self._api.GRB.EQUAL, upper
        if np.isinf(lower):
            return self._api.GRB.LESS_EQUAL, upper
        return self._api.GRB.GREATER_EQUAL, lower

    def set_row_bounds(self, row: int, lower: float, upper: float) -> None:
        """Change the bounds of one row."""
        self._rows[row].Sense, self._rows[row].RHS = self._sense(lower, upper)

    def delete_rows(self, indices: ArrayLike) -> None:
        """Remove constraints; later rows move up."""
        gone = {int(r) for r in np.asarray(indices)}
        for r in gone:
            self._model.remove(self._rows[r])
        self._rows = [row for r, row in enumerate(self._rows) if r not in gone]

    def solve(self, time_limit: float | None = None) -> Solution:
        """Minimise from the current basis."""
        if time_limit is not None:
            self._model.setParam("TimeLimit", max(time_limit, 0.01))
        self._model.optimize()
        codes = self._api.GRB
        status = {
            codes.OPTIMAL: Status.OPTIMAL,
            codes.TIME_LIMIT: Status.TIME_LIMIT,
            codes.INFEASIBLE: Status.INFEASIBLE,
        }.get(self._model.Status, Status.FAILED)
        if status is not Status.OPTIMAL:
            return Solution(status, np.nan, np.zeros(0), np.zeros(0), 0)
        return Solution(
            status,
            float(self._model.ObjVal),
            np.array(self._model.getAttr("X", self._columns), dtype=np.float64),
            np.array(self._model.getAttr("Pi", self._rows), dtype=np.float64),
            int(self._model.IterCount),
        )


def _spread(value: ArrayLike, count: int) -> Floats:
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (count,))
