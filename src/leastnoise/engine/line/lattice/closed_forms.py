"""Closed forms as incumbents: exactly checked bounds before any program is solved.

Mechanisms make sure that the answer is never much worse than the best known one, whatever the
solver does; multipliers at step = sensitivity are a first lower bound.
Why: `closed_forms.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from ....baselines import Mechanism, Staircase
from ....baselines.staircase import first_step
from ....certify.kinds.additive import MAX_CELLS, MAX_WORK
from ....errors import ArgumentError, RegimeError
from ....exact import round_down
from ....numeric import Floats
from ....problem import Point, Problem
from ....program.costs import floors, means
from ....program.program import PairDuals, ProgramDuals
from ...bounds import Lower, Upper, certified, proven
from ...trivial import unused_duals
from .forecast import flat
from .proposal import Proposal, closed_forms_of, discretise, end_of, strictly_private
from .relaxed import Relaxed

#: How many of the best closed forms are tried.
_TRIED = 2


class Incumbents:
    """The closed forms that serve a question, ranked by loss."""

    def __init__(self, problem: Problem, resolution: int | None) -> None:
        self.problem = problem
        self.resolution = resolution
        mechanisms, losses = closed_forms_of(problem, problem.delta), []
        for k, mechanism in enumerate(mechanisms):
            with suppress(RegimeError):  # more steps than can be listed
                losses.append((mechanism.expected_loss(problem.loss), k))
        if not losses:
            raise ArgumentError(
                "epsilon",
                float(problem.epsilon),
                f"larger for {problem.loss.name} at delta={float(problem.delta):g}: the noise "
                "would have more steps than can be listed",
            )
        self._ranked = [mechanisms[k] for _, k in sorted(losses)]
        self.best, self.loss = self._ranked[0], min(losses)[0]
        self._safe: dict[int, Proposal | None] = {}

    @cached_property
    def multipliers(self) -> Canonical | None:
        """Good multipliers at one point a sensitivity, if a file could hold them."""
        return canonical(self.problem)

    @property
    def reach(self) -> float:
        """How far multipliers reach, in sensitivities: the relaxed program looks as far."""
        known = self.multipliers
        return 2 * self.radius + 3 if known is None else known.reach + 1.0

    @cached_property
    def radius(self) -> float:
        """Where the best closed form ends, or nearly ends, in sensitivities."""
        return end_of(self.problem, self.best)

    @cached_property
    def gamma(self) -> float:
        """Where, in sensitivities, the first step of the best staircase lies."""
        return first_step(self.problem)

    def safe(self, n: int) -> Proposal | None:
        """A strictly private proposal at resolution n, to repair others with."""
        if n not in self._safe:
            self._safe[n] = strictly_private(self.problem, n)
        return self._safe[n]

    def between(self, n: int) -> float:
        """What the two bounds differ by, for the best closed form at resolution n."""
        problem = self.problem
        radius = min(math.ceil(self.radius * n) + n, MAX_CELLS // 2)
        weights = discretise(problem, self.best, n, radius).weights
        asked = (problem.loss, problem.step(n), problem.integer, radius)
        return float((means(*asked) - floors(*asked)) @ weights)

    def mechanisms(self, n: int) -> Iterator[Upper]:
        """The best closed forms at (about) resolution n, those that pass the exact check."""
        problem, any_found = self.problem, False
        for mechanism in self._ranked[:_TRIED] if problem.delta > 0 else []:
            fitted, fine = self._fitted(mechanism, n)
            radius = math.ceil(end_of(problem, fitted) * fine) + 1
            if (2 * radius + 1) * fine <= MAX_WORK and radius < MAX_CELLS // 2:
                upper = discretise(problem, fitted, fine, radius).exact(self.safe(fine))
                if upper is not None:
                    any_found = True
                    yield upper
        if not any_found:
            yield from self._tailed(n)

    def _fitted(self, mechanism: Mechanism, n: int) -> tuple[Mechanism, int]:
        """A staircase moved so that its steps are edges of cells, and the resolution for it."""
        problem = self.problem
        if problem.integer or not isinstance(mechanism, Staircase):
            return mechanism, n
        gamma = float(mechanism.gamma)
        if self.resolution is None:
            # A step at gamma + d costs a share of about d^2 more; at small epsilon, where
            # gamma is near 1/2, one cell a sensitivity is as good as many.
            most = math.isqrt(int(MAX_WORK / (2.5 * end_of(problem, mechanism) + 1)))
            several = range(min(math.ceil(2 / gamma), most), min(math.ceil(8 / gamma), most) + 2)
            choice = [1] if flat(problem) else several
            n = min(choice, key=lambda k: abs(_nearest_edge(k * gamma) / k - gamma))
        fitted = type(mechanism)(
            epsilon=problem.epsilon,
            delta=problem.delta,
            sensitivity=problem.sensitivity,
            gamma=_nearest_edge(n * gamma) / n,
        )
        return fitted, n

    def _tailed(self, n: int) -> Iterator[Upper]:
        """Closed forms with geometric tails, which need no delta."""
        problem = self.problem
        wanted = "discrete-laplace" if problem.integer else "staircase"
        for mechanism in closed_forms_of(problem, Fraction(0)):
            if mechanism.name != wanted:
                continue
            fitted, fine = self._fitted(mechanism, n)
            for periods in (2, 8, 64, 512, 4096):
                radius = periods * fine
                if radius >= MAX_CELLS // 2:
                    break
                weights = discretise(problem, fitted, fine, radius).weights
                upper = Proposal(problem, fine, weights, tail=True, origin=mechanism.name).exact(
                    None
                )
                if upper is not None:
                    yield upper
                    if problem.loss.tail_is_sharp:
                        break


def _nearest_edge(position: float) -> float:
    """The nearest edge of a centred cell: 1/2, 3/2, ..."""
    return max(0, round(position - 0.5)) + 0.5


def simple_noise(problem: Problem) -> Upper | None:
    """A closed form that keeps every budget and every demand; None if none of these does.

    For the budget, if there is one alone; or else without any delta: noise that is private at
    (epsilon, 0) is so at (e, d) if e^epsilon (1 - d) <= e^e + d.
    """
    wide = [math.log((math.exp(float(e)) + float(d)) / (1 - float(d))) for e, d in problem.budgets]
    pure = round_down(Fraction(min(wide)), 9), Fraction(0)
    alone = problem.budgets if len(problem.budgets) == 1 and problem.gdp is None else ()
    for point in (*alone, pure):
        if any(point) and problem.output_step is None:
            with suppress(ArgumentError):  # wider than anything that can be listed
                upper = _simple_noise(problem, point)
                if upper is not None:
                    return upper
    return None


def _simple_noise(problem: Problem, point: Point) -> Upper | None:
    part = replace(problem, epsilon=point[0], delta=point[1], profile=(), constraints=())
    best: Upper | None = None
    for upper in Incumbents(part, None).mechanisms(
        int(problem.sensitivity) if problem.integer else 1
    ):
        document = upper.document.with_problem(
            epsilon=problem.epsilon,
            delta=problem.delta,
            profile=problem.profile,
            constraints=problem.constraints,
        )
        kept = certified(
            document,
            upper.origin,
            loss=problem.loss,
            resolution=upper.resolution,
            points=problem.budgets,
        )
        if kept is not None and (best is None or kept.value < best.value):
            best = replace(kept, method="closed forms")
            if point[1] > 0:  # (the best comes first; tails are better the later they begin)
                break
    return best


# -- multipliers ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Canonical:
    """Multipliers of the full shifts alone, at n cells a sensitivity."""

    problem: Problem
    value: float
    reach: int
    pairs: PairDuals
    n: int = 1

    def exact(self, point: Point | None = None) -> Lower:
        """The bound that they prove of noise that keeps a budget: the first of the question's."""
        problem, nothing = self.problem, np.zeros(0)
        budget = ((problem.epsilon, problem.delta) if point is None else point,)
        lower = Relaxed(problem, budget, self.n, self.reach).exact(
            ProgramDuals(self.pairs, nothing, nothing), self.value
        )
        return lower if point is None else replace(lower, method="closed forms")


