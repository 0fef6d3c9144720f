"""Better edges of a staircase: where the loss no longer changes, and smooth ones for many stairs.

Floats that propose; the exact check comes later.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares, minimize

from ...numeric import Floats
from .shells import RadialStaircase, Shells, feasible


@dataclass(frozen=True)
class StationarySettings:
    """Numbers of the search for stationary edges.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: With more edges than this the equations take too long.
    most_equations: int = 130
    #: What is left of the equations, as a share of the value, where they count as solved.
    solved: float = 1e-6
    #: So many edges are moved when there are too many to move each; the others lie between them.
    knots: int = 16


SETTINGS = StationarySettings()


class _LateError(Exception):
    """The deadline has passed."""


def stationary(
    shells: Shells, delta: float, stairs: RadialStaircase, late: Callable[[], bool]
) -> RadialStaircase:
    """The staircase near this one at which no edge can be moved with profit, by Newton's method.

    The curves of the lower bound pass through the corners of the stairs, and fit only if c(edge)
    and what privacy charges there add up to the same at all edges. The same staircase if Newton
    fails, or it gets late.
    """
    if len(stairs.edges) > SETTINGS.most_equations or not stairs.price > 0:
        return stairs
    value = stairs.loss + delta * stairs.price

    def rest(x: Floats) -> Floats:
        edges = np.exp(x[:-1])
        if late():
            raise _LateError
        if np.any(np.diff(edges) <= 0):
            return np.full(len(x), 1e3)
        _, stick, slope, pull = shells.evaluate(edges)
        equations = (slope + np.exp(x[-1]) * pull) / (shells.weights(edges) * value)
        return np.append(equations, stick / delta - 1)

    start = np.append(np.log(stairs.edges), np.log(stairs.price))
    with np.errstate(all="ignore"):
        try:
            root = least_squares(
                rest, start, x_scale="jac", max_nfev=30, ftol=1e-14, xtol=1e-14, gtol=1e-14
            )
        except (ValueError, np.linalg.LinAlgError, _LateError):  # infinities on the way
            return stairs
    if not np.abs(root.fun).max() < SETTINGS.solved:
        return stairs
    edges = np.exp(root.x[:-1])
    loss, stick, _, _ = shells.evaluate(edges)
    return RadialStaircase(edges, loss, stick, float(np.exp(root.x[-1])))


def smooth_polish(
    shells: Shells, delta: float, edges: Floats, late: Callable[[], bool]
) -> RadialStaircase | None:
    """The best staircase whose edges are those given, moved by a smooth function of their number.

    For hundreds of edges, which cannot be moved one by one. Ends where it is when it is late.
    """
    n = len(edges)
    knots = np.linspace(0, n - 1, min(n, SETTINGS.knots))
    hats = np.stack([np.interp(np.arange(n), knots, row) for row in np.eye(len(knots))], axis=1)

    def at(x: Floats) -> Floats:
        return np.asarray(np.maximum.accumulate(edges * np.exp(hats @ x)))

    def both(x: Floats) -> tuple[float, float, Floats, Floats]:
        moved = at(x)
        loss, stick, slope, pull = shells.evaluate(moved)
        return loss, stick, hats.T @ (slope * moved), hats.T @ (pull * moved)

    reached_last = zero = np.zeros(len(knots))
    reference = both(zero)[0]

    def reached(x: Floats) -> None:
        nonlocal reached_last
        reached_last = x.copy()
        if late():
            raise _LateError

    with suppress(_LateError):
        reached_last = minimize(
            lambda x: both(x)[0] / reference,
            zero,
            jac=lambda x: both(x)[2] / reference,
            method="SLSQP",
            bounds=[(-0.3, 0.3)] * len(knots),
            options={"maxiter": 40, "ftol": 1e-9},
            callback=reached,
            constraints=[
                {
                    "type": "ineq",
                    "fun": lambda x: 1 - both(x)[1] / delta,
                    "jac": lambda x: -both(x)[3] / delta,
                }
            ],
        ).x
    best = at(reached_last)
    if not np.all(np.isfinite(best)) or not np.all(np.diff(best) > 0):
        return None
    return feasible(shells, delta, best)
