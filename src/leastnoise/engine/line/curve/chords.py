"""Budgets that stand for the whole curve of Gaussian differential privacy, from both sides.

For noise: vertices of lines below the curve, ending at delta = 0; noise that keeps them is mu-GDP
(`../../../problem/privacy.proof.md`). For the lower bound: points on the curve, which all mu-GDP
noise keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy.special import log_ndtr, ndtr

from ....certify.kinds.additive import MAX_CELLS, MAX_WORK
from ....exact import round_down, round_up
from ....numeric import Floats
from ....problem import Point, Problem
from ....problem.privacy import GaussianCurve, curve_above, line_below
from ....program.layout import make_line
from ...bounds import Upper
from ..lattice.draft import Draft, centred


@dataclass(frozen=True)
class ChordSettings:
    """Numbers of the lines below a curve.

    Found by trial with `benchmarks/ranges.py --curves`; no claim depends on them.
    """

    #: The last line touches the curve where this much delta is left.
    left: float = 5e-5
    #: A place costs at least this share of the dearest one when lines are placed.
    least_cost: float = 1e-4
    #: Many lines, because only a check is made at each; fewer of them where budgets bind instead.
    gaussian_lines: int = 150
    fewest_lines: int = 20
    gaussian_left: float = 1e-6
    #: A density is averaged over so many places of a cell.
    inside: int = 16


SETTINGS = ChordSettings()


#: Where a curve binds: (epsilon, multiplier) of the points of a bound.
Binding = Sequence[tuple[float, float]]


def _thresholds(mu: float, count: int, last: float, binding: Binding) -> list[float]:
    """So many places of the curve, from epsilon = 0 on.

    Between lines a distance h apart the curve sags by about h^2 phi(t - mu), t the threshold, and
    that costs so much times the multiplier there: the sum is least for h like the third root of
    one over the product. Where nothing is known, more of them where delta is large.
    """
    first = mu / 2
    if not binding:
        return [first + (last - first) * (k / (count - 1)) ** 1.5 for k in range(count)]
    at = np.linspace(first, last, 600)
    cost = np.zeros(len(at))
    width = max(0.08 * (last - first), 0.1)
    for epsilon, multiplier in binding:
        cost += multiplier * np.exp(-(((at - first - epsilon / mu) / width) ** 2))
    cost = np.maximum(cost, SETTINGS.least_cost * cost.max()) * np.exp(-((at - mu) ** 2) / 2)
    dense = np.maximum(cost, SETTINGS.least_cost**2 * cost.max()) ** (1 / 3)
    share = np.concatenate([[0.0], np.cumsum((dense[1:] + dense[:-1]) / 2)])
    wanted = np.linspace(0.0, share[-1], count)
    return [float(t) for t in np.interp(wanted, share, at)]


def chords_below(
    mu: Fraction, lines: int, left: float = SETTINGS.left, binding: Binding = ()
) -> GaussianCurve:
    """So many lines that touch the curve from below, as points to keep and thresholds.

    The last one touches it where `left` of delta is left; more of them where the curve binds.
    """
    last = _last_threshold(float(mu), left)
    places = _thresholds(float(mu), lines, last, binding)
    thresholds = [round(Fraction(t), 6) for t in places]
    epsilons = [Fraction(0)]
    for s, t in pairwise(thresholds):
        epsilons.append(round(Fraction(_crossing(float(mu), float(s), float(t))), 6))
    end = _log_ratio(float(mu), float(thresholds[-1]))
    epsilons.append(round(Fraction(end) + Fraction(1, 10**6), 6))
    points = []
    for k, epsilon in enumerate(epsilons[:-1]):
        beside = thresholds[max(0, k - 1) : k + 1]
        value = min(line_below(mu, t, epsilon) for t in beside)
        points.append((epsilon, round_down(value, 15)))
    # Past its zero the last line is negative, and 0 is not below it: end just before.
    while line_below(mu, thresholds[-1], epsilons[-1]) < 0:
        epsilons[-1] -= Fraction(1, 10**6)
    points.append((epsilons[-1], Fraction(0)))
    return GaussianCurve(mu, tuple(points), tuple(thresholds))


def points_on(mu: Fraction, count: int, binding: Binding = ()) -> tuple[Point, ...]:
    """So many budgets on the curve, deltas rounded up; more of them where the curve binds."""
    first, last = float(mu) / 2, _last_threshold(float(mu), SETTINGS.left)
    points = []
    for t in _thresholds(float(mu), count, first + 0.9 * (last - first), binding):
        epsilon = round(Fraction(float(mu) * (t - first)), 6)
        points.append((epsilon, round_up(curve_above(mu, epsilon), 15)))
    return tuple(points)


def sharpest(mu: Fraction, budgets: Sequence[Point]) -> float:
    """The largest mu, up to this one, whose Gaussian noise keeps all budgets, about.

    It keeps no pure one: there it is as wide as noise of exponential tails.
    """
    largest = float(mu)
    for epsilon, delta in ((float(e), float(d)) for e, d in budgets):
        if delta == 0:
            largest = min(largest, epsilon / math.sqrt(2))
        elif _curve(largest, epsilon) > delta:
            low = 0.0
            for _ in range(60):
                middle = (low + largest) / 2
                low, largest = (
                    (low, middle) if _curve(middle, epsilon) > delta else (middle, largest)
                )
    return largest


def gaussian_noise(problem: Problem, n: int) -> Upper | None:
    """Nearly Gaussian noise that keeps the chords: its density is e^(piecewise linear).

    Between two thresholds the densities a sensitivity apart have the ratio e^eps of a vertex, as
    the chords and pure budgets allow, or less where other budgets ask for wider noise; all of it is
    stretched until every budget is kept. An incumbent: for squared error next to nothing is better.
    """
    mu = problem.gdp
    assert mu is not None
    wider = float(mu) / sharpest(mu, [point for point in problem.budgets if point[1] > 0])
    lines = max(SETTINGS.fewest_lines, round(SETTINGS.gaussian_lines / wider))
    curve = chords_below(mu, lines, SETTINGS.gaussian_left)
    points = (*problem.budgets, *curve.points)
    pure = [epsilon for epsilon, delta in problem.budgets if delta == 0]
    end = min([*pure, round_down(curve.points[-1][0] / Fraction(wider), 9)])
    slopes = np.array([min(float(e) / wider, float(end)) for e, _ in curve.points])
    bends = np.array([float(t - mu / 2) / float(mu) for t in curve.thresholds]) * wider
    radius = math.ceil((1.1 * bends[-1] + 2) * n)
    if (2 * radius + 1) * n > MAX_WORK or radius > MAX_CELLS // 2:
        return None
    mesh = centred(n, radius, end)
    draft = Draft(problem, points, mesh, curve, "gaussian")
    line = make_line(n, -radius, radius, None, (-radius, radius), mesh.ratio)
    inside = (np.arange(SETTINGS.inside) + 0.5) / SETTINGS.inside - 0.5
    places = np.abs(np.arange(-radius, radius + 1)[:, None] + inside) / n

    def weights(stretch: float) -> Floats:
        at = np.concatenate([[0.0], bends[1:] * stretch])
        depth = np.concatenate([[0.0], np.cumsum(slopes[1:-1] * np.diff(at))])
        k = np.searchsorted(at, places, side="right") - 1
        masses = np.exp(-(depth[k] + slopes[1:][k] * (places - at[k]))).mean(axis=1)
        masses = (masses + masses[::-1]) / 2
        return np.asarray(masses / float(line.masses[0] @ masses))

    kept = np.array([(float(e), float(d)) for e, d in points if d > 0])
    exponentials, deltas = np.exp(kept[:, 0]), kept[:, 1] * (1 - 1e-9) - 2e-16

    def fits(stretch: float) -> bool:
        spread = line.spread(weights(stretch))
        sticks = line.hockey_sticks(spread, exponentials, np.array([n, -n]))
        return bool((sticks.max(axis=1) <= deltas).all())

    low, high = 0.95, 1.09  # as far as the mesh goes
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    masses = weights(high * (1 + 1e-9))
    middles = np.arange(-radius, radius + 1) * float(problem.step(n))
    return draft.exact(masses, 0.0, float(np.asarray(problem.loss(middles)) @ masses))


def _last_threshold(mu: float, left: float) -> float:
    """Where the curve has fallen to `left`."""
    low, high = mu / 2, mu / 2 + 12
    for _ in range(60):
        t = (low + high) / 2
        low, high = (t, high) if _curve(mu, mu * (t - mu / 2)) > left else (low, t)
    return high


def _curve(mu: float, epsilon: float) -> float:
    """About the delta that mu-GDP allows at epsilon."""
    t = mu / 2 + epsilon / mu
    return float(ndtr(mu - t)) - math.exp(epsilon) * float(ndtr(-t))


def _log_ratio(mu: float, t: float) -> float:
    """ln(Phi(mu - t) / Phi(-t)): where the line of t reaches 0."""
    return float(log_ndtr(mu - t) - log_ndtr(-t))


def _crossing(mu: float, s: float, t: float) -> float:
    """The epsilon at which the lines of two thresholds cross."""
    above = float(ndtr(mu - s) - ndtr(mu - t))
    below = float(ndtr(-s) - ndtr(-t))
    return math.log(above / below)
