"""A lower bound on the loss of every noise that obeys a profile and constraints, by weak duality.

Statement and proof: `constrained.proof.md`. Any multipliers of the right signs prove a bound.
Standard library only; each e^eps rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..errors import FormatError
from ..exact import exp_upper
from ..losses import Loss
from .constraints import (
    Constraint,
    Distinguishing,
    Dual,
    LossAtMost,
    Monotone,
    Unbiased,
    Unimodal,
    check_duals,
    ends_of,
    mirror_free,
)
from .curve import Point
from .document import Certificate
from .lower import common_denominator, cost_floors, least_sum

_ZERO = Fraction(0)


def constrained_bound(
    certificate: Certificate,
    points: Sequence[Point],
    sensitivity: Fraction,
    loss: Loss,
    integer: bool,
    constraints: Sequence[Constraint],
) -> Fraction:
    """No noise that is private at all `points` and obeys the constraints costs less.

    `points` are those that the entries of the certificate count from 0 on. Losses are not
    negative, so 0 is returned where the multipliers prove less.
    """
    check_duals(certificate.constraints, constraints, certificate.reach)
    step = certificate.step
    edge = certificate.reach + int(sensitivity / step)
    gains, unit, spent = _gains(certificate, points, edge)
    fold = mirror_free(constraints, loss)
    # The Lagrangian of the constraints: a loss of its own, with values at the lattice points.
    terms: list[tuple[Fraction, Loss]] = [(Fraction(1), loss)]
    slope = _ZERO
    extra = [_ZERO] * (2 * edge + 1)
    for one, dual in zip(constraints, certificate.constraints, strict=True):
        if isinstance(one, LossAtMost):
            terms.append((dual.values[0], one.loss))
            spent += dual.values[0] * one.bound
        elif isinstance(one, Unbiased):
            slope += dual.values[0]
        elif isinstance(one, Distinguishing):
            last, first = end_cells(constraints, step, sensitivity, integer)
            for i in range(-edge, edge + 1):
                extra[i + edge] += (dual.values[0] if i <= last else 0)
                extra[i + edge] += (dual.values[1] if i >= first else 0)
            spent += one.at_most * sum(dual.values)
        elif isinstance(one, (Monotone, Unimodal)):
            _compare(extra, one, dual, step, edge, integer, fold)
    floors = [more + slope * i * step for i, more in enumerate(extra, -edge)]
    for weight, part in terms:
        if weight:
            costs = cost_floors(part, edge, step, integer)
            floors = [k + weight * cost for k, cost in zip(floors, costs, strict=True)]
    low, high = lattice_ends(constraints, step, edge, integer)
    beyond = []
    for side, place in ((-1, 0), (1, 2 * edge)):
        if _closed(constraints, step, edge, side):
            continue
        least = _beyond(terms, slope, side, edge * step)
        if least is None:
            return _ZERO
        beyond.append(least)
        if not integer:
            # As without constraints: rounding moves mass from beyond the last point to it.
            floors[place] = min(floors[place], least)
    if fold:
        # Symmetric noise with one closed end has no open one.
        beyond = [sum(beyond, _ZERO) / 2] if len(beyond) == 2 else []
    theta = min([_least(floors, gains, unit, low + edge, high + edge, fold), *beyond])
    return max(_ZERO, theta - spent)


def lattice_ends(
    constraints: Sequence[Constraint], step: Fraction, edge: int, integer: bool
) -> tuple[int, int]:
    """The lattice points that rounded noise may occupy, no further out than the edge."""
    low, high = ends_of(constraints)
    inwards = (math.ceil, math.floor) if integer else (math.floor, math.ceil)
    first = -edge if low is None else max(-edge, inwards[0](low / step))
    last = edge if high is None else min(edge, inwards[1](high / step))
    return first, last


def _closed(constraints: Sequence[Constraint], step: Fraction, edge: int, side: int) -> bool:
    """Whether the noise ends at the edge, or before it, on a side."""
    end = ends_of(constraints)[1 if side > 0 else 0]
    return end is not None and side * end <= edge * step


def _gains(
    certificate: Certificate, points: Sequence[Point], edge: int
) -> tuple[list[int], int, Fraction]:
    """Gains of the cells in whole numbers of 1/unit, the unit, and delta times the budgets."""
    exponentials = [exp_upper(epsilon) for epsilon, _ in points]
    bottom = math.lcm(*(e.denominator for e in exponentials))
    scale = common_denominator(certificate)
    gains = [0] * (2 * edge + 1)
    budgets = _ZERO
    for entry in certificate.shifts:
        if not 0 <= entry.point < len(points):
            raise FormatError(f"a shift of the certificate names no point, {entry.point}")
        top = exponentials[entry.point] * bottom
        for sign in (1, -1) if entry.mirror else (1,):
            budgets += points[entry.point][1] * entry.budget
            for i, z in entry.cells:
                amount = z.numerator * (scale // z.denominator)
                gains[edge + sign * i] += amount * bottom
                gains[edge + sign * (i - entry.shift)] -= amount * int(top)
    return gains, scale * bottom, budgets


def end_cells(
    constraints: Sequence[Constraint], step: Fraction, sensitivity: Fraction, integer: bool
) -> tuple[int, int]:
    """(j, k): cells up to j, and from k on, hold only noise near an end of the support."""
    low, high = ends_of(constraints)
    if low is None or high is None:
        raise FormatError("a bound on distinguishing outputs needs a support with two ends")
    # Rounding to cell j moves noise below (j + 1) step there, and none from beyond.
    if integer:
        return math.ceil(low + sensitivity) - 1, math.floor(high - sensitivity) + 1
    return (
        math.floor((low + sensitivity) / step) - 1, math.ceil((high - sensitivity) / step) + 1
    )


def inward(mode: Fraction, j: int, step: Fraction, integer: bool, fold: bool) -> int | None:
    """The neighbour that holds at least as much as cell j, rounded noise having its mode at `mode`.

    None where rounding may mix noise from both sides of the mode. Next to a mode at 0 only for
    integers and for symmetric noise.
    """
    if not integer and fold and mode == 0 and abs(j) == 1:
        return 0
    for side in (1, -1):
        # Both cells must take their noise from one side of the mode.
        nearest = (j - side) * step if integer else (j - 2 * side) * step
        if side * (nearest - mode) >= 0:
            return j - side
    return None


def _compare(
    extra: list[Fraction], one: Monotone | Unimodal, dual: Dual, step: Fraction, edge: int,
    integer: bool, fold: bool,
) -> None:
    """Subtract the multipliers of p(inner neighbour of j) - p(j) >= 0."""
    for j, u in dual.cells:
        inner = inward(one.at, j, step, integer, fold)
        if inner is None:
            raise FormatError(f"cell {j} is too near the mode to be compared")
        extra[inner + edge] -= u
        extra[j + edge] += u


def _least(
    floors: Sequence[Fraction], gains: Sequence[int], unit: int, first: int, last: int, fold: bool
) -> Fraction:
    """The least floor + gain; with `fold`, of the mean of a cell and its mirror image."""
    if not fold:
        return least_sum(floors[first : last + 1], gains[first : last + 1], unit)
    size = len(floors)
    half = [k for k in range(size // 2 + 1) if first <= k <= last and first <= size - 1 - k <= last]
    if not half:
        raise FormatError("the support holds no symmetric noise")
    both = [(floors[k] + floors[size - 1 - k]) / 2 for k in half]
    return least_sum(both, [gains[k] + gains[size - 1 - k] for k in half], 2 * unit)


def _beyond(
    terms: Sequence[tuple[Fraction, Loss]], slope: Fraction, side: int, edge: Fraction
) -> Fraction | None:
    """At most (sum of the weighted losses + slope * x) at and beyond the edge; None: not known."""
    if slope * side >= 0:
        flat = sum((w * part.outer_minimum(side, edge) for w, part in terms), _ZERO)
        return flat + slope * side * edge
    if sum((w * part.steepness(side, edge) for w, part in terms), _ZERO) + slope * side < 0:
        return None
    # The losses rise at least as fast as the line falls, so the least value is at the edge.
    return sum((w * part.lower(side * edge) for w, part in terms), _ZERO) + slope * side * edge
