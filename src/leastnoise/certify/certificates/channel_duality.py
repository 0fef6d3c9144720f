"""The lower bound of a data dependent mechanism: multipliers in, a proven number out.

Statement and proof: `../kinds/dependent_check.proof.md`, `groups.proof.md`. Standard library only,
e^eps rounded up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, lcm

from ...errors import FormatError
from ...exact import exp_upper
from ...problem.problem import Problem
from ...work import add_up, bits, charge
from ..kinds.dependent import ChannelCertificate
from .copies import MOST_BITS, copied_bound
from .duality import common_denominator, floors_on
from .groups import grouped
from .prices import priced_bound


def node_weights(problem: Problem, step: Fraction) -> list[Fraction]:
    """w_k: step times the infimum of the density on cell k; the mass of a whole number."""
    cells = problem.pieces(step)
    if problem.integer:
        return [pieces[0][2] for pieces in cells]
    return [min(mass / (b - a) for a, b, mass in pieces) * step for pieces in cells]


def crossing_floor(problem: Problem, step: Fraction, k: int, y: int) -> Fraction:
    """At most what crossing costs, as piecewise linear in the answer, for every offset of nodes."""
    unit, floors = _crossing(problem, step)
    return unit * floors(k, y)


def _crossing(problem: Problem, step: Fraction) -> tuple[Fraction, Callable[[int, int], int]]:
    """(unit, f): crossing costs f(k, y) units at least, f whole."""
    rule = problem.crossing
    if rule is None:
        return Fraction(0), lambda k, y: 0
    place = (rule.at - problem.low) / step
    if problem.integer:
        top, bottom = place.as_integer_ratio()

        def apart(k: int, y: int) -> int:
            value, answer = k * bottom - top, y * bottom - top
            return abs(answer) if value * answer < 0 else 0

        return rule.slope / bottom, apart
    below, above = floor(place), ceil(place)

    def hinge(k: int, y: int) -> int:
        if k >= above:  # the whole cell lies above: answers below pay
            return max(0, below - (y + 1))
        return max(0, y - above) if k + 1 <= below else 0

    return rule.slope * step, hinge


def channel_dual_bound(problem: Problem, certificate: ChannelCertificate) -> Fraction:
    """sum_k theta_k - sum delta_j * budgets_j: no channel private at all points costs less.

    Holds for any multipliers 0 <= z <= budget on pairs within the sensitivity, however they were
    found, for a loss that never falls away from 0. The points are the certificate's, or the
    question's (epsilon, delta).
    """
    if certificate.group > 1:
        if certificate.points:
            raise FormatError('"group" does not go with "points"')
        about, share = grouped(problem, certificate.group, certificate.step)
        found = channel_dual_bound(about, replace(certificate, group=1))
        return share * found + (1 - share) * problem.loss.lower(Fraction(0))
    if certificate.prices is not None:
        return priced_bound(problem, certificate)
    if certificate.copies is not None:
        return copied_bound(problem, certificate)
    loss, step = problem.loss, certificate.step
    weights = node_weights(problem, step)
    count = len(weights)
    last = count - 1
    listed = ([z for _, z in pair.cells] for pair in certificate.pairs)
    scale = common_denominator(listed, MOST_BITS)
    gains, bottom, total = _gains(problem, certificate, count, scale)
    charge(2 * count * loss.effort_at(bits(step) + 20))
    floors = dict(enumerate(floors_on(loss, -last, count - 1, step, problem.integer), -last))
    shadow = certificate.instance or (Fraction(0),) * count
    if certificate.instance:
        if problem.instance_bound is None:
            raise FormatError("multipliers of an instance bound that is not there")
        total -= problem.instance_bound * add_up(certificate.instance)
    span = answer_span(problem, step, count)
    # The rest in whole numbers: many rows times many outputs.
    unit = lcm(*(low.denominator for low in floors.values()))
    whole = {i: low.numerator * (unit // low.denominator) for i, low in floors.items()}
    longest = max(map(int.bit_length, whole.values())) + unit.bit_length() + scale.bit_length()
    each, crossed = _crossing(problem, step)
    parts = []
    for k in range(count):
        weight, extra = weights[k] + shadow[k], weights[k] * each
        below = lcm(weight.denominator * unit, extra.denominator)
        above = weight.numerator * (below // (weight.denominator * unit)) * scale * bottom
        across = extra.numerator * (below // extra.denominator) * scale * bottom
        outputs = range(max(0, k - span), min(count, k + span + 1))
        size = longest + bits(weight, extra) + 128
        each_output = (800 if extra else 300) + size // 4 + (size // 80) ** 2  # nanoseconds
        charge(10 + len(outputs) * each_output // 1000)
        row = gains[k]
        if extra:
            least = min(
                above * whole[y - k] + below * row[y] + across * crossed(k, y) for y in outputs
            )
        else:
            least = min(above * whole[y - k] + below * row[y] for y in outputs)
        parts.append(Fraction(least, below * scale * bottom))
    return total + add_up(parts)


def _gains(
    problem: Problem, certificate: ChannelCertificate, count: int, scale: int
) -> tuple[list[list[int]], int, Fraction]:
    """Gains of nodes and outputs in whole numbers of 1/(scale * bottom), bottom, -delta budgets."""
    points = certificate.points_of(problem)
    exponentials = [exp_upper(epsilon) for epsilon, _ in points]
    bottom = lcm(*(one.denominator for one in exponentials))
    tops = [int(one * bottom) for one in exponentials]
    listed = sum((1 + pair.mirror) * (2 + len(pair.cells)) for pair in certificate.pairs)
    charge(listed * (2000 + 2 * scale.bit_length()) // 1000 + count * count // 50)
    gains = [[0] * count for _ in range(count)]
    spent = add_up(
        (1 + pair.mirror) * points[pair.point][1] * pair.budget for pair in certificate.pairs
    )
    last = count - 1
    for pair in certificate.pairs:
        top = tops[pair.point]
        for flip in (False, True)[: 1 + pair.mirror]:
            helped = gains[last - pair.source if flip else pair.source]
            hurt = gains[last - pair.target if flip else pair.target]
            for y, z in pair.cells:
                at = last - y if flip else y
                amount = z.numerator * (scale // z.denominator)
                helped[at] += amount * bottom
                hurt[at] -= amount * top
    return gains, bottom, -spent


def answer_span(problem: Problem, step: Fraction, count: int) -> int:
    """How many nodes away from a value its answer may be, after rounding to nodes."""
    if problem.max_error is None:
        return count
    reach = problem.max_error / step
    return floor(reach) if problem.integer else ceil(reach + 1) - 1
