"""The losses c(x): what an error x = output - true value costs.

Every loss is non-negative, continuous and unbounded on both sides, and knows exactly

* `lower(x)`, `upper(x)`: rationals around c(x), equal wherever c(x) is rational;
* `cell_mean(lo, hi)`: at least the mean of c over [lo, hi];
* `ramp_means(lo, hi)`: at least the means over [lo, hi] of c times a weight that falls from 1 to
  0, and of c times one that rises from 0 to 1;
* `minorant(i, step)`: k_i such that the piecewise linear function through (i*step, k_i) is
  nowhere above c, which is what a lower bound needs;
* `release_point(x, g)`: at least the worst expected loss, over all values, of a release on the
  grid of step g whose noise is exactly x;
* `release_run(middle, count, g)`, `release_cell(i, step, grid)`: at least the mean of that over
  `count` consecutive grid points, and over the `grid` points of cell i;
* `tail(side, start)`: a polynomial in t = |x| that is at least c(side * t) for t >= start >= 0,
  without negative coefficients from t^2 on;
* `outer_minimum(side, edge)`: at most c(side * t) for every t >= edge.

Standard library only. Statements and proofs: `losses.proof.md`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import floor
from pathlib import Path
from typing import Any, TypeVar

from .errors import ArgumentError
from .exact import Number, power_bounds, rational, text_of

X = TypeVar("X")
Polynomial = list[Fraction]

_HALF = Fraction(1, 2)
_QUARTER = Fraction(1, 4)

#: What a mechanism file may hold: kinks and terms of a loss.
MAX_POINTS = 1000
MAX_TERMS = 100


class Loss(ABC):
    """A loss; see the module's text for what each method promises."""

    #: Whether every bound below is exact; False only for a Python function.
    certified: bool = True

    @property
    @abstractmethod
    def name(self) -> str:
        """The name a user types, such as "l1" or "pinball:0.8"."""

    @abstractmethod
    def spec(self) -> dict[str, Any]:
        """The JSON object of the mechanism file."""

    @abstractmethod
    def __call__(self, x: X) -> X:
        """c(x) in floating point, for a float or a NumPy array."""

    @abstractmethod
    def lower(self, x: Fraction) -> Fraction:
        """A rational at most c(x)."""

    def upper(self, x: Fraction) -> Fraction:
        """A rational at least c(x)."""
        return self.lower(x)

    @property
    @abstractmethod
    def symmetric(self) -> bool:
        """Whether c(x) = c(-x)."""

    @property
    def falls_nowhere(self) -> bool:
        """Whether c never falls away from 0 (on each side)."""
        return True

    @property
    def effort(self) -> int:
        """Roughly how many microseconds a bound takes, at most, where numbers are short."""
        return self.effort_at(64)

    def effort_at(self, bits: int) -> int:
        """The same at an x of so many bits: the checker refuses a file that asks too much."""
        return 40 + bits // 10

    @abstractmethod
    def mirror(self) -> Loss:
        """The loss x -> c(-x)."""

    @abstractmethod
    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        """At least the mean of c over [lo, hi], lo < hi."""

    @abstractmethod
    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        """At least the means over [lo, hi], lo < hi, of c times a falling and a rising ramp."""

    @abstractmethod
    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        """At least the largest excess of the chord from lo to hi over c on [lo, hi]."""

    def minorant(self, i: int, step: Fraction) -> Fraction:
        """k_i: the value at i*step less the larger error of the two chords that meet there."""
        x = i * step
        error = max(self.chord_error(x - step, x), self.chord_error(x, x + step))
        return self.lower(x) - error

    def minorants(self, first: int, last: int, step: Fraction) -> Iterator[Fraction]:
        """k_i for i = first..last, in one go: neighbours share a chord."""
        before = self.chord_error((first - 1) * step, first * step)
        for i in range(first, last + 1):
            x = i * step
            after = self.chord_error(x, x + step)
            yield self.lower(x) - max(before, after)
            before = after

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        """At least E[c(x + e)] for every rounding error e of the grid of step g.

        For a convex loss: c(x) plus a quarter of the second difference.
        """
        bend = self.upper(x - g) - 2 * self.lower(x) + self.upper(x + g)
        return self.upper(x) + bend * _QUARTER

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        """At least the mean of `release_point` over `count` points around `middle`, g apart.

        For a convex loss: the mean over cells of width g is at least the mean over their
        centres, and the second differences telescope.
        """
        lo, hi = middle - count * g / 2, middle + count * g / 2
        first, last = lo + g / 2, hi - g / 2
        rise = self.upper(last + g) - self.lower(last)
        fall = self.lower(first) - self.upper(first - g)
        return self.cell_mean(lo, hi) + (rise - fall) * _QUARTER / count

    def release_cell(self, i: int, step: Fraction, grid: int) -> Fraction:
        """At least the mean of `release_point` over the `grid` points of cell i; `grid` is odd."""
        return self.release_run(i * step, grid, step / grid)

    @abstractmethod
    def tail(self, side: int, start: Fraction) -> Polynomial:
        """Coefficients, lowest first, of a polynomial in t at least c(side*t) for t >= start >= 0.

        Those from t^2 on are not negative: the polynomial is convex. Raises `ArgumentError` if
        `start` lies inside the last kink.
        """

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        """At most c(side*t) for every t >= edge >= 0."""
        return self.lower(side * edge)

    def __add__(self, other: Loss) -> Loss:
        if not isinstance(other, Loss):
            return NotImplemented
        return Sum(((Fraction(1), self), (Fraction(1), other)))

    def __mul__(self, weight: Number) -> Loss:
        return Sum(((rational(weight, "weight"), self),))

    __rmul__ = __mul__


