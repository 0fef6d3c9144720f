"""The question that a design answers, exactly as asked, and the same for every kind of noise.

Standard library only: the checker reads it from a mechanism file, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from ..exact import Number
from ..losses import Loss, as_loss
from ..losses.base import NORM_ONLY
from ..work import arithmetic, bits, charge
from .budgets import check_budgets
from .checks import check_output_step, check_sensitivity
from .constraints import Constraint, Demand, check_constraints, ends_of, parted
from .privacy import GaussianCurve, Point, Releases, implied

#: At delta = 0 noise for a vector has no end: the most stairs (dimension / epsilon) that draws are
#: likely to reach, and the most that lie within the width of Huber's loss, times epsilon.
_MOST_STAIRS, _MOST_WIDTH = 1_000_000, 1_000

#: Why a Python function will not do there.
_NO_TAIL = (
    "a loss by name when delta is 0 or gdp is given: that noise is unbounded, and the loss of a "
    "function far from 0 is not known"
)

Piece = tuple[Fraction, Fraction, Fraction]  # from, to, mass


@dataclass(frozen=True)
class Prior:
    """A density that is constant between edges: `masses[j]` on [edges[j], edges[j+1]).

    For whole numbers `edges` is empty and `masses` has one entry for each of them.
    """

    edges: tuple[Fraction, ...]
    masses: tuple[Fraction, ...]


@dataclass(frozen=True)
class Crossing:
    """A loss on top: `slope` * |y - at| when the answer y and the true value lie on two sides."""

    at: Fraction
    slope: Fraction


@dataclass(frozen=True)
class Range:
    """Where the query's values lie, how likely they are, and what is asked of every one of them."""

    low: Fraction
    high: Fraction
    prior: Prior | None = None  # None: uniform
    crossing: Crossing | None = None
    instance_bound: Fraction | None = None  # no value's expected loss is above this
    instance_loss: Loss | None = None  # of the instance bound, if it is not that of the problem
    max_error: Fraction | None = None  # no answer further than this from the true value
    monotone: bool = False  # whether larger values must have stochastically larger answers


class StatedProblem:
    """What every problem says, whatever its kind; of what others ask it has nothing."""

    if TYPE_CHECKING:  # (fields of some kinds, properties or the same for all of others)

        @property
        def epsilon(self) -> Fraction: ...
        @property
        def delta(self) -> Fraction: ...
        @property
        def sensitivity(self) -> Fraction: ...
        @property
        def loss(self) -> Loss: ...
        @property
        def integer(self) -> bool:
            """Whether values and releases are integers."""

        @property
        def largest(self) -> bool:
            """Whether the loss is that of the worst of several numbers, not their mean or total."""

        @property
        def profile(self) -> tuple[Point, ...]:
            """Further budgets to satisfy."""

        @property
        def curve(self) -> GaussianCurve | None:
            """The Gaussian curve to stay below, with the chords that prove it."""

        @property
        def releases(self) -> Releases | None:
            """How many releases together satisfy a total budget."""

        @property
        def constraints(self) -> tuple[Constraint, ...]:
            """What else additive noise obeys."""

        @property
        def range(self) -> Range | None:
            """Where values lie, and what is asked of all of them."""

    else:
        integer = largest = False
        profile = constraints = ()
        curve = releases = range = None


