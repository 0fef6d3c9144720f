"""Answers by intervals: each interval of nodes has its answer, and the probabilities follow a rule.

Another interval's answer has its weight times that of the stair on which it lies, and stairs fall
from one sensitivity to the next; the answer of a node's own interval has what is left of 1. So
rows of thousands of answers need no list, and their privacy and loss are short sums. Statements
and proofs: `intervals.proof.md`. Standard library only, e^eps rounded down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Annotated, ClassVar

from ....exact import exp_lower
from ....problem import Problem
from ....work import charge
from ...codec import COUNT, Count, integer, record, several
from ...fields import demand
from ...limits import MAX_NODES, MAX_STAIRS_OF_RANGE
from .answers import FIRST, NO_ROWS, REVEALED, NodeAnswers, Nodes, is_plain

#: Limits of the checker.
MAX_INTERVALS = 10_000


@dataclass(frozen=True)
class Intervals:
    """How many nodes each interval has, its answer in steps from low, and its weight.

    `stairs` are the weights of the stairs from one sensitivity to the next, outwards.
    """

    sizes: Annotated[tuple[int, ...], several(integer(1, MAX_NODES + 1), MAX_INTERVALS)]
    answers: Annotated[tuple[int, ...], several(integer(0, MAX_NODES), MAX_INTERVALS)]
    weights: Annotated[tuple[int, ...], several(COUNT, MAX_INTERVALS)]
    stairs: Annotated[tuple[int, ...], several(COUNT, MAX_STAIRS_OF_RANGE, 1)]

    def check(self) -> None:
        """`FormatError` unless answers lie in their own intervals, and stairs never rise."""
        alike = len(self.sizes) == len(self.answers) == len(self.weights)
        demand(alike, '"sizes", "answers" and "weights" must be equally long')
        demand(all(a >= b for a, b in pairwise(self.stairs)), '"stairs" must never rise')
        ends = zip(pairwise(self.starts), self.answers, strict=True)
        inside = all(start <= y < end for (start, end), y in ends)
        demand(inside, '"answers" must lie in their own intervals')

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first node of each interval, and the one after the last."""
        return (0, *accumulate(self.sizes))

    def of(self, node: int) -> int:
        """The interval of a node."""
        return bisect_right(self.starts, node) - 1

    def beside(self, j: int, reach: int) -> Iterator[tuple[int, int, int]]:
        """(first node, last node, weight) of every stair of the answer j, on both sides."""
        start, end, last = self.starts[j], self.starts[j + 1], self.starts[-1] - 1
        for stair, weight in enumerate(self.stairs):
            low, high = start - (stair + 1) * reach, start - 1 - stair * reach
            if high >= 0:
                yield max(0, low), high, self.weights[j] * weight
            low, high = end + stair * reach, end + (stair + 1) * reach - 1
            if low <= last:
                yield low, min(last, high), self.weights[j] * weight

    def cuts(self, reach: int) -> list[int]:
        """0, the first node of each further run of nodes that answer alike, and one after all."""
        ends = (
            end
            for j in range(len(self.sizes))
            for first, last, _ in self.beside(j, reach)
            for end in (first, last + 1)
        )
        return sorted({*self.starts, *ends})

    def alone(self, reach: int, total: int) -> int:
        """The most that an interval's answer has which no other node gives."""
        own = self.own(reach, total)
        nowhere = (not self.stairs[0] * weight or len(self.sizes) == 1 for weight in self.weights)
        return max(
            (
                most
                for size, none, (_, most) in zip(self.sizes, nowhere, own, strict=True)
                if size == 1 and none
            ),
            default=0,
        )

    def row(self, node: int, reach: int, total: int) -> list[int]:
        """The weights of all answers at a node, `total` together."""
        own, row = self.of(node), [0] * len(self.sizes)
        for j, weight in enumerate(self.weights):
            apart = max(self.starts[j] - node, node - self.starts[j + 1] + 1)
            stair = -(-apart // reach) - 1
            if j != own and stair < len(self.stairs):
                row[j] = weight * self.stairs[stair]
        row[own] = total - sum(row)
        return row

    def own(self, reach: int, total: int) -> list[tuple[int, int]]:
        """The least and the most that each interval's own answer has, over its nodes."""
        changes: defaultdict[int, int] = defaultdict(int)
        charge(len(self.sizes) * len(self.stairs) * (6 + total.bit_length() // 500))
        for j in range(len(self.sizes)):
            for first, last, weight in self.beside(j, reach):
                changes[first] += weight
                changes[last + 1] -= weight
        found, given, own = [(total, 0)] * len(self.sizes), 0, 0
        for node in sorted(changes.keys() | set(self.starts[:-1])):
            given += changes[node]
            if node == self.starts[-1]:
                break
            own += node == self.starts[own + 1]
            least, most = found[own]
            found[own] = min(least, total - given), max(most, total - given)
        return found


@dataclass(frozen=True, kw_only=True)
class IntervalAnswers(NodeAnswers):
    """Every node has the row that intervals make."""

    step: Fraction
    denominator: Count
    first: Annotated[int, FIRST] = 0
    rows: ClassVar[Annotated[tuple[int, ...], NO_ROWS]] = ()
    revealed: Annotated[int, REVEALED] = 0
    intervals: Annotated[Intervals, record(Intervals, Intervals.check)]

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless intervals make up the range, for a plain loss and prior."""
        super().check_problem(problem)
        count = self.nodes(problem).last + 1
        demand(sum(self.intervals.sizes) == count, f'"sizes" must add up to {count} nodes')
        demand(
            is_plain(problem) and problem.prior is None and problem.loss.exponent in (1, 2),
            '"intervals" go with l1 or l2, a uniform prior and no further demands',
        )

    @property
    def width(self) -> int:
        """How many answers a node has."""
        return len(self.intervals.answers)

    @property
    def given(self) -> int:
        """What the row of a node adds up to."""
        return self.denominator - self.revealed

    def weights(self, k: int, nodes: Nodes) -> Sequence[int]:
        """Those of all intervals at a node."""
        return self.intervals.row(k, nodes.reach, self.given)

    def places(self, k: int, nodes: Nodes) -> Sequence[int]:
        """The answers of the intervals, in steps from low."""
        return self.intervals.answers

    def answers(self, nodes: Nodes) -> tuple[Fraction, ...]:
        """Those of the intervals, in order."""
        return tuple(map(nodes.place, self.intervals.answers))

    def total(self, problem: Problem) -> Fraction:
        """1, unless so much is given to others that nothing is left for some own answer."""
        own = self.intervals.own(self.nodes(problem).reach, self.given)
        return 1 - Fraction(min(0, *(least for least, _ in own)), self.denominator)

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """At least the largest hockey stick of two nodes within the sensitivity."""
        part, nodes = self.intervals, self.nodes(problem)
        top, bottom = exp_lower(epsilon).as_integer_ratio()
        stairs, starts, reach = part.stairs, part.starts, nodes.reach
        # What one stair exceeds e^eps times the next by; beyond the last there may be nothing.
        falls = sum(max(0, a * bottom - b * top) for a, b in pairwise(stairs))
        if max(starts[-2], nodes.last + 1 - starts[1]) > len(stairs) * reach:
            falls += stairs[-1] * bottom
        worst, first = 0, stairs[0]
        owns = part.own(reach, self.given)
        for weight, (least, most) in zip(part.weights, owns, strict=True):
            over = max(0, most * bottom - weight * first * top)
            worst = max(worst, over + max(0, weight * first - least) * top)
        lacking = max(
            (w * first - least for w, (least, _) in zip(part.weights, owns, strict=True)), default=0
        )
        over = worst + max(0, lacking) * top + falls * sum(part.weights)
        revealed = Fraction(self.revealed, self.denominator)
        return "nodes of two intervals", Fraction(over, bottom * self.denominator) + revealed

    def expected_loss(self, problem: Problem) -> Fraction:
        """The expected loss of a release for |x| or x^2, the true value being uniform on the range.

        Where a value may be revealed, at least that.
        """
        part, nodes, power = self.intervals, self.nodes(problem), int(problem.loss.exponent or 0)
        costs = _Costs(part, power, nodes.last)
        cost = self.given * costs.own[-1]
        charge(len(part.sizes) * len(part.stairs) * (40 + self.given.bit_length() // 100))
        for j, answer in enumerate(part.answers):
            for first, last, weight in part.beside(j, nodes.reach):
                # This answer, in the place of the own one of each of these nodes.
                cost += weight * (costs.of(first, last, answer) - costs.owns(first, last))
        total = Fraction(cost, 12 * nodes.last) * self.step**power
        return (total + self.cost_of_revealing(problem)) / self.denominator


class _Costs:
    """Twelve times integrals of the loss, in steps, over the hats of nodes."""

    def __init__(self, part: Intervals, power: int, last: int) -> None:
        self.part, self.power, self.last = part, power, last
        charge(5 * len(part.sizes))
        each = (
            self.of(first, end - 1, y)
            for (first, end), y in zip(pairwise(part.starts), part.answers, strict=True)
        )
        #: Of the own answers of all intervals before each.
        self.own = [0, *accumulate(each)]

    def owns(self, first: int, last: int) -> int:
        """Of the nodes first..last, each answered by its own interval."""
        return self._before(last + 1) - self._before(first)

    def _before(self, node: int) -> int:
        i = self.part.of(node)
        start = self.part.starts[i]
        if i == len(self.part.sizes) or start == node:
            return self.own[i]
        return self.own[i] + self.of(start, node - 1, self.part.answers[i])

    def of(self, first: int, end: int, y: int) -> int:
        """Of the nodes first..end, all answered by y."""
        zero, one, two = self._hats(first, end)
        if self.power == 2:
            return two - 2 * y * one + y * y * zero
        if not first <= y <= end:
            return abs(one - y * zero)
        below, above = y - first, end - y
        found = 6 * below * below + 6 * above * above
        found += 0 if first == 0 else 6 * below + 2
        return found + (0 if end == self.last else 6 * above + 2)

    def _hats(self, first: int, end: int) -> tuple[int, int, int]:
        """Twelve times the integrals of 1, x and x^2 over the hats of the nodes first..end."""
        size, twice, last = end - first + 1, first + end, self.last
        zero, one = 12 * size, 6 * size * twice
        two = 3 * size * twice * twice + size * (size * size + 1)
        if first == 0:  # no half hat beyond an end
            zero, one, two = zero - 6, one + 2, two - 1
        if end == last:
            zero, one, two = zero - 6, one - 6 * last - 2, two - 6 * last * last - 4 * last - 1
        return zero, one, two
