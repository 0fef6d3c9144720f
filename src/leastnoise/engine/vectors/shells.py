"""A radial staircase: levels e^(-k eps) on shells whose edges are polished. Floats throughout.

It proposes; what it proposes is repaired and checked exactly in `rounding.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import betainc, gammainccinv, gammaincinv

from ...certify.limits import MAX_RADII
from ...certify.noise.vectors.balls import PAIR_WORK
from ...gaussian import smallest_sigma
from ...losses import Loss
from ...numeric import Floats
from ...work import BUDGET

#: More edges than this are left where they are.
MOST_FREE = 120


@dataclass(frozen=True)
class ShellSettings:
    """Numbers of staircases of the radius.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: Among more stairs than these the first one changes the loss by some 10^-12 of it, at most.
    many: int = 150_000
    #: Places of the first stair that are looked at before the best is moved.
    places: int = 32
    #: Mass of the noise that is not worth an edge of its own.
    negligible: float = 1e-13


SETTINGS = ShellSettings()

#: Pairs of stairs that a check has time to compare.
_MOST_PAIRS = BUDGET // PAIR_WORK


@dataclass(frozen=True)
class RadialStaircase:
    """Edges in units of the sensitivity, the expected loss, the hockey stick and its price."""

    edges: Floats
    loss: float
    hockey_stick: float
    price: float  # what one unit of delta is worth


def cap(d: int, c: Floats) -> Floats:
    """P(first coordinate >= c) of a uniform point of the unit ball."""
    c = np.clip(c, -1, 1)
    half = 0.5 * betainc((d + 1) / 2, 0.5, 1 - c * c)
    return np.asarray(np.where(c >= 0, half, 1 - half))


def cosine_below(d: int, a: Floats) -> Floats:
    """P(cos <= a) for a uniform direction."""
    a = np.clip(a, -1, 1)
    if d == 1:
        return np.where(a >= 1, 1.0, np.where(a >= -1, 0.5, 0.0))
    return np.asarray(betainc((d - 1) / 2, (d - 1) / 2, (1 + a) / 2))


def scaled_loss(loss: Loss, sensitivity: float) -> Callable[[Floats], Floats]:
    """r -> c(r * sensitivity), for arrays."""
    return lambda r: np.asarray(loss(r * sensitivity), dtype=float)


def ball_mean(loss: Loss, d: int, sensitivity: float, radius: Floats) -> Floats:
    """E c(|X|) for X uniform in balls of radius * sensitivity."""
    return np.asarray(loss.ball_means(d, radius * sensitivity))


