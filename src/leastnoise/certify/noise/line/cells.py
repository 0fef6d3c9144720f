"""Noise for one number: probabilities of equal cells, of cells between free edges, of integers.

Files of it are in `../../kinds/additive.py`. Why the methods are right: `lattice_privacy.proof.md`,
`release_loss.proof.md`, `constraint_slack.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar

from ....errors import ArgumentError, FormatError
from ....losses import Loss
from ....problem import Problem
from ...codec import COUNT, POSITIVE, SHORT, Count, integer, record, several
from ...fields import demand, read_whole
from ...limits import MAX_CELLS, MAX_EDGES, MAX_GRID, MAX_RUN, MAX_WORK, marks_of, on_small_lattice
from ...report import NO_LOSS, Claim
from ..base import Distribution
from .constraint_slack import CellPiece, constraint_claim
from .lattice_privacy import worst_on_lattice, worst_on_mesh
from .release_loss import geometric_sums, loss_of_lattice, loss_of_mesh

_HALF = Fraction(1, 2)
_WEIGHTS = several(COUNT, MAX_CELLS)
_FIRST = integer(-MAX_CELLS, MAX_CELLS)


@dataclass(frozen=True)
class Tail:
    """Continues the last `period` cells on each side for ever, times `ratio` each period."""

    period: Annotated[int, integer(1, MAX_CELLS)]
    ratio: Annotated[Fraction, SHORT]


class NumberNoise(Distribution[Problem]):
    """Noise for one number: weights of cells over a denominator, and an atom at 0.

    Ends of cells are in units of `step`; releases are multiples of step / grid. Integer noise
    has step = grid. Of what only some noise has, the others have nothing.
    """

    # (In the order of the file.)
    step: Fraction
    grid: int
    denominator: int
    first: int
    edges: tuple[Fraction, ...] | None
    weights: tuple[int, ...]
    atom: int
    tail: Tail | None
    #: Whether releases are on a grid, with an atom at 0; else cells are single integers.
    gridded: ClassVar[bool] = True

    def check(self) -> None:
        """`FormatError` unless the fields go together."""
        demand(self.grid % 2 == 1, '"grid" must be odd')
        demand(self.denominator > 0, '"denominator" must be positive')
        demand(min((self.atom, *self.weights)) >= 0, "weights and atom must be non-negative")
        demand(len(self.weights) <= MAX_CELLS, f"more than {MAX_CELLS} weights")

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless cells fit the sensitivity, and the check ends soon."""
        if problem.integer:
            # Whole cells of integers; the last one may reach beyond the sensitivity.
            read_whole(Fraction(self.shifts(problem)), "sensitivity/step", 1, MAX_CELLS)
            demand(self.step == self.grid, "integer noise has a grid of whole numbers")
            runs = self.gridded and bool(problem.constraints)
            demand(not runs, "constraints need cells of one integer")
        else:
            read_whole(problem.sensitivity / self.step, "sensitivity/step", 1, MAX_CELLS)
        most = MAX_RUN if problem.integer else MAX_GRID
        demand(self.grid <= most, f'"grid" must be from 1 to {most}')

    @property
    def endless(self) -> bool:
        """Whether errors of every size are possible."""
        return self.tail is not None

    def shifts(self, problem: Problem) -> int:
        """n = sensitivity / step (integers: rounded up)."""
        return math.ceil(problem.sensitivity / self.step)

    def total(self, problem: Problem) -> Fraction:
        """The weights and the atom, tails and all, over the denominator."""
        mass = Fraction(sum(self.weights) + self.atom)
        if self.tail is not None:
            period, ratio = self.tail.period, self.tail.ratio
            ends = sum(self.weights[:period]) + sum(self.weights[-period:])
            mass += ends * ratio / (1 - ratio)
        return mass / self.denominator

    @abstractmethod
    def release_loss(self, problem: Problem, loss: Loss) -> Fraction:
        """At least the expected loss, of any kind, of a release for every value."""

    def expected_loss(self, problem: Problem) -> Fraction | str:
        """That of the problem's loss."""
        return self.release_loss(problem, problem.loss) if problem.loss.certified else NO_LOSS

    def demands(self, problem: Problem) -> Iterator[Claim]:
        """What becomes of every constraint."""
        for constraint in problem.constraints:
            yield constraint_claim(self, problem, constraint)

    def one_by_one(self) -> NumberNoise:
        """As `IntegerCells`, where each cell is one integer and there is no atom."""
        return self

    @abstractmethod
    def pieces(self, periods: int = 0) -> list[CellPiece]:
        """The listed cells, and so many continued periods of a tail on each side."""

    @abstractmethod
    def mean_error(self) -> Fraction:
        """E[release - value], exactly: that of the noise, as values are rounded without bias."""

    @abstractmethod
    def asymmetry(self) -> Fraction:
        """0 exactly where the noise is its own mirror image."""

    def _apart(self, weights: tuple[int, ...]) -> Fraction:
        """The largest difference of a weight and its mirror image."""
        both = zip(weights, weights[::-1], strict=True)
        return Fraction(max((abs(a - b) for a, b in both), default=0), self.denominator)


