"""Parts of the loss around bases, and rates, that prove most for numbers moved one way: a program.

The program is the dual of the shortest paths in `certify/certificates/bases.py`: potentials of
their places, at most what each step costs. Floats alone: the bound is what the checker makes of
the parts and the rates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

import numpy as np

from ...certify.certificates.bases import Base, Bases, SideOfBase, places
from ...lp import INF, Model
from ...numeric import Floats

#: A column by its name and its place, or a row: at most so much, and its entries.
_Column = tuple[str | int, ...]
_Row = tuple[float, list[tuple[_Column, float]]]
_FREE = {"start", "bound", "cost", "extreme", "at", "from", "ends"}  # may be negative
_STEPS = {"step", "rise"}  # may be negative next to the base
_ACCURACY = 1e-7  # of the program: what it loses is far below any gap that is reached
_UNITS = 1e6  # parts of the loss that one unit is, but for what it is multiplied by on the way


@dataclass(frozen=True)
class _Program:
    """The program for a certificate of k numbers; losses are in parts of that of a number."""

    asked: Bases  # without bases
    bases: tuple[int, ...]
    q: float
    power: int
    delta: float
    loss: float

    @property
    def k(self) -> int:
        """How many numbers there are."""
        return self.asked.numbers

    @property
    def scale(self) -> float:
        """A loss of 1."""
        return 1 / self.loss

    def sides(self) -> Iterator[tuple[int, int]]:
        """(base, 1 or -1)."""
        for base in self.bases:
            yield from ((base, sign) for sign in ((1, -1) if base else (1,)))

    def steps(self, base: int, sign: int) -> range:
        """The steps of a table of the base's part."""
        return range(1, self.asked.reach - sign * base + 1)

    def rows(self) -> Iterator[_Row]:
        """At most so much, and the entries."""
        starts = self.asked.starts
        yield from self._parts()
        yield from self._extremes()
        for base, sign in self.sides():
            yield from self._means(base, sign)
            for start, stop in zip(starts, [*starts[1:], self.k + 1], strict=True):
                yield from self._paths((base, sign, start))
                yield from self._ends((base, sign, start), stop)
        for base in self.bases:
            yield from self._bounds(base)

    def _part(self, base: int, x: int) -> list[tuple[_Column, float]]:
        sign = 1 if x > base or not base else -1
        start: list[tuple[_Column, float]] = [] if base else [(("start",), 1.0)]
        return start + [(("step", base, sign, j), 1.0) for j in range(1, abs(x - base) + 1)]

    def _parts(self) -> Iterator[_Row]:
        """The parts together are at most the loss."""
        for x in range(self.asked.reach + 1):
            entries = [e for base in self.bases for e in self._part(base, x)]
            entries += [e for base in self.bases if base for e in self._part(base, -x)]
            yield x**self.power * self.scale, entries
        if self.delta == 0:
            yield 1.0, [(("weight", base), 2.0 if base else 1.0) for base in self.bases]

    def _extremes(self) -> Iterator[_Row]:
        """The functions of the largest number together are at most the surplus."""
        for v in range(1 - max(self.bases), self.asked.reach + 1):
            entries: list[tuple[_Column, float]] = [(("surplus",), -1.0)]
            for base, sign in self.sides():
                for j in range(1, v - sign * base + 1):
                    entries += [(("rise", base, sign, j), 1.0), (("step", base, sign, j), -1.0)]
            yield 0.0, entries

    def _means(self, base: int, sign: int) -> Iterator[_Row]:
        """What a number adds with its i-th gap, and the extreme one with i gaps, on average."""
        steps = self.steps(base, sign)
        chances = _chances(self.k, self.q, len(steps))
        slope, rest = 2 * sign * base - 1, 1 - self.q
        for i in range(1, self.k + 1):
            entries: list[tuple[_Column, float]] = [(("cost", base, sign, i), 1.0)]
            more: list[tuple[_Column, float]] = [(("extreme", base, sign, i), 1.0)]
            if i > 1:
                more.append((("extreme", base, sign, i - 1), -1.0))
            tail = 1 / rest if self.power == 1 else 2 * i / rest**2 + slope / rest
            for j in steps:
                chance = float(chances[j - 1, i - 1])
                tail -= chance * (1 if self.power == 1 else slope + 2 * j)
                if chance > 0:
                    entries.append((("step", base, sign, j), -chance))
                    more.append((("step", base, sign, j), chance))
                    more.append((("rise", base, sign, j), -chance))
            if self.delta == 0:
                entries.append((("weight", base), -tail * self.scale))
            yield 0.0, entries
            yield 0.0, more

    def _paths(self, table: tuple[int, int, int]) -> Iterator[_Row]:
        """What each step of a path allows: from a member to the gap below it, and on."""
        base, sign, start = table
        k, q = self.k - start, self.q
        into: dict[tuple[int, int, int], list[tuple[_Column, float]]] = {}
        for rank, above, b, below in places(k):
            rate = ("rate", *table, rank, above, b, below)
            if rank > 1:
                into.setdefault((rank, above, below), []).append((rate, -q))
            yield (
                0.0,
                [
                    (("at", *table, rank, above, b), 1.0),
                    (rate, (1 - q) / _ways(k, above, b, below)),
                    (("from", *table, rank + 1, b, below), -1.0),
                    (("cost", base, sign, rank), -float(b)),
                ],
            )
            if self.delta > 0:
                yield 0.0, [(rate, 1 / _ways(k, above, b, below)), (("top", base, sign, b), -1.0)]
        for rank in range(2, k + 2):
            for above in range(1, k + 3 - rank):
                for below in range(min(above, k + 2 - rank)):
                    last: _Column = ("at", *table, rank, above, below)
                    if not below:
                        last = ("extreme", base, sign, rank - 1)
                    gains = into.get((rank, above, below), [])
                    yield 0.0, [(("from", *table, rank, above, below), 1.0), (last, -1.0), *gains]

    def _ends(self, table: tuple[int, int, int], stop: int) -> Iterator[_Row]:
        """The least that a set of p numbers adds, with what flows in above it."""
        base, sign, start = table
        k, q = self.k - start, self.q
        for others in range(start, stop):
            here = self.k - others
            for p in range(here + 1):
                entries: list[tuple[_Column, float]] = [(("ends", base, sign, others, p), 1.0)]
                if p:
                    entries.append((("at", *table, 1, k + 1, p), -1.0))
                for b in range(p + 1, here + 1):
                    part = comb(here - p, b - p) / comb(k - p, b - p)
                    entries.append((("rate", *table, 1, k + 1, b, p), -q * part))
                yield 0.0, entries

    def _bounds(self, base: int) -> Iterator[_Row]:
        start: list[tuple[_Column, float]] = [] if base else [(("start",), -float(self.k))]
        other = -1 if base else 1
        for n in range(self.k + 1):
            for p in range(self.k + 1 - n):
                yield (
                    0.0,
                    [
                        (("bound", base), 1.0),
                        (("ends", base, 1, n, p), -1.0),
                        (("ends", base, other, p, n), -1.0),
                        *start,
                    ],
                )

    def cost(self, column: _Column) -> float:
        """Of a column, where the bound with its price of delta is maximised."""
        name = column[0]
        if name == "surplus":
            return 2.0
        if name == "bound":
            return -2.0 if column[1] else -1.0
        price = 2 * self.q * self.delta
        if name == "top":
            return price * comb(self.k, int(column[3]))
        if name in _STEPS and column[3] != 1:
            sums = self.k << (self.k - 1), (1 << self.k) - 1  # of b and of 1 over all moves
            return price / (1 - self.q) * (sums[1] if name == "rise" else sums[0] - sums[1])
        return 0.0


