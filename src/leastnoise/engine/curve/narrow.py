"""Narrow events around 0 in the program of the lower bound of noise below a curve.

On a lattice noise may hide its peak in one point, which no curve allows. The cell at 0 is therefore
divided at radii that halve, by columns of their own, and the mass within each of them is compared
with the mean over a window of shifts: rows that are proven in `../../certify/narrow.proof.md`.
Nothing is claimed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...certify.narrow import NarrowEvent
from ...program.layout import Floats, Line
from ...program.program import Found, Program, Row
from ..lattice.relaxed import Relaxed

#: The cell at 0 is halved so often, and shifts of one sign fall into so many windows.
_HALVED, _WINDOWS = 6, 8
#: Points of the curve that are asked for in each window: those that allow the least.
_POINTS = 2
#: Where a path begins, a part holds about this share of the cell at 0.
_PART = 0.03


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
        return np.asarray(0.5 ** np.arange(_HALVED, 0, -1.0))

    @property
    def _more(self) -> int:
        return len(self._sides) * _HALVED

    def _column(self, cell: int) -> int:
        line = self.relaxed.line
        return int(line.column[cell - line.first])

    def _of_parts(self, values: Floats) -> Floats:
        """One value for each radius, on every side, after those of the cells."""
        both = 2.0 if self.relaxed.fold else 1.0
        return np.concatenate(
            [np.zeros(self.relaxed.line.columns), *[both * values] * len(self._sides)]
        )

    @cached_property
    def _centre(self) -> Floats:
        """What is left at 0 itself: all of the cell but what its parts round to it."""
        found = -self._of_parts(1 - self._radii)
        found[self._column(0)] = 1.0
        return found

    def _rows(self) -> list[Row]:
        """What is left at 0 and in the cells next to it is not negative."""
        rows = [Row(-self._centre, -math.inf, 0.0)]
        for k, side in enumerate(self._sides):
            beside = np.zeros(len(self._centre))
            beside[self._column(side)] = -1.0
            first = self.relaxed.line.columns + k * _HALVED
            beside[first : first + _HALVED] = self._radii
            rows.append(Row(beside, -math.inf, 0.0))
        return rows

    @cached_property
    def _events(self) -> list[NarrowEvent]:
        """For every radius and window the points that allow the least, at x."""
        n, fold = self.relaxed.n, self.relaxed.fold
        ends = np.linspace(1, n, _WINDOWS + 1).round().astype(int)
        windows = [(int(a), int(b) - 1) for a, b in pairwise(ends) if a < b]
        if not fold:
            windows += [(-b, -a) for a, b in windows]
        radii = [Fraction(0), *(Fraction(r) for r in self._radii.tolist()), Fraction(1)]
        points = [(math.exp(float(e)), float(d)) for e, d in self.relaxed.budgets]
        x = self.x / float(self.relaxed.line.masses[0] @ self.x)
        found = []
        for inner, outer in pairwise(radii):
            for first, last in windows:
                one = NarrowEvent(0, inner, outer, first, last, fold, Fraction(0))
                around = sum(
                    float(weight) * x[self._column(cell)] for cell, weight in one.weights()
                )
                allowed = [(delta + factor * around, j) for j, (factor, delta) in enumerate(points)]
                found += [replace(one, point=j) for _, j in sorted(allowed)[:_POINTS]]
        return found

    def _row(self, event: NarrowEvent) -> Row:
        """The mass within, less e^eps times that of the window, is at most delta."""
        epsilon, delta = self.relaxed.budgets[event.point]
        found = self._centre + self._of_parts(
            (self._radii <= float(event.inner)).astype(np.float64)
        )
        for cell, weight in event.weights():
            found[self._column(cell)] -= math.exp(float(epsilon)) * float(weight)
        return Row(found, -math.inf, float(delta))

    @cached_property
    def program(self) -> Program[Line]:
        """The program, with columns for the parts of the cell at 0."""
        rows = *self._rows(), *(self._row(event) for event in self._events)
        return replace(self.relaxed.program, rows=rows, more=self._more)

    def start(self, x: Floats) -> Floats:
        """Where a path begins, from where it would begin without the parts."""
        return np.append(x, np.full(self._more, _PART * x[self._column(0)]))

    def proven(self, found: Found, digits: int) -> tuple[NarrowEvent, ...]:
        """The events with their multipliers, those that are 0 left out; mirror images share one."""
        parts: int = 10**digits
        share = 2 if self.relaxed.fold else 1
        own = found.multipliers.rows[len(self._sides) + 1 :]
        whole = [round(float(u) * parts / share) for u in own]
        return tuple(
            replace(event, multiplier=Fraction(count, parts))
            for event, count in zip(self._events, whole, strict=True)
            if count > 0
        )
