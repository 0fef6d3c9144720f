"""Tables of counts by some attributes as integers that are never negative and add up.

From the total down: margins first, then the tables that they are margins of, so that small cells
never move a total. Statement and proof: `margins.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import scipy.sparse as sp

from ...numeric import Floats, Ints
from .projection import LeastSquares, nearest_with_total, on_simplex, variances_of
from .rounding import in_order, with_sums

#: Attributes of a table, by their places.
Kept = tuple[int, ...]
#: Sums that one least squares problem can have: it solves dense equations, here in a second or so.
MOST_SUMS = 1_500


def closure(sets: Iterable[Kept]) -> list[Kept]:
    """All sets of attributes that are in one of these, the smallest first."""
    inner = {part for kept in sets for k in range(len(kept) + 1) for part in combinations(kept, k)}
    return sorted(inner, key=lambda kept: (len(kept), kept))


@dataclass(frozen=True)
class TableSizes:
    """How many values each attribute has; the last attribute changes fastest."""

    sizes: tuple[int, ...]

    @property
    def cells(self) -> int:
        """How many combinations there are."""
        return prod(self.sizes)

    def of(self, kept: Kept) -> int:
        """How many cells the margin of some attributes has."""
        return prod(self.sizes[i] for i in kept)

    def places(self, kept: Kept) -> Ints:
        """For each cell its cell of a margin."""
        codes = np.unravel_index(np.arange(self.cells), self.sizes)
        place = np.zeros(self.cells, dtype=np.int64)
        for i in kept:
            place = place * self.sizes[i] + codes[i]
        return place

    def margin(self, cells: Floats, kept: Kept) -> Floats:
        """The sums of a table over all other attributes."""
        other = tuple(i for i in range(len(self.sizes)) if i not in kept)
        return np.asarray(cells.reshape(self.sizes).sum(axis=other)).ravel()

    def sums(self, sets: Iterable[Kept]) -> sp.csr_matrix:
        """The matrix of some margins, one after the other."""
        rows = [
            sp.csr_matrix(
                (np.ones(self.cells), (self.places(kept), np.arange(self.cells))),
                shape=(self.of(kept), self.cells),
            )
            for kept in sets
        ]
        return sp.vstack(rows).tocsr()


@dataclass(frozen=True)
class MarginTables:
    """Tables of counts by some attributes of `sizes` values, one for each of these sets."""

    sizes: tuple[int, ...]
    sets: tuple[Kept, ...]

    @classmethod
    def alone(cls, sizes: tuple[int, ...]) -> MarginTables:
        """One table by all attributes."""
        return cls(sizes, (tuple(range(len(sizes))),))

    def consistent(self, values: Floats, errors: Floats) -> Ints:
        """Integers from 0 on that are margins of one table, in the place of the released numbers.

        values: of all tables, one after the other. errors: theirs; only their ratios matter.

        Example: a table of two by two with its total.

            >>> tables = MarginTables((2, 2), ((), (0, 1)))
            >>> tables.consistent(np.array([7.0, 4.0, -1.0, 3.0, 1.0]), np.ones(5)).tolist()
            [7, 3, 0, 4, 0]
        """
        shape = TableSizes(self.sizes)
        ends = np.cumsum([shape.of(kept) for kept in self.sets])[:-1]
        released = dict(zip(self.sets, np.split(values, ends), strict=True))
        each = np.split(variances_of(errors), ends)
        variances = {
            kept: float(np.mean(variance)) for kept, variance in zip(self.sets, each, strict=True)
        }
        every = [self._best_of(kept, released, variances) for kept in closure(self.sets)]
        cells = consistent_cells(
            self.sizes,
            {kept: margin for kept, margin, _ in every},
            {kept: variance for kept, _, variance in every},
        ).astype(float)
        margins = [shape.margin(cells, kept) for kept in self.sets]
        return np.asarray(np.concatenate(margins).astype(np.int64))

    def _best_of(
        self, kept: Kept, released: Mapping[Kept, Floats], variances: Mapping[Kept, float]
    ) -> tuple[Kept, Floats, float]:
        """A margin and about its variance: as released, else the mean of what other tables say."""
        if kept in released:
            return kept, released[kept], variances[kept]
        said, weights = [], []
        for other, values in released.items():
            if set(kept) <= set(other):
                inner = TableSizes(tuple(self.sizes[i] for i in other))
                said.append(inner.margin(values, tuple(other.index(i) for i in kept)))
                weights.append(len(said[-1]) / (variances[other] * len(values)))
        total = sum(weights)
        mean = sum(weight / total * margin for weight, margin in zip(weights, said, strict=True))
        return kept, np.asarray(mean), 1 / total


def consistent_cells(
    sizes: tuple[int, ...], tables: Mapping[Kept, Floats], variances: Mapping[Kept, float]
) -> Ints:
    """One table of integers from 0 on whose margins are near to the released ones.

    tables: the unbiased margins of a set of sets that has all subsets of each. variances: of one
    number of each margin; only their ratios matter.

    Example: a total of 6 in four cells.

        >>> tables = {(): np.array([6.0]), (0,): np.array([4.0, -1.0, 3.0, 0.0])}
        >>> consistent_cells((4,), tables, {(): 1.0, (0,): 1.0}).tolist()
        [4, 0, 2, 0]
    """
    shape, order = TableSizes(sizes), sorted(tables, key=lambda kept: (len(kept), kept))
    total = max(0.0, float(np.floor(tables[()][0] + 0.5)))
    if total == 0 or len(order) == 1:
        return in_order(np.full(shape.cells, total / shape.cells))
    whole = tuple(range(len(sizes)))
    cells, known = np.full(shape.cells, total / shape.cells), list[Kept]([()])
    for size in range(1, len(sizes) + 1):
        level = [kept for kept in order if len(kept) == size]
        if size == 1:
            cells = _product(
                shape, {kept: on_simplex(tables[kept], total) for kept in level}, total
            )
        elif level == [whole] and _sums(shape, known) <= MOST_SUMS:
            fixed = shape.sums(_maximal(known))
            values = np.asarray(fixed @ cells)
            problem = LeastSquares(tables[whole], fixed, values, np.zeros(len(values)))
            cells = problem.solve()
        elif level and _sums(shape, [*known, *level]) <= MOST_SUMS:
            cells = _with_margins(shape, cells, _maximal(known), level, tables, variances)
        elif level:  # too many sums to settle: this level and those above it together
            rest = [kept for kept in order if len(kept) >= size]
            cells = _nearest(shape, cells, [*_maximal(known), *rest], tables, variances)
            break
        known += level
    return _round_cells(
        shape, cells * (total / cells.sum()), [kept for kept in order if kept != whole]
    )


def _sums(shape: TableSizes, sets: Iterable[Kept]) -> int:
    return sum(shape.of(kept) for kept in sets)


def _round_cells(shape: TableSizes, cells: Floats, sets: list[Kept]) -> Ints:
    """The cells as integers, with the margins that are not too many nearly kept."""
    inner = [kept for kept in sets if kept]
    while _sums(shape, inner) > MOST_SUMS:
        inner = [kept for kept in inner if len(kept) < max(map(len, inner))]
    if not inner:
        return in_order(cells)
    orders = np.concatenate([np.full(shape.of(kept), len(kept)) for kept in inner])
    return with_sums(cells, shape.sums(inner), orders)


def _product(shape: TableSizes, margins: Mapping[Kept, Floats], total: float) -> Floats:
    """The table in which attributes are independent; those without a margin are spread evenly."""
    cells = np.full(1, total)
    for i, size in enumerate(shape.sizes):
        margin = margins.get((i,))
        parts = np.full(size, 1 / size) if margin is None else margin / total
        cells = np.multiply.outer(cells, parts)
    return np.asarray(cells).ravel()


def _maximal(sets: Iterable[Kept]) -> list[Kept]:
    """Those that are in no other one."""
    every = list(sets)
    return [kept for kept in every if not any(set(kept) < set(other) for other in every)]


def _with_margins(
    shape: TableSizes,
    cells: Floats,
    fixed: list[Kept],
    level: list[Kept],
    tables: Mapping[Kept, Floats],
    variances: Mapping[Kept, float],
) -> Floats:
    """A table with the margins that are known, whose margins of this level are nearest."""
    least = min(variances[kept] for kept in level)
    sums = shape.sums([*fixed, *level])
    values = [shape.margin(cells, kept) for kept in fixed] + [tables[kept] for kept in level]
    weights = [np.zeros(shape.of(kept)) for kept in fixed]
    weights += [np.full(shape.of(kept), variances[kept] / least) for kept in level]
    problem = LeastSquares(None, sums, np.concatenate(values), np.concatenate(weights))
    return problem.solve()


def _nearest(
    shape: TableSizes,
    cells: Floats,
    sets: list[Kept],
    tables: Mapping[Kept, Floats],
    variances: Mapping[Kept, float],
) -> Floats:
    """A table with the total whose margins are about the nearest, each by its variance."""
    values = np.concatenate([tables[kept] for kept in sets])
    each = np.concatenate([np.full(shape.of(kept), variances[kept]) for kept in sets])
    return nearest_with_total(cells, shape.sums(sets), values, each)
