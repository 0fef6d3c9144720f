"""The whole program at once: for a fixed shift the worst event is a sum of positive parts."""

from __future__ import annotations

import numpy as np

from ...lp import Solution, Status
from .program import HierarchyMultipliers, Infeasible, Pair, Program, Run, positive
from .shortfall import base_cells


class Direct:
    """s >= |segment| (d_k - e^epsilon d_m), s >= 0, sum of s <= delta, for every pair and shift.

    Not in the paper: it has the same optimum as Algorithm 1 and no rounds, and it is here to
    check Algorithm 1 against. Its size grows with the number of shifts.
    """

    def __init__(self, program: Program, time_limit: float | None = None) -> None:
        self.program = program
        self.model = program.model()
        self.time_limit = time_limit
        self.delta = float(program.delta)
        self.budgets: list[int] = []
        self.helpers: list[slice] = []
        for pair in program.pairs:
            self._constrain(pair)

    def _constrain(self, pair: Pair) -> None:
        k, m, shift = pair
        merge, widths = self.program.overlap(shift), self.program.partition.widths
        count, segments = self.program.partition.count, len(merge.lengths)
        helpers = self.model.add_columns(np.zeros(segments))
        rows: list[tuple[int, float]] = []
        starts = []
        for s in range(segments):
            here, there, length = merge.here[s], merge.there[s], merge.lengths[s]
            row = {int(helpers[s]): 1.0}
            if here < count:
                row[k * count + here] = -length / widths[here]
            if there < count:
                column = m * count + there
                row[column] = row.get(column, 0.0) + self.program.growth * length / widths[there]
            starts.append(len(rows))
            rows += row.items()
        added = self.model.add_rows(
            0.0, np.inf, starts, [column for column, _ in rows], [value for _, value in rows]
        )
        self.helpers.append(slice(int(added[0]), int(added[0]) + segments))
        budget = self.model.add_rows(-np.inf, self.delta, [0], helpers, np.ones(segments))
        self.budgets.append(int(budget[0]))

    def tighten(self, margin: float) -> None:
        """Ask for delta - margin at every shift."""
        self.delta -= margin
        for row in self.budgets:
            self.model.set_row_bounds(row, -np.inf, self.delta)

    def run(self) -> Run:
        """One solve."""
        solution = self.model.solve(self.time_limit)
        if solution.status is Status.INFEASIBLE:
            raise Infeasible(self.program.partition)
        count = len(self.budgets)
        if not solution.usable:
            stopped = f"the solver stopped ({solution.status.value})"
            return Run(np.nan, np.zeros((0, 0)), {}, 1, count, False, stopped)
        weights = self.program.split(solution.primal)
        multipliers = self._multipliers(solution)
        return Run(solution.objective, weights, multipliers, 1, count, True, "solved at once")

    def _multipliers(self, solution: Solution) -> dict[Pair, HierarchyMultipliers]:
        multipliers = {}
        for pair, budget, rows in zip(self.program.pairs, self.budgets, self.helpers, strict=True):
            total = float(positive(solution.row_dual[budget : budget + 1])[0])
            if total > 0:
                inside = np.clip(solution.row_dual[rows], 0.0, total)
                cells = base_cells(self.program.overlap(pair[2]), inside)
                multipliers[pair] = HierarchyMultipliers(total, cells)
        return multipliers