class Shells:
    """Expected loss and hockey stick at shift 1 of levels e^(-k eps) on shells, with gradients."""

    def __init__(self, d: int, epsilon: float, loss: Loss, sensitivity: float) -> None:
        self.d, self.epsilon, self.sensitivity = d, epsilon, sensitivity
        self.loss = loss
        self.cost = scaled_loss(loss, sensitivity)

    def evaluate(self, edges: Floats) -> tuple[float, float, Floats, Floats]:
        """(loss, hockey stick, their gradients in the edges)."""
        d, n = self.d, len(edges)
        level = np.exp(-self.epsilon * np.arange(n + 1))
        level[-1] = 0.0
        unit = edges[int(np.argmax(d * np.log(edges) - self.epsilon * np.arange(n)))]
        volume = (edges / unit) ** d
        masses = (level[:-1] - level[1:]) * volume
        total = masses.sum()
        loss = float((masses * ball_mean(self.loss, d, self.sensitivity, edges)).sum() / total)
        # overlap[i, j]: volume of ball i within the shifted ball j.
        overlap = np.zeros((n + 1, n + 2))
        overlap[1:, 1:-1] = self._overlaps(edges, unit)
        overlap[1:, -1] = volume
        shells = np.diff(np.diff(overlap, axis=0), axis=1)
        excess = np.triu(np.maximum(level[:-1, None] - np.exp(self.epsilon) * level[None], 0), 1)
        excess = np.where(excess < 1e-12 * level[:-1, None], 0.0, excess)
        stick = float((excess * np.maximum(shells, 0)).sum() / total)
        rate = d * volume / edges / total  # surface of ball k over the total
        drop = level[:-1] - level[1:]
        cosines = (np.concatenate([[0.0], edges])[None] ** 2 - edges[:, None] ** 2 - 1) / (
            2 * edges[:, None]
        )
        inside = np.abs(cosines) < 1  # elsewhere it is 0 or 1, and most of it is elsewhere
        below = np.where(cosines > 0, 1.0, 0.0)
        below[inside] = cosine_below(d, cosines[inside])
        below = np.concatenate([below, np.ones((n, 1))], axis=1)
        share = np.diff(below, axis=1)
        square = np.zeros((n + 2, n + 1))
        square[:n] = excess
        k = np.arange(n)
        rows = (share * (square[k] - square[k + 1])).sum(1)
        columns = (share * (square[: n + 1, k] - square[: n + 1, k + 1]).T).sum(1)
        slope_loss = rate * drop * (self.cost(edges) - loss)
        slope_stick = rate * (rows + columns - stick * drop)
        return loss, stick, slope_loss, slope_stick

    def weights(self, edges: Floats) -> Floats:
        """How fast the mass grows with each edge, as a share of it: slopes are compared by it."""
        logs = self.d * np.log(edges) - self.epsilon * np.arange(len(edges))
        masses = np.exp(logs - logs.max())
        return np.asarray(np.maximum(masses / masses.sum(), 1e-280) * self.d / edges)

    def _overlaps(self, edges: Floats, unit: float) -> Floats:
        d = self.d
        first, second = (
            np.broadcast_to(x, (len(edges),) * 2) for x in (edges[:, None], edges[None])
        )
        volumes = np.where(first + second <= 1, 0.0, (np.minimum(first, second) / unit) ** d)
        meet = (first + second > 1) & (
            np.abs(first - second) < 1
        )  # elsewhere one lies in the other
        a, b = first[meet], second[meet]
        near, far = (1 + a**2 - b**2) / (2 * a), (1 + b**2 - a**2) / (2 * b)
        lens = (a / unit) ** d * cap(d, near) + (b / unit) ** d * cap(d, far)
        volumes[meet] = np.minimum(lens, volumes[meet])
        return volumes


def best_first(shells: Shells) -> float:
    """Where the first of stairs without an end, a sensitivity wide, costs least; anywhere, if that
    is all the same."""
    d, rate = shells.d, shells.epsilon
    count = math.ceil((d + 60 + 12 * math.sqrt(d)) / rate) + 2
    if count > SETTINGS.many:
        return 1.0

    def loss(first: float) -> float:
        j: Floats = first + np.arange(count, dtype=float)
        logs = d * np.log(j) - rate * j
        weights = np.exp(logs - logs.max())
        costs = ball_mean(shells.loss, d, shells.sensitivity, j)
        return float(weights @ costs / weights.sum())

    places = np.arange(1, SETTINGS.places + 1) / SETTINGS.places
    start = min(places.tolist(), key=loss)
    ends = (max(1e-6, start - 1 / SETTINGS.places), min(1.0, start + 1 / SETTINGS.places))
    optimum = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-7})
    return float(optimum.x) if optimum.fun < loss(start) else start


