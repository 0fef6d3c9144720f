"""Rates of a flow that prove nearly the best lower bound for a cube, by a linear program.

The program is the dual of the shortest path in `certify/certificates/flow.py`: potentials of its
places, at most what each step costs. Floats alone: the bound is what the checker makes of the
rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np

from ...certify.certificates.flow import Flow, Place, gap_means, member, ways
from ...lp import INF, Model

#: Rates are whole multiples of this: what rounding loses is far below any gap that is asked for.
UNIT = Fraction(1, 1 << 50)

#: A column of the program: a rate by its place, a potential by (rank, above, b), the largest rate
#: of a member by (b,), or () the bound.
_Column = tuple[int, ...]
_Row = tuple[float, list[tuple[_Column, float]]]  # (at most, entries)


def best_flow(
    numbers: int,
    ratio: Fraction,
    power: int,
    ranked: bool,
    seconds: float | None,
    delta: float = 0.0,
    cut: int = 0,
) -> Flow:
    """Rates that (nearly) maximise the bound; no rates at all if the solver fails.

    With a delta they are not larger than it allows, and gaps count up to the cut.
    """
    scale = float((1 - ratio) ** power)  # so that costs are of one size whatever the ratio
    columns: dict[_Column, int] = {}
    starts: list[int] = []
    indices: list[int] = []
    values: list[float] = []
    upper: list[float] = []
    for most, row in _rows(numbers, ratio, power, ranked, delta > 0, cut):
        starts.append(len(indices))
        upper.append(most * scale)
        for column, value in row:
            indices.append(columns.setdefault(column, len(columns)))
            values.append(value)
    model = Model(1e-9, how="interior")
    costs, lower = np.zeros(len(columns)), np.full(len(columns), -INF)
    costs[columns[()]] = -1.0
    for column, index in columns.items():
        if len(column) in (1, 4):
            lower[index] = 0.0
        if len(column) == 1:
            costs[index] = float(ratio) * delta
    model.add_columns(costs, lower)
    model.add_rows(np.full(len(upper), -INF), upper, starts, indices, values)
    primal = model.solve(seconds).primal
    if len(primal) != len(columns) or not np.isfinite(primal).all():
        return Flow(numbers, ranked, UNIT, cut=cut)
    rates: dict[Place, int] = {}
    for column, index in columns.items():
        if len(column) == 4:
            rank, above, b, below = column
            share = max(0.0, float(primal[index])) / ways(numbers, above, b, below) / scale
            if units := int(share / float(UNIT)):
                rates[rank, above, b, below] = units
    return Flow(numbers, ranked, UNIT, rates, cut)


def _rows(
    k: int, ratio: Fraction, power: int, ranked: bool, limited: bool, cut: int
) -> Iterator[_Row]:
    """What each step of a path allows: the bound first, then potentials, rank by rank.

    limited: the largest rate of each member counts, times the number of its shifts.
    """
    q, means = float(ratio), gap_means(ratio, cut)
    ranks = ranked or power == 2  # as in the checker: whether places know their rank

    def gained(rank: int, above: int, below: int) -> list[tuple[_Column, float]]:
        # A rate's column counts all the ways it stands for, so that entries are of one size.
        known = rank if ranked else 0
        return [((known, above, b, below), -q) for b in range(below + 1, min(above, k + 1))]

    for b in range(k + 1):
        after: list[tuple[_Column, float]] = [((1 if ranks else 0, k + 1, b), -1.0)] if b else []
        yield 0.0, [((), 1.0), *gained(1, k + 1, b), *after]
    for rank in range(1, k + 1) if ranks else (0,):
        next_rank = rank + 1 if ranks else 0
        for above in [k + 1] if rank == 1 else range(2, k + 2 if not ranks else k + 3 - rank):
            for b in range(1, above):
                if ranks and b > k + 1 - rank:
                    continue
                for below in range(b):
                    after = [((next_rank, b, below), -1.0)] if below else []
                    spent = (1 - q) / ways(k, above, b, below)
                    place = (rank if ranked else 0, above, b, below)
                    row = [((rank, above, b), 1.0), (place, spent), *gained(next_rank, b, below)]
                    yield float(member(power, means, max(rank, 1), b)), row + after
                    if limited:
                        part = ways(k, above, b, below) / (comb(k, b) << b)
                        yield 0.0, [(place, 1.0), ((b,), -part)]
