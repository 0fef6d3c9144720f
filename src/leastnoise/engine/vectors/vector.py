"""Noise for a vector whose Euclidean sensitivity is given: a radial staircase, and curves below it.

Every dimension is one radial of the radius; why that is enough: `docs/vectors-details.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...certify.report import noise_claims
from ...errors import LimitError
from ...problem import Problem
from ...work import counted
from ..bounds import Bounds, Lower, Upper
from ..search import Search
from .certificate import proven_along, proven_by
from .flow import NetFlow, best_flow
from .inward import best_fan, fan_with_shorter
from .march import Marched, best_curve
from .net import NetPlan, Radial, few_short_nets, make_net, narrow_first, plans, short_nets
from .rounding import exact_noise
from .shells import (
    MOST_FREE,
    RadialStaircase,
    Shells,
    best_first,
    first_staircases,
    longer_staircases,
    polish,
    scaled_loss,
)
from .stationary import smooth_polish, stationary


@dataclass(frozen=True)
class VectorSettings:
    """Numbers of the search for a vector.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: How often a curve is marched, and the share of the gap that is aimed at with it.
    marches: int = 2
    close: float = 0.6
    #: Of the time, at most so much goes into the noise before the first curves are tried.
    share: float = 0.35
    #: Seconds that are kept for the proof, or so much of the time limit, if that is more.
    proof: float = 3.0
    share_of_proof: float = 0.15
    #: What was asked for as closely as this is not asked for again.
    nearly: float = 2e-3
    #: More edges than this are moved together, by a smooth function.
    few_edges: int = 50


SETTINGS = VectorSettings()


