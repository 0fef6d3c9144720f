"""The checker of data dependent mechanisms: each claim is proven, refuted or not checked.

Statements and proofs: `channel.proof.md`. Standard library only, integer arithmetic, e^eps
rounded down for privacy and up for the lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, lcm

from ..errors import FormatError
from ..exact import exp_lower, exp_upper
from ..losses import Huber, Loss, Piecewise, Power, Sum
from .channel_document import (
    MAX_OUTPUTS,
    MAX_ROWS,
    ChannelCertificate,
    ChannelDocument,
    Crossing,
    PairMultipliers,
    Prior,
    Question,
    Tails,
    parse_channel,
)
from .report import NOT_CHECKED, PROVEN, REFUTED, Claim, Report

#: Multipliers must share a denominator below 2^this, so that sums of them stay small.
_MAX_DENOMINATOR_BITS = 1024


def check_channel(document: ChannelDocument) -> Report:
    """Check every claim of a data dependent mechanism in exact arithmetic."""
    claims = [_distribution(document), _privacy(document), _upper(document), _lower(document)]
    if document.question.instance_bound is not None:
        claims.append(_instance(document))
    return Report(tuple(claims))


def _claim(name: str, slack: Fraction, holds: str, fails: str) -> Claim:
    good = slack >= 0
    return Claim(name, PROVEN if good else REFUTED, slack, holds if good else fails)


# -- a private distribution -------------------------------------------------------------------


def _distribution(document: ChannelDocument) -> Claim:
    totals = [sum(row) + atom for row, atom in zip(document.rows, document.atoms, strict=True)]
    if document.tails is not None:
        totals += [sum(document.tails.left[1]), sum(document.tails.right[1])]
    error = max(abs(total - document.denominator) for total in totals)
    return _claim(
        "distribution", -Fraction(error, document.denominator),
        "every row is non-negative and sums to the denominator",
        "a row does not sum to the denominator",
    )


def row_hockey_sticks(
    rows: Sequence[Sequence[int]], atoms: Sequence[int], epsilon: Fraction, reach: int
) -> Iterator[tuple[int, int, Fraction]]:
    """(k, m, atom_k + sum_y max(0, r_k(y) - e^eps r_m(y))) for 1 <= |k - m| <= reach.

    In units of the denominator. If the channel is its own mirror image, each pair stands for
    its reversal and only one of the two is listed.
    """
    bound = exp_lower(epsilon)
    top, bottom = bound.numerator, bound.denominator
    plus = [[w * bottom for w in row] for row in rows]
    minus = [[w * top for w in row] for row in rows]
    last = len(rows) - 1
    mirrored = list(atoms) == list(atoms)[::-1] and all(
        list(rows[k]) == list(rows[last - k])[::-1] for k in range(last // 2 + 1)
    )
    for k in range(len(rows)):
        for m in range(max(0, k - reach), min(last, k + reach) + 1):
            if k == m or (mirrored and k + m > last):
                continue
            excess = sum(d for a, b in zip(plus[k], minus[m], strict=True) if (d := a - b) > 0)
            yield k, m, atoms[k] + Fraction(excess, bottom)


def worst_pair(document: ChannelDocument) -> tuple[str, Fraction]:
    """(where, largest hockey stick) over the pairs of rows that neighbours can meet, exactly."""
    # Two different values of one cell share a row, and can differ in the atom only.
    worst = Fraction(0 if document.question.integer else max(document.atoms))
    where = "two values of one cell"
    rows, atoms = document.wide_rows()
    for k, m, value in row_hockey_sticks(rows, atoms, document.question.epsilon, document.reach):
        if value > worst:
            worst, where = value, f"rows {k} and {m}"
    return where, worst / document.denominator


def _privacy(document: ChannelDocument) -> Claim:
    where, worst = worst_pair(document)
    delta = document.question.delta
    words = f"largest hockey stick {float(worst):.12g} at {where}, delta {float(delta):g}"
    return _claim("privacy", delta - worst, words, words)


# -- the expected loss ------------------------------------------------------------------------


class CellLosses:
    """At least the mean of the loss of an answer y over values between two points, remembered."""

    def __init__(self, question: Question) -> None:
        self.loss = question.loss
        self.crossing = question.crossing
        self._means: dict[tuple[Fraction, Fraction], Fraction] = {}

    def mean(self, y: Fraction, start: Fraction, end: Fraction) -> Fraction:
        """Over true values uniform on [start, end), or equal to start = end."""
        key = (y - end, y - start)
        if key not in self._means:
            self._means[key] = (
                self.loss.upper(key[0]) if start == end else self.loss.cell_mean(*key)
            )
        if self.crossing is None:
            return self._means[key]
        return self._means[key] + self._crossed(y, start, end, self.crossing)

    def _crossed(self, y: Fraction, start: Fraction, end: Fraction, rule: Crossing) -> Fraction:
        if y == rule.at:
            return Fraction(0)
        if start == end:
            share = Fraction((start - rule.at) * (y - rule.at) < 0)
        else:
            below = (min(max(rule.at, start), end) - start) / (end - start)
            share = below if y > rule.at else 1 - below
        return rule.slope * abs(y - rule.at) * share


def channel_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss of a release, the true value being drawn from the prior."""
    losses = CellLosses(document.question)
    at_zero = document.question.loss.upper(Fraction(0))
    total = Fraction(0)
    cells = document.question.pieces(document.step)
    for row, atom, pieces in zip(document.rows, document.atoms, cells, strict=True):
        for start, end, mass in pieces:
            if mass:
                cost = sum(
                    (w * losses.mean(y, start, end)
                     for y, w in zip(document.outputs, row, strict=True) if w),
                    atom * at_zero,
                )
                total += mass * cost
    return total / document.denominator