def starts(shells: Shells, delta: float) -> list[Floats]:
    """Edges after exponential and after Gaussian noise of the budget, cut where delta allows."""
    d, epsilon = shells.d, shells.epsilon
    starting_edges = []
    tail = min(delta / 30, 0.003)
    scale = smallest_sigma(epsilon, delta)
    inner = max(scale * np.sqrt(2 * gammaincinv(d / 2, SETTINGS.negligible)), 0.0)
    outer = scale * np.sqrt(2 * gammainccinv(d / 2, tail)) + 1
    k = np.arange(int((outer / scale) ** 2 / (2 * epsilon)) + 2)
    edges = scale * np.sqrt((2 * k + 1) * epsilon)
    starting_edges.append(edges[(edges > inner) & (edges < outer)])
    outer = min(gammainccinv(d, tail) / epsilon, 400.0) + 1
    edges = np.arange(best_first(shells), outer, 1.0)
    starting_edges.append(edges[edges > gammaincinv(d, SETTINGS.negligible) / epsilon])
    starting_edges.append(np.linspace(0.3, 1.2, 3 + d // 3) * max(1.0, scale * np.sqrt(d)))
    return [edges if len(edges) else np.array([outer]) for edges in starting_edges]


def polish(
    shells: Shells, delta: float, edges: Floats, iterations: int = 120
) -> RadialStaircase | None:
    """The staircase near `edges` of least loss with the hockey stick at most delta, or None."""
    n = len(edges)
    if n > MOST_FREE:
        return None
    level = np.exp(-shells.epsilon * np.arange(n))
    mass = np.exp(shells.d * np.log(edges / edges.max())) * level
    size = np.sqrt(np.maximum(mass / mass.max(), 1e-6))  # flat directions are stretched
    last: dict[bytes, tuple[float, float, Floats, Floats]] = {}

    def at(x: Floats) -> tuple[float, float, Floats, Floats]:
        key = x.tobytes()
        if key not in last:
            last.clear()
            last[key] = shells.evaluate(np.maximum.accumulate(np.maximum(x / size, 1e-3)))
        return last[key]

    apart = (np.eye(n) - np.eye(n, k=-1)) / size[None]
    reference = max(at(edges * size)[0], 1e-300)
    result = minimize(
        lambda x: at(x)[0] / reference,
        edges * size,
        jac=lambda x: at(x)[2] / size / reference,
        method="SLSQP",
        options={"maxiter": iterations, "ftol": 1e-11},
        constraints=[
            {
                "type": "ineq",
                "fun": lambda x: 1 - at(x)[1] / delta,
                "jac": lambda x: -at(x)[3] / size / delta,
            },
            {"type": "ineq", "fun": lambda x: apart @ x - 0.01, "jac": lambda x: apart},
        ],
    )
    best = np.maximum.accumulate(np.maximum(result.x / size, 1e-3))
    if not np.all(np.isfinite(best)):
        return None
    return feasible(shells, delta, best)


def feasible(shells: Shells, delta: float, edges: Floats) -> RadialStaircase | None:
    """The staircase, widened as little as makes it private; None if no widening does."""
    factor, step = 1.0, 1e-8
    loss, stick, slope_loss, slope_stick = shells.evaluate(edges)
    while stick > delta:
        factor, step = 1.0 + step, step * 2
        if factor > 1e4:
            return None
        loss, stick, slope_loss, slope_stick = shells.evaluate(edges * factor)
    worth = float(slope_stick @ slope_stick)
    price = -float(slope_loss @ slope_stick) / worth if worth > 0 else 0.0
    return RadialStaircase(edges * factor, loss, stick, price)


def first_staircases(shells: Shells, delta: float) -> list[RadialStaircase]:
    """The starts, made private, if a file could hold them and a check compare their stairs."""
    every = (edges for edges in starts(shells, delta) if len(edges) <= MAX_RADII)
    staircases = (
        feasible(shells, delta, edges) for edges in every if _meetings(edges) <= _MOST_PAIRS
    )
    return [staircase for staircase in staircases if staircase is not None]


def _meetings(edges: Floats) -> int:
    """Pairs of stairs that meet when the noise is moved by the sensitivity."""
    return int((np.searchsorted(edges, edges + 1) - np.arange(len(edges))).sum())


def longer_staircases(
    shells: Shells, delta: float, best: RadialStaircase | None
) -> Iterator[RadialStaircase]:
    """Better and better ones, with two more stairs each, as long as they pay."""
    while best is not None and len(best.edges) <= MOST_FREE - 2:
        width = best.edges[-1] - (best.edges[-2] if len(best.edges) > 1 else 0.0)
        more = best.edges[-1] + width * np.arange(1, 3)
        longer = polish(shells, delta, np.concatenate([best.edges, more]))
        if longer is None or longer.loss > best.loss:
            return
        yield longer
        if longer.loss > best.loss * (1 - 2e-5):
            return
        best = longer
