"""Rates of a flow that prove nearly the best lower bound for a cube, by a linear program.

The program is the dual of the shortest path in `certify/joint_flow.py`: potentials of its places,
at most what each step costs. Floats alone: the bound is what the checker makes of the rates.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...certify.joint_flow import Flow, Place, member, ways
from ...lp.highs import INF, Model

#: Rates are whole multiples of this: what rounding loses is far below any gap that is asked for.
UNIT = Fraction(1, 1 << 50)


class _Rows:
    """Rows of a sparse program, entry by entry."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.upper: list[float] = []

    def add(self, upper: float) -> None:
        """Begin a row."""
        self.starts.append(len(self.columns))
        self.upper.append(upper)

    def put(self, column: int, value: float) -> None:
        """An entry of the row that was begun last."""
        self.columns.append(column)
        self.values.append(value)


def best_flow(numbers: int, ratio: Fraction, power: int, ranked: bool, seconds: float) -> Flow:
    """Rates that (nearly) maximise the bound; no rates at all if the solver fails."""
    k, q = numbers, float(ratio)
    on_path = ranked or power == 2
    rate: dict[Place, int] = {}
    potential: dict[tuple[int, int, int], int] = {}

    def rate_at(rank: int, above: int, b: int, below: int) -> int:
        return rate.setdefault((rank if ranked else 0, above, b, below), len(rate))

    def potential_at(rank: int, above: int, b: int) -> int:
        return potential.setdefault((rank if on_path else 0, above, b), len(potential))

    rows: list[tuple[float, list[tuple[str, int, float]]]] = []

    def gained(rank: int, above: int, below: int) -> list[tuple[str, int, float]]:
        # A rate's column counts all the ways it stands for, so that entries are of one size.
        return [
            ("rate", rate_at(rank, above, b, below), -q)
            for b in range(below + 1, min(above, k + 1))
            if rank <= k - 0
        ]

    for b in range(k + 1):
        row: list[tuple[str, int, float]] = [("bound", 0, 1.0), *gained(1, k + 1, b)]
        if b:
            row.append(("potential", potential_at(1, k + 1, b), -1.0))
        rows.append((0.0, row))
    # (Potentials appear as they are needed: those of the first rank, then what follows them.)
    done: set[tuple[int, int, int]] = set()
    waiting = list(potential)
    while waiting:
        rank, above, b = waiting.pop()
        if (rank, above, b) in done:
            continue
        done.add((rank, above, b))
        for below in range(b):
            after = rank + 1 if on_path else 0
            row = [("potential", potential_at(rank, above, b), 1.0)]
            row.append(("rate", rate_at(rank, above, b, below), (1 - q) / ways(k, above, b, below)))
            row += gained(after, b, below)
            if below:
                row.append(("potential", potential_at(after, b, below), -1.0))
                waiting.append((after, b, below))
            rows.append((float(member(power, ratio, max(rank, 1), b)), row))
    offset = {"rate": 0, "potential": len(rate), "bound": len(rate) + len(potential)}
    count = offset["bound"] + 1
    model = Model(1e-9)
    model.option("solver", "ipm")
    costs, lower = np.zeros(count), np.full(count, -INF)
    costs[-1] = -1.0
    lower[: len(rate)] = 0.0
    model.add_columns(costs, lower)
    packed = _Rows()
    for upper, row in rows:
        packed.add(upper)
        for kind, column, value in row:
            packed.put(offset[kind] + column, value)
    model.add_rows(
        np.full(len(rows), -INF), packed.upper, packed.starts, packed.columns, packed.values
    )
    found = model.solve(seconds).primal
    if len(found) != count or not np.isfinite(found).all():
        return Flow(k, ranked, UNIT)
    rates = {}
    for place, column in rate.items():
        units = int(max(0.0, float(found[column])) / ways(k, *place[1:]) / float(UNIT))
        if units:
            rates[place] = units
    return Flow(k, ranked, UNIT, rates)
