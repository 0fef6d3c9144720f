"""The lower bound of a range from a price for every value: multipliers by a rule, never listed.

A price is what the answers of a value must cost at least. For each answer the values around it pay
less than their price, and those further away, which pay more, help them by a fixed rule; the check
is that they can. So a file with thousands of nodes to a sensitivity, as a large epsilon needs, is
short, and where prices are all the same one answer stands for all. Statement and proof:
`prices.proof.md`. Standard library only, e^eps rounded up, everything else down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import floor

from ...errors import FormatError
from ...exact import exp_lower, exp_upper
from ...problem.problem import Problem
from ...work import bits, charge
from ..codec import NOT_NEGATIVE, POSITIVE, Within, always, integer, pair, record, several
from ..fields import demand
from ..limits import MAX_CELLS, MAX_NODES, MAX_STAIRS_OF_RANGE
from .pairs import PairMultipliers, RangeCertificate
from .weak_duality import cost_floor, floors_on

#: Prices are whole numbers of a unit, the largest of so many bits.
_BITS = 56
#: Binary digits of what the growth of a stair divides by.
_DISCOUNT = 64


@dataclass(frozen=True)
class _Rule:
    """What the rule sees: losses by offset from -far on, prices, and sums of both."""

    far: int
    losses: Sequence[int]
    prices: Sequence[int]
    sums: tuple[Sequence[int], Sequence[int]]  # of losses, and of prices, up to each place
    near: tuple[int, int]  # offsets from -near[0] to near[1] may cost less than a price
    reach: int
    growth: tuple[int, int]  # at least e^eps, over
    discounts: Sequence[int]  # at most e^(-j eps) for stair j, in parts of 2^_DISCOUNT

    def surplus(self, y: int, k: int, side: int) -> int:
        """At most what node k has to give for the answer y, with what the stairs beyond pass on."""
        total, at = 0, k
        for discount in self.discounts:
            if not 0 <= at < len(self.prices):
                break
            total += (self.losses[y - at + self.far] - self.prices[at]) * discount
            at += side * self.reach
        return total >> _DISCOUNT

    def surpluses(self, y: int, first: int, last: int, side: int) -> int:
        """At most the sum of that over the nodes first..last that there are, by less than 1."""
        total, (losses, prices) = 0, self.sums
        for stair, discount in enumerate(self.discounts):
            start = max(0, first + side * stair * self.reach)
            end = min(len(self.prices) - 1, last + side * stair * self.reach)
            if start <= end:
                rise = losses[y - start + self.far + 1] - losses[y - end + self.far]
                total += (rise - prices[end + 1] + prices[start]) * discount
        return total >> _DISCOUNT

    def help(self, y: int) -> tuple[int, int, int] | None:
        """How the nodes around the answer y are helped; None if nobody needs that.

        (what those have who are within the sensitivity of all, what the upper and what the lower
        ones lack when their neighbors at a full sensitivity have helped). `FormatError` if there
        is not enough help.
        """
        first, last = max(0, y - self.near[1]), min(len(self.prices) - 1, y + self.near[0])
        charge(8 + 6 * len(self.discounts) + (last - first + 1) * (2 + len(self.discounts) // 2))
        lacks = {k: self.prices[k] - self.losses[y - k + self.far] for k in range(first, last + 1)}
        lacks = {k: lack for k, lack in lacks.items() if lack > 0}
        if not lacks:
            return None
        first, last, n = min(lacks), max(lacks), self.reach
        middle = min(max(y, first), last)
        top, bottom = self.growth
        upper = lower = 0
        for k, lack in lacks.items():
            if k >= middle:
                upper += max(0, lack - (k > middle) * self.surplus(y, k + n, 1) * bottom // top)
            else:
                given = (k + 1 < middle) * self.surplus(y, k - n, -1)
                lower += max(0, lack - given * bottom // top)
        # Some neighbors of all upper ones are no neighbors of all lower ones, and vice versa.
        above = self.surpluses(y, first + n + 1, middle + n, 1)
        below = self.surpluses(y, middle - 1 - n, last - n - 1, -1)
        inner = self.surpluses(y, last + 1, first + n, 1)
        inner += self.surpluses(y, last - n, first - 1, -1)
        rest = max(0, upper * top - above * bottom) + max(0, lower * top - below * bottom)
        if rest > inner * bottom:
            raise FormatError(f"the prices around answer {y} are too high")
        return (inner if rest else 0), upper, lower

    def budgets(self, often: Sequence[tuple[int, int]]) -> int:
        """At least the budgets of all but neighbors at a full sensitivity, over all nodes."""
        budgets = [self.help(y) for y, _ in often]
        total, (below, above), n = 0, self.near, self.reach
        top, bottom = self.growth
        charge(len(often) * (8 + (below + above) // 2 + 5 * len(self.discounts)))
        for k, times in often:
            # (A minorant is least at 0, and may be negative there: more is lacking than a price.)
            lack = max(0, self.prices[k] - self.losses[self.far])
            near = budgets[max(0, k - below) : k + above + 1]
            helped = [budget for budget in near if budget is not None]
            parts = [[budget[j] for budget in helped if budget[j]] for j in range(3)]
            if parts[0]:
                most = self.surpluses(k - below, k + 1, k + n, 1) + 1
                most += self.surpluses(k + above, k - n, k - 1, -1) + 1
                total += times * -(-lack * most // min(parts[0]))
            if parts[1]:
                most = self.surpluses(k - below, k + n - below - above, k + n, 1) + 1
                total += times * -(-lack * most * bottom // (top * min(parts[1])))
            if parts[2]:
                most = self.surpluses(k + above, k - n, k - n + below + above, -1) + 1
                total += times * -(-lack * most * bottom // (top * min(parts[2])))
        return total


@dataclass(frozen=True, kw_only=True)
class PriceCertificate(RangeCertificate):
    """What each value must cost at least, as runs (nodes, price), and how many stairs give.

    In the place of multipliers: a rule makes them. The prior is uniform.
    """

    stairs: int
    runs: tuple[tuple[int, Fraction], ...]

    def check_nodes(self, problem: Problem) -> None:
        """`FormatError` unless there is a price for every node."""
        plain = problem.plain_range
        demand(plain, '"prices" go with a uniform prior and with no further demands')
        count = self.count(problem)
        nodes = sum(length for length, _ in self.runs)
        demand(nodes == count, f'"runs" must be about {count} nodes')

    @property
    def used(self) -> set[int]:
        """(epsilon, delta)."""
        return {0}

    def dual_of_nodes(self, problem: Problem) -> Fraction:
        """The mean of the prices less what their budgets cost.

        `FormatError` if the rule does not serve these prices.
        """
        count, reach = self.count(problem), self.reach(problem)
        largest = max(price for _, price in self.runs)
        growth = exp_lower(problem.epsilon) - 1
        if growth <= 0 or largest <= 0:
            raise FormatError('"prices" need an epsilon and a price above 0')
        unit = largest / (1 << _BITS)
        runs = [(length, floor(price / unit)) for length, price in self.runs]
        rule, often = _rule(problem, self.step, self.stairs, reach, unit, runs)
        most = max(rule.losses[0], rule.losses[-1])
        spent = (Fraction(rule.budgets(often), count) + 2 * most / growth) * unit
        return sum(length * price for length, price in runs) * unit / count - problem.delta * spent


def _rule(
    problem: Problem,
    step: Fraction,
    stairs: int,
    reach: int,
    unit: Fraction,
    runs: Sequence[tuple[int, int]],
) -> tuple[_Rule, list[tuple[int, int]]]:
    """(the rule, which answers must be looked at and for how many they stand)."""
    growth, loss, integer = exp_upper(problem.epsilon), problem.loss, problem.integer
    discounts = _discounts(growth, stairs)
    highest, near = max(price for _, price in runs), []
    for side in (-1, 1):  # up to where a loss may be below a price
        i = 0
        while i <= reach and cost_floor(loss, side * i, step, integer) // unit < highest:
            charge(2 * loss.effort_at(bits(step) + 20))
            i += 1
        near.append(i)
    window = len(discounts) * reach + 2 * max(near)
    # A run longer than all that an answer sees is as good as a shorter one.
    most = 2 * window + 1
    shorter = [(min(length, most), price) for length, price in runs]
    far = window
    charge(2 * far * loss.effort_at(bits(step) + 20))
    charge(4 * sum(length for length, _ in shorter))
    losses = [floor(k / unit) for k in floors_on(loss, -far, far, step, integer)]
    beyond = [loss.outer_minimum(side, far * step) // unit for side in (-1, 1)]
    _fall_nowhere(losses, beyond, far)
    if sum(near) >= reach or min(losses[far - near[0]], losses[far + near[1]]) < highest:
        raise FormatError("the prices exceed the loss over more than the sensitivity")
    listed = [price for length, price in shorter for _ in range(length)]
    sums = ([0, *accumulate(losses)], [0, *accumulate(listed)])
    rule = _Rule(
        far, losses, listed, sums, (near[0], near[1]), reach, growth.as_integer_ratio(), discounts
    )
    often, start = [], 0
    for (length, _), (kept, _) in zip(runs, shorter, strict=True):
        often += [(start + j, 1 + (length - kept) * (2 * j + 1 == most)) for j in range(kept)]
        start += kept
    return rule, often


def _discounts(growth: Fraction, stairs: int) -> list[int]:
    """Of as many stairs as there are, but for those of which nothing is left."""
    discounts = [1 << _DISCOUNT]
    while len(discounts) < stairs and (
        less := discounts[-1] * growth.denominator // growth.numerator
    ):
        discounts.append(less)
    return discounts


def _fall_nowhere(losses: list[int], beyond: Sequence[int], far: int) -> None:
    """Lower the losses until they fall nowhere away from 0."""
    for side, outer in zip((-1, 1), beyond, strict=True):
        least = outer
        for i in range(far, -1, -1):
            least = losses[far + side * i] = min(losses[far + side * i], least)


PRICES = record(
    PriceCertificate,
    step=POSITIVE,
    first=always(0, integer(0, 0)),
    pairs=several(record(PairMultipliers), 0),
    prices=Within(
        record(
            PriceCertificate,
            stairs=integer(1, MAX_STAIRS_OF_RANGE),
            runs=several(pair(integer(1, MAX_NODES), NOT_NEGATIVE), MAX_CELLS),
        )
    ),
)
