"""Additive noise for one budget: closed forms first, then lattice programs of rising resolution.

The relaxed program bounds from below, and at small epsilon its solution is noise as well; at large
epsilon a restricted program with an atom at 0 is better. Repair is by mixing (`repair.py`).
Everything that is yielded has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NoReturn

import numpy as np

from ....certify.kinds.additive import MAX_CELLS, MAX_WORK
from ....errors import ArgumentError
from ....numeric import Floats
from ....problem import Problem
from ....problem.checks import MAX_RESOLUTION
from ....program.layout import LineLayout
from ....program.program import LinearProgram, ProgramSolution
from ....program.simplex import Simplex
from ...bounds import Bounds, Lower, Upper
from ...search import Search
from ..driver import ActiveRows, LineSolver, Resolutions, scale_of_cells
from ..staircase.descent import StaircaseDescent
from ..staircase.forecast import narrow_steps, steps_matter
from ..staircase.noise import on_integers, whole_cells
from . import interior as at_once
from .closed_forms import Incumbents, interpolated
from .draft import centred
from .forecast import (
    all_shifts_at_once,
    fine,
    flat,
    many_shifts,
    out_of_reach,
    several_integers,
    share_between,
    tiny_delta,
    tolerance,
    without_delta_first,
)
from .proposal import Proposal, with_free_atom
from .relaxed import Relaxed
from .restricted import Restricted


@dataclass(frozen=True)
class OneBudgetSettings:
    """Numbers of the programs for one budget.

    Found by trial with `benchmarks/budgets.py`; no claim depends on them.
    """

    #: A program with more columns than this is left to coarser resolutions.
    most_columns: int = 12_000
    #: Closed forms are seen through at most this many cells a sensitivity.
    closed_form_resolution: int = 64
    #: A program goes on until repairing its solution costs less than this share.
    most_repair: float = 8e-7
    #: Above this, a coarser resolution comes first, so that there is something to return.
    direct_resolution: int = 160
    #: Shares of the gap: what a round must gain to count; what may be left to add.
    gain: float = 0.02
    settled: float = 0.05
    #: Where all shifts are taken at once, a resolution of this share is often enough and much
    #: cheaper.
    first_share: float = 0.55
    #: At gaps from this on noise is polished at a resolution this much finer, within these limits.
    polished_gap: float = 5e-4
    finer: int = 2
    polished_resolution: int = 50
    polished_columns: int = 260
    #: How much further than the best staircase such a program looks, in sensitivities.
    beyond: float = 1.0  # over epsilon
    #: Between two lattices of multipliers: cells a step of the noise, how much further out it may
    #: reach, and the most rows.
    cells: int = 3
    margin: float = 0.125
    few_rows: int = 40_000
    #: Rounds without gain after which a program is left.
    quiet_rounds: int = 6
    #: The bounds differ by about this over n^2 when the optimum has narrow steps (measured).
    step_cost: float = 0.022
    #: A staircase this near to the best closed form stands for it.
    close: float = 1e-5
    #: Cells are not scaled below e^-this.
    depth: float = 40.0


SETTINGS = OneBudgetSettings()


def run_of(problem: Problem, search: Search) -> OneBudgetPrograms:
    """What the methods of one search share about a problem with one budget."""
    return search.keep(
        OneBudgetPrograms, lambda: OneBudgetPrograms(problem, search.plan.resolution)
    )


def refuse(problem: Problem) -> NoReturn:
    """Noise that is wider than a file may be."""
    if problem.integer:
        raise ArgumentError(
            "sensitivity",
            int(problem.sensitivity),
            f"smaller with integer=True: no noise was found that fits into {MAX_CELLS} "
            f"integers, with epsilon={float(problem.epsilon):g}, delta={float(problem.delta):g}",
        )
    raise ArgumentError(
        "epsilon",
        float(problem.epsilon),
        f"such that the noise fits into {MAX_CELLS} cells, "
        f"which it does not with delta={float(problem.delta):g}",
    )


class OneBudgetPrograms:
    """Noise on the line, or on the whole numbers, for one (epsilon, delta)."""

    def __init__(
        self,
        problem: Problem,
        resolution: int | None = None,
        descent: StaircaseDescent | None = None,
        reach: float | None = None,
    ) -> None:
        self.problem, self.resolution = problem, resolution
        if reach is not None:
            self._reach = reach
        self._descent = StaircaseDescent(problem) if descent is None else descent
        self.solver = LineSolver()
        self._finest_runs = 0

    @cached_property
    def closed_forms(self) -> Incumbents:
        """Noise of the literature, which a staircase that closes the gap does not need."""
        return Incumbents(self.problem, self.resolution)

    @cached_property
    def _reach(self) -> float:
        """How far out programs look, in sensitivities; further where that is not enough."""
        known = self.closed_forms
        if self.problem.loss.symmetric or self.problem.delta == 0:
            return known.reach
        # The best noise leans to the cheaper side, away from what both of these look at.
        return max(known.reach, 1.6 * known.radius + 2)

    # -- closed forms -------------------------------------------------------------------------

    def in_closed_form(self, search: Search) -> Iterator[Bounds]:
        """The best closed forms, and multipliers in closed form."""
        problem, stairs = self.problem, self._descent.upper
        best = math.inf if stairs is None else float(stairs.value)
        n = int(problem.sensitivity)
        if not problem.integer:
            n = self.resolution or min(
                self._first_resolution(search.gap), SETTINGS.closed_form_resolution
            )
        if best > self.closed_forms.loss * (1 + SETTINGS.close):
            for upper in self.closed_forms.mechanisms(n):
                best = min(best, float(upper.value))
                yield None, upper
        multipliers = self.closed_forms.multipliers
        if multipliers is None and problem.integer and (flat(problem) or not self._affordable(n)):
            multipliers = interpolated(problem)
        # A bound far below the mechanisms is not worth the digits of its multipliers.
        if (
            multipliers is not None
            and multipliers.value > 0
            and (search.bracket.lower is None or multipliers.value > 0.5 * best)
        ):
            yield multipliers.exact(), None
        search.report(0.0, math.inf, n)

    def down_the_stairs(self, search: Search) -> Iterator[Bounds]:
        """A staircase, multipliers; and noise of a small program between them if delta is large."""
        problem = self.problem
        if self.resolution is not None:
            return
        refined = many_shifts(problem) and narrow_steps(problem) and not problem.integer
        for lower, upper in self._descent.bounds(search):
            yield lower, upper
            ends = self._descent.ends
            if lower is not None and refined and ends is not None:
                refined = False
                n = self._aligned(math.ceil(SETTINGS.cells / self.closed_forms.gamma), 0.5)
                if 2 * ends * n * n < SETTINGS.few_rows:
                    yield None, self._noise_at_once(n, ends + SETTINGS.margin, search)
        if not problem.loss.symmetric and self._descent.ends is not None:
            # As far as the best staircase that leans, and a little further.
            self._reach = min(self._reach, self._descent.ends + 1.5)
        if self._descent.used:
            self.solver.active = ActiveRows(self._descent.used, self._descent.n)

    # -- resolutions --------------------------------------------------------------------------

    def sizes(self, search: Search) -> Iterator[int]:
        """Finer until both costs and both meshes, which close like 1/n^2, should meet the gap."""
        if self._coarse():
            width = int(self.problem.sensitivity)
            for n in self._real(width).sizes(search):
                yield min(n, width)
                if n >= width:
                    break
            return
        if self.problem.integer:
            n = int(self.problem.sensitivity)
            if self._affordable(n):
                yield n
            search.reason = search.reason or (
                f"stopped at closed forms: a sensitivity of {n} is too many integers for a program"
            )
            return
        if self.resolution is not None:
            if self._reach * self.resolution <= MAX_CELLS:
                yield self.resolution
            return
        n = self._first_resolution(search.gap)
        steep = narrow_steps(self.problem)
        if tiny_delta(self.problem) and not steep:
            # From scratch such programs lose their way; from a coarse solution they do not.
            n = _halved_to(n, 6)
        elif n > SETTINGS.direct_resolution:
            n = _halved_to(n, SETTINGS.direct_resolution // 2)
        elif fine(n) and not steep and self._many_shifts_matter(n):
            n = self._aligned(math.ceil(SETTINGS.first_share * n))
        yield from Resolutions(self._aligned, self._affordable).coarse_to_fine(n, search)

    def _affordable(self, n: int) -> bool:
        radius = math.ceil(self._reach * n) + n
        columns = radius if self.problem.loss.symmetric else 2 * radius
        few = columns <= SETTINGS.most_columns and n * (2 * radius + 1) <= MAX_WORK
        return few and not out_of_reach(self.problem, self._rows(n))

    def _rows(self, n: int) -> float:
        shifts = n if self.problem.loss.symmetric else 2 * n
        return shifts * 2 * self._reach * n

    def _first_resolution(self, gap: float) -> int:
        """Where the costs of the two bounds, weighed by the best closed form, nearly agree."""
        if narrow_steps(self.problem):
            steps = max(1, math.ceil(math.sqrt(SETTINGS.step_cost / gap)))
            return self._aligned(math.ceil(steps / self.closed_forms.gamma) - 1)
        known = self.closed_forms
        target = share_between(self.problem) * gap * known.loss
        n = 1
        while (between := known.between(n)) > target and n < 64:
            n *= 2
        # It falls like 1/n^2 from here, or was below the target already halfway.
        n = max(math.ceil(n * math.sqrt(max(between, 0.0) / target)), n // 2, 1)
        n = min(n, MAX_RESOLUTION)
        return self._aligned(n)

    def _aligned(self, n: int, offset: float = 0.0) -> int:
        """At large epsilon, a resolution from n on that fits the steps of the optimum.

        They sit near multiples of gamma * D, which should be whole cells from 0 for the lower
        bound and, cells being centred, half a cell more (`offset`) for the upper one.
        """
        gamma = self.closed_forms.gamma
        if not steps_matter(self.problem) and not offset:
            return n
        near = range(n, max(n + 2, math.ceil(1.1 * n + 0.6 / gamma)))
        if (steps := self._descent.steps) is not None and not self.problem.loss.symmetric:
            return near[int(steps.moved(np.array(near), offset).argmin())]
        return min(near, key=lambda k: (round(abs((k * gamma - offset + 0.5) % 1 - 0.5), 2), k))

    # -- programs -----------------------------------------------------------------------------

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """The relaxed program, and the restricted one where it can help."""
        if self._coarse():
            yield from self._on_runs(size, search)
            return
        if self._many_shifts_matter(size):
            yield from self._at_once(size, search)
            return
        before, problem = search.bracket.gap, self.problem
        delta = problem.delta
        if without_delta_first(problem):
            yield self._relaxed(size, 0.0, search)
        while True:
            reach = self._reach
            yield self._relaxed(size, float(delta), search)
            # Mass may have moved where no event sees it: the bound would be weak.
            if self._reach == reach or not self._affordable(size):
                break
        if problem.integer and delta > 0:
            return
        if delta == 0:
            if not self._staircase_is_optimal():
                yield from self._tailed(size, search)
        elif before > search.gap and (steps_matter(problem) or self.resolution is not None):
            # At small epsilon the relaxed program's solution serves both bounds.
            aligned = size if self.resolution is not None else self._aligned(size, 0.5)
            yield from self._restricted(aligned, search)

    def _coarse(self) -> bool:
        """Whether whole steps of many integers serve as well as the integers themselves."""
        problem = self.problem
        return problem.integer and several_integers(
            problem, self._affordable(int(problem.sensitivity))
        )

    def _on_runs(self, n: int, search: Search) -> Iterator[Bounds]:
        """Programs for real noise whose cells are runs of whole numbers."""
        problem, width = self.problem, int(self.problem.sensitivity)
        if problem.delta == 0:
            return  # a staircase is the best there is, and has been tried
        asked = problem, self._descent.steps, n, search.gap, self._reach
        low, high = whole_cells(*asked, up=False), whole_cells(*asked, up=True)
        if low <= self._finest_runs:
            return  # tried before
        self._finest_runs = low
        if low == width and problem.loss.symmetric and not steps_matter(problem):
            yield self._relaxed(width, float(problem.delta), search)
            return
        below = self if low == width else self._real(width // low * low, low)
        above = self if high == width else self._real(-(-width // high) * high, high)
        if below._many_shifts_matter(low):
            lower, radius = below._bounded_at_once(low, search)
            yield lower, None
            if not search.done():
                yield None, on_integers(above._noise_at_once(high, radius, search), problem)
            return
        yield below._relaxed(low, float(problem.delta), search)[0], None
        if not search.done():
            for _, upper in above.improve(high, search):
                yield None, on_integers(upper, problem)

    def _real(self, width: int, n: int | None = None) -> OneBudgetPrograms:
        """The same for real noise with another sensitivity."""
        problem = replace(self.problem, integer=False, sensitivity=Fraction(width))
        reach = None if self.problem.loss.symmetric else self._reach
        return OneBudgetPrograms(problem, n, self._descent, reach)

    def _staircase_is_optimal(self) -> bool:
        loss = self.problem.loss
        return loss.symmetric and loss.falls_nowhere and not self.problem.integer

    def _relaxed(self, n: int, delta: float, search: Search) -> Bounds:
        """Multipliers from the relaxed program, and noise from its solution.

        `delta` may be smaller than the question's: any multipliers prove a bound. The reach grows
        if the program should look further out.
        """
        problem = self.problem
        relaxed = Relaxed(problem, problem.budgets, n, math.ceil(self._reach * n))
        program = replace(relaxed.program, budgets=((float(problem.epsilon), delta),))
        simplex = self._simplex(program, relaxed.places)
        self.solver.begin(simplex, one_sided=True)
        safe = self.closed_forms.safe(n)
        best: tuple[float, ProgramSolution] | None = None
        best_upper: tuple[float, Proposal] | None = None
        quiet, value, mixing, outside = 0, 0.0, math.inf, 0.0
        for solution in self._rounds(simplex, search):
            lower = relaxed.bound(solution.multipliers.pairs)
            gained = best is None or lower > best[0] * (1 + SETTINGS.gain * search.gap)
            gained |= solution.value > value * (1 + SETTINGS.gain * search.gap)
            value = max(value, solution.value)
            if best is None or lower > best[0]:
                best = (lower, solution)
            masses = relaxed.line.spread(solution.x)[0][n:-n]
            outside = float(masses[:n].sum() + masses[-n:].sum())
            proposal = with_free_atom(self.problem, n, masses)
            mixed = None if safe is None else proposal.mixed(safe)
            if mixed is not None:
                upper = mixed.loss
                gained |= best_upper is None or upper < best_upper[0] * (
                    1 - SETTINGS.gain * search.gap
                )
                if best_upper is None or upper < best_upper[0]:
                    best_upper = (upper, proposal)
                # What is left to add would move neither bound by a share of the gap.
                mixing = upper - proposal.loss
                settled = mixing <= SETTINGS.settled * search.gap * lower
                if settled and solution.value - lower <= SETTINGS.settled * search.gap * lower:
                    quiet += 2
            upper_now = best_upper[0] if best_upper else math.inf
            search.report(best[0], upper_now, n)
            quiet = 0 if gained else quiet + 1
            repaired = mixing <= SETTINGS.most_repair * lower or not search.improves(upper_now)
            if quiet >= SETTINGS.quiet_rounds or (search.closes(best[0], upper_now) and repaired):
                break
        self.solver.keep(simplex)
        # Cutting it off costs delta: a share of about outside / delta would have to be repaired.
        # (For a symmetric loss the closed form of the multipliers knows how far they reach.)
        if outside > 0.03 * search.gap * (delta or 1.0) and not problem.loss.symmetric:
            self._reach = 1.5 * self._reach + 1
        ours = best_upper is not None and search.improves(best_upper[0])
        return (
            None if best is None else relaxed.exact(best[1].multipliers, best[0]),
            best_upper[1].exact(safe) if ours and best_upper is not None else None,
        )

    def _restricted(self, n: int, search: Search) -> Iterator[Bounds]:
        problem, safe = self.problem, self.closed_forms.safe(n)
        if safe is None:
            return
        radius = math.ceil(self.closed_forms.radius * n) + max(2, n // 4)
        if not problem.loss.symmetric:
            radius = max(radius, math.ceil(self._reach * n))
        restricted = Restricted(problem, problem.budgets, centred(n, radius))
        simplex = self._simplex(restricted.program, restricted.places)
        self.solver.begin(simplex, one_sided=True)
        best: tuple[float, Proposal] | None = None
        for solution in self._rounds(simplex, search):
            proposal = Proposal(problem, n, *restricted.masses(solution.x))
            mixed = proposal.mixed(safe)
            if mixed is None:
                continue
            if best is None or mixed.loss < best[0]:
                best = (mixed.loss, proposal)
            search.report(0.0, best[0], n)
            if mixed.loss <= solution.value * (1 + SETTINGS.most_repair):
                break
        if best is not None and search.improves(best[0]):
            yield None, best[1].exact(safe)

    def finer(self, search: Search) -> Iterator[Bounds]:
        """Noise of a small program that is finer: nothing published should be better."""
        upper, problem = search.bracket.upper, self.problem
        free = self.resolution is None and problem.output_step is None and not problem.integer
        if (
            upper is None
            or not free
            or upper.origin != "program"
            or search.gap < SETTINGS.polished_gap
        ):
            return
        n = min(SETTINGS.finer * upper.resolution, SETTINGS.polished_resolution)
        n = self._aligned(n, 0.5 if steps_matter(problem) else 0.0)
        columns = self.closed_forms.radius * n * (1 if problem.loss.symmetric else 2)
        if n > upper.resolution and columns <= SETTINGS.polished_columns and not search.late():
            yield from self._restricted(n, search)

    def _many_shifts_matter(self, n: int) -> bool:
        return all_shifts_at_once(self.problem, n, self._rows(n))

    def _at_once(self, n: int, search: Search) -> Iterator[Bounds]:
        """Both programs, all shifts at once: multipliers from the one, noise from the other."""
        lower, radius = self._bounded_at_once(n, search)
        yield lower, None
        if steps_matter(self.problem) and self.resolution is None:
            n = self._aligned(n, 0.5)
        yield None, self._noise_at_once(n, radius, search)

    def _bounded_at_once(self, n: int, search: Search) -> tuple[Lower, float]:
        # Far cells cost steps: hardly further than the best staircase, where one is known.
        far, ends = self._reach - 0.5, self._descent.ends
        if ends is not None:
            far = min(far, ends + SETTINGS.beyond / float(self.problem.epsilon))
        return at_once.bounded(self.problem, n, math.ceil(far * n), search)

    def _noise_at_once(self, n: int, radius: float, search: Search) -> Upper | None:
        return at_once.noise(self.problem, self.closed_forms.safe(n), n, radius, search)

    def _tailed(self, n: int, search: Search) -> Iterator[Bounds]:
        """delta = 0 and no closed form: the program with geometric tails."""
        problem = self.problem
        for periods in (3, 6):
            radius = max(periods * n, math.ceil(self._reach / 4) * n)
            mesh = centred(n, radius, problem.epsilon)
            restricted = Restricted(problem, problem.budgets, mesh)
            simplex = self._simplex(restricted.program, restricted.places)
            rounds = list(self._rounds(simplex, search))
            if rounds:
                masses = np.maximum(restricted.masses(rounds[-1].x)[0], 1e-300)
                yield None, Proposal(problem, n, masses, tail=True).exact(None)

    def _simplex(self, program: LinearProgram[LineLayout], places: Floats) -> Simplex:
        epsilon, delta = program.budgets[0]
        scale = scale_of_cells([epsilon], self.closed_forms.radius, places, SETTINGS.depth)
        return Simplex(program, scale, tolerance=tolerance([delta]))

    def _rounds(self, simplex: Simplex, search: Search) -> Iterator[ProgramSolution]:
        return self.solver.rounds(simplex, search, search.deadline)


def _halved_to(n: int, most: int) -> int:
    while n > most:
        n = math.ceil(n / 2)
    return n
