"""Prices of values: what the answers of each must cost at least, so high that the rule just serves.

`../../../certify/certificates/prices.py` has the rule: for every answer, the values further away
must be able to help those around it. In floats the prices are raised where they can help more than
is needed and lowered where they cannot. What comes out is checked exactly; why it is near the best
that can be proven at a large epsilon: `prices.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.ndimage import minimum_filter1d

from ....baselines import Staircase
from ....certify.certificates.prices import PriceCertificate
from ....errors import FormatError, LimitError
from ....numeric import Floats, Ints
from ....problem import Problem
from ....work import BUDGET, counted
from ...bounds import Lower, proven


@dataclass(frozen=True)
class PriceSettings:
    """Numbers of the search for prices.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Nodes up to so many sensitivities (and what is around an answer) from an end have prices of
    #: their own; further in, all have the same.
    layer: float = 1.25
    #: Rounds of raising and lowering, and by how much more than is needed a price may rise.
    rounds: int = 60
    most: float = 1.2
    lower: tuple[float, ...] = (1e-8, 1e-5, 1e-3)
    #: The most nodes that have prices of their own.
    most_nodes: int = 24_000


SETTINGS = PriceSettings()

#: Significant digits of a price, and how much lower all of them are, in turn.
_DIGITS = 9


@dataclass(frozen=True)
class PricedNodes:
    """Prices of the nodes of a range, a long middle shortened to as much as an answer sees."""

    step: Fraction
    count: int  # of all nodes
    prices: Floats
    middle: tuple[int, int]  # the nodes from here to there have one price

    def at(self, places: Floats) -> Floats:
        """The prices of values, in steps from low."""
        nodes, missing = np.floor(places).astype(np.int64), self.count - len(self.prices)
        beyond = nodes >= self.middle[0] + missing
        inner = np.minimum(nodes, self.middle[0])
        return self.prices[np.where(beyond, np.maximum(nodes - missing, 0), inner)]

    def runs(self, lower: float) -> Iterator[tuple[int, Fraction]]:
        """(nodes, price), rounded down, each lower by this share."""
        digits = _DIGITS - math.floor(math.log10(float(self.prices.max())))
        missing, length, before = self.count - len(self.prices), 0, Fraction(-1)
        for k, price in enumerate(self.prices.tolist()):
            rounded = Fraction(math.floor(Fraction(price * (1 - lower)) * 10**digits), 10**digits)
            if rounded != before and length:
                yield length, before
                length = 0
            length, before = length + 1 + (missing if k == self.middle[0] else 0), rounded
        yield length, before


