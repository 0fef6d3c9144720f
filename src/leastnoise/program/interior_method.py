"""An interior point method whose matrix is as small as the number of columns, whatever the rows.

Derivation: `interior_method.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..numeric import Bools, Floats, Ints
from .threads import blas_threads

_MOST_STEPS = 300
#: How much of the way to the boundary a step goes, and the least share of the mean product that
#: it aims for: bolder steps lose the central path.
_SHORT_OF_BOUNDARY = 0.97
_LEAST_AIM = 0.05
#: How often a step is corrected towards the central path with the same factorisation.
_CORRECTIONS = 2
#: When the products are this share of the value, the point is remembered.
_LOOSE = 1e-2
#: The path of pure budgets, which have no interior, starts with this share of what they are about.
_PURE_SIZE = 1e-2
#: A path ends where no equation of a budget is off by more than this share of its size.
_LEFT_OVER = 1e-6
#: Where a solution of a similar program is known, products begin at this share of the value, masses
#: at this share of the largest one, and slacks of new budgets at this share of their size.
_NEARBY, _LEAST_MASS, _SLACK = 0.3, 1e-10, 1e-2


@dataclass(frozen=True)
class _Step:
    """A change of a point, and how much of it keeps the primal and the dual side positive."""

    primal: list[Floats]
    dual: list[Floats]
    theta: Floats
    primal_room: float
    dual_room: float


@dataclass(frozen=True)
class _Point:
    """Strictly positive x, s, t, u against sigma, q, z, y; products of a pair tend to 0."""

    primal: list[Floats]
    dual: list[Floats]
    theta: Floats

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


@dataclass(frozen=True)
class PairRows:
    """Row r is up[r] x[ahead[r]] - down[r] x[behind[r]], and belongs to the budget group[r]."""

    ahead: Ints
    up: Floats
    behind: Ints
    down: Floats
    group: Ints

    def only(self, kept: Bools) -> PairRows:
        """Some of them."""
        return PairRows(
            self.ahead[kept], self.up[kept], self.behind[kept], self.down[kept], self.group[kept]
        )


@dataclass(frozen=True)
class InteriorEnd:
    """Where the method stopped: x, multipliers z of the rows and y of the budgets."""

    x: Floats
    z: Floats
    y: Floats
    value: float
    steps: int
    loose: Floats | None = None


class InteriorMethod:
    """minimise cost'x over x >= 0 with every row of mass times x = 1, in budgets.

    Budget g: the sum of the positive parts of its rows, plus extra[g]'x, is at most budgets[g].
    """

    #: Of BLAS: the matrices are small, so that threads would only wait for each other.
    threads: ClassVar[int | None] = 1

    def __init__(
        self, rows: PairRows, mass: Floats, cost: Floats, budgets: Floats, extra: Any
    ) -> None:
        self.rows, self.mass, self.cost = rows, mass, cost
        self.budgets, self.extra = budgets, extra
        # Budgets that are about more than one column.
        self._many = (extra != 0).sum(axis=1) > 1
        self._many[rows.group] = True
        # What every step needs of the rows: where pairs of columns meet, and their products.
        self._crossing = rows.ahead * len(cost) + rows.behind
        self._crossed, self._up2, self._down2 = rows.up * rows.down, rows.up**2, rows.down**2

    def follow(
        self,
        start: Floats,
        tolerance: float,
        stop: Callable[[], bool] = lambda: False,
        known: Floats | None = None,
    ) -> InteriorEnd:
        """Follow the central path until the products sum to `tolerance` times the value.

        `start` holds a positive number for every column; `known` about the multiplier of every
        budget, not a number where nothing is known. Ends early, with what there is, when `stop()`
        is true or floating point is exhausted.
        """
        steps, loose = 0, None
        point = self._beginning(start) if known is None else self._nearby(start, known)
        # Numbers that overflow (a program without a solution) end the path.
        with blas_threads(self.threads), np.errstate(all="ignore"):
            for following in self._path(point):
                point, steps = following, steps + 1
                left = sum(float(p.sum()) for p in point.products)
                value = float(self.cost @ point.primal[0])
                if loose is None and left <= _LOOSE * value:
                    loose = point.primal[0]
                small = left <= tolerance * value and (known is None or self._kept(point))
                if small or stop():
                    break
        x = point.primal[0]
        return InteriorEnd(x, point.dual[2], point.dual[3], float(self.cost @ x), steps, loose)

    def _kept(self, point: _Point) -> bool:
        """Whether the equations of the budgets hold as well as they need to."""
        x, s, _, u = point.primal
        gaps = self._per_budget(s) + self.extra @ x + u - self.budgets
        return bool((np.abs(gaps) <= _LEFT_OVER * self._sizes(x)).all())

    def _sizes(self, x: Floats) -> Floats:
        """What budgets are about, besides their rows."""
        sizes: Floats = np.abs(self.budgets) + abs(self.extra) @ x
        return sizes

    def used(self, x: Floats) -> Floats:
        """What each budget spends at x."""
        spent: Floats = self._per_budget(np.maximum(self._excess(x), 0.0)) + self.extra @ x
        return spent

    # -- the linear maps ----------------------------------------------------------------------

    def _excess(self, x: Floats) -> Floats:
        """B x: p(i) - e^eps p(i-m), one entry for every row."""
        rows = self.rows
        excess: Floats = rows.up * x[rows.ahead] - rows.down * x[rows.behind]
        return excess

    def _excess_transposed(self, z: Floats) -> Floats:
        """B' z."""
        rows, size = self.rows, len(self.cost)
        return sums(rows.ahead, rows.up * z, size) - sums(rows.behind, rows.down * z, size)

    def _per_budget(self, values: Floats) -> Floats:
        return sums(self.rows.group, values, len(self.budgets))

    def _square(self, weights: Floats) -> Floats:
        """B' diag(weights) B."""
        rows, size = self.rows, len(self.cost)
        crossed = sums(self._crossing, self._crossed * weights, size * size).reshape(size, size)
        square: Floats = -(crossed + crossed.T)
        diagonal = diagonal_of(square)
        diagonal += sums(rows.ahead, self._up2 * weights, size)
        diagonal += sums(rows.behind, self._down2 * weights, size)
        return square

    def _rows_per_budget(self, weights: Floats) -> Any:
        """For every budget, the sum of `weights` times the rows of B, and its further terms."""
        rows = self.rows
        weighted = replace(rows, up=rows.up * weights, down=rows.down * weights)
        return summed(weighted, (len(self.budgets), len(self.cost))) + self.extra

    def _matrix(self, w: Floats, g: Any, v: Floats, more: Floats) -> Floats:
        """B' diag(w) B + g' diag(1/v) g, and more on its diagonal."""
        many, single = g[self._many] / np.sqrt(v[self._many])[:, None], g[~self._many]
        matrix: Floats = self._square(w) + many.T @ many
        diagonal = diagonal_of(matrix)
        diagonal += more + (1 / v[~self._many]) @ single**2
        return matrix

    # -- the method ---------------------------------------------------------------------------

    def _beginning(self, start: Floats) -> _Point:
        """A point whose products are about equal over rows and budgets."""
        total = self.mass.sum(axis=0)
        used_columns = total > 0
        x = np.where(used_columns, np.maximum(start, 1e-6 * start[used_columns].max()), start)
        x = np.where(used_columns, x * len(self.mass) / (total @ x), x)
        group = self.rows.group
        excess = self._excess(x)
        used = self.used(x)
        rows = np.bincount(group, minlength=len(self.budgets))
        # (Pure budgets have no size of their own: a little of what their rows are about.)
        about = self._per_budget(self.rows.up * x[self.rows.ahead])
        size = self._sizes(x) + _PURE_SIZE * about
        u = np.maximum(self.budgets - used, 0.1 * size) / (rows + 1)
        s = np.maximum(excess, 0.0) + u[group]
        t = s - excess
        loss = float(self.cost @ x)
        mean = loss / len(group)
        y = mean / u
        z, q = y[group] * s / (s + t), y[group] * t / (s + t)
        slack = self.cost + self._excess_transposed(z) + y @ self.extra
        # Where multipliers are far too large still, sigma starts away from its equation: a theta
        # that is below all of it would make every sigma as large.
        theta = np.full(len(self.mass), (float(slack @ x) - 0.1 * loss) / len(self.mass))
        sigma = np.maximum(slack - theta @ self.mass, mean / x)
        return _Point([x, s, t, u], [sigma, q, z, y], theta)

    def _nearby(self, x: Floats, known: Floats) -> _Point:
        """The point of the central path whose x and y these are, as far as they are on it.

        All products are the same there: with z + q = y and s - t the excess that makes s and t the
        roots of a quadratic equation.
        """
        x = np.maximum(x, _LEAST_MASS * x.max())
        x = x * len(self.mass) / float((self.mass @ x).sum())
        group, excess = self.rows.group, self._excess(x)
        pairs = len(x) + 2 * len(group) + len(self.budgets)
        mean = _NEARBY * float(self.cost @ x) / pairs
        used, size = self.used(x), self._sizes(x)
        u = np.maximum(self.budgets - used, _SLACK * size)
        y = np.where(np.isnan(known), mean / u, np.maximum(known, mean / size))
        half = mean / y[group]
        larger = np.hypot(excess / 2, half) + np.abs(excess) / 2
        smaller = half**2 / larger
        s = np.where(excess > 0, larger, smaller) + half
        t = np.where(excess > 0, smaller, larger) + half
        z = mean / t
        slack = self.cost + self._excess_transposed(z) + y @ self.extra
        theta = np.full(len(self.mass), (float(slack @ x) - mean * len(x)) / len(self.mass))
        return _Point([x, s, t, mean / y], [mean / x, mean / s, z, y], theta)

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
                    step,
                    min(1.0, 1.08 * step.primal_room + 0.08),
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

        The letters are those of the proof. None when the matrix cannot be factorised.
        """
        x, s, t, u = point.primal
        sigma, q, z, y = point.dual
        group, mass, extra = self.rows.group, self.mass, self.extra
        gap_rows = s - self._excess(x) - t
        gap_budgets = self.budgets - self._per_budget(s) - extra @ x - u
        gap_mass = 1.0 - mass @ x
        gap_dual = self.cost + self._excess_transposed(z) + y @ extra - point.theta @ mass - sigma
        r = s / q
        w = 1.0 / (r + t / z)
        v = self._per_budget(r * (t / z) * w) + u / y
        g = self._rows_per_budget(r * w)
        matrix = self._matrix(w, g, v, sigma / x)
        scale = 1.0 / np.sqrt(diagonal_of(matrix))
        scaled = matrix * scale
        scaled *= scale[:, None]
        diagonal = diagonal_of(scaled)
        diagonal += 1e-14
        try:
            factor = cho_factor(scaled, lower=True, overwrite_a=True)
        except (LinAlgError, ValueError):
            return None

        def scaled_solution(right: Floats) -> Floats:
            solution: Floats = scale * cho_solve(factor, (scale * right.T).T, check_finite=False).T
            return solution.T

        def solved(right: Floats) -> Floats:
            solution = scaled_solution(right)
            return solution + scaled_solution(right - matrix @ solution)

        along = solved(mass[0])[:, None] if len(mass) == 1 else solved(mass.T)

        def step(aims: Sequence[Floats]) -> _Step:
            for_x, for_s, for_t, for_u = aims
            h = for_t / z - for_s / q - gap_rows
            k = self._per_budget(for_s / q + r * w * h) + for_u / y - gap_budgets
            dx = solved(for_x / x - gap_dual - self._excess_transposed(w * h) - g.T @ (k / v))
            try:
                dtheta = np.asarray(
                    np.linalg.solve(mass @ along, gap_mass - mass @ dx), dtype=np.float64
                )
            except LinAlgError:
                dtheta = np.full(len(mass), math.nan)  # ends the path
            dx = dx + along @ dtheta
            dy = (g @ dx + k) / v
            dz = w * (self._excess(dx) + r * dy[group] + h)
            dq = dy[group] - dz
            primal = [dx, (for_s - s * dq) / q, (for_t - t * dz) / z, (for_u - u * dy) / y]
            dual = [(for_x - sigma * dx) / x, dq, dz, dy]
            return _Step(primal, dual, dtheta, _room(point.primal, primal), _room(point.dual, dual))

        return step


def diagonal_of(square: Floats) -> Floats:
    """The diagonal, to be changed in place."""
    return square.reshape(-1)[:: len(square) + 1]


def sums(index: Ints, values: Floats, size: int) -> Floats:
    """Sums of the values that share an index."""
    sums: Floats = np.bincount(index, values, size).astype(np.float64, copy=False)
    return sums


def summed(rows: PairRows, shape: tuple[int, int]) -> Floats:
    """For every budget, the sum of its rows."""
    size = shape[0] * shape[1]
    totals = sums(rows.group * shape[1] + rows.ahead, rows.up, size)
    totals -= sums(rows.group * shape[1] + rows.behind, rows.down, size)
    return totals.reshape(shape)


def _room(values: Sequence[Floats], changes: Sequence[Floats]) -> float:
    """The share of the changes, at most 1, that keeps all values from falling below 0."""
    fall = -min(
        float((change / value).min()) for value, change in zip(values, changes, strict=True)
    )
    return min(1.0, 1.0 / fall) if fall > 0 else 1.0