class ListedCells(NumberNoise):
    """Cells of one width, in order, from `first` on."""

    edges = None
    _half: ClassVar[Fraction] = _HALF  # of a cell

    def check(self) -> None:
        super().check()
        if self.tail is not None:
            last = self.first + len(self.weights) - 1
            demand(0 < self.tail.ratio < 1, '"ratio" must be strictly between 0 and 1')
            demand(self.first <= -1 and last >= 1, "a tail must begin on its own side of 0")

    def check_problem(self, problem: Problem) -> None:
        super().check_problem(problem)
        n, cells = self.shifts(problem), len(self.weights)
        words = f"{n} shifts times {cells} cells exceed the limit of {MAX_WORK}"
        demand(n * cells <= MAX_WORK, words)
        if self.tail is not None:
            demand(self.tail.period == n, f'"period" must be sensitivity/step = {n}')
            demand(cells >= 2 * n, f"a tail of period {n} needs {2 * n} weights")
            self._check_losses(problem)

    def _check_losses(self, problem: Problem) -> None:
        others = [loss for limit in problem.constraints for loss, _ in limit.loss_limits]
        for loss in [*others, *([problem.loss] if problem.loss.certified else [])]:
            try:
                for side in (1, -1):
                    loss.tail(side, self.tail_start(side))
            except ArgumentError as error:
                raise FormatError(f"the tail begins before the loss is simple: {error}") from None

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """The worst shift that the statement of privacy names, and atom + V there, exactly."""
        where, value = worst_on_lattice(self.weights, epsilon, self.shifts(problem), self.tail)
        return where, (self.atom + value) / self.denominator

    def release_loss(self, problem: Problem, loss: Loss) -> Fraction:
        """At least the expected loss of a release for every value."""
        return loss_of_lattice(self, problem.integer, loss)

    def pieces(self, periods: int = 0) -> list[CellPiece]:
        """The listed cells, and so many continued periods of a tail on each side."""
        weights, first = [Fraction(w) for w in self.weights], self.first
        if self.tail is not None and periods:
            n, ratio = self.tail.period, self.tail.ratio
            left, right = weights[:n], weights[-n:]
            for k in range(1, periods + 1):
                weights = [w * ratio**k for w in left] + weights + [w * ratio**k for w in right]
            first -= n * periods
        return [(i - self._half, i + self._half, w) for i, w in enumerate(weights, first)]

    def mean_error(self) -> Fraction:
        """The mean of the noise."""
        total = Fraction(sum(i * w for i, w in enumerate(self.weights, self.first)))
        if self.tail is not None:
            n = self.tail.period
            zeroth, moment = geometric_sums(self.tail.ratio, 2)
            last = self.first + len(self.weights) - n
            for start, side, cells in (
                (self.first, -1, self.weights[:n]),
                (last, 1, self.weights[-n:]),
            ):
                total += zeroth * sum(i * w for i, w in enumerate(cells, start))
                total += side * n * moment * sum(cells)
        return total * self.step / self.denominator

    def asymmetry(self) -> Fraction:
        """The largest difference of the probabilities of a cell and its mirror image."""
        pad = 2 * self.first + len(self.weights) - 1
        if pad and self.tail is not None:
            return Fraction(1)
        return self._apart((0,) * max(0, pad) + self.weights + (0,) * max(0, -pad))

    def tail_start(self, side: int) -> Fraction:
        """How far from 0 the release errors of the continued cells of a side begin, at least."""
        last = self.first + len(self.weights) - 1
        return (last + 1 if side > 0 else 1 - self.first) * self.step


