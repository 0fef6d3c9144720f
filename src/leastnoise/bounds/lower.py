"""From float multipliers to an exact lower bound, and multipliers in closed form for step = D.

Any multipliers 0 <= z <= y prove a bound (`../certify/lower.proof.md`), so rounding can only
weaken it. The closed form at step = D, and what is not claimed of it: `lower.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from ..certify.document import MAX_CELLS, Certificate, ShiftMultipliers
from ..certify.lower import dual_bound
from ..exact import round_down
from ..lattice.cells import lower_costs
from ..spec import Problem

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Multipliers = Mapping[int, tuple[float, Ints, Floats]]  # shift -> (budget, cells, z)


@dataclass(frozen=True)
class Lower:
    """An exact lower bound with the multipliers that prove it (an estimate for custom losses)."""

    value: Fraction
    certificate: Certificate
    resolution: int


def exact_lower(
    problem: Problem, n: int, reach: int, multipliers: Multipliers, scale: float, digits: int = 14
) -> Lower:
    """The exact bound that float multipliers prove. `scale` is the size of the optimal loss.

    Multipliers keep `digits` digits after the first of `scale`: multiplying a cell's z by e^eps
    and summing over shifts loses two or three of them.
    """
    digits = max(0, digits + math.ceil(-math.log10(scale))) if scale > 0 else digits
    unit = Fraction(10) ** -digits
    mirror = problem.loss.symmetric
    entries = []
    for shift, (_, cells, values) in sorted(multipliers.items()):
        whole = [max(0, round(Fraction(z) / unit)) for z in values.tolist()]
        kept = tuple((int(i), w * unit) for i, w in zip(cells, whole, strict=True) if w)
        if kept:
            # The budget need not exceed the largest multiplier, whatever the solver's was.
            entries.append(ShiftMultipliers(shift, mirror, max(whole) * unit, kept))
    certificate = Certificate(problem.step(n), reach, tuple(entries))
    bound = dual_bound(
        certificate, problem.epsilon, problem.delta, problem.sensitivity, problem.loss,
        problem.integer,
    )
    return Lower(round_down(bound, 15), certificate, n)


def trivial_lower(problem: Problem) -> Lower:
    """The bound without multipliers: the least loss, when there was no time for more."""
    return exact_lower(problem, 1 if not problem.integer else int(problem.sensitivity), 0, {}, 1.0)


def float_lower(
    problem: Problem, n: int, reach: int, multipliers: Multipliers
) -> float:
    """The same bound in floating point, to steer by."""
    edge = reach + n
    exp = math.exp(problem.epsilon)
    gains = np.zeros(2 * edge + 1)
    budgets = 0.0
    for shift, (_, cells, values) in multipliers.items():
        np.add.at(gains, cells + edge, values)
        np.add.at(gains, cells - shift + edge, -exp * values)
        budgets += float(values.max(initial=0.0))
    if problem.loss.symmetric:
        gains, budgets = gains + gains[::-1], 2 * budgets
    theta = float((lower_costs(problem, n, edge) + gains).min())
    return theta - float(problem.delta) * budgets


def thinned(
    problem: Problem, n: int, reach: int, multipliers: Multipliers, loss: float
) -> tuple[Multipliers, float]:
    """Without the small multipliers, as long as the bound falls by at most a share `loss`.

    Returns what is left and its bound in floating point.
    """
    whole = float_lower(problem, n, reach, multipliers)
    largest = max((float(z.max()) for _, _, z in multipliers.values()), default=0.0)
    for share in (1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8):
        kept = {
            m: (budget, cells[z > share * largest], z[z > share * largest])
            for m, (budget, cells, z) in multipliers.items()
            if float(z.max()) > share * largest
        }
        bound = float_lower(problem, n, reach, kept)
        if bound >= whole - loss * abs(whole):
            return kept, bound
    return multipliers, whole


@dataclass(frozen=True)
class Canonical:
    """Multipliers of the shifts +-1 at step = D."""

    value: float
    reach: int
    multipliers: Multipliers


def canonical(problem: Problem) -> Canonical | None:
    """Good multipliers at step = sensitivity, by a recursion outwards from 0.

    None if they would need more cells than a mechanism file may hold, or if noise with a step
    of one sensitivity is not what the problem is about (integers with sensitivity above 1 are
    still bounded by it only through the program).
    """
    if problem.integer and problem.sensitivity != 1:
        return None
    exp = math.exp(problem.epsilon)
    delta = float(problem.delta)
    longest = _longest(problem)
    if longest is None:
        return None
    costs = lower_costs(problem, 1, longest)
    right, left = costs[longest:], costs[longest::-1]

    def profile(costs: Floats, theta: float, start: float) -> Floats | None:
        # z(0) = start, z(j) = theta - k(j) + e^eps z(j-1), until it falls to 0
        drive = theta - costs
        drive[0] = start
        z: Floats = lfilter([1.0], [1.0, -exp], drive)
        ended = np.flatnonzero(z[1:] <= 0)
        return None if len(ended) == 0 else z[: ended[0] + 1]

    def best_split(theta: float) -> tuple[float, Floats, Floats] | None:
        whole = theta - float(costs[longest])
        if problem.loss.symmetric:
            z = profile(right, theta, whole / 2)
            return None if z is None else (theta - 2 * delta * float(z.max()), z, z)

        def value(share: float) -> float:
            one, two = profile(left, theta, whole * share), profile(right, theta,
                                                                    whole * (1 - share))
            if one is None or two is None:
                return -math.inf
            return theta - delta * float(one.max() + two.max())

        share = _golden(value, 0.0, 1.0, 24)
        if value(share) == -math.inf:
            return None
        one, two = profile(left, theta, whole * share), profile(right, theta, whole * (1 - share))
        assert one is not None and two is not None
        return value(share), one, two

    low = float(costs[longest])
    high = max(low, float(np.abs(costs).max()) * 1e-3, 1e-300)
    while best_split(high) is not None and high < 1e300:
        high *= 2
    for _ in range(44):
        middle = (low + high) / 2
        low, high = (middle, high) if best_split(middle) is not None else (low, middle)

    def objective(theta: float) -> float:
        found = best_split(theta)
        return -math.inf if found is None else found[0]

    theta = _golden(objective, float(costs[longest]), low, 44) if delta > 0 else low
    found = best_split(theta)
    if found is None:
        return None
    value, one, two = found
    reach = max(len(one), len(two))
    sides: dict[int, tuple[float, Ints, Floats]] = {1: (0.0, -np.arange(len(one)), one)}
    if not problem.loss.symmetric:
        sides[-1] = (0.0, np.arange(len(two)), two)
    return Canonical(value, reach, sides)


def interpolated(problem: Problem) -> Canonical | None:
    """For integers with a large sensitivity D: multipliers of the shifts +-D alone.

    Those of real noise at the multiples of D, and on straight lines in between, where nothing is
    lost for a loss that is straight there. None if a mechanism file could not hold them.
    """
    found = canonical(replace(problem, integer=False))
    width = int(problem.sensitivity)
    if found is None or (found.reach + 1) * width > MAX_CELLS:
        return None
    sides = {}
    for shift, (budget, cells, values) in found.multipliers.items():
        order = np.argsort(cells)
        at = np.concatenate([[cells.min() - 1], cells[order], [cells.max() + 1]]) * width
        places = np.arange(at[0] + 1, at[-1])
        heights = np.concatenate([[0.0], values[order], [0.0]])
        sides[shift * width] = (budget, places, np.interp(places, at, heights))
    return Canonical(found.value, (found.reach + 1) * width, sides)


def _longest(problem: Problem) -> int | None:
    """How many cells the recursion may need: a few times the support of truncated Laplace."""
    epsilon, delta = float(problem.epsilon), float(problem.delta)
    if epsilon == 0:
        need = 2.5 / delta
    else:
        tail = math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon if delta > 0 else math.inf
        need = min(tail + 8 / epsilon, 22 / epsilon)
    cells = math.ceil(need) + 10
    return None if cells > MAX_CELLS // 2 else cells


def _golden(function: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """A maximiser of a concave function (minus infinity where undefined) on [low, high]."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    value_a, value_b = function(a), function(b)
    for _ in range(steps):
        if value_a >= value_b:
            high, b, value_b = b, a, value_a
            a = high - ratio * (high - low)
            value_a = function(a)
        else:
            low, a, value_a = a, b, value_b
            b = low + ratio * (high - low)
            value_b = function(b)
    return a if value_a >= value_b else b