def _simpson(loss: Loss, nodes: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
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


def _derived() -> Any:
    return field(default=(), init=False, repr=False, compare=False)


@dataclass(frozen=True)
class Piecewise(Loss):
    """A continuous piecewise linear loss, convex or not.

    `points` are (x, c(x)) with x increasing; `slopes` are the slopes before the first and after
    the last point. Refused unless c >= 0 everywhere and the first slope < 0 < the last.
    """

    points: tuple[tuple[Fraction, Fraction], ...]
    slopes: tuple[Fraction, Fraction]
    _label: tuple[str, Fraction | None] = field(default=("piecewise", None), repr=False)
    _kinks: tuple[tuple[Fraction, Fraction], ...] = _derived()
    _places: tuple[Fraction, ...] = _derived()  # of the kinks
    _xs: tuple[Fraction, ...] = _derived()  # of the points
    _pieces: tuple[Fraction, ...] = _derived()  # slope before each point, and after the last
    _floats: tuple[float, float, tuple[tuple[float, float], ...]] = _derived()

    def __post_init__(self) -> None:
        try:
            points = tuple(
                (rational(x, "points"), rational(value, "points")) for x, value in self.points
            )
            first, last = self.slopes
        except (TypeError, ValueError) as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(
                "points", self.points, "a list of [x, value] pairs, with two outer slopes"
            ) from None
        slopes = (rational(first, "slopes"), rational(last, "slopes"))
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "slopes", slopes)
        if not points:
            raise ArgumentError("points", self.points, "at least one [x, value] pair")
        if any(a[0] >= b[0] for a, b in pairwise(points)):
            raise ArgumentError("points", self.points, "strictly increasing in x")
        if any(value < 0 for _, value in points):
            raise ArgumentError("points", self.points, "non-negative in value: a loss is >= 0")
        if not slopes[0] < 0 < slopes[1]:
            raise ArgumentError(
                "slopes", self.slopes, "negative before and positive after: a loss is unbounded"
            )
        inner = [
            (b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)
        ]
        pieces = (slopes[0], *inner, slopes[1])
        bends = [right - left for left, right in pairwise(pieces)]
        kinks = tuple((point[0], bend) for point, bend in zip(points, bends, strict=True) if bend)
        object.__setattr__(self, "_kinks", kinks)
        object.__setattr__(self, "_places", tuple(t for t, _ in kinks))
        object.__setattr__(self, "_xs", tuple(x for x, _ in points))
        object.__setattr__(self, "_pieces", pieces)
        # The float evaluation, c(x) = at_0 + slope*x + sum of bends/2 * (|x - t| - |t|), once.
        try:
            slope = float((slopes[0] + slopes[1]) / 2)
            floats = tuple((float(t), float(bend / 2)) for t, bend in kinks)
            at_zero = float(self.lower(Fraction(0)))
        except OverflowError:
            raise ArgumentError("points", self.points, "within the range of floats") from None
        object.__setattr__(self, "_floats", (at_zero, slope, floats))

    def effort_at(self, bits: int) -> int:
        # Every kink adds to the cell it lies in, and a comparison or two to every search.
        size = bits + self._bits
        return 40 + 8 * len(self._kinks).bit_length() + size // 10

    @property
    def _bits(self) -> int:
        numbers = (*(v for point in self.points for v in point), *self._pieces)
        return max(v.numerator.bit_length() + v.denominator.bit_length() for v in numbers)

    @property
    def name(self) -> str:
        name, parameter = self._label
        return name if parameter is None else f"{name}:{text_of(parameter)}"

    def spec(self) -> dict[str, Any]:
        name, parameter = self._label
        if name == "piecewise":
            return {
                "name": name,
                "points": [[text_of(x), text_of(value)] for x, value in self.points],
                "slopes": [text_of(slope) for slope in self.slopes],
            }
        return {"name": name} if parameter is None else {"name": name, "tau": text_of(parameter)}

    def __call__(self, x: X) -> X:
        at_zero, slope, kinks = self._floats
        total: Any = at_zero + slope * x  # type: ignore[operator]
        for t, half in kinks:
            total = total + half * (abs(x - t) - abs(t))  # type: ignore[operator]
        return total  # type: ignore[no-any-return]

    def lower(self, x: Fraction) -> Fraction:
        k = bisect_left(self._xs, x)
        near, value = self.points[max(0, k - 1)]
        return value + self._pieces[k] * (x - near)

    def _between(self, lo: Fraction, hi: Fraction) -> tuple[tuple[Fraction, Fraction], ...]:
        """The kinks t with lo < t < hi."""
        return self._kinks[bisect_right(self._places, lo) : bisect_left(self._places, hi)]

    @property
    def symmetric(self) -> bool:
        bends = dict(self._kinks)
        even = all(bends.get(-t) == bend for t, bend in self._kinks)
        return even and self.slopes[0] == -self.slopes[1]

    @property
    def falls_nowhere(self) -> bool:
        values = {Fraction(0), *(x for x, _ in self.points)}
        right = [self.lower(x) for x in sorted(v for v in values if v >= 0)]
        left = [self.lower(-x) for x in sorted(-v for v in values if v <= 0)]
        return right == sorted(right) and left == sorted(left)

    def mirror(self) -> Loss:
        points = tuple((-x, value) for x, value in reversed(self.points))
        name, parameter = self._label
        flipped = (name, None if parameter is None else 1 - parameter)
        return Piecewise(points, (-self.slopes[1], -self.slopes[0]), flipped)

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        inside = [t for t, _ in self._between(lo, hi)]
        if not inside:
            return self.lower((lo + hi) / 2)
        nodes = [lo, *inside, hi]
        values = [self.lower(x) for x in nodes]
        area = sum(
            (nodes[j + 1] - nodes[j]) * (values[j] + values[j + 1]) for j in range(len(nodes) - 1)
        )
        return area * _HALF / (hi - lo)

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        return _simpson(self, [lo, *(t for t, _ in self._between(lo, hi)), hi])

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        inside = [t for t, _ in self._between(lo, hi)]
        if not inside:
            return Fraction(0)
        start, end = self.lower(lo), self.lower(hi)
        excess = (start + (end - start) * (t - lo) / (hi - lo) - self.lower(t) for t in inside)
        return max(Fraction(0), *excess)

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        near = (bend * (g - abs(x - t)) for t, bend in self._between(x - g, x + g) if bend > 0)
        return self.lower(x) + sum(near, Fraction(0)) * _QUARTER

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        first = middle - (count - 1) * g / 2
        last = middle + (count - 1) * g / 2
        near = self._between(first - g, last + g)
        if not near:
            return self.lower(middle)
        # Points first + j*g, 0 <= j < count: an arithmetic series up to each kink, and the extra
        # of `release_point` at the two points next to a kink.
        total, start = Fraction(0), 0
        for stop in (*(floor((t - first) / g) for t, _ in near), count - 1):
            end = min(stop, count - 1)
            if end >= start:
                total += (end - start + 1) * self.lower(first + Fraction(start + end, 2) * g)
                start = end + 1
        for t, bend in near:
            below = floor((t - first) / g)
            for j in (below, below + 1):
                close = g - abs(first + j * g - t)
                if bend > 0 and close > 0 and 0 <= j < count:
                    total += bend * close * _QUARTER
        return total / count

    def tail(self, side: int, start: Fraction) -> Polynomial:
        last = max(side * t for t, _ in self.points)
        if start < last:
            raise ArgumentError("start", start, f"at least the last kink, {last}")
        slope = abs(self.slopes[1] if side > 0 else self.slopes[0])
        anchor = max(Fraction(0), last)
        return [self.lower(side * anchor) - slope * anchor, slope]

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        beyond = [value for x, value in self.points if side * x > edge]
        return min([self.lower(side * edge), *beyond])


