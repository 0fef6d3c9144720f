"""Additive noise below a Gaussian curve: programs of few rows on fine cells.

Lines are placed where the curve binds. A program that is solved on wide cells tells what matters on
narrow ones: which shifts bind, which rows may change their sign, where the noise has its peaks.
Everything that is yielded has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....certify.certificates.narrow import NarrowEvent, narrow_parts
from ....certify.limits import MAX_WORK
from ....losses import Loss
from ....numeric import Bools, Floats, Ints
from ....problem import Problem, foldable
from ....problem.privacy import curve_above
from ....program.interior import Near
from ....program.layout import LineLayout
from ....program.program import ProgramSolution
from ....work import BUDGET
from ...bounds import Bounds, Lower, Upper
from ...search import Search
from ..driver import is_solved, solve_at_once
from ..lattice.constrained import ConstrainedPrograms, Steering
from ..lattice.relaxed import Relaxed
from ..lattice.restricted import Restricted, lattice_of
from .chords import Binding, chords_below, gaussian_noise, points_on, sharpest
from .graded import LogDensity, binding_of, effort, pieces_of, shape_of, sharpened
from .narrow import Narrowed


@dataclass(frozen=True)
class CurveSettings:
    """Numbers of the programs along a curve.

    Found by trial with `benchmarks/ranges.py --curves`; no claim depends on them.
    """

    #: Lines that stand for a curve, from step to step; noise is made good from the third on.
    lines: tuple[int, ...] = 14, 21, 30, 68, 80
    #: They end where this share of its delta at epsilon = 0 is left.
    left: float = 3e-3
    #: A program of the lower bound with more columns than this is left to coarser resolutions, for
    #: symmetric noise, of whose finer cells a file could not hold the multipliers, and for others.
    most_columns: tuple[int, ...] = 960, 1080
    #: The least factor between resolutions: programs with many budgets are dear.
    slowest: float = 1.75
    #: Programs start from Gaussian noise of so many times the mu of the curve; what is mixed into
    #: noise has so many times, which ends within the cells.
    wider: float = 0.6
    safe: float = 0.8
    #: So many standard deviations of Gaussian noise hold all that matters.
    tail: float = 4.4
    #: Shifts that spend less than this share of a step bind nowhere; those within so many steps, or
    #: so many sensitivities, of others may: noise would settle between the shifts of a sparse list.
    least_spent: float = 0.016
    steps_apart: float = 1.51
    apart: float = 0.04
    #: Finer noise than this fits the budgets that were left out: its shape would mislead.
    finest_shape: int = 64
    #: Programs of the bound take about n to this power; one begins where this share of the time
    #: that is left should do. Less than this many seconds say nothing.
    grows: float = 2.7
    in_time: float = 0.5
    moment: float = 0.02
    #: Programs are solved to this share of the gap: near a vertex few multipliers are left.
    solved: float = 5e-4
    #: Excesses whose two sides differ by e^this keep their sign: at a shape from coarser programs
    #: of the bound, and at that of noise on narrow cells.
    window: float = 1.5
    narrow: float = 0.7
    #: Cells that hold less than this hold nothing. So much further noise may lie on narrower cells.
    nothing: float = 1e-7
    beside: float = 0.05
    #: A density is averaged over so many places next to a point of the lattice.
    inside: int = 65
    #: Every so many points of a curve serve the bound at first, at shifts below the sensitivity.
    sparse: int = 24
    #: A program with these is solved to this share. Pairs of a point and a shift whose delta is
    #: exceeded by more than this share of it join, and those that spend less than this share leave.
    rough: float = 3e-3
    exceeded: float = 1e-3
    idle: float = 5e-5
    #: So many cells a sensitivity at most between peaks, and in them; or where the cell at 0 costs
    #: less than this share of the gap, step by step.
    most_wide: int = 32
    most_narrow: int = 2048
    peaks: tuple[float, ...] = (0.3, 0.3, 0.3, 0.05, 0.05)
    #: Narrow cells in one of those of the bound at most, as long as noise is rough and then.
    often: tuple[int, ...] = 4, 16
    #: Cells next to a peak are as wide as this part of their distance from it, step by step.
    spreads: tuple[int, ...] = 2, 2, 2, 4, 4
    #: The share of the gap that leaving out small multipliers may cost, and digits of the others.
    thinned: float = 0.01
    digits: int = 7
    #: A file holds no more than 100,000.
    most_multipliers: int = 95_000


SETTINGS = CurveSettings()

_FINE_LINES = SETTINGS.lines[2]
#: Of the work that a check may take, this is left to the bound, whose multipliers take less than
#: half of it, and to what a forecast may err by.
_WORK_OF_BOUNDS = BUDGET // 5


class CurvePrograms:
    """One question with a Gaussian curve, with or without constraints and further budgets."""

    def __init__(self, problem: Problem, resolution: int | None = None) -> None:
        assert problem.gdp is not None
        self.problem, self._mu = problem, problem.gdp
        points = (*problem.budgets, *points_on(self._mu, SETTINGS.lines[0]))
        fold = foldable(problem.constraints, problem.loss)
        most = SETTINGS.most_columns[0 if fold else 1]
        # Of Gaussian noise that keeps every budget, about.
        self._sharpest = mu = sharpest(self._mu, problem.budgets)
        self._lean = 0.0 if fold else lean(problem.loss, mu, float(problem.sensitivity))
        reach = None if problem.constraints else SETTINGS.tail / mu + 0.4 + abs(self._lean)
        steering = Steering(reach, SETTINGS.slowest, most, self._reference, SETTINGS.solved)
        self.programs = ConstrainedPrograms(problem, resolution, points, steering)
        # Cells may be as narrow as it takes, and of several widths.
        self._free = not (
            problem.constraints
            or problem.integer
            or problem.output_step is not None
            or resolution is not None
        )
        self._step = 0
        self._binding: Binding = ()
        # What the programs found: noise below and above, and the shifts that bind, in
        # sensitivities, with the distance between those that were asked.
        self._below: LogDensity | None = None
        self._above: LogDensity | None = None
        self._bound: tuple[Floats, float] | None = None
        self._extent: tuple[float, float] | None = None
        self._took = 0, 0.0  # cells of the last program of the bound, and seconds
        self._finest = (0, 0)  # cells and lines of the finest noise that was looked for

    def nearly_gaussian(self) -> Upper | None:
        """Nearly Gaussian noise on cells so fine that they cost next to nothing."""
        n = self.programs.first()
        if self.problem.output_step is not None:
            n = self.programs.coarse()
        elif not self.problem.integer and self.programs.resolution is None:
            n = max(n, min(math.ceil(26 * self._sharpest), 60))
        return gaussian_noise(self.problem, n)

    @property
    def _lines(self) -> int:
        return SETTINGS.lines[self._step]

    def sizes(self, search: Search) -> Iterator[int]:
        """Resolutions as for any several budgets, the last until all lines have had their turn."""
        tried, size = 0, 0
        for wanted in self.programs.sizes(search):
            size = self._in_time(wanted, search)
            yield size
            tried += 1
        if tried and search.bracket.upper is not None:
            yield from [size] * (len(SETTINGS.lines) - tried)

    def _in_time(self, size: int, search: Search) -> int:
        """This resolution, or the finest that there is time for, no coarser than the last one.

        One that would be the last before the time is over is as fine as the gap asks for, which
        falls about like one over the resolution, and as there is time for.
        """
        last, seconds = self._took
        if not last or not self._free:
            return size
        longer = SETTINGS.in_time * search.left(math.inf) / max(seconds, SETTINGS.moment)
        timely = last * math.pow(longer, 1 / SETTINGS.grows)
        if timely >= SETTINGS.slowest * size:
            return size
        wanted = math.floor(min(timely, last * search.bracket.gap / search.gap))
        finer = (n for n in range(wanted, size, -1) if self.programs.affordable(n))
        return next(finer, max(min(size, last), min(size, math.floor(timely))))

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """The relaxed program, which the lines are bent to, and then the restricted one."""
        self._bend()
        fine = self.programs.fine(size)
        if search.bracket.upper is None:
            yield None, self._restricted(size, search)
            if search.bracket.upper is not None:
                yield self._relaxed(fine, search), None
        else:
            last, seconds = self._took
            again = fine <= last and seconds > search.left(math.inf)  # there is no time for it
            lower = None if again else self._relaxed(fine, search)
            if self._above is not None:  # before that, Gaussian noise is not all there is
                yield lower, None
            self._bend()
            yield lower, self._restricted(size, search)
        self._step = min(self._step + 1, len(SETTINGS.lines) - 1)

    def _bend(self) -> None:
        """Stand-ins for the curve, where it binds: more of them as the rest of the gap shrinks."""
        left = SETTINGS.left * float(curve_above(self._mu, Fraction(0)))
        curve = chords_below(self._mu, self._lines, left, self._binding)
        budgets, points = self.problem.budgets, points_on(self._mu, self._lines, self._binding)
        self.programs.bend((*budgets, *points), (*budgets, *curve.points), curve)

    def _reference(self, places: Floats) -> Floats:
        # Wider than the curve asks for: a path that starts inside all budgets is short.
        return self._gaussian(places, SETTINGS.wider)

    def _gaussian(self, places: Floats, share: float) -> Floats:
        mu = share * self._sharpest
        return np.asarray(np.exp(-np.minimum(((places - self._lean) * mu) ** 2 / 2, 26.0)))

    # -- the lower bound ----------------------------------------------------------------------

    def _relaxed(self, n: int, search: Search) -> Lower | None:
        """As for any question, but with what is known from wider cells."""
        programs, known, began = self.programs, self._below, search.clock()
        reach, points = math.ceil(programs.reach * n), programs.lower_points
        shifts, within = self._binding_shifts(n), self._within(n)
        relaxed = Relaxed(self.problem, points, n, reach, shifts, within)
        solution: ProgramSolution | None
        narrow: tuple[NarrowEvent, ...] = ()
        if known is None and not programs.at_once(relaxed.program):
            return programs.relaxed(n, search)
        if known is None:
            solution = programs.solved(relaxed.program, relaxed.places, search)
        else:
            near = self._near(known, relaxed)
            relaxed, solution, narrow = self._with_needed(relaxed, near, search)
        self._took = n, search.clock() - began
        if solution is None or (known is not None and search.late()):
            return None
        search.report(solution.value, math.inf, n)
        self._learn(solution, relaxed)
        programs.look_further(relaxed, solution, search)
        multipliers, scale = solution.multipliers, max(solution.value, 1e-300)
        if self.problem.constraints:
            return relaxed.exact(multipliers, scale)
        # Nearly all are positive: without the small ones the file is short.
        share, parts = SETTINGS.thinned * search.gap, narrow_parts(narrow, relaxed.budgets)
        pairs, _ = relaxed.thinned(multipliers.pairs, share, parts)
        while (
            sum(len(cells) for _, cells, _ in pairs.values()) > SETTINGS.most_multipliers
            and share < 1
        ):
            share *= 1.3
            pairs, _ = relaxed.thinned(pairs, share, parts)
        of_shifts = replace(multipliers, pairs=pairs, rows=np.zeros(0))  # narrow events have theirs
        return relaxed.exact(of_shifts, scale, SETTINGS.digits, narrow)

    def _learn(self, solution: ProgramSolution, relaxed: Relaxed) -> None:
        """Where the curve binds: epsilons, shifts; and what noise the bound is about."""
        first, points = len(self.problem.budgets), self.programs.lower_points
        sums = dict.fromkeys(range(first, len(points)), 0.0)
        spent: dict[int, float] = {}
        for (j, shift), (budget, _, _) in solution.multipliers.pairs.items():
            if j in sums:
                sums[j] += budget
            spent[shift] = spent.get(shift, 0.0) + budget * float(points[j][1])
        self._binding = [(float(points[j][0]), total) for j, total in sums.items() if total > 0]
        least = SETTINGS.least_spent / relaxed.n * sum(spent.values())
        shifts = np.array([m for m, most in spent.items() if most > least], dtype=np.float64)
        self._bound = shifts / relaxed.n, max(SETTINGS.steps_apart / relaxed.n, SETTINGS.apart)
        masses, cells = relaxed.line.spread(solution.x)[0], relaxed.line.cells
        some, more = cells[masses > SETTINGS.nothing] / relaxed.n, SETTINGS.beside + 1 / relaxed.n
        self._extent = low, high = float(some.min()) - more, float(some.max()) + more
        # (The tails count too.)
        self.programs.learn_width(high + 1 if relaxed.fold else high - low + 2)
        if self._below is None or relaxed.n <= SETTINGS.finest_shape:
            self._below = shape_of(relaxed.places, relaxed.line, solution.smooth)

    def _within(self, n: int) -> tuple[int, int] | None:
        """Between which cells noise lay at the resolution before; None if nothing is known."""
        if self._extent is None or self.problem.constraints:
            return None
        return math.floor(self._extent[0] * n), math.ceil(self._extent[1] * n)

    def _binding_shifts(self, n: int) -> Ints | None:
        """Shifts near those that bound at the resolution before; None if all may."""
        if self._bound is None:
            return None
        places, apart = self._bound
        fold = self.programs.fold
        every = np.arange(1, n + 1) if fold else np.delete(np.arange(-n, n + 1), n)
        near = np.abs(every[:, None] / n - places).min(axis=1, initial=9.0) < apart
        return np.asarray(every[near | (np.abs(every) == n)])

    def _with_needed(
        self, relaxed: Relaxed, near: Near, search: Search
    ) -> tuple[Relaxed, ProgramSolution | None, tuple[NarrowEvent, ...]]:
        """With few pairs of points and shifts, and then with those that noise would exceed."""
        rough, narrow = self._solved(
            relaxed, self._sparse(relaxed.line), near, SETTINGS.rough, search
        )
        if rough is None or search.late():
            return relaxed, rough, narrow
        pairs = self._needed(relaxed, rough)
        some = np.flatnonzero(pairs.any(axis=0))
        shifts, budgets = relaxed.line.shifts[some], relaxed.budgets
        within = self._within(relaxed.n)
        finer = Relaxed(self.problem, budgets, relaxed.n, relaxed.reach, shifts, within)
        near, tolerance = replace(near, seen=(*near.seen, rough.x)), SETTINGS.solved * search.gap
        precise, proven = self._solved(finer, pairs[:, some], near, tolerance, search)
        # A path that fails, or ends too soon, may prove less than the one before.
        before = relaxed.bound(rough.multipliers.pairs, narrow_parts(narrow, budgets))
        parts = narrow_parts(proven, budgets)
        if precise is None or not finer.bound(precise.multipliers.pairs, parts) > before:
            return relaxed, rough, narrow
        return finer, precise, proven

    def _solved(
        self, relaxed: Relaxed, wanted: Bools, near: Near, tolerance: float, search: Search
    ) -> tuple[ProgramSolution | None, tuple[NarrowEvent, ...]]:
        """What a program finds near something known, and the narrow events that it needs."""
        narrow = None
        program, start = relaxed.program, near.x
        first, last = relaxed.line.filled[[0, -1]].tolist()
        around = min(-first, last) >= relaxed.n  # all shifts of 0 are there
        if around and not (self.problem.constraints or self.problem.integer):
            narrow = Narrowed(relaxed, near.seen[-1] if near.seen else near.x)
            program, start = narrow.program, narrow.start(near.x)
        solution = solve_at_once(program, start, tolerance, search, near=near, wanted=wanted)
        if not is_solved(program, solution):
            return None, ()
        if narrow is None:
            return solution, ()
        digits = max(0, SETTINGS.digits + math.ceil(-math.log10(max(solution.value, 1e-300))))
        return solution, narrow.proven(solution, digits)

    def _near(self, known: LogDensity, relaxed: Relaxed) -> Near:
        """About the solution: what good noise is rounded to, if that is known.

        Where the shape of the bound's own programs says otherwise, nothing is known.
        """
        if self._above is None or self._finest[1] < _FINE_LINES:
            return Near.alike(known.at(relaxed.places), SETTINGS.window)
        beside = np.linspace(-1, 1, SETTINGS.inside)
        places = relaxed.places[:, None] + beside / relaxed.n
        masses = self._above.at(np.abs(places) if relaxed.fold else places) @ (1 - abs(beside))
        return Near.alike(masses, SETTINGS.narrow, (known.at(relaxed.places),))

    def _needed(self, relaxed: Relaxed, solution: ProgramSolution) -> Bools:
        """Points and shifts, a column for each shift there is: those that the next program needs.

        Those that spend something, and the others where the noise exceeds a delta most: more than
        at the neighboring points, or shifts. And all points at the full shift, and pure ones.
        """
        line, points = relaxed.line, relaxed.budgets
        spread, deltas = line.spread(solution.x), np.array([[float(d)] for _, d in points])
        exponentials = np.exp([float(epsilon) for epsilon, _ in points])
        pure = deltas == 0
        over = line.hockey_sticks(spread, exponentials, line.shifts) / np.where(pure, 1, deltas) - 1
        beside = np.pad(over, 1, constant_values=-1)
        most = (over >= beside[:-2, 1:-1]) & (over >= beside[2:, 1:-1])
        most |= (over >= beside[1:-1, :-2]) & (over >= beside[1:-1, 2:])
        spent = np.zeros(over.shape)
        place = {int(m): k for k, m in enumerate(line.shifts)}
        for (j, m), (budget, _, _) in solution.multipliers.pairs.items():
            spent[j, place[m]] = budget * deltas[j, 0]
        busy = spent > SETTINGS.idle * spent.sum()
        full = np.abs(line.shifts) == line.n
        return np.asarray(busy | (most & (over > SETTINGS.exceeded)) | full | pure)

    def _sparse(self, line: LineLayout) -> Bools:
        """All points of the curve at the full shift, some of them at others: to begin with."""
        budgets = np.arange(len(self.programs.lower_points)) - len(self.problem.budgets)
        shifts = np.abs(line.every_shift)
        some = (budgets[:, None] < 0) | ((budgets[:, None] + shifts) % SETTINGS.sparse == 0)
        return np.asarray(some | (shifts == line.n))

    # -- noise --------------------------------------------------------------------------------

    def _restricted(self, n: int, search: Search) -> Upper | None:
        """From the second time on noise on cells that are narrower around peaks, if they may be."""
        programs = self.programs
        if self._above is None or not self._free:
            upper = programs.restricted(n, search)
            if programs.last_noise is not None:
                lattice, noise = programs.last_noise
                binding = binding_of(noise, lattice.program)
                self._above = shape_of(lattice.places, lattice.line, noise.smooth, binding)
            return upper
        finer = self._finer(n, self._above, search)
        n = min(n, SETTINGS.most_wide)
        if (n * finer, self._lines) == self._finest:
            return None
        self._finest = n * finer, self._lines
        restricted = self._pieces(n, finer, self._above)
        if restricted is None:
            return None
        safe, rough = (
            (lambda places: self._gaussian(places, SETTINGS.safe)),
            self._lines < _FINE_LINES,
        )
        upper, self._above = sharpened(restricted, self._above, safe, search, rough)
        return upper

    def _pieces(self, wide: int, finer: int, shape: LogDensity) -> Restricted | None:
        """The finest pieces that leave room to check noise on them; None if there are none.

        (Of narrower cells more are alike: where a check goes through all of them, one that goes
        through pieces is shorter.)
        """
        programs, points = self.programs, self.programs.upper_points
        spreads = range(SETTINGS.spreads[self._step], 1, -1)
        for times, spread in (*((finer, spread) for spread in spreads), (2 * finer, spreads[-1])):
            n = wide * times
            mesh = lattice_of(self.problem, n, math.ceil(programs.radius * n), points)
            assert mesh is not None
            pieces = pieces_of(n, times, spread)
            restricted = Restricted(self.problem, points, mesh, 1e-6, programs.curve, pieces)
            if effort(restricted, shape.peaked(restricted.places)) <= BUDGET - _WORK_OF_BOUNDS:
                return restricted
        return None

    def _finer(self, n: int, shape: LogDensity, search: Search) -> int:
        """How many narrow cells make a wide one: so many that the one at 0 costs little.

        No fewer than before: it costs little because it is narrow.
        """
        often = SETTINGS.often[self._lines >= _FINE_LINES]
        most, wide = min(SETTINGS.most_narrow, often * n), min(n, SETTINGS.most_wide)
        while most * (2 * math.ceil(self.programs.radius * most) + 1) > MAX_WORK:
            most //= 2  # more than a file holds
        finer = max(1, self._finest[0] // wide)
        best = math.inf if search.bracket.upper is None else float(search.bracket.upper.value)
        while 2 * wide * finer <= most:
            half = self.problem.step(wide * finer) / 2
            mean = float(self.problem.loss.cell_mean(-half, half))
            if shape.centre * mean <= SETTINGS.peaks[self._step] * search.gap * best:
                break
            finer *= 2
        return finer


def lean(loss: Loss, mu: float, sensitivity: float) -> float:
    """How far Gaussian noise of mu is moved to where it costs least, in sensitivities."""
    deviations = np.linspace(-SETTINGS.tail, SETTINGS.tail, 401)
    furthest = math.ceil(SETTINGS.tail + 2 * mu)  # two sensitivities more
    moves = np.linspace(-furthest, furthest, 40 * furthest + 1)
    places = (deviations + moves[:, None]) * (sensitivity / mu)
    costs = np.asarray(loss(places.ravel())).reshape(places.shape) @ np.exp(-(deviations**2) / 2)
    return float(moves[costs.argmin()]) / mu
