"""The search for a bracket: closed forms first, then lattice programs of rising resolution.

Everything a `Bracket` holds has been checked exactly; the floats in between only steer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ._validate import MAX_RESOLUTION
from .bounds.incumbents import Incumbents
from .bounds.interior import InteriorProgram, InteriorSolution
from .bounds.lower import (
    Canonical,
    Lower,
    Multipliers,
    canonical,
    exact_lower,
    float_lower,
    interpolated,
    thinned,
)
from .bounds.program import LatticeProgram, Round
from .bounds.upper import Proposal, Upper, discretise, exact_upper, float_loss, mix
from .certify.document import MAX_CELLS, MAX_WORK
from .errors import ArgumentError
from .lattice.cells import (
    Cells,
    Floats,
    Ints,
    lower_cells,
    lower_costs,
    tailed_cells,
    upper_cells,
    upper_costs,
)
from .spec import Problem
from .steering import BracketOf, Progress, Steered

#: A program with more columns than this is left to coarser resolutions.
_MOST_COLUMNS = 12_000
#: From here on the optimum has steps much narrower than the sensitivity.
_LARGE_EPSILON = 2.5
#: Closed forms are seen through at most this many cells a sensitivity.
_RIVAL_RESOLUTION = 64
#: A program goes on until repairing its solution costs less than this share.
_MOST_REPAIR = 8e-7
#: Above this, a coarser resolution comes first, so that there is something to return.
_DIRECT_RESOLUTION = 160
#: Below this, programs start coarse.
_TINY_DELTA = Fraction(1, 10_000)
#: From this resolution and delta on, so many shifts matter that all of them are taken at once,
#: as long as the program has no more rows than that.
_INTERIOR_RESOLUTION = 48
_INTERIOR_DELTA = Fraction(1, 4)
_INTERIOR_ROWS = 300_000


@dataclass
class Bracket(BracketOf[Lower, Upper]):
    """The best exactly checked bounds so far, and how they were found."""

    columns: int = 0
    shifts: int = 0


class Search(Steered[Bracket]):
    """One run of the engine on one problem."""

    def __init__(
        self,
        problem: Problem,
        gap: float,
        time_limit: float | None,
        resolution: int | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        super().__init__(Bracket(), gap, time_limit, progress)
        self.problem = problem
        self.resolution = resolution
        self._reach = 0.0  # of the lower program, in sensitivities
        self._carried: dict[int, Ints] = {}
        self._carried_n = 1

    # -- the plan -----------------------------------------------------------------------------

    def run(self) -> Bracket:
        """Close the bracket as far as the gap, the clock and the limits allow."""
        self.rivals = Incumbents(self.problem, self.resolution)
        try:
            self._closed_forms()
            for n in self._resolutions():
                if self._done():
                    break
                self._solve(n)
        except KeyboardInterrupt:
            if self.bracket.upper is None or self.bracket.lower is None:
                raise
            self.reason = "interrupted"
        return self.bracket

    def _resolutions(self) -> Iterator[int]:
        if self.problem.integer:
            n = int(self.problem.sensitivity)
            if self._affordable(n):
                yield n
            self.reason = self.reason or (
                f"stopped at closed forms: a sensitivity of {n} is too many integers for a program")
            return
        if self.resolution is not None:
            yield self.resolution
            return
        n, previous = self._first_resolution(), 0
        if self._tiny_delta() and self.problem.epsilon < _LARGE_EPSILON:
            # From scratch such programs lose their way; from a coarse solution they do not.
            n = _halved_to(n, 6)
        elif n > _DIRECT_RESOLUTION:
            n = _halved_to(n, _DIRECT_RESOLUTION // 2)
        while n > 1 and not self._affordable(n):
            n = n // 2
        while self._affordable(n):
            if n > previous:
                yield n
                previous = n
            # Both costs and both meshes close like 1/n^2.
            factor = 1.1 * math.sqrt(min(self.bracket.gap, 1.0) / self.gap)
            n = self._aligned(max(n + 1, math.ceil(n * min(max(factor, 1.15), 2.0))))
        self.reason = self.reason or "stopped at the largest resolution that is affordable"

    def _affordable(self, n: int) -> bool:
        radius = math.ceil(self._reach * n) + n
        columns = radius if self.problem.loss.symmetric else 2 * radius
        return columns <= _MOST_COLUMNS and n * (2 * radius + 1) <= MAX_WORK

    def _first_resolution(self) -> int:
        """Where the costs of the two bounds, weighed by the best closed form, nearly agree."""
        if float(self.problem.epsilon) >= _LARGE_EPSILON:
            steps = max(1, math.ceil(math.sqrt(0.022 / self.gap)))
            return self._aligned(math.ceil(steps / self.rivals.gamma) - 1)
        # Beyond delta = 1/2 the optimum only gains an atom: the relative gap stays the same.
        rivals = self.rivals
        if self.problem.delta > Fraction(1, 2):
            rivals = Incumbents(replace(self.problem, delta=Fraction(1, 2)), self.resolution)
        # Closed forms have less mass at 0 than the optimum, above all where delta is large.
        share = 0.7 if self.problem.delta < Fraction(2, 5) else 0.37
        target = share * self.gap * rivals.loss
        n = 1
        while (between := _cost_between(rivals, n)) > target and n < 64:
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
        gamma = self.rivals.gamma
        if float(self.problem.epsilon) < 1.5 and not offset:
            return n
        near = range(n, max(n + 2, math.ceil(1.1 * n + 0.6 / gamma)))
        return min(near, key=lambda k: (round(abs((k * gamma - offset + 0.5) % 1 - 0.5), 2), k))

    # -- closed forms -------------------------------------------------------------------------

    def _closed_forms(self) -> None:
        """Incumbents for both bounds, and how far the lower program must reach."""
        problem = self.problem
        found = canonical(problem)
        self._reach = found.reach + 1.0 if found is not None else self.rivals.radius * 2 + 3
        if not problem.loss.symmetric and problem.delta > 0:
            # The best noise leans to the cheaper side, away from what both of these look at.
            self._reach = max(self._reach, 1.6 * self.rivals.radius + 2)
        n = self.resolution or min(self._first_resolution(), _RIVAL_RESOLUTION)
        if problem.integer:
            n = int(problem.sensitivity)
        for upper in self.rivals.mechanisms(n):
            self.bracket.offer_upper(upper)
        if self.bracket.upper is None and problem.integer:
            raise ArgumentError(
                "sensitivity", int(problem.sensitivity),
                f"smaller with integer=True: no noise was found that fits into {MAX_CELLS} "
                f"integers, with epsilon={float(problem.epsilon):g}, "
                f"delta={float(problem.delta):g}",
            )
        if self.bracket.upper is None:
            raise ArgumentError(
                "epsilon", float(problem.epsilon),
                f"such that the noise fits into {MAX_CELLS} cells, "
                f"which it does not with delta={float(problem.delta):g}",
            )
        if problem.integer and not self._affordable(n):
            found = interpolated(problem)
        if found is not None and found.value > 0:
            self._canonical(found, n if problem.integer else 1)
        self._report(0.0, math.inf, n)

    def _canonical(self, found: Canonical, n: int) -> None:
        upper = self.bracket.upper
        assert upper is not None
        if self.bracket.lower is None or found.value > 0.5 * float(upper.value):
            lower = exact_lower(self.problem, n, found.reach, found.multipliers, found.value)
            self.bracket.offer_lower(lower)

    # -- programs -----------------------------------------------------------------------------

    def _solve(self, n: int) -> None:
        """One resolution: the lower program, and the upper one where it can help."""
        self.bracket.resolutions.append(n)
        if self._many_shifts_matter(n):
            self._interior_programs(n)
            return
        before = self.bracket.gap
        epsilon, delta = self.problem.epsilon, self.problem.delta
        small = self._tiny_delta() or (epsilon >= 6 and 0 < delta < Fraction(1, 20))
        if epsilon >= _LARGE_EPSILON and small:
            # Multipliers for delta = 0 bound every delta, and their program is much easier.
            self._lower_program(n, 0.0)
            if self._done():
                return
        while self._lower_program(n, float(delta)) and not self._done():
            # Mass has moved where no event sees it: the bound would be weak.
            self._reach = 1.5 * self._reach + 1
            if not self._affordable(n):
                break
        if self._done() or (self.problem.integer and self.problem.delta > 0):
            return
        if self.problem.delta == 0:
            if not self._staircase_is_optimal():
                self._tailed_program(n)
        elif before > self.gap and (epsilon >= 1.5 or self.resolution is not None):
            # At small epsilon the relaxed program's solution serves both bounds.
            aligned = n if self.resolution is not None else self._aligned(n, 0.5)
            self._upper_program(aligned)

    def _tiny_delta(self) -> bool:
        return 0 < self.problem.delta < _TINY_DELTA

    def _staircase_is_optimal(self) -> bool:
        loss = self.problem.loss
        return loss.symmetric and loss.falls_nowhere and not self.problem.integer

    def _lower_program(self, n: int, delta: float) -> bool:
        """Multipliers from the relaxed program, and noise from its solution.

        `delta` may be smaller than the problem's: any multipliers prove a bound. Returns whether
        the program should reach further out.
        """
        problem = self.problem
        reach = math.ceil(self._reach * n)
        cells = lower_cells(problem, n, reach)
        radius = reach + n
        program = self._program(cells, n, radius, None, delta)
        index = np.arange(-reach, reach + 1)
        self._seed(program, n, index)
        safe = self.rivals.safe(n)
        best: tuple[float, Multipliers] | None = None
        best_upper: tuple[float, Proposal] | None = None
        quiet, value, mixing, outside = 0, 0.0, math.inf, 0.0
        for found in self._rounds(program):
            multipliers = program.multipliers(found.solution)
            lower = float_lower(problem, n, reach, multipliers)
            gained = best is None or lower > best[0] * (1 + 0.02 * self.gap)
            gained |= found.value > value * (1 + 0.02 * self.gap)
            value = max(value, found.value)
            if best is None or lower > best[0]:
                best = (lower, multipliers)
            masses = cells.spread(found.weights)
            outside = float(masses[:n].sum() + masses[-n:].sum())
            proposal = self._proposal(n, masses)
            mixed = None if safe is None else mix(problem, proposal, safe)
            if mixed is not None:
                upper = float_loss(problem, mixed)
                gained |= best_upper is None or upper < best_upper[0] * (1 - 0.02 * self.gap)
                if best_upper is None or upper < best_upper[0]:
                    best_upper = (upper, proposal)
                # What is left to add would move neither bound by a share of the gap.
                mixing = upper - float_loss(problem, proposal)
                settled = mixing <= 0.05 * self.gap * lower
                if settled and found.value - lower <= 0.05 * self.gap * lower:
                    quiet += 2
            self._report(best[0], best_upper[0] if best_upper else math.inf, n)
            quiet = 0 if gained else quiet + 1
            ours = best_upper is not None and self._improves(best_upper[0])
            if quiet >= 6 or (
                self._closes(best[0], best_upper[0] if best_upper else math.inf)
                and (mixing <= _MOST_REPAIR * lower or not ours)
            ):
                break
        if best is not None:
            self.bracket.offer_lower(exact_lower(problem, n, reach, best[1], best[0]))
        if best_upper is not None and self._improves(best_upper[0]):
            self.bracket.offer_upper(exact_upper(problem, best_upper[1], safe))
        self._carried, self._carried_n = program.active(), n
        # Cutting it off costs delta: a share of about outside / delta would have to be repaired.
        # (For a symmetric loss the closed form of the multipliers knows how far they reach.)
        too_much = 0.03 * self.gap * (delta if delta > 0 else 1.0)
        return outside > too_much and not problem.loss.symmetric

    def _upper_program(self, n: int) -> None:
        problem = self.problem
        radius = math.ceil(self.rivals.radius * n) + max(2, n // 4)
        if not problem.loss.symmetric:
            radius = max(radius, math.ceil(self._reach * n))
        atom_cost = float(problem.loss.upper(Fraction(0)))
        cells = upper_cells(problem, n, radius)
        program = self._program(cells, n, radius, atom_cost, float(problem.delta))
        self._seed(program, n, np.arange(-radius, radius + 1))
        safe = self.rivals.safe(n)
        if safe is None:
            return
        best: tuple[float, Proposal] | None = None
        for found in self._rounds(program):
            masses = program.cells.spread(found.weights)[n:-n]
            proposal = Proposal(n, masses, found.atom)
            mixed = mix(problem, proposal, safe)
            if mixed is None:
                continue
            upper = float_loss(problem, mixed)
            if best is None or upper < best[0]:
                best = (upper, proposal)
            self._report(0.0, best[0], n)
            if upper <= found.value * (1 + _MOST_REPAIR):
                break
        if best is not None and self._improves(best[0]):
            self.bracket.offer_upper(exact_upper(problem, best[1], safe))

    def _many_shifts_matter(self, n: int) -> bool:
        problem = self.problem
        shifts = n if problem.loss.symmetric else 2 * n
        return (
            not problem.integer
            and problem.epsilon < _LARGE_EPSILON
            and problem.delta >= _INTERIOR_DELTA
            and n >= _INTERIOR_RESOLUTION
            and shifts * 2 * self._reach * n <= _INTERIOR_ROWS
        )

    def _interior_programs(self, n: int) -> None:
        """Both programs, all shifts at once: multipliers from the one, noise from the other."""
        problem = self.problem
        # The margin of the lazily grown program is not needed, and far cells cost steps.
        reach = math.ceil((self._reach - 0.5) * n)
        cells = lower_cells(problem, n, reach)
        found = self._interior(cells, None)
        multipliers, lower = thinned(problem, n, reach, found.multipliers, 0.01 * self.gap)
        # Thousands of multipliers: eleven digits keep the file small.
        self.bracket.offer_lower(exact_lower(problem, n, reach, multipliers, lower, 11))
        self._report(lower, math.inf, n)
        safe = self.rivals.safe(n)
        if self._done() or safe is None:
            return
        masses = cells.spread(found.weights)
        filled = np.flatnonzero(masses > 1e-3 * self.gap * float(masses.max())) - cells.width
        if len(filled) == 0 or not np.isfinite(masses).all():
            return  # no noise at all
        radius = min(int(np.abs(filled).max()) + max(2, n // 8), reach)
        cells = upper_cells(problem, n, radius)
        found = self._interior(cells, float(problem.loss.upper(Fraction(0))))
        masses = cells.spread(found.weights)[n:-n]
        total = float(masses.sum()) + found.atom
        proposal = Proposal(n, masses / total, found.atom / total)
        mixed = mix(problem, proposal, safe)
        if mixed is not None and self._improves(float_loss(problem, mixed)):
            self.bracket.offer_upper(exact_upper(problem, proposal, safe))
        self._report(lower, math.inf, n)

    def _interior(self, cells: Cells, atom_cost: float | None) -> InteriorSolution:
        """Solve to a small share of the gap, beginning with exponential weights."""
        problem, bracket = self.problem, self.bracket
        program = InteriorProgram(cells, float(problem.epsilon), float(problem.delta), atom_cost)
        columns = len(cells.mass)
        distance = np.arange(columns) if cells.symmetric else np.abs(
            np.arange(columns) - columns // 2
        )
        start = np.exp(-distance / (0.5 * cells.n))
        if atom_cost is not None:
            start = np.append(start, 0.1 * float(cells.mass @ start))
        found = program.solve(
            start, 0.002 * self.gap,
            self._late,
        )
        bracket.rounds += found.steps
        bracket.rows, bracket.columns = max(bracket.rows, found.rows), max(bracket.columns, columns)
        bracket.shifts = max(bracket.shifts, len(found.multipliers))
        return found

    def _tailed_program(self, n: int) -> None:
        """delta = 0 and no closed form: the program with geometric tails."""
        problem = self.problem
        ratio = math.exp(-float(problem.epsilon))
        for periods in (3, 6):
            radius = max(periods * n, math.ceil(self._reach / 4) * n)
            cells = tailed_cells(problem, n, radius, ratio)
            program = self._program(cells, n, radius, None, 0.0)
            last = None
            for found in self._rounds(program):
                last = found
            if last is None:
                continue
            width = cells.width
            masses = cells.spread(last.weights)[width - radius : width + radius + 1]
            proposal = Proposal(n, np.maximum(masses, 1e-300), 0.0, True)
            self.bracket.offer_upper(exact_upper(problem, proposal, None))
            if self.bracket.gap <= self.gap:
                return

    def _program(
        self, cells: Cells, n: int, radius: int, atom_cost: float | None, delta: float
    ) -> LatticeProgram:
        problem = self.problem
        epsilon = float(problem.epsilon)
        floor = math.exp(-epsilon * min(self.rivals.radius, 40 / max(epsilon, 1e-9)))
        size = np.abs(np.arange(-radius, radius + 1)) / n
        reference = np.maximum(np.exp(-epsilon * size), floor)
        if cells.symmetric:
            reference = reference[radius:]
        reference = reference / float(cells.mass @ reference)
        tolerance = 1e-9 if delta >= 1e-4 else 1e-10
        return LatticeProgram(cells, epsilon, delta, reference, atom_cost, tolerance)

    def _seed(self, program: LatticeProgram, n: int, index: Ints) -> None:
        """Rows to begin with: the full shift, and what mattered at the resolution before."""
        half = index[index <= 0]
        program.add(n, half)
        if not program.cells.symmetric:
            program.add(-n, -half)
        for m, cells in self._carried.items():
            scale = n / self._carried_n
            shift = round(m * scale)
            if 1 <= abs(shift) <= n:
                around = np.unique(np.round(cells * scale).astype(np.int64))
                program.add(shift, around)

    def _rounds(self, program: LatticeProgram) -> Iterator[Round]:
        bracket = self.bracket
        for found in program.rounds(self.deadline, self.clock):
            bracket.rounds += 1
            bracket.rows = max(bracket.rows, found.rows)
            bracket.columns = max(bracket.columns, program.model.columns)
            bracket.shifts = max(bracket.shifts, found.shifts)
            if not found.solution.usable:
                bracket.failures.append(found.solution.status.value)
                return
            yield found
            if self._late():
                return

    def _proposal(self, n: int, masses: Floats) -> Proposal:
        """The relaxed program's mass as noise, with the atom that costs nothing extra."""
        atom = 0.0
        if not self.problem.integer:
            centre = len(masses) // 2
            around = np.concatenate([masses[centre - n : centre], masses[centre + 1 :][:n]])
            exp = math.exp(float(self.problem.epsilon))
            atom = max(0.0, float(masses[centre]) - exp * float(around.max()))
            masses = masses.copy()
            masses[centre] -= atom
        total = float(masses.sum()) + atom
        return Proposal(n, masses / total, atom / total)


def _cost_between(rivals: Incumbents, n: int) -> float:
    """What the two bounds differ by, for the best closed form at resolution n."""
    problem = rivals.problem
    radius = min(math.ceil(rivals.radius * n) + n, MAX_CELLS // 2)
    weights = discretise(problem, rivals.best, n, radius).weights
    costs = upper_costs(problem, n, radius) - lower_costs(problem, n, radius)
    return float(costs @ weights)


def _halved_to(n: int, most: int) -> int:
    while n > most:
        n = math.ceil(n / 2)
    return n


__all__ = ["Bracket", "Progress", "Search"]