def canonical(problem: Problem) -> Canonical | None:
    """Good multipliers at step = sensitivity, by a recursion outwards from where noise is likely.

    None if they would need more cells than a mechanism file may hold, or if noise with a step
    of one sensitivity is not what the question is about (integers with sensitivity above 1 are
    still bounded by it only through the program).
    """
    if problem.integer and problem.sensitivity != 1:
        return None
    longest = _longest(problem)
    if longest is None:
        return None
    mode = likeliest(problem, longest)
    split = _Recursion(problem, longest, mode).best()
    if split is None:
        return None
    value, left, right = split
    pairs: PairDuals = {(0, 1): (0.0, mode - np.arange(len(left)), left)}
    if not problem.loss.symmetric:
        pairs[0, -1] = (0.0, mode + np.arange(len(right)), right)
    return Canonical(problem, value, max(len(left) - mode, len(right) + mode), pairs)


def one_by_one(problem: Problem) -> Lower | None:
    """What one of several budgets proves alone, the best of these; of demands none is used."""
    bounds, free = [], replace(problem, constraints=())
    for point in problem.stated:
        part = replace(free, epsilon=point[0], delta=point[1], profile=(), gdp=None)
        known = canonical(part) if any(point) else None
        if known is not None:
            bounds.append(replace(known, problem=free).exact(point))
    best = max(bounds, key=lambda bound: bound.value, default=None)
    if best is None or not problem.constraints:
        return best
    unused = replace(best.multipliers, constraints=unused_duals(problem))
    return replace(proven(problem, unused, best.resolution), method="closed forms")


