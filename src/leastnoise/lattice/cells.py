"""Costs of the cells of a lattice, and the layout of the three programs over them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..certify.lower import cost_floor
from ..losses import Loss
from ..spec import Problem

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """How the cells -width..width share the columns of a program.

    Cell i holds `factor[i + width]` times the mass of column `column[i + width]` (-1: nothing).
    `mass` and `cost` give, for a column, the total mass and cost of its cells; `events` cells
    -events..events may belong to an event, and width >= events + n.
    """

    n: int
    events: int
    column: Ints
    factor: Floats
    mass: Floats
    cost: Floats
    symmetric: bool

    @property
    def width(self) -> int:
        """The outermost cell that has a column entry."""
        return len(self.column) // 2

    def spread(self, columns: Floats) -> Floats:
        """Masses of all cells from masses of the columns."""
        safe = np.where(self.column >= 0, columns[self.column], 0.0)
        return safe * self.factor


@lru_cache(maxsize=32)
def lower_costs(problem: Problem, n: int, radius: int) -> Floats:
    """k_i of the cells -radius..radius, rounded to floats: the costs of the lower bound."""

    def cost(i: int) -> float:
        return float(cost_floor(problem.loss, i, problem.step(n), problem.integer))

    right = [cost(i) for i in range(radius + 1)]
    left = right[:0:-1] if problem.loss.symmetric else [cost(-i) for i in range(radius, 0, -1)]
    return np.array(left + right)


@lru_cache(maxsize=32)
def upper_costs(problem: Problem, n: int, radius: int) -> Floats:
    """Mean loss over the centred cells -radius..radius (at the integers, for integer noise)."""
    cells = np.arange(-radius, radius + 1, dtype=np.float64)
    if problem.integer:
        return np.asarray(problem.loss(cells))
    step = float(problem.step(n))
    return cell_means(problem.loss, (cells - 0.5) * step, (cells + 0.5) * step)


def cell_means(loss: Loss, lo: Floats, hi: Floats) -> Floats:
    """Mean of the loss over each [lo, hi], in floats: Gauss's rule, exact where it has a kink."""
    nodes, weights = np.polynomial.legendre.leggauss(5)
    points = (lo + hi)[:, None] / 2 + (hi - lo)[:, None] / 2 * nodes[None, :]
    means = np.asarray(loss(points) @ weights / 2)
    for t in map(float, loss.kinks):
        for k in np.flatnonzero((lo < t) & (t < hi)):
            means[k] = float(loss.cell_mean(Fraction(lo[k]), Fraction(hi[k])))
    return means


def lower_cells(problem: Problem, n: int, reach: int) -> Cells:
    """Events inside -reach..reach, mass on n more cells at each end: the relaxed program."""
    radius = reach + n
    return _cells(lower_costs(problem, n, radius), n, reach, 0, problem.loss.symmetric)


def upper_cells(problem: Problem, n: int, radius: int) -> Cells:
    """All mass on the cells -radius..radius, every event counts: the restricted program."""
    return _cells(upper_costs(problem, n, radius), n, radius, n, problem.loss.symmetric)


def _cells(costs: Floats, n: int, events: int, padding: int, symmetric: bool) -> Cells:
    radius = len(costs) // 2
    cell = np.arange(-radius, radius + 1)
    column = np.abs(cell) if symmetric else cell + radius
    mass, cost = np.ones(2 * radius + 1), costs
    if symmetric:
        mass = np.where(np.arange(radius + 1) == 0, 1.0, 2.0)
        cost = costs[radius:] * mass
    outside = np.full(padding, -1)
    column = np.concatenate([outside, column, outside])
    return Cells(n, events, column, np.ones(len(column)), mass, cost, symmetric)


def tailed_cells(problem: Problem, n: int, radius: int, ratio: float) -> Cells:
    """Mass on -radius..radius, its last n cells on each side continued for ever times `ratio`.

    Events may use one continued period; beyond it every constraint repeats times `ratio`.
    """
    far = int(np.ceil(np.log(1e-18) / np.log(ratio)))  # periods until nothing is left
    costs = upper_costs(problem, n, radius + n * min(far, 4000))
    base = _cells(costs[_middle(costs, radius)], n, radius + n, 2 * n, problem.loss.symmetric)
    column, factor = base.column.copy(), base.factor.copy()
    mass, cost = base.mass.copy(), base.cost.copy()
    width = base.width
    centre = len(costs) // 2
    for side in (1, -1):
        for j in range(n):
            inner = side * (radius - n + 1 + j)
            home = int(base.column[inner + width])
            beyond = np.arange(inner + side * n, side * (centre + 1), side * n)
            weight = ratio ** np.arange(1, len(beyond) + 1)
            mass[home] += ratio / (1 - ratio)
            cost[home] += float(weight @ costs[beyond + centre])
            for k in (1, 2):
                column[inner + side * n * k + width] = home
                factor[inner + side * n * k + width] = ratio**k
    return Cells(n, base.events, column, factor, mass, cost, base.symmetric)


def _middle(costs: Floats, radius: int) -> slice:
    centre = len(costs) // 2
    return slice(centre - radius, centre + radius + 1)
