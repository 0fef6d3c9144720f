"""A lower bound for all private whole-number noise of k numbers that move by 1.

|x| sorted falls in steps; B = {b : the b largest of |x_i| exceed all others and 0}. Rates at which
mass flows from B to B with one more member prove a bound for every private law. Statement and
proof: `flow.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, comb
from typing import Annotated

from ...problem.shape_problem import ShapeProblem
from ...work import charge
from ..codec import COUNT, Codec, Flag, Positive, integer, row, several
from ..fields import demand
from .shaped import ShapeProof, check_numbers

#: Limits of the checker.
MAX_FLOW = 60
MAX_CUT = 1_000
MAX_JOINT_RATES = 60_000

#: Bits of the chance of a gap beyond the cut, rounded up.
_BEYOND = 256
#: (rank of b in B, or 0 where rates do not know it; the member above, or k + 1; b; the one below)
Place = tuple[int, int, int, int]


_ROWS = several(row(*[integer(0, MAX_FLOW + 1)] * 4, COUNT), MAX_JOINT_RATES, work=8)


def _read_rates(value: object, name: str) -> dict[Place, int]:
    rows = _ROWS.read(value, name)
    rates = {entry[:4]: entry[4] for entry in rows}
    demand(len(rates) == len(rows), f'"{name}" must not repeat a place')
    return rates


_RATES = Codec[Mapping[Place, int]](
    _read_rates, lambda rates: [[*place, str(rate)] for place, rate in sorted(rates.items())]
)


@dataclass(frozen=True)
class Flow(ShapeProof):
    """Rates >= 0 in units: how fast mass flows to sets with the member b, by its place.

    cut: gaps count only up to it, which a positive delta needs; 0 if they count in full.
    """

    numbers: Annotated[int, integer(1, MAX_FLOW)]
    ranked: Flag
    unit: Positive
    rates: Annotated[Mapping[Place, int], _RATES] = field(default_factory=dict)
    cut: Annotated[int, integer(1, MAX_CUT)] = 0

    def check(self) -> None:
        """`FormatError` unless every place is one of so many numbers."""
        for rank, above, b, below in self.rates:
            demand(
                rank <= self.numbers + 1 and below < b < above <= self.numbers + 1,
                '"rates" must have below < b < above',
            )
            demand(self.ranked or rank == 0, '"rates" must have rank 0 where they are not ranked')

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` if there are fewer numbers."""
        check_numbers(self.numbers, problem.dimension)

    def bound(self, problem: ShapeProblem) -> Fraction:
        """What the flow proves for some numbers that a unit can move all at once, both ways."""
        width, reach, share = problem.movable(self.numbers)
        if reach < self.numbers or (problem.delta > 0 and not self.cut):
            return Fraction(0)
        power = problem.power
        ratio, delta = problem.both_ways(self.numbers)
        total = flow_bound(self, ratio, power)
        if delta > 0:
            total -= delta * slack_of_delta(self, ratio, power)
        each = total / self.numbers
        if power == 2 and not (problem.integer and width == 1):
            each -= Fraction(1, 4)  # what rounding at random to multiples of the width adds
        return max(Fraction(0), each) * width**power * share


def ways(numbers: int, above: int, b: int, below: int) -> int:
    """In how many ways a set of points without the member b gains it, between two others."""
    if above > numbers:
        return comb(numbers - below, b - below) << (b - below)
    return comb(above - below, b - below)


