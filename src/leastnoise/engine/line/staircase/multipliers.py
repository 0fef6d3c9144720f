"""Multipliers that carry probability down the stairs: a lower bound from a small program.

At large epsilon or small delta the best noise is nearly a staircase: a centre, and on each side
stairs one sensitivity wide, each e^-eps times as likely as the one before. What proves it carries
something from each lattice point of the centre to points of the first stair, at most one
sensitivity away, and from each stair to the next by the full shift. Multipliers that are straight
between a few shifts and points are enough, so that the program is small at any resolution.
Why it is right: `multipliers.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, hstack, vstack

from ....lp import INF, Model, Status
from ....numeric import Floats, Ints
from ....problem import Problem
from ....program.costs import floors
from ....program.program import PairDuals, ProgramDuals
from ...bounds import Lower
from ..lattice.relaxed import Relaxed
from .noise import Steps


@dataclass(frozen=True)
class MultiplierSettings:
    """Numbers of the program down the steps.

    Found by trial with `benchmarks/budgets.py`; no claim depends on them.
    """

    #: Shifts between which multipliers are straight: their distance grows by this factor, up to
    #: this share of the sensitivity; and how many points of the centre are enough.
    widening: float = 1.25
    widest: float = 1 / 32
    points: int = 5
    #: Multipliers below this share of the largest of their side are left out.
    small: float = 1e-12
    #: What is left of a chain of stairs without delta when it is cut.
    cut: float = 1e-7
    #: How many points of a stair the program begins with, and how often violated ones are added.
    sinks: int = 700
    rounds: int = 30
    #: What a lattice loses (measured): a share of how far the minorant is below the loss at 0, and
    #: one of the root of what moving the ends of the centre to its points costs, over their number.
    bent: float = 0.45
    moved: float = 0.9
    #: The share of the gap that a lattice may lose; the best of those so much finer; the next
    #: begins so much finer and loses less; the most points on each side of the middle of the
    #: centre.
    lost: float = 0.85
    near: float = 1.1
    apart: float = 1.2
    less: float = 0.7
    most_points: int = 40
    #: A row is violated from here on, in units of the loss.
    violated: float = 5e-6


SETTINGS = MultiplierSettings()


@dataclass(frozen=True)
class Centre:
    """The centre's lattice points -left..right, at n points a sensitivity."""

    n: int
    left: int
    right: int

    @property
    def width(self) -> int:
        """How far apart its ends are."""
        return self.left + self.right

    @property
    def points(self) -> Ints:
        """All of them."""
        return np.arange(-self.left, self.right + 1)


