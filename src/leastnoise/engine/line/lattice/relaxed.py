"""The relaxed program of additive noise, and the exact lower bound that its multipliers prove.

Noise rounded to a lattice at random keeps its budgets and most of what else is asked, at a cost
that the minorant of the loss bounds from below. Any multipliers prove a bound
(`../../../certify/certificates/duality.proof.md`), so rounding them can only weaken
it. What is dropped from the program because rounding does not keep it: `relaxed.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ....certify.certificates.duality import inward, lattice_ends
from ....certify.certificates.narrow import Narrow, NarrowEvent
from ....certify.constraints import Dual
from ....certify.kinds.additive import ShiftCertificate, ShiftMultipliers
from ....losses import Loss
from ....numeric import Floats, Ints
from ....problem import Point, Problem, ends_of, foldable
from ....program.costs import floors
from ....program.layout import LineLayout, make_line
from ....program.program import LinearProgram, PairDuals, ProgramDuals, ProgramRow
from ...bounds import Lower, proven

_ZERO = Fraction(0)


class Relaxed:
    """Events within a reach, mass on n more cells, neither beyond the support.

    With `within`, events between these two cells: where noise is known to lie.
    """

    def __init__(
        self,
        problem: Problem,
        budgets: Sequence[Point],
        n: int,
        reach: int,
        shifts: Ints | None = None,
        within: tuple[int, int] | None = None,
    ) -> None:
        self.problem, self.budgets, self.n = problem, tuple(budgets), n
        self.fold = foldable(problem.constraints, problem.loss)
        step = problem.step(n)
        # A support that ends a little beyond the reach is worth including as a whole.
        for end in ends_of(problem.constraints):
            if end is not None and abs(end) <= (reach + n) * step:
                reach = max(reach, math.ceil(abs(end) / step))
        self.reach = reach
        low, high = lattice_ends(problem.constraints, step, reach + n, problem.integer)
        if self.fold:
            high = min(high, -low)
            low = -high
        events = max(low, -reach), min(high, reach)
        if within is not None:
            events = max(events[0], within[0]), min(events[1], within[1])
            low, high = max(low, events[0] - n), min(high, events[1] + n)
        self.line = make_line(n, low, high, 0 if self.fold else None, events)
        self.line = replace(self.line, listed=shifts)
        self._rows: list[tuple[int, str]] = []  # (constraint, which of its multipliers)
        self._compared: list[tuple[int, int]] = []  # (constraint, cell)
        rows, pairs = self._demands()
        self.program: LinearProgram[LineLayout] = LinearProgram(
            self.line,
            tuple((float(e), float(d)) for e, d in budgets),
            self._costs(problem.loss),
            tuple(rows),
            tuple(pairs),
        )

    @property
    def places(self) -> Floats:
        """Where the columns lie, in sensitivities."""
        return np.asarray(self.line.heads / self.n)

    def _floors(self, loss: Loss) -> Floats:
        return floors(loss, self.problem.step(self.n), self.problem.integer, self.reach + self.n)

    def _costs(self, loss: Loss) -> Floats:
        cells = self.line.filled
        return self.line.totals(self._floors(loss)[cells + self.reach + self.n])

    def _demands(self) -> tuple[list[ProgramRow], list[tuple[int, int]]]:
        problem, line = self.problem, self.line
        step = problem.step(self.n)
        rows: list[ProgramRow] = []
        pairs: list[tuple[int, int]] = []

        def row(which: int, key: str, values: Floats, low: float, high: float) -> None:
            self._rows.append((which, key))
            rows.append(ProgramRow(values, low, high))

        for which, constraint in enumerate(problem.constraints):
            for loss, bound in constraint.loss_limits:
                row(which, "weight", self._costs(loss), -math.inf, float(bound))
            if constraint.centered and not self.fold:
                row(which, "slope", line.totals(line.filled * float(step)), 0.0, 0.0)
            if constraint.mode is not None:
                pairs += self._comparisons(which, constraint.mode)
        return rows, pairs

    def _comparisons(self, which: int, mode: Fraction) -> list[tuple[int, int]]:
        line, step = self.line, self.problem.step(self.n)
        column = dict(zip(line.cells.tolist(), line.column.tolist(), strict=True))
        pairs = []
        for j in sorted(i for i, c in column.items() if c >= 0):
            if (self.fold and j < 0) or abs(j) > self.reach:
                continue
            inner = inward(mode, j, step, self.problem.integer, self.fold)
            if inner is not None and column.get(inner, -1) >= 0:
                pairs.append((column[inner], column[j]))
                self._compared.append((which, j))
        return pairs

    # -- bounds -------------------------------------------------------------------------------

    def bound(self, pairs: PairDuals, narrow: Narrow | None = None) -> float:
        """What multipliers of shifts prove without those of constraints, in floats to steer by."""
        edge = self.reach + self.n
        gains, spent = np.zeros(2 * edge + 1), 0.0
        for (j, shift), (_, cells, z) in pairs.items():
            epsilon, delta = self.budgets[j]
            np.add.at(gains, cells + edge, z)
            np.add.at(gains, cells - shift + edge, -math.exp(epsilon) * z)
            spent += float(delta) * float(z.max(initial=0.0))
        if self.fold:
            gains, spent = gains + gains[::-1], 2 * spent
        values = self._floors(self.problem.loss) + gains
        if narrow is None:
            return float(values.min()) - spent
        for cell, amount in narrow.lowered.items():
            values[edge + cell] -= float(amount)
        radii, *raised = np.array([[float(value) for value in three] for three in narrow.raised]).T
        here, ends = values[edge], values[[edge - 1, edge + 1]]
        between = here + radii * (ends[:, None] - here) + raised
        values[edge] += raised[0][0]
        return min(float(values.min()), float(between.min())) - spent - float(narrow.spent)

    def thinned(
        self, pairs: PairDuals, loss: float, narrow: Narrow | None = None
    ) -> tuple[PairDuals, float]:
        """Without small multipliers, as long as the bound falls by at most a share `loss`.

        First without those far out, where the loss is larger than the bound. Returns what is left
        and its bound in floating point.
        """
        whole = self.bound(pairs, narrow)
        least = whole - loss * abs(whole)
        largest = max((float(z.max()) for _, _, z in pairs.values()), default=0.0)
        kept, bound = pairs, whole
        for reach in np.linspace(0.2, 0.9, 8) * self.reach:
            nearer = _kept(pairs, reach, 0.0)
            if self.bound(nearer, narrow) >= whole - 0.3 * loss * abs(whole):
                kept, bound = nearer, self.bound(nearer, narrow)
                break
        for share in np.geomspace(1e-3, 1e-8, 26):
            fewer = _kept(kept, self.reach, share * largest)
            if self.bound(fewer, narrow) >= least:
                return fewer, self.bound(fewer, narrow)
        return kept, bound

    def exact(
        self,
        multipliers: ProgramDuals,
        scale: float,
        digits: int = 14,
        narrow: tuple[NarrowEvent, ...] = (),
    ) -> Lower:
        """The exact bound that float multipliers prove. `scale` is the size of the optimal loss.

        Multipliers keep `digits` digits after the first of `scale`: multiplying a cell's z by
        e^eps and summing over shifts loses two or three of them.
        """
        digits = max(0, digits + math.ceil(-math.log10(scale))) if scale > 0 else digits
        parts: int = 10**digits

        def counted(value: float) -> int:
            """How many parts, to the nearest."""
            top, bottom = value.as_integer_ratio()
            return (2 * top * parts + bottom) // (2 * bottom)

        def rounded(value: float) -> Fraction:
            return Fraction(counted(value), parts)

        entries = []
        for (j, shift), (_, cells, z) in sorted(multipliers.pairs.items()):
            listed = zip(cells.tolist(), map(counted, z.tolist()), strict=True)
            whole = [(i, count) for i, count in listed if count > 0]
            if whole:
                # The budget need not exceed the largest multiplier, whatever the solver's was.
                most = Fraction(max(count for _, count in whole), parts)
                kept = tuple((i, Fraction(count, parts)) for i, count in whole)
                entries.append(ShiftMultipliers(shift, self.fold, most, kept, j))
        problem = self.problem
        points = () if self.budgets == ((problem.epsilon, problem.delta),) else self.budgets
        certificate = ShiftCertificate(
            problem.step(self.n),
            self.reach,
            tuple(entries),
            self._duals(multipliers, rounded),
            points,
            narrow,
        )
        return proven(problem, certificate, self.n)

    def _duals(
        self, multipliers: ProgramDuals, rounded: Callable[[float], Fraction]
    ) -> tuple[Dual, ...]:
        constraints = self.problem.constraints
        values = [dict.fromkeys(constraint.duals, _ZERO) for constraint in constraints]
        cells: list[list[tuple[int, Fraction]]] = [[] for _ in constraints]
        for (which, key), dual in zip(self._rows, multipliers.rows.tolist(), strict=True):
            # The slope may have any sign.
            amount = rounded(dual)
            values[which][key] = amount if key == "slope" else max(amount, _ZERO)
        for (which, i), u in zip(self._compared, multipliers.comparisons.tolist(), strict=True):
            amount = rounded(u)
            if amount > 0:
                cells[which].append((i, amount))
        return tuple(
            Dual(**numbers, cells=tuple(listed) if constraint.dual_cells else None)
            for numbers, listed, constraint in zip(values, cells, constraints, strict=True)
        )


def _kept(pairs: PairDuals, reach: float, least: float) -> PairDuals:
    """Multipliers of cells within a reach, larger than the least."""
    large = {}
    for key, (y, cells, z) in pairs.items():
        mine = (np.abs(cells) <= reach) & (z > least)
        if mine.any():
            large[key] = (y, cells[mine], z[mine])
    return large
