"""A lower bound for all private whole-number noise of k numbers that move by 0 or 1, all one way.

The loss is split into functions that rise away from a few base points. Around each of them the
numbers on one side fall in steps, and rates at which mass flows between the sets of these steps
prove a bound. Statement and proof: `bases.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb, floor
from typing import Annotated

from ...exact import exp_upper, ratio_below
from ...problem.shape_problem import ShapeProblem
from ...work import bits, charge
from ..codec import Positive, integer, record, several
from ..fields import demand
from .shaped import ShapeProof, check_numbers

#: Limits of the checker.
MAX_NUMBERS_OF_BASES = 20
MAX_BASES = 20
MAX_REACH_OF_BASES = 1_000
MAX_MOVES = 1_000
MAX_UNIT_BITS = 256
_MOST = (1 << 53) - 1  # of a count in a file

#: Bits of a chance, and bits of a unit that costs are rounded to.
_CHANCE, _PART = 128, 40
#: (rank, the member above, or one more than all numbers; b; the one below, or 0)
Place = tuple[int, int, int, int]

_COUNTS = several(integer(0, _MOST), 60_000, work=1)
_STEPS = several(integer(-_MOST, _MOST), 2 * MAX_REACH_OF_BASES, work=1)


@dataclass(frozen=True)
class SideOfBase:
    """How the parts of the loss rise on one side, step by step; rates, by place, for each count of
    numbers on the other side that they know."""

    steps: Annotated[tuple[int, ...], _STEPS]
    extremes: Annotated[tuple[int, ...], _STEPS]
    rates: Annotated[tuple[tuple[int, ...], ...], several(_COUNTS, MAX_NUMBERS_OF_BASES)]

    def check(self) -> None:
        """`FormatError` unless the parts rise from the second step on."""
        demand(len(self.extremes) == len(self.steps), '"extremes" must be as many as "steps"')
        for step, extreme in zip(self.steps[1:], self.extremes[1:], strict=True):
            demand(step >= 0, '"steps" must not be negative from the second on')
            demand(step + extreme >= 0, '"steps" with "extremes" must not be negative')


_SIDE = record(SideOfBase, SideOfBase.check)


@dataclass(frozen=True)
class Base:
    """One base and its mirror image, or 0: its part of the loss, and rates on both sides."""

    base: Annotated[int, integer(0, MAX_REACH_OF_BASES)]
    start: Annotated[int, integer(-_MOST, _MOST)]  # the part of the loss at the base
    weight: Annotated[int, integer(0, _MOST)]  # of the loss, in the part, beyond the reach
    above: Annotated[SideOfBase, _SIDE]
    below: Annotated[SideOfBase | None, _SIDE] = None

    @property
    def sides(self) -> list[tuple[int, SideOfBase]]:
        """(1 or -1, the side)."""
        return [(1, self.above)] + ([] if self.below is None else [(-1, self.below)])

    @property
    def times(self) -> int:
        """How many bases it stands for."""
        return 1 if self.base == 0 else 2

    def part(self, reach: int) -> list[int]:
        """The part of the loss of x = -reach..reach."""
        sides = self.above, self.below or self.above
        up, down = (list(accumulate(side.steps, initial=self.start)) for side in sides)
        return down[:0:-1] + up


@dataclass(frozen=True)
class Bases(ShapeProof):
    """Parts of the loss around bases, and rates of flows between sets of steps, all in units.

    apart: from so many numbers on the other side on, rates know how many there are.
    moves: so many moves of a unit, one after the other, count as one.
    """

    numbers: Annotated[int, integer(1, MAX_NUMBERS_OF_BASES)]
    reach: Annotated[int, integer(1, MAX_REACH_OF_BASES)]
    unit: Positive
    apart: Annotated[int, integer(1, MAX_NUMBERS_OF_BASES)]
    bases: Annotated[tuple[Base, ...], several(record(Base), MAX_BASES)]
    moves: Annotated[int, integer(1, MAX_MOVES)] = 1

    def check(self) -> None:
        """`FormatError` unless all lists are as long as the numbers, and the reach, want them."""
        demand(bits(self.unit) <= MAX_UNIT_BITS, '"unit" must be shorter')
        lengths = [count_of_places(self.numbers - others) for others in self.starts]
        for base in self.bases:
            demand(base.base < self.reach, '"base" must be below "reach"')
            demand((base.below is None) == (base.base == 0), '"below" is for bases above 0')
            for sign, side in base.sides:
                steps = self.reach - sign * base.base
                demand(len(side.steps) == steps, f'"steps" must have {steps} entries')
                demand(
                    [len(rates) for rates in side.rates] == lengths,
                    f'"rates" must have {len(lengths)} lists, of {lengths[0]} entries and fewer',
                )

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` if there are fewer numbers."""
        check_numbers(self.numbers, problem.dimension)

    @cached_property
    def starts(self) -> list[int]:
        """From which number on the other side on each list of rates is used."""
        return [0, *range(self.apart, self.numbers)]

    def bound(self, problem: ShapeProblem) -> Fraction:
        """What the flows prove for some numbers that a unit can move all at once, one way."""
        width, reach, share = problem.movable(self.numbers)
        epsilon, power = problem.epsilon * self.moves, problem.power
        if reach < self.numbers or epsilon > 100:
            return Fraction(0)
        ratio = ratio_below(epsilon)
        total = bases_bound(self, ratio, power)
        if problem.delta > 0:
            if not bounded(self):
                return Fraction(0)
            delta = problem.delta * self.moves * exp_upper(epsilon - problem.epsilon)
            total -= delta * price_of_delta(self, ratio)
        each = total / self.numbers
        if power == 2 and not (problem.integer and width * self.moves == 1):
            each -= Fraction(1, 4)  # what rounding at random to multiples of the move adds
        return max(Fraction(0), each) * (width * self.moves) ** power * share