def L1() -> Piecewise:
    """Absolute error, c(x) = |x|."""
    one = Fraction(1)
    return Piecewise(((Fraction(0), Fraction(0)),), (-one, one), ("l1", None))


def Pinball(tau: Number) -> Piecewise:
    """Quantile loss: tau * x for x > 0 and (1 - tau) * |x| for x < 0, with 0 < tau < 1."""
    share = rational(tau, "tau")
    if not 0 < share < 1:
        raise ArgumentError("tau", tau, "strictly between 0 and 1")
    return Piecewise(((Fraction(0), Fraction(0)),), (share - 1, share), ("pinball", share))


@dataclass(frozen=True)
class Power(Loss):
    """c(x) = |x|^p for a rational p >= 1; p = 2 is squared error."""

    p: Fraction

    def __post_init__(self) -> None:
        p = rational(self.p, "p")
        if not 1 <= p <= 16 or p.denominator > 1000:
            raise ArgumentError("p", self.p, "between 1 and 16, with a denominator up to 1000")
        object.__setattr__(self, "p", p)

    @property
    def name(self) -> str:
        return "l2" if self.p == 2 else f"power:{text_of(self.p)}"

    def spec(self) -> dict[str, Any]:
        return {"name": "l2"} if self.p == 2 else {"name": "power", "p": text_of(self.p)}

    def __call__(self, x: X) -> X:
        p = self.p.numerator if self.p.denominator == 1 else float(self.p)
        return abs(x) ** p  # type: ignore[arg-type,operator,return-value,no-any-return]

    def effort_at(self, bits: int) -> int:
        if self.p == 2:
            return super().effort_at(bits)
        if self.p.denominator == 1:
            # Exact powers are p times as long, and adding them takes quadratic time.
            length = int(self.p + 1) * bits
            return 60 + length // 10 + (length // 150) ** 2
        # As in `power_bounds`: a short integer root, or a guess and its proof.
        short = self.p.denominator <= 16 and (self.p.numerator + 16) * bits <= 4096
        return 250 if short else 800 + bits // 5

    def lower(self, x: Fraction) -> Fraction:
        return power_bounds(abs(x), self.p)[0]

    def upper(self, x: Fraction) -> Fraction:
        return power_bounds(abs(x), self.p)[1]

    @property
    def symmetric(self) -> bool:
        return True

    def mirror(self) -> Loss:
        return self

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        if self.p == 2:
            return (lo * lo + lo * hi + hi * hi) / 3
        up, down = self._antiderivative(hi), self._antiderivative(lo)
        return (up[1] - down[0]) / ((self.p + 1) * (hi - lo))

    def _antiderivative(self, x: Fraction) -> tuple[Fraction, Fraction]:
        lo, hi = power_bounds(abs(x), self.p + 1)
        return (lo, hi) if x >= 0 else (-hi, -lo)

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        if self.p == 2:
            return _simpson(self, [lo, hi])
        # The integrals of c and of x c(x) over [lo, hi], each between two bounds.
        up, down = self._antiderivative(hi), self._antiderivative(lo)
        area = ((up[0] - down[1]) / (self.p + 1), (up[1] - down[0]) / (self.p + 1))
        far, near = (power_bounds(abs(x), self.p + 2) for x in (hi, lo))
        first = ((far[0] - near[1]) / (self.p + 2), (far[1] - near[0]) / (self.p + 2))
        square = (hi - lo) ** 2
        falling = (hi * area[hi > 0] - first[0]) / square
        rising = (first[1] - lo * area[lo < 0]) / square
        return falling, rising

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        width = hi - lo
        if self.p == 2:
            return width * width / 4
        if lo < 0 < hi:  # bend at 0 and two chords: bounded by the whole rise
            return max(self.upper(lo), self.upper(hi))
        near, far = min(abs(lo), abs(hi)), max(abs(lo), abs(hi))
        if self.p > 2 or near > 0:  # width^2/8 times the largest second derivative
            at = far if self.p > 2 else near
            steep = power_bounds(at, self.p)[1] / (at * at)
            by_curvature = self.p * (self.p - 1) * steep * width * width / 8
            if self.p > 2 or near >= width:
                return by_curvature
        # near = 0 (or close), p < 2: u - u^p <= min(1/4, (p - 1)/e) for 0 <= u <= 1, and the
        # excess over [near, far] is at most the one over [0, far - near].
        share = min(_QUARTER, (self.p - 1) * Fraction(36788, 100000))
        at_zero = power_bounds(width, self.p)[1] * share
        return at_zero if near == 0 else min(at_zero, by_curvature)

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        if self.p == 2:
            return x * x + g * g / 4
        return super().release_point(x, g)

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        if self.p == 2:
            return middle * middle + (count * count - 1) * g * g / 12 + g * g / 4
        return super().release_run(middle, count, g)

    def tail(self, side: int, start: Fraction) -> Polynomial:
        if self.p.denominator == 1:
            return [Fraction(0)] * int(self.p) + [Fraction(1)]
        # (t/start)^p <= (t/start)^ceil(p) for t >= start
        degree = -(-self.p.numerator // self.p.denominator)
        if start <= 0:
            raise ArgumentError("start", start, "positive")
        return [Fraction(0)] * degree + [self.upper(start) / start**degree]


def L2() -> Power:
    """Squared error, c(x) = x^2."""
    return Power(Fraction(2))


@dataclass(frozen=True)
class Huber(Loss):
    """c(x) = x^2/2 for |x| <= width, and width * (|x| - width/2) beyond."""

    width: Fraction

    def __post_init__(self) -> None:
        width = rational(self.width, "width")
        if width <= 0:
            raise ArgumentError("width", self.width, "positive")
        object.__setattr__(self, "width", width)

    @property
    def name(self) -> str:
        return f"huber:{text_of(self.width)}"

    def spec(self) -> dict[str, Any]:
        return {"name": "huber", "width": text_of(self.width)}

    def __call__(self, x: X) -> X:
        width = float(self.width)
        size = abs(x)  # type: ignore[arg-type,var-annotated]
        inner = (size + width - abs(size - width)) / 2  # min(size, width), for arrays too
        return inner * (size - inner / 2)  # type: ignore[no-any-return]

    def lower(self, x: Fraction) -> Fraction:
        inner = min(abs(x), self.width)
        return inner * (abs(x) - inner / 2)

    @property
    def symmetric(self) -> bool:
        return True

    def mirror(self) -> Loss:
        return self

    def effort_at(self, bits: int) -> int:
        size = bits + self.width.numerator.bit_length() + self.width.denominator.bit_length()
        return 60 + size // 3

    def _antiderivative(self, x: Fraction) -> Fraction:
        size = abs(x)
        inner = min(size, self.width)
        area = inner**3 / 6
        if size > self.width:
            outer = size - self.width
            area += self.width * (outer * self.width / 2 + outer * outer / 2)
        return area if x >= 0 else -area

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        return (self._antiderivative(hi) - self._antiderivative(lo)) / (hi - lo)

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        return _simpson(self, [lo, *(t for t in (-self.width, self.width) if lo < t < hi), hi])

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        if lo >= self.width or hi <= -self.width:
            return Fraction(0)
        return (hi - lo) ** 2 / 8

    def tail(self, side: int, start: Fraction) -> Polynomial:
        if start >= self.width:
            return [-self.width * self.width / 2, self.width]
        return [Fraction(0), Fraction(0), _HALF]


@dataclass(frozen=True)
class Sum(Loss):
    """A non-negative combination of losses; every bound is the combination of the bounds."""

    terms: tuple[tuple[Fraction, Loss], ...]

    def __post_init__(self) -> None:
        flat: list[tuple[Fraction, Loss]] = []
        for weight, loss in self.terms:
            exact = rational(weight, "weight")
            if exact < 0:
                raise ArgumentError("weight", weight, "non-negative: a loss is >= 0")
            inner = loss.terms if isinstance(loss, Sum) else ((Fraction(1), loss),)
            flat += [(exact * share, part) for share, part in inner if exact * share > 0]
        if not flat:
            raise ArgumentError("terms", self.terms, "at least one loss with a positive weight")
        object.__setattr__(self, "terms", tuple(flat))
        object.__setattr__(self, "certified", all(loss.certified for _, loss in flat))

    @property
    def name(self) -> str:
        return " + ".join(f"{text_of(w)}*{loss.name}" for w, loss in self.terms)

    def spec(self) -> dict[str, Any]:
        if not self.certified:
            return {"name": "custom"}
        return {"name": "sum", "terms": [[text_of(w), loss.spec()] for w, loss in self.terms]}

    def __call__(self, x: X) -> X:
        total = 0.0 * x  # type: ignore[operator]
        for weight, loss in self.terms:
            total = total + float(weight) * loss(x)  # type: ignore[operator]
        return total  # type: ignore[return-value,no-any-return]

    def effort_at(self, bits: int) -> int:
        length = sum(
            w.numerator.bit_length() + w.denominator.bit_length() + bits for w, _ in self.terms
        )
        # The sum of the terms may have all their denominators.
        return sum(loss.effort_at(bits) + (length // 1900) ** 2 for _, loss in self.terms) + (
            length // 10
        )

    def _combine(self, bound: Callable[[Loss], Fraction]) -> Fraction:
        return sum((weight * bound(loss) for weight, loss in self.terms), Fraction(0))

    def lower(self, x: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.lower(x))

    def upper(self, x: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.upper(x))

    @property
    def symmetric(self) -> bool:
        return all(loss.symmetric for _, loss in self.terms)

    @property
    def falls_nowhere(self) -> bool:
        return all(loss.falls_nowhere for _, loss in self.terms)

    def mirror(self) -> Loss:
        return Sum(tuple((weight, loss.mirror()) for weight, loss in self.terms))

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.cell_mean(lo, hi))

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        means = [(weight, loss.ramp_means(lo, hi)) for weight, loss in self.terms]
        return (
            sum((weight * falling for weight, (falling, _) in means), Fraction(0)),
            sum((weight * rising for weight, (_, rising) in means), Fraction(0)),
        )

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.chord_error(lo, hi))

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.release_point(x, g))

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.release_run(middle, count, g))

    def tail(self, side: int, start: Fraction) -> Polynomial:
        total: Polynomial = []
        for weight, loss in self.terms:
            part = loss.tail(side, start)
            total += [Fraction(0)] * (len(part) - len(total))
            for power, coefficient in enumerate(part):
                total[power] += weight * coefficient
        return total

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.outer_minimum(side, edge))


