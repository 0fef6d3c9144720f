"""Answers by intervals: each interval of nodes has its answer, and the probabilities follow a rule.

Another interval's answer has its weight times that of the stair on which it lies, and stairs fall
from one sensitivity to the next; the answer of a node's own interval has what is left of 1. So
rows of thousands of answers need no list, and their privacy and loss are short sums. Statements
and proofs: `intervals.proof.md`. Standard library only, e^eps rounded down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ...exact import exp_lower
from ...work import charge

if TYPE_CHECKING:
    from ..kinds.dependent import ChannelDocument


@dataclass(frozen=True)
class Intervals:
    """How many nodes each interval has, its answer in steps from low, and its weight.

    `stairs` are the weights of the stairs from one sensitivity to the next, outwards.
    """

    sizes: tuple[int, ...]
    answers: tuple[int, ...]
    weights: tuple[int, ...]
    stairs: tuple[int, ...]

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
        """0, the first node of each further run of nodes that have one law, and one after all."""
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


def least_own(document: ChannelDocument) -> int:
    """The least weight that an interval's own answer has left."""
    part, total = _part(document), document.denominator - document.revealed
    return min(least for least, _ in part.own(document.reach, total))


def intervals_stick(document: ChannelDocument, epsilon: Fraction) -> Fraction:
    """At least the largest hockey stick of two nodes within the sensitivity."""
    part, reach = _part(document), document.reach
    top, bottom = exp_lower(epsilon).as_integer_ratio()
    stairs, starts, last = part.stairs, part.starts, document.last
    # What one stair exceeds e^eps times the next by; beyond the last one there may be nothing.
    falls = sum(max(0, a * bottom - b * top) for a, b in pairwise(stairs))
    if max(starts[-2], last + 1 - starts[1]) > len(stairs) * reach:
        falls += stairs[-1] * bottom
    worst, first = 0, stairs[0]
    owns = part.own(reach, document.denominator - document.revealed)
    for weight, (least, most) in zip(part.weights, owns, strict=True):
        over = max(0, most * bottom - weight * first * top)
        worst = max(worst, over + max(0, weight * first - least) * top)
    lacking = max(
        (w * first - least for w, (least, _) in zip(part.weights, owns, strict=True)), default=0
    )
    over = worst + max(0, lacking) * top + falls * sum(part.weights)
    revealed = Fraction(document.revealed, document.denominator)
    return Fraction(over, bottom * document.denominator) + revealed


def _part(document: ChannelDocument) -> Intervals:
    assert document.intervals is not None
    return document.intervals


# -- the expected loss ------------------------------------------------------------------------


def intervals_loss(document: ChannelDocument) -> Fraction:
    """The expected loss of a release for |x| or x^2, the true value being uniform on the range.

    Where a value may be revealed, at least that.
    """
    part, power, reach = _part(document), int(document.loss.exponent or 0), document.reach
    total = document.denominator - document.revealed
    costs = _Costs(part, power, document.last)
    cost = total * costs.own[-1]
    charge(len(part.sizes) * len(part.stairs) * (40 + total.bit_length() // 100))
    for j, answer in enumerate(part.answers):
        for first, last, weight in part.beside(j, reach):
            # This answer, in the place of the own one of each of these nodes.
            cost += weight * (costs.of(first, last, answer) - costs.owns(first, last))
    found = Fraction(cost, 12 * document.last) * document.step**power
    return (found + document.cost_of_revealing()) / document.denominator


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
