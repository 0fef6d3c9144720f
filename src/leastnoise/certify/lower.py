"""A lower bound on the loss of every private noise, from multipliers, by weak duality.

Statement and proof: `lower.proof.md`. Standard library only; e^eps rounded up.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from ..errors import FormatError
from ..exact import exp_upper
from ..losses import Loss
from .document import Certificate

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
    scale = _common_denominator(certificate)
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
    theta = min(
        cost_floor(loss, i, certificate.step, integer) + Fraction(gains[edge + i], scale * bottom)
        for i in range(-edge, edge + 1)
    )
    outer = edge * certificate.step
    theta = min(theta, loss.outer_minimum(1, outer), loss.outer_minimum(-1, outer))
    return theta - delta * budgets


def _common_denominator(certificate: Certificate) -> int:
    scale = 1
    for entry in certificate.shifts:
        for value in (entry.budget, *(z for _, z in entry.cells)):
            if scale % value.denominator:
                scale = lcm(scale, value.denominator)
                if scale.bit_length() > _MAX_DENOMINATOR_BITS:
                    raise FormatError("the multipliers have no common denominator below 2^4096")
    return scale


def cost_floor(loss: Loss, i: int, step: Fraction, integer: bool) -> Fraction:
    """k_i: the loss at i for integer noise, its minorant at i*step otherwise."""
    return loss.lower(Fraction(i)) if integer else loss.minorant(i, step)
