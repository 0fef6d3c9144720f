"""Narrow events around 0 in the program of the lower bound of noise below a curve.

On a lattice noise may hide its peak in one point, which no curve allows. The cell at 0 is therefore
divided at radii that halve, by columns of their own, and the mass within each of them is compared
with the mean over a window of shifts: rows that are proven in
`../../../certify/certificates/narrow.proof.md`. Nothing is claimed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ....certify.certificates.narrow import NarrowEvent
from ....numeric import Floats
from ....program.layout import LineLayout
from ....program.program import LinearProgram, ProgramRow, ProgramSolution
from ..lattice.relaxed import Relaxed


@dataclass(frozen=True)
class NarrowSettings:
    """Numbers of the narrow events.

    Found by trial with `benchmarks/ranges.py --curves`; no claim depends on them.
    """

    #: The cell at 0 is halved so often. Shifts of one sign fall into so many windows, of which
    #: those serve that hold least, so many.
    halved: int = 8
    windows: int = 8
    emptiest: int = 4
    #: How many halvings further an event may reach on one side than on the other.
    lean: int = 1
    #: Points of the curve that are asked for in each window: those that allow the least.
    points: int = 2
    #: Where a path begins, a part holds about this share of the cell at 0.
    part: float = 0.03


SETTINGS = NarrowSettings()


@dataclass(frozen=True)
class Narrowed:
    """A program with narrow events chosen for noise whose columns hold about x."""

    relaxed: Relaxed
    x: Floats

    @property
    def _sides(self) -> tuple[int, ...]:
        return (1,) if self.relaxed.fold else (1, -1)

    @cached_property
    def _radii(self) -> Floats:
        """Between 0 and 1, in steps; powers of two."""
        return np.asarray(0.5 ** np.arange(SETTINGS.halved, 0, -1.0))

    @property
    def _more(self) -> int:
        return len(self._sides) * SETTINGS.halved

    def _column(self, cell: int) -> int:
        line = self.relaxed.line
        return int(line.column[cell - line.first])

    def _parts(self, side: int) -> slice:
        """The columns of the parts on a side, after those of the cells."""
        first = self.relaxed.line.columns + side * SETTINGS.halved
        return slice(first, first + SETTINGS.halved)

    @property
    def _both(self) -> float:
        """A column of a symmetric program holds what is on one of two sides."""
        return 2.0 if self.relaxed.fold else 1.0

    @cached_property
    def _centre(self) -> Floats:
        """What is left at 0 itself: all of the cell but what its parts round to it."""
        row = np.zeros(self.relaxed.line.columns + self._more)
        row[self._column(0)] = 1.0
        for k in range(len(self._sides)):
            row[self._parts(k)] = -self._both * (1 - self._radii)
        return row

    def _rows(self) -> list[ProgramRow]:
        """What is left at 0 and in the cells next to it is not negative."""
        rows = [ProgramRow(-self._centre, -math.inf, 0.0)]
        for k, side in enumerate(self._sides):
            beside = np.zeros(len(self._centre))
            beside[self._column(side)] = -1.0
            beside[self._parts(k)] = self._radii
            rows.append(ProgramRow(beside, -math.inf, 0.0))
        return rows

    @cached_property
    def _events(self) -> list[NarrowEvent]:
        """For every radius and window the points that allow the least, at x."""
        n, fold = self.relaxed.n, self.relaxed.fold
        x = self.x / float(self.relaxed.line.masses[0] @ self.x)
        windows = _windows(n, SETTINGS.windows)
        if not fold:
            windows += [(-last, -first) for first, last in windows]
        windows.sort(
            key=lambda ends: np.mean([x[self._column(-m)] for m in range(ends[0], ends[1] + 1)])
        )
        bends = pairwise([Fraction(0), *(Fraction(r) for r in self._radii.tolist()), Fraction(1)])
        parts = list(bends)
        points = [(math.exp(float(e)), float(d)) for e, d in self.relaxed.budgets]
        events = []
        for k, left in enumerate(parts):
            for right in (
                parts[k : k + 1]
                if fold
                else parts[max(0, k - SETTINGS.lean) : k + SETTINGS.lean + 1]
            ):
                for first, last in windows[: SETTINGS.emptiest]:
                    event = NarrowEvent(0, left, right, first, last, fold, Fraction(0))
                    around = sum(float(w) * x[self._column(cell)] for cell, w in event.weights())
                    least = sorted((d + e * around, j) for j, (e, d) in enumerate(points))
                    events += [replace(event, point=j) for _, j in least[: SETTINGS.points]]
        return events

    def _row(self, event: NarrowEvent) -> ProgramRow:
        """The mass within, less e^eps times that of the window, is at most delta."""
        epsilon, delta = self.relaxed.budgets[event.point]
        row = self._centre.copy()
        ends = (event.right, event.left)[: len(self._sides)]
        for k, (inner, _) in enumerate(ends):
            row[self._parts(k)] += self._both * (self._radii <= float(inner))
        for cell, weight in event.weights():
            row[self._column(cell)] -= math.exp(float(epsilon)) * float(weight)
        return ProgramRow(row, -math.inf, float(delta))

    @cached_property
    def program(self) -> LinearProgram[LineLayout]:
        """The program, with columns for the parts of the cell at 0."""
        rows = *self._rows(), *(self._row(event) for event in self._events)
        return replace(self.relaxed.program, rows=rows, more=self._more)

    def start(self, x: Floats) -> Floats:
        """Where a path begins, from where it would begin without the parts."""
        return np.append(x, np.full(self._more, SETTINGS.part * x[self._column(0)]))

    def proven(self, solution: ProgramSolution, digits: int) -> tuple[NarrowEvent, ...]:
        """The events with their multipliers, those that are 0 left out; mirror images share one."""
        parts: int = 10**digits
        share = 2 if self.relaxed.fold else 1
        duals = solution.multipliers.rows[len(self._sides) + 1 :]
        whole = [round(float(u) * parts / share) for u in duals]
        return tuple(
            replace(event, multiplier=Fraction(count, parts))
            for event, count in zip(self._events, whole, strict=True)
            if count > 0
        )


def _windows(n: int, count: int) -> list[tuple[int, int]]:
    """The shifts 1, ..., n - 1 in so many windows, or in one each."""
    ends = np.linspace(1, n, count + 1).round().astype(int).tolist()
    return [(first, end - 1) for first, end in pairwise(ends) if first < end]
