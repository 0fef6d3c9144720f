"""Several curves of multipliers at once, improved by a sequence of linear programs. Floats.

The dual function of curves with given heights is smooth in the places of their points and linear
in the heights. Each program moves all of them at once, within a trust region, so that the least
value of the linearised function over many radii is as large as possible. It proposes only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import beta

from ..lp.highs import INF, Model
from .staircase import cosine_below

Floats = NDArray[np.float64]
Cost = Callable[[Floats], Floats]

#: The least slope of a curve: flat pieces make the dual function steep.
_SLOPE = 0.05


@dataclass(frozen=True)
class Polygons:
    """Curves over common radii: values[l, j] is sigma of curve l at rho[j]. Sensitivity 1."""

    rho: Floats
    values: Floats
    heights: Floats


def cosine_density(d: int, a: Floats) -> Floats:
    """The density of the first coordinate of a uniform direction."""
    inside = np.clip(1 - a * a, 1e-12, 1.0)
    return np.where(np.abs(a) < 1, inside ** ((d - 3) / 2) / beta(0.5, (d - 1) / 2), 0.0)


def gains(
    d: int, epsilon: float, curves: Polygons, radii: Floats, slopes: bool = False
) -> tuple[Floats, list[sp.csr_matrix]]:
    """G(r) of each curve with height 1 (radii x curves), and its derivatives in the values."""
    rho, factor, n = curves.rho, math.exp(epsilon), len(radii)
    size = len(rho)
    total = np.zeros((n, len(curves.values)))
    found = []
    j = np.clip(np.searchsorted(rho, radii, side="right") - 1, 0, size - 2)
    share = (radii - rho[j]) / (rho[j + 1] - rho[j])
    inside = radii < rho[-1]
    for k, sigma in enumerate(curves.values):
        at = (1 - share) * sigma[j] + share * sigma[j + 1]
        cosine = (at * at - radii**2 - 1) / (2 * radii)
        total[:, k] = np.where(inside, 1 - cosine_below(d, cosine), 0.0)
        rise = np.where(inside, -cosine_density(d, cosine) * at / radii, 0.0)
        entries = [(np.arange(n), j, rise * (1 - share)), (np.arange(n), j + 1, rise * share)]
        above = sigma[None] >= radii[:, None]
        row, cell = np.nonzero(above[:, 1:] != above[:, :-1])
        r = radii[row]
        step = sigma[cell + 1] - sigma[cell]
        part, width = (r - sigma[cell]) / step, rho[cell + 1] - rho[cell]
        x = rho[cell] + part * width
        cosine = (x * x - r * r - 1) / (2 * r)
        sign = np.sign(step)
        np.add.at(total[:, k], row, -factor * sign * cosine_below(d, cosine))
        pull = factor * sign * cosine_density(d, cosine) * x / r * width / step
        entries += [(row, cell, pull * (1 - part)), (row, cell + 1, pull * part)]
        end = cosine_below(d, (rho[-1] ** 2 - radii**2 - 1) / (2 * radii))
        total[:, k] -= np.where(sigma[-1] < radii, factor * end, 0.0)
        start = cosine_below(d, (rho[0] ** 2 - radii**2 - 1) / (2 * radii))
        if rho[0] > 0:
            total[:, k] += np.where(sigma[0] < radii, factor * start, 0.0)
        if slopes:
            rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
            found.append(sp.coo_matrix((values, (rows, columns)), shape=(n, size)).tocsr())
    return total, found


def test_radii(curves: Polygons, inner: int) -> Floats:
    """Radii to look at: several in each piece, both sides of each break, and beyond the end."""
    rho = curves.rho
    fractions = np.arange(inner) / inner
    within = (rho[:-1, None] + np.diff(rho)[:, None] * fractions).ravel()
    sigma = np.unique(curves.values)
    sigma = sigma[(sigma > 0) & (sigma < rho[-1] + 1)]
    beyond = np.linspace(rho[-1], rho[-1] + 1, 12 * inner)
    every = np.concatenate(
        [within, beyond, rho[1:] * (1 - 1e-12), sigma * (1 - 1e-12), sigma * (1 + 1e-12)]
    )
    return np.unique(every[every > 0])


def bound(
    d: int, epsilon: float, delta: float, cost: Cost, curves: Polygons, radii: Floats
) -> float:
    """The least value of the dual function at the radii, less delta times the heights."""
    values = cost(radii) + gains(d, epsilon, curves, radii)[0] @ curves.heights
    least = min(float(values.min()), float(cost(np.array([curves.rho[-1] + 1.0]))[0]))
    return least - delta * float(curves.heights.sum())


def improve(
    d: int, epsilon: float, delta: float, cost: Cost, curves: Polygons, deadline: float,
    iterations: int = 40, inner: int = 4, trust: float = 0.1, tolerance: float = 2e-5,
) -> Polygons:
    """Better curves near the given ones."""
    radii = test_radii(replace(curves, values=np.zeros((1, 1))), inner)
    costs = cost(radii)
    total, slopes = gains(d, epsilon, curves, radii, slopes=True)
    function = costs + total @ curves.heights
    value = function.min() - delta * curves.heights.sum()
    for _ in range(iterations):
        if monotonic() > deadline or trust < 1e-6:
            break
        step = _program(delta, curves, function, total, slopes, trust, deadline - monotonic())
        if step is None:
            trust *= 0.4
            continue
        moved, predicted = step
        total_2, slopes_2 = gains(d, epsilon, moved, radii, slopes=True)
        function_2 = costs + total_2 @ moved.heights
        value_2 = function_2.min() - delta * moved.heights.sum()
        if value_2 <= value:
            trust *= 0.4
            continue
        ratio = (value_2 - value) / max(predicted - value, 1e-300)
        trust = min(1.0, trust * (2.0 if ratio > 0.5 else 1.0 if ratio > 0.2 else 0.6))
        done = value_2 - value < tolerance * abs(value_2) > predicted - value_2
        curves, total, slopes, function, value = moved, total_2, slopes_2, function_2, value_2
        if done:
            break
    return curves


def _program(
    delta: float, curves: Polygons, function: Floats, total: Floats,
    slopes: list[sp.csr_matrix], trust: float, time_limit: float,
) -> tuple[Polygons, float] | None:
    """The best move within the trust region for the linearised function, and what it promises."""
    rho, values, heights = curves.rho, curves.values, curves.heights
    count, size = values.shape
    room = np.maximum((rho + 1)[None] - values, 0) + 0.003
    other = np.maximum(values - np.abs(rho - 1)[None], 0) + 0.003
    limit = (trust * np.minimum(np.minimum(1.0, 4 * room), 4 * other)).ravel()
    ones = sp.csr_matrix(np.ones((len(function), 1)))
    first = sp.hstack(
        [-heights[k] * slopes[k] for k in range(count)] + [-sp.csr_matrix(total), ones]
    )
    steps = sp.diags([np.ones(size - 1), -np.ones(size - 1)], [0, 1], shape=(size - 1, size))
    second = sp.hstack(
        [sp.block_diag([steps] * count), sp.csr_matrix((count * (size - 1), count + 1))]
    )
    spare = np.diff(values, axis=1) - _SLOPE * np.diff(rho)[None]
    matrix = sp.vstack([first, second]).tocsr()
    model = Model(1e-8)
    model.option("solver", "ipm")
    model.option("run_crossover", "off")
    model.add_columns(
        np.concatenate([np.zeros(count * size), np.full(count, delta), [-1.0]]),
        np.concatenate([-limit, -0.3 * heights, [-INF]]),
        np.concatenate([limit, 0.3 * heights + 1e-3 * heights.sum(), [INF]]),
    )
    model.add_rows(
        -INF, np.concatenate([function, np.maximum(spare.ravel(), 0)]),
        matrix.indptr[:-1], matrix.indices, matrix.data,
    )
    found = model.solve(max(time_limit, 0.05)).primal
    if len(found) != count * size + count + 1 or not np.isfinite(found).all():
        return None
    moved = np.maximum.accumulate(values + found[: count * size].reshape(count, size), axis=1)
    tall = np.maximum(heights + found[count * size : -1], 0.0)
    return Polygons(rho, moved, tall), float(found[-1] - delta * tall.sum())


def between_stairs(edges: Floats, pieces: int, count: int, height: float) -> Polygons:
    """Curves that lead each stair onto the next, from corner to corner, side by side."""
    ends = np.concatenate([[0.0], edges])
    for _ in range(2):
        ends = np.append(ends, 2 * ends[-1] - ends[-2])
    offsets = (np.arange(count) + 0.5) / count * 2 - 1 if count > 1 else np.zeros(1)
    share = np.arange(pieces) / pieces
    rho, values = [], []
    for k in range(len(ends) - 2):
        rho.append(ends[k] + (ends[k + 1] - ends[k]) * share)
        if k:
            bent = share + 0.3 * offsets[:, None] * share * (1 - share)
            values.append(ends[k + 1] + (ends[k + 2] - ends[k + 1]) * bent)
        else:
            begin = 1 + 0.3 * offsets[:, None]
            values.append(begin + (ends[2] - begin) * share)
    rho.append(ends[-2:-1])
    values.append(np.full((count, 1), ends[-1]))
    return Polygons(np.concatenate(rho), np.concatenate(values, axis=1),
                    np.full(count, height / count))
