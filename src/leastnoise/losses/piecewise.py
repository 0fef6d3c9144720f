"""Piecewise linear losses: absolute error, quantiles, and any other.

Statements and proofs: `piecewise.proof.md`. Standard library only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from math import floor, lcm
from operator import itemgetter
from typing import Any

from ..errors import ArgumentError
from ..exact import Number, rational, text_of
from .base import HALF, QUARTER, Loss, Polynomial, X, simpson


@dataclass(frozen=True)
class Piecewise(Loss):
    """A continuous piecewise linear loss, convex or not.

    `points` are (x, c(x)) with x increasing; `slopes` are the slopes before the first and after
    the last point. Refused unless c >= 0 everywhere and the first slope < 0 < the last.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: too low costs 2 for each unit, too high 1, up to 1 nothing.

        >>> loss = Piecewise(points=[(0, 0), (1, 0)], slopes=(-2, 1))
        >>> float(loss(-3)), float(loss(3))
        (6.0, 2.0)
    """

    points: tuple[tuple[Fraction, Fraction], ...]
    slopes: tuple[Fraction, Fraction]
    #: The name in files and its number; only `L1` and `Pinball` set another one.
    _label: tuple[str, Fraction | None] = field(default=("piecewise", None), init=False, repr=False)

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
            raise ArgumentError("points", points, "at least one [x, value] pair")
        if any(a[0] >= b[0] for a, b in pairwise(points)):
            raise ArgumentError("points", points, "strictly increasing in x")
        if any(value < 0 for _, value in points):
            raise ArgumentError("points", points, "non-negative in value: a loss is >= 0")
        if not slopes[0] < 0 < slopes[1]:
            raise ArgumentError(
                "slopes", slopes, "negative before and positive after: a loss is unbounded"
            )
        try:
            _ = self._floats
        except OverflowError:
            raise ArgumentError("points", points, "numbers within the range of floats") from None

    @cached_property
    def _pieces(self) -> tuple[Fraction, ...]:
        """The slope before each point, and after the last."""
        inner = ((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(self.points))
        return (self.slopes[0], *inner, self.slopes[1])

    def kinks_between(self, lo: Fraction, hi: Fraction) -> int:
        first, last = (bisect_left(self.points, x, key=itemgetter(0)) for x in (lo, hi))
        return last - first

    @property
    def numbers(self) -> Iterator[Fraction]:
        yield from chain(*self.points, self._pieces)

    @cached_property
    def _bends(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """(t, slope after t less slope before it) for the points t where the slope changes."""
        changes = (right - left for left, right in pairwise(self._pieces))
        return tuple((t, bend) for t, bend in zip(self.kinks, changes, strict=True) if bend)

    @cached_property
    def _heights(self) -> tuple[Fraction, ...]:
        """Where the line of each piece meets 0."""
        starts = (self.points[0], *self.points)
        pairs = zip(starts, self._pieces, strict=True)
        return tuple(value - slope * x for (x, value), slope in pairs)

    @cached_property
    def _places(self) -> tuple[Fraction, ...]:
        return tuple(t for t, _ in self._bends)

    @cached_property
    def _floats(self) -> tuple[float, float, tuple[tuple[float, float], ...]]:
        """c(0), the mean outer slope, and every t with half its bend."""
        slope = float((self.slopes[0] + self.slopes[1]) / 2)
        halves = tuple((float(t), float(bend / 2)) for t, bend in self._bends)
        return float(self.lower(Fraction(0))), slope, halves

    @cached_property
    def _bits(self) -> int:
        numbers = (*(v for point in self.points for v in point), *self._pieces)
        return max(v.numerator.bit_length() + v.denominator.bit_length() for v in numbers)

    def _inside(self, lo: Fraction, hi: Fraction) -> slice:
        """Which bends lie strictly between lo and hi."""
        return slice(bisect_right(self._places, lo), bisect_left(self._places, hi))

    def effort_at(self, bits: int) -> int:
        # Every bend adds to the cell it lies in, and a comparison or two to every search.
        return 40 + 8 * len(self._bends).bit_length() + (bits + self._bits) // 10

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

    @property
    def exponent(self) -> Fraction | None:
        return Fraction(1) if self._label[0] == "l1" else None

    @property
    def symmetric(self) -> bool:
        bends = dict(self._bends)
        even = all(bends.get(-t) == bend for t, bend in self._bends)
        return even and self.slopes[0] == -self.slopes[1]

    @property
    def convex(self) -> bool:
        return all(bend > 0 for _, bend in self._bends)

    @property
    def falls_nowhere(self) -> bool:
        return all(self.steepness(side, Fraction(0)) >= 0 for side in (1, -1))

    @cached_property
    def kinks(self) -> tuple[Fraction, ...]:
        return tuple(x for x, _ in self.points)

    @property
    def quadratic_form(self) -> tuple[float, float, float] | None:
        if any(self.kinks):
            return None
        return float(self.points[0][1]), float(self.slopes[1] - self.slopes[0]) / 2, 0.0

    def mirror(self) -> Loss:
        points = tuple((-x, value) for x, value in reversed(self.points))
        name, parameter = self._label
        flipped = Piecewise(points, (-self.slopes[1], -self.slopes[0]))
        return flipped._labeled(name, None if parameter is None else 1 - parameter)

    def _labeled(self, name: str, parameter: Fraction | None) -> Piecewise:
        object.__setattr__(self, "_label", (name, parameter))
        return self

    def __call__(self, x: X) -> X:
        # c(x) = c(0) + slope*x + the sum of bend/2 * (|x - t| - |t|)
        at_zero, slope, halves = self._floats
        total: Any = at_zero + slope * x  # type: ignore[operator]
        for t, half in halves:
            total = total + half * (abs(x - t) - abs(t))  # type: ignore[operator]
        return total  # type: ignore[no-any-return]

    def lower(self, x: Fraction) -> Fraction:
        k = bisect_left(self.kinks, x)
        height, rise = self._heights[k], self._pieces[k] * x
        return height + rise if height else rise

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        inside = self._places[self._inside(lo, hi)]
        if not inside:
            return self.lower((lo + hi) / 2)
        values = [(x, self.lower(x)) for x in (lo, *inside, hi)]
        area = sum((b - a) * (start + end) for (a, start), (b, end) in pairwise(values))
        return area * HALF / (hi - lo)

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        inside = self._places[self._inside(lo, hi)]
        if inside:
            return simpson(self, [lo, *inside, hi])
        start, end = self.lower(lo), self.lower(hi)  # a line between them
        return (2 * start + end) / 6, (start + 2 * end) / 6

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        inside = slice(bisect_right(self.kinks, lo), bisect_left(self.kinks, hi))
        return min(self.lower(lo), self.lower(hi), *(value for _, value in self.points[inside]))

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        beyond = (value for x, value in self.points if side * x > edge)
        return min([self.lower(side * edge), *beyond])

    def steepness(self, side: int, edge: Fraction) -> Fraction:
        if side > 0:
            return min(self._pieces[bisect_right(self.kinks, edge) :])
        return -max(self._pieces[: bisect_left(self.kinks, -edge) + 1])

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        inside = self._places[self._inside(lo, hi)]
        if not inside:
            return Fraction(0)
        start, end = self.lower(lo), self.lower(hi)
        excess = (start + (end - start) * (t - lo) / (hi - lo) - self.lower(t) for t in inside)
        return max(Fraction(0), *excess)

    def minorant(self, i: int, step: Fraction) -> Fraction:
        x = i * step
        return self.lower(x) - max(self.chord_error(x - step, x), self.chord_error(x, x + step))

    def minorants(self, first: int, last: int, step: Fraction) -> Iterator[Fraction]:
        # A chord errs only where a bend lies strictly between its ends.
        near = self._places[self._inside((first - 1) * step, (last + 1) * step)]
        errors: dict[int, Fraction] = {}
        for j in dict.fromkeys(floor(t / step) for t in near):
            error = self.chord_error(j * step, (j + 1) * step)
            for i in (j, j + 1):
                errors[i] = max(error, errors.get(i, error))
        for i, value in enumerate(self.on_lattice(first, last, step), first):
            yield value - errors[i] if i in errors else value

    def on_lattice(self, first: int, last: int, step: Fraction) -> Iterator[Fraction]:
        # On each piece whole numbers over one denominator.
        i = first
        for k in range(bisect_left(self.kinks, first * step), len(self._pieces)):
            end = min(last, floor(self.kinks[k] / step)) if k < len(self.kinks) else last
            if end < i:
                continue
            rise, at_zero = self._pieces[k] * step, self._heights[k]
            unit = lcm(rise.denominator, at_zero.denominator)
            up, start = int(rise * unit), int(at_zero * unit)
            for j in range(i, end + 1):
                yield Fraction(start + up * j, unit)
            i = end + 1
            if i > last:
                return

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        bends = self._bends[self._inside(x - g, x + g)]
        near = (bend * (g - abs(x - t)) for t, bend in bends if bend > 0)
        return self.lower(x) + sum(near, Fraction(0)) * QUARTER

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        first = middle - (count - 1) * g / 2
        last = middle + (count - 1) * g / 2
        near = self._bends[self._inside(first - g, last + g)]
        if not near:
            return self.lower(middle)
        # Points first + j*g, 0 <= j < count: an arithmetic series up to each bend, and the extra
        # of `release_point` at the two points next to a bend.
        places = [floor((t - first) / g) for t, _ in near]
        total, start = Fraction(0), 0
        for stop in (*places, count - 1):
            end = min(stop, count - 1)
            if end >= start:
                total += (end - start + 1) * self.lower(first + Fraction(start + end, 2) * g)
                start = end + 1
        for below, (t, bend) in zip(places, near, strict=True):
            for j in (below, below + 1):
                close = g - abs(first + j * g - t)
                if bend > 0 and close > 0 and 0 <= j < count:
                    total += bend * close * QUARTER
        return total / count

    def release_cells(self, weights: Mapping[int, int], step: Fraction, grid: int) -> Fraction:
        reach = step * (grid + 1) / (2 * grid)
        bent = {
            i
            for t in self._places
            for i in range(floor((t - reach) / step), floor((t + reach) / step) + 2)
        }
        # On each piece cost is affine in the number of a cell: two whole sums are enough.
        ends = [floor(x / step) for x in self.kinks]
        masses, moments = [0] * len(self._pieces), [0] * len(self._pieces)
        for i, w in weights.items():
            if i not in bent:
                k = bisect_left(ends, i)
                masses[k] += w
                moments[k] += w * i
        total = super().release_cells({i: weights[i] for i in bent & weights.keys()}, step, grid)
        for k, slope in enumerate(self._pieces):
            near, value = self.points[max(0, k - 1)]
            total += masses[k] * (value - slope * near) + moments[k] * slope * step
        return total

    def run_mean(self, middle: Fraction, count: int, g: Fraction) -> Fraction | None:
        half = (count - 1) * g / 2
        straight = not self._bends[self._inside(middle - half, middle + half)]
        return self.lower(middle) if straight else super().run_mean(middle, count, g)

    @property
    def smeared(self) -> Fraction | None:
        return sum((max(bend, Fraction(0)) for _, bend in self._bends), Fraction(0)) / 8

    def tail(self, side: int, start: Fraction) -> Polynomial:
        last = max(side * x for x in self.kinks)
        if start < last:
            raise ArgumentError("start", start, f"at least the last kink, {last}")
        slope = abs(self.slopes[1] if side > 0 else self.slopes[0])
        anchor = max(Fraction(0), last)
        return [self.lower(side * anchor) - slope * anchor, slope]

    @property
    def tail_is_sharp(self) -> bool:
        return True


def L1() -> Piecewise:
    """Absolute error, c(x) = |x|.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: noise for a count, with the least mean absolute error.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True, loss=L1())
        >>> round(best.upper, 4)
        0.8509
    """
    unit = Fraction(1)
    return Piecewise(((Fraction(0), Fraction(0)),), (-unit, unit))._labeled("l1", None)


def Pinball(tau: Number) -> Piecewise:
    """Quantile loss: tau * x for x > 0 and (1 - tau) * |x| for x < 0, with 0 < tau < 1.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: an answer that is too high is four times as bad.

        >>> Pinball("0.8").name, float(Pinball("0.8")(1)), float(Pinball("0.8")(-1))
        ('pinball:0.8', 0.8, 0.2)
    """
    share = rational(tau, "tau")
    if not 0 < share < 1:
        raise ArgumentError("tau", tau, "strictly between 0 and 1")
    return Piecewise(((Fraction(0), Fraction(0)),), (share - 1, share))._labeled("pinball", share)