def likeliest(problem: Problem, longest: int) -> int:
    """Around which cell noise e^-eps less likely a cell costs least: 0 for symmetric losses."""
    if problem.loss.symmetric or problem.epsilon == 0:
        return 0
    costs = floors(problem.loss, problem.step(1), problem.integer, 2 * longest)
    fall = np.exp(-float(problem.epsilon) * np.abs(np.arange(-longest, longest + 1)))
    size = 1 << (len(costs) + len(fall)).bit_length()
    # costs convolved with the weights, where both fit
    folded = np.fft.irfft(np.fft.rfft(costs, size) * np.fft.rfft(fall, size), size)
    return int(folded[2 * longest : 4 * longest + 1].argmin()) - longest


def interpolated(problem: Problem) -> Canonical | None:
    """For integers with a large sensitivity D: multipliers of the shifts +-D alone.

    Those of real noise at the multiples of D, and on straight lines in between, where nothing is
    lost for a loss that is straight there; without these lines, which is a bound on all noise, if
    a mechanism file could not hold them. None if it could not hold either.
    """
    known = canonical(replace(problem, integer=False))
    width = int(problem.sensitivity)
    if known is None or (known.reach + 1) * width > MAX_CELLS:
        return None if known is None else replace(known, problem=problem)
    pairs: PairDuals = {}
    for (j, shift), (y, cells, values) in known.pairs.items():
        order = np.argsort(cells)
        at = np.concatenate([[cells.min() - 1], cells[order], [cells.max() + 1]]) * width
        places = np.arange(at[0] + 1, at[-1])
        heights = np.concatenate([[0.0], values[order], [0.0]])
        pairs[j, shift * width] = (y, places, np.interp(places, at, heights))
    return Canonical(problem, known.value, (known.reach + 1) * width, pairs, width)


