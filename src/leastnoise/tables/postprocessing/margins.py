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
from .projection import LeastSquares, on_simplex
from .rounding import in_order, with_sums

#: Attributes of a table, by their places.
Kept = tuple[int, ...]
#: Sums that one least squares problem can have, and numbers: it solves dense equations.
MOST_SUMS = 1_500
MOST_CELLS = 30_000


def closure(sets: Iterable[Kept]) -> list[Kept]:
    """All sets of attributes that are in one of these, the smallest first."""
    found = {inner for one in sets for k in range(len(one) + 1) for inner in combinations(one, k)}
    return sorted(found, key=lambda one: (len(one), one))


@dataclass(frozen=True)
class Shape:
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


def sets_within(sizes: tuple[int, ...], sets: Iterable[Kept]) -> list[Kept] | None:
    """The margins to make consistent, the smallest first: those of these tables, where they fit.

    Of the table of all attributes only smaller margins where there are too many; None where even
    that does not fit.
    """
    shape, every = Shape(sizes), closure(sets)
    whole = tuple(range(len(sizes)))
    for largest in range(len(sizes) - 1, -1, -1):
        some = [one for one in every if len(one) <= largest or one == whole]
        sums = sum(shape.of(one) for one in some if one != whole)
        if largest == 0 or (sums <= MOST_SUMS and shape.cells <= MOST_CELLS):
            return some if whole in every or some == every else None
    return None


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
    shape, order = Shape(sizes), sorted(tables, key=lambda one: (len(one), one))
    total = max(0.0, float(np.floor(tables[()][0] + 0.5)))
    if total == 0 or len(order) == 1:
        return in_order(np.full(shape.cells, total / shape.cells))
    whole = tuple(range(len(sizes)))
    cells, known = np.full(shape.cells, total / shape.cells), list[Kept]([()])
    for size in range(1, len(sizes) + 1):
        level = [one for one in order if len(one) == size]
        if not level:
            continue
        if size == 1:
            cells = _product(shape, {one: on_simplex(tables[one], total) for one in level}, total)
        elif level == [whole] and known == [()]:
            cells = on_simplex(tables[whole], total)
        elif level == [whole]:
            fixed = _maximal(known)
            sums = shape.sums(fixed)
            values = np.asarray(sums @ cells)
            target = tables[whole]
            cells = LeastSquares(target, sums, values, np.zeros(len(values))).solve()
        else:
            cells = _with_margins(shape, cells, _maximal(known), level, tables, variances)
        known += level
    inner = [one for one in known if one and one != whole]
    if not inner:
        return in_order(cells)
    orders = np.concatenate([np.full(shape.of(one), len(one)) for one in inner])
    return with_sums(cells * (total / cells.sum()), shape.sums(inner), orders)


def _product(shape: Shape, margins: Mapping[Kept, Floats], total: float) -> Floats:
    """The table in which attributes are independent; those without a margin are spread evenly."""
    found = np.full(1, total)
    for i, size in enumerate(shape.sizes):
        own = margins.get((i,))
        found = np.multiply.outer(found, np.full(size, 1 / size) if own is None else own / total)
    return np.asarray(found).ravel()


def _maximal(sets: Iterable[Kept]) -> list[Kept]:
    """Those that are in no other one."""
    every = list(sets)
    return [one for one in every if not any(set(one) < set(two) for two in every)]


def _with_margins(
    shape: Shape,
    cells: Floats,
    fixed: list[Kept],
    level: list[Kept],
    tables: Mapping[Kept, Floats],
    variances: Mapping[Kept, float],
) -> Floats:
    """A table with the margins that are known, whose margins of this level are nearest."""
    least = min(variances[one] for one in level)
    sums = shape.sums([*fixed, *level])
    values = [shape.margin(cells, one) for one in fixed] + [tables[one] for one in level]
    weights = [np.zeros(shape.of(one)) for one in fixed]
    weights += [np.full(shape.of(one), variances[one] / least) for one in level]
    problem = LeastSquares(None, sums, np.concatenate(values), np.concatenate(weights))
    return problem.solve()
