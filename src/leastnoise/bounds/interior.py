"""The lattice program with all shifts at once, by an interior point method.

The program is that of `program.py`. Where nearly every shift matters (large delta, fine cells) the
simplex method needs dozens of rounds with thousands of rows; here one matrix as small as the
number of cells serves all rows of all shifts. Derivation: `interior.proof.md`. Whatever comes out
is a proposal: `upper.py` and `lower.py` turn it into exact bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from ..lattice.cells import Cells, Floats, Ints

_MOST_STEPS = 150
#: How much of the way to the boundary a step goes, and the least share of the mean product that
#: it aims for: bolder steps lose the central path.
_SHORT_OF_BOUNDARY = 0.97
_LEAST_AIM = 0.05
#: How often a step is corrected towards the central path with the same factorisation.
_CORRECTIONS = 2
#: Multipliers below this share of the value are not worth their place.
_SMALL_MULTIPLIER = 1e-10


@dataclass(frozen=True)
class InteriorSolution:
    """Where the method stopped, in floating point."""

    weights: Floats  # per column
    atom: float
    multipliers: dict[int, tuple[float, Ints, Floats]]  # shift -> (budget, cells, z)
    value: float
    steps: int
    rows: int


@dataclass(frozen=True)
class _Step:
    """A change of a point, and how much of it keeps the primal and the dual side positive."""

    primal: list[Floats]
    dual: list[Floats]
    theta: float
    primal_room: float
    dual_room: float


@dataclass(frozen=True)
class _Point:
    """Strictly positive x, s, t, u against sigma, q, z, y; products of a pair tend to 0."""

    primal: list[Floats]
    dual: list[Floats]
    theta: float

    @property
    def products(self) -> list[Floats]:
        return [a * b for a, b in zip(self.primal, self.dual, strict=True)]

    @property
    def pairs(self) -> int:
        return sum(len(a) for a in self.primal)

    def moved(self, step: _Step, primal: float, dual: float) -> _Point:
        """The point after these shares of the step."""
        return _Point(
            [a + primal * da for a, da in zip(self.primal, step.primal, strict=True)],
            [b + dual * db for b, db in zip(self.dual, step.dual, strict=True)],
            self.theta + dual * step.theta,
        )


class InteriorProgram:
    """The program over given cells, with every cell of every shift."""

    def __init__(
        self, cells: Cells, epsilon: float, delta: float, atom_cost: float | None = None
    ) -> None:
        self.cells, self.delta = cells, delta
        sizes = np.arange(1, cells.n + 1)
        self.shifts = sizes if cells.symmetric else np.concatenate([sizes, -sizes])
        index = np.arange(-cells.events, cells.events + 1) + cells.width
        ahead = np.broadcast_to(cells.column[index], (len(self.shifts), len(index)))
        behind = cells.column[index[None, :] - self.shifts[:, None]]
        # A cell without mass, or one that is its own neighbour, never exceeds it.
        row, place = np.nonzero((ahead >= 0) & (ahead != behind))
        self.shift, self.cell = row, place - cells.events
        self.ahead, behind = ahead[row, place], behind[row, place]
        self.factor = np.where(behind >= 0, math.exp(epsilon), 0.0)
        self.behind = np.maximum(behind, 0)
        self.mass, self.cost = cells.mass, cells.cost
        self.in_budget = np.zeros(len(cells.mass))  # 1 for the atom, which uses every budget
        if atom_cost is not None:
            self.mass = np.append(self.mass, 1.0)
            self.cost = np.append(self.cost, atom_cost)
            self.in_budget = np.append(self.in_budget, 1.0)

    def solve(
        self, start: Floats, tolerance: float, stop: Callable[[], bool] = lambda: False
    ) -> InteriorSolution:
        """Follow the central path until the products sum to `tolerance` times the value.

        `start` holds a positive weight for every column, and for the atom if there is one. Ends
        early, with what there is, when `stop()` is true or floating point is exhausted.
        """
        point, steps = self._beginning(start), 0
        # The matrices are small: threads would only wait for each other. Numbers that overflow (a
        # program without a solution) end the path.
        with threadpool_limits(1, user_api="blas"), np.errstate(all="ignore"):
            for following in self._path(point):
                point, steps = following, steps + 1
                left = sum(float(p.sum()) for p in point.products)
                if left <= tolerance * float(self.cost @ point.primal[0]) or stop():
                    break
        return self._solution(point, steps)

    # -- the linear maps ----------------------------------------------------------------------

    def _excess(self, x: Floats) -> Floats:
        """B x: p(i) - e^eps p(i-m), one entry for every row."""
        found: Floats = x[self.ahead] - self.factor * x[self.behind]
        return found

    def _excess_transposed(self, z: Floats) -> Floats:
        """B' z."""
        return _sums(self.ahead, z, len(self.mass)) - _sums(
            self.behind, self.factor * z, len(self.mass)
        )

    def _per_shift(self, rows: Floats) -> Floats:
        return _sums(self.shift, rows, len(self.shifts))

    def _square(self, rows: Floats) -> Floats:
        """B' diag(rows) B."""
        size = len(self.mass)
        crossed = _sums(self.ahead * size + self.behind, self.factor * rows, size * size)
        crossed = crossed.reshape(size, size)
        square: Floats = -(crossed + crossed.T)
        square[np.diag_indices(size)] += _sums(self.ahead, rows, size)
        square[np.diag_indices(size)] += _sums(self.behind, self.factor**2 * rows, size)
        return square

    def _rows_per_shift(self, rows: Floats) -> Floats:
        """For every shift, the sum of `rows` times the rows of B."""
        size, shifts = len(self.mass), len(self.shifts)
        found = _sums(self.shift * size + self.ahead, rows, shifts * size)
        found -= _sums(self.shift * size + self.behind, self.factor * rows, shifts * size)
        return found.reshape(shifts, size)

    # -- the method ---------------------------------------------------------------------------

    def _beginning(self, start: Floats) -> _Point:
        """A point whose products are about equal over rows and budgets."""
        x = np.maximum(start, 1e-6 * start.max())
        x = x / (self.mass @ x)
        excess = self._excess(x)
        used = self._per_shift(np.maximum(excess, 0.0)) + self.in_budget @ x
        rows = np.bincount(self.shift, minlength=len(self.shifts))
        u = np.maximum(self.delta - used, 0.1 * self.delta) / (rows + 1)
        s = np.maximum(excess, 0.0) + u[self.shift]
        t = s - excess
        loss = float(self.cost @ x)
        mean = loss / len(self.shift)
        y = mean / u
        z, q = y[self.shift] * s / (s + t), y[self.shift] * t / (s + t)
        slack = self.cost + self._excess_transposed(z) + self.in_budget * y.sum()
        theta = float((slack / self.mass).min()) - 0.1 * loss
        sigma = np.maximum(slack - theta * self.mass, mean / x)
        return _Point([x, s, t, u], [sigma, q, z, y], theta)

    def _path(self, point: _Point) -> Iterator[_Point]:
        """Predictor-corrector steps with further corrections towards the central path."""
        for _ in range(_MOST_STEPS):
            newton = self._newton(point)
            if newton is None:
                return
            products = point.products
            mean = sum(float(p.sum()) for p in products) / point.pairs
            step = newton([-p for p in products])
            ahead = point.moved(step, step.primal_room, step.dual_room).products
            share = sum(float(p.sum()) for p in ahead) / point.pairs / mean
            aim = max(share**2, _LEAST_AIM) * mean
            aims = [
                aim - p - da * db
                for p, da, db in zip(products, step.primal, step.dual, strict=True)
            ]
            step = newton(aims)
            for _ in range(_CORRECTIONS):
                # What a longer step would leave far from the aim is pulled back to it.
                longer = point.moved(
                    step, min(1.0, 1.08 * step.primal_room + 0.08),
                    min(1.0, 1.08 * step.dual_room + 0.08),
                ).products
                aims = [
                    a + np.maximum(np.clip(p, 0.1 * aim, 10 * aim) - p, -10 * aim)
                    for a, p in zip(aims, longer, strict=True)
                ]
                trial = newton(aims)
                if trial.primal_room + trial.dual_room < step.primal_room + step.dual_room + 0.01:
                    break
                step = trial
            point = point.moved(
                step, _SHORT_OF_BOUNDARY * step.primal_room, _SHORT_OF_BOUNDARY * step.dual_room
            )
            if not all(float(a.min()) > 0 for a in point.primal + point.dual):
                return  # rounding, or not a number
            yield point

    def _newton(self, point: _Point) -> Callable[[Sequence[Floats]], _Step] | None:
        """The solver of Newton's equations at a point, for any wanted change of the products.

        The letters are those of `interior.proof.md`. None when the matrix cannot be factorised.
        """
        x, s, t, u = point.primal
        sigma, q, z, y = point.dual
        shift, mass = self.shift, self.mass
        gap_rows = s - self._excess(x) - t
        gap_budgets = self.delta - self._per_shift(s) - self.in_budget @ x - u
        gap_mass = 1.0 - mass @ x
        gap_dual = (
            self.cost + self._excess_transposed(z) + self.in_budget * y.sum()
            - point.theta * mass - sigma
        )
        r = s / q
        w = 1.0 / (r + t / z)
        v = self._per_shift(r * (t / z) * w) + u / y
        g = self._rows_per_shift(r * w) + self.in_budget
        matrix = self._square(w) + (g.T / v) @ g
        matrix[np.diag_indices(len(mass))] += sigma / x
        scale = 1.0 / np.sqrt(np.diag(matrix))
        scaled = matrix * scale[:, None] * scale[None, :]
        scaled[np.diag_indices(len(mass))] += 1e-14
        try:
            factor = cho_factor(scaled, lower=True, overwrite_a=True)
        except (LinAlgError, ValueError):
            return None

        def solved(right: Floats) -> Floats:
            found: Floats = scale * cho_solve(factor, scale * right, check_finite=False)
            found += scale * cho_solve(
                factor, scale * (right - matrix @ found), check_finite=False
            )
            return found

        along = solved(mass)

        def step(aims: Sequence[Floats]) -> _Step:
            for_x, for_s, for_t, for_u = aims
            h = for_t / z - for_s / q - gap_rows
            k = self._per_shift(for_s / q + r * w * h) + for_u / y - gap_budgets
            dx = solved(for_x / x - gap_dual - self._excess_transposed(w * h) - g.T @ (k / v))
            dtheta = float((gap_mass - mass @ dx) / (mass @ along))
            dx = dx + dtheta * along
            dy = (g @ dx + k) / v
            dz = w * (self._excess(dx) + r * dy[shift] + h)
            dq = dy[shift] - dz
            primal = [dx, (for_s - s * dq) / q, (for_t - t * dz) / z, (for_u - u * dy) / y]
            dual = [(for_x - sigma * dx) / x, dq, dz, dy]
            return _Step(
                primal, dual, dtheta, _room(point.primal, primal), _room(point.dual, dual)
            )

        return step

    def _solution(self, point: _Point, steps: int) -> InteriorSolution:
        x, z, y = point.primal[0], point.dual[2], point.dual[3]
        columns = len(self.cells.mass)
        value = float(self.cost @ x)
        # In a symmetric program each entry stands for itself and its mirror image.
        share = 0.5 if self.cells.symmetric else 1.0
        kept = z > _SMALL_MULTIPLIER * value
        multipliers = {}
        for k, m in enumerate(self.shifts.tolist()):
            mine = kept & (self.shift == k)
            if mine.any():
                multipliers[m] = (float(y[k]) * share, self.cell[mine], z[mine] * share)
        return InteriorSolution(
            x[:columns], float(x[columns:].sum()), multipliers, value, steps, len(self.shift)
        )


def _sums(index: Ints, values: Floats, size: int) -> Floats:
    """Sums of the values that share an index."""
    found: Floats = np.bincount(index, values, size).astype(np.float64, copy=False)
    return found


def _room(values: Sequence[Floats], changes: Sequence[Floats]) -> float:
    """The share of the changes, at most 1, that keeps all values from falling below 0."""
    fall = max(
        float((-change / value).max()) for value, change in zip(values, changes, strict=True)
    )
    return min(1.0, 1.0 / fall) if fall > 0 else 1.0
