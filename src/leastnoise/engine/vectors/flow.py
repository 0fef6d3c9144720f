"""Multipliers as a flow of curves, by one linear program. Floats throughout: it proposes.

Multipliers z(rho, sigma) = w P(a random curve lies below sigma at rho) are a mixture of curves. The
curves run through the points of a net, from cell to cell of rho; the height of a piece is the
share of all curves that use it. The dual function is linear in these heights, and whatever flows
into a point flows out of it, so the best mixture is a linear program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...lp import INF, minimised
from ...numeric import Floats
from ...work import charge
from .net import Net, Radial
from .shells import cosine_below


@dataclass(frozen=True)
class FlowSettings:
    """Numbers of the programs of flows.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: Radii inside a cell: as rows of the program at first, and where it is checked.
    rows: int = 4
    checks: int = 20
    #: To spare at the rows: this share of c where so little of the loss is further out, or less;
    #: all of it from this distance to the edges on.
    spare: float = 0.02
    spare_loss: float = 2e-5
    near: float = 0.2
    #: Between radii it is looked at so many lows, the lowest first.
    most_lows: int = 150


SETTINGS = FlowSettings()


@dataclass(frozen=True)
class NetFlow:
    """Heights of the pieces of each net, and the bound that they seem to give."""

    nets: Sequence[Net]
    heights: Sequence[Floats]
    bound: float


def radii_of(nets: Sequence[Net], inner: int, breaks: bool = False) -> Floats:
    """Radii inside each cell, at both ends of it, and beyond, in order.

    With `breaks` also those just beside the sigma of all points of the nets.
    """
    rho = np.unique(np.concatenate([net.rho for net in nets]))
    share = np.concatenate([[0.0], (np.arange(inner) + 0.5) / inner, [1.0]])
    share[0], share[-1] = 1e-7, 1 - 1e-7
    within = (rho[:-1, None] + np.diff(rho)[:, None] * share).ravel()
    beyond = rho[-1] + np.linspace(1e-9, 1.0, 8 * inner)
    radii = np.concatenate([np.maximum(within, 1e-6), beyond])
    if breaks:
        sigma = np.unique(np.concatenate([net.sigma.ravel() for net in nets]))
        sigma = sigma[(sigma > 1e-3) & (sigma < rho[-1] + 1)]
        radii = np.concatenate([radii, sigma * (1 - 1e-9), sigma * (1 + 1e-9)])
    return np.unique(radii)


def dual_matrix(radial: Radial, nets: Sequence[Net], radii: Floats) -> sp.csr_matrix:
    """G(r) of each piece with height 1: one row for a radius, one column for a piece."""
    parts = [_matrix(radial.d, radial.epsilon, net, radii) for net in nets]
    return sp.hstack(parts).tocsr()