@dataclass(frozen=True)
class Problem(StatedProblem):
    """The least expected loss under a privacy budget, and what else the answer must obey.

    All quantities are exact rationals; a float means its shortest decimal. Without `range` the
    noise is additive; with it answers may depend on the value. `profile` holds further budgets to
    keep at the same time. With `gdp` the answer is mu-Gaussian-private, and epsilon and delta are a
    budget that follows, unless they were asked for too, and are then in the profile; `curve` holds
    the points whose chords stand for it, once they are chosen. With `releases` so many releases
    together keep a total budget. With a `dimension` above 1 it is about a vector.
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss
    integer: bool = False
    constraints: tuple[Constraint, ...] = ()
    profile: tuple[Point, ...] = ()
    gdp: Fraction | None = None
    output_step: Fraction | None = None  # releases are multiples of it, if given
    curve: GaussianCurve | None = None
    releases: Releases | None = None
    range: Range | None = None
    dimension: int = 1  # above 1: a vector, its sensitivity Euclidean, its loss one of the norm

    def __post_init__(self) -> None:
        if self.curve is not None and self.gdp is None:
            object.__setattr__(self, "gdp", self.curve.mu)
        if self.curve is not None and self.curve.mu != self.gdp:
            raise ValueError("the chords belong to another curve")

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None,
        delta: Number | None,
        sensitivity: Number = 1,
        loss: str | Loss = "l1",
        integer: bool = False,
        constraints: Iterable[Demand] = (),
        profile: Sequence[tuple[Number, Number]] | None = None,
        gdp: Number | None = None,
        output_step: Number | None = None,
    ) -> Problem:
        """What a user asks of additive noise; refuses what makes no sense, naming the argument.

        epsilon and delta may be None if there is a profile, whose first budget takes their place,
        or a curve.
        """
        demands, demanded = parted(check_constraints(constraints, integer))
        budget, points, mu = check_budgets(epsilon, delta, profile, gdp, demanded)
        bounded = ends_of(demands) != (None, None)
        cost = as_loss(loss)
        endless = mu is not None or any(share == 0 for _, share in (budget, *points))
        if endless and not cost.certified:
            raise ArgumentError("loss", cost.name, _NO_TAIL)
        return cls(
            *budget,
            check_sensitivity(sensitivity, integer),
            cost,
            bool(integer),
            demands,
            points,
            mu,
            check_output_step(output_step, sensitivity, integer, bounded),
        )

    # -- privacy ------------------------------------------------------------------------------

    @classmethod
    def of_vector(
        cls,
        *,
        dimension: int,
        epsilon: Number | None,
        delta: Number | None,
        sensitivity: Number = 1,
        loss: str | Loss = "l1",
    ) -> Problem:
        """What a user asks of noise for a vector."""
        (level, share), _, _ = check_budgets(epsilon, delta, None, None)
        if level == 0:
            raise ArgumentError("epsilon", epsilon, "positive for a vector")
        cost, size = as_loss(loss), check_sensitivity(sensitivity)
        if not cost.of_norm:
            raise ArgumentError("loss", cost.name, NORM_ONLY)
        if share == 0:
            if not cost.by_moments:
                raise ArgumentError(
                    "loss", cost.name, "l1, l2, power:P with an integer P, or huber when delta is 0"
                )
            if level < Fraction(dimension, _MOST_STAIRS):
                least = dimension / _MOST_STAIRS
                raise ArgumentError("epsilon", epsilon, f"at least {least:g} when delta is 0")
            if max(cost.kinks) * level > _MOST_WIDTH * size:
                raise ArgumentError("loss", cost.name, "huber with a smaller width when delta is 0")
        return cls(level, share, size, cost, dimension=dimension)

    @property
    def stated(self) -> tuple[Point, ...]:
        """The budgets that are asked for by name, besides a curve."""
        first = ((self.epsilon, self.delta),) if self.gdp is None else ()
        return (*first, *self.profile)

    @property
    def budgets(self) -> tuple[Point, ...]:
        """Every (epsilon, delta) to keep: those stated, and the points of the curve's chords."""
        return self.stated if self.curve is None else (*self.stated, *self.curve.points)

    def asks(self, point: Point) -> bool:
        """Whether whatever keeps what is asked is private at this budget."""
        return implied(point, self.stated, self.gdp)

    @property
    def plain(self) -> bool:
        """Whether one budget is all that is asked for."""
        return not (self.constraints or self.profile or self.gdp or self.output_step)

    def along(self, curve: GaussianCurve) -> Problem:
        """The same question with these chords for its curve."""
        return replace(self, gdp=curve.mu, curve=curve)

    # -- a range ------------------------------------------------------------------------------

    def within(self, **changes: Any) -> Problem:
        """The same question with changes of its range."""
        return replace(self, range=replace(self._range, **changes))

    @property
    def _range(self) -> Range:
        if self.range is None:
            raise ValueError("additive noise has no range")
        return self.range

    @property
    def low(self) -> Fraction:
        """The least value."""
        return self._range.low

    @property
    def high(self) -> Fraction:
        """The largest value."""
        return self._range.high

    @property
    def width(self) -> Fraction:
        """The length of the range."""
        return self._range.high - self._range.low

    @property
    def prior(self) -> Prior | None:
        """Where the true value is thought to lie; None: anywhere, uniformly."""
        return self._range.prior

    @property
    def crossing(self) -> Crossing | None:
        """What an answer on the other side of a point costs more."""
        return self._range.crossing

    @property
    def instance_bound(self) -> Fraction | None:
        """What no value's expected loss may exceed."""
        return self._range.instance_bound

    @property
    def instance_loss(self) -> Loss:
        """The loss that the instance bound is about."""
        return self._range.instance_loss or self.loss

    @property
    def max_error(self) -> Fraction | None:
        """How far an answer may be from the true value."""
        return self._range.max_error

    @property
    def monotone(self) -> bool:
        """Whether answers must grow with the value."""
        return self._range.monotone

    @property
    def plain_range(self) -> bool:
        """Whether values are uniform on the range, and no more is asked of single ones."""
        more = (self.prior, self.crossing, self.instance_bound, self.max_error)
        return more == (None,) * 4

    def step(self, n: int) -> Fraction:
        """The width of a cell of additive noise at resolution n."""
        return self.sensitivity / n

    def pieces(self, step: Fraction) -> tuple[tuple[Piece, ...], ...]:
        """For each cell of width `step`, the (from, to, mass) of the prior on it.

        For whole numbers the cells are points, from = to.
        """
        if self.integer:
            count = int(self.width) + 1
            masses = self.prior.masses if self.prior else (Fraction(1, count),) * count
            return tuple(((self.low + k, self.low + k, mass),) for k, mass in enumerate(masses))
        edges = self.prior.edges if self.prior else (self.low, self.high)
        longest, count = max(map(bits, edges)) + bits(step, self.low), int(self.width / step)
        charge((count + len(edges)) * 8 * arithmetic(longest))
        ends = [self.low + k * step for k in range(count + 1)]
        if self.prior is None:
            each = step / self.width
            return tuple(((start, end, each),) for start, end in pairwise(ends))
        masses = self.prior.masses
        cells, j = [], 0
        for start, end in pairwise(ends):
            pieces = []
            while True:
                a, b = max(start, edges[j]), min(end, edges[j + 1])
                if a < b:
                    pieces.append((a, b, masses[j] * (b - a) / (edges[j + 1] - edges[j])))
                if edges[j + 1] >= end:
                    break
                j += 1
            cells.append(tuple(pieces))
        return tuple(cells)
