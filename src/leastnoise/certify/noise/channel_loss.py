"""What the answers of a data dependent mechanism cost: on average, and at the worst value.

Statements and proofs: `../kinds/dependent_check.proof.md`. Standard library only; every rounding is
upwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from ...problem.problem import Problem
from ...work import add_up, arithmetic, bits, charge
from ..fields import kink_work
from ..kinds.dependent import ChannelDocument


class NodeLosses:
    """At least the share of the expected loss that node k pays for answering y, remembered.

    That is the integral of the prior density times the probability of being rounded to the node
    times the loss; for whole numbers the mass of the number times the loss.
    """

    def __init__(self, problem: Problem, step: Fraction) -> None:
        self.problem = problem
        self.step = step
        # (Whole numbers are not listed: a few nodes may stand for millions.)
        self.cells = () if problem.integer else problem.pieces(step)
        self.last = problem.width / step
        # By numerators and denominators: fractions are slow to hash.
        self._means: dict[tuple[int, int, int, int], tuple[Fraction, Fraction]] = {}
        self._costs: dict[tuple[int, int], Fraction] = {}
        self._kink_work = kink_work(problem.loss)

    def cost(self, k: int, y: Fraction) -> Fraction:
        """Of the answer y at node k."""
        problem = self.problem
        if problem.prior is None and problem.crossing is None and 0 < k < self.last:
            # Between the ends of the range only the distance counts.
            error = (y - problem.low - k * self.step).as_integer_ratio()
            found = self._costs.get(error)
            if found is None:
                found = self._costs[error] = self._cost(k, y)
            return found
        return self._cost(k, y)

    def _cost(self, k: int, y: Fraction) -> Fraction:
        problem = self.problem
        if problem.integer:
            return add_up(self._whole(k, y))
        node, total = problem.low + k * self.step, Fraction(0)
        for cell in (k - 1, k):
            if 0 <= cell < len(self.cells):
                sums = 5 if problem.crossing is None else 20
                charge(sums * arithmetic(2 * bits(y, self.step)) * (1 + len(self.cells[cell])))
                for start, end, mass in self.cells[cell]:
                    if len(self.cells[cell]) == 1 and problem.crossing is None:
                        # The error falls as the value rises.
                        total += mass * self._ramps(y - end, y - start)[cell == k]
                        continue
                    # The probability of this node, at the two ends of the piece.
                    before = 1 - abs(start - node) / self.step
                    after = 1 - abs(end - node) / self.step
                    total += mass * self._piece(y, start, end, before, after)
        return total

    def _whole(self, k: int, y: Fraction) -> Iterator[Fraction]:
        """Of the whole numbers that may be rounded to node k, less than a step from it."""
        problem, step, count = self.problem, int(self.step), int(self.problem.width) + 1
        each = Fraction(1, count)
        for number in range(max(0, (k - 1) * step + 1), min((k + 1) * step, count)):
            charge(problem.loss.effort_at(bits(y)) + 4 * arithmetic(2 * bits(y)))
            value = problem.low + number
            mass = each if problem.prior is None else problem.prior.masses[number]
            share = 1 - Fraction(abs(number - k * step), step)
            crossed = self._crossing(y, value, value, Fraction(1), Fraction(1))
            yield share * mass * (problem.loss.upper(y - value) + crossed)

    def _piece(
        self, y: Fraction, start: Fraction, end: Fraction, before: Fraction, after: Fraction
    ) -> Fraction:
        """Mean over [start, end) of the loss times a weight linear from `before` to `after`."""
        falling, rising = self._ramps(y - end, y - start)  # in the error
        return before * rising + after * falling + self._crossing(y, start, end, before, after)

    def _ramps(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        key = (*lo.as_integer_ratio(), *hi.as_integer_ratio())
        found = self._means.get(key)
        if found is None:
            kinks = self.problem.loss.kinks_between(lo, hi)
            charge(6 * self.problem.loss.effort_at(bits(lo, hi)))
            charge(kinks * (60 + 6 * self._kink_work))
            found = self._means[key] = self.problem.loss.ramp_means(lo, hi)
        return found

    def _crossing(
        self, y: Fraction, start: Fraction, end: Fraction, before: Fraction, after: Fraction
    ) -> Fraction:
        rule = self.problem.crossing
        if rule is None or y == rule.at:
            return Fraction(0)
        if end <= rule.at if y < rule.at else start >= rule.at:
            return Fraction(0)  # all on one side
        if start == end:
            share = Fraction(1)
        else:
            cut = min(max(rule.at, start), end)
            a, b = (start, cut) if y > rule.at else (cut, end)
            middle = ((a + b) / 2 - start) / (end - start)
            share = (b - a) / (end - start) * (before + (after - before) * middle)
        return rule.slope * abs(y - rule.at) * share


def channel_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss of a release, the true value being drawn from the prior."""
    problem = document.problem
    losses = NodeLosses(problem, document.step)
    # Between the ends of the range only the distance counts, unless the prior or a crossing does.
    alike = problem.prior is None and problem.crossing is None
    held: defaultdict[tuple[int, Fraction | int], int] = defaultdict(int)
    places = document.columns
    document.charge_cells(1, 8)
    for k, row in enumerate(document.rows):
        node = 1 if alike and 0 < k < document.last else k
        for place, w in zip(places, row, strict=True):
            if w:
                held[node, place + (node - k)] += w
    total = add_up(
        w * losses.cost(node, document.place(place)) for (node, place), w in held.items()
    )
    return (total + document.cost_of_revealing()) / document.denominator


def noise_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss at every value beyond the range."""
    assert document.noise is not None
    loss, step, integer = document.problem.loss, document.step, document.problem.integer
    held = sum(1 for w in document.noise.weights if w)
    charge(held * 2 * loss.effort_at(bits(step) + 20))
    total = add_up(
        w * (loss.upper(i * step) if integer else loss.release_point(i * step, step))
        for i, w in enumerate(document.noise.weights, document.noise.first)
        if w
    )
    return total / document.denominator


def worst_value_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss at every true value, for a convex loss without crossing.

    Between nodes k and k + 1 it is at most the quadratic of t in [0, 1] whose three coefficients
    are the law of k at node k, the mean of that law at node k+1 and the law of k+1 at node k, and
    the law of k+1 there. Nodes next to the range count where values beyond it may be released.
    """
    problem, step = document.problem, document.step
    if document.additive is not None:
        return document.additive.release_loss(problem, problem.loss)
    worst = Fraction(0) if document.noise is None else noise_loss(document)
    values: dict[Fraction | int, Fraction] = {}
    evaluation = problem.loss.effort_at(bits(step) + 64)
    document.charge_cells(3, 25)

    def value(x: Fraction | int) -> Fraction:
        found = values.get(x)
        if found is None:
            charge(evaluation)
            found = values[x] = problem.loss.upper(x * step)
        return found

    def at(k: int, node: int) -> Fraction:
        places, weights = document.law_in_steps(k)
        held = ((place - node, w) for place, w in zip(places, weights, strict=True) if w)
        return add_up(w * value(x) for x, w in held) / document.denominator

    low, high = document.ends
    first = -1 if low < problem.low else 0
    last = document.last + (1 if high > problem.high else 0)
    own = [at(k, k) for k in range(first, last + 1)]
    worst = max(worst, *own)
    if not document.rounds:
        return worst
    for k, (start, end) in enumerate(pairwise(own), first):
        middle = (at(k, k + 1) + at(k + 1, k)) / 2
        if middle > max(start, end):
            worst = max(worst, (middle * middle - start * end) / (2 * middle - start - end))
    return worst