@dataclass(frozen=True)
class Custom(Loss):
    """A Python function, declared convex or with a Lipschitz constant.

    Its values are floats and its shape is taken on trust, so its bracket is called an estimate
    everywhere; privacy is proven as for every other loss.
    """

    function: Callable[[float], float]
    convex: bool = False
    lipschitz: float | None = None
    certified: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError("function", self.function, "a function of one number")
        if not self.convex and self.lipschitz is None:
            raise ArgumentError(
                "lipschitz", None, "given, or convex=True: a lower bound needs one of the two"
            )
        if self.lipschitz is not None and not 0 < float(self.lipschitz) < float("inf"):
            raise ArgumentError("lipschitz", self.lipschitz, "positive and finite")
        values = [self._value(x) for x in (-1e9, -1e3, -1.0, 0.0, 1.0, 1e3, 1e9)]
        if min(values) < 0:
            raise ArgumentError("function", self.function, "non-negative: a loss is >= 0")
        if values[0] <= max(values[1:-1]) or values[-1] <= max(values[1:-1]):
            raise ArgumentError("function", self.function, "unbounded on both sides of 0")

    def _value(self, x: float) -> float:
        value = float(self.function(float(x)))
        if not 0 <= value < float("inf"):
            raise ArgumentError(
                "function", self.function, f"finite and non-negative (it is {value} at {x})"
            )
        return value

    @property
    def name(self) -> str:
        return "custom"

    def spec(self) -> dict[str, Any]:
        return {"name": "custom"}

    def __call__(self, x: X) -> X:
        if hasattr(x, "shape") and x.shape:
            flat = [self._value(v) for v in x.ravel().tolist()]  # type: ignore[attr-defined]
            return type(x)(x.shape, buffer=memoryview(_doubles(flat)))  # type: ignore
        return self._value(float(x))  # type: ignore[arg-type,return-value]

    def lower(self, x: Fraction) -> Fraction:
        return Fraction(self._value(float(x)))

    @property
    def symmetric(self) -> bool:
        return False

    @property
    def falls_nowhere(self) -> bool:
        return self.convex

    def mirror(self) -> Loss:
        return Custom(lambda x: self.function(-x), self.convex, self.lipschitz)

    def _inside(self, lo: Fraction, hi: Fraction, parts: int) -> list[Fraction]:
        return [self.lower(lo + (hi - lo) * j / parts) for j in range(parts + 1)]

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        values = self._inside(lo, hi, 16)
        return (sum(values) - (values[0] + values[-1]) / 2) / 16

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        return _simpson(self, [lo + (hi - lo) * j / 16 for j in range(17)])

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        if not self.convex:
            return Fraction(self.lipschitz or 0) * (hi - lo) / 2
        values = self._inside(lo, hi, 16)
        chords = (values[0] + (values[-1] - values[0]) * j / 16 for j in range(17))
        return max(chord - value for chord, value in zip(chords, values, strict=True))

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        if self.convex:
            return super().release_point(x, g)
        return self.lower(x) + Fraction(self.lipschitz or 0) * g / 2

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        if self.convex:
            return super().release_run(middle, count, g)
        mean = self.cell_mean(middle - count * g / 2, middle + count * g / 2)
        return mean + Fraction(self.lipschitz or 0) * g / 2

    def tail(self, side: int, start: Fraction) -> Polynomial:
        raise ArgumentError("loss", "custom", "one with a known tail when delta is 0")


