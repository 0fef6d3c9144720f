"""One curve of multipliers, found by marching outwards. Floats throughout: it proposes.

With z = w above a curve s(rho) and 0 below it, the dual function at radius r is
c(r) + w P(sigma > s(r)) - e^eps w P(s(X) < r). Where the curve already lies further out than it
starts (s(rho) >= rho), the last term is known when the march reaches r, and the equation
"dual function = theta" gives s(r). The largest theta that can be kept up is the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from .staircase import cosine_below

Floats = NDArray[np.float64]


#: The first radius of a march; within it the multipliers are w for every sigma.
TINY = 2.0**-24


@dataclass(frozen=True)
class March:
    """A curve: sigma at each of the radii. It keeps the dual function at theta."""

    theta: float
    height: float
    radii: Floats
    values: Floats


def march_radii(step: float, reach: float) -> Floats:
    """Radii that grow by the same factor first and by the same step later."""
    growth = 1.15
    count = math.ceil(math.log(step / (growth - 1) / TINY) / math.log(growth))
    first = TINY * growth ** np.arange(count)
    more = first[-1] + step * np.arange(1, int((reach - first[-1]) / step) + 2)
    return np.concatenate([first, more])


def march(
    d: int, epsilon: float, cost: Callable[[Floats], Floats], theta: float, height: float,
    radii: Floats, inner: int = 4,
) -> March | None:
    """The curve of this theta and height, or None if it breaks down.

    On each piece it lies below what the equation asks for at `inner` radii of the piece.
    """
    half, factor = (d - 1) / 2, math.exp(epsilon)
    shares = np.arange(1, inner + 1) / inner
    before = np.concatenate([[0.0], radii[:-1]])
    points = before[:, None] + (radii - before)[:, None] * shares
    needs = (theta - cost(points)) / height
    behind = np.maximum(np.searchsorted(radii, points[:, 0] - 1.0) - 2, 0)
    values = np.full(len(radii), 1.0)
    last = 0.0
    for k in range(len(radii)):
        first = int(behind[k])
        known, places = values[first:k], radii[first:k]
        best = math.inf
        for share, r, need in zip(
            shares.tolist(), points[k].tolist(), needs[k].tolist(), strict=True
        ):
            row = need
            below = known < r
            for j in np.flatnonzero(below[1:] != below[:-1]).tolist():
                part = (r - known[j]) / (known[j + 1] - known[j])
                x = places[j] + part * (places[j + 1] - places[j])
                cosine = (x * x - r * r - 1) / (2 * r)
                mass = betainc(half, half, min(max((1 + cosine) / 2, 0.0), 1.0))
                row += factor * mass if below[j] else -factor * mass
            at = r + 1
            if row > 0:
                last = r
                if row >= (betainc(half, half, (1 + 1 / (2 * r)) / 2) if r > 0.5 else 1.0):
                    return None
                cosine = 2 * betaincinv(half, half, 1 - row) - 1
                at = math.sqrt(max(r * r + 1 + 2 * r * cosine, 1e-18))
            start = values[k - 1] if k else 1.0
            best = min(best, start + (at - start) / share)
        values[k] = max(best, float(radii[k]))
        if radii[k] > last + 2 and needs[k, -1] < 0:
            return March(theta, height, radii[: k + 1], values[: k + 1])
    return March(theta, height, radii, values)


def best_march(
    d: int, epsilon: float, cost: Callable[[Floats], Floats], height: float, radii: Floats,
    high: float, deadline: float,
) -> March | None:
    """The march of nearly the largest theta up to `high`."""
    high = min(high, height)
    low, back = 0.0, 2e-4
    best: March | None = None
    while high - low > 3e-7 * high and monotonic() < deadline:
        # The answer is usually just below the first `high`: look there first.
        theta = high * max(0.5, 1 - back) if best is None else (low + high) / 2
        found = march(d, epsilon, cost, theta, height, radii)
        if found is None:
            high, back = theta, back * 3
        else:
            low, best = theta, found
    return best


def dual_values(
    d: int, epsilon: float, cost: Callable[[Floats], Floats], height: float,
    rho: Floats, sigma: Floats, radii: Floats,
) -> Floats:
    """c + G at radii for one polygon, which counts from its first point to its last."""
    total = cost(radii)
    inside = (radii >= rho[0]) & (radii < rho[-1])
    at = np.interp(radii, rho, sigma)
    total = total + height * np.where(inside, 1 - _below(d, at, radii), 0.0)
    column = np.zeros_like(radii)
    order = np.argsort(radii)
    ordered = radii[order]
    extra = np.zeros_like(radii)
    far = ordered[-1] + 10
    xs = np.concatenate([[rho[0]], rho, [rho[-1]]])
    ys = np.concatenate([[far], sigma, [far]])
    for j in np.flatnonzero(ys[1:] != ys[:-1]).tolist():
        a, b = ys[j], ys[j + 1]
        lo, hi = np.searchsorted(ordered, [min(a, b), max(a, b)], side="right")
        if lo == hi or xs[j + 1] == 0:
            continue
        r = ordered[lo:hi]
        x = xs[j] + (r - a) / (b - a) * (xs[j + 1] - xs[j])
        extra[lo:hi] += np.sign(b - a) * _below(d, x, r)
    column[order] = extra
    return np.asarray(total - math.exp(epsilon) * height * column)


def _below(d: int, y: Floats, r: Floats) -> Floats:
    return cosine_below(d, (y * y - r * r - 1) / (2 * r))