def best_bases(
    asked: Bases,
    places: Sequence[int],
    ratio: Fraction,
    power: int,
    delta: float,
    loss: float,
    seconds: float | None,
) -> Bases | None:
    """Parts and rates around bases at these places that (nearly) maximise the bound.

    asked: a certificate without bases, for its numbers. loss: about that of a number. None if the
    solver fails.
    """
    program = _Program(asked, tuple(places), float(ratio), power, delta, loss)
    columns: dict[_Column, int] = {}
    begins: list[int] = []
    indices: list[int] = []
    values: list[float] = []
    upper: list[float] = []
    for most, row in program.rows():
        begins.append(len(indices))
        upper.append(most)
        entries: dict[int, float] = {}
        for column, value in row:
            index = columns.setdefault(column, len(columns))
            entries[index] = entries.get(index, 0.0) + value
        indices += entries
        values += entries.values()
    model = Model(1e-9, how="interior", accuracy=_ACCURACY)
    free = [c[0] in _FREE or (c[0] in _STEPS and c[3] == 1) for c in columns]
    costs = np.array([program.cost(column) for column in columns])
    model.add_columns(costs, np.where(free, -INF, 0.0))
    model.add_rows(np.full(len(upper), -INF), upper, begins, indices, values)
    primal = model.solve(seconds).primal
    if len(primal) != len(columns) or not np.isfinite(primal).all() or not primal.any():
        return None
    return _rounded(program, columns, primal)


def _rounded(program: _Program, columns: dict[_Column, int], primal: Floats) -> Bases:
    """The certificate, in units far below what the bound loses by rounding."""
    k = program.k
    units: int = 2 ** max(0, math.ceil(math.log2(_UNITS * program.scale / k) + k / 2))

    def value(*column: str | int) -> float:
        return float(primal[columns[column]]) / program.scale if column in columns else 0.0

    def count(*column: str | int) -> int:
        return round(value(*column) * units)

    def side(base: int, sign: int) -> SideOfBase:
        steps = [count("step", base, sign, j) for j in program.steps(base, sign)]
        steps[1:] = [max(0, step) for step in steps[1:]]
        extremes = [
            count("rise", base, sign, j) - count("step", base, sign, j)
            for j in program.steps(base, sign)
        ]
        extremes[1:] = [max(-s, e) for s, e in zip(steps[1:], extremes[1:], strict=True)]
        rates = tuple(
            tuple(
                max(0, round(value("rate", base, sign, start, *place) / ways * units))
                for place in places(k - start)
                for ways in [_ways(k - start, *place[1:])]
            )
            for start in program.asked.starts
        )
        return SideOfBase(tuple(steps), tuple(extremes), rates)

    made, left = [], units  # (the weights together are at most 1)
    for base in program.bases:
        times = 2 if base else 1
        share = math.floor(value("weight", base) * program.scale * units)
        weight = max(0, min(share, left // times))
        left -= times * weight
        sides = [side(base, sign) for sign in ((1, -1) if base else (1,))]
        made.append(Base(base, 0 if base else count("start"), weight, *sides))
    return replace(program.asked, unit=Fraction(1, units), bases=tuple(made))


def _ways(k: int, above: int, b: int, below: int) -> int:
    return comb((k if above > k else above) - below, b - below)


def _chances(k: int, q: float, steps: int) -> Floats:
    """[n, i]: the chance that n steps end i gaps."""
    chances = np.zeros((steps + 1, k))
    chances[0, 0] = 1.0
    for n in range(steps):
        chances[n + 1] = q * chances[n]
        chances[n + 1, 1:] += (1 - q) * chances[n, :-1]
    return chances