def _doubles(values: Sequence[float]) -> Any:
    from array import array

    return array("d", values)


def loss_from_spec(
    spec: object, number: Callable[[object, str], Fraction] = rational
) -> Loss:
    """The loss that a JSON object of the mechanism file names; `ArgumentError` if it names none.

    `number` reads a quantity; the checker passes a stricter one than `rational`.
    """
    if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
        raise ArgumentError("loss", type(spec).__name__, 'an object with a "name"')
    name = spec["name"]
    keys = {
        "l1": (), "l2": (), "pinball": ("tau",), "huber": ("width",), "power": ("p",),
        "piecewise": ("points", "slopes"), "sum": ("terms",),
    }.get(name)
    if keys is None:
        raise ArgumentError("loss", name, _NAMES)
    if set(spec) != {"name", *keys}:
        raise ArgumentError("loss", name, f"an object with the keys {', '.join(('name', *keys))}")
    if name == "l1":
        return L1()
    if name == "l2":
        return L2()
    if name == "pinball":
        return Pinball(number(spec["tau"], "tau"))
    if name == "huber":
        return Huber(number(spec["width"], "width"))
    if name == "power":
        return Power(number(spec["p"], "p"))
    if name == "piecewise":
        return _piecewise_from_spec(spec["points"], spec["slopes"], number)
    return _sum_from_spec(spec["terms"], number)


