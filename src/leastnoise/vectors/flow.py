"""Multipliers as a flow of curves, by one linear program. Floats throughout: it proposes.

Multipliers z(rho, sigma) = w P(a random curve lies below sigma at rho) are a mixture of curves. The
curves run through the points of a net, from cell to cell of rho; the height of a piece is the
share of all curves that use it. The dual function is linear in these heights, and whatever flows
into a point flows out of it, so the best mixture is a linear program.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..lp.highs import INF, Model
from .net import Net
from .staircase import cosine_below

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cost = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Flow:
    """Heights of the pieces of a net, and the bound that they seem to give."""

    net: Net
    heights: Floats
    bound: float


def radii_of(net: Net, inner: int, breaks: bool = False) -> tuple[Floats, Ints]:
    """Radii inside each cell, at both ends of it, and beyond, in order; and their cells.

    With `breaks` also those just beside the sigma of all points of the net.
    """
    rho = net.rho
    share = np.concatenate([[0.0], (np.arange(inner) + 0.5) / inner, [1.0]])
    share[0], share[-1] = 1e-7, 1 - 1e-7
    within = (rho[:-1, None] + np.diff(rho)[:, None] * share).ravel()
    beyond = rho[-1] + np.linspace(1e-9, 1.0, 8 * inner)
    radii = np.concatenate([np.maximum(within, 1e-6), beyond])
    if breaks:
        sigma = np.unique(net.sigma)
        sigma = sigma[(sigma > 1e-3) & (sigma < rho[-1] + 1)]
        radii = np.concatenate([radii, sigma * (1 - 1e-9), sigma * (1 + 1e-9)])
    radii = np.unique(radii)
    return radii, np.searchsorted(rho, radii, side="right") - 1


def dual_matrix(d: int, epsilon: float, net: Net, radii: Floats, cells: Ints) -> sp.csr_matrix:
    """G(r) of each piece with height 1: one row for a radius, one column for a piece."""
    low, high = net.sigma[net.cell, net.start], net.sigma[net.cell + 1, net.end]
    left, right = net.rho[net.cell], net.rho[net.cell + 1]
    first = np.searchsorted(net.cell, np.arange(len(net.rho) + 1))
    counts = (first[1:] - first[:-1])[np.minimum(cells, len(net.rho) - 1)]
    row = np.repeat(np.arange(len(radii)), counts)
    offsets = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    piece = first[np.minimum(cells, len(net.rho) - 1)][row] + offsets
    r = radii[row]
    at = low[piece] + (high[piece] - low[piece]) * (r - left[piece]) / (right[piece] - left[piece])
    entries = [(row, piece, 1 - _below(d, at, r))]
    for block in np.array_split(np.arange(len(radii)), max(1, len(radii) * len(low) // 4_000_000)):
        r = radii[block][:, None]
        under, over = low[None] < r, high[None] < r
        near = (left[None] < r + 1) & (right[None] > np.abs(r - 1)) & (under | over)
        row, piece = np.nonzero(near)
        r = radii[block][row]
        a, b = under[row, piece], over[row, piece]
        rise = high[piece] - low[piece]
        part = np.where(a != b, (r - low[piece]) / np.where(rise == 0, 1.0, rise), 0.0)
        x = left[piece] + part * (right[piece] - left[piece])
        mass = _below(d, np.where(b, right[piece], x), r) - _below(
            d, np.where(a, left[piece], x), r
        )
        entries.append((block[row], piece, -math.exp(epsilon) * mass))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    keep = np.abs(values) > 1e-15
    return sp.coo_matrix(
        (values[keep], (rows[keep], columns[keep])), shape=(len(radii), len(low))
    ).tocsr()


def _below(d: int, y: Floats, r: Floats) -> Floats:
    return cosine_below(d, (y * y - r * r - 1) / (2 * r))


def best_flow(
    d: int,
    epsilon: float,
    delta: float,
    cost: Cost,
    net: Net,
    height: float,
    deadline: float,
    aim: float = math.inf,
    rounds: int = 6,
    tolerance: float = 3e-4,
) -> Flow | None:
    """The flow of the largest bound: the least c + G over the radii, less delta times the flow.

    A few radii at first; where the function falls lower between them, radii are added, until the
    bound reaches `aim`.
    """
    radii, cells = radii_of(net, 3)
    fine, fine_cells = radii_of(net, 20, breaks=True)
    matrix = dual_matrix(d, epsilon, net, radii, cells)
    check = dual_matrix(d, epsilon, net, fine, fine_cells)
    costs, fine_costs = cost(radii), cost(fine)
    best: Flow | None = None
    begin = time.monotonic()
    for done in range(rounds):
        # One more round takes about as long as those before it.
        if best is not None and time.monotonic() + (time.monotonic() - begin) / done > deadline:
            break
        found = _solve(net, delta, height, matrix, costs, deadline - time.monotonic())
        if found is None:
            break
        heights, theta = found
        values = fine_costs + check @ heights
        # Where it is lowest, look between the radii, too, and keep what is found.
        between = _between(fine, values, theta - tolerance * abs(theta))
        cell = np.searchsorted(net.rho, between, side="right") - 1
        more = dual_matrix(d, epsilon, net, between, cell)
        fine = np.concatenate([fine, between])
        check, fine_costs = sp.vstack([check, more]).tocsr(), np.append(fine_costs, cost(between))
        order = np.argsort(fine, kind="stable")
        fine, check, fine_costs = fine[order], check[order], fine_costs[order]
        values = fine_costs + check @ heights
        bound = float(values.min()) - delta * float(heights[net.cell == 0].sum())
        if best is None or bound > best.bound:
            best = Flow(net, heights, bound)
        low = theta - values
        if low.max() < tolerance * abs(theta) or bound >= aim:
            break
        around = np.maximum(np.append(low[1:], -np.inf), np.append(-np.inf, low[:-1]))
        add = np.flatnonzero((low > 0.3 * tolerance * abs(theta)) & (low >= around))
        matrix = sp.vstack([matrix, check[add]]).tocsr()
        costs = np.concatenate([costs, fine_costs[add]])
    return best


def _between(radii: Floats, values: Floats, level: float, most: int = 150) -> Floats:
    """Radii beside those where the values have a low local minimum, closer and closer to it."""
    inner = np.arange(1, len(radii) - 1)
    low = inner[(values[1:-1] <= values[:-2]) & (values[1:-1] <= values[2:])]
    low = low[np.argsort(values[low])][:most]
    low = low[values[low] < level + abs(level) * 3e-3]
    left, right = radii[low] - radii[low - 1], radii[low + 1] - radii[low]
    share = np.array([0.04, 0.15, 0.35, 0.65])
    both = [radii[low] - left * share[:, None], radii[low] + right * share[:, None]]
    return np.unique(np.concatenate([x.ravel() for x in both]))


def _solve(
    net: Net, delta: float, height: float, matrix: sp.csr_matrix, costs: Floats, time_limit: float
) -> tuple[Floats, float] | None:
    count, layers = len(net.cell), net.sigma.shape[1]
    into, out = (net.cell + 1) * layers + net.end, net.cell * layers + net.start
    places = np.concatenate([into, out]), np.tile(np.arange(count), 2)
    balance = sp.coo_matrix(
        (np.repeat([1.0, -1.0], count), places), shape=(len(net.rho) * layers, count)
    ).tocsr()[layers : (len(net.rho) - 1) * layers]
    first = sp.csr_matrix((net.cell == 0).astype(float)[None])
    # Unknown: heights in units of `height`, their sum, theta.
    whole = sp.vstack(
        [
            sp.hstack(
                [
                    -height * matrix,
                    sp.csr_matrix((len(costs), 1)),
                    sp.csr_matrix(np.ones((len(costs), 1))),
                ]
            ),
            sp.hstack([balance, sp.csr_matrix((balance.shape[0], 2))]),
            sp.hstack([first, sp.csr_matrix([[-1.0, 0.0]])]),
        ]
    ).tocsr()
    equal = balance.shape[0] + 1
    model = Model(1e-8)
    model.option("solver", "ipm")
    model.option("run_crossover", "off")
    model.add_columns(
        np.concatenate([np.zeros(count), [delta * height, -1.0]]),
        np.concatenate([np.zeros(count + 1), [-INF]]),
    )
    model.add_rows(
        np.concatenate([np.full(len(costs), -INF), np.zeros(equal)]),
        np.concatenate([costs, np.zeros(equal)]),
        whole.indptr[:-1],
        whole.indices,
        whole.data,
    )
    found = model.solve(max(0.1, time_limit)).primal
    if len(found) != count + 2 or not np.isfinite(found).all():
        return None
    return np.maximum(found[:count], 0.0) * height, float(found[-1])
