"""What the nodes of a range pay for answers, on average over the values that are rounded to them.

Statements and proofs: `answers.proof.md`, "Upper bound". Standard library only; every rounding is
upwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ....problem.problem import Problem
from ....work import add_up, arithmetic, bits, charge
from ...fields import kink_work


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
