"""Programs of additive noise with all shifts at once: multipliers from one, noise from another.

What is returned has been checked exactly (`relaxed.proof.md`, `repair.proof.md`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ....problem import Problem
from ....program.layout import LineLayout
from ....program.program import LinearProgram, ProgramSolution
from ...bounds import Lower, Upper
from ...search import Search
from ..driver import solve_at_once, with_atom
from .draft import centred
from .proposal import Proposal
from .relaxed import Relaxed
from .restricted import Restricted


@dataclass(frozen=True)
class AllShiftsSettings:
    """Numbers of programs with all shifts at once.

    Found by trial with `benchmarks/budgets.py`; no claim depends on them.
    """

    #: The share of the gap to which the interior point method solves.
    solved: float = 0.002
    #: Shares of the gap that small multipliers may be worth that are left out of a file; how many
    #: are too many.
    thinned: tuple[float, ...] = (0.03, 0.15)
    many_multipliers: int = 20_000
    #: A path begins with this share of the mass of all cells at exactly 0.
    atom: float = 0.1


SETTINGS = AllShiftsSettings()


def bounded(problem: Problem, n: int, reach: int, search: Search) -> tuple[Lower, float]:
    """Multipliers, and how far out, in sensitivities, the program's solution lies."""
    relaxed = Relaxed(problem, problem.budgets, n, reach)
    solution = _solved(relaxed.program, search)
    for share in SETTINGS.thinned:
        pairs, lower = relaxed.thinned(solution.multipliers.pairs, share * search.gap)
        if sum(len(cells) for _, cells, _ in pairs.values()) <= SETTINGS.many_multipliers:
            break
    # Thousands of multipliers: few digits keep the file small. (z counts e^eps times.)
    digits = 8 + math.ceil(0.4343 * float(problem.epsilon))
    exact = relaxed.exact(replace(solution.multipliers, pairs=pairs), lower, digits)
    search.report(lower, math.inf, n)
    masses = relaxed.line.spread(solution.x)[0]
    filled = relaxed.line.cells[masses > 1e-3 * search.gap * float(masses.max())]
    if len(filled) == 0 or not np.isfinite(masses).all():
        return exact, 0.0  # no noise at all
    return exact, min(int(np.abs(filled).max()) + max(2, n // 8), reach) / n


def noise(
    problem: Problem, safe: Proposal | None, n: int, radius: float, search: Search
) -> Upper | None:
    """Noise no further out than this, repaired with `safe`, if it is better than any before."""
    if safe is None or radius == 0:
        return None
    restricted = Restricted(problem, problem.budgets, centred(n, math.ceil(radius * n)))
    weights, atom = restricted.masses(_solved(restricted.program, search).x)
    total = float(weights.sum()) + atom
    proposal = Proposal(problem, n, weights / total, atom / total)
    mixed = proposal.mixed(safe)
    better = mixed is not None and search.improves(mixed.loss)
    return proposal.exact(safe) if better else None


def _solved(program: LinearProgram[LineLayout], search: Search) -> ProgramSolution:
    """To a small share of the gap, beginning with exponential weights."""
    line = program.layout
    start = with_atom(program, np.exp(-np.abs(line.heads) / (0.5 * line.n)), SETTINGS.atom)
    return solve_at_once(program, start, SETTINGS.solved * search.gap, search)