def _upper(document: ChannelDocument) -> Claim:
    loss = channel_loss(document)
    words = f"expected loss of a release at most {float(loss):.12g}"
    return _claim("upper", document.upper - loss, words, f"{words}, above the stated upper")


# -- the lower bound --------------------------------------------------------------------------


def node_weights(question: Question, step: Fraction) -> list[Fraction]:
    """w_k: step times the infimum of the density on cell k; the mass of a whole number."""
    cells = question.pieces(step)
    if question.integer:
        return [pieces[0][2] for pieces in cells]
    return [min(mass / (b - a) for a, b, mass in pieces) * step for pieces in cells]


def crossing_floor(question: Question, step: Fraction, k: int, y: int) -> Fraction:
    """At most what crossing costs, as piecewise linear in the answer, for every offset of nodes."""
    rule, low = question.crossing, question.low
    if rule is None:
        return Fraction(0)
    if question.integer:
        value, answer = low + k, low + y
        opposite = (value - rule.at) * (answer - rule.at) < 0
        return rule.slope * abs(answer - rule.at) if opposite else Fraction(0)
    place = (rule.at - low) / step
    if k >= place:  # the whole cell lies above: answers below pay
        return rule.slope * step * max(0, floor(place) - (y + 1))
    if k + 1 <= place:
        return rule.slope * step * max(0, y - ceil(place))
    return Fraction(0)


