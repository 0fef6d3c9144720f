"""The lower bound of a vector design: a flow of curves, made exact and proven by the checker."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...certify.certificates.curves import DualFunction, term_work
from ...certify.kinds.vector import Curves, VectorCertificate
from ...errors import LimitError
from ...numeric import Floats
from ...problem import Problem
from ...work import charge, counted
from ..bounds import Lower, claimed
from .flow import NetFlow, total_of
from .march import MarchedCurve
from .net import Net

#: Points lie on this fraction of the sensitivity, heights on this fraction of the whole flow.
_LATTICE = 1 << 40
_SHARES = 1 << 40
#: Binary digits of the multiplier of one curve.
_HEIGHT_BITS = 30


@dataclass(frozen=True)
class ProofSettings:
    """Numbers of the proof of curves.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: Shares of the flow below this, times bound / flow, are led along with others: little first,
    #: more if the file would take long to check.
    least_shares: tuple[float, ...] = (3e-6, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1)
    #: By so much less than the floats say a bound is tried to be proven.
    less: tuple[float, ...] = (1e-4, 4e-4, 7e-4, 1e-3, 2e-3, 3e-3, 5e-3, 2e-2)
    #: So often what is not settled in time is followed by less, which is sooner settled.
    unsettled: int = 1
    #: Work of reading a piece and its points from a file.
    reading: int = 60
    #: Intervals are halved here and there; so much more work it is than one look at each.
    halvings: float = 1.25


SETTINGS = ProofSettings()


def exact_flow(flow: NetFlow, sensitivity: Fraction, least: float) -> VectorCertificate | None:
    """The flow in whole numbers, shares of it below `least` led along with others."""
    total = total_of(flow.nets[0], flow.heights[0])
    if not total > 0:
        return None
    unit = Fraction(total).limit_denominator(10**9) / _SHARES
    curves = [_curves(flow.nets[0], flow.heights[0], _SHARES, least)]
    for net, heights in zip(flow.nets[1:], flow.heights[1:], strict=True):
        share = total_of(net, heights) / total
        if int(share * _SHARES) > 0:
            curves.append(_curves(net, heights, int(share * _SHARES), least / share))
    main, *more = curves
    return VectorCertificate(sensitivity / _LATTICE, unit, main.points, main.pieces, tuple(more))


def exact_curve(curve: MarchedCurve, sensitivity: Fraction) -> VectorCertificate:
    """One curve in whole numbers.

    Within its first radius, a tiny one, the multipliers are as large as they can be for the same
    price.
    """
    rho = [math.floor(x * _LATTICE) for x in curve.rho[1:].tolist()]
    sigma = [math.floor(x * _LATTICE) for x in curve.sigma[1:-1].tolist()]
    points = [(0, 0), (rho[0], 0), *zip(rho, [*sigma, rho[-1] + _LATTICE], strict=True)]
    pieces = [(0, 1, 1), *((i, i + 1, 1) for i in range(2, len(points) - 1))]
    size, exponent = math.frexp(curve.height)
    unit = round(size * 2**_HEIGHT_BITS) * Fraction(2) ** (exponent - _HEIGHT_BITS)
    return VectorCertificate(sensitivity / _LATTICE, unit, tuple(points), tuple(pieces))


def _curves(net: Net, heights: Floats, whole: int, least: float) -> Curves:
    """Pieces in whole numbers, `whole` in all: what enters a point leaves it, exactly.

    Within a first tiny radius the multipliers are as large as they can be for the same price.
    Pieces on the diagonal, above which nobody is, are left out.
    """
    total, shift = total_of(net, heights), round(net.shift * _LATTICE)
    tiny = _LATTICE >> 24
    rho = [max(tiny, math.floor(x * _LATTICE)) for x in net.rho.tolist()]
    points: dict[tuple[int, int], int] = {(0, 0): 0, (tiny, 0): 1}
    pieces: dict[tuple[int, int], int] = {}
    first = np.searchsorted(net.cell, np.arange(len(rho) + 1))
    arriving = _whole(_entering(net, heights), whole, least)
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
                leaving[int(end[piece])] = leaving.get(int(end[piece]), 0) + count
                near, far = _point(rho[cell], low, shift), _point(rho[cell + 1], high, shift)
                if near[1] < near[0] + shift or far[1] < far[0] + shift:
                    key = points.setdefault(near, len(points)), points.setdefault(far, len(points))
                    pieces[key] = pieces.get(key, 0) + count
        if cell == 0:
            pieces[0, 1] = whole if shift == _LATTICE else sum(pieces.values())
        arriving = leaving
    pieces = {key: count for key, count in pieces.items() if count > 0}
    return Curves(shift, tuple(points), tuple((i, j, count) for (i, j), count in pieces.items()))


