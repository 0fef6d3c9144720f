"""The lower bound of a vector design: curves found, made exact, and proven by the checker."""

from __future__ import annotations

import math
from fractions import Fraction
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from ..certify.vector_document import Curve, VectorCertificate
from ..certify.vector_lower import vector_dual
from ..exact import round_down
from ..losses import Loss
from .curve import best_march, march, march_radii
from .polygons import Cost, Polygons, between_stairs, bound, improve, test_radii
from .staircase import Staircase, scaled_loss

Floats = NDArray[np.float64]

#: Points of a curve lie on this fraction of the sensitivity.
_LATTICE = 1 << 40


def marched(
    d: int, epsilon: float, delta: float, cost: Cost, stairs: Staircase, deadline: float
) -> list[Polygons]:
    """Single curves found by marching outwards; good in high dimension or at small epsilon."""
    height, reach = stairs.price, stairs.edges[-1] + 2
    step = max(1 / 48, reach / 1600)
    radii = march_radii(step, reach)
    high = (stairs.loss + delta * height) * 1.001
    best = best_march(d, epsilon, cost, height, radii, high, deadline)
    found: list[Polygons] = []
    if best is None:
        return found
    for less in (2e-5, 1e-4, 3e-4, 1e-3, 4e-3):
        if monotonic() > deadline:
            break
        one = march(d, epsilon, cost, best.theta * (1 - less), height, radii)
        if one is not None:
            found.append(Polygons(one.radii, one.values[None], np.array([height])))
    return found


def best_curves(
    d: int, epsilon: float, delta: float, cost: Cost, stairs: Staircase, aim: float,
    deadline: float,
) -> Polygons | None:
    """The curves of the largest bound found; stops at the bound `aim`."""
    best: Polygons | None = None
    value = -math.inf

    def keep(curves: Polygons) -> None:
        nonlocal best, value
        found = bound(d, epsilon, delta, cost, curves, test_radii(curves, 8))
        if found > value:
            best, value = curves, found

    for curves in marched(d, epsilon, delta, cost, stairs, deadline):
        keep(curves)
    plans = [(1, 16), (4, 16)] if len(stairs.edges) <= 40 else [(1, 8)]
    for count, pieces in plans:
        if value >= aim or monotonic() > deadline:
            break
        begin = between_stairs(stairs.edges, pieces, count, stairs.price)
        end = min(deadline, monotonic() + 6.0)
        keep(improve(d, epsilon, delta, cost, begin, end))
    return best


def exact_curves(curves: Polygons, sensitivity: Fraction) -> VectorCertificate:
    """The curves on a lattice; within the first radius the multipliers are as large as can be."""
    found = []
    for height, values in zip(curves.heights.tolist(), curves.values, strict=True):
        if height <= 0:
            continue
        exact = Fraction(height).limit_denominator(10**9)
        if exact <= 0:
            continue
        rho = [math.floor(x * _LATTICE) for x in curves.rho.tolist()]
        sigma = [math.floor(x * _LATTICE) for x in values.tolist()]
        tiny = max(1, _LATTICE >> 24)
        points = [(0, 0), (tiny, 0)]
        for at, value in zip(rho, sigma, strict=True):
            place = max(at, tiny)
            if (place, value) != points[-1] and place >= points[-1][0]:
                points.append((place, value))
        found.append(Curve(exact, tuple(points)))
    return VectorCertificate(sensitivity / _LATTICE, tuple(found))


def prove_lower(
    d: int, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, loss: Loss,
    stairs: Staircase, gap: float, deadline: float,
) -> tuple[Fraction, VectorCertificate]:
    """A lower bound on the loss of all private noise, with the certificate that proves it.

    0 and no curves if nothing better could be proven.
    """
    nothing = Fraction(0), VectorCertificate(sensitivity, ())
    if not stairs.price > 0:
        return nothing
    size = float(sensitivity)
    cost = scaled_loss(loss, size)
    curves = best_curves(
        d, float(epsilon), float(delta), cost, stairs, stairs.loss / (1 + gap / 2), deadline
    )
    if curves is None:
        return nothing
    certificate = exact_curves(curves, sensitivity)
    radii = test_radii(curves, 16)
    value = bound(d, float(epsilon), float(delta), cost, curves, radii)
    for less in (2e-5, 2e-4, 1e-3, 5e-3, 2e-2):
        lower = round_down(Fraction(value * (1 - less)), 9) if value > 0 else Fraction(0)
        if lower <= 0:
            break
        proof = vector_dual(d, epsilon, delta, sensitivity, loss, certificate, lower)
        if proof.verdict:
            return lower, certificate
    return nothing