class _Recursion:
    """z(j) = theta - k(j) + e^eps z(j-1) outwards from a cell, until it falls to 0."""

    def __init__(self, problem: Problem, longest: int, mode: int) -> None:
        costs = floors(problem.loss, problem.step(1), problem.integer, longest + abs(mode))
        self.problem, at = problem, longest + abs(mode) + mode
        self.left, self.right = costs[at::-1], costs[at:]
        self.at_zero, self.largest = float(costs[at]), float(np.abs(costs).max())
        self.exp, self.delta = math.exp(problem.epsilon), float(problem.delta)

    def best(self) -> tuple[float, Floats, Floats] | None:
        """(bound, multipliers of both sides) at the best theta."""
        low = self.at_zero
        high = max(low, self.largest * 1e-3, 1e-300)
        while self.at(high) is not None and high < 1e300:
            high *= 2
        for _ in range(44):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at(middle) is not None else (low, middle)

        def value(theta: float) -> float:
            split = self.at(theta)
            return -math.inf if split is None else split[0]

        return self.at(golden_section(value, self.at_zero, low, 44) if self.delta > 0 else low)

    def at(self, theta: float) -> tuple[float, Floats, Floats] | None:
        """The best split of theta - k(0) between the sides."""
        whole = max(theta - self.at_zero, 0.0)
        right = self._sums(self.right, theta)
        if self.problem.loss.symmetric:
            z = self._side(right, whole / 2)
            return None if z is None else (theta - 2 * self.delta * float(z.max()), z, z)
        left = self._sums(self.left, theta)
        # A side ends if it begins with no more than this.
        most_left, most_right = -float(left.min()), -float(right.min())
        if min(most_left, most_right) < 0 or most_left + most_right < whole:
            return None

        def split(start: float) -> tuple[float, Floats, Floats] | None:
            near, far = self._side(left, start), self._side(right, whole - start)
            if near is None or far is None:
                return None
            return theta - self.delta * float(near.max() + far.max()), near, far

        def value(start: float) -> float:
            sides = split(start)
            return -math.inf if sides is None else sides[0]

        ends = max(0.0, whole - most_right), min(whole, most_left)
        if self.delta == 0:
            return split((ends[0] + ends[1]) / 2)
        return split(golden_section(value, *ends, 24))

    def _sums(self, costs: Floats, theta: float) -> Floats:
        """The recursion in closed form: e^(eps j) (start + the j-th of these)."""
        drive = theta - costs[1:]
        return np.asarray(np.cumsum(drive / self._growth(len(drive) + 1)[1:]))

    def _growth(self, count: int) -> Floats:
        """e^(eps j); beyond e^600 the recursion has ended long ago."""
        return np.asarray(np.exp(np.minimum(np.arange(count) * math.log(self.exp), 600.0)))

    def _side(self, sums: Floats, start: float) -> Floats | None:
        ended = np.flatnonzero(sums + start <= 0)
        if len(ended) == 0:
            return None
        begun = np.concatenate([[start], sums[: ended[0]] + start])
        return np.asarray(begun * self._growth(len(begun)))


def _longest(problem: Problem) -> int | None:
    """How many cells the recursion may need: a few times the support of truncated Laplace."""
    epsilon, delta = float(problem.epsilon), float(problem.delta)
    if epsilon == 0:
        need = 2.5 / delta
    else:
        tail = math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon if delta > 0 else math.inf
        need = min(tail + 8 / epsilon, 22 / epsilon)
    cells = math.ceil(need) + 10
    return None if cells > MAX_CELLS // 2 else cells


def golden_section(
    function: Callable[[float], float], low: float, high: float, steps: int
) -> float:
    """A maximiser of a concave function (minus infinity where undefined) on [low, high]."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    value_a, value_b = function(a), function(b)
    for _ in range(steps):
        if value_a >= value_b:
            high, b, value_b = b, a, value_a
            a = high - ratio * (high - low)
            value_a = function(a)
        else:
            low, a, value_a = a, b, value_b
            b = low + ratio * (high - low)
            value_b = function(b)
    return a if value_a >= value_b else b