def _point(rho: int, sigma: float, shift: int) -> tuple[int, int]:
    """A point in whole numbers; for shorter shifts those on the diagonal stay there."""
    height = math.floor(sigma * _LATTICE)
    return rho, rho + shift if shift < _LATTICE and abs(rho + shift - height) <= 2 else height


def _entering(net: Net, heights: Floats) -> dict[int, float]:
    first = net.cell == 0
    sums = np.bincount(net.start[first], heights[first], net.sigma.shape[1])
    return {k: float(x) for k, x in enumerate(sums / sums.sum())}


def _whole(shares: dict[int, float], amount: int, least: float) -> dict[int, int]:
    """The amount split in proportion to the shares; those below `least` get nothing."""
    largest = max(shares, key=lambda k: shares[k])
    kept = {k: x for k, x in shares.items() if x >= least or k == largest}
    whole = sum(kept.values())
    parts = {k: int(amount * (x / whole)) if whole > 0 else 0 for k, x in kept.items()}
    parts[largest] += amount - sum(parts.values())
    return {k: count for k, count in parts.items() if count > 0}


def proven_by(flow: NetFlow, problem: Problem, size: int, spent: int, aim: float) -> Lower | None:
    """What the checker can be made to prove with the flow, if it has so much work behind it.

    It is content with `aim`, since a little less is proven much faster.
    """
    total = total_of(flow.nets[0], flow.heights[0])
    if flow.bound <= 0 or total <= 0:
        return None
    for least in SETTINGS.least_shares:
        share = least * min(1.0, flow.bound / total)
        certificate = exact_flow(flow, problem.sensitivity, share)
        if certificate is None or _too_long(problem, certificate, spent):
            continue
        lower = _proven(certificate, flow.bound, problem, size, spent, aim)
        if lower is not None:
            return lower
    return None


def proven_along(curve: MarchedCurve, problem: Problem, spent: int, aim: float) -> Lower | None:
    """The same with one curve."""
    certificate, size = exact_curve(curve, problem.sensitivity), len(curve.rho)
    if curve.bound <= 0 or _too_long(problem, certificate, spent):
        return None
    return _proven(certificate, curve.bound, problem, size, spent, aim)


def _proven(
    certificate: VectorCertificate,
    bound: float,
    problem: Problem,
    size: int,
    spent: int,
    aim: float,
) -> Lower | None:
    # A little less than the floats say; the least that is as much as the aim comes first.
    enough = [less for less in SETTINGS.less if bound * (1 - less) >= aim]
    unsettled = 0
    for less in SETTINGS.less[max(0, len(enough) - 1) :]:
        try:
            with counted(spent + SETTINGS.reading * certificate.size):
                lower = claimed(problem, certificate, bound * (1 - less), size)
        except LimitError:
            unsettled += 1
            if unsettled > SETTINGS.unsettled:
                return None  # a smaller certificate may be settled in time
            continue
        if lower is not None and lower.value > 0:
            return lower
    return None


def _too_long(problem: Problem, certificate: VectorCertificate, spent: int) -> bool:
    """Whether a first look at every interval would be too much work already."""
    try:
        with counted(spent + SETTINGS.reading * certificate.size):
            function = DualFunction(
                problem.dimension, problem.epsilon, problem.sensitivity, problem.loss, certificate
            )
            terms = sum(len(interval[0]) for interval in function.intervals())
            charge(int(SETTINGS.halvings * terms * term_work(problem.dimension)))
    except LimitError:
        return True
    return False
