"""A lower bound for wide ranges: the multipliers of additive noise, once for every value.

Far from the ends of a range the best answers look like additive noise, and so do the multipliers
that prove it. Copied to every pair of nodes they prove a bound for the whole range, weaker only
near the ends. Why any copy proves one: `lower.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..certify.channel import (
    ChannelCertificate,
    PairMultipliers,
    Question,
    channel_dual_bound,
    node_weights,
)
from ..certify.document import Certificate
from ..exact import round_down
from .lower import Lower

#: The most multipliers a copy may have, and nodes: the file stays below its limits.
MOST_MULTIPLIERS = 120_000
MOST_NODES = 1_024
#: Significant digits of a multiplier.
_DIGITS = 7


def translated_lower(question: Question, certificate: Certificate) -> Lower | None:
    """The bound that additive multipliers prove when every node has a copy of them.

    None if their step does not divide the range, or there would be too many.
    """
    step = certificate.step
    cells = question.width / step
    count = int(cells) + question.integer
    entries = sum((1 + entry.mirror) * len(entry.cells) for entry in certificate.shifts)
    if cells.denominator != 1 or count > MOST_NODES or count * entries > MOST_MULTIPLIERS:
        return None
    weights = node_weights(question, step)
    largest = max((entry.budget for entry in certificate.shifts), default=Fraction(1))
    unit = largest * max(weights) / 10**_DIGITS
    pairs = tuple(_pairs(certificate, weights, unit))
    copied = ChannelCertificate(step, pairs, (), certificate.points)
    return Lower(round_down(channel_dual_bound(question, copied), 15), copied, count)


def _pairs(
    certificate: Certificate, weights: list[Fraction], unit: Fraction
) -> Iterator[PairMultipliers]:
    """z(k, k + m, k + i) = w_k z(m, i), as whole numbers of a short decimal unit."""
    count, short = len(weights), _decimal(unit)
    for entry in certificate.shifts:
        for sign in (1, -1)[: 1 + entry.mirror]:
            for k, weight in enumerate(weights):
                m = k + sign * entry.shift
                if not 0 <= m < count:
                    continue
                # The weight of the rarer of the two, so that no row is charged too much.
                share = min(weight, weights[m])
                found = tuple(
                    (k + sign * i, round(share * z / short) * short)
                    for i, z in entry.cells if 0 <= k + sign * i < count
                )
                kept = tuple(sorted(cell for cell in found if cell[1]))
                if kept:
                    most = max(z for _, z in kept)
                    yield PairMultipliers(k, m, False, most, kept, entry.point)


def _decimal(unit: Fraction) -> Fraction:
    """A power of ten of at most the unit."""
    power = Fraction(1)
    while power > unit:
        power /= 10
    return power
