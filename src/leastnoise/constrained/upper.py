"""The restricted program under constraints: noise on cells, an upper bound once it is checked.

What it finds becomes a mechanism in `draft.py`; why that succeeds: `upper.proof.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ..bounds.upper import Upper
from ..certify.constraints import (
    Distinguishing,
    LossAtMost,
    MaxError,
    Monotone,
    Unbiased,
    Unimodal,
)
from ..certify.curve import GaussianCurve
from ..lattice.cells import cell_means
from ..losses import Loss
from ..spec import Point, Problem, ends_of, mirror_free
from .draft import Draft, Mesh
from .frame import Floats, Ints, make_frame
from .program import Parts, Row

#: Released errors of bounded noise count half a grid step of the coarsest grid.
_COARSEST_GRID = 1001
_HALF = Fraction(1, 2)


def mesh_of(problem: Problem, n: int, radius: int, points: tuple[Point, ...]) -> Mesh | None:
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
    ratio = None if tail_epsilon is None else math.exp(-float(tail_epsilon))
    if problem.integer:
        first, last = math.ceil(limits[0]), math.floor(limits[1])
        if mirror_free(problem.constraints, problem.loss):
            last = min(last, -first)
            first = -last
        return Mesh(n, -_HALF, first, last, ratio, tail_epsilon) if first <= last else None
    if any(isinstance(one, MaxError) for one in problem.constraints):
        # Rounding a value to the grid may add up to half a grid step beyond the last cell.
        limits = [limits[0] + Fraction(1, 2 * _COARSEST_GRID),
                  limits[1] - Fraction(1, 2 * _COARSEST_GRID)]
    if mirror_free(problem.constraints, problem.loss):
        size = min(-limits[0], limits[1])
        if not any(closed):
            return Mesh(n, -_HALF, -radius, radius, ratio, tail_epsilon)
        cells = math.floor(2 * size)
        if cells < 1:
            return None
        offset = -_HALF if cells % 2 else Fraction(0)
        return Mesh(n, offset, -(cells // 2), cells - 1 - cells // 2)
    if not any(closed):
        return Mesh(n, -_HALF, -radius, radius, ratio, tail_epsilon)
    # Edges at whole or half steps, flush with the closed end, or with the left of two.
    edge = Fraction(math.ceil(2 * limits[0]), 2) if closed[0] else (
        Fraction(math.floor(2 * limits[1]), 2) - math.floor(limits[1] - limits[0]))
    cells = math.floor(limits[1] - edge)
    if cells < 1:
        return None
    offset = Fraction(0) if edge.denominator == 1 else -_HALF
    first = int(edge - offset)
    return Mesh(n, offset, first, first + cells - 1)


class UpperProgram:
    """The restricted program: noise on the cells of a mesh, with an atom where one is allowed."""

    def __init__(
        self, problem: Problem, points: tuple[Point, ...], mesh: Mesh, margin: float,
        curve: GaussianCurve | None = None,
    ) -> None:
        self.problem, self.points, self.mesh, self.curve = problem, points, mesh, curve
        self.fold = mirror_free(problem.constraints, problem.loss)
        mirror = int(-1 - 2 * mesh.offset)
        events = (mesh.first, mesh.last)
        self.frame = frame = make_frame(
            mesh.n, mesh.first, mesh.last, mirror if self.fold else None, events, mesh.ratio
        )
        self.parts = Parts(
            frame, tuple((float(e), float(d)) for e, d in points),
            frame.totals(self._means(problem.loss, frame.held)), tuple(self._rows(margin)),
            tuple(self._comparisons()),
            self._atom_cost(problem.loss) if self._atom_allowed() else None,
        )
        # Of the columns, in sensitivities.
        self.places_of_columns = (frame.heads + float(mesh.offset) + 0.5) / mesh.n

    def _atom_cost(self, loss: Loss) -> float:
        zero, g = Fraction(0), self.problem.output_step
        return float(loss.upper(zero) if g is None else loss.release_point(zero, g))

    def _atom_allowed(self) -> bool:
        if self.problem.integer or min(delta for _, delta in self.points) == 0:
            return False
        low, high = ends_of(self.problem.constraints)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return False
        return all(
            one.at == 0 for one in self.problem.constraints if isinstance(one, (Monotone, Unimodal))
        )

    def places(self, cells: Ints) -> tuple[Floats, Floats]:
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
        return cell_means(loss, *self.places(cells))

    def _rows(self, margin: float) -> list[Row]:
        problem, frame, rows = self.problem, self.frame, []
        ease = 1 - 2 * max(margin, 1e-6)  # room for rounding and for the release grid
        reach = float(problem.sensitivity)
        for one in problem.constraints:
            if isinstance(one, LossAtMost):
                costs = frame.totals(self._means(one.loss, frame.held))
                at_zero = self._atom_cost(one.loss)
                rows.append(Row(costs, -math.inf, float(one.bound) * ease, at_zero))
            elif isinstance(one, Unbiased) and not self.fold:
                left, right = self.places(frame.held)
                middle = frame.held if problem.integer else (left + right) / 2
                rows.append(Row(frame.totals(middle), 0.0, 0.0))
            elif isinstance(one, Distinguishing):
                low, high = ends_of(problem.constraints)
                assert low is not None and high is not None
                for near, zero in self._near_ends(float(low) + reach, float(high) - reach):
                    rows.append(Row(near, -math.inf, float(one.at_most) * ease, zero))
        return rows

    def _near_ends(self, low: float, high: float) -> list[tuple[Floats, float]]:
        """Cells that touch what is below `low`, and above `high`; and whether 0 is there."""
        tiny = 1e-9 * float(self.problem.step(self.mesh.n))

        left, right = self.places(self.frame.held)
        if self.problem.integer:
            left = right = self.frame.held.astype(np.float64)
        found = [(self.frame.totals(left < low - tiny), float(low > 0))]
        if not self.fold:
            found.append((self.frame.totals(right > high + tiny), float(high < 0)))
        return found

    def _comparisons(self) -> list[tuple[int, int]]:
        modes = {
            one.at for one in self.problem.constraints if isinstance(one, (Monotone, Unimodal))
        }
        if not modes:
            return []
        mode = next(iter(modes)) / self.problem.step(self.mesh.n)
        frame, mesh = self.frame, self.mesh
        index = {int(i): int(c) for i, c in zip(frame.cells, frame.column, strict=True)}
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
        self, masses: Floats, atom: float, value: float, points: tuple[Point, ...] | None = None
    ) -> Upper | None:
        """The mechanism nearest to masses of the columns, if it passes every exact check.

        With `points`, at these budgets instead of the program's.
        """
        cells = self.frame.cells
        held = (cells >= self.mesh.first) & (cells <= self.mesh.last)
        weights = self.frame.spread(masses)[held]
        draft = Draft(self.problem, points or self.points, self.mesh, self.curve)
        return draft.exact(weights, atom, value)
