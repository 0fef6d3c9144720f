"""Staircases as mechanisms: a centre, stairs one sensitivity wide, and what delta buys.

With delta the stairs may end and the rest is an atom at 0; the edges lie anywhere, so that the
file is short at any epsilon. Without delta the stairs go on for ever, on a lattice that fits them.
Why it is private: `noise.proof.md`. What leaves this file has passed the exact check.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ....baselines.staircase import first_step
from ....certify.kinds.additive import MAX_CELLS, MAX_WORK, LatticeCells, MeshCells, NumberNoise
from ....certify.limits import MAX_EDGES
from ....certify.noise.line.runs import written_out
from ....errors import ArgumentError, FormatError
from ....exact import exp_lower
from ....numeric import Floats, Ints
from ....problem import Problem
from ....program.costs import cell_means, run_means
from ...bounds import Upper, certified, noise_file
from ..lattice.closed_forms import likeliest
from ..lattice.proposal import Proposal
from .forecast import steps_matter


@dataclass(frozen=True)
class StepsSettings:
    """Numbers of staircases.

    Found by trial with `benchmarks/budgets.py`; no claim depends on them.
    """

    #: Releases of these files lie on multiples of a step over this.
    grid: int = 100_001
    #: How far, in half widths of the centre, its ends are moved to see what that costs.
    aside: float = 0.1
    #: Stairs are looked at until what is left has this share of their mass.
    nothing: float = 1e-13
    #: Stairs that end are left for others if they cost more by this share.
    worse: float = 1e-3
    #: Resolutions of tails: from about one cell for the centre to this many.
    finest: float = 8.0
    finest_whole: float = 60.0
    #: Noise on at most so many whole numbers, times the sensitivity, is written out.
    written: int = 300_000
    #: Up to this sensitivity tails of integer noise list every whole number.
    listed: int = 1_200
    #: What share of the gap a resolution twice as fine must be worth, for integers.
    longer: float = 0.3
    #: What a cell more is worth, as a share of the loss.
    cell: float = 3e-8


SETTINGS = StepsSettings()


@dataclass(frozen=True)
class Steps:
    """A staircase with the centre [-left, right], in sensitivities; either may be negative."""

    problem: Problem
    left: float
    right: float

    @property
    def narrow(self) -> float:
        """Half of the width of the centre."""
        return (self.left + self.right) / 2

    def _edges(self, count: int) -> Floats:
        """Edges of the centre and of `count` stairs on each side, in sensitivities."""
        stairs = np.arange(count + 1)
        return np.concatenate([-self.left - stairs[::-1], self.right + stairs])

    def _levels(self, count: int) -> Floats:
        """Densities relative to the centre's."""
        return np.exp(-float(self.problem.epsilon) * np.abs(np.arange(-count, count + 1)))

    def _losses(self, count: int) -> Floats:
        edges = self._edges(count)
        return self._means(edges[:-1], edges[1:])

    def _means(self, low: Floats, high: Floats) -> Floats:
        unit, means = float(self.problem.sensitivity), cell_means
        if self.problem.integer:
            means = run_means
        return means(self.problem.loss, low * unit, high * unit)

    def expected(self, count: int | None = None) -> float:
        """The loss without delta, of so many stairs or of all that matter."""
        count = _enough(self.problem) if count is None else count
        masses = self._levels(count) * np.diff(self._edges(count))
        return float(masses @ self._losses(count)) / float(masses.sum())

    @cached_property
    def _bowl(self) -> tuple[float, float, float]:
        """(a, b, c): moving the left end by x and the right one by y costs ax^2 + 2bxy + cy^2.

        Relative to the loss, and about: the ends being at the best places.
        """
        real = replace(self, problem=replace(self.problem, integer=False))
        h, best = SETTINGS.aside * self.narrow, real.expected()

        def bent(x: float, y: float) -> float:
            both = (
                replace(real, left=self.left + k * x, right=self.right + k * y) for k in (1, -1)
            )
            return (sum(moved.expected() for moved in both) / 2 / best - 1) / h**2

        a, c = bent(h, 0.0), bent(0.0, h)
        return a, (bent(h, h) - a - c) / 2, c

    def moved(self, n: Ints, offset: float = 0.0) -> Floats:
        """What moving both ends to a lattice (whole + offset) / n costs; infinite without width."""
        left, right = (np.round(end * n - offset) + offset for end in (self.left, self.right))
        x, y, (a, b, c) = left / n - self.left, right / n - self.right, self._bowl
        cost = np.maximum(a * x * x + 2 * b * x * y + c * y * y, 0.0)
        return np.where(left + right > 0, cost, np.inf)

    def best(self) -> Upper | None:
        """With an end if there is a delta, and without one where that is better."""
        upper = self.finite() if self.problem.delta > 0 else None
        if upper is not None and float(upper.value) <= (1 + SETTINGS.worse) * self.expected():
            return upper
        several = [some for some in (upper, self.endless()) if some is not None]
        return min(several, key=lambda some: some.value, default=None)

    # -- with delta ---------------------------------------------------------------------------

    def finite(self) -> Upper | None:
        """The best number of stairs, the last one cut, what is left of delta an atom at 0."""
        n, grid = max(1, round(1 / self.narrow)), SETTINGS.grid
        if self.problem.integer:
            most = min(2000, MAX_CELLS // (2 * self._fewest() + 30))
            several = range(max(1, most // 4), max(2, most))
            grid, n = odd_cells(int(self.problem.sensitivity), several)
        fine = n * 2 * grid
        sides, cut = (self.left, self.right), True
        if self._fewest() > MAX_EDGES // 2 - 2:
            # Many stairs fit into a file if the centre is as wide as they are.
            sides, cut = (1 - self.right, self.right), False
        rounded = [self._mark(side, fine) / fine for side in sides]
        steps = replace(self, left=rounded[0], right=rounded[1])
        end = steps._best_end(n * grid if cut else 0) if steps.narrow > 0 else None
        return None if end is None else steps._drafted(n, grid, *end)

    def _mark(self, edge: float, fine: int) -> int:
        """A whole number of half grid steps; for integers an odd one, between whole numbers."""
        if not self.problem.integer:
            return round(edge * fine)
        return 2 * round((edge * fine - 1) / 2) + 1

    def _fewest(self) -> int:
        """With fewer stairs the ends alone would use more than delta."""
        epsilon, delta = float(self.problem.epsilon), float(self.problem.delta)
        last = math.log(max(1.0, -math.expm1(-epsilon) / (2 * delta))) / epsilon
        return max(0, math.floor(last) - 2)

    def _best_end(self, cut: int) -> tuple[int, float, float] | None:
        """(whole stairs, share of the next that is kept, loss), by trying them all.

        The share is a whole number of parts of a stair, `cut` in all.
        """
        problem = self.problem
        epsilon, delta = float(problem.epsilon), float(problem.delta)
        least = self._fewest()
        most = least + math.ceil(16 / epsilon) + 4
        most = min(most, MAX_EDGES // 2 - 2 if cut else MAX_CELLS // 4)
        if least >= most:
            return None
        means, lengths = self._losses(most), np.diff(self._edges(most))
        levels, at_zero = self._levels(most), float(problem.loss.upper(Fraction(0)))
        mass = levels * lengths
        share = np.unique(np.round(np.linspace(0.0, 1.0, 65) * cut)) / max(cut, 1)
        best: tuple[int, float, float] | None = None
        for count in range(least, most):
            inner = slice(most - count, most + count + 1)
            whole, cost = float(mass[inner].sum()), float(mass[inner] @ means[inner])
            # The next stair is cut to a share; its loss on both sides.
            ends, next_level = self._edges(count)[[0, -1]], float(levels[most + count + 1])
            right = self._means(np.full(len(share) - 1, ends[1]), ends[1] + share[1:])
            left = self._means(ends[0] - share[1:], np.full(len(share) - 1, ends[0]))
            total = whole + 2 * next_level * share
            cost = cost + next_level * share * np.concatenate([[0.0], left + right])
            # What lies within one sensitivity of an end is told apart by the full shift.
            before = np.minimum(1 - share, lengths[most - count])
            rest = next_level * np.minimum(np.maximum(1 - share - before, 0.0), share)
            end = (next_level * share + float(levels[most + count]) * before + rest) / total
            atom = (delta - end) / np.maximum(1 - end, 1e-9)
            loss = np.where(
                (atom >= 0) & (end < 1), (1 - atom) * cost / total + atom * at_zero, np.inf
            )
            k = int(loss.argmin())
            if math.isfinite(loss[k]) and (best is None or loss[k] < best[2]):
                best = count, float(share[k]), float(loss[k])
        return best

    def _drafted(self, n: int, grid: int, count: int, share: float, scale: float) -> Upper | None:
        """In whole numbers: each stair at least e^-eps times the one before, the atom the rest."""
        problem = self.problem
        if (count + 3) * n > MAX_CELLS:
            return None
        half = 2 * grid  # edges are whole numbers of half grid steps
        centre = [self._mark(edge, n * half) for edge in self._edges(0)]
        marks = [
            *(centre[0] - k * n * half for k in range(count, 0, -1)),
            *centre,
            *(centre[1] + k * n * half for k in range(1, count + 1)),
        ]
        rest = 2 * round(share * n * grid)
        if rest:
            marks, count = [marks[0] - rest, *marks, marks[-1] + rest], count + 1
        if max(-marks[0], marks[-1]) > MAX_CELLS * half:  # a centre that leans far out
            return None
        fall = 1 / exp_lower(problem.epsilon)
        levels = [1 << (90 + math.ceil(count * float(problem.epsilon) / math.log(2)))]
        for _ in range(count):
            levels.append(math.ceil(levels[-1] * fall))
        whole = [
            levels[abs(k)] * (b - a)
            for k, (a, b) in zip(range(-count, count + 1), pairwise(marks), strict=True)
        ]
        noise = MeshCells(
            step=Fraction(grid) if problem.integer else problem.step(n),
            grid=grid,
            denominator=sum(whole),
            edges=tuple(Fraction(mark, half) for mark in marks),
            weights=tuple(whole),
            atom=0,
        )
        return checked(self._with_atom(noise), problem, scale, "staircase that ends")

    def _with_atom(self, noise: MeshCells) -> MeshCells:
        """With all that delta leaves as an atom at 0."""
        delta, total = self.problem.delta, noise.denominator
        noise.check_problem(self.problem)
        used = noise.worst_divergence(self.problem, self.problem.epsilon)[1]
        atom = max(0, math.floor((delta - used) * total / (1 - delta)))
        return replace(noise, atom=atom, denominator=total + atom)

    # -- without delta ------------------------------------------------------------------------

    def endless(self) -> Upper | None:
        """With geometric tails, on a lattice whose cells fit the centre."""
        problem = self.problem
        grid, n = self._fitting()
        left, right = _last_cell(self.left * n), _last_cell(self.right * n)
        if left + right < 0:
            return None
        if problem.integer:  # a little more than the sensitivity, in whole cells
            problem = replace(problem, integer=False, sensitivity=Fraction(grid * n))
        for periods in (1, 8, 64):
            radius = periods * n + max(left, right, -left, -right)
            if radius >= MAX_CELLS // 2 or n * (2 * radius + 1) > MAX_WORK:
                break
            cells = np.arange(-radius, radius + 1)
            level = np.maximum(
                np.ceil(np.maximum(cells - right, 0) / n), np.ceil(np.maximum(-left - cells, 0) / n)
            )
            weights = np.exp(-float(problem.epsilon) * level)
            try:
                upper = Proposal(problem, n, weights, tail=True, origin="staircase").exact(None)
            except (ArgumentError, FormatError):
                upper = None
            if upper is None:
                continue
            if not self.problem.integer:
                return upper
            return on_integers(upper, self.problem)
        return None

    def _fitting(self) -> tuple[int, int]:
        """(whole numbers a cell, resolution): a misfit costs its square, a cell its checking."""
        finest = SETTINGS.finest_whole if self.problem.integer else SETTINGS.finest
        # A period on each side is all that finer cells leave to be checked, or to be listed.
        listed = int((MAX_CELLS // 2 - 1) / (1 + max(abs(self.left), abs(self.right))))
        most = max(1, min(math.isqrt(MAX_WORK // 2), listed))
        first, last = math.floor(0.5 / self.narrow), math.ceil(finest / self.narrow) + 1
        several = np.arange(max(1, min(first, most)), min(last, most) + 1)
        if not self.problem.integer:
            return 1, int(several[self._misfit(several).argmin()])
        width = int(self.problem.sensitivity)
        if width <= min(SETTINGS.listed, listed):
            return 1, width
        widths = {odd_cell(width, n) for n in several.tolist() if n <= width}
        cells = np.array(sorted(widths or {1}))
        n = -(-width // cells)
        best = (self._misfit(n) + 2 * (n * cells / width - 1)).argmin()
        return int(cells[best]), int(n[best])

    def _misfit(self, n: Ints) -> Floats:
        """What cells cost that do not fit the ends, and what their number does."""
        return self.moved(n, 0.5) + SETTINGS.cell * n


def on_integers(upper: Upper | None, problem: Problem) -> Upper | None:
    """Real noise on cells of whole widths, rounded to the whole numbers.

    A file counts in an odd number of them: a cell may be several such steps wide. None if that
    are more steps than a file may have.
    """
    if upper is None or upper.document.integer:
        return upper
    noise, wide = upper.document.noise, int(upper.document.noise.step)
    grid = _odd_part(wide)
    if grid < wide:
        cells = range(noise.first, noise.first + len(noise.weights) + 1)
        edges = tuple(Fraction((2 * i - 1) * wide, 2 * grid) for i in cells)
        if max(-edges[0], edges[-1]) > MAX_CELLS or noise.tail is not None:
            return None
        noise = MeshCells(
            step=Fraction(grid),
            grid=grid,
            denominator=noise.denominator,
            edges=edges,
            weights=noise.weights,
            atom=noise.atom,
        )
    elif isinstance(noise, LatticeCells):
        noise = replace(noise, grid=grid)
    return checked(noise, problem, float(upper.value), upper.origin)


def whole_cells(
    problem: Problem, steps: Steps | None, n: int, gap: float, reach: float, up: bool
) -> int:
    """About n cells a sensitivity that are whole numbers and fit the steps of the noise.

    Together they are hardly less than the sensitivity for a lower bound, hardly more for an upper
    one, whose noise, no further out than `reach` sensitivities, must fit into a file.
    """
    width = int(problem.sensitivity)
    near = np.arange(max(1, 9 * n // 10), min(2 * n, width) + 1)
    wide = -(-width // near) if up else width // near
    more = near * wide - width
    cost = 2 * np.abs(more) / width + SETTINGS.longer * gap * near / n
    if steps is not None and steps_matter(problem):
        moved = steps.moved(near, 0.5 * up)
        cost += moved if up else np.sqrt(moved) / (near * steps.narrow)
    if up:
        grid = np.array([_odd_part(each) for each in wide.tolist()])
        cost += (reach * width >= MAX_CELLS * grid) | (more >= grid)
    return int(near[cost.argmin()])


def _odd_part(number: int) -> int:
    return number // (number & -number)


def odd_cells(width: int, several: range) -> tuple[int, int]:
    """(c, n): n runs of an odd number c of whole numbers, hardly more than `width` together."""
    if width <= several[-1]:
        return 1, width
    c = min((odd_cell(width, n) for n in several), key=lambda c: (-(-width // c) * c, c))
    return c, -(-width // c)


def odd_cell(width: int, n: int) -> int:
    """An odd number, n of which are about `width`."""
    c = -(-width // n)
    return c if c % 2 else c + 1


def _enough(problem: Problem) -> int:
    """How many stairs matter."""
    return min(math.ceil(-math.log(SETTINGS.nothing) / float(problem.epsilon)), MAX_CELLS)


def steps_of(problem: Problem) -> Steps:
    """The staircase with the least loss at delta = 0, to a few digits."""
    gamma = first_step(problem)
    if problem.loss.symmetric:
        return Steps(problem, gamma, gamma)
    from scipy.optimize import minimize  # (slow to import)

    count, real = _enough(problem), replace(problem, integer=False)
    mode = likeliest(real, count)

    def steps(at: Floats) -> Steps:
        width, right = 2 * gamma * math.exp(min(max(at[0], -20.0), 3.0)), mode + gamma * at[1]
        return Steps(real, width - right, right)

    def expected(at: Floats) -> float:
        return steps(at).expected(count)

    start = np.array([[0.0, 1.0], [-0.5, 1.0], [0.0, 0.3]])
    optimum = minimize(
        expected,
        start[0],
        method="Nelder-Mead",
        options={
            "xatol": 1e-4,
            "fatol": 1e-9 * abs(expected(start[0])),
            "maxfev": 200,
            "initial_simplex": start,
        },
    )
    best = steps(optimum.x)
    return _between_integers(replace(best, problem=problem)) if problem.integer else best


def _between_integers(steps: Steps) -> Steps:
    """With both ends between whole numbers, at the best such places nearby."""
    width = int(steps.problem.sensitivity)
    ends = [round(end * width - 0.5) + 0.5 for end in (steps.left, steps.right)]
    near = [(ends[0] + i, ends[1] + j) for i in (0, 1, -1) for j in (0, 1, -1)]
    several = (replace(steps, left=a / width, right=b / width) for a, b in near if a + b > 0)
    return min(several, key=lambda steps: steps.expected(), default=steps)


def checked(noise: NumberNoise, problem: Problem, scale: float, origin: str) -> Upper | None:
    """The noise with its upper bound, if it is private."""
    if problem.integer:
        most = SETTINGS.written // int(problem.sensitivity)
        noise = written_out(noise.one_by_one(), problem, most) or noise
    n = noise.shifts(problem)
    file = noise_file(problem, noise)
    return certified(file, origin, loss=problem.loss, resolution=n, scale=scale)


def _last_cell(position: float) -> int:
    """Cell i for which i + 1/2 is nearest to a position: the last cell before an edge there."""
    return round(position - 0.5)