def _piecewise_from_spec(
    points: object, slopes: object, number: Callable[[object, str], Fraction]
) -> Piecewise:
    rows, ends = _rows(points, 2), _rows([slopes], 2)
    if rows is None or ends is None or not 1 <= len(rows) <= MAX_POINTS:
        raise ArgumentError(
            "loss", "piecewise", f"up to {MAX_POINTS} points [x, value] and two slopes"
        )
    return Piecewise(
        tuple((number(x, "points"), number(value, "points")) for x, value in rows),
        (number(ends[0][0], "slopes"), number(ends[0][1], "slopes")),
    )


def _sum_from_spec(terms: object, number: Callable[[object, str], Fraction]) -> Sum:
    rows = _rows(terms, 2)
    if rows is None or not 1 <= len(rows) <= MAX_TERMS:
        raise ArgumentError("loss", "sum", f"up to {MAX_TERMS} terms [weight, loss]")
    parts: list[tuple[Fraction, Loss]] = []
    points = 0
    for weight, spec in rows:
        if isinstance(spec, Mapping) and spec.get("name") == "sum":
            raise ArgumentError("loss", "sum within sum", "a flat sum: no term is a sum itself")
        part = loss_from_spec(spec, number)
        points += len(part.points) if isinstance(part, Piecewise) else 0
        if points > MAX_POINTS:
            raise ArgumentError("loss", "sum", f"a loss of at most {MAX_POINTS} points in all")
        parts.append((number(weight, "weight"), part))
    return Sum(tuple(parts))