def places(numbers: int) -> Iterator[Place]:
    """Where a member of a set of steps can be, in the order of the rates of a file."""
    for rank in range(1, numbers + 1):
        most = numbers + 1 - rank
        for above in range(2, most + 2) if rank > 1 else (numbers + 1,):
            for b in range(1, min(above, most + 1)):
                for below in range(b):
                    yield rank, above, b, below


def count_of_places(numbers: int) -> int:
    """How many places there are."""
    charge(numbers)
    k = numbers
    return sum(
        above * (above - 1) // 2
        for rank in range(1, k + 1)
        for above in (range(2, k + 3 - rank) if rank > 1 else (k + 1,))
    )


def bounded(bases: Bases) -> bool:
    """Whether no part of the loss grows beyond the reach, which a positive delta needs."""
    return all(base.weight == 0 for base in bases.bases)


def bases_bound(bases: Bases, ratio: Fraction, power: int) -> Fraction:
    """At most E sum |X_i|^power of every law with p(y) >= ratio p(x) for all y - x, or x - y, in
    {0, 1}^k; 0 if the parts are more than the loss far out."""
    unit = bases.unit
    if sum(base.times * base.weight for base in bases.bases) * unit > 1:
        return Fraction(0)
    total: Fraction = -bases.numbers * _surplus(bases, power) - 2 * _surplus_of_extremes(bases)
    for base in bases.bases:
        total += base.times * _bound_of(bases, base, ratio, power)
    return total


def _surplus(bases: Bases, power: int) -> Fraction:
    """At most by so much the parts together are more than the loss, anywhere."""
    reach, total = bases.reach, [0] * (bases.reach + 1)
    for base in bases.bases:
        charge(2 * reach)
        part = base.part(reach)
        for x in range(reach + 1):
            total[x] += part[reach + x] + (part[reach - x] if base.base else 0)
    top, bottom = bases.unit.as_integer_ratio()
    surplus = (value * top - bottom * x**power for x, value in enumerate(total))
    return Fraction(max(0, *surplus), bottom)


def _surplus_of_extremes(bases: Bases) -> Fraction:
    """At most so much the functions of the largest number add up to, anywhere."""
    first = -max((base.base for base in bases.bases), default=0)
    total = [0] * (bases.reach + 1 - first)
    for base in bases.bases:
        for sign, side in base.sides:
            charge(2 * bases.reach)
            for v, value in enumerate(accumulate(side.extremes), sign * base.base + 1 - first):
                total[v] += value
    return max(0, *total) * bases.unit


def _bound_of(bases: Bases, base: Base, ratio: Fraction, power: int) -> Fraction:
    """At most the mean of the base's part of the loss and its functions of the extremes."""
    scale = ratio.denominator << _PART
    ends = [
        _least_sums(bases, side, _costs(bases, base, sign, side, ratio, power), ratio)
        for sign, side in base.sides
    ]
    k, up, down = bases.numbers, ends[0], ends[-1]
    least = min(up[n][p] + down[p][n] for n in range(k + 1) for p in range(k + 1 - n))
    return (k * base.start + Fraction(least, scale)) * bases.unit


