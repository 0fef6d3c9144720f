"""What every loss promises, and what convex and even losses share.

Statements and proofs: `base.proof.md`. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

from ..errors import ArgumentError
from ..exact import Number, rational
from ..work import add_up

X = TypeVar("X")
Polynomial = list[Fraction]

#: What a loss of vectors may be.
NORM_ONLY = "l1, l2, power or huber: a loss of the norm"

HALF = Fraction(1, 2)
QUARTER = Fraction(1, 4)


@dataclass(frozen=True)
class BallIntegral:
    """The integral of a loss of the norm over the ball of radius R: the sum of factor * R^power.

    `outer` takes the place of `inner` from R = edge on, where there is an edge.
    """

    inner: dict[int, Fraction]  # power: factor
    edge: Fraction | None = None
    outer: dict[int, Fraction] = field(default_factory=dict)


class Loss(ABC):
    """A loss c(x) of an error x = output - exact value.

    It is non-negative, continuous and unbounded on both sides. What is said here without a
    restriction holds for every loss; for a Python function it is taken on trust.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: every loss has a name, as it is typed on the command line, and values.

        >>> isinstance(L1(), Loss), L1().name, float(L1()(-3))
        (True, 'l1', 3.0)
    """

    @property
    def certified(self) -> bool:
        """Whether every bound below is exact; False only where a Python function has a part."""
        return True

    @property
    @abstractmethod
    def name(self) -> str:
        """The name a user types, such as "l1" or "pinball:0.8"."""

    @abstractmethod
    def spec(self) -> dict[str, Any]:
        """The JSON object of the mechanism file."""

    def key(self) -> dict[str, Any] | None:
        """A JSON object that is the same in every process and differs for any other loss.

        None for a Python function without a name: no two are known to be the same.
        """
        return self.spec()

    @property
    def effort(self) -> int:
        """Roughly how many microseconds a bound takes, at most, where numbers are short."""
        return self.effort_at(64)

    def effort_at(self, bits: int) -> int:
        """The same at an x of so many bits: the checker refuses a file that asks too much."""
        return 40 + bits // 10

    # -- shape ----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def symmetric(self) -> bool:
        """Whether c(x) = c(-x), as far as is known."""

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether c is convex, as far as is known."""

    @property
    @abstractmethod
    def falls_nowhere(self) -> bool:
        """Whether c never falls away from 0 (on each side), as far as is known."""

    @property
    @abstractmethod
    def kinks(self) -> tuple[Fraction, ...]:
        """Where c need not be smooth; in any order, and some may come twice."""

    def kinks_between(self, lo: Fraction, hi: Fraction) -> int:
        """How many kinks of straight pieces lie in [lo, hi): what a mean over it must look at."""
        return 0

    @property
    def numbers(self) -> Iterator[Fraction]:
        """The numbers of straight pieces, of whose denominators exact bounds are made."""
        yield from ()

    @property
    def quadratic_form(self) -> tuple[float, float, float] | None:
        """(a, b, d), in floats, where (c(x) + c(-x))/2 = a + b*|x| + d*x^2; None if it is not that.

        Two moments of symmetric noise then give its expected loss.
        """
        return None

    @abstractmethod
    def mirror(self) -> Loss:
        """The loss x -> c(-x)."""

    # -- vectors --------------------------------------------------------------------------------

    @property
    def exponent(self) -> Fraction | None:
        """p where c(x) = |x|^p; None if it is not known to be that."""
        return None

    @property
    def of_norm(self) -> bool:
        """Whether c serves as a loss of a norm: convex, even, `ball_mean` known."""
        return self.exponent is not None

    @property
    def by_moments(self) -> bool:
        """Whether its integral over a ball is a polynomial of the radius, in two pieces at most."""
        return self.exponent is not None and self.exponent.denominator == 1

    def ball_integral(self, dimension: int) -> BallIntegral:
        """That polynomial, over the volume of the unit ball; for losses `by_moments`."""
        if self.exponent is None or not self.by_moments:
            raise ArgumentError("loss", self.name, "l1, l2, power:P with an integer P, or huber")
        p = int(self.exponent)
        return BallIntegral({dimension + p: Fraction(dimension, dimension + p)})

    @property
    def steepest(self) -> Fraction | None:
        """At least every slope of a loss of the norm; None if there is no such number."""
        return Fraction(1) if self.exponent == 1 else None

    def ball_mean(self, dimension: int, radius: Fraction) -> Fraction:
        """At least E c(|X|), X uniform in the ball of this radius > 0; for losses of the norm."""
        if self.exponent is None:
            raise ArgumentError("loss", self.name, NORM_ONLY)
        return self.upper(radius) * dimension / (dimension + self.exponent)

    def ball_means(self, dimension: int, radius: X) -> X:
        """The same in floating point, for a float or a NumPy array of positive radii."""
        if self.exponent is None:
            raise ArgumentError("loss", self.name, NORM_ONLY)
        share = dimension / (dimension + float(self.exponent))
        return self(radius) * share  # type: ignore[operator,return-value]

    # -- values and means -----------------------------------------------------------------------

    @abstractmethod
    def __call__(self, x: X) -> X:
        """c(x) in floating point, for a float or a NumPy array."""

    @abstractmethod
    def lower(self, x: Fraction) -> Fraction:
        """A rational at most c(x); equal to it wherever c(x) is rational."""

    def upper(self, x: Fraction) -> Fraction:
        """A rational at least c(x); equal to it wherever c(x) is rational."""
        return self.lower(x)

    @abstractmethod
    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        """At least the mean of c over [lo, hi], lo < hi."""

    @abstractmethod
    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        """At least the means over [lo, hi], lo < hi, of c times a falling and a rising ramp.

        The falling one is 1 at lo and 0 at hi, the rising one 0 at lo and 1 at hi.
        """

    # -- from below -----------------------------------------------------------------------------

    @abstractmethod
    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        """At most c(x) for every x in [lo, hi]; the infimum itself except for sums of losses."""

    @abstractmethod
    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        """At most c(side*t) for every t >= edge >= 0."""

    @abstractmethod
    def steepness(self, side: int, edge: Fraction) -> Fraction:
        """At most every slope of t -> c(side*t) at and beyond t = edge >= 0."""

    @abstractmethod
    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        """At least the largest excess of the chord from lo to hi over c on [lo, hi]."""

    def minorant(self, i: int, step: Fraction) -> Fraction:
        """k_i; the piecewise linear function through all (i*step, k_i) is nowhere above c.

        It is the value at i*step less the larger error of the two chords that meet there.
        """
        return next(self.minorants(i, i, step))

    def minorants(self, first: int, last: int, step: Fraction) -> Iterator[Fraction]:
        """k_i for i = first..last, in one go: neighbors share a chord."""
        before = self.chord_error((first - 1) * step, first * step)
        for i in range(first, last + 1):
            x = i * step
            after = self.chord_error(x, x + step)
            yield self.lower(x) - max(before, after)
            before = after

    def on_lattice(self, first: int, last: int, step: Fraction) -> Iterator[Fraction]:
        """`lower` at i*step for i = first..last, in one go."""
        return (self.lower(i * step) for i in range(first, last + 1))

    # -- releases -------------------------------------------------------------------------------

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        """At least the worst expected loss, over all values, of a release on the grid of step g
        whose noise is exactly x: E[c(x + e)] for every rounding error e of that grid.

        Here for a convex loss: c(x) plus a quarter of the second difference.
        """
        bend = self.upper(x - g) - 2 * self.lower(x) + self.upper(x + g)
        return self.upper(x) + bend * QUARTER

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        """At least the mean of that over `count` grid points around `middle`, g apart.

        Here for a convex loss: the mean over cells of width g is at least the mean over their
        centres, and the second differences telescope.
        """
        lo, hi = middle - count * g / 2, middle + count * g / 2
        first, last = lo + g / 2, hi - g / 2
        rise = self.upper(last + g) - self.lower(last)
        fall = self.lower(first) - self.upper(first - g)
        return self.cell_mean(lo, hi) + (rise - fall) * QUARTER / count

    def run_mean(self, middle: Fraction, count: int, g: Fraction) -> Fraction | None:
        """The mean of c over `count` points around `middle`, g apart; None if it is not known."""
        return None

    @property
    def smeared(self) -> Fraction | None:
        """At least the mean of c over [k - 1/2, k + 1/2] less c(k), at every k; None: no bound."""
        return None

    def release_cell(self, i: int, step: Fraction, grid: int) -> Fraction:
        """At least the mean of that over the `grid` points of cell i; `grid` is odd."""
        return self.release_run(i * step, grid, step / grid)

    def release_cells(self, weights: Mapping[int, int], step: Fraction, grid: int) -> Fraction:
        """The sum of weight times that over cells."""
        return add_up(w * self.release_cell(i, step, grid) for i, w in weights.items())

    # -- far out --------------------------------------------------------------------------------

    @abstractmethod
    def tail(self, side: int, start: Fraction) -> Polynomial:
        """Coefficients, lowest first, of a polynomial in t at least c(side*t) for t >= start >= 0.

        Those from t^2 on are not negative: the polynomial is convex. Raises `ArgumentError` if
        `start` lies inside the last kink.
        """

    @property
    def tail_is_sharp(self) -> bool:
        """Whether a search need not try later starts of `tail`; no bound rests on it."""
        return False

    # -- sums -----------------------------------------------------------------------------------

    def __add__(self, other: Loss) -> Loss:
        from .weighted_sum import WeightedSum

        if not isinstance(other, Loss):
            return NotImplemented
        return WeightedSum(((Fraction(1), self), (Fraction(1), other)))

    def __mul__(self, weight: Number) -> Loss:
        from .weighted_sum import WeightedSum

        return WeightedSum(((rational(weight, "weight"), self),))

    __rmul__ = __mul__