@dataclass(frozen=True, kw_only=True)
class LatticeCells(ListedCells):
    """Cells [i - 1/2, i + 1/2) steps from i = first on: of real noise, or of runs of integers."""

    step: Annotated[Fraction, POSITIVE]
    grid: Annotated[int, integer(1, MAX_RUN)]
    denominator: Count
    first: Annotated[int, _FIRST]
    weights: Annotated[tuple[int, ...], _WEIGHTS]
    atom: Count
    tail: Annotated[Tail | None, record(Tail)] = None

    def tail_start(self, side: int) -> Fraction:
        """The inner end of the first continued cell, less what rounding to the grid may add."""
        return super().tail_start(side) - self.step / 2 - self.step / self.grid

    def one_by_one(self) -> NumberNoise:
        """As `IntegerCells`, where each cell is one integer and there is no atom."""
        if self.grid > 1 or self.atom:
            return self
        return IntegerCells(
            step=self.step,
            denominator=self.denominator,
            first=self.first,
            weights=self.weights,
            tail=self.tail,
        )


@dataclass(frozen=True, kw_only=True)
class IntegerCells(ListedCells):
    """The integers from `first` on, one by one."""

    gridded = False
    grid, atom = 1, 0
    _half = Fraction(0)

    step: Annotated[Fraction, POSITIVE]
    denominator: Count
    first: Annotated[int, _FIRST]
    weights: Annotated[tuple[int, ...], _WEIGHTS]
    tail: Annotated[Tail | None, record(Tail)] = None


@dataclass(frozen=True, kw_only=True)
class MeshCells(NumberNoise):
    """Cells between free edges: of real noise, or of runs of integers."""

    first, tail = 0, None

    step: Annotated[Fraction, POSITIVE]
    grid: Annotated[int, integer(1, MAX_RUN)]
    denominator: Count
    edges: Annotated[tuple[Fraction, ...], several(SHORT, MAX_CELLS)]
    weights: Annotated[tuple[int, ...], _WEIGHTS]
    atom: Count

    def check(self) -> None:
        """`FormatError` unless the edges rise and cut half grid steps only at their ends."""
        super().check()
        edges, count = self.edges, len(self.weights) + 1
        demand(len(edges) == count, f"{len(self.weights)} weights need {count} edges")
        demand(all(a < b for a, b in pairwise(edges)), '"edges" must be strictly increasing')
        demand(max(map(abs, edges)) <= MAX_CELLS, f"an edge is beyond {MAX_CELLS} steps")
        demand(
            all((2 * self.grid * edge).denominator == 1 for edge in edges),
            "every edge times 2*grid must be whole, or grid noise is not defined",
        )

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless the check ends soon."""
        super().check_problem(problem)
        marks, limit, _ = marks_of(self.edges, Fraction(self.shifts(problem)))
        small = len(marks) <= MAX_EDGES or on_small_lattice(marks, limit)
        demand(small, f"{len(marks)} edges that share no small lattice; {MAX_EDGES} are allowed")

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """The worst shift that the statement of privacy names, and atom + V there, exactly."""
        reach = Fraction(self.shifts(problem))
        where, value = worst_on_mesh(self.edges, self.weights, epsilon, reach)
        return where, (self.atom + value) / self.denominator

    def release_loss(self, problem: Problem, loss: Loss) -> Fraction:
        """At least the expected loss of a release for every value."""
        return loss_of_mesh(self, problem.integer, loss)

    def pieces(self, periods: int = 0) -> list[CellPiece]:
        """The cells."""
        ends = zip(pairwise(self.edges), self.weights, strict=True)
        return [(a, b, Fraction(w)) for (a, b), w in ends]

    def mean_error(self) -> Fraction:
        """The mean of the noise on the grid."""
        total = Fraction(0)
        for (a, b), w in zip(pairwise(self.edges), self.weights, strict=True):
            lo, hi = int(2 * self.grid * a), int(2 * self.grid * b)
            # Half grid steps round up or down by a quarter of a grid step; an odd one is left over.
            odd = (hi // 2 - lo // 2) * 2 - (hi - lo)
            total += w * ((a + b) / 2 + Fraction(odd, 4 * (hi - lo) * self.grid))
        return total * self.step / self.denominator

    def asymmetry(self) -> Fraction:
        """By how much edges, or else probabilities, differ from their mirror images."""
        apart = max(abs(a + b) for a, b in zip(self.edges, self.edges[::-1], strict=True))
        return apart or self._apart(self.weights)
