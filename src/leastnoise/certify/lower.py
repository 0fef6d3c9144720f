"""A lower bound on the loss of every private noise, from multipliers, by weak duality.

Statement and proof: `lower.proof.md`. Standard library only; e^eps rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from ..errors import FormatError
from ..exact import exp_upper
from ..losses import Loss
from .document import Certificate
from .limits import arithmetic, bits, charge

#: Multipliers must share a denominator below 2^this, so that sums of them stay small.
_MAX_DENOMINATOR_BITS = 4096


def dual_bound(
    certificate: Certificate,
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    loss: Loss,
    integer: bool,
) -> Fraction:
    """theta - delta * (sum of budgets): no private noise has a smaller expected loss.

    Holds for any multipliers 0 <= z <= budget, however they were found. `integer` bounds
    integer-valued noise instead.
    """
    n = int(sensitivity / certificate.step)
    edge = certificate.reach + n
    exponential = exp_upper(epsilon)
    top, bottom = exponential.numerator, exponential.denominator
    scale = common_denominator(certificate)
    charge_multipliers(certificate, scale)
    gains = [0] * (2 * edge + 1)  # in units of 1 / (scale * bottom)
    budgets = Fraction(0)
    for entry in certificate.shifts:
        for sign in (1, -1) if entry.mirror else (1,):
            budgets += entry.budget
            for i, z in entry.cells:
                # z(m,i) helps cell i and hurts cell i - m
                amount = z.numerator * (scale // z.denominator)
                gains[edge + sign * i] += amount * bottom
                gains[edge + sign * (i - entry.shift)] -= amount * top
    floors = cost_floors(loss, edge, certificate.step, integer)
    outer = [loss.outer_minimum(side, edge * certificate.step) for side in (-1, 1)]
    if not integer:
        # Rounding moves mass from beyond the last lattice point to it; no more than the loss
        # out there may be assumed of it (it matters only for a loss that falls out there).
        floors[0], floors[-1] = min(floors[0], outer[0]), min(floors[-1], outer[1])
    theta = min(least_sum(floors, gains, scale * bottom), *outer)
    return theta - delta * budgets


def cost_floors(loss: Loss, edge: int, step: Fraction, integer: bool) -> list[Fraction]:
    """k_i for i = -edge..edge."""
    first = 0 if loss.symmetric else -edge
    charge((edge + 1 - first) * loss.effort_at(bits(step) + 20) // (4 if integer else 2))
    if integer:
        found = [loss.lower(Fraction(i)) for i in range(first, edge + 1)]
    else:
        found = list(loss.minorants(first, edge, step))
    return found[:0:-1] + found if loss.symmetric else found


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
        for k, gain, w in zip(floors, gains, whole, strict=True) if w == least
    }
    charge(len(candidates) * 3 * arithmetic(2 * longest))
    return min(Fraction(top, bottom) + Fraction(gain, unit) for top, bottom, gain in candidates)


def common_denominator(certificate: Certificate) -> int:
    """A multiple of all denominators of the multipliers of shifts and of compared cells."""
    scale = 1
    listed = [(entry.budget, *(z for _, z in entry.cells)) for entry in certificate.shifts]
    compared = [tuple(u for _, u in dual.cells) for dual in certificate.constraints]
    for values in (*listed, *compared):
        charge(1 + len(values) // 2)
        for value in values:
            if scale % value.denominator:
                charge(10)
                scale = lcm(scale, value.denominator)
                if scale.bit_length() > _MAX_DENOMINATOR_BITS:
                    raise FormatError("the multipliers have no common denominator below 2^4096")
    return scale


def charge_multipliers(certificate: Certificate, scale: int) -> None:
    """Count what it takes to add all multipliers up, in units of 1 / scale."""
    count = sum((1 + entry.mirror) * (1 + len(entry.cells)) for entry in certificate.shifts)
    count += sum(len(dual.cells) for dual in certificate.constraints)
    charge(count * (2000 + 2 * scale.bit_length()) // 1000)


def cost_floor(loss: Loss, i: int, step: Fraction, integer: bool) -> Fraction:
    """k_i: the loss at i for integer noise, its minorant at i*step otherwise."""
    return loss.lower(Fraction(i)) if integer else loss.minorant(i, step)
