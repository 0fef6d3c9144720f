"""The search for the least noise of which so many releases keep a total budget.

The total delta is linear in the privacy profile of each release (`profile.py`). With the
others held fixed, the best noise for one release is a linear program in which the deltas of its
profile are variables; each solution becomes all of the releases, and so on. A few rounds from two
starting points. Whatever is returned has passed the exact check of its profile and of the composed
total (`../../../certify/composition.proof.md`); that it is the best there is, is claimed by the
lower bound alone, which is over all noise whose releases keep the total.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.special import ndtri

from ....baselines import AnalyticGaussian
from ....certify.composition import MAX_LOSSES, composed_delta
from ....errors import ArgumentError
from ....exact import round_up
from ....numeric import Floats
from ....problem import Point, Problem, foldable, must_balance
from ....problem.budgets import mu_for
from ....problem.privacy import Releases
from ....program.layout import LineLayout
from ....program.program import LinearProgram
from ...bounds import Bounds, Lower, Upper
from ...methods import plan_of_noise
from ...search import Search
from ..driver import solve_at_once
from ..lattice.closed_forms import one_by_one
from ..lattice.relaxed import Relaxed
from ..lattice.restricted import Restricted, lattice_of
from .necessary import necessary_points
from .profile import ProfileGrid


@dataclass(frozen=True)
class RepeatedSettings:
    """Numbers of the search over profiles.

    Found by trial with `benchmarks/releases.py`.
    """

    #: About so many steps from 0 to the largest finite loss of a release; for a small gap.
    losses: int = 32
    more_losses: int = 64
    small_gap: float = 5e-3
    #: Rounds from one starting point, and how little they must gain to be the last.
    most_rounds: int = 10
    quiet: float = 1e-4
    #: What the width of cells may cost at first, and from which on they are made three times finer
    #: (an odd number, so that finer cells fill the coarse ones); rows of a program at most.
    coarse: float = 4e-3
    fine: float = 1e-3
    finer: int = 3
    most_rows: int = 200_000
    #: The lower bound looks no further than so many cells.
    farthest_event: int = 1_200
    most_events: int = 1_000_000
    #: Programs are solved this well.
    tolerance: float = 1e-4
    #: The share of delta that is left, and by how much the deltas of a profile are rounded up.
    margin: float = 3e-5
    rounding: float = 1e-9
    #: Less than this at exactly 0 is dust; how much a program begins with.
    least_atom: float = 1e-9
    atom_at_first: float = 0.05
    #: Closed forms on a lattice may need to be a little wider.
    stretches: tuple[float, ...] = (1.0, 1.01, 1.02, 1.04, 1.08, 1.2, 1.5)


SETTINGS = RepeatedSettings()

#: Seconds for a bound and for answers on a range, if nobody says how many.
LONGEST = 600.0


@dataclass(frozen=True)
class _Noise:
    """A point of a program, with the profile that it has."""

    x: Floats
    deltas: Floats
    total: float
    loss: float


class ReleasePrograms:
    """Noise for `total.count` releases; the question's epsilon and delta are their total."""

    def __init__(
        self, problem: Problem, total: Releases, gap: float, resolution: int | None = None
    ) -> None:
        self.resolution = resolution
        # A small gap needs finer losses.
        self._losses, self._fine = (
            (SETTINGS.losses, SETTINGS.fine)
            if gap >= SETTINGS.small_gap
            else (SETTINGS.more_losses, SETTINGS.fine / 5)
        )
        self.problem, self.total = problem, total
        #: Noise on coarse cells that finer ones begin with, and what passed the exact check.
        self._coarse: tuple[Restricted, _Noise] | None = None
        self._upper: Upper | None = None
        if total.delta > 0:
            self._look_around()

    def _look_around(self) -> None:
        """How wide noise is, and which losses its profile is known at."""
        problem, total = self.problem, self.total
        count = total.count
        gaussian = AnalyticGaussian(
            epsilon=total.epsilon, delta=total.delta, sensitivity=math.sqrt(count)
        )
        self.sigma = float(gaussian.sigma)  # in sensitivities
        self.share = float(total.epsilon) / count
        tail = float(-ndtri(float(total.delta) / (20 * count)))
        # Where noise with equal shares of the budget ends (Geng, Ding, Guo, Kumar 2020).
        self.laplace = 2 * self.sigma
        if self.share > 0:
            ratio = math.expm1(self.share) * count / (2 * float(total.delta))
            self.laplace = math.log1p(ratio) / self.share
        near = self.sigma * tail + 1
        self.few = self.laplace <= 2 * near  # equal shares are a sensible start
        self.radius = max(near, min(self.laplace, 2 * near))
        if not foldable(problem.constraints, problem.loss):
            self.radius = 1.7 * self.radius + 2
        mu = 1 / self.sigma
        self.grid = self._grid(min(mu * tail + mu * mu / 2, float(total.epsilon) or math.inf))

    def _grid(self, farthest: float) -> ProfileGrid:
        """Losses in whole parts, or multiples, of an equal share of epsilon."""
        total = self.total
        losses = self._losses
        if total.epsilon == 0:
            step = Fraction(f"{farthest / losses:.6g}")
        else:
            share = total.epsilon / total.count
            parts = losses * float(share) / farthest
            step = share / round(parts) if parts >= 1 else share * max(1, round(1 / parts))
        size = max(2, math.ceil(farthest / float(step) - 1e-9))
        return ProfileGrid(step, size, total.count, float(total.epsilon))

    # -- the plan -----------------------------------------------------------------------------

    @property
    def possible(self) -> bool:
        """Whether the search can begin: few releases, cells and losses, and inequalities only."""
        return (
            self.total.count * self.grid.size <= MAX_LOSSES
            and not must_balance(self.problem.constraints, self.problem.loss)
            and self.problem.output_step is None
            and self._rows(self._first()) <= SETTINGS.most_rows
        )

    def bounds(self, search: Search) -> Iterator[Bounds]:
        """The search over profiles, a bound over all noise, and simple ways where they may win."""
        if self.total.delta == 0:
            # Equal shares are what every noise must keep, so its bound is one on all noise.
            yield self._shared(search)
            return
        yield self._lower(search), None
        if self.possible:
            yield from search.coarse_to_fine(self)
        if self._upper is None or (self.few and not search.late()):
            yield None, self._shared(search)[1]
        if self._upper is None:
            yield None, self._along_curve(search)

    def sizes(self, search: Search) -> Iterator[int]:
        """Cells that cost little, and finer ones where those of the first cost too much."""
        n = self._first()
        yield n
        if self._coarse is not None:
            yield n * SETTINGS.finer

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """Noise on these cells; checked exactly where no finer ones follow."""
        if self._coarse is None:
            best = self._from_closed_forms(size, search)
            if best is not None and self._worthwhile(size * SETTINGS.finer) and not search.late():
                self._coarse = best
                return
        else:
            best = self._made_finer(*self._coarse, search)
        if best is not None:
            self._upper = self._exact(*best)
            yield None, self._upper

    # -- simple ways --------------------------------------------------------------------------

    def _shared(self, search: Search) -> Bounds:
        """Noise for an equal share of the total."""
        share = self.total.epsilon / self.total.count, self.total.delta / self.total.count
        return self._inner(
            replace(self.problem, epsilon=share[0], delta=share[1]), search.gap, search
        )

    def _along_curve(self, search: Search) -> Upper | None:
        """Noise below the Gaussian curve of which so many releases keep the total."""
        mu = mu_for(self.total)
        if mu is None:
            return None
        # Closing the bracket of a curve would take minutes, and its lower bound is not used.
        try:
            return self._inner(replace(self.problem, gdp=mu), max(search.gap, 0.02), search)[1]
        except ArgumentError:
            return None  # more integers than a program can hold: the share is there already

    def _inner(self, problem: Problem, gap: float, search: Search) -> Bounds:
        bracket = search.inner(plan_of_noise(problem, self.resolution), gap)
        upper = bracket.upper
        assert upper is not None
        document = upper.document.with_problem(releases=self.total)
        return bracket.lower, replace(upper, document=document, origin="share")

    # -- sizes --------------------------------------------------------------------------------

    def _first(self) -> int:
        """Cells of width 1/n cost about (1/(n sigma))^2/24 of Gaussian noise, and (share/n)^2/12
        of noise that falls by e^share a sensitivity."""
        if self.problem.integer:
            return int(self.problem.sensitivity)
        return max(1, math.ceil(math.sqrt(self._unit_cost / SETTINGS.coarse)))

    @property
    def _unit_cost(self) -> float:
        return max(1 / (24 * self.sigma**2), self.share**2 / 12)

    def _worthwhile(self, n: int) -> bool:
        coarse = self._unit_cost * (SETTINGS.finer / n) ** 2
        return (
            not self.problem.integer and coarse > self._fine and self._rows(n) <= SETTINGS.most_rows
        )

    def _rows(self, n: int) -> int:
        sides = 2 if foldable(self.problem.constraints, self.problem.loss) else 4
        return math.ceil(sides * self.radius * n) * n * (self.grid.size + 1)

    # -- noise --------------------------------------------------------------------------------

    def _made_finer(
        self, restricted: Restricted, best: _Noise, search: Search
    ) -> tuple[Restricted, _Noise]:
        """The same noise on finer cells, and what that leads to."""
        n, times = restricted.mesh.n, SETTINGS.finer
        fine = self._program(n * times, self._radius(n) * times + times // 2)
        if fine is not None:
            same = self._noise(fine.program, _refined(restricted.line, fine.line, best))
            if same.total <= self._most * (1 + 1e-9):
                return fine, self._rounds(fine.program, same, search)
        return restricted, best

    def _radius(self, n: int) -> int:
        return math.ceil(self.radius * n)

    def _program(self, n: int, radius: int) -> Restricted | None:
        # Any deltas do here: they are variables of the program.
        points = tuple((e, Fraction(1, 2)) for e in self.grid.epsilons)
        mesh = lattice_of(self.problem, n, radius, points)
        return None if mesh is None else Restricted(self.problem, points, mesh, SETTINGS.margin)

    def _from_closed_forms(self, n: int, search: Search) -> tuple[Restricted, _Noise] | None:
        """The better of what Gaussian and truncated Laplace noise lead to."""
        restricted = self._program(n, self._radius(n))
        if restricted is None:
            return None
        program, places = restricted.program, np.abs(restricted.places)
        atoms = np.zeros(restricted.line.atoms)
        best: _Noise | None = None
        shapes: tuple[Callable[[Floats], Floats], ...] = (
            lambda x: np.exp(-((x / self.sigma) ** 2) / 2),
            lambda x: np.exp(-self.share * x) * (x <= self.laplace),
        )
        for shape in shapes if self.few else shapes[:1]:
            stretched = (
                self._noise(program, np.concatenate([shape(places / s), atoms]))
                for s in SETTINGS.stretches
            )
            start = next((noise for noise in stretched if noise.total <= self._most), None)
            noise = None if start is None else self._rounds(program, start, search)
            if noise is not None and (best is None or noise.loss < best.loss):
                best = noise
        return None if best is None else (restricted, best)

    @property
    def _most(self) -> float:
        return float(self.total.delta) * (1 - SETTINGS.margin)

    def _rounds(self, program: LinearProgram[LineLayout], best: _Noise, search: Search) -> _Noise:
        """Programs along the slope of the total, until they gain nothing."""
        for _ in range(SETTINGS.most_rounds):
            new = self._along_the_slope(program, best, search)
            if new is None or new.loss >= best.loss:
                break
            new = self._kept(program, best, new)
            search.report(0.0, new.loss, program.layout.n)
            gained = best.loss / new.loss - 1
            best = new
            if gained < SETTINGS.quiet or search.late():
                break
        return best

    def _along_the_slope(
        self, program: LinearProgram[LineLayout], now: _Noise, search: Search
    ) -> _Noise | None:
        """The best noise for one release if the total were as linear in it as it is at first."""
        weights, constant = self.grid.weights(now.deltas)
        most = now.total + (self._most - now.total) / self.total.count - constant
        if most <= 0:
            return None
        heads = len(program.layout.heads)
        start = np.full(len(now.x), SETTINGS.atom_at_first)  # of the atom; cells follow
        start[:heads] = np.maximum(now.x[:heads], 1e-6 * now.x[:heads].max())
        start[:heads] /= float(program.layout.masses[0, :heads] @ start[:heads])
        together = weights, most
        solution = solve_at_once(program, start, SETTINGS.tolerance, search, together=together)
        if not np.isfinite(solution.x).all() or solution.x.max() <= 0:
            return None
        return self._noise(program, solution.x)

    def _kept(self, program: LinearProgram[LineLayout], best: _Noise, new: _Noise) -> _Noise:
        """As far from the best so far towards the new as the total allows."""
        if new.total <= self._most:
            return new
        low, high = 0.0, 1.0
        for _ in range(8):
            share = (low + high) / 2
            mixed = self._noise(program, best.x + share * (new.x - best.x))
            low, high = (share, high) if mixed.total <= self._most else (low, share)
        return self._noise(program, best.x + low * (new.x - best.x))

    def _noise(self, program: LinearProgram[LineLayout], x: Floats) -> _Noise:
        """The noise at a point, scaled to a total of 1."""
        line = program.layout
        dust = (np.arange(len(x)) >= len(line.heads)) & (x <= SETTINGS.least_atom)
        x = np.where(dust, 0.0, x)
        x = x / float(line.masses[0] @ x)
        spread = line.spread(x)
        exponentials = np.exp([epsilon for epsilon, _ in program.budgets])
        deltas = line.hockey_sticks(spread, exponentials, line.shifts).max(axis=1)
        return _Noise(x, deltas, self.grid.total(deltas), float(program.cost @ x))

    def _exact(self, restricted: Restricted, noise: _Noise) -> Upper | None:
        """The noise if its profile and the composed total pass the exact check."""
        points = tuple(
            (e, round_up(Fraction(d * (1 + SETTINGS.rounding)) + Fraction(1, 10**15), 15))
            for e, d in zip(self.grid.epsilons, noise.deltas.tolist(), strict=True)
        )
        upper = restricted.exact(noise.x, noise.loss, points)
        if upper is None:
            return None
        total = self.total
        cost = composed_delta(points, total.count, total.epsilon)
        if cost is None or cost > total.delta:
            return None
        document = upper.document.with_problem(
            epsilon=points[0][0], delta=points[0][1], profile=points[1:], releases=total
        )
        return replace(upper, document=document, origin="profile")

    # -- the lower bound ----------------------------------------------------------------------

    def _lower(self, search: Search) -> Lower | None:
        """A bound over all noise whose releases keep the total, from what each must keep.

        In half of the time at most: multipliers of an unfinished program prove less.
        """
        begin, left = search.clock(), search.left(LONGEST)
        points = necessary_points(
            self.total, 1 / self.sigma, lambda: search.clock() >= begin + left / 4
        )
        lower = self._bound(points, search, lambda: search.clock() >= begin + left / 2)
        alone = self.total.epsilon, self.total.delta
        if lower is None and alone in points:  # one budget has a closed form
            known = one_by_one(replace(self.problem, profile=()))
            if known is not None:
                lower = replace(known, certificate=replace(known.multipliers, points=(alone,)))
        return lower

    def _bound(
        self, points: tuple[Point, ...], search: Search, stop: Callable[[], bool]
    ) -> Lower | None:
        """What these budgets prove; None if that is nothing."""
        problem = self.problem
        n = int(problem.sensitivity) if problem.integer else max(1, math.ceil(10 / self.sigma))
        reach = min(math.ceil(self.radius * n), SETTINGS.farthest_event)
        if n * (reach + n) * len(points) > SETTINGS.most_events:
            return None  # integers cannot be made coarser; without a bound the least loss is one
        relaxed = Relaxed(problem, points, n, reach)
        start = np.exp(-np.abs(relaxed.places) / self.sigma)
        solution = solve_at_once(relaxed.program, start, SETTINGS.tolerance, search, stop=stop)
        lower = relaxed.exact(solution.multipliers, max(solution.value, 1e-300))
        if lower.value <= 0:
            return None
        return replace(lower, certificate=replace(lower.multipliers, points=points))


def _refined(coarse: LineLayout, fine: LineLayout, noise: _Noise) -> Floats:
    """The same noise on finer cells."""
    at = np.rint(fine.heads / SETTINGS.finer).astype(np.int64) - coarse.first
    inside = (at >= 0) & (at < len(coarse.column))
    cells, atom = coarse.spread(noise.x)
    masses = np.where(inside, cells[np.clip(at, 0, len(cells) - 1)], 0.0) / SETTINGS.finer
    return np.concatenate([masses, atom[: fine.atoms]])
