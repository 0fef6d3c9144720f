"""One interval of values for each answer, as long as the prices of its values say.

A value is answered by the middle of its interval, or by that of another with a probability that
falls from one sensitivity to the next. At a large epsilon that is nearly the best there is: an
interval is so short, and answers elsewhere so rare, that all that matters is how long intervals
are in each place. What comes out is checked exactly; why it is good: `prices.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....certify.kinds.dependent import dependent_file
from ....certify.noise.ranges.intervals import IntervalAnswers, Intervals
from ....exact import exp_lower
from ....numeric import Floats, Ints
from ....problem import Problem
from ...bounds import Upper, certified
from .prices import PricedNodes, far_from_ends

#: How such a mechanism is called.
PARTITION = "partition"
#: Nodes of an interval, about; nodes of a range at most, and intervals.
_NODES, _MOST_NODES, MOST_INTERVALS = 40, 4_000_000, 4_000
#: Bits of a weight beyond the size of delta, and the share of delta that is left for rounding and
#: for what lies beyond the last stair.
_BITS, _SPARE = 40, Fraction(1, 1000)


@dataclass(frozen=True)
class PartitionSettings:
    """Numbers of partitions.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Rounds until the weights of the answers agree with each other.
    rounds: int = 30


SETTINGS = PartitionSettings()


def partitioned(problem: Problem, priced: PricedNodes, atoms: bool = True) -> Upper | None:
    """The answers, if they pass the exact check; None, too, if there would be too many.

    With `atoms`, the value itself has nearly delta.
    """
    length, (half, price) = float(problem.width), far_from_ends(problem)
    if length > 3 * half * MOST_INTERVALS:
        return None
    cells = np.arange(priced.count, dtype=np.float64) + 0.5
    # At the edges of an interval the loss is about the price.
    shares = priced.at(cells) / price
    density = 0.5 / half / shares ** (1 / float(problem.loss.exponent or 1))
    filled = np.concatenate([[0.0], np.cumsum(density) * (length / priced.count)])
    several = max(1, round(float(filled[-1])))
    if several > MOST_INTERVALS:
        return None
    edges = np.interp(
        np.arange(several + 1) * (filled[-1] / several),
        filled,
        np.linspace(0.0, length, priced.count + 1),
    )
    return _checked(problem, edges, atoms)


def _checked(problem: Problem, edges: Floats, atoms: bool) -> Upper | None:
    """The answers of intervals between about these edges, from 0 to the width of the range."""
    shortest = float(np.diff(edges).min())
    unit = (problem.width / problem.sensitivity).denominator
    n = unit * math.ceil(_NODES * float(problem.sensitivity) / shortest / unit)
    step = problem.sensitivity / n
    last = int(problem.width / step)
    if last > _MOST_NODES:
        return None
    cuts = np.rint(edges / float(step)).astype(np.int64)
    cuts[-1] = last + 1
    if (np.diff(cuts) <= 0).any():
        return None
    intervals, denominator = _weighted(problem, cuts, n, last)
    revealed = 0
    if atoms:
        revealed = math.floor(denominator * problem.delta / (1 - problem.delta) * (1 - _SPARE))
    answers = IntervalAnswers(
        step=step, denominator=denominator + revealed, revealed=revealed, intervals=intervals
    )
    document = dependent_file(problem, answers)
    return certified(document, PARTITION, loss=problem.loss, resolution=len(edges) - 1)


def _weighted(problem: Problem, cuts: Ints, n: int, last: int) -> tuple[Intervals, int]:
    """(intervals with their weights, what these add up to)."""
    starts, ends = cuts[:-1], np.minimum(cuts[1:] - 1, last)
    sizes, answers = np.diff(cuts), (starts + ends) // 2
    growth = exp_lower(problem.epsilon)
    stairs = _stairs(problem, max(int(starts[-1]), last - int(ends[0])), n, len(sizes), growth)
    shares = _own_shares([float(v) for v in stairs], cuts, answers, n)
    # Whole numbers: weights first, then stairs, each no less than the one before over e^eps.
    size = 1 << _BITS
    weights = [math.ceil(share * size) for share in shares.tolist()]
    small = min(stairs[-1], problem.delta or 1)
    whole = [math.ceil(stairs[0] * 2 ** (_BITS + max(0, math.ceil(-math.log2(small)))))]
    for _ in stairs[1:]:
        whole.append(math.ceil(whole[-1] / growth))
    denominator = math.floor(size * whole[0] * growth)
    part = Intervals(tuple(sizes.tolist()), tuple(answers.tolist()), tuple(weights), tuple(whole))
    # A larger weight takes from the own answers of others: who has enough keeps it.
    most = [math.ceil(weight / (whole[0] * growth)) for _, weight in part.own(n, denominator)]
    weights = [max(pair) for pair in zip(weights, most, strict=True)]
    return replace(part, weights=tuple(weights)), denominator


def _stairs(problem: Problem, apart: int, n: int, count: int, growth: Fraction) -> list[Fraction]:
    """1/e^eps, 1/e^(2 eps) and so on: to the last one, or until the rest is far below delta."""
    stairs = [1 / growth]
    while len(stairs) * n < apart:
        if problem.delta > 0 and count * stairs[-1] <= problem.delta * _SPARE / 2:
            break
        stairs.append(stairs[-1] / growth)
    return stairs


def _own_shares(stairs: list[float], cuts: Ints, answers: Ints, n: int) -> Floats:
    """The share that each interval's own answer has, if all others have theirs over e^eps."""
    shares = np.ones(len(answers))
    indices = np.arange(len(answers))
    for _ in range(SETTINGS.rounds):
        sums = np.concatenate([[0.0], np.cumsum(shares)])
        low, high, given = indices, indices, np.zeros(len(answers))
        for stair, v in enumerate(stairs, 1):  # of the intervals within so many sensitivities
            lower = np.searchsorted(cuts, answers - stair * n, side="right") - 1
            higher = np.searchsorted(cuts, answers + stair * n, side="right") - 1
            lower, higher = np.clip(lower, 0, indices), np.clip(higher, indices, len(indices) - 1)
            given += v * (sums[low] - sums[lower] + sums[higher + 1] - sums[high + 1])
            low, high = lower, higher
        shares = 1 - given
    return np.asarray(shares)
