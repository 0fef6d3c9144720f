"""The program by the simplex method, with rows that are added when they are violated.

Pairs, and within a pair places, enter only when the current solution violates them; why leaving
some out is no harm: `program.proof.md`, 2. The model keeps its basis from round to round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..lp import INF, Model, Solution, Status
from ..numeric import Floats, Ints
from .program import LinearProgram, PairDuals, ProgramDuals, ProgramRow, ProgramSolution

#: Entries below this are noise to the solver, which drops them below 1e-9.
_SMALL_ENTRY = 1e-8
#: The solver refuses larger ones, and all rows that were added with them.
_LARGE_ENTRY = 1e12
#: A pure budget is violated from here on, relative to the largest probability.
_PURE_LIMIT = 1e-12


class _NewRows:
    """Rows and helper variables that wait to be added to a model, in order."""

    def __init__(self, rows: int, columns: int) -> None:
        self._next_row, self._first_column = rows, columns
        self.helpers = 0
        #: (row, column) of ones in rows that the model has already.
        self.entries: list[tuple[int, int]] = []
        self._parts: list[tuple[Floats, Floats, Ints, Ints, Floats]] = []

    def columns(self, count: int) -> Ints:
        """Numbers for so many more helper variables."""
        self.helpers += count
        end = self._first_column + self.helpers
        return np.arange(end - count, end)

    def add(self, low: float, high: float, lengths: Ints, columns: Ints, values: Floats) -> Ints:
        """Rows of these lengths, all between low and high; their numbers."""
        count = len(lengths)
        self._parts.append((np.full(count, low), np.full(count, high), lengths, columns, values))
        self._next_row += count
        return np.arange(self._next_row - count, self._next_row)

    def arrays(self) -> tuple[Floats, Floats, Ints, Ints, Floats]:
        """What `Model.add_rows` takes."""
        low, high, lengths, columns, values = map(np.concatenate, zip(*self._parts, strict=True))
        return low, high, np.cumsum(lengths) - lengths, columns, values


class Simplex:
    """One program; `rounds()` yields after every solve."""

    def __init__(
        self,
        program: LinearProgram[Any],
        reference: Floats | None = None,
        *,
        typical: float | None = None,
        margin: float = 0.0,
        tolerance: float = 1e-9,
        pure_limit: float = _PURE_LIMIT,
        model: Model | None = None,
    ) -> None:
        """`reference` is about the solution, for scaling; `typical` is about its cost.

        `model` is an empty one, if not the simplex method of this tolerance is to solve it.
        """
        self.program, self.margin, self.pure_limit = program, margin, pure_limit
        layout = program.layout
        self._unit = min(delta for _, delta in program.budgets)  # no atom is worth more
        atoms = np.full(layout.atoms, self._unit)
        cells = layout.columns - layout.atoms
        if reference is None:
            self.scale = np.concatenate([np.ones(cells), atoms])
        else:
            reference = reference[:cells] / float(layout.masses[0, :cells] @ reference[:cells])
            # Halfway (geometrically) between the reference and its peak: the primal stays
            # accurate relative to delta, and the duals of far cells stay usable.
            self.scale = np.concatenate([np.sqrt(reference * reference.max()), atoms])
            typical = typical or float(program.cost[:cells] @ reference)
        self.cost_scale = 1.0 / max(typical or 1.0, 1e-300)
        self.model = Model(tolerance) if model is None else model
        most = np.concatenate([np.full(cells, INF), np.ones(layout.atoms)])
        self.model.add_columns(program.cost * self.scale * self.cost_scale, 0.0, most)
        for column, value in program.fixed.items():
            at = value / self.scale[column]
            self.model.set_column_bounds(column, at, at)
        for mass in layout.masses:
            self._add_row(ProgramRow(mass, 1.0, 1.0))
        self._rows = [self._add_row(row) for row in program.rows]
        self._compared = self._compare()
        self._budget: dict[tuple[int, int], int] = {}
        self._active: dict[tuple[int, int], Ints] = {}
        self._blocks: list[tuple[tuple[int, int], Ints, Ints, Floats]] = []
        self.failures: list[str] = []

    def _add_row(self, row: ProgramRow) -> tuple[int, float]:
        """(number of the row, what it was divided by)."""
        values = row.coefficients * self.scale
        columns = np.flatnonzero(values)
        size = float(np.abs(values).max(initial=0.0)) or 1.0
        low, high = max(row.low / size, -INF), min(row.high / size, INF)
        number = self.model.add_rows([low], [high], [0], columns, values[columns] / size)
        return int(number[0]), size

    def _compare(self) -> Ints:
        """Rows x[a] >= x[b], divided by the scale of a."""
        if not self.program.comparisons:
            return np.zeros(0, dtype=np.int64)
        inner, outer = np.array(self.program.comparisons).T
        count = len(inner)
        values = np.stack([np.ones(count), -self.scale[outer] / self.scale[inner]], axis=1)
        self._compared_scale = 1 / self.scale[inner]
        return self.model.add_rows(
            np.zeros(count),
            np.full(count, INF),
            2 * np.arange(count),
            np.stack([inner, outer], axis=1).ravel(),
            values.ravel(),
        ).astype(np.int64)

    # -- growing ------------------------------------------------------------------------------

    def add(self, wanted: Iterable[tuple[int, int, Ints]]) -> int:
        """Add the rows of (budget, pair, places), all in one step; returns how many were new."""
        new = _NewRows(self.model.rows, self.model.columns)
        count = sum([self._block(new, *block) for block in wanted])
        if count:
            self.model.add_columns(np.zeros(new.helpers))
            self.model.add_rows(*new.arrays())
            for row, column in new.entries:
                self.model.set_entry(row, column, 1.0)
        return count

    def _block(self, new: _NewRows, budget: int, pair: int, numbers: Ints) -> int:
        """The rows of some places of a pair at one budget; how many they are."""
        epsilon, delta = self.program.budgets[budget]
        key = budget, pair
        known = self._active.setdefault(key, np.zeros(0, dtype=np.int64))
        fresh = np.setdiff1d(numbers, known) if len(known) else np.unique(numbers)
        places = self.program.layout.places(pair, fresh)
        count = len(places.number)
        if count == 0:
            return 0
        self._active[key] = np.concatenate([known, places.number])
        size = self.scale[places.ahead] * places.up
        back = math.exp(epsilon) * self.scale[places.behind] * places.down / size
        helper = delta / places.weight / size
        # (Smaller entries ask for more.)
        back, helper = np.minimum(back, _LARGE_ENTRY), np.minimum(helper, _LARGE_ENTRY)
        helped = helper >= _SMALL_ENTRY
        helpers = np.full(count, -1)
        if helped.any():
            helpers[helped] = self._helpers(new, key, int(helped.sum()))
        same = places.ahead == places.behind
        absent = same | (back == 0)
        columns = np.stack([places.ahead, np.where(absent, -1, places.behind), helpers], axis=1)
        values = np.stack([np.where(same, back - 1.0, -1.0), back, helper], axis=1)
        present = columns >= 0
        rows = new.add(0.0, INF, present.sum(axis=1), columns[present], values[present])
        self._blocks.append((key, places.number, rows, size))
        return count

    def _helpers(self, new: _NewRows, key: tuple[int, int], count: int) -> Ints:
        """New helper variables, each a share of the delta of its budget."""
        helpers = new.columns(count)
        if key in self._budget:
            new.entries += [(self._budget[key], column) for column in helpers.tolist()]
            return helpers
        columns, values = helpers, np.ones(count)
        atom = self.program.layout.atom(key[1])
        if atom >= 0:
            columns = np.append(helpers, atom)
            values = np.append(values, self.scale[atom] / self.program.budgets[key[0]][1])
        row = new.add(-INF, 1.0 - self.margin, np.array([len(columns)]), columns, values)
        self._budget[key] = int(row[0])
        return helpers

    def active(self) -> dict[tuple[int, int], Ints]:
        """The places that have a row, per budget and pair."""
        return {key: known for key, known in self._active.items() if len(known)}

    def loosen(self, margin: float) -> None:
        """Keep another distance from every budget."""
        self.margin = margin
        for row in self._budget.values():
            self.model.set_row_bounds(row, -INF, 1.0 - margin)

    # -- solving ------------------------------------------------------------------------------

    def rounds(
        self, deadline: float | None, clock: Callable[[], float], enough: float = 1e-8
    ) -> Iterator[ProgramSolution]:
        """Solve, add what is violated by more than `enough` (relative to delta), and again.

        Ends when nothing is violated, or when the solver gives up, which `failures` then tells.
        """
        program, layout = self.program, self.program.layout
        while True:
            solution = self.model.solve(None if deadline is None else deadline - clock())
            x = self._x(solution)
            if not solution.usable or np.abs(layout.masses @ x - 1).max() > 0.1:
                if solution.status is not Status.TIME_LIMIT:
                    self.failures.append(solution.status.value)
                return
            spread = layout.spread(x)
            excess, wanted = -math.inf, []
            for j, (epsilon, delta) in enumerate(program.budgets):
                pairs, values = layout.sticks(spread, math.exp(epsilon))
                unit = delta if delta > 0 else float(spread[0].max())
                over = (values - delta) / unit
                excess = max(excess, float(over.max(initial=-1.0)))
                limit = max(enough, 1e-9) if delta > 0 else self.pure_limit
                known = {pair for budget, pair in self._active if budget == j}
                chosen = layout.worst(pairs, over, limit, epsilon, known)
                wanted += [
                    (j, pair, layout.over(spread, math.exp(epsilon), pair, delta))
                    for pair in chosen
                ]
            read = partial(self._multipliers, solution, len(self._blocks))
            yield ProgramSolution(
                x, solution.objective / self.cost_scale, excess, self.model.rows, read
            )
            if not self.add(wanted):
                return

    def _x(self, solution: Solution) -> Floats:
        columns = len(self.scale)
        if len(solution.primal) < columns:
            return np.zeros(columns)
        return np.asarray(np.maximum(solution.primal[:columns], 0.0) * self.scale)

    # -- duals --------------------------------------------------------------------------------

    def _multipliers(self, solution: Solution, blocks: int) -> ProgramDuals:
        rows = [-float(solution.row_dual[row]) / size / self.cost_scale for row, size in self._rows]
        compared = np.zeros(0)
        if len(self._compared):
            duals = np.maximum(solution.row_dual[self._compared], 0.0)
            compared = np.asarray(duals * self._compared_scale / self.cost_scale)
        return ProgramDuals(self._of_pairs(solution, blocks), np.array(rows), compared)

    def _of_pairs(self, solution: Solution, blocks: int) -> PairDuals:
        """From the duals of the first blocks of rows, clipped to 0 <= z <= y."""
        share = (0.5 if self.program.layout.symmetric else 1.0) / self.cost_scale
        lists: dict[tuple[int, int], tuple[list[Ints], list[Floats]]] = {}
        for key, numbers, rows, size in self._blocks[:blocks]:
            mine = lists.setdefault(key, ([], []))
            mine[0].append(numbers)
            mine[1].append(np.maximum(solution.row_dual[rows], 0.0) / size * share)
        result: PairDuals = {}
        for key, (number_lists, z_lists) in lists.items():
            numbers, z = np.concatenate(number_lists), np.concatenate(z_lists)
            y = float(z.max(initial=0.0))
            if key in self._budget:
                dual = max(-float(solution.row_dual[self._budget[key]]), 0.0)
                y = dual / self.program.budgets[key[0]][1] * share
                z = np.minimum(z, y)
            keep = z > 0
            if keep.any():
                result[key] = (y, numbers[keep], z[keep])
        return result