class EvenLoss(Loss):
    """A convex loss of |x|: it never falls away from 0."""

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def convex(self) -> bool:
        return True

    @property
    def falls_nowhere(self) -> bool:
        return True

    def mirror(self) -> Loss:
        return self

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self.lower(min(max(lo, Fraction(0)), hi))  # at the point nearest to 0

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        return self.lower(edge)

    def steepness(self, side: int, edge: Fraction) -> Fraction:
        if edge <= 0:
            return Fraction(0)
        # No slope of a convex function beyond the edge is below that of a chord before it.
        return (self.lower(edge) - self.upper(edge / 2)) / (edge / 2)


def simpson(loss: Loss, nodes: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The ramp means of a loss that is quadratic between the nodes: Simpson's rule is exact."""
    lo, hi = nodes[0], nodes[-1]
    area = rising = Fraction(0)
    for a, b in pairwise(nodes):
        middle = (a + b) / 2
        start, half, end = loss.lower(a), 4 * loss.lower(middle), loss.lower(b)
        area += (b - a) * (start + half + end)
        rising += (b - a) * (start * (a - lo) + half * (middle - lo) + end * (b - lo))
    area, rising = area / (6 * (hi - lo)), rising / (6 * (hi - lo) ** 2)
    return area - rising, rising
