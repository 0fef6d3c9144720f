"""The search for the least noise of which so many releases keep a total budget.

The total delta is linear in the privacy profile of each release (`grid.py`). With the others held
fixed, the best noise for one release is a linear program in which the deltas of its profile are
variables; each solution becomes all of the releases, and so on. A few rounds from two starting
points. Whatever is returned has passed the exact check of its profile and of the composed total
(`../certify/composed.proof.md`); that it is the best there is, is claimed by the lower bound alone,
which is over all noise whose releases keep the total.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.stats import norm

from ..certify.composed import MAX_LOSSES, composed_delta
from ..certify.constraints import Unbiased
from ..certify.curve import Releases
from ..constrained.frame import Floats
from ..constrained.interior import InteriorFrame
from ..constrained.lower import LowerProgram
from ..constrained.program import Parts
from ..constrained.upper import UpperProgram, mesh_of
from ..exact import round_up
from ..mechanisms import AnalyticGaussian
from ..search import Bracket
from ..spec import Problem, mirror_free
from ..steering import Progress, Steered
from .grid import ProfileGrid
from .necessary import necessary_points

#: About so many steps from 0 to the largest finite loss of a release; for a small gap.
_LOSSES, _MORE_LOSSES, _SMALL_GAP = 32, 64, 5e-3
#: Rounds from one starting point, and how little they must gain to be the last.
_MOST_ROUNDS = 10
_QUIET = 1e-4
#: What the width of cells may cost at first, and from which on they are made three times finer (an
#: odd number, so that finer cells fill the coarse ones); rows of a program at most.
_COARSE, _FINE, _FINER = 4e-3, 1e-3, 3
_MOST_ROWS = 200_000
#: The lower bound looks no further than so many cells.
_FARTHEST_EVENT = 1_200
_MOST_EVENTS = 1_000_000
#: Programs are solved this well.
_TOLERANCE = 1e-4
#: The share of delta that is left, and by how much the deltas of a profile are rounded up.
_MARGIN, _ROUNDING = 3e-5, 1e-9
#: Less than this at exactly 0 is dust.
_LEAST_ATOM = 1e-9
#: Closed forms on a lattice may need to be a little wider.
_STRETCHES = (1.0, 1.01, 1.02, 1.04, 1.08, 1.2, 1.5)


@dataclass(frozen=True)
class _Noise:
    """Masses of the columns of a program and of the atom, with the profile that they have."""

    masses: Floats
    atom: float
    deltas: Floats
    total: float
    loss: float


class ReleaseSearch(Steered[Bracket]):
    """One run for one problem; its epsilon and delta are the total of `total.count` releases."""

    def __init__(
        self,
        problem: Problem,
        total: Releases,
        gap: float,
        time_limit: float | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        super().__init__(Bracket(), gap, time_limit, progress)
        self.problem, self.total = problem, total
        count = total.count
        gaussian = AnalyticGaussian(
            epsilon=total.epsilon, delta=total.delta, sensitivity=math.sqrt(count))
        self.sigma = float(gaussian.sigma)  # in sensitivities
        self.share = float(total.epsilon) / count
        tail = float(norm.isf(float(total.delta) / (20 * count)))
        # Where noise with equal shares of the budget ends (Geng, Ding, Guo, Kumar 2020).
        self.laplace = 2 * self.sigma
        if self.share > 0:
            ratio = math.expm1(self.share) * count / (2 * float(total.delta))
            self.laplace = math.log1p(ratio) / self.share
        near = self.sigma * tail + 1
        self.few = self.laplace <= 2 * near  # equal shares are a sensible start
        self.radius = max(near, min(self.laplace, 2 * near))
        if not mirror_free(problem.constraints, problem.loss):
            self.radius = 1.7 * self.radius + 2
        mu = 1 / self.sigma
        self.grid = self._grid(min(mu * tail + mu * mu / 2, float(total.epsilon) or math.inf))

    def _grid(self, farthest: float) -> ProfileGrid:
        """Losses in whole parts, or multiples, of an equal share of epsilon."""
        total = self.total
        losses = _LOSSES if self.gap >= _SMALL_GAP else _MORE_LOSSES
        if total.epsilon == 0:
            step = Fraction(farthest / losses).limit_denominator(10**6)
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
        leaning = any(isinstance(one, Unbiased) for one in self.problem.constraints) and not (
            mirror_free(self.problem.constraints, self.problem.loss))
        return (
            self.total.count * self.grid.size <= MAX_LOSSES and not leaning
            and self.problem.output_step is None and self._rows(self._first()) <= _MOST_ROWS)

    @property
    def remarks(self) -> str:
        """What the gap is between, in words for the status."""
        words = f"over all noise of which {self.total.count} releases keep the total"
        late = "; stopped at the time limit" if self._late() else ""
        return f"; the lower bound is {words}, and not close for many releases{late}"

    def run(self) -> Bracket:
        """The best noise that two starting points lead to, and a lower bound."""
        n = self._first()
        radius = math.ceil(self.radius * n)
        program = self._program(n, radius) if self.possible else None
        best = None if program is None else self._from_closed_forms(program)
        if program is not None and best is not None:
            if self._worthwhile(n * _FINER) and not self._late():
                program, best = self._made_finer(program, best, radius)
            self._offer(program, best)
        self._lower()
        return self.bracket

    def _first(self) -> int:
        """Cells of width 1/n cost about (1/(n sigma))^2/24 of Gaussian noise, and (share/n)^2/12
        of noise that falls by e^share a sensitivity."""
        if self.problem.integer:
            return int(self.problem.sensitivity)
        return max(1, math.ceil(math.sqrt(self._unit_cost / _COARSE)))

    @property
    def _unit_cost(self) -> float:
        return max(1 / (24 * self.sigma**2), self.share**2 / 12)

    def _worthwhile(self, n: int) -> bool:
        coarse = self._unit_cost * (_FINER / n) ** 2
        fine = _FINE if self.gap >= _SMALL_GAP else _FINE / 5
        return not self.problem.integer and coarse > fine and self._rows(n) <= _MOST_ROWS

    def _rows(self, n: int) -> int:
        sides = 2 if mirror_free(self.problem.constraints, self.problem.loss) else 4
        return math.ceil(sides * self.radius * n) * n * (self.grid.size + 1)

    # -- noise --------------------------------------------------------------------------------

    def _made_finer(
        self, program: UpperProgram, best: _Noise, radius: int
    ) -> tuple[UpperProgram, _Noise]:
        """The same noise on finer cells, and what that leads to."""
        fine = self._program(program.mesh.n * _FINER, radius * _FINER + _FINER // 2)
        if fine is not None:
            same = self._noise(fine.parts, _refined(program, fine, best), best.atom)
            if same.total <= self._most * (1 + 1e-9):
                return fine, self._rounds(fine.parts, same)
        return program, best

    def _program(self, n: int, radius: int) -> UpperProgram | None:
        # Any deltas do here: they are variables of the program.
        points = tuple((e, Fraction(1, 2)) for e in self.grid.epsilons)
        mesh = mesh_of(self.problem, n, radius, points)
        if mesh is None:
            return None
        self.bracket.resolutions.append(n)
        return UpperProgram(self.problem, points, mesh, _MARGIN)

    def _from_closed_forms(self, program: UpperProgram) -> _Noise | None:
        """The better of what Gaussian and truncated Laplace noise lead to."""
        parts, places = program.parts, np.abs(program.places_of_columns)
        best: _Noise | None = None
        shapes: tuple[Callable[[Floats], Floats], ...] = (
            lambda x: np.exp(-(x / self.sigma) ** 2 / 2),
            lambda x: np.exp(-self.share * x) * (x <= self.laplace),
        )
        for shape in shapes if self.few else shapes[:1]:
            stretched = (self._noise(parts, shape(places / s), 0.0) for s in _STRETCHES)
            start = next((one for one in stretched if one.total <= self._most), None)
            found = None if start is None else self._rounds(parts, start)
            if found is not None and (best is None or found.loss < best.loss):
                best = found
        return best

    @property
    def _most(self) -> float:
        return float(self.total.delta) * (1 - _MARGIN)

    def _rounds(self, parts: Parts, best: _Noise) -> _Noise:
        """Programs along the slope of the total, until they gain nothing."""
        for _ in range(_MOST_ROUNDS):
            new = self._along_the_slope(parts, best)
            if new is None or new.loss >= best.loss:
                break
            new = self._kept(parts, best, new)
            self._report(0.0, new.loss, parts.frame.n)
            gained = best.loss / new.loss - 1
            best = new
            if gained < _QUIET or self._late():
                break
        return best

    def _along_the_slope(self, parts: Parts, now: _Noise) -> _Noise | None:
        """The best noise for one release if the total were as linear in it as it is at first."""
        weights, constant = self.grid.weights(now.deltas)
        most = now.total + (self._most - now.total) / self.total.count - constant
        if most <= 0:
            return None
        floor = np.maximum(now.masses, 1e-6 * now.masses.max())
        found = InteriorFrame(parts, (weights, most)).solve(floor, _TOLERANCE, self._late)
        self.bracket.rounds += found.steps
        self.bracket.rows = max(self.bracket.rows, found.rows)
        self.bracket.columns = max(self.bracket.columns, len(found.weights))
        if not np.isfinite(found.weights).all() or found.weights.max() <= 0:
            return None
        return self._noise(parts, found.weights, found.atom)

    def _kept(self, parts: Parts, best: _Noise, new: _Noise) -> _Noise:
        """As far from the best so far towards the new as the total allows."""
        if new.total <= self._most:
            return new
        low, high = 0.0, 1.0
        for _ in range(8):
            share = (low + high) / 2
            kept = self._mixed(parts, best, new, share).total <= self._most
            low, high = (share, high) if kept else (low, share)
        return self._mixed(parts, best, new, low)

    def _mixed(self, parts: Parts, one: _Noise, other: _Noise, share: float) -> _Noise:
        return self._noise(
            parts, one.masses + share * (other.masses - one.masses),
            one.atom + share * (other.atom - one.atom))

    def _noise(self, parts: Parts, masses: Floats, atom: float) -> _Noise:
        """The noise with these masses, scaled to a total of 1."""
        frame = parts.frame
        atom = atom if atom > _LEAST_ATOM else 0.0
        size = float(frame.mass @ masses) + atom
        masses, atom = masses / size, atom / size
        spread = frame.spread(masses)
        deltas = np.array(
            [frame.sticks(spread, math.exp(e))[1].max() + atom for e, _ in parts.points])
        loss = float(parts.cost @ masses) + (parts.atom_cost or 0.0) * atom
        return _Noise(masses, atom, deltas, self.grid.total(deltas), loss)

    def _offer(self, program: UpperProgram, noise: _Noise) -> None:
        """Keep the noise if its profile and the composed total pass the exact check."""
        points = tuple(
            (e, round_up(Fraction(d * (1 + _ROUNDING)) + Fraction(1, 10**15), 15))
            for e, d in zip(self.grid.epsilons, noise.deltas.tolist(), strict=True))
        upper = program.exact(noise.masses, noise.atom, noise.loss, points)
        if upper is None:
            return
        total = self.total
        cost = composed_delta(points, total.count, total.epsilon)
        if cost is None or cost > total.delta:
            return
        document = replace(
            upper.document, epsilon=points[0][0], delta=points[0][1], profile=points[1:],
            releases=total)
        self.bracket.offer_upper(replace(upper, document=document, origin="profile"))

    # -- the lower bound ----------------------------------------------------------------------

    def _lower(self) -> None:
        """Offer a bound over all noise whose releases keep the total, from what each must keep."""
        problem = self.problem
        points = necessary_points(self.total, 1 / self.sigma)
        n = int(problem.sensitivity) if problem.integer else max(1, math.ceil(10 / self.sigma))
        reach = min(math.ceil(self.radius * n), _FARTHEST_EVENT)
        if n * (reach + n) * len(points) > _MOST_EVENTS:
            return  # integers cannot be made coarser; without a bound the least loss is one
        program = LowerProgram(problem, points, n, reach)
        found = InteriorFrame(program.parts).solve(
            np.exp(-np.abs(program.places) / self.sigma), _TOLERANCE)
        lower = program.exact(found.multipliers, max(found.value, 1e-300))
        self.bracket.offer_lower(
            replace(lower, certificate=replace(lower.certificate, points=points)))

def _refined(coarse: UpperProgram, fine: UpperProgram, noise: _Noise) -> Floats:
    """The same noise on finer cells."""
    old, new = coarse.parts.frame, fine.parts.frame
    at = np.rint(new.heads / _FINER).astype(np.int64) - old.first
    inside = (at >= 0) & (at < len(old.column))
    spread = old.spread(noise.masses)
    return np.asarray(np.where(inside, spread[np.clip(at, 0, len(spread) - 1)], 0.0) / _FINER)
