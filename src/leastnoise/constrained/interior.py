"""The programs of a frame with all shifts of all budgets at once, by the interior point method.

As `program.py`, whose rows come a few at a time; here many budgets cost little. The method is that
of `../bounds/interior.proof.md`; whatever comes out is a proposal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..bounds.interior import InteriorMethod, Rows
from .frame import Floats
from .program import Multipliers, Parts, Row

#: Pure budgets have no interior; this much is mended afterwards.
_LEAST_DELTA = 1e-13


@dataclass(frozen=True)
class InteriorFound:
    """Masses of the columns and of the atom, the deltas that they need, and multipliers."""

    weights: Floats
    atom: float
    value: float
    multipliers: Multipliers
    steps: int
    rows: int


class InteriorFrame:
    """All rows at once.

    With `together` = (weights, most) the deltas are free but for weights @ deltas <= most.
    """

    def __init__(self, parts: Parts, together: tuple[Floats, float] | None = None) -> None:
        self.frame, self.points, self.columns = parts.frame, parts.points, len(parts.cost)
        atom_cost = parts.atom_cost
        self.atoms = 0 if atom_cost is None else 1
        self.together = together
        free = np.zeros(0 if together is None else len(parts.points))
        mass = np.concatenate([parts.frame.mass, np.ones(self.atoms), free])
        cost = np.concatenate([parts.cost, [] if atom_cost is None else [atom_cost], free])
        found, budgets, extra = self._budgets(len(mass))
        self.listed = len(budgets)
        more = [self._row(row, len(mass)) for row in parts.rows]
        if together is not None:
            weights, most = together
            more.append((np.concatenate([np.zeros(self.columns + self.atoms), weights]), most))
        for inner, outer in parts.comparisons:
            line = np.zeros(len(mass))
            line[outer], line[inner] = 1.0, -1.0
            more.append((line, 0.0))
        if more:
            extra = np.concatenate([extra, np.stack([line for line, _ in more])])
            budgets = np.concatenate([budgets, [high for _, high in more]])
        self.method = InteriorMethod(found, mass, cost, budgets, extra)
        self.further = (len(parts.rows), len(parts.comparisons))

    def _row(self, row: Row, width: int) -> tuple[Floats, float]:
        assert math.isinf(row.low), "equalities have no interior"
        line = np.zeros(width)
        line[: self.columns] = row.coefficients
        line[self.columns : self.columns + self.atoms] = row.atom
        return line, row.high

    def _budgets(self, width: int) -> tuple[Rows, Floats, Floats]:
        frame, n = self.frame, self.frame.n
        sizes = np.arange(1, n + 1)
        self.shifts = sizes if frame.symmetric else np.concatenate([sizes, -sizes])
        at = np.arange(n, len(frame.column) - n)
        at = at[(frame.events[at] > 0) & (frame.column[at] >= 0)]
        behind = frame.column[at[None, :] - self.shifts[:, None]]
        ahead = np.broadcast_to(frame.column[at], behind.shape)
        up = np.broadcast_to(frame.events[at] * frame.factor[at], behind.shape)
        down = frame.events[at] * np.where(
            behind >= 0, frame.factor[at[None, :] - self.shifts[:, None]], 0.0)
        shift = np.broadcast_to(np.arange(len(self.shifts))[:, None], behind.shape)
        cells = np.broadcast_to(at + frame.first, behind.shape)
        parts, listed = [], []
        for j, (epsilon, _) in enumerate(self.points):
            same = ahead == behind
            below = math.exp(epsilon) * down
            above = np.where(same, up - below, up)
            kept = above > 0
            parts.append(Rows(
                ahead[kept], above[kept], np.maximum(behind, 0)[kept],
                np.where(same, 0.0, below)[kept], shift[kept] + j * len(self.shifts),
            ))
            listed.append(cells[kept])
        self.cells = np.concatenate(listed)
        rows = Rows(*(np.concatenate([getattr(part, name) for part in parts])
                      for name in ("ahead", "up", "behind", "down", "group")))
        count = len(self.points) * len(self.shifts)
        extra = np.zeros((count, width))
        extra[:, self.columns : self.columns + self.atoms] = 1.0
        own = np.repeat(np.arange(len(self.points)), len(self.shifts))
        if self.together is None:
            deltas = [max(delta, _LEAST_DELTA) for _, delta in self.points]
            return rows, np.repeat(deltas, len(self.shifts)), extra
        extra[np.arange(count), self.columns + self.atoms + own] = -1.0
        return rows, np.zeros(count), extra

    def solve(
        self, start: Floats, tolerance: float, stop: Callable[[], bool] = lambda: False
    ) -> InteriorFound:
        """Follow the central path from positive masses of the columns."""
        frame = self.frame
        total = float(self.method.mass[: self.columns] @ start)
        start = np.append(start / total, [0.05] * self.atoms)
        if self.together is not None:
            masses = frame.spread(start[: self.columns])
            used = [frame.sticks(masses, math.exp(e))[1].max() for e, _ in self.points]
            start = np.append(start, 1.05 * np.array(used) + 1e-12)
        end = self.method.follow(start, tolerance, stop)
        atom = float(end.x[self.columns : self.columns + self.atoms].sum())
        share = 0.5 if frame.symmetric else 1.0
        shifts = {}
        for group, mine in self.method.multiplied(end):
            j, k = divmod(group, len(self.shifts))
            shifts[j, int(self.shifts[k])] = (
                float(end.y[group]) * share, self.cells[mine], end.z[mine] * share)
        rows, comparisons = self.further
        rest = end.y[self.listed :]
        found = Multipliers(shifts, rest[:rows], rest[len(rest) - comparisons :])
        return InteriorFound(
            end.x[: self.columns], atom, end.value, found, end.steps,
            len(self.method.rows.group),
        )
