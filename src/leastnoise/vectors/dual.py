"""The lower bound of a vector design: a flow of curves, made exact and proven by the checker."""

from __future__ import annotations

import math
from fractions import Fraction
from time import monotonic

import numpy as np

from ..certify.vector_document import VectorCertificate
from ..certify.vector_lower import vector_dual
from ..exact import round_down
from ..losses import Loss
from .flow import Flow, best_flow, held_edges, make_net
from .staircase import Staircase, scaled_loss

#: Points lie on this fraction of the sensitivity, heights on this fraction of the whole flow.
_LATTICE = 1 << 40
_SHARES = 1 << 40
#: Shares of the flow below this, times bound / flow, are led along with others: little first,
#: more if the file would take long to check.
_LEAST_SHARES = (3e-6, 1e-4, 3e-3)


def exact_flow(
    flow: Flow, sensitivity: Fraction, least: float
) -> VectorCertificate | None:
    """The flow in whole numbers: whatever enters a point leaves it, exactly.

    Within a first tiny radius the multipliers are as large as they can be.
    """
    net, heights = flow.net, flow.heights
    total = float(heights[net.cell == 0].sum())
    if not total > 0:
        return None
    unit = Fraction(total).limit_denominator(10**9) / _SHARES
    layers = net.sigma.shape[1]
    tiny = _LATTICE >> 24
    rho = [max(tiny, math.floor(x * _LATTICE)) for x in net.rho.tolist()]
    points: dict[tuple[int, int], int] = {(0, 0): 0, (tiny, 0): 1}
    pieces: dict[tuple[int, int], int] = {(0, 1): _SHARES}
    first = np.searchsorted(net.cell, np.arange(len(rho) + 1))
    arriving = _whole(_entering(flow, layers), _SHARES, least)
    for cell in range(len(rho) - 1):
        pick = slice(first[cell], first[cell + 1])
        start, end, share = net.start[pick], net.end[pick], heights[pick] / total
        leaving: dict[int, int] = {}
        for layer, amount in arriving.items():
            mine = np.flatnonzero(start == layer)
            shares = dict(zip(mine.tolist(), share[mine].tolist(), strict=True))
            parts = _whole(shares, amount, least)
            for piece, count in parts.items():
                high = float(net.sigma[cell + 1, end[piece]])
                low = float(net.sigma[cell, layer])
                if cell == 0:  # on the same line, but a tiny radius further out
                    low += (high - low) * tiny / rho[1]
                key = _index(points, rho[cell], low), _index(points, rho[cell + 1], high)
                pieces[key] = pieces.get(key, 0) + count
                leaving[int(end[piece])] = leaving.get(int(end[piece]), 0) + count
        arriving = leaving
    return VectorCertificate(
        sensitivity / _LATTICE, unit, tuple(points),
        tuple((i, j, count) for (i, j), count in pieces.items()),
    )


def _index(points: dict[tuple[int, int], int], rho: int, sigma: float) -> int:
    """The number of a point, which is added if it is new."""
    return points.setdefault((rho, math.floor(sigma * _LATTICE)), len(points))


def _entering(flow: Flow, layers: int) -> dict[int, float]:
    first = flow.net.cell == 0
    sums = np.bincount(flow.net.start[first], flow.heights[first], layers)
    return {k: float(x) for k, x in enumerate(sums / sums.sum())}


def _whole(shares: dict[int, float], amount: int, least: float) -> dict[int, int]:
    """The amount split in proportion to the shares; those below `least` get nothing."""
    largest = max(shares, key=lambda k: shares[k])
    kept = {k: x for k, x in shares.items() if x >= least or k == largest}
    whole = sum(kept.values())
    found = {k: int(amount * (x / whole)) if whole > 0 else 0 for k, x in kept.items()}
    found[largest] += amount - sum(found.values())
    return {k: count for k, count in found.items() if count > 0}


def prove_lower(
    d: int, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, loss: Loss,
    stairs: Staircase, gap: float, deadline: float,
) -> tuple[Fraction, VectorCertificate]:
    """A lower bound on the loss of all private noise, with the certificate that proves it.

    0 and no pieces if nothing better could be proven.
    """
    best = Fraction(0), VectorCertificate(sensitivity, Fraction(1), (), ())
    if d == 1 or not stairs.price > 0:
        return best  # on a line sigma has two values, and curves cannot tell them apart well
    cost = scaled_loss(loss, float(sensitivity))
    eps, share = float(epsilon), float(delta)
    theta = stairs.loss + share * stairs.price
    for width, jump in plans(d, held_edges(d, eps, stairs.edges)[-1]):
        if monotonic() > deadline:
            break
        begin = monotonic()
        net = make_net(d, eps, stairs, theta, width, jump)
        flow = best_flow(
            d, eps, share, cost, net, stairs.price, deadline, stairs.loss / (1 + gap / 3)
        )
        if flow is not None:
            best = max(best, _proven(d, epsilon, delta, sensitivity, loss, flow), key=_first)
        if float(best[0]) * (1 + gap) >= stairs.loss:
            break
        # The next net takes several times as long.
        if deadline - monotonic() < 1.5 * (monotonic() - begin):
            break
    return best


def _first(pair: tuple[Fraction, VectorCertificate]) -> Fraction:
    return pair[0]


def _proven(
    d: int, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, loss: Loss, flow: Flow
) -> tuple[Fraction, VectorCertificate]:
    """What the checker can be made to prove with the flow."""
    nothing = Fraction(0), VectorCertificate(sensitivity, Fraction(1), (), ())
    total = float(flow.heights[flow.net.cell == 0].sum())
    if flow.bound <= 0 or total <= 0:
        return nothing
    for least in _LEAST_SHARES:
        certificate = exact_flow(flow, sensitivity, least * min(1.0, flow.bound / total))
        if certificate is None:
            return nothing
        for less in (5e-5, 3e-4, 1e-3, 4e-3, 2e-2):
            lower = round_down(Fraction(flow.bound * (1 - less)), 9)
            proof = vector_dual(d, epsilon, delta, sensitivity, loss, certificate, lower)
            if proof.verdict:
                return lower, certificate
            if proof.verdict is None:
                break  # a smaller certificate may be settled in time
    return nothing


def plans(d: int, reach: float) -> list[tuple[float, int]]:
    """(width of the cells, jump) of the nets to try, coarse first."""
    fine = min(0.2, 0.9 / d**0.5)
    cells = reach / fine
    if cells > 160:
        return [(fine * cells / 110, 2), (fine * cells / 160, 2)]
    return [(fine, 2), (fine * 0.6, 2), (fine * 0.4, 3), (fine * 0.25, 3)]
