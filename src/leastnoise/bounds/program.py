"""The lattice program: one linear program instead of 2^L events (why: `program.proof.md`).

    minimise    sum_i k_i p(i)  (+ cost of the atom)
    subject to  s(m,i) >= p(i) - e^eps p(i-m),  s >= 0,  a + sum_i s(m,i) <= delta,  sum p + a = 1

for every whole shift m with 1 <= |m| <= n. Shifts, and within a shift cells, are added only
when the current solution violates them. Whatever comes out is a proposal: `upper.py` and
`lower.py` turn it into exact bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..lattice.cells import Cells
from ..lp import Model, Solution, Status
from ..lp.highs import INF
from .shifts import Floats, hockey_sticks, worst_local_maxima

Ints = NDArray[np.int64]

#: How many new shifts a round may add: few keep the program small, but at large epsilon, where
#: nearly all of the n shifts matter, it would take too many rounds.
_SHIFTS_A_ROUND = 4
_SHARE_OF_SHIFTS_A_ROUND = 0.1
_LARGE_EXPONENTIAL = math.exp(2.4)
#: Entries below this are noise to the solver, which drops them below 1e-9.
_SMALL_ENTRY = 1e-8


@dataclass(frozen=True)
class Round:
    """What one round of the program found, in floating point."""

    solution: Solution
    weights: Floats  # per column
    atom: float
    value: float  # objective of the relaxed program
    violation: float  # largest (a + V(m)) - delta
    shifts: int
    rows: int


class LatticeProgram:
    """The program over given cells; `rounds()` yields after every solve."""

    def __init__(
        self,
        cells: Cells,
        epsilon: float,
        delta: float,
        reference: Floats,
        atom_cost: float | None = None,
        tolerance: float = 1e-9,
    ) -> None:
        self.cells = cells
        self.exp = math.exp(epsilon)
        self.delta = delta
        self.tolerance = tolerance
        # Mass variables are scaled halfway (geometrically) between the reference and its peak:
        # the primal stays accurate relative to delta, and the duals of far cells stay usable.
        self.scale = np.sqrt(reference * reference.max())
        self._scale_cells = cells.spread(self.scale)
        typical = float(cells.cost @ reference) / float(cells.mass @ reference)
        self.cost_scale = 1.0 / max(typical, 1e-300)
        self.model = Model(tolerance)
        columns = len(cells.mass)
        self.model.add_columns(cells.cost * self.scale * self.cost_scale)
        self.atom_column = -1
        mass = cells.mass * self.scale
        if atom_cost is not None and delta > 0:
            self.atom_column = columns
            self.model.add_columns([atom_cost * delta * self.cost_scale])  # a / delta
            mass = np.append(mass, delta)
        # The mass row is scaled to entries near 1 at the peak.
        self._mass_scale = 1.0 / float(self.scale.max())
        self._mass_row = self.model.add_rows(
            [self._mass_scale], [self._mass_scale], [0], np.arange(len(mass)),
            mass * self._mass_scale,
        )[0]
        self._budget: dict[int, int] = {}
        self._active: dict[int, NDArray[np.bool_]] = {}
        self._blocks: list[tuple[int, Ints, Ints]] = []  # (shift, cells, rows)

    # -- growing ------------------------------------------------------------------------------

    def add(self, shift: int, indices: Ints) -> int:
        """Add the rows of the cells `indices` at one shift; returns how many were new."""
        events, width = self.cells.events, self.cells.width
        if shift not in self._active:
            self._active[shift] = np.zeros(2 * events + 1, dtype=bool)
            if self.delta > 0:
                entries = ([self.atom_column], [1.0]) if self.atom_column >= 0 else ([], [])
                self._budget[shift] = int(self.model.add_rows([-INF], [1.0], [0], *entries)[0])
        indices = indices[(np.abs(indices) <= events)]
        ahead = self.cells.column[indices + width]
        fresh = indices[~self._active[shift][indices + events] & (ahead >= 0)]
        if len(fresh) == 0:
            return 0
        self._active[shift][fresh + events] = True
        ahead = self.cells.column[fresh + width]
        behind = self.cells.column[fresh - shift + width]
        size = self._scale_cells[fresh + width]
        back = np.where(
            behind >= 0, self.exp * self._scale_cells[fresh - shift + width] / size, 0.0
        )
        helper = self.delta / size
        helped = helper >= _SMALL_ENTRY
        same = ahead == behind
        count = len(fresh)
        helper_columns = np.full(count, -1)
        if helped.any():
            helper_columns[helped] = self.model.add_columns(np.zeros(int(helped.sum())))
        columns = np.stack([ahead, np.where(same, -1, behind), helper_columns], axis=1)
        values = np.stack([np.where(same, back - 1.0, -1.0), back, helper], axis=1)
        present = columns >= 0
        starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))[:-1]])
        rows = self.model.add_rows(
            np.zeros(count), np.full(count, INF), starts, columns[present], values[present]
        )
        for column in helper_columns[helped]:
            self.model.set_entry(self._budget[shift], column, 1.0)
        self._blocks.append((shift, fresh, rows.astype(np.int64)))
        return count

    def active(self) -> dict[int, Ints]:
        """The cells that have a row, per shift."""
        events = self.cells.events
        return {m: np.flatnonzero(mask) - events for m, mask in self._active.items()}

    # -- solving ------------------------------------------------------------------------------

    def rounds(self, deadline: float | None, clock: object) -> Iterator[Round]:
        """Solve, add what is violated, and again; ends when nothing is violated."""
        cells, n = self.cells, self.cells.n
        width, events = cells.width, cells.events
        window = slice(width - events, width + events + 1)
        indices = np.arange(-events, events + 1)
        limit = self.delta * 1e-8
        most = _SHIFTS_A_ROUND
        if self.exp >= _LARGE_EXPONENTIAL:
            most = max(most, round(_SHARE_OF_SHIFTS_A_ROUND * n))
        while True:
            left = None if deadline is None else deadline - clock()  # type: ignore[operator]
            solution = self.model.solve(left)
            weights, atom = self._mass(solution)
            total = float(cells.mass @ weights) + atom
            if not (solution.usable and 0.9 < total < 1.1):
                failed = replace(solution, status=_blame(solution.status))
                yield Round(failed, np.zeros(0), 0.0, math.nan, math.inf, 0, self.model.rows)
                return
            masses = cells.spread(weights)
            shifts, values = hockey_sticks(masses, self.exp, n, window, cells.symmetric)
            violation = float(values.max()) + atom - self.delta
            yield Round(
                solution, weights, atom, solution.objective / self.cost_scale, violation,
                len(self._active), self.model.rows,
            )
            floor = self.delta - atom + limit if self.delta > 0 else 1e-12 * float(masses.max())
            wanted = set(worst_local_maxima(shifts, values, floor, most))
            wanted |= {int(m) for m in shifts[values > floor] if int(m) in self._active}
            added = 0
            for m in sorted(wanted, key=lambda m: (abs(m), m)):
                behind = masses[width - events - m : width + events + 1 - m]
                excess = masses[window] - self.exp * behind
                small = 1e-9 * self.delta if self.delta > 0 else 1e-12 * masses[window]
                added += self.add(m, indices[excess > small])
            if not added:
                return

    def _mass(self, solution: Solution) -> tuple[Floats, float]:
        """Masses of the columns and of the atom, as the solver has them."""
        columns = len(self.cells.mass)
        if len(solution.primal) < columns:
            return np.zeros(columns), 0.0
        weights = np.maximum(solution.primal[:columns], 0.0) * self.scale
        if self.atom_column < 0:
            return weights, 0.0
        return weights, max(float(solution.primal[self.atom_column]), 0.0) * self.delta

    # -- duals --------------------------------------------------------------------------------

    def multipliers(self, solution: Solution) -> dict[int, tuple[float, Ints, Floats]]:
        """shift -> (budget y, cells, z) from the duals, clipped to 0 <= z <= y.

        For a symmetric program each entry stands for itself and its mirror image.
        """
        share = 0.5 if self.cells.symmetric else 1.0
        found: dict[int, tuple[list[Ints], list[Floats]]] = {}
        for shift, cells, rows in self._blocks:
            size = self._scale_cells[cells + self.cells.width]
            z = np.maximum(solution.row_dual[rows], 0.0) / size / self.cost_scale * share
            lists = found.setdefault(shift, ([], []))
            lists[0].append(cells)
            lists[1].append(z)
        result = {}
        for shift, (cells_list, z_list) in found.items():
            cells, z = np.concatenate(cells_list), np.concatenate(z_list)
            if self.delta > 0:
                dual = -solution.row_dual[self._budget[shift]]
                budget = max(float(dual), 0.0) / self.delta / self.cost_scale * share
                z = np.minimum(z, budget)
            else:
                budget = float(z.max(initial=0.0))
            keep = z > 0
            if keep.any():
                result[shift] = (budget, cells[keep], z[keep])
        return result


def _blame(status: Status) -> Status:
    """A solver that says optimal and returns no distribution has failed."""
    return Status.FAILED if status is Status.OPTIMAL else status
