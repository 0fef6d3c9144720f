"""The one driver of programs on the line: finer and finer cells, each solved from what is known.

All noise on the line is found in the same way. A layout of cells gives two programs: the relaxed
one, whose multipliers bound all noise from below, and the restricted one, whose solutions are
noise. Both are solved, what comes out is checked exactly, and the next layout has finer cells. What
differs between one budget, several budgets with constraints, a Gaussian curve and several releases
is which budgets the programs use, how far out they look and how a solution becomes private. Each of
`OneBudgetPrograms`, `ConstrainedPrograms`, `CurvePrograms` and `ReleasePrograms` says that, and is
run by `Search.coarse_to_fine`. How resolutions follow each other, what one tells the next and both
ways to solve are here.

Nothing is claimed here: bounds are proven in `lattice/relaxed.py`, noise is checked in
`lattice/draft.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...numeric import Bools, Floats, Ints
from ...program.layout import LineLayout
from ...program.program import LinearProgram, PairDuals, ProgramSolution
from ...program.simplex import Simplex
from ..search import Search

if TYPE_CHECKING:
    from ...program.interior import Near


@dataclass(frozen=True)
class Resolutions:
    """Resolutions, coarse to fine: each as fine as the gap asks for, as far as that is affordable.

    The distance of both bounds falls like one over the resolution squared, so the next resolution
    is the last one times the root of the open gap over the one asked for, and a little more.
    """

    #: A resolution from n on that fits the problem.
    fit: Callable[[int], int]
    #: Whether programs of this resolution take no longer than their worth.
    affordable: Callable[[int], bool]
    #: How much finer than that formula says: exact bounds are a little worse than floats.
    spare: float = 1.1
    #: The least and the largest factor between two resolutions.
    slowest: float = 1.15
    fastest: float = 2.0

    def coarse_to_fine(self, first: int, search: Search) -> Iterator[int]:
        """From the first resolution on, or from the finest affordable one below it."""
        n = first
        while n > 1 and not self.affordable(n):
            n //= 2
        while self.affordable(n):
            yield n
            n = self.next(n, search)
        search.reason = search.reason or "stopped at the largest resolution that is affordable"

    def next(self, n: int, search: Search) -> int:
        """The resolution at which the gap should be met, after this one."""
        factor = self.spare * math.sqrt(min(search.bracket.gap, 1.0) / search.gap)
        factor = min(max(factor, self.slowest), self.fastest)
        return self.fit(max(n + 1, math.ceil(n * factor)))


@dataclass(frozen=True)
class ActiveRows:
    """The rows that mattered at a resolution, with the number of its budgets."""

    places: dict[tuple[int, int], Ints]
    n: int = 1
    budgets: int = 1

    def at(self, n: int, budgets: int) -> Iterator[tuple[int, int, Ints]]:
        """The same rows at another resolution: (budget, shift, cells)."""
        scale = n / self.n
        for (j, m), cells in self.places.items():
            shift = round(m * scale)
            budget = round(j * (budgets - 1) / max(1, self.budgets - 1))
            if 1 <= abs(shift) <= n:
                yield budget, shift, np.unique(np.round(cells * scale).astype(np.int64))


class LineSolver:
    """Solves programs on the line, at one resolution after another.

    The simplex method begins with the rows that mattered at the resolution before; the interior
    point method takes all rows at once.
    """

    def __init__(self) -> None:
        self.active = ActiveRows({})

    def begin(self, simplex: Simplex, one_sided: bool) -> None:
        """Add rows to begin with: the full shift, and what mattered at the resolution before.

        `one_sided`: rows of the full shift where noise is expected to fall, on one side of 0.
        """
        layout = simplex.program.layout
        n, cells, budgets = layout.n, layout.cells, len(simplex.program.budgets)
        inner = cells[cells <= 0] if one_sided else cells
        wanted = []
        for j in range(budgets):
            wanted.append((j, n, inner))
            if not layout.symmetric:
                wanted.append((j, -n, -inner if one_sided else cells))
        simplex.add([*wanted, *self.active.at(n, budgets)])

    def keep(self, simplex: Simplex) -> None:
        """Remember the rows that mattered, for the next resolution."""
        program = simplex.program
        self.active = ActiveRows(simplex.active(), program.layout.n, len(program.budgets))

    def rounds(
        self, simplex: Simplex, search: Search, deadline: float | None, enough: float = 1e-8
    ) -> Iterator[ProgramSolution]:
        """Solutions of the simplex method, with more and more of the rows that are violated."""
        for solution in simplex.rounds(deadline, search.clock, enough):
            search.count(solution, len(simplex.active()))
            yield solution
            if deadline is not None and search.clock() >= deadline:
                break
        search.bracket.failures += simplex.failures


def solve_at_once(
    program: LinearProgram[LineLayout],
    start: Floats,
    tolerance: float,
    search: Search,
    *,
    stop: Callable[[], bool] | None = None,
    near: Near | None = None,
    wanted: Bools | None = None,
    like: PairDuals | None = None,
    together: tuple[Floats, float] | None = None,
) -> ProgramSolution:
    """Solve with all rows of all shifts, to a share `tolerance` of the value.

    `start` is about the solution, one number for each column; what else is known, and what is asked
    for together, is explained in `InteriorProgram`.
    """
    from ...program.interior import InteriorProgram  # (slow to import)

    interior = InteriorProgram(program, together, near, wanted)
    solution = interior.solve(start, tolerance, stop or search.late, like)
    free = together is not None  # then no pair has a multiplier of its own
    pairs = 0 if free else len(solution.multipliers.pairs)
    search.count(solution, pairs)
    return solution


def is_solved(program: LinearProgram[LineLayout], solution: ProgramSolution) -> bool:
    """Whether the total mass is 1: a path that failed ends elsewhere."""
    return abs(float((program.layout.masses @ solution.x)[0]) - 1) < 1e-6


def with_atom(program: LinearProgram[LineLayout], start: Floats, share: float) -> Floats:
    """Masses of cells, and this share of them at exactly 0 where a program has such a column."""
    layout = program.layout
    if not layout.atoms:
        return start
    return np.append(start, share * float(layout.masses[0, :-1] @ start))


def scale_of_cells(
    epsilons: Sequence[float], reach: float, places: Floats, depth: float = 30.0
) -> Floats:
    """About the mass of cells, to scale programs by: it falls by e^epsilon each sensitivity.

    No further than noise reaches, in sensitivities, nor below e^-depth, which a solver can hardly
    tell from 0.
    """
    epsilon = min(epsilons)
    floor = math.exp(-epsilon * min(reach, depth / max(epsilon, 1e-9)))
    return np.maximum(np.exp(-epsilon * np.abs(places)), floor)