class Vector:
    """Staircases for `upper`; for `lower` flows of curves on nets, coarse to fine."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.shells = Shells(
            problem.dimension, float(problem.epsilon), problem.loss, float(problem.sensitivity)
        )
        self.stairs: RadialStaircase | None = None
        self._settled: RadialStaircase | None = None  # no edge of it can be moved with profit
        self._spent = 0  # work of the checker on the noise alone
        self._plans: dict[int, NetPlan] = {}
        self._flows: list[tuple[NetFlow, int]] = []  # with their sizes, not yet proven closely
        self._took = 0.0  # seconds for the last net

    # -- upper ----------------------------------------------------------------------------------

    @cached_property
    def _starts(self) -> list[RadialStaircase]:
        return first_staircases(self.shells, float(self.problem.delta))

    def first(self, search: Search) -> Iterator[Bounds]:
        """The best staircase after exponential and Gaussian noise, as it stands."""
        for stairs in sorted(self._starts, key=lambda staircase: staircase.loss):
            upper = self._upper(stairs, search, "closed form")
            if upper is not None:  # else there are too many stairs
                yield None, upper
                return

    def marched(self, search: Search) -> Iterator[Bounds]:
        """One curve, the staircase along it, and what the curve proves of all noise."""
        shells, delta = self.shells, float(self.problem.delta)
        starts = self._starts if self.stairs is None else [self.stairs]
        if not starts:
            return
        stairs = min(starts, key=lambda staircase: staircase.loss)
        best: Marched | None = None
        for _ in range(SETTINGS.marches):  # the second time it is known better where the noise is
            before = None if best is None else best.curve
            marched = best_curve(shells, delta, stairs, search.late, before)
            search.bracket.rounds += 1
            if marched is None or (best is not None and marched.curve.bound <= best.curve.bound):
                break
            best = marched
            if best.stairs is not None and best.stairs.loss < stairs.loss:
                stairs = best.stairs
            search.report(best.curve.bound, stairs.loss, len(best.curve.rho))
            search.bracket.resolutions.append(len(best.curve.rho))
            if best.curve.bound >= stairs.loss / (1 + SETTINGS.close * search.gap):
                break
        if best is None:
            return
        if len(stairs.edges) <= SETTINGS.few_edges and not search.done():
            moved = polish(shells, delta, stairs.edges, 30)
            if moved is not None and moved.loss < stairs.loss:
                stairs = moved
        if stairs is not self.stairs and not search.done():
            yield None, self._upper(stairs, search, "staircase")
        aim = stairs.loss / (1 + 0.9 * search.gap)
        for curve in best.thinner:
            lower = proven_along(curve, self.problem, self._spent, min(aim, curve.bound))
            if lower is not None:
                yield lower, None
                return

    def polished(self, search: Search) -> Iterator[Bounds]:
        """Edges moved to where they cost least, from each start, and stairs added outside."""
        delta, end = (
            float(self.problem.delta),
            search.clock() + search.left(math.inf) * SETTINGS.share,
        )
        best = self.stairs
        for start in self._starts:
            if search.clock() < end:
                search.bracket.rounds += 1
                moved = self._moved(start, lambda: search.clock() >= end)
                if moved is not None and (best is None or moved.loss < best.loss):
                    best = moved
        if best is not None and len(best.edges) <= SETTINGS.few_edges:
            for moved in longer_staircases(self.shells, delta, best):
                search.bracket.rounds += 1
                best = moved
                if search.clock() >= end:
                    break
        if best is not None and best is not self.stairs:
            search.report(0.0, best.loss, 1)
            yield None, self._upper(best, search, "staircase")

    def _moved(self, start: RadialStaircase, late: Callable[[], bool]) -> RadialStaircase | None:
        """The start with its edges moved: each by itself, or smoothly where there are many."""
        delta = float(self.problem.delta)
        if len(start.edges) <= SETTINGS.few_edges:
            return polish(self.shells, delta, start.edges, 30)
        best: RadialStaircase | None = None
        for _ in range(3):  # each time the smooth function begins anew
            moved = smooth_polish(self.shells, delta, (best or start).edges, late)
            if moved is None or (best is not None and moved.loss > best.loss * (1 - 1e-5)):
                break
            best = moved
        if best is not None and len(best.edges) <= MOST_FREE and not late():
            moved = polish(self.shells, delta, best.edges, 30)
            best = moved if moved is not None and moved.loss < best.loss else best
        return best

    def _upper(self, stairs: RadialStaircase, search: Search, origin: str) -> Upper | None:
        """The noise as a document; None if a file of it would take too long to check."""
        upper = exact_noise(self.problem, stairs, origin)
        if upper is not None and search.improves(float(upper.value)):
            try:
                with counted() as work:
                    noise_claims(upper.document)
            except LimitError:
                return None
            self.stairs, self._spent = stairs, work.spent
        return upper

    # -- lower ----------------------------------------------------------------------------------

    def sizes(self, search: Search) -> Iterator[int]:
        """How many cells the net of curves has."""
        if self.stairs is None or not self.stairs.price > 0:
            return
        # All curves pass through the corners, and fit only if no edge can be moved with profit.
        self._ready(search)
        before = 0
        for plan in plans(self._radial(), search.gap):
            self._plans[plan.cells] = plan
            # The next net takes so many times as long, and then there is a proof to find.
            expected = self._took * (plan.cells / before) ** 2 + _kept(search) if before else 0.0
            if search.left(1e9) < expected and search.bracket.lower:
                search.reason = "stopped at the time limit, which a finer net would exceed"
                return
            before = plan.cells
            yield plan.cells

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """What the curves of a net of this size prove."""
        radial, plan = self._radial(), self._plans[size]
        stairs = radial.stairs
        begin = search.clock()
        flow = best_flow(
            radial,
            [make_net(radial, plan), *short_nets(radial, plan)],
            search.clock() + max(search.left(300.0) - _kept(search), 0.5),
            search.clock,
            stairs.loss / (1 + search.gap / 2),
        )
        search.bracket.rounds += 1
        self._took = search.clock() - begin
        if flow is None:
            return
        search.report(flow.bound, stairs.loss, size)
        aim = stairs.loss / (1 + 0.9 * search.gap)
        if flow.bound >= aim or search.bracket.lower is None:
            # At first something, which is sooner proven the more is left.
            enough = aim if flow.bound >= aim else 0.97 * flow.bound
            yield self._proven(flow, size, enough), None
        else:
            self._flows.append((flow, size))

    def fanned(self, search: Search) -> Iterator[Bounds]:
        """What one curve from the outside inwards and a fan on the first stair prove.

        Not where that stair is so narrow that shorter shifts are needed, too.
        """
        if self._ready(search) and not self._narrow():
            radial, aim, late = self._aimed(search)
            first = min(best_first(self.shells), float(radial.stairs.edges[0]))
            yield from self._along(best_fan(radial, first, late, aim), search)

    def fanned_shorter(self, search: Search) -> Iterator[Bounds]:
        """The same where it is as narrow as that, with nets for shorter shifts."""
        if self._ready(search) and self._narrow():
            radial, aim, late = self._aimed(search)
            flow = fan_with_shorter(radial, few_short_nets(radial), late, aim)
            yield from self._along(flow, search)

    def _aimed(self, search: Search) -> tuple[Radial, float, Callable[[], bool]]:
        """The question, what curves should prove of it, and whether it is time for the proof."""
        radial = self._radial()
        end = search.clock() + max(search.left(300.0) - _kept(search), 0.5)
        aim = radial.stairs.loss / (1 + SETTINGS.close * search.gap)
        return radial, aim, lambda: search.clock() > end

    def _ready(self, search: Search) -> bool:
        """Whether there is a staircase, at which no edge can be moved with profit if it can be."""
        if self.stairs is not None and self.stairs is not self._settled:
            delta, stairs = float(self.problem.delta), self.stairs
            self.stairs = self._settled = stationary(self.shells, delta, stairs, search.late)
        return self.stairs is not None

    def _narrow(self) -> bool:
        """Whether the first stair is so narrow that shorter shifts are needed."""
        return narrow_first(self._radial())

    def _along(self, flow: NetFlow | None, search: Search) -> Iterator[Bounds]:
        """What such a flow proves."""
        search.bracket.rounds += 1
        if flow is not None:
            loss, size = self._radial().stairs.loss, len(flow.nets[0].rho)
            search.report(flow.bound, loss, size)
            search.bracket.resolutions.append(size)
            aim = loss / (1 + 0.9 * search.gap)
            # With shorter shifts a close proof takes long: something, where that is not enough or
            # there is no time for it.
            less = 0.97 * flow.bound if len(flow.nets) > 1 else min(aim, flow.bound)
            enough = aim if flow.bound >= aim and search.left(1e9) > _kept(search) else less
            yield self._proven(flow, size, enough), None

    def _proven(self, flow: NetFlow, size: int, enough: float) -> Lower | None:
        """What a flow proves, if that is enough; if it may be more, it is asked again at last."""
        if enough < flow.bound * (1 - SETTINGS.nearly):
            self._flows.append((flow, size))
        return proven_by(flow, self.problem, size, self._spent, enough)

    def _radial(self) -> Radial:
        """The question and its best staircase in floats, lengths in sensitivities."""
        problem, stairs = self.problem, self.stairs
        assert stairs is not None
        cost = scaled_loss(problem.loss, float(problem.sensitivity))
        return Radial(problem.dimension, float(problem.epsilon), float(problem.delta), cost, stairs)

    def closely(self, search: Search) -> Iterator[Bounds]:
        """What the best curves prove, as closely as they can be proven; or else coarser ones."""
        best = search.bracket.lower.value if search.bracket.lower is not None else Fraction(0)
        for flow, cells in sorted(self._flows, key=lambda pair: -pair[0].bound):
            if flow.bound * (1 - 3e-4) <= float(best):
                break
            lower = proven_by(flow, self.problem, cells, self._spent, flow.bound)
            if lower is not None and lower.value > best:
                best = lower.value
                yield lower, None


def _kept(search: Search) -> float:
    """Seconds that are kept for the proof."""
    limit = 0.0 if search.deadline is None else search.deadline - search.start
    return max(SETTINGS.proof, SETTINGS.share_of_proof * limit)