def _costs(
    bases: Bases, base: Base, sign: int, side: SideOfBase, ratio: Fraction, power: int
) -> tuple[list[int], list[int]]:
    """(what a number adds with each further gap, what the extreme one adds with so many gaps).

    In parts of a unit, rounded down; by the number of gaps, from 1 and from 0 on.
    """
    k, (a, m) = bases.numbers, ratio.as_integer_ratio()
    charge(k * len(side.steps) * (2 + m.bit_length() // 200) + 40)
    scale, rest = m << _PART, 1 - ratio
    slope = 2 * sign * base.base - 1
    costs, extremes = [0] * k, [0] * k
    # chance[i], in 2^-128: at most the chance that j - 1 steps end i gaps, by less than j.
    chance = [1 << _CHANCE] + [0] * k
    for j, (step, extreme) in enumerate(zip(side.steps, side.extremes, strict=True), 1):
        more = step - base.weight * (1 if power == 1 else slope + 2 * j)
        for i in range(k):
            costs[i] += more * (chance[i] if more > 0 else chance[i] + j)
            extremes[i] += extreme * (chance[i] if extreme > 0 else chance[i] + j)
        for i in range(k - 1, 0, -1):
            chance[i] = (a * chance[i] + (m - a) * chance[i - 1]) // m
        chance[0] = a * chance[0] // m
    whole = [
        base.weight * (1 / rest if power == 1 else 2 * i / rest**2 + slope / rest)
        for i in range(1, k + 1)
    ]
    rounded = [
        (cost * scale >> _CHANCE) + floor(mean * scale)
        for cost, mean in zip(costs, whole, strict=True)
    ]
    return rounded, [0, *(value * scale >> _CHANCE for value in accumulate(extremes))]


def _least_sums(
    bases: Bases, side: SideOfBase, costs: tuple[list[int], list[int]], ratio: Fraction
) -> list[list[int]]:
    """[n][p]: the least that a set of p numbers on this side adds if n are on the other."""
    k, (a, m) = bases.numbers, ratio.as_integer_ratio()
    got, spent = a << _PART, (m - a) << _PART
    sums = []
    for start, stop, counts in zip(
        bases.starts, [*bases.starts[1:], k + 1], side.rates, strict=True
    ):
        most = k - start
        charge((2 + m.bit_length() // 400) * len(counts) + 40 * k)
        rates = dict(zip(places(most), counts, strict=True))
        least = _least_paths(most, rates, costs, got, spent)
        for others in range(start, stop):
            here = k - others
            charge(here**2 // 2 + 5)
            sums.append(
                [
                    least[p]
                    + got
                    * sum(
                        comb(here - p, b - p) * rates[1, most + 1, b, p]
                        for b in range(p + 1, here + 1)
                    )
                    for p in range(here + 1)
                ]
            )
    return sums


def _least_paths(
    numbers: int,
    rates: Mapping[Place, int],
    costs: tuple[Sequence[int], Sequence[int]],
    got: int,
    spent: int,
) -> list[int]:
    """The least that a set adds, by its largest member, but for what flows in above it."""
    each, extremes = costs
    gained: dict[tuple[int, int, int], int] = defaultdict(int)
    for (rank, above, b, below), rate in rates.items():
        if rank > 1:
            gained[rank, above, below] += got * comb(above - below, b - below) * rate
    least: dict[tuple[int, int, int], int] = {}
    for rank in range(numbers, 0, -1):
        most = numbers + 1 - rank
        for above in range(2, most + 2) if rank > 1 else (numbers + 1,):
            for b in range(1, min(above, most + 1)):
                least[rank, above, b] = b * each[rank - 1] + min(
                    (least[rank + 1, b, below] if below else extremes[rank])
                    + gained[rank + 1, b, below]
                    - spent * rates[rank, above, b, below]
                    for below in range(b)
                )
    return [0, *(least[1, numbers + 1, b] for b in range(1, numbers + 1))]


def price_of_delta(bases: Bases, ratio: Fraction) -> Fraction:
    """What bounded parts prove less, for each unit of delta."""
    k, total = bases.numbers, Fraction(0)
    for base in bases.bases:
        for _, side in base.sides:
            charge(sum(map(len, side.rates)) // 2 + 40 * k)
            largest = [0] * (k + 1)
            for start, counts in zip(bases.starts, side.rates, strict=True):
                for (_, _, b, _), rate in zip(places(k - start), counts, strict=True):
                    largest[b] = max(largest[b], rate)
            step, extreme = sum(side.steps[1:]), sum(side.extremes[1:])
            price = sum(
                comb(k, b) * ((b * step + extreme) / (1 - ratio) + largest[b])
                for b in range(1, k + 1)
            )
            total += 2 * price  # (for the mirror image, which of the base 0 is its other side)
    return ratio * total * bases.unit
