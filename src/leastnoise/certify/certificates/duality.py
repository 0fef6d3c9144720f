"""A lower bound on the loss of every private noise, from multipliers, by weak duality.

For one budget or several, with or without constraints: plain noise is the case without demands.
Statement and proof: `duality.proof.md`. Standard library only; each e^eps rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ...errors import FormatError
from ...losses import Loss
from ...problem.constraints import Constraint, ends_of, foldable
from ...problem.privacy import Point
from ...work import arithmetic, bits, charge
from ..constraints import Dual, check_duals
from .narrow import narrow_parts
from .weak_duality import Gains, Units, add_shift, floors_on, units_of

if TYPE_CHECKING:
    from .multipliers import ShiftCertificate

#: Multipliers share a denominator of at most so many bits, so that sums of them stay small.
_MOST_BITS = 4096
_ZERO = Fraction(0)
_REAL = "narrow events are for real noise without constraints"


def dual_bound(
    certificate: ShiftCertificate,
    points: Sequence[Point],
    sensitivity: Fraction,
    loss: Loss,
    integer: bool,
    constraints: Sequence[Constraint] = (),
) -> Fraction:
    """No noise that is private at all `points` and obeys the constraints costs less.

    Holds for any multipliers of the right signs, 0 <= z <= budget, however they were found.
    `integer` bounds integer-valued noise instead.

    `points` are those that the entries of the certificate count from 0 on. Losses are not
    negative, so 0 is returned where the multipliers prove less.
    """
    check_duals(certificate.constraints, constraints, certificate.reach)
    step = certificate.step
    edge = certificate.reach + int(sensitivity / step)
    listed = [(entry.budget, *(z for _, z in entry.cells)) for entry in certificate.shifts]
    compared = [tuple(u for _, u in dual.cells or ()) for dual in certificate.constraints]
    units = units_of(points, [*listed, *compared], _MOST_BITS)
    fold = foldable(constraints, loss)
    gains, spent = _gains(certificate, units, edge)
    unit = units.unit
    terms, slope, more = _demanded(certificate, constraints, loss)
    spent += more
    for constraint, dual in zip(constraints, certificate.constraints, strict=True):
        if constraint.mode is not None:
            _compare(gains, unit, constraint.mode, dual, step, integer, fold)
    floors = _floors(terms, slope, edge, step, integer)
    beyond = []
    for side, place in ((-1, 0), (1, 2 * edge)):
        if _closed(constraints, step, edge, side):
            continue
        least = _beyond(terms, slope, side, edge * step)
        if least is None:
            return _ZERO
        beyond.append(least)
        if not integer:
            # As without constraints: rounding moves mass from beyond the last point to it. Only
            # the loss is lowered; multipliers are added to it after that.
            floors[place] = min(floors[place], least)
    if fold:
        # Symmetric noise with one closed end has no open one.
        beyond = [sum(beyond, _ZERO) / 2] if len(beyond) == 2 else []
    if certificate.narrow and (integer or constraints):
        raise FormatError(_REAL)
    between, more = _narrowed(certificate, points, floors, gains, unit, fold)
    spent += more
    low, high = lattice_ends(constraints, step, edge, integer)
    inside = _inside(floors, gains, unit, low + edge, high + edge, fold)
    if not (inside or beyond):
        raise FormatError("no noise at all lies in the support")
    return max(_ZERO, min([*inside, *between, *beyond]) - spent)


def bound_on_noise(
    certificate: ShiftCertificate,
    points: Sequence[Point],
    sensitivity: Fraction,
    loss: Loss,
    integer: bool,
    constraints: Sequence[Constraint] = (),
) -> Fraction:
    """`dual_bound` for real or integer-valued noise, whose certificate may have any step.

    For integers with a whole step it is that of real noise; with another, that of the noise plus a
    uniform number between -1/2 and 1/2, less what this adds to the loss.
    """
    step = certificate.step
    if integer and certificate.narrow:
        # (Their shifts are not whole, whatever the step.)
        raise FormatError(_REAL)
    bound = dual_bound(certificate, points, sensitivity, loss, integer and step == 1, constraints)
    if not integer or step.denominator == 1:
        return bound
    if loss.smeared is None or constraints or (sensitivity / step).denominator != 1:
        raise FormatError('"certificate.step" must be whole for integer noise')
    return max(_ZERO, bound - loss.smeared)


def _demanded(
    certificate: ShiftCertificate, constraints: Sequence[Constraint], loss: Loss
) -> tuple[list[tuple[Fraction, Loss]], Fraction, Fraction]:
    """What multipliers of the constraints add: losses and a slope; what they spend."""
    terms: list[tuple[Fraction, Loss]] = [(Fraction(1), loss)]
    slope, spent = _ZERO, _ZERO
    for constraint, dual in zip(constraints, certificate.constraints, strict=True):
        for limited, bound in constraint.loss_limits:
            weight = dual.numbers["weight"]
            terms.append((weight, limited))
            spent += weight * bound
        if constraint.centered:
            slope += dual.numbers["slope"]
    return terms, slope, spent


def _floors(
    terms: Sequence[tuple[Fraction, Loss]],
    slope: Fraction,
    edge: int,
    step: Fraction,
    integer: bool,
) -> list[Fraction]:
    """At lattice points: the minorant of the weighted losses, plus the line of that slope."""
    parts = [[slope * i * step for i in range(-edge, edge + 1)]] if slope else []
    for weight, part in terms:
        if weight:
            costs = cost_floors(part, edge, step, integer)
            longest = max(bits(k) for k in costs) + bits(weight)
            charge(len(costs) * 2 * arithmetic(longest * (1 + len(terms))))
            parts.append(costs if weight == 1 else [weight * cost for cost in costs])
    # (Most often the loss alone.)
    return parts[0] if len(parts) == 1 else [sum(k, _ZERO) for k in zip(*parts, strict=True)]


def lattice_ends(
    constraints: Sequence[Constraint], step: Fraction, edge: int, integer: bool
) -> tuple[int, int]:
    """The lattice points that rounded noise may occupy, no further out than the edge."""
    low, high = ends_of(constraints)
    inwards = (math.ceil, math.floor) if integer else (math.floor, math.ceil)
    first = -edge if low is None else max(-edge, inwards[0](low / step))
    last = edge if high is None else min(edge, inwards[1](high / step))
    return first, last  # first > last where there is none


def _closed(constraints: Sequence[Constraint], step: Fraction, edge: int, side: int) -> bool:
    """Whether the noise ends at the edge, or before it, on a side."""
    end = ends_of(constraints)[1 if side > 0 else 0]
    return end is not None and side * end <= edge * step


def _gains(certificate: ShiftCertificate, units: Units, edge: int) -> tuple[Gains, Fraction]:
    """Gains of the cells, and delta times the budgets."""
    gains, spent = [0] * (2 * edge + 1), _ZERO
    for entry in certificate.shifts:
        if not 0 <= entry.point < len(units.points):
            raise FormatError(f"a shift of the certificate names no point, {entry.point}")
        add_shift(gains, entry, units, [(sign, 1, 1) for sign in (1, -1)[: 1 + entry.mirror]])
        spent += (1 + entry.mirror) * units.spent(entry.point, entry.budget)
    return gains, spent


def inward(mode: Fraction, j: int, step: Fraction, integer: bool, fold: bool) -> int | None:
    """The neighbor that holds at least as much as cell j, rounded noise having its mode at `mode`.

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
    gains: list[int],
    unit: int,
    mode: Fraction,
    dual: Dual,
    step: Fraction,
    integer: bool,
    fold: bool,
) -> None:
    """Add the multipliers of p(inner neighbor of j) - p(j) >= 0 to the gains."""
    edge = len(gains) // 2
    cells = dual.cells or ()
    charge(5 * len(cells))
    for j, u in cells:
        inner = inward(mode, j, step, integer, fold)
        if inner is None:
            raise FormatError(f"cell {j} is too near the mode to be compared")
        amount = u.numerator * (unit // u.denominator)
        gains[inner + edge] -= amount
        gains[j + edge] += amount


def _inside(
    floors: Sequence[Fraction], gains: Sequence[int], unit: int, first: int, last: int, fold: bool
) -> list[Fraction]:
    """[the least floor + gain] over the places first..last; [] if there are none.

    With `fold`, of the mean of a place and its mirror image, both of which must be among them.
    """
    if fold:
        centre = len(floors) // 2
        size = min(last - centre, centre - first)
        pairs = [(centre - d, centre + d) for d in range(size + 1)]
        charge(5 * len(pairs))
        two = ((floors[a], floors[b]) for a, b in pairs)
        floors = [floor if floor == other else (floor + other) / 2 for floor, other in two]
        gains, unit = [gains[a] + gains[b] for a, b in pairs], 2 * unit
    else:
        floors, gains = floors[first : max(0, last + 1)], gains[first : max(0, last + 1)]
    return [least_sum(floors, gains, unit)] if floors else []


def _narrowed(
    certificate: ShiftCertificate,
    points: Sequence[Point],
    floors: list[Fraction],
    gains: Sequence[int],
    unit: int,
    fold: bool,
) -> tuple[list[Fraction], Fraction]:
    """Add narrow events to the floors; floor + gain at their bends next to 0 (`narrow.proof.md`).

    With `fold`, the means of both sides. Also what the events spend.
    """
    if not certificate.narrow:
        return [], _ZERO
    centre = len(floors) // 2
    if any(event.furthest > centre - certificate.reach for event in certificate.narrow):
        raise FormatError("a narrow event is moved beyond the sensitivity")
    narrow = narrow_parts(certificate.narrow, points)
    for cell, amount in narrow.lowered.items():
        charge(2 * arithmetic(bits(amount, floors[centre + cell])))
        floors[centre + cell] -= amount
    left, here, right = (
        floors[i] + Fraction(gains[i], unit) for i in range(centre - 1, centre + 2)
    )
    floors[centre] += narrow.raised[0][1]
    lowered: list[Fraction] = []
    longest = bits(left, here, right, *(amount for _, *two in narrow.raised for amount in two))
    charge(20 * len(narrow.raised) * arithmetic(longest))
    for r, before, after in narrow.raised:
        two = [here + r * (left - here) + before, here + r * (right - here) + after]
        lowered += [sum(two, _ZERO) / 2] if fold else two
    return lowered, narrow.spent


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


def cost_floors(loss: Loss, edge: int, step: Fraction, integer: bool) -> list[Fraction]:
    """k_i for i = -edge..edge."""
    first = 0 if loss.symmetric else -edge
    charge((edge + 1 - first) * loss.effort_at(bits(step) + 20) // (4 if integer else 2))
    floors = list(floors_on(loss, first, edge, step, integer))
    return floors[:0:-1] + floors if loss.symmetric else floors


def least_sum(floors: Sequence[Fraction], gains: Sequence[int], unit: int) -> Fraction:
    """The least floors[i] + gains[i] / unit, exactly.

    Whole parts of fine units find the candidates, which is much faster than fractions.
    """
    fine = unit << 64
    longest = max((bits(k) for k in floors), default=0) + fine.bit_length()
    charge(len(floors) * (1000 + 2 * longest + (longest // 80) ** 2) // 1000)
    whole = [
        k.numerator * fine // k.denominator + (gain << 64)
        for k, gain in zip(floors, gains, strict=True)
    ]
    least = min(whole)
    candidates = {
        (k.numerator, k.denominator, gain)
        for k, gain, w in zip(floors, gains, whole, strict=True)
        if w == least
    }
    charge(len(candidates) * 3 * arithmetic(2 * longest))
    return min(Fraction(top, bottom) + Fraction(gain, unit) for top, bottom, gain in candidates)
