"""The lattice program for several budgets at once, with further linear rows.

As `../bounds/program.py` (why: `../bounds/program.proof.md`), for each budget (epsilon_j, delta_j)
its own helper variables, and rows for what else is asked. Whatever comes out is a proposal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..bounds.shifts import worst_local_maxima
from ..lp import Model, Solution, Status
from ..lp.highs import INF
from .frame import Floats, Frame, Ints

#: How many new shifts a round may add to a budget.
_SHIFTS_A_ROUND = 3
_SMALL_ENTRY = 1e-8


@dataclass(frozen=True)
class Row:
    """low <= coefficients @ mass + atom * (mass of the atom) <= high."""

    coefficients: Floats
    low: float
    high: float
    atom: float = 0.0


@dataclass(frozen=True)
class Parts:
    """minimise cost @ mass over noise on a frame that keeps budgets and obeys rows.

    comparisons: pairs (a, b) of columns with mass(a) >= mass(b). atom_cost: None without an atom.
    """

    frame: Frame
    points: tuple[tuple[float, float], ...]
    cost: Floats
    rows: tuple[Row, ...] = ()
    comparisons: tuple[tuple[int, int], ...] = ()
    atom_cost: float | None = None


@dataclass(frozen=True)
class Found:
    """What one round found, in floating point."""

    solution: Solution
    weights: Floats  # per column
    atom: float
    value: float
    excess: float  # largest (atom + V - delta) / delta over budgets and shifts


@dataclass(frozen=True)
class Multipliers:
    """Non-negative multipliers, but for rows that are equalities.

    shifts: (point, shift) -> (budget y, cells, z) with 0 <= z <= y; for a folded program each
    entry stands for itself and its mirror image.
    """

    shifts: dict[tuple[int, int], tuple[float, Ints, Floats]]
    rows: Floats
    comparisons: Floats


class Program:
    """The program with rows that are added when they are violated, by the simplex method."""

    def __init__(
        self, parts: Parts, reference: Floats, margin: float = 0.0, tolerance: float = 1e-9
    ) -> None:
        frame, points, cost = parts.frame, parts.points, parts.cost
        self.frame, self.points, self.margin = frame, list(points), margin
        self.mass = frame.mass
        reference = reference / float(self.mass @ reference)
        # Halfway between the reference and its peak, as without constraints.
        self.scale = np.sqrt(reference * reference.max())
        self._cells_scale = frame.spread(self.scale)
        typical = float(cost @ reference)
        self.cost_scale = 1.0 / max(typical, 1e-300)
        self.model = Model(tolerance)
        self.model.add_columns(cost * self.scale * self.cost_scale)
        # An atom is worth at most the least delta.
        self._atom_unit = min(delta for _, delta in points)
        self.atom_column = -1
        if parts.atom_cost is not None and self._atom_unit > 0:
            self.atom_column = len(cost)
            self.model.add_columns([parts.atom_cost * self._atom_unit * self.cost_scale])
        self.row_scales: list[float] = []
        self._add_row(Row(self.mass, 1.0, 1.0, 1.0))
        self.row_numbers = [self._add_row(row) for row in parts.rows]
        self.row_scales = self.row_scales[1:]
        self.comparisons = self._compare(parts.comparisons)
        self._budget: dict[tuple[int, int], int] = {}
        self._active: dict[tuple[int, int], NDArray[np.bool_]] = {}
        self._blocks: list[tuple[int, int, Ints, Ints]] = []  # (point, shift, cells, rows)

    def _add_row(self, row: Row) -> int:
        values = row.coefficients * self.scale
        columns = np.flatnonzero(values)
        values = values[columns]
        if self.atom_column >= 0 and row.atom:
            columns = np.append(columns, self.atom_column)
            values = np.append(values, row.atom * self._atom_unit)
        size = float(np.abs(values).max(initial=0.0)) or 1.0
        self.row_scales.append(1 / size)
        low, high = max(row.low / size, -INF), min(row.high / size, INF)
        return int(self.model.add_rows([low], [high], [0], columns, values / size)[0])

    def _compare(self, pairs: Sequence[tuple[int, int]]) -> Ints:
        """Rows mass(a) >= mass(b) for pairs of columns."""
        if not pairs:
            return np.zeros(0, dtype=np.int64)
        inner, outer = np.array(pairs).T
        columns = np.stack([inner, outer], axis=1).ravel()
        values = np.stack(
            [np.ones(len(inner)), -self.scale[outer] / self.scale[inner]], axis=1
        ).ravel()
        self.comparison_scale = 1 / self.scale[inner]
        rows = self.model.add_rows(
            np.zeros(len(inner)), np.full(len(inner), INF), 2 * np.arange(len(inner)), columns,
            values,
        )
        return rows.astype(np.int64)

    # -- growing ------------------------------------------------------------------------------

    def add(self, point: int, shift: int, cells: Ints) -> int:
        """Add the rows of some cells (by number) at one shift of one budget; how many were new."""
        frame = self.frame
        epsilon, delta = self.points[point]
        key = point, shift
        if key not in self._active:
            self._active[key] = np.zeros(len(frame.column), dtype=bool)
            if delta > 0:
                share = self._atom_unit / delta
                entries = ([self.atom_column], [share]) if self.atom_column >= 0 else ([], [])
                row = self.model.add_rows([-INF], [1.0 - self.margin], [0], *entries)
                self._budget[key] = int(row[0])
        at = cells - frame.first
        at = at[(at >= frame.n) & (at < len(frame.column) - frame.n)]
        at = at[(frame.events[at] > 0) & (frame.column[at] >= 0) & ~self._active[key][at]]
        if len(at) == 0:
            return 0
        self._active[key][at] = True
        ahead, behind = frame.column[at], frame.column[at - shift]
        size = self._cells_scale[at]
        back = np.where(behind >= 0, self._cells_scale[at - shift], 0.0) / size
        back = math.exp(epsilon) * back
        same = ahead == behind
        helper = np.where(frame.events[at] > 0, delta / frame.events[at], 0.0) / size
        helped = helper >= _SMALL_ENTRY
        helper_columns = np.full(len(at), -1)
        if helped.any():
            helper_columns[helped] = self.model.add_columns(np.zeros(int(helped.sum())))
        columns = np.stack([ahead, np.where(same, -1, behind), helper_columns], axis=1)
        values = np.stack([np.where(same, back - 1.0, -1.0), back, helper], axis=1)
        present = columns >= 0
        starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))[:-1]])
        rows = self.model.add_rows(
            np.zeros(len(at)), np.full(len(at), INF), starts, columns[present], values[present]
        )
        for column in helper_columns[helped]:
            self.model.set_entry(self._budget[key], column, 1.0)
        self._blocks.append((point, shift, at + frame.first, rows.astype(np.int64)))
        return len(at)

    def active(self) -> dict[tuple[int, int], Ints]:
        """The cells that have a row, per budget and shift."""
        return {key: np.flatnonzero(mask) + self.frame.first for key, mask in self._active.items()}

    def loosen(self, margin: float) -> None:
        """Keep another distance from every budget."""
        self.margin = margin
        for row in self._budget.values():
            self.model.set_row_bounds(row, -INF, 1.0 - margin)

    # -- solving ------------------------------------------------------------------------------

    def rounds(
        self, deadline: float | None, clock: Callable[[], float], enough: float
    ) -> Iterator[Found]:
        """Solve, add what is violated by more than `enough` (relative to delta), and again."""
        frame = self.frame
        numbers = frame.cells
        inside = slice(frame.n, -frame.n)
        while True:
            left = None if deadline is None else deadline - clock()
            solution = self.model.solve(left)
            weights, atom = self._masses(solution)
            total = float(self.mass @ weights) + atom
            if not (solution.usable and 0.9 < total < 1.1):
                status = solution.status
                if status is Status.OPTIMAL:
                    status = Status.FAILED
                failed = Solution(status, math.nan, np.zeros(0), np.zeros(0), 0)
                yield Found(failed, np.zeros(0), 0.0, math.nan, math.inf)
                return
            masses = frame.spread(weights)
            excess, wanted = 0.0, []
            for j, (epsilon, delta) in enumerate(self.points):
                shifts, values = frame.sticks(masses, math.exp(epsilon))
                unit = delta if delta > 0 else 1.0
                over = (values + atom - delta) / unit if delta > 0 else values
                excess = max(excess, float(over.max()))
                limit = max(enough, 1e-9) if delta > 0 else 1e-11
                most = max(_SHIFTS_A_ROUND, round(0.1 * frame.n) if epsilon > 2.4 else 0)
                chosen = set(worst_local_maxima(shifts, over, limit, most))
                chosen |= {int(m) for m in shifts[over > limit] if (j, int(m)) in self._active}
                wanted += [(j, m) for m in sorted(chosen, key=lambda m: (abs(m), m))]
            yield Found(solution, weights, atom, solution.objective / self.cost_scale, excess)
            added = 0
            for j, m in wanted:
                epsilon, delta = self.points[j]
                behind = masses[frame.n - m : len(masses) - frame.n - m]
                over = masses[inside] - math.exp(epsilon) * behind
                small = 1e-9 * delta if delta > 0 else 1e-13 * masses[inside]
                added += self.add(j, m, numbers[inside][over > small])
            if not added:
                return

    def _masses(self, solution: Solution) -> tuple[Floats, float]:
        columns = len(self.mass)
        if len(solution.primal) < columns:
            return np.zeros(columns), 0.0
        weights = np.maximum(solution.primal[:columns], 0.0) * self.scale
        if self.atom_column < 0:
            return weights, 0.0
        return weights, max(float(solution.primal[self.atom_column]), 0.0) * self._atom_unit

    # -- duals --------------------------------------------------------------------------------

    def multipliers(self, solution: Solution) -> Multipliers:
        """What a solution's duals are, clipped."""
        rows = [
            -float(solution.row_dual[row]) * f / self.cost_scale
            for row, f in zip(self.row_numbers, self.row_scales, strict=True)
        ]
        compared = np.zeros(0)
        if len(self.comparisons):
            duals = np.maximum(solution.row_dual[self.comparisons], 0.0)
            compared = np.asarray(duals * self.comparison_scale / self.cost_scale)
        return Multipliers(self._of_shifts(solution), np.array(rows), compared)

    def _of_shifts(
        self, solution: Solution
    ) -> dict[tuple[int, int], tuple[float, Ints, Floats]]:
        share = 0.5 if self.frame.symmetric else 1.0
        found: dict[tuple[int, int], tuple[list[Ints], list[Floats]]] = {}
        known = len(solution.row_dual)  # rows added since have no multipliers yet
        for point, shift, cells, rows in self._blocks:
            if rows[-1] >= known:
                continue
            size = self._cells_scale[cells - self.frame.first]
            z = np.maximum(solution.row_dual[rows], 0.0) / size / self.cost_scale * share
            lists = found.setdefault((point, shift), ([], []))
            lists[0].append(cells)
            lists[1].append(z)
        result = {}
        for key, (cells_list, z_list) in found.items():
            cells, z = np.concatenate(cells_list), np.concatenate(z_list)
            delta = self.points[key[0]][1]
            budget = float(z.max(initial=0.0))
            if delta > 0:
                dual = max(-float(solution.row_dual[self._budget[key]]), 0.0)
                budget = dual / delta / self.cost_scale * share
                z = np.minimum(z, budget)
            keep = z > 0
            if keep.any():
                result[key] = (budget, cells[keep], z[keep])
        return result