def _rows(value: object, length: int) -> list[Sequence[object]] | None:
    """A list of lists of one length, or None if it is not that."""
    if not isinstance(value, list | tuple):
        return None
    if not all(isinstance(row, list | tuple) and len(row) == length for row in value):
        return None
    return list(value)


_NAMES = (
    '"l1" (or "absolute"), "l2" (or "squared"), "pinball:TAU", "power:P", "huber:WIDTH", '
    '"piecewise:FILE" or a loss object'
)


def as_loss(loss: str | Loss | Mapping[str, Any]) -> Loss:
    """The loss a user means by a name, a loss object, or the JSON object of a mechanism file."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, Mapping):
        return loss_from_spec(loss)
    if not isinstance(loss, str):
        raise ArgumentError("loss", loss, _NAMES)
    name, colon, parameter = loss.strip().partition(":")
    name = name.lower()
    if not colon and name in ("l1", "absolute"):
        return L1()
    if not colon and name in ("l2", "squared"):
        return L2()
    if colon and name == "pinball":
        return Pinball(parameter)
    if colon and name == "power":
        power = Power(parameter)  # type: ignore[arg-type]
        return L1() if power.p == 1 else power
    if colon and name == "huber":
        return Huber(parameter)  # type: ignore[arg-type]
    if colon and name == "piecewise":
        return _loss_from_file(parameter)
    raise ArgumentError("loss", loss, _NAMES)


def _loss_from_file(path: str) -> Loss:
    try:
        spec = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArgumentError(
            "loss", f"piecewise:{path}", f"a readable JSON file ({error})"
        ) from None
    return loss_from_spec(spec)
