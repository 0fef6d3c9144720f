"""The program with all pairs at once, by an interior point method.

Where nearly every pair matters (large delta, fine cells, many budgets) the simplex method needs
dozens of rounds with thousands of rows; here one matrix as small as the number of columns serves
all rows of all pairs and all budgets: `interior_method.py`. Which rows it takes:
`interior.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..numeric import Bools, Floats, Ints
from .interior_method import InteriorEnd, InteriorMethod, PairRows, summed
from .program import LinearProgram, PairDuals, ProgramDuals, ProgramSolution

#: Multipliers below this share of the value are not worth their place.
_SMALL_MULTIPLIER = 1e-10
#: Pure budgets have no interior; this much is mended afterwards.
_LEAST_DELTA = 1e-13


@dataclass(frozen=True)
class Near:
    """What is known of a solution: it is like x.

    Excesses whose two sides differ at x by more than a factor e^window keep the sign that they have
    there, unless it is another at one of `seen`; the window of an excess is the sum of those of its
    two columns. That relaxes the program, and multipliers 0 and y belong to it.
    """

    x: Floats
    windows: Floats  # of the columns
    seen: tuple[Floats, ...] = ()

    @classmethod
    def alike(cls, x: Floats, window: float, seen: tuple[Floats, ...] = ()) -> Near:
        """One window for all excesses."""
        return cls(x, np.full(len(x), window / 2), seen)

    def ratios(self, ahead: Ints, up: Floats, behind: Ints, down: Floats) -> list[Floats]:
        """Logarithms of what is ahead over what is behind, at x and as seen."""
        every = (self.x, *self.seen)
        with np.errstate(divide="ignore"):
            return [np.log(up * x[ahead]) - np.log(down * x[behind]) for x in every]


class InteriorProgram:
    """All rows of a program at once.

    With `together` = (weights, most) the deltas are free but for weights @ deltas <= most. With
    `wanted`, one entry for every budget and pair, the others are left out.
    """

    def __init__(
        self,
        program: LinearProgram[Any],
        together: tuple[Floats, float] | None = None,
        near: Near | None = None,
        wanted: Bools | None = None,
    ) -> None:
        layout = program.layout
        self.program, self.together, self.near, self.wanted = program, together, near, wanted
        free = np.zeros(program.more if together is None else len(program.budgets))
        mass = np.pad(layout.masses, ((0, 0), (0, len(free))))
        cost = np.concatenate([program.cost, free])
        rows, budgets, extra = self._budgets(len(cost))
        more = []
        for row in program.rows:
            assert math.isinf(row.low), "equalities have no interior"
            more.append(
                (np.pad(row.coefficients, (0, len(cost) - len(row.coefficients))), row.high)
            )
        if together is not None:
            weights, most = together
            more.append((np.concatenate([np.zeros(layout.columns), weights]), most))
        for inner, outer in program.comparisons:
            line = np.zeros(len(cost))
            line[outer], line[inner] = 1.0, -1.0
            more.append((line, 0.0))
        self._listed = len(budgets)
        if more:
            extra = np.concatenate([extra, np.stack([line for line, _ in more])])
            budgets = np.concatenate([budgets, [high for _, high in more]])
        self.method = InteriorMethod(rows, mass, cost, budgets, extra)

    def _budgets(self, width: int) -> tuple[PairRows, Floats, Floats]:
        """The rows of all pairs at all budgets; budget j and pair k are group j * pairs + k."""
        layout, points, near = self.program.layout, self.program.budgets, self.near
        self.pairs, every = layout.every()
        pair = np.repeat(np.arange(len(every)), [len(places.number) for places in every])
        number, ahead, behind, up, down, weight = (
            np.concatenate([getattr(places, name) for places in every])
            for name in ("number", "ahead", "behind", "up", "down", "weight")
        )
        count = len(points) * len(every)
        wanted = np.ones(count, bool) if self.wanted is None else self.wanted
        self._names = names = np.flatnonzero(wanted)
        groups = np.where(wanted.ravel(), np.cumsum(wanted) - 1, -1)
        extra = np.zeros((len(names), width))
        same, parts, numbers = ahead == behind, [], []
        self._signed: list[tuple[Ints, Ints]] = []
        ratio, *seen = [up] if near is None else near.ratios(ahead, up, behind, down)
        for j, (epsilon, _) in enumerate(points):
            below = math.exp(epsilon) * down * weight
            above = np.where(same, up * weight - below, up * weight)
            whole = PairRows(
                ahead, above, behind, np.where(same, 0.0, below), groups[pair + j * len(every)]
            )
            kept = (above > 0) & (whole.group >= 0)  # its own neighbor never exceeds it
            if near is not None:
                either = np.abs(ratio - epsilon) <= near.windows[ahead] + near.windows[behind]
                for another in seen:
                    either |= (ratio > epsilon) != (another > epsilon)
                sure, kept = kept & ~either & (ratio > epsilon), kept & either
                extra += summed(whole.only(sure), extra.shape)
                self._signed.append((whole.group[sure], number[sure]))
            parts.append(whole.only(kept))
            numbers.append(number[kept])
        self._numbers = np.concatenate(numbers)
        rows = PairRows(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("ahead", "up", "behind", "down", "group")
            )
        )
        budget, mine = names // len(every), names % len(every)
        atoms = np.array([layout.atom(int(pair_of_atom)) for pair_of_atom in self.pairs])[mine]
        paying = np.flatnonzero(atoms >= 0)
        extra[paying, atoms[paying]] = 1.0
        if self.together is None:
            deltas = np.array([max(delta, _LEAST_DELTA) for _, delta in points])
            return rows, deltas[budget], extra
        extra[np.arange(len(names)), layout.columns + budget] = -1.0
        return rows, np.zeros(len(names)), extra

    def solve(
        self,
        start: Floats,
        tolerance: float,
        stop: Callable[[], bool] = lambda: False,
        like: PairDuals | None = None,
    ) -> ProgramSolution:
        """Follow the central path from positive numbers, one for every column, further ones too.

        `like` are multipliers of a program whose solution is about `start`.
        """
        layout = self.program.layout
        start = start * len(layout.masses) / float((layout.masses @ start[: layout.columns]).sum())
        if self.together is not None:
            used = [
                layout.sticks(layout.spread(start), math.exp(e))[1].max()
                for e, _ in self.program.budgets
            ]
            start = np.append(start, 1.05 * np.array(used) + 1e-12)
        known = None if like is None else self._known(like)
        end = self.method.follow(start, tolerance, stop, known)
        rows = len(self.method.rows.group)
        loose = None if end.loose is None else end.loose[: layout.columns]
        return ProgramSolution(
            end.x[: layout.columns],
            end.value,
            0.0,
            rows,
            lambda: self._multipliers(end),
            end.steps,
            loose,
        )

    def _known(self, pairs: PairDuals) -> Floats:
        """The multipliers of budgets that these are about, not a number for others."""
        multipliers, share = np.full(len(self.method.budgets), math.nan), self._share
        for group, name in enumerate(self._names.tolist()):
            j, k = divmod(name, len(self.pairs))
            if (known := pairs.get((j, int(self.pairs[k])))) is not None:
                multipliers[group] = known[0] / share
        return multipliers

    @property
    def _share(self) -> float:
        """Of multipliers that two mirror images share, what is one's own."""
        return 0.5 if self.program.layout.symmetric else 1.0

    def _multipliers(self, end: InteriorEnd) -> ProgramDuals:
        share, pairs = self._share, PairDuals()
        groups = np.concatenate([self.method.rows.group, *(group for group, _ in self._signed)])
        numbers = np.concatenate([self._numbers, *(number for _, number in self._signed)])
        z = np.concatenate([end.z, *(end.y[group] for group, _ in self._signed)])
        worth = np.flatnonzero(z > _SMALL_MULTIPLIER * end.value)
        worth = worth[np.argsort(groups[worth], kind="stable")]
        groups_found, starts = np.unique(groups[worth], return_index=True)
        for group, (first, last) in zip(groups_found, pairwise([*starts, len(worth)]), strict=True):
            mine = worth[first:last]
            j, k = divmod(int(self._names[group]), len(self.pairs))
            pairs[j, int(self.pairs[k])] = (
                float(end.y[group]) * share,
                numbers[mine],
                z[mine] * share,
            )
        rest = end.y[self._listed :]
        compared = len(rest) - len(self.program.comparisons)
        return ProgramDuals(pairs, rest[: len(self.program.rows)], rest[compared:])
