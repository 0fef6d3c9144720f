"""The search for a bracket under constraints: two programs a resolution, finer and finer.

Everything a `Bracket` holds has been checked exactly; the floats in between only steer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..bounds.incumbents import Incumbents
from ..bounds.lower import canonical
from ..certify.constraints import Monotone, Unbiased, Unimodal
from ..certify.curve import GaussianCurve
from ..certify.document import MAX_WORK
from ..errors import ArgumentError
from ..lp import Status
from ..search import Bracket
from ..spec import Problem, ends_of, mirror_free
from ..steering import Progress, Steered
from .frame import Floats, Ints
from .gaussian import chords_below, gaussian_noise, points_on
from .interior import InteriorFound, InteriorFrame
from .lower import LowerProgram, trivial_constrained
from .program import Found, Parts, Program
from .support import refuse_narrow, support_words
from .upper import UpperProgram, mesh_of

#: A program with more columns than this is left to coarser resolutions; or times budgets.
_MOST_COLUMNS = 2_000
_MOST_COLUMNS_AND_BUDGETS = 3_500
#: So many integers on each side at most; or times budgets.
_MOST_INTEGERS, _MOST_INTEGERS_AND_BUDGETS = 12_000, 24_000
_LARGE_EPSILON = 2.5
#: More budgets than these are solved with all their rows at once, up to so many rows.
_FEW_BUDGETS = 2
_MOST_ROWS_AT_ONCE = 1_500_000
#: Lines that stand for a curve, at first and at most.
_FIRST_LINES = 14
_MOST_LINES = 48
#: How far below every delta the upper program stays, so that its solution passes exactly.
_MARGINS = (1e-6, 2e-5, 1e-3)


class ConstrainedSearch(Steered[Bracket]):
    """One run of the engine on one problem with constraints or with several budgets.

    `lower_points` and `upper_points` are the budgets that the two programs use: those of the
    problem, and for a curve points on it and points on chords below it, more at each resolution.
    """

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
        self.curve: GaussianCurve | None = None
        self.upper_points = self.lower_points = problem.budgets
        self._lines = _FIRST_LINES
        self.fold = mirror_free(problem.constraints, problem.loss)
        self._carried: dict[tuple[int, int], Ints] = {}
        self._carried_n = self._carried_points = 1

    # -- the plan -----------------------------------------------------------------------------

    def run(self) -> Bracket:
        """Close the bracket as far as the gap, the clock and the limits allow."""
        refuse_narrow(self.problem)
        self._refuse_leaning_tails()
        self._sizes()
        self._refuse_many_integers()
        try:
            if self.problem.gdp is not None:
                self._gaussian(self.problem.gdp)
            for n in self._resolutions():
                if self._done():
                    break
                self.bracket.resolutions.append(n)
                self._bend()
                self._upper(n)
                if self.bracket.upper is None and self._hopeless(n):
                    break
                if self.bracket.upper is not None and not self._done():
                    # (A bound for all noise holds for noise on coarse outputs too.)
                    fine = n if self.problem.output_step is None else max(n, self._first())
                    self._lower(fine)
        except KeyboardInterrupt:
            if self.bracket.upper is None:
                raise
            self.reason = "interrupted"
        if self.bracket.upper is None:
            raise ArgumentError(
                "constraints", [one.spec() for one in self.problem.constraints],
                "such that some private noise obeys them all; none was found"
                + support_words(self.problem),
            )
        if self.bracket.lower is None:
            self.bracket.lower = trivial_constrained(self.problem)
        return self.bracket

    def _gaussian(self, mu: Fraction) -> None:
        """An incumbent on cells so fine that they cost next to nothing."""
        n = self._first()
        if self.problem.output_step is not None:
            n = self._coarse()
        elif not self.problem.integer and self.resolution is None:
            n = max(n, min(math.ceil(26 * mu), 60))
        self.bracket.offer_upper(gaussian_noise(self.problem, n))

    def _bend(self) -> None:
        """Stand-ins for a curve: more of them each time, as the rest of the gap shrinks."""
        mu, budgets = self.problem.gdp, self.problem.budgets
        if mu is None:
            return
        self.curve = chords_below(mu, self._lines)
        self.upper_points = (*budgets, *self.curve.points)
        self.lower_points = (*budgets, *points_on(mu, self._lines))
        self._lines = min(math.ceil(1.4 * self._lines), _MOST_LINES)

    def _refuse_leaning_tails(self) -> None:
        problem = self.problem
        pure = problem.gdp is not None or any(delta == 0 for _, delta in problem.budgets)
        if pure and not self.fold and any(isinstance(one, Unbiased) for one in problem.constraints):
            raise ArgumentError(
                "constraints", [one.spec() for one in problem.constraints],
                "without Unbiased() where noise must go on for ever and the loss is not symmetric "
                "(Symmetric() is unbiased too)",
            )

    @property
    def remarks(self) -> str:
        """Which constraints the lower bound relaxes, in words for the status."""
        lower, upper, problem = self.bracket.lower, self.bracket.upper, self.problem
        if problem.output_step is not None:
            return "; part of the gap is what the steps between outputs cost"
        if upper is not None and upper.origin == "gaussian":
            return "; nearly Gaussian noise: other noise below this curve gains at most that gap"
        if lower is None or lower.value == 0 or problem.integer:
            return ""
        loose = []
        for one in problem.constraints:
            if isinstance(one, (Monotone, Unimodal)) and not (self.fold and one.at == 0):
                loose.append(f"{one.name} next to its mode")
        ends = [end for end in ends_of(problem.constraints) if end is not None]
        if any((end / problem.step(lower.resolution)).denominator > 1 for end in ends):
            loose.append("the support by less than a step")
        return f"; the lower bound relaxes {' and '.join(loose)}" if loose else ""

    def _hopeless(self, n: int) -> bool:
        """Whether finer cells are unlikely to make an infeasible program feasible."""
        return n >= 64 or self.problem.integer

    def _done(self) -> bool:
        if self.bracket.gap <= self.gap:
            return True
        if self._late():
            self.reason = "stopped at the time limit"
            return self.bracket.upper is not None
        return False

    def _sizes(self) -> None:
        """How far out noise goes, in sensitivities: the upper program's mesh, the lower's reach."""
        problem = self.problem
        radius, reach, gamma = 0.0, 0.0, 1.0
        for epsilon, delta in problem.budgets:
            if epsilon == 0 and delta == 0:
                continue
            part = replace(problem, epsilon=epsilon, delta=delta, constraints=(), profile=())
            rivals = Incumbents(part, None)
            radius = max(radius, rivals.radius)
            if problem.epsilon >= _LARGE_EPSILON:
                gamma = min(gamma, rivals.gamma)
            found = canonical(part)
            reach = max(reach, 2 * rivals.radius + 3 if found is None else found.reach + 1.0)
        if problem.gdp is not None:
            # Gaussian noise of this curve has sigma = 1 / mu sensitivities.
            radius = reach = 6.5 / float(problem.gdp) + 2
        if not self.fold:
            radius, reach = 1.7 * radius + 2, 1.7 * reach + 2
        # Noise with a given mode spreads out further than noise that is free.
        modes = [one.at for one in problem.constraints if isinstance(one, (Monotone, Unimodal))]
        aside = max((float(abs(at) / problem.sensitivity) for at in modes), default=0.0)
        low, high = ends_of(problem.constraints)
        for end in (-low if low is not None else None, high):
            if end is not None and end < 0:  # 0 itself is not allowed: everything moves out
                aside = max(aside, -float(end / problem.sensitivity))
        self._radius = radius * (1.1 if modes else 1.0) + aside + 0.5
        self._reach = reach * (1.2 if modes else 1.0) + aside
        self._gamma = gamma

    def _resolutions(self) -> Iterator[int]:
        if self.problem.integer:
            yield int(self.problem.sensitivity)
            return
        if self.problem.output_step is not None:
            yield self._coarse()
            return
        if self.resolution is not None:
            yield self.resolution
            return
        n = self._fit(max(math.ceil(3 / self._gamma), self._first()) if self._gamma < 1 else
                      self._first())
        while n > 1 and not self._affordable(n):
            n //= 2
        previous = 0
        while previous == 0 or self._affordable(n):
            if n > previous:
                yield n
                previous = n
            factor = 1.15 * math.sqrt(min(self.bracket.gap, 1.0) / self.gap)
            n = self._fit(max(n + 1, math.ceil(n * min(max(factor, 1.2), 2.0))))
        self.reason = self.reason or "stopped at the largest resolution that is affordable"

    def _refuse_many_integers(self) -> None:
        """Integers cannot be made coarser: `ArgumentError` where a program could not hold them."""
        if not self.problem.integer:
            return
        n = int(self.problem.sensitivity)
        budgets = len(self.problem.budgets) + (0 if self.problem.gdp is None else self._lines)
        each = (max(self._reach, self._radius) + 1) * n
        if each > _MOST_INTEGERS or each * budgets > _MOST_INTEGERS_AND_BUDGETS:
            raise ArgumentError(
                "sensitivity", n,
                "smaller with integer=True and constraints, a profile or gdp: noise would reach "
                f"over {math.ceil(each)} integers on each side, too many for a program",
            )

    def _coarse(self) -> int:
        """Cells that hold an odd number of outputs, so that they are centred, and not too many."""
        assert self.problem.output_step is not None
        outputs = int(self.problem.sensitivity / self.problem.output_step)
        odd = [r for r in range(1, min(outputs, 10_000) + 1, 2) if outputs % r == 0]
        fitting = [outputs // r for r in odd if self._affordable(outputs // r)]
        if not fitting:
            raise ArgumentError(
                "output_step", float(self.problem.output_step),
                f"coarser, or sensitivity/output_step with an odd divisor: it is {outputs}",
            )
        return fitting[0]

    def _first(self) -> int:
        """Wide noise needs few cells a sensitivity."""
        if self.problem.integer:
            return int(self.problem.sensitivity)
        return self.resolution or max(1, min(16, math.ceil(60 / self._radius)))

    def _affordable(self, n: int) -> bool:
        radius = math.ceil(max(self._reach, self._radius) * n) + n
        columns = radius if self.fold else 2 * radius
        budgets = len(self.problem.budgets) + (0 if self.problem.gdp is None else self._lines)
        small = columns <= _MOST_COLUMNS and columns * budgets <= _MOST_COLUMNS_AND_BUDGETS
        return small and n * (2 * radius + 1) <= MAX_WORK

    def _fit(self, n: int) -> int:
        """A resolution from n on at which cells fill the support and fit the steps of noise."""
        ends = [end / self.problem.sensitivity for end in ends_of(self.problem.constraints)
                if end is not None]

        def misfit(k: int) -> float:
            wide = 0.0
            for end in ends:
                over = float(abs(end) * 2 * k % 1)  # half a step is what cells can be flush with
                wide = max(wide, over)
            if self._gamma < 0.5:
                wide += abs((k * self._gamma + 0.5) % 1 - 0.5)
            return round(wide, 2)

        return min(range(n, max(n + 2, math.ceil(1.12 * n))), key=lambda k: (misfit(k), k))

    # -- programs -----------------------------------------------------------------------------

    def _reference(self, places: Floats) -> Floats:
        """About how much mass a cell holds, for scaling; places in sensitivities."""
        if self.problem.gdp is not None:
            mu = float(self.problem.gdp)
            return np.asarray(np.exp(-np.minimum((places * mu) ** 2 / 2, 26.0)))
        epsilon = float(min(e for e, _ in self.upper_points))
        floor = math.exp(-epsilon * min(self._radius, 30 / max(epsilon, 1e-9)))
        return np.maximum(np.exp(-epsilon * np.abs(places)), floor)

    def _tolerance(self) -> float:
        positive = [d for _, d in self.upper_points if d > 0]
        return 1e-9 if not positive or min(positive) >= 1e-4 else 1e-10

    def _lower(self, n: int) -> None:
        program = LowerProgram(self.problem, self.lower_points, n, math.ceil(self._reach * n))
        if self._at_once(program.parts):
            found = self._solved(program.parts, program.places)
            if found is None:
                return
            masses, multipliers, value = found.weights, found.multipliers, found.value
        else:
            inner = Program(
                program.parts, self._reference(program.places), tolerance=self._tolerance())
            last = self._last_round(inner, n)
            if last is None:
                return
            masses, value = last.weights, last.value
            multipliers = inner.multipliers(last.solution)
        self.bracket.offer_lower(program.exact(multipliers, max(value, 1e-300)))
        self._report(value, math.inf, n)
        frame = program.parts.frame
        outside = frame.spread(masses)[np.abs(frame.cells) > program.shape.reach].sum()
        if outside > 0.02 * self.gap * max(float(d) for _, d in self.lower_points):
            self._reach *= 1.25

    def _last_round(self, inner: Program, n: int) -> Found | None:
        """What the rounds of the relaxed program end with; soon after they gain little."""
        self._seed(inner, n)
        quiet, value = 0, -math.inf
        last = None
        for found in inner.rounds(self.deadline, self.clock, 1e-7):
            if not self._count(found, inner):
                break
            gained = found.value > value * (1 + 0.01 * self.gap) or last is None
            value, last = found.value, found
            quiet = 0 if gained else quiet + 1
            self._report(found.value, math.inf, n)
            if quiet >= 4 and found.excess < 1e-4:
                break
        self._carried, self._carried_n = inner.active(), n
        self._carried_points = len(inner.points)
        return last

    def _upper(self, n: int) -> None:
        radius = math.ceil(self._radius * n)
        mesh = mesh_of(self.problem, n, radius, self.upper_points)
        if mesh is None:
            return
        program = UpperProgram(self.problem, self.upper_points, mesh, _MARGINS[0], self.curve)
        if self._at_once(program.parts):
            self._upper_at_once(program, n)
            return
        inner = Program(
            program.parts, self._reference(program.places_of_columns), _MARGINS[0],
            self._tolerance(),
        )
        self._seed(inner, n)
        for margin in _MARGINS:
            inner.loosen(margin)
            last = None
            # Whatever the clock says, there must be something to return.
            deadline = None if self.bracket.upper is None else self.deadline
            for found in inner.rounds(deadline, self.clock, 0.3 * margin):
                if not self._count(found, inner):
                    last = None
                    break
                last = found
                self._report(0.0, found.value, n)
            if last is None:
                return
            if last.excess > 0.9 * margin:
                continue
            upper = program.exact(last.weights, last.atom, last.value)
            if upper is not None:
                self.bracket.offer_upper(upper)
                return

    def _upper_at_once(self, program: UpperProgram, n: int) -> None:
        for margin in _MARGINS:
            eased = tuple((e, d * (1 - margin)) for e, d in program.parts.points)
            found = self._solved(replace(program.parts, points=eased), program.places_of_columns)
            if found is None:
                return
            self._report(0.0, found.value, n)
            upper = program.exact(found.weights, found.atom, found.value)
            if upper is not None:
                self.bracket.offer_upper(upper)
                return

    def _at_once(self, parts: Parts) -> bool:
        """Whether to take all shifts of all budgets at once: for many budgets that pays."""
        rows = len(parts.points) * parts.frame.n * len(parts.frame.column)
        rows *= 1 if parts.frame.symmetric else 2
        return (
            len(parts.points) > _FEW_BUDGETS and rows <= _MOST_ROWS_AT_ONCE
            and all(math.isinf(row.low) for row in parts.rows)
        )

    def _solved(self, parts: Parts, places: Floats) -> InteriorFound | None:
        """Solve to a small share of the gap; None if there is no solution."""
        bracket = self.bracket
        late = bracket.upper is not None  # whatever the clock says, something must be returned
        found = InteriorFrame(parts).solve(
            self._reference(places), 0.02 * self.gap,
            lambda: late and self._late(),
        )
        bracket.rounds += found.steps
        bracket.rows = max(bracket.rows, found.rows)
        bracket.columns = max(bracket.columns, len(found.weights))
        bracket.shifts = max(bracket.shifts, len(found.multipliers.shifts))
        mass = float(parts.frame.mass @ found.weights)
        return found if abs(mass + found.atom - 1) < 1e-6 else None

    def _seed(self, program: Program, n: int) -> None:
        """Rows to begin with: the full shift, and what mattered at the resolution before."""
        cells = program.frame.cells
        # Folded noise is heaviest at 0; otherwise nobody knows yet where it is.
        inner = cells <= 0 if self.fold else np.ones(len(cells), dtype=bool)
        for j in range(len(program.points)):
            program.add(j, n, cells[inner])
            if not self.fold:
                program.add(j, -n, cells)
        scale = n / self._carried_n
        for (j, m), active in self._carried.items():
            shift = round(m * scale)
            point = round(j * (len(program.points) - 1) / max(1, self._carried_points - 1))
            if 1 <= abs(shift) <= n:
                around = np.unique(np.round(active * scale).astype(np.int64))
                program.add(point, shift, around)

    def _count(self, found: Found, program: Program) -> bool:
        bracket = self.bracket
        bracket.rounds += 1
        bracket.rows = max(bracket.rows, program.model.rows)
        bracket.columns = max(bracket.columns, program.model.columns)
        bracket.shifts = max(bracket.shifts, len(program.active()))
        if not found.solution.usable:
            if found.solution.status is not Status.TIME_LIMIT:
                bracket.failures.append(found.solution.status.value)
            return False
        return True