def _matrix(d: int, epsilon: float, net: Net, radii: Floats) -> sp.csr_matrix:
    """The columns of one net, with the length of its shift as the unit."""
    radii, rho, sigma = radii / net.shift, net.rho / net.shift, net.sigma / net.shift
    low, high = sigma[net.cell, net.start], sigma[net.cell + 1, net.end]
    left, right = rho[net.cell], rho[net.cell + 1]
    first = np.searchsorted(net.cell, np.arange(len(rho) + 1))
    cells = np.searchsorted(rho, radii, side="right") - 1
    counts = (first[1:] - first[:-1])[cells]
    row = np.repeat(np.arange(len(radii)), counts)
    offsets = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    piece = first[cells][row] + offsets
    r = radii[row]
    at = low[piece] + (high[piece] - low[piece]) * (r - left[piece]) / (right[piece] - left[piece])
    entries = [(row, piece, 1 - _below(d, at, r))]
    for block in np.array_split(np.arange(len(radii)), max(1, len(radii) * len(low) // 4_000_000)):
        charge(len(block) * len(low) // 10)  # too late for this is too late for a proof
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
    radial: Radial,
    nets: Sequence[Net],
    deadline: float,
    clock: Callable[[], float],
    aim: float = math.inf,
    rounds: int = 10,
    tolerance: float = 3e-4,
) -> NetFlow | None:
    """The flow of the largest bound: the least c + G over the radii, less delta times the flows.

    A few radii at first; where the function falls lower between them, radii are added, until the
    bound reaches `aim`.
    """
    radii, fine = radii_of(nets, SETTINGS.rows), radii_of(nets, SETTINGS.checks, breaks=True)
    matrix, check = dual_matrix(radial, nets, radii), dual_matrix(radial, nets, fine)
    cuts = np.cumsum([len(net.cell) for net in nets])[:-1]
    best: NetFlow | None = None
    begin = clock()
    for done in range(rounds):
        # One more round takes about as long as those before it.
        if best is not None and clock() + (clock() - begin) / done > deadline:
            break
        costs = radial.cost(radii) - spare(radial, radii)
        solution = _solve(radial, nets, matrix, costs, deadline - clock())
        if solution is None:
            break
        heights, theta = solution
        values = radial.cost(fine) + check @ heights
        # Where it is lowest, look between the radii, too, and keep what is found.
        between = _between(fine, values, theta - tolerance * abs(theta))
        check = sp.vstack([check, dual_matrix(radial, nets, between)]).tocsr()
        fine = np.concatenate([fine, between])
        order = np.argsort(fine, kind="stable")
        fine, check = fine[order], check[order]
        values = radial.cost(fine) + check @ heights
        parts = np.split(heights, cuts)
        whole = sum(total_of(net, part) for net, part in zip(nets, parts, strict=True))
        bound = float(values.min()) - radial.delta * whole
        if best is None or bound > best.bound:
            best = NetFlow(nets, parts, bound)
        low = theta - values
        if low.max() < tolerance * abs(theta) or bound >= aim:
            break
        around = np.maximum(np.append(low[1:], -np.inf), np.append(-np.inf, low[:-1]))
        add = np.flatnonzero((low > 0.3 * tolerance * abs(theta)) & (low >= around))
        matrix = sp.vstack([matrix, check[add]]).tocsr()
        radii = np.concatenate([radii, fine[add]])
    return best


def spare(radial: Radial, radii: Floats) -> Floats:
    """How much more than theta the function shall be at the rows of the program.

    Far out, where the noise hardly is, this costs nothing, and what the function falls short of it
    between two rows does no harm. Not at the edges: there it is what it is, all curves meet there.
    """
    edges, (_, outside) = radial.stairs.edges, radial.shares()
    beyond = np.interp(radii, np.append(0.0, edges), np.append(1.0, outside))
    near = np.abs(radii[:, None] - edges).min(axis=1)
    share = np.minimum(SETTINGS.spare, SETTINGS.spare_loss / np.maximum(beyond, 1e-9))
    return np.asarray(radial.cost(radii) * share * np.minimum(near / SETTINGS.near, 1.0))


def total_of(net: Net, heights: Floats) -> float:
    """All that flows through a net: the largest value of its multipliers."""
    return float(heights[net.cell == 0].sum())


def _between(radii: Floats, values: Floats, level: float) -> Floats:
    """Radii beside those where the values have a low local minimum, closer and closer to it."""
    inner = np.arange(1, len(radii) - 1)
    low = inner[(values[1:-1] <= values[:-2]) & (values[1:-1] <= values[2:])]
    low = low[np.argsort(values[low])][: SETTINGS.most_lows]
    low = low[values[low] < level + abs(level) * 3e-3]
    left, right = radii[low] - radii[low - 1], radii[low + 1] - radii[low]
    share = np.array([0.04, 0.15, 0.35, 0.65])
    both = [radii[low] - left * share[:, None], radii[low] + right * share[:, None]]
    return np.unique(np.concatenate([x.ravel() for x in both]))


def _solve(
    radial: Radial, nets: Sequence[Net], matrix: sp.csr_matrix, costs: Floats, time_limit: float
) -> tuple[Floats, float] | None:
    count, height = matrix.shape[1], radial.stairs.price
    balance = sp.block_diag([conservation(net) for net in nets])
    first = sp.csr_matrix(np.concatenate([net.cell == 0 for net in nets]).astype(float)[None])
    # Unknown: heights in units of the price of delta, their sum, theta.
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
    solution = minimised(
        np.concatenate([np.zeros(count), [radial.delta * height, -1.0]]),
        whole,
        np.concatenate([np.full(len(costs), -INF), np.zeros(equal)]),
        np.concatenate([costs, np.zeros(equal)]),
        least=np.concatenate([np.zeros(count + 1), [-INF]]),
        tolerance=1e-8,
        how="interior",
        seconds=max(0.1, time_limit),
    ).primal
    if len(solution) != count + 2 or not np.isfinite(solution).all():
        return None
    return np.maximum(solution[:count], 0.0) * height, float(solution[-1])


def conservation(net: Net) -> sp.csr_matrix:
    """What flows into a point less what flows out, for all points between the ends."""
    count, layers = len(net.cell), net.sigma.shape[1]
    into, out = (net.cell + 1) * layers + net.end, net.cell * layers + net.start
    places = np.concatenate([into, out]), np.tile(np.arange(count), 2)
    return sp.coo_matrix(
        (np.repeat([1.0, -1.0], count), places), shape=(len(net.rho) * layers, count)
    ).tocsr()[layers : (len(net.rho) - 1) * layers]


def flows_through(nets: Sequence[Net]) -> sp.csr_matrix:
    """One row for a net: what flows through it is the sum of the heights of its first pieces."""
    return sp.block_diag([(net.cell == 0).astype(float)[None] for net in nets]).tocsr()


def largest_level(
    nets: Sequence[Net], matrix: sp.csr_matrix, left: Floats, prices: Floats, most: float
) -> Floats | None:
    """Heights for which the least of left + matrix @ heights, or `most`, is largest, less what
    they cost; those of the first net are 1 in all."""
    rows, count = matrix.shape
    kept = sp.block_diag([conservation(net) for net in nets])
    equal = np.append(np.zeros(kept.shape[0]), 1.0)
    solution = minimised(
        np.append(np.asarray(prices).ravel(), -1.0),
        sp.vstack(
            [
                sp.hstack([matrix, sp.csr_matrix(-np.ones((rows, 1)))]),
                sp.hstack([kept, sp.csr_matrix((kept.shape[0], 1))]),
                sp.hstack([flows_through(nets)[:1], sp.csr_matrix((1, 1))]),
                sp.csr_matrix(np.append(np.zeros(count), 1.0)[None]),
            ]
        ).tocsr(),
        np.concatenate([-left, equal, [-INF]]),
        np.concatenate([np.full(rows, INF), equal, [most]]),
        least=np.append(np.zeros(count), -INF),
        tolerance=1e-8,
        how="interior",
        seconds=10.0,
    ).primal
    if len(solution) != count + 1 or not np.isfinite(solution).all():
        return None
    return np.maximum(solution[:-1], 0.0)