def channel_dual_bound(question: Question, certificate: ChannelCertificate) -> Fraction:
    """sum_k theta_k - delta * (sum of budgets): no private channel has a smaller expected loss.

    Holds for any multipliers 0 <= z <= budget on pairs within the sensitivity, however they were
    found, for a loss that never falls away from 0.
    """
    loss, step = question.loss, certificate.step
    weights = node_weights(question, step)
    count = len(weights)
    exponential = exp_upper(question.epsilon)
    top, bottom = exponential.numerator, exponential.denominator
    scale = _common_denominator(certificate)
    gains = [[0] * count for _ in range(count)]  # in units of 1 / (scale * bottom)
    budgets = Fraction(0)
    last = count - 1
    for pair in certificate.pairs:
        for flip in (False, True)[: 1 + pair.mirror]:
            budgets += pair.budget
            helped = gains[last - pair.source if flip else pair.source]
            hurt = gains[last - pair.target if flip else pair.target]
            for y, z in pair.cells:
                at = last - y if flip else y
                amount = z.numerator * (scale // z.denominator)
                helped[at] += amount * bottom
                hurt[at] -= amount * top
    if question.integer:
        floors = {i: loss.lower(Fraction(i)) for i in range(-last, count)}
    else:
        floors = {i: loss.minorant(i, step) for i in range(-last, count)}
    shadow = certificate.instance or (Fraction(0),) * count
    total = -question.delta * budgets
    if certificate.instance:
        if question.instance_bound is None:
            raise FormatError("multipliers of an instance bound that is not there")
        total -= question.instance_bound * sum(certificate.instance)
    for k in range(count):
        weight = weights[k] + shadow[k]
        total += min(
            weight * floors[y - k] + Fraction(gains[k][y], scale * bottom)
            + weights[k] * crossing_floor(question, step, k, y)
            for y in range(count)
        )
    return max(total, Fraction(0))  # a loss is never negative


def _common_denominator(certificate: ChannelCertificate) -> int:
    scale = 1
    for pair in certificate.pairs:
        for _, value in pair.cells:
            if scale % value.denominator:
                scale = lcm(scale, value.denominator)
                if scale.bit_length() > _MAX_DENOMINATOR_BITS:
                    raise FormatError("the multipliers have no common denominator below 2^1024")
    return scale


def _lower(document: ChannelDocument) -> Claim:
    if not document.question.loss.falls_nowhere:
        return Claim(
            "lower", NOT_CHECKED, None, "the loss falls away from 0, which the bound does not allow"
        )
    bound = channel_dual_bound(document.question, document.certificate)
    words = f"every private answer costs at least {float(bound):.12g}"
    return _claim("lower", bound - document.lower, words, f"{words}, below the stated lower")


# -- a bound at every value -------------------------------------------------------------------


def is_convex(loss: Loss) -> bool:
    """Whether the loss is known to be convex."""
    if isinstance(loss, Sum):
        return all(is_convex(part) for _, part in loss.terms)
    if isinstance(loss, Piecewise):
        points = loss.points
        inner = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        slopes = [loss.slopes[0], *inner, loss.slopes[1]]
        return all(a <= b for a, b in pairwise(slopes))
    return isinstance(loss, (Power, Huber))


def worst_value_loss(document: ChannelDocument) -> Fraction:
    """The largest expected loss over the true values, for a convex loss without crossing.

    Within a cell the expected loss is convex in the value, so it is largest at an end.
    """
    loss, worst = document.question.loss, Fraction(0)
    at_zero = loss.upper(Fraction(0))
    values: dict[Fraction, Fraction] = {}
    cells = document.question.pieces(document.step)
    for row, atom, pieces in zip(document.rows, document.atoms, cells, strict=True):
        for value in {pieces[0][0], pieces[-1][1]}:
            total = atom * at_zero
            for y, w in zip(document.outputs, row, strict=True):
                if w:
                    x = y - value
                    if x not in values:
                        values[x] = loss.upper(x)
                    total += w * values[x]
            worst = max(worst, total)
    return worst / document.denominator


def _instance(document: ChannelDocument) -> Claim:
    bound = document.question.instance_bound
    assert bound is not None
    if document.question.crossing is not None or not is_convex(document.question.loss):
        return Claim("instance", NOT_CHECKED, None, "needs a convex loss of the error alone")
    worst = worst_value_loss(document)
    words = f"no value's expected loss is above {float(worst):.12g}"
    return _claim("instance", bound - worst, words, f"{words}: too much")


__all__ = [
    "MAX_OUTPUTS", "MAX_ROWS", "CellLosses", "ChannelCertificate", "ChannelDocument", "Crossing",
    "PairMultipliers", "Prior", "Question", "Tails", "channel_dual_bound", "channel_loss",
    "check_channel", "crossing_floor", "is_convex", "node_weights", "parse_channel",
    "row_hockey_sticks", "worst_pair", "worst_value_loss",
]
