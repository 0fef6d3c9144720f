"""The relaxed program under constraints, and the exact bound that its multipliers prove.

Any multipliers prove a bound (`../certify/constrained.proof.md`), so rounding can only weaken it.
What is dropped from the program because rounding does not keep it: `lower.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..bounds.lower import Lower
from ..certify.constrained import constrained_bound, end_cells, inward, lattice_ends
from ..certify.constraints import (
    Distinguishing,
    Dual,
    LossAtMost,
    Monotone,
    Unbiased,
    Unimodal,
)
from ..certify.document import Certificate, ShiftMultipliers
from ..certify.lower import cost_floor
from ..exact import round_down
from ..losses import Loss
from ..spec import Point, Problem, ends_of, mirror_free
from .frame import Floats, Frame, Ints, make_frame
from .program import Multipliers, Parts, Row


@dataclass(frozen=True)
class LowerFrame:
    """The cells of the relaxed program at one resolution."""

    frame: Frame
    n: int
    reach: int
    fold: bool


def lower_frame(problem: Problem, n: int, reach: int) -> LowerFrame:
    """Events within the reach, mass on n more cells, neither beyond the support."""
    step = problem.step(n)
    fold = mirror_free(problem.constraints, problem.loss)
    # A support that ends a little beyond the reach is worth including as a whole.
    for end in ends_of(problem.constraints):
        if end is not None and abs(end) <= (reach + n) * step:
            reach = max(reach, math.ceil(abs(end) / step))
    low, high = lattice_ends(problem.constraints, step, reach + n, problem.integer)
    if fold:
        high = min(high, -low)
        low = -high
    frame = make_frame(n, low, high, 0 if fold else None, (max(low, -reach), min(high, reach)))
    return LowerFrame(frame, n, reach, fold)


def costs_of(problem: Problem, loss: Loss, n: int, cells: Ints) -> Floats:
    """k_i of the cells, as floats."""
    step = problem.step(n)
    known: dict[int, float] = {}
    for i in cells.tolist():
        j = abs(i) if loss.symmetric else i
        if j not in known:
            known[j] = float(cost_floor(loss, j, step, problem.integer))
    return np.array([known[abs(i) if loss.symmetric else i] for i in cells.tolist()])


class LowerProgram:
    """The relaxed program: `parts` to solve, `exact` to prove."""

    def __init__(
        self, problem: Problem, points: Sequence[Point], n: int, reach: int
    ) -> None:
        self.problem, self.points = problem, tuple(points)
        self.shape = lower_frame(problem, n, reach)
        frame = self.shape.frame
        self._rows: list[tuple[int, str]] = []  # (constraint, which of its multipliers)
        self._compared: list[tuple[int, int]] = []  # (constraint, cell)
        rows, pairs = self._demands()
        self.parts = Parts(
            frame, tuple((float(e), float(d)) for e, d in points),
            frame.totals(costs_of(problem, problem.loss, n, frame.held)), tuple(rows), tuple(pairs),
        )
        self.places = frame.heads / n  # of the columns, in sensitivities

    def _demands(self) -> tuple[list[Row], list[tuple[int, int]]]:
        problem, frame, n, fold = self.problem, self.shape.frame, self.shape.n, self.shape.fold
        step = problem.step(n)
        rows: list[Row] = []
        pairs: list[tuple[int, int]] = []

        def row(which: int, key: str, values: Floats, low: float, high: float) -> None:
            self._rows.append((which, key))
            rows.append(Row(values, low, high))

        for which, one in enumerate(problem.constraints):
            if isinstance(one, LossAtMost):
                costs = frame.totals(costs_of(problem, one.loss, n, frame.held))
                row(which, "weight", costs, -math.inf, float(one.bound))
            elif isinstance(one, Unbiased) and not fold:
                places = frame.totals(frame.held * float(step))
                row(which, "slope", places, 0.0, 0.0)
            elif isinstance(one, Distinguishing):
                last, first = end_cells(
                    problem.constraints, step, problem.sensitivity, problem.integer
                )
                near = frame.totals(frame.held <= last)
                row(which, "left", near, -math.inf, float(one.at_most))
                if not fold:
                    near = frame.totals(frame.held >= first)
                    row(which, "right", near, -math.inf, float(one.at_most))
            elif isinstance(one, (Monotone, Unimodal)):
                pairs += self._comparisons(which, one)
        return rows, pairs

    def _comparisons(self, which: int, one: Monotone | Unimodal) -> list[tuple[int, int]]:
        frame, fold = self.shape.frame, self.shape.fold
        held = {int(i) for i in frame.cells[frame.column >= 0]}
        index = {int(i): int(c) for i, c in zip(frame.cells, frame.column, strict=True)}
        pairs = []
        for j in sorted(held):
            if (fold and j < 0) or abs(j) > self.shape.reach:
                continue
            inner = inward(one.at, j, self.problem.step(self.shape.n), self.problem.integer, fold)
            if inner is None:
                continue
            if inner in held:
                pairs.append((index[inner], index[j]))
                self._compared.append((which, j))
        return pairs

    def exact(self, multipliers: Multipliers, scale: float) -> Lower:
        """The exact bound that multipliers prove."""
        digits = max(0, 14 + math.ceil(-math.log10(scale))) if scale > 0 else 14
        unit = Fraction(10) ** -digits

        def rounded(value: float) -> Fraction:
            return round(Fraction(value) / unit) * unit

        entries = []
        for (point, shift), (_, cells, values) in sorted(multipliers.shifts.items()):
            kept = [(int(i), max(rounded(z), Fraction(0))) for i, z in zip(
                cells, values.tolist(), strict=True)]
            kept = [(i, z) for i, z in kept if z]
            if kept:
                entries.append(ShiftMultipliers(
                    shift, self.shape.fold, max(z for _, z in kept), tuple(kept), point
                ))
        problem = self.problem
        points = () if self.points == ((problem.epsilon, problem.delta),) else self.points
        certificate = Certificate(
            problem.step(self.shape.n), self.shape.reach, tuple(entries),
            self._duals(multipliers, rounded), points,
        )
        bound = constrained_bound(
            certificate, self.points, problem.sensitivity, problem.loss, problem.integer,
            problem.constraints,
        )
        return Lower(round_down(bound, 15), certificate, self.shape.n)

    def _duals(
        self, multipliers: Multipliers, rounded: Callable[[float], Fraction]
    ) -> tuple[Dual, ...]:
        constraints = self.problem.constraints
        values = [dict.fromkeys(one.duals, Fraction(0)) for one in constraints]
        cells: list[list[tuple[int, Fraction]]] = [[] for _ in constraints]
        for (which, key), dual in zip(self._rows, multipliers.rows.tolist(), strict=True):
            # The slope may have any sign.
            amount = rounded(dual)
            values[which][key] = amount if key == "slope" else max(amount, Fraction(0))
        for (which, i), u in zip(self._compared, multipliers.comparisons.tolist(), strict=True):
            amount = rounded(u)
            if amount > 0:
                cells[which].append((i, amount))
        return tuple(
            Dual(tuple(found.values()), tuple(listed))
            for found, listed in zip(values, cells, strict=True)
        )


def trivial_constrained(problem: Problem) -> Lower:
    """0: a loss is not negative."""
    n = int(problem.sensitivity) if problem.integer else 1
    duals = tuple(Dual((Fraction(0),) * len(one.duals)) for one in problem.constraints)
    return Lower(Fraction(0), Certificate(problem.step(n), 0, (), duals), n)