def gap_means(ratio: Fraction, cut: int) -> tuple[Fraction, Fraction]:
    """At most E min(mu, cut) and E min(mu, cut)^2 of a gap mu >= 1 with P(mu > r) = ratio^r.

    cut 0: E mu and E mu^2.
    """
    rest = 1 - ratio
    first, second = 1 / rest, (1 + ratio) / rest**2
    if not cut:
        return first, second
    charge(cut * ratio.denominator.bit_length() // 50 + 20)
    beyond = Fraction(ceil(ratio**cut * (1 << _BEYOND)), 1 << _BEYOND)
    tail = (2 * cut + 1) / rest + 2 * ratio / rest**2
    return first - beyond * first, second - beyond * tail


def member(power: int, means: tuple[Fraction, Fraction], rank: int, b: int) -> Fraction:
    """What the member b of this rank adds to the mean of the sum of |x_i|^power, given B."""
    first, second = means
    return b * first if power == 1 else b * (second + 2 * (rank - 1) * first**2)


def slack_of_delta(flow: Flow, ratio: Fraction, power: int) -> Fraction:
    """What a flow with a cut proves less, for each unit of delta."""
    k, cut = flow.numbers, flow.cut
    first, second = gap_means(ratio, cut)
    rates = dict.fromkeys(range(1, k + 1), 0)
    for (_, _, b, _), rate in flow.rates.items():
        rates[b] = max(rates[b], rate)
    total = Fraction(0)
    for b, rate in rates.items():
        largest = b * (cut - first)
        if power == 2:
            others = (k - b) * b * cut + Fraction(b * (b - 1), 2) / (1 - ratio)
            largest = b * (cut**2 - second) + 2 * (cut - first) * others
        total += (comb(k, b) << b) * (largest / (1 - ratio) + rate * flow.unit)
    return ratio * total


def flow_bound(flow: Flow, ratio: Fraction, power: int) -> Fraction:
    """At most E sum |X_i|^power of every law with p(y) >= ratio p(x) for all y - x in {-1, 0, 1}^k.

    With a positive delta `slack_of_delta` is to be taken away.

    The least value over all sets B, by a shortest path: what B adds depends on its members one
    by one, from the largest down, and for each on its rank and the next two. In whole numbers:
    everything is multiplied by (1 - ratio)^2 and by the denominators.
    """
    k = flow.numbers
    # With the squared error the rank matters for the cost even where rates do not know it.
    ranks = flow.ranked or power == 2
    a, m = ratio.as_integer_ratio()
    n, d = flow.unit.as_integer_ratio()
    longest = max(map(int.bit_length, flow.rates.values()), default=0) + k
    length = 3 * m.bit_length() + n.bit_length() + d.bit_length() + longest
    charge((2 * k + k**4 // 24 if ranks else k**3 // 6) * (3 + length // 400) + 40)
    scale = (m - a) ** 2 * m * d
    means = gap_means(ratio, flow.cut)
    costs = {
        (rank, b): int(member(power, means, rank, b) * scale)  # (rounded down where there is a cut)
        for rank in range(1, k + 1 if ranks else 2)
        for b in range(1, k + 1)
    }
    spent = (m - a) ** 3 * n  # what one unit of a rate takes from a set with its member
    got = a * (m - a) ** 2 * n  # and gives, times the number of ways, to one without it

    def rate(rank: int, above: int, b: int, below: int) -> int:
        return flow.rates.get((rank if flow.ranked else 0, above, b, below), 0)

    inflow: dict[tuple[int, int, int], int] = {}

    def gained(rank: int, above: int, below: int) -> int:
        """What comes from sets with one member more, between these two."""
        known = (rank if flow.ranked else 0, above, below)
        if known not in inflow:
            inflow[known] = got * sum(
                ways(k, above, b, below) * rate(rank, above, b, below)
                for b in range(below + 1, min(above, k + 1))
            )
        return inflow[known]

    # least[rank, above, b]: the least that b, of this rank below `above`, and all after it add.
    least: dict[tuple[int, int, int], int] = {}

    def rest(rank: int, above: int, b: int) -> int:
        return 0 if b == 0 else least[rank if ranks else 0, above, b]

    for rank in range(k, 0, -1) if ranks else (0,):
        tops = [k + 1] if rank == 1 else list(range(1, k + 1 - max(rank - 2, 0)))
        tops = tops if rank else [*tops, k + 1]
        for b in range(1, k + 1):
            for above in tops:
                if above > b:
                    least[rank, above, b] = min(
                        costs[rank or 1, b]
                        - spent * rate(rank, above, b, below)
                        + gained(rank + 1, b, below)
                        + rest(rank + 1, b, below)
                        for below in range(b)
                        if below == 0 or not rank or rank < k
                    )
    return Fraction(min(gained(1, k + 1, b) + rest(1, k + 1, b) for b in range(k + 1)), scale)
