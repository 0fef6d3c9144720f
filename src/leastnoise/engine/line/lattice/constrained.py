"""Additive noise for several budgets, a whole curve, or under constraints.

Two programs a resolution, finer and finer; repair is by a margin, because a mixture would break
constraints. Everything that is yielded has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from ....certify.kinds.additive import MAX_CELLS, MAX_WORK
from ....errors import ArgumentError
from ....numeric import Floats
from ....problem import Point, Problem, ends_of, foldable, mode_of, must_balance
from ....problem.privacy import GaussianCurve, implied, points_to_json
from ....program.layout import LineLayout
from ....program.program import LinearProgram, ProgramSolution
from ....program.simplex import Simplex
from ...bounds import Bounds, Lower, Upper
from ...search import Search
from ..driver import LineSolver, Resolutions, is_solved, scale_of_cells, solve_at_once, with_atom
from ..staircase.forecast import narrow_steps
from .closed_forms import Incumbents
from .forecast import tolerance
from .relaxed import Relaxed
from .restricted import Restricted, lattice_of
from .support import refuse_narrow, support_words


@dataclass(frozen=True)
class ConstrainedSettings:
    """Numbers of the programs for several budgets.

    Found by trial with `benchmarks/frozen.py`; no claim depends on them.
    """

    #: A program with more columns than this is left to coarser resolutions; or times budgets.
    most_columns: int = 2_000
    most_columns_and_budgets: int = 4_000
    #: So many integers on each side at most; or times budgets.
    most_integers: int = 12_000
    most_integers_and_budgets: int = 24_000
    #: More budgets than these are solved with all their rows at once, up to so many columns
    #: (squared, they must fit into memory) and rows.
    few_budgets: int = 2
    most_rows_at_once: int = 1_500_000
    #: How far below every delta the upper program stays, so that its solution passes exactly.
    margins: tuple[float, ...] = (1e-6, 2e-5, 1e-3)
    #: Where columns alone are counted, a last resolution is finer by at least this factor.
    worth: float = 1.15
    #: If cells as fine as this hold no noise that obeys everything, finer ones hardly will.
    hopeless: int = 64
    #: The share of the gap that programs of all rows at once are solved to.
    solved: float = 0.02
    #: A path begins with this share of the mass of all cells at exactly 0.
    atom: float = 0.05
    #: Where no noise is found it may go so many times further out, again and again, up to this
    #: often the reach of the multipliers.
    wider: float = 1.6
    widest: float = 12.0


SETTINGS = ConstrainedSettings()

_MOST_COLUMNS_AT_ONCE = 2 * SETTINGS.most_columns


def refuse(problem: Problem) -> NoReturn:
    """No noise was found that obeys everything."""
    asked: tuple[str, object] = (
        "constraints",
        [constraint.spec() for constraint in problem.constraints],
    )
    if not problem.constraints:
        asked = "profile", points_to_json(problem.profile)
    raise ArgumentError(
        *asked,
        "such that some private noise obeys them all; none was found in the time there was"
        + support_words(problem),
    )


def remarks(problem: Problem, search: Search) -> str:
    """Which constraints the lower bound relaxes, in words for the status."""
    lower, upper = search.bracket.lower, search.bracket.upper
    fold = foldable(problem.constraints, problem.loss)
    if problem.output_step is not None:
        return "; part of the gap is what the steps between outputs cost"
    if upper is not None and upper.origin == "gaussian":
        return "; nearly Gaussian noise: other noise below this curve gains at most that gap"
    if lower is None or lower.value == 0 or problem.integer:
        return ""
    loose = []
    for constraint in problem.constraints:
        if constraint.mode is not None and not (fold and constraint.mode == 0):
            loose.append(f"{constraint.name} next to its mode")
    ends = [end for end in ends_of(problem.constraints) if end is not None]
    if any((end / problem.step(lower.resolution)).denominator > 1 for end in ends):
        loose.append("the support by less than a step")
    return f"; the lower bound relaxes {' and '.join(loose)}" if loose else ""


@dataclass(frozen=True)
class Steering:
    """How programs are steered, where more is known than that there are several budgets."""

    reach: float | None = None  # of the multipliers, in sensitivities
    slowest: float = 1.2  # the least factor between resolutions
    most_columns: int | None = None  # of noise without constraints, whatever the budgets are
    reference: Callable[[Floats], Floats] | None = None  # about the mass at places
    solved: float = SETTINGS.solved  # to this share of the gap, with all rows at once


_PLAIN = Steering()


class ConstrainedPrograms:
    """One question with constraints or with several budgets.

    `lower_points` and `upper_points` are the budgets that the two programs use: those of the
    problem, and what stands for a curve, `curve`. `last_noise` is the last noise of a program that
    was solved with all its rows at once.
    """

    def __init__(
        self,
        problem: Problem,
        resolution: int | None = None,
        points: tuple[Point, ...] | None = None,
        steering: Steering = _PLAIN,
    ) -> None:
        self.problem, self.resolution, self.steering = problem, resolution, steering
        self.curve: GaussianCurve | None = None
        self.upper_points = self.lower_points = problem.budgets if points is None else points
        self.last_noise: tuple[Restricted, ProgramSolution] | None = None
        self._width: float | None = None
        self.fold = foldable(problem.constraints, problem.loss)
        self.solver, self._tried = LineSolver(), 0
        refuse_narrow(problem)
        self._refuse_leaning_tails()
        self.reach = self.radius = 0.0  # what they are at least
        self._refuse_many_integers()
        self._set_sizes()
        self._refuse_many_integers()
        if steering.reach is not None:
            self.reach, self.radius = steering.reach, steering.reach + 0.5

    def bend(
        self, lower_points: tuple[Point, ...], upper_points: tuple[Point, ...], curve: GaussianCurve
    ) -> None:
        """Use these budgets from now on, the upper ones for this curve."""
        self.lower_points, self.upper_points, self.curve = lower_points, upper_points, curve

    def learn_width(self, width: float) -> None:
        """How wide the noise of the relaxed program is, in sensitivities."""
        self._width = width

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """The restricted program, and the relaxed one."""
        yield None, self.restricted(size, search)
        if search.bracket.upper is not None:
            yield self.relaxed(self.fine(size), search), None

    def fine(self, size: int) -> int:
        """The resolution of the bound: what holds for all noise holds for coarse outputs too."""
        return size if self.problem.output_step is None else max(size, self.first())

    # -- sizes --------------------------------------------------------------------------------

    def _refuse_leaning_tails(self) -> None:
        problem = self.problem
        pure = problem.gdp is not None or any(delta == 0 for _, delta in problem.budgets)
        if pure and must_balance(problem.constraints, problem.loss):
            raise ArgumentError(
                "constraints",
                [constraint.spec() for constraint in problem.constraints],
                "without Unbiased() where noise must go on for ever and the loss is not symmetric "
                "(Symmetric() is unbiased too)",
            )

    def _set_sizes(self) -> None:
        """How far out noise goes, in sensitivities: the upper program's mesh, the lower's reach."""
        problem = self.problem
        radius, reach, gamma = 0.0, 0.0, 1.0
        for epsilon, delta in problem.budgets:
            follows = problem.gdp is not None and implied((epsilon, delta), (), problem.gdp)
            if follows or (epsilon == 0 and delta == 0):
                continue
            part = replace(problem, epsilon=epsilon, delta=delta, constraints=(), profile=())
            known = Incumbents(part, None)
            radius = max(radius, known.radius)
            if narrow_steps(problem):
                gamma = min(gamma, known.gamma)
            reach = max(reach, known.reach)
        if problem.gdp is not None:
            # Gaussian noise of this curve has sigma = 1 / mu sensitivities.
            around = 4.4 / float(problem.gdp) + 0.4
            radius, reach = max(radius, around), max(reach, around)
        if not self.fold:
            radius, reach = 1.7 * radius + 2, 1.7 * reach + 2
        # Noise with a given mode spreads out further than noise that is free.
        mode = mode_of(problem.constraints)
        aside = 0.0 if mode is None else float(abs(mode) / problem.sensitivity)
        low, high = ends_of(problem.constraints)
        for end in (-low if low is not None else None, high):
            if end is not None and end < 0:  # 0 itself is not allowed: everything moves out
                aside = max(aside, -float(end / problem.sensitivity))
        self.radius = radius * (1.0 if mode is None else 1.1) + aside + 0.5
        self.reach = reach * (1.0 if mode is None else 1.2) + aside
        self._gamma = gamma

    def sizes(self, search: Search) -> Iterator[int]:
        """Finer until the gap should be met, or until noise is unlikely to be found at all."""
        if self.problem.integer:
            yield from self._wide_enough(int(self.problem.sensitivity), search)
            return
        if self.problem.output_step is not None:
            yield from self._wide_enough(self.coarse(), search)
            return
        if self.resolution is not None:
            yield from self._wide_enough(self.resolution, search)
            return
        first = self.first() if self._gamma >= 1 else max(math.ceil(3 / self._gamma), self.first())
        first = self._fit(first)
        while first > 1 and not self.affordable(first):
            first //= 2
        noise_known = search.bracket.upper is not None
        if self._columns(first) > (_MOST_COLUMNS_AT_ONCE if noise_known else MAX_CELLS):
            search.reason = "noise so wide that no program holds it"
            return
        sizes = Resolutions(
            self._finer, lambda n: n == 1 or self.affordable(n), 1.15, self.steering.slowest
        )
        for n in sizes.coarse_to_fine(first, search):
            yield from [n] if self._tried else self._wide_enough(n, search)
            self._tried = n
            if search.bracket.upper is None and n >= SETTINGS.hopeless:
                return

    def _finer(self, n: int) -> int:
        """A resolution from n on that fits, or the finest there is."""
        n = self._fit(n)
        return n if self.steering.most_columns is None else self._last(n, self._tried)

    def _last(self, n: int, previous: int) -> int:
        """n, or the finest resolution there is, if that is less than a step from n."""
        most = math.ceil(n * self.steering.slowest)
        if self.affordable(most):
            return n
        some = range(math.ceil(SETTINGS.worth * previous), most)
        return max((k for k in some if self.affordable(k)), default=n)

    def _wide_enough(self, n: int, search: Search) -> Iterator[int]:
        """This size, and again with noise that may go further out while none is found.

        Several demands together may need wider noise than each of them by itself.
        """
        yield n
        narrow = self.radius
        while search.bracket.upper is None and self._may_widen():
            self.radius *= SETTINGS.wider
            if self.radius > SETTINGS.widest * self.reach or not self.affordable(n):
                break
            yield n
        if search.bracket.upper is None:
            self.radius = narrow

    def _may_widen(self) -> bool:
        """Whether the support reaches further than programs do."""
        most = self.radius * self.problem.sensitivity
        return any(end is None or abs(end) > most for end in ends_of(self.problem.constraints))

    def _refuse_many_integers(self) -> None:
        """Integers cannot be made coarser: `ArgumentError` where a program could not hold them."""
        if not self.problem.integer:
            return
        n = int(self.problem.sensitivity)
        budgets = len(self.lower_points)
        each = (max(self.reach, self.radius) + 1) * n
        if each > SETTINGS.most_integers or each * budgets > SETTINGS.most_integers_and_budgets:
            raise ArgumentError(
                "sensitivity",
                n,
                "smaller with integer=True and constraints, a profile or gdp: noise would reach "
                f"over {math.ceil(each)} integers on each side, too many for a program",
            )

    def coarse(self) -> int:
        """Cells that hold an odd number of outputs, so that they are centred, and not too many."""
        assert self.problem.output_step is not None
        outputs = int(self.problem.sensitivity / self.problem.output_step)
        odd = [r for r in range(1, min(outputs, 10_000) + 1, 2) if outputs % r == 0]
        fitting = [outputs // r for r in odd if self.affordable(outputs // r)]
        if not fitting:
            raise ArgumentError(
                "output_step",
                float(self.problem.output_step),
                f"coarser, or sensitivity/output_step with an odd divisor: it is {outputs}",
            )
        return fitting[0]

    def first(self) -> int:
        """Wide noise needs few cells a sensitivity."""
        if self.problem.integer:
            return int(self.problem.sensitivity)
        return self.resolution or max(1, min(16, math.ceil(60 / self.radius)))

    def _radius(self, n: int) -> int:
        """Cells on each side."""
        return math.ceil(max(self.reach, self.radius) * n) + n

    def _columns(self, n: int) -> int:
        """About the columns of a program."""
        return self._radius(n) * (1 if self.fold else 2)

    @property
    def wide(self) -> bool:
        """Whether noise is so wide that even the smallest program takes long."""
        return not self.affordable(int(self.problem.sensitivity) if self.problem.integer else 1)

    def affordable(self, n: int) -> bool:
        """Whether a program of this resolution takes no longer than its worth."""
        most, columns = self.steering.most_columns, self._columns(n)
        if most is not None and not (self.problem.constraints or self.problem.integer):
            return (columns if self._width is None else math.ceil(self._width * n)) <= most
        budgets = len(self.lower_points)
        small = (
            columns <= SETTINGS.most_columns
            and columns * budgets <= SETTINGS.most_columns_and_budgets
        )
        return small and n * (2 * self._radius(n) + 1) <= MAX_WORK

    def _fit(self, n: int) -> int:
        """A resolution from n on at which cells fill the support and fit the steps of noise."""
        ends = [
            end / self.problem.sensitivity
            for end in ends_of(self.problem.constraints)
            if end is not None
        ]

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

    def reference(self, places: Floats) -> Floats:
        """About how much mass a cell holds, for scaling; places in sensitivities."""
        if self.steering.reference is not None:
            return self.steering.reference(places)
        return scale_of_cells([float(e) for e, _ in self.upper_points], self.radius, places)

    def _tolerance(self) -> float:
        return tolerance([float(d) for _, d in self.upper_points if d > 0])

    def relaxed(self, n: int, search: Search) -> Lower | None:
        """What multipliers of this resolution prove."""
        reach = math.ceil(self.reach * n)
        relaxed = Relaxed(self.problem, self.lower_points, n, reach)
        if self.at_once(relaxed.program):
            solution = self.solved(relaxed.program, relaxed.places, search)
        else:
            simplex = Simplex(
                relaxed.program, self.reference(relaxed.places), tolerance=self._tolerance()
            )
            solution = self._last_round(simplex, n, search)
        if solution is None:
            return None
        search.report(solution.value, math.inf, n)
        self.look_further(relaxed, solution, search)
        return relaxed.exact(solution.multipliers, max(solution.value, 1e-300))

    def look_further(self, relaxed: Relaxed, solution: ProgramSolution, search: Search) -> None:
        """Reach further next time where noise goes beyond the events."""
        line = relaxed.line
        outside = line.spread(solution.x)[0][np.abs(line.cells) > relaxed.reach].sum()
        if outside > 0.02 * search.gap * max(float(d) for _, d in self.lower_points):
            self.reach *= 1.25

    def _last_round(self, simplex: Simplex, n: int, search: Search) -> ProgramSolution | None:
        """What the rounds of the relaxed program end with; soon after they gain little."""
        self.solver.begin(simplex, one_sided=self.fold)
        quiet, last = 0, None
        for solution in self.solver.rounds(simplex, search, search.deadline, 1e-7):
            gained = last is None or solution.value > last.value * (1 + 0.01 * search.gap)
            last = solution
            quiet = 0 if gained else quiet + 1
            search.report(solution.value, math.inf, n)
            if quiet >= 4 and solution.excess < 1e-4:
                break
        self.solver.keep(simplex)
        return last

    def restricted(self, n: int, search: Search) -> Upper | None:
        """Noise of this resolution, if any passes the exact check."""
        mesh = lattice_of(self.problem, n, math.ceil(self.radius * n), self.upper_points)
        if mesh is None:
            return None
        restricted = Restricted(
            self.problem, self.upper_points, mesh, SETTINGS.margins[0], self.curve
        )
        if self.at_once(restricted.program):
            return self._restricted_at_once(restricted, n, search)
        simplex = Simplex(
            restricted.program,
            self.reference(restricted.places),
            margin=SETTINGS.margins[0],
            tolerance=self._tolerance(),
        )
        self.solver.begin(simplex, one_sided=self.fold)
        for margin in SETTINGS.margins:
            simplex.loosen(margin)
            last = None
            # There must be something to return, even if it is a little late.
            deadline = search.last_moment if search.bracket.upper is None else search.deadline
            for solution in self.solver.rounds(simplex, search, deadline, 0.3 * margin):
                last = solution
                search.report(0.0, solution.value, n)
            if last is None or simplex.failures:
                return None
            if last.excess <= 0.9 * margin:
                upper = restricted.exact(last.x, last.value)
                if upper is not None:
                    return upper
        return None

    def _restricted_at_once(self, restricted: Restricted, n: int, search: Search) -> Upper | None:
        program = restricted.program
        for margin in SETTINGS.margins:
            eased = tuple((e, d * (1 - margin)) for e, d in program.budgets)
            solution = self.solved(replace(program, budgets=eased), restricted.places, search)
            if solution is None:
                return None
            search.report(0.0, solution.value, n)
            upper = restricted.exact(solution.x, solution.value)
            if upper is not None:
                self.last_noise = restricted, solution
                return upper
        return None

    def at_once(self, program: LinearProgram[LineLayout]) -> bool:
        """Whether to take all shifts of all budgets at once: for many budgets that pays."""
        line = program.layout
        rows = len(program.budgets) * len(line.every_shift) * len(line.column)
        return (
            len(program.budgets) > SETTINGS.few_budgets
            and line.columns <= _MOST_COLUMNS_AT_ONCE
            and rows <= SETTINGS.most_rows_at_once
            and all(math.isinf(row.low) for row in program.rows)
        )

    def solved(
        self, program: LinearProgram[LineLayout], places: Floats, search: Search
    ) -> ProgramSolution | None:
        """Solve to a small share of the gap; None if there is no solution."""
        # There must be something to return, even if it is a little late.
        late = search.given_up if search.bracket.upper is None else search.late
        start = with_atom(program, self.reference(places), SETTINGS.atom)
        tolerance = self.steering.solved * search.gap
        solution = solve_at_once(program, start, tolerance, search, stop=late)
        return solution if is_solved(program, solution) else None