class _Side:
    """What goes to one side, z(m, x), as a matrix times unknowns.

    Shifts near the sensitivity have an unknown for every point. For the others z is a sum of a few
    profiles over the points, with weights that are straight between a few shifts.
    """

    def __init__(self, side: int, centre: Centre, supply: Floats) -> None:
        self.side, self.centre = side, centre
        n, points, width = centre.n, centre.points, centre.width
        self.edge = centre.right if side > 0 else centre.left
        self.sinks = np.arange(self.edge + 1, self.edge + n + 1)
        row, point = np.nonzero(  # the pairs (shift, point) that leave the centre
            np.arange(1, n + 1)[:, None] + side * points[None, :] > self.edge
        )
        self.shift, self.point = row + 1, point
        few = max(0, n - width - 2)  # up to here shifts share unknowns
        self.marks = _shift_nodes(few, width)
        self.profiles = np.column_stack([supply, _shares(points, _point_nodes(points)).toarray()])
        self.nodes = np.concatenate([self.marks, np.arange(few + 1, n + 1)])
        self.counts = np.asarray(_shares(np.arange(1, n + 1), self.nodes).sum(axis=0)).ravel()
        self._number(few)

    def _number(self, few: int) -> None:
        """The matrix, and the rows that keep unknowns within the budgets of their nodes."""
        wide = self.profiles.shape[1]
        shared = np.flatnonzero(self.shift <= few)
        single = np.flatnonzero(self.shift > few)
        first = len(self.marks) * wide
        self.unknowns = first + len(single)
        parts = [(single, np.arange(first, self.unknowns), np.ones(len(single)))]
        if len(shared):
            shares = _shares(self.shift[shared], self.marks).tocoo()
            profiles = self.profiles[self.point[shared[shares.row]]]
            columns = shares.col[:, None] * wide + np.arange(wide)[None, :]
            values = shares.data[:, None] * profiles
            used = values > 0
            rows = np.broadcast_to(shared[shares.row][:, None], columns.shape)
            parts.append((rows[used], columns[used], values[used]))
        self.carried = _matrix(parts, (len(self.shift), self.unknowns))
        # z(m, x) <= budget of m at every node m.
        count, points = len(self.marks), len(self.centre.points)
        node = np.repeat(np.arange(count), points)
        columns = node[:, None] * wide + np.arange(wide)[None, :]
        values = np.tile(self.profiles, (count, 1))
        used = values > 0
        rows = np.broadcast_to(np.arange(count * points)[:, None], columns.shape)
        height = count * points + len(single)
        lone = np.arange(count * points, height)
        budget = np.concatenate([node, count + self.shift[single] - few - 1])
        self.within = _matrix(
            [
                (rows[used], columns[used], values[used]),
                (lone, np.arange(first, self.unknowns), np.ones(len(single))),
                (np.arange(height), self.unknowns + budget, -np.ones(height)),
            ],
            (height, self.unknowns + len(self.nodes)),
        )

    def _summed(self, index: Ints, size: int) -> csr_matrix:
        count = len(index)
        picks = coo_matrix((np.ones(count), (index, np.arange(count))), shape=(size, count))
        return (picks.tocsr() @ self.carried).tocsr()

    @cached_property
    def out(self) -> csr_matrix:
        """What leaves each point of the centre."""
        return self._summed(self.point, len(self.centre.points))

    @cached_property
    def into(self) -> csr_matrix:
        """What arrives at each point of the first stair."""
        at = self.shift + self.side * self.centre.points[self.point] - self.edge - 1
        return self._summed(at, self.centre.n)

    @cached_property
    def first(self) -> NDArray[np.bool_]:
        """The points of the stair that the program begins with."""
        n, width = self.centre.n, self.centre.width
        chosen = np.zeros(n, dtype=bool)
        chosen[:: max(1, n // SETTINGS.sinks)] = True
        chosen[: width + 2] = chosen[-2 * width - 4 :] = True
        for mark in self.marks.tolist():
            chosen[np.clip(mark - self.edge - 1 + np.array([-width, 0, width]), 0, n - 1)] = True
        return chosen


class StairProgram:
    """One program: maximise theta less delta times the budgets of all shifts."""

    def __init__(self, problem: Problem, centre: Centre, levels: int, typical: float) -> None:
        self.problem, self.centre, self.levels, self.typical = problem, centre, levels, typical
        self.reach = max(centre.left, centre.right) + (levels - 1) * centre.n
        self.edge = self.reach + centre.n
        self.costs = floors(problem.loss, problem.step(centre.n), problem.integer, self.edge)
        self.exp, self.delta = math.exp(problem.epsilon), float(problem.delta)
        self.fold = problem.loss.symmetric and centre.left == centre.right
        supply = np.maximum(typical - self._cost(centre.points), 0.0) / typical
        self.sides = [_Side(side, centre, supply) for side in ((1,) if self.fold else (1, -1))]
        # Columns: theta, then for each side its unknowns and the budgets of its nodes.
        sizes = [side.unknowns + len(side.nodes) for side in self.sides]
        self.starts = np.cumsum([1, *sizes]).tolist()

    def _cost(self, cells: Ints) -> Floats:
        return np.asarray(self.costs[cells + self.edge])

    def solved(self, left: Callable[[], float]) -> PairDuals | None:
        """Multipliers at the optimum, in floating point; `left`: seconds of a solve."""
        scale, model = 1 / self.typical, Model(1e-9)
        price = np.zeros(self.starts[-1])
        price[0] = -1.0
        for side, start in zip(self.sides, self.starts, strict=False):
            price[start + side.unknowns :][: len(side.nodes)] = (
                (1 + self.fold) * self.delta * side.counts
            )
        model.add_columns(price, 0.0, INF)
        self._fixed_rows(model, scale)
        limits = [
            self._limits(side, start) for side, start in zip(self.sides, self.starts, strict=False)
        ]
        fresh = [
            np.tile(side.first, len(high) // self.centre.n)
            for side, (_, high) in zip(self.sides, limits, strict=True)
        ]
        known = [np.zeros(len(high), dtype=bool) for _, high in limits]
        x = None
        for _ in range(SETTINGS.rounds):
            for (rows, high), new in zip(limits, fresh, strict=True):
                model.add_matrix(rows[new], -INF, scale * high[new])
            known = [old | new for old, new in zip(known, fresh, strict=True)]
            solution = model.solve(left())
            if solution.status is not Status.OPTIMAL or not np.isfinite(solution.primal).all():
                break
            x = np.maximum(solution.primal, 0.0)
            fresh = [
                (rows @ x - scale * high > SETTINGS.violated) & ~old
                for (rows, high), old in zip(limits, known, strict=True)
            ]
            if not any(new.any() for new in fresh):
                break
        return None if x is None else self._multipliers(x / scale)

    def _fixed_rows(self, model: Model, scale: float) -> None:
        """Unknowns are within their budgets, and every point of the centre reaches theta."""
        count = len(self.centre.points)
        reached = [csr_matrix(np.ones((count, 1)))]
        for side, start in zip(self.sides, self.starts, strict=False):
            before, after = start, self.starts[-1] - start - side.within.shape[1]
            within = [_none(side.within, before), side.within, _none(side.within, after)]
            model.add_matrix(hstack(within).tocsr(), -INF, 0.0)
            out = side.out + side.out[::-1] if self.fold else side.out
            reached += [-out, csr_matrix((count, len(side.nodes)))]
        rows = hstack(reached).tocsr()
        half = slice(count // 2 if self.fold else 0, count)
        model.add_matrix(rows[half], -INF, scale * self._cost(self.centre.points[half]))

    def _limits(self, side: _Side, start: int) -> tuple[csr_matrix, Floats]:
        """What may arrive at a point of the first stair: E inflow <= k - theta + outflow.

        Stair after stair the outflow is at most the budget of the full shift, or what the next
        stair can take: one row for each way to end.
        """
        n, parts, heights = self.centre.n, [], []
        before, after = start - 1, self.starts[-1] - start - side.unknowns
        into = hstack([csr_matrix((n, before)), self.exp * side.into, csr_matrix((n, after))])
        full = start + side.unknowns + len(side.nodes) - 1
        height, slope = np.zeros(n), 0.0
        for level in range(1, self.levels + 1):
            fall = self.exp ** -(level - 1)
            height = height + fall * self._cost(side.side * (side.sinks + (level - 1) * n))
            slope += fall
            last = level == self.levels
            if last or self.delta > 0:  # otherwise the budget costs nothing
                rest = (
                    into
                    if last
                    else into
                    + coo_matrix(
                        (np.full(n, -fall), (np.arange(n), np.full(n, full - 1))), shape=into.shape
                    )
                )
                parts.append(hstack([csr_matrix(np.full((n, 1), slope)), rest]).tocsr())
                heights.append(height)
        return vstack(parts).tocsr(), np.concatenate(heights)

    # -- multipliers --------------------------------------------------------------------------

    def _multipliers(self, x: Floats) -> PairDuals:
        n, points, theta = self.centre.n, self.centre.points, float(x[0])
        pairs: PairDuals = {}
        for side, start in zip(self.sides, self.starts, strict=False):
            z = side.carried @ x[start : start + side.unknowns]
            least = SETTINGS.small * float(z.max(initial=0.0))
            budget = float(x[start + side.unknowns + len(side.nodes) - 1])
            cells, chain = self._chain(side, theta, budget)
            shift = np.concatenate([side.shift, np.full(len(cells), n)])
            where = np.concatenate([points[side.point], cells])
            values = np.concatenate([z, chain])
            kept = values > least
            shift, where, values = shift[kept], where[kept], values[kept]
            order = np.argsort(shift, kind="stable")
            cuts = np.flatnonzero(np.diff(shift[order])) + 1
            for part in np.split(order, cuts):
                if len(part):
                    # A folded program counts to the left, as the simplex method does.
                    sign = -1 if self.fold else 1
                    pairs[0, -sign * side.side * int(shift[part[0]])] = (
                        float(values[part].max()),
                        sign * where[part],
                        values[part],
                    )
        return pairs

    def _chain(self, side: _Side, theta: float, budget: float) -> tuple[Ints, Floats]:
        """What each point of a stair sends to the next, from the outside in."""
        n = self.centre.n
        most = budget if self.delta > 0 else math.inf
        cells, chain, taken = [side.sinks[:0]], [np.zeros(0)], np.zeros(n)
        for level in range(self.levels, 1, -1):
            at = side.side * (side.sinks + (level - 1) * n)
            taken = np.clip((self._cost(at) - theta + taken) / self.exp, 0.0, most)
            cells.append(at - side.side * n)
            chain.append(taken)
        return np.concatenate(cells), np.concatenate(chain)

    def _relaxed(self) -> Relaxed:
        budget = ((self.problem.epsilon, self.problem.delta),)
        return Relaxed(self.problem, budget, self.centre.n, self.reach)

    def bound(self, pairs: PairDuals) -> float:
        """What multipliers prove, in floats to steer by."""
        return self._relaxed().bound(pairs)

    def exact(self, pairs: PairDuals, scale: float, gap: float) -> Lower:
        """The exact bound that multipliers prove, with digits enough for a gap."""
        nothing = np.zeros(0)
        digits = math.ceil(0.4343 * float(self.problem.epsilon)) - math.floor(math.log10(gap)) + 2
        return self._relaxed().exact(ProgramDuals(pairs, nothing, nothing), scale, digits)


def _none(beside: csr_matrix, columns: int) -> csr_matrix:
    """So many columns of nothing."""
    return csr_matrix((beside.shape[0], columns))


def _shares(places: Ints, nodes: Ints) -> csr_matrix:
    """Row by row, the shares of the nodes around a place."""
    above = np.searchsorted(nodes, places)
    below = np.where(nodes[above] == places, above, above - 1)
    share = (places - nodes[below]) / np.maximum(nodes[above] - nodes[below], 1)
    rows = np.arange(len(places))
    shares = coo_matrix(
        (
            np.concatenate([1 - share, share]),
            (np.concatenate([rows, rows]), np.concatenate([below, above])),
        ),
        shape=(len(places), len(nodes)),
    ).tocsr()
    shares.eliminate_zeros()
    return shares


def _matrix(parts: list[tuple[Ints, Ints, Floats]], shape: tuple[int, int]) -> csr_matrix:
    """From (rows, columns, values)."""
    rows, columns, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return coo_matrix((values, (rows, columns)), shape=shape).tocsr()


def _point_nodes(points: Ints) -> Ints:
    """All points of a narrow centre, evenly spread ones of a wide one; 0 and the ends."""
    stride = max(1, math.ceil(len(points) / SETTINGS.points))
    return np.unique([*points[::stride], points[-1], *points[points == 0]])


def _shift_nodes(few: int, width: int) -> Ints:
    """Shifts 1..few between which multipliers are straight: more of them near 1."""
    nodes, at, stride = {few} - {0}, 1.0, max(1.0, width / SETTINGS.points)
    while at < few:
        nodes.add(int(at))
        at += max(stride, min(at * (SETTINGS.widening - 1), few * SETTINGS.widest))
    return np.array(sorted(nodes), dtype=np.int64)


def centres(
    steps: Steps, gap: float, wasted: Callable[[int], float]
) -> Iterator[tuple[Centre, float]]:
    """Lattices that lose less than the gap, coarse to fine, each with about what it loses.

    The centre's ends are nearly points of it. If there are none, the one that loses least.
    `wasted` is the share of the loss that a lattice loses for another reason.
    """
    loss, first = steps.problem.loss, max(1, math.floor(0.5 / steps.narrow))
    at_zero, best = float(loss.upper(Fraction(0))), steps.expected()
    several = np.arange(first, math.ceil(SETTINGS.most_points / steps.narrow) + 1)
    lost = SETTINGS.moved * np.sqrt(steps.moved(several)) / (several * steps.narrow)
    lost += np.array([wasted(n) for n in several.tolist()])

    def centre(n: int) -> tuple[Centre, float]:
        return Centre(n, round(steps.left * n), round(steps.right * n)), float(lost[n - first])

    n, allowed, none = first, SETTINGS.lost * gap, True
    while n <= several[-1]:
        near = slice(n - first, math.ceil(SETTINGS.near * n) + 1 - first)
        for k in near.start + np.flatnonzero(
            lost[near] <= SETTINGS.lost * gap
        ):  # beyond it, no matter
            below = at_zero - float(loss.minorant(0, steps.problem.step(int(several[k]))))
            lost[k] += SETTINGS.bent * below / best
        finest, least = n + int(lost[near].argmin()), float(lost[near].min())
        n = near.stop + first
        if least <= allowed:
            none = False
            yield centre(finest)
            n, allowed = (
                max(n, math.ceil(SETTINGS.apart * finest)),
                SETTINGS.less * min(allowed, 2 * least),
            )
    if none and math.isfinite(lost.min()):
        yield centre(first + int(lost.argmin()))


def levels_for(problem: Problem) -> int:
    """How many stairs it takes until what is left does not matter."""
    epsilon, delta = float(problem.epsilon), float(problem.delta)
    return 2 + math.ceil(-math.log(max(SETTINGS.cut, min(1.0, 1e-2 * delta))) / epsilon)