class _Rule:
    """The rule of the checker in floats, for all answers at once."""

    def __init__(self, problem: Problem, n: int, count: int, stairs: int, highest: float) -> None:
        self.n, self.count, self.stairs = n, count, stairs
        self.growth = math.exp(problem.epsilon)
        step, loss = problem.sensitivity / n, problem.loss
        around = 1
        while float(min(loss.minorant(i * around, step) for i in (-1, 1))) < highest:
            around += 1
        self.around, self.far = around, stairs * n + 2 * around
        sampled = np.arange(-self.far, self.far + 1.0) * float(step)
        near = range(-2 * around, 2 * around + 1)
        self.losses = np.asarray(loss(sampled), dtype=np.float64)
        bend = float(loss.lower(step * n)) - float(loss.minorant(n, step))
        self.losses -= bend
        for i in near:
            if abs(i) <= self.far:
                self.losses[i + self.far] = float(loss.minorant(i, step))
        self.sums = np.concatenate([[0.0], np.cumsum(self.losses)])

    def served(self, prices: Floats) -> Floats:
        """For every answer, how many times as much help there is as is needed."""
        y = np.arange(self.count)[:, None]
        k = y + np.arange(-self.around, self.around + 1)
        there = (k >= 0) & (k < self.count)
        surplus = prices[np.clip(k, 0, self.count - 1)] - self.losses[y - k + self.far]
        lacks = np.where(there, np.maximum(surplus, 0.0), 0.0)
        lacking = lacks > 0
        first, last = lacking.argmax(axis=1), lacks.shape[1] - 1 - lacking[:, ::-1].argmax(axis=1)
        n, growth, y = self.n, self.growth, y[:, 0]
        begin, end = k[:, 0] + first, k[:, 0] + last
        middle = np.clip(y, begin, end)
        up = k >= middle[:, None]
        given = np.where(k > middle[:, None], self._surplus(prices, k, 1), 0.0)
        given += np.where(k + 1 < middle[:, None], self._surplus(prices, k, -1), 0.0)
        lacks = np.maximum(0.0, lacks * growth - given)
        sums = np.concatenate([[0.0], np.cumsum(prices)])
        above = self._sum(sums, y, begin + n + 1, middle + n, 1)
        below = self._sum(sums, y, middle - 1 - n, end - n - 1, -1)
        left = np.maximum(0.0, (lacks * up).sum(axis=1) - above)
        left += np.maximum(0.0, (lacks * ~up).sum(axis=1) - below)
        inner = self._sum(sums, y, end + 1, begin + n, 1)
        inner += self._sum(sums, y, end - n, begin - 1, -1)
        # All that helps, over all that is needed.
        ratio: Floats = 1 + np.divide(
            inner - left, lacks.sum(axis=1), out=np.ones(self.count), where=left > 0
        )
        return ratio

    def _surplus(self, prices: Floats, k: Ints, side: int) -> Floats:
        """What the node a sensitivity from each k has to give for the answer of its row."""
        y = np.arange(self.count)[:, None]
        total = np.zeros(k.shape)
        for stair in range(self.stairs):
            at = k + side * (stair + 1) * self.n
            there = (at >= 0) & (at < self.count)
            spare = self.losses[np.clip(y - at, -self.far, self.far) + self.far]
            spare = spare - prices[np.clip(at, 0, self.count - 1)]
            total += np.where(there, spare, 0.0) / self.growth**stair
        return total

    def _sum(self, sums: Floats, y: Ints, first: Ints, last: Ints, side: int) -> Floats:
        """The sum of that over the nodes first..last of a side."""
        total = np.zeros(self.count)
        for stair in range(self.stairs):
            start = np.maximum(0, first + side * stair * self.n)
            end = np.minimum(self.count - 1, last + side * stair * self.n)
            there = start <= end
            start, end = np.where(there, start, y), np.where(there, end, y)
            part = self.sums[y - start + self.far + 1] - self.sums[y - end + self.far]
            part -= sums[end + 1] - sums[start]
            total += np.where(there, part, 0.0) / self.growth**stair
        return total


def priced(problem: Problem, n: int, stairs: int) -> PricedNodes | None:
    """Prices on n nodes a sensitivity; None if there would be too many of them."""
    step = problem.sensitivity / n
    count = int(problem.width / step)
    start = far_from_ends(problem)[1]
    rule = _Rule(problem, n, 1, stairs, 2 * start)
    layer = min(math.ceil(SETTINGS.layer * n) + rule.around, count // 2)
    short = min(count, 2 * (layer + rule.far) + 1)
    if short > SETTINGS.most_nodes:
        return None
    rule.count = short
    middle = (layer, short - layer) if short < count else (0, 0)
    prices = np.full(short, start)
    for turn in range(SETTINGS.rounds + 1):
        ratio = np.clip(rule.served(prices), 1 / SETTINGS.most, SETTINGS.most)
        last = (
            turn == SETTINGS.rounds
        )  # all around an answer that is not served fall by what it lacks
        ratio = minimum_filter1d(ratio, (1 + last) * rule.around + 1, mode="nearest")
        prices = prices * (np.minimum(ratio, 1.0) if last else np.sqrt(ratio))
        prices = np.minimum(prices, 1.9 * start)
        if short < count:
            prices[layer : short - layer] = prices[layer : short - layer].min()
    return PricedNodes(step, count, prices, middle)


def far_from_ends(problem: Problem) -> tuple[float, float]:
    """(half an interval, the price) of values far from the ends: those of the best staircase."""
    tuned = Staircase(epsilon=problem.epsilon, sensitivity=problem.sensitivity, loss=problem.loss)
    half = float(tuned.gamma) * float(problem.sensitivity)
    return half, float(tuned.expected_loss(problem.loss))


def priced_lower(problem: Problem, prices_of_values: PricedNodes, stairs: int) -> Lower | None:
    """The bound that prices prove; None if they prove none within half the work of a check."""
    for lower in SETTINGS.lower:
        certificate = PriceCertificate(
            step=prices_of_values.step, stairs=stairs, runs=tuple(prices_of_values.runs(lower))
        )
        try:
            with counted(BUDGET // 2):
                return proven(problem, certificate, prices_of_values.count)
        except LimitError:
            return None
        except FormatError:
            continue
    return None
