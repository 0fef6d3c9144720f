"""The restricted program of additive noise: noise on cells, an upper bound once it is checked.

What it finds becomes a mechanism in `draft.py`; why that succeeds: `repair.proof.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ....losses import Loss
from ....numeric import Floats, Ints
from ....problem import Point, Problem, ends_of, foldable, mode_of
from ....problem.privacy import GaussianCurve
from ....program.costs import cell_means
from ....program.layout import LineLayout, make_line
from ....program.program import LinearProgram, ProgramRow
from ...bounds import Upper
from .draft import Draft, Lattice, centred

#: Released errors of bounded noise count half a grid step of the coarsest grid.
_COARSEST_GRID = 1001
_HALF = Fraction(1, 2)


def lattice_of(problem: Problem, n: int, radius: int, points: tuple[Point, ...]) -> Lattice | None:
    """Cells that fill the support as well as whole cells can; None if not one fits."""
    step = problem.step(n)
    low, high = ends_of(problem.constraints)
    limits = [-Fraction(radius), Fraction(radius)]
    closed = [False, False]
    for side, end in enumerate((low, high)):
        if end is not None and abs(end) <= radius * step:
            limits[side], closed[side] = end / step, True
    # Pure budgets need tails that go on for ever, and the slowest decay that all of them allow.
    pure = [epsilon for epsilon, delta in points if delta == 0]
    tail_epsilon = min(pure) if pure else None
    if problem.integer:
        first, last = math.ceil(limits[0]), math.floor(limits[1])
        if foldable(problem.constraints, problem.loss):
            last = min(last, -first)
            first = -last
        return Lattice(n, -_HALF, first, last, tail_epsilon) if first <= last else None
    if any(constraint.released for constraint in problem.constraints):
        # Rounding a value to the grid may add up to half a grid step beyond the last cell.
        limits = [
            limits[0] + Fraction(1, 2 * _COARSEST_GRID),
            limits[1] - Fraction(1, 2 * _COARSEST_GRID),
        ]
    if foldable(problem.constraints, problem.loss):
        size = min(-limits[0], limits[1])
        if not any(closed):
            return centred(n, radius, tail_epsilon)
        cells = math.floor(2 * size)
        if cells < 1:
            return None
        offset = -_HALF if cells % 2 else Fraction(0)
        return Lattice(n, offset, -(cells // 2), cells - 1 - cells // 2)
    if not any(closed):
        return centred(n, radius, tail_epsilon)
    # Edges at whole or half steps, flush with the closed end, or with the left of two.
    edge = (
        Fraction(math.ceil(2 * limits[0]), 2)
        if closed[0]
        else (Fraction(math.floor(2 * limits[1]), 2) - math.floor(limits[1] - limits[0]))
    )
    cells = math.floor(limits[1] - edge)
    if cells < 1:
        return None
    offset = Fraction(0) if edge.denominator == 1 else -_HALF
    first = int(edge - offset)
    return Lattice(n, offset, first, first + cells - 1)


class Restricted:
    """Noise on the cells of a mesh, with an atom where one is allowed."""

    def __init__(
        self,
        problem: Problem,
        budgets: tuple[Point, ...],
        mesh: Lattice,
        margin: float = 0.0,
        curve: GaussianCurve | None = None,
        pieces: Ints | None = None,
    ) -> None:
        self.problem, self.budgets, self.mesh, self.curve = problem, budgets, mesh, curve
        self.pieces = np.arange(mesh.n) if pieces is None else pieces
        self.fold = foldable(problem.constraints, problem.loss)
        mirror = int(-1 - 2 * mesh.offset)
        self.line = line = make_line(
            mesh.n,
            mesh.first,
            mesh.last,
            mirror if self.fold else None,
            (mesh.first, mesh.last),
            mesh.ratio,
            self._atom_allowed(),
            pieces,
        )
        self.program: LinearProgram[LineLayout] = LinearProgram(
            line,
            tuple((float(e), float(d)) for e, d in budgets),
            self._costs(problem.loss),
            tuple(self._rows(margin)),
            tuple(self._comparisons()),
        )

    @property
    def places(self) -> Floats:
        """Where the columns lie, in sensitivities."""
        middles = self.line.heads + float(self.mesh.offset) + 0.5
        return np.asarray(middles / self.mesh.n)

    def _costs(self, loss: Loss) -> Floats:
        return self.line.totals(self._means(loss, self.line.filled), self._atom_cost(loss))

    def _atom_cost(self, loss: Loss) -> float:
        zero, g = Fraction(0), self.problem.output_step
        return float(loss.upper(zero) if g is None else loss.release_point(zero, g))

    def _atom_allowed(self) -> bool:
        if self.problem.integer or min(delta for _, delta in self.budgets) == 0:
            return False
        low, high = ends_of(self.problem.constraints)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return False
        return not mode_of(self.problem.constraints)  # none, or 0

    def ends(self, cells: Ints) -> tuple[Floats, Floats]:
        """Left and right ends of cells, in the query's units."""
        step, offset = float(self.problem.step(self.mesh.n)), float(self.mesh.offset)
        left = np.asarray((cells + offset) * step, dtype=np.float64)
        return left, left + np.float64(step)

    def _means(self, loss: Loss, cells: Ints) -> Floats:
        if self.problem.integer:
            return np.asarray(loss(cells.astype(np.float64)), dtype=np.float64)
        if self.problem.output_step is not None:
            # Coarse outputs: what releases cost, the rounding of the value included.
            step = self.problem.step(self.mesh.n)
            grid = int(step / self.problem.output_step)
            return np.array([float(loss.release_cell(i, step, grid)) for i in cells.tolist()])
        return cell_means(loss, *self.ends(cells))

    def _rows(self, margin: float) -> list[ProgramRow]:
        problem, line, rows = self.problem, self.line, []
        ease = 1 - 2 * max(margin, 1e-6)  # room for rounding and for the release grid
        for constraint in problem.constraints:
            for loss, bound in constraint.loss_limits:
                rows.append(ProgramRow(self._costs(loss), -math.inf, float(bound) * ease))
            if constraint.centered and not self.fold:
                left, right = self.ends(line.filled)
                middle = line.filled if problem.integer else (left + right) / 2
                rows.append(ProgramRow(line.totals(middle), 0.0, 0.0))
        return rows

    def _comparisons(self) -> list[tuple[int, int]]:
        at = mode_of(self.problem.constraints)
        if at is None:
            return []
        mode = at / self.problem.step(self.mesh.n)
        line, mesh = self.line, self.mesh
        index = dict(zip(line.cells.tolist(), line.column.tolist(), strict=True))
        pairs = set()
        for j in range(mesh.first, mesh.last):
            between = Fraction(j) + _HALF if self.problem.integer else mesh.offset + j + 1
            if self.problem.integer and j < mode < j + 1:
                continue
            inner, outer = (j, j + 1) if between > mode else (j + 1, j)
            if between != mode and index[inner] != index[outer]:
                pairs.add((index[inner], index[outer]))
        return sorted(pairs)

    def exact(
        self, x: Floats, value: float, budgets: tuple[Point, ...] | None = None
    ) -> Upper | None:
        """The mechanism nearest to a solution, if it passes every exact check.

        With `budgets`, at these instead of the program's.
        """
        weights, atom = self.masses(x)
        draft = Draft(self.problem, budgets or self.budgets, self.mesh, self.curve)
        return draft.exact(weights, atom, value)

    def masses(self, x: Floats) -> tuple[Floats, float]:
        """(masses of the mesh's cells, mass of the atom) of a solution."""
        masses, atom = self.line.spread(x)
        cells = self.line.cells
        return masses[(cells >= self.mesh.first) & (cells <= self.mesh.last)], float(atom[0])
