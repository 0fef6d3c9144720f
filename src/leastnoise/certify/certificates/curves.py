"""A lower bound on the loss of every private vector noise, from curves, by weak duality.

The multipliers are constant between curves, so each value of the dual function is a handful of
caps of the sphere. The bound is proven on whole intervals of radii by enclosing the slope.
Statement and proof: `curves.proof.md`. Standard library only; e^eps rounded up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from ...exact import exp_upper
from ...losses import Loss
from ...work import arithmetic, bits, charge, once
from ..enclosures import Bounds, cap_bounds, ceil_at, half_power_of, inverse_pi
from ..fields import demand

if TYPE_CHECKING:
    from ..kinds.vector import Curves, VectorCertificate

#: Halvings of a step that an interval of radii may go through.
_DEPTH = 24
#: Bits that numbers have in most files.
_SHORT = 128


@dataclass(frozen=True)
class Term:
    """`gain` * P(|r theta - shift e| > y) for radii from `start` to `end`; y runs evenly from one
    value to the other."""

    shift: int
    gain: int
    start: int
    end: int
    y_start: int
    y_end: int


@dataclass(frozen=True)
class DualProof:
    """What became of the claim that theta bounds the dual function from below.

    `verdict` is True (proven), False (a radius contradicts it) or None (too close to call). `at` is
    the radius where it was decided, in units of the sensitivity.
    """

    verdict: bool | None
    least: Fraction | None
    at: Fraction


class DualFunction:
    """c(r) + G(r) for the multipliers of a certificate, on all r >= 0."""

    def __init__(
        self,
        dimension: int,
        epsilon: Fraction,
        sensitivity: Fraction,
        loss: Loss,
        certificate: VectorCertificate,
    ) -> None:
        self.dimension, self.loss = dimension, loss
        self.unit = certificate.step / (1 << _DEPTH)
        self.sensitivity = int(sensitivity / self.unit)
        factor = exp_upper(epsilon)
        #: Everything is in units of 1 / (scale * 2^bits).
        self.scale = certificate.unit.denominator * factor.denominator
        size = certificate.budget * factor
        self.bits = 72 + max(0, int(size).bit_length() - 8) + 2 * dimension.bit_length()
        self._losses: dict[int, Bounds] = {}
        #: What is known of terms at a radius, until all that begins there is settled.
        self._tails: dict[int, dict[int, int]] = {}
        self._lines: dict[int, dict[int, tuple[Bounds, Bounds]]] = {}
        self.terms: list[Term] = []
        #: (from, minus the weight): mass that the columns take without any cap.
        self._marks: list[tuple[int, int]] = []
        self.end = 0
        for curves in certificate.curves(sensitivity):
            self._add(curves, certificate.unit, factor)
        self._density = self._density_constant()

    def _add(self, curves: Curves, unit: Fraction, factor: Fraction) -> None:
        """The terms of the curves for one length of shift."""
        shift = curves.shift << _DEPTH
        points = [(rho << _DEPTH, sigma << _DEPTH) for rho, sigma in curves.points]
        first, more = int(unit * self.scale), int(unit * factor * self.scale)
        balance: dict[tuple[int, int], int] = {}
        for i, j, count in curves.pieces:
            (rho, sigma), (rho_2, sigma_2) = points[i], points[j]
            self.end = max(self.end, rho_2 + shift)
            self.terms.append(Term(shift, first * count, rho, rho_2, sigma, sigma_2))
            self._cross(shift, more * count, points[i], points[j])
            balance[points[i]] = balance.get(points[i], 0) - count
            balance[points[j]] = balance.get(points[j], 0) + count
        for (rho, sigma), count in balance.items():
            # What ends in a point without going on rises to infinity there, and vice versa.
            if count and rho and sigma < rho + shift:
                self._cross(shift, more * count, (rho, sigma), (rho, rho + shift))

    def _cross(
        self, shift: int, loss: int, first: tuple[int, int], second: tuple[int, int]
    ) -> None:
        """Take loss * P(X < crossing) away where a piece rises through r, add it where it falls."""
        (rho, sigma), (rho_2, sigma_2) = first, second
        if sigma > sigma_2:
            loss, rho, sigma, rho_2, sigma_2 = -loss, rho_2, sigma_2, rho, sigma
        if sigma < sigma_2:
            # -P(X < y) is P(X > y) - 1, never less.
            self.terms.append(Term(shift, loss, sigma, sigma_2, rho, rho_2))
            self._marks += [(sigma, -loss), (sigma_2, loss)]

    def _density_constant(self) -> Bounds:
        """The density of a coordinate of the sphere at 0: 1 / B(1/2, (d-1)/2)."""
        d, bits = self.dimension, self.bits
        if d < 2:
            return 0, 0
        # d = 2: 1/pi, d = 3: 1/2; from d to d + 2 it grows by d / (d - 1).
        lo, hi = inverse_pi(bits) if d % 2 == 0 else (1 << (bits - 1), 1 << (bits - 1))
        for k in range(2 + d % 2, d, 2):
            lo, hi = lo * k // (k - 1), -(-hi * k // (k - 1))
        return lo, hi

    # -- one term -------------------------------------------------------------------------------

    def _cosine(self, term: Term, r: int) -> Bounds:
        """(y^2 - r^2 - shift^2) / (2 r shift) in fixed point."""
        width = term.end - term.start
        y = term.y_start * (term.end - r) + term.y_end * (r - term.start)
        top = y * y - (r * r + term.shift**2) * width * width
        bottom = 2 * r * term.shift * width * width
        value = (top << self.bits) // bottom
        return value, value + 1

    def _tail(self, cosine: Bounds, side: int) -> int:
        """A lower (side 0) or upper (side 1) bound of P(cos > a) for a within the two."""
        unit = 1 << self.bits
        if self.dimension > 1:
            return cap_bounds(self.dimension - 2, cosine[1 - side], self.bits)[side]
        if side:
            return unit if cosine[0] <= -unit else (unit >> 1 if cosine[0] <= unit else 0)
        return unit if cosine[1] < -unit else (unit >> 1 if cosine[1] < unit else 0)

    def _slope(self, term: Term, r: int) -> Bounds:
        """da/dr times one unit of the sensitivity, in fixed point."""
        width = term.end - term.start
        rise = term.y_end - term.y_start
        level = term.y_start * term.end - term.y_end * term.start
        top = (rise * rise - width * width) * r * r - (level * level - (term.shift * width) ** 2)
        bottom = 2 * width * width * r * r * term.shift
        value = (top * self.sensitivity << self.bits) // bottom
        return value, value + 1

    def _density_range(self, low: int, high: int) -> Bounds | None:
        """Bounds of the density of the cosine between low and high; None where it is unbounded."""
        unit, bits, d = 1 << self.bits, self.bits, self.dimension
        outside = low < -unit or high > unit
        if d <= 2 and (low <= -unit or high >= unit):
            return None
        if d == 1:
            return 0, 0
        near = 0 if low <= 0 <= high else min(abs(low), abs(high), unit)
        far = min(max(abs(low), abs(high)), unit)
        # 1 - a^2 is at most `most` and at least `least`.
        most, least = unit - (near * near >> bits), max(0, unit - (far * far >> bits) - 1)
        if d == 2:
            small = half_power_of(least, 1, bits, up=False)
            large = half_power_of(most, 1, bits, up=True)
            if small == 0:
                return None
            return (self._density[0] << bits) // large, (self._density[1] << bits) // small + 1
        top = half_power_of(most, d - 3, bits, up=True)
        bottom = 0 if outside else half_power_of(least, d - 3, bits, up=False)
        return bottom * self._density[0] >> bits, (top * self._density[1] >> bits) + 1

    # -- one interval ---------------------------------------------------------------------------

    def _zero(self, term: Term, r: int) -> Bounds:
        """Bounds of the tail on radii from 0 to r, without a cosine."""
        unit, shift = 1 << self.bits, term.shift
        width = term.end - term.start
        y_0 = term.y_start * term.end + term.y_end * (0 - term.start)
        y_1 = term.y_start * (term.end - r) + term.y_end * (r - term.start)
        if y_0 < shift * width and y_1 < (shift - r) * width:
            return unit, unit
        if y_0 > shift * width and y_1 > (shift + r) * width:
            return 0, 0
        return 0, unit

    def least_on(self, terms: list[Term], base: int, start: int, end: int) -> int:
        """A lower bound on the radii between start and end, times scale * 2^bits."""
        fixed = base << self.bits
        at = [self._loss_at(start)[0], self._loss_at(end)[0]]
        low, high = self._loss_slope(start, end)
        for term in terms:
            side = 0 if term.gain > 0 else 1
            fall, tails = self._ends(term, start, end, side)
            if fall is None:
                fixed += term.gain * tails[0]
                continue
            for k in (0, 1):
                at[k] += term.gain * tails[k]
            pull = (-term.gain * fall[0], -term.gain * fall[1])
            low, high = low + min(pull), high + max(pull)
        step = end - start
        falls, rises = low * step // self.sensitivity, -(-high * step // self.sensitivity)
        if falls >= 0:
            return at[0] + fixed
        if rises <= 0:
            return at[1] + fixed
        # Above both lines at[0] + falls * t and at[1] - rises * (1 - t), 0 <= t <= 1.
        least = (rises * at[0] - falls * at[1] + falls * rises) // (rises - falls)
        return min(least, *at) + fixed

    def most_at(self, terms: list[Term], base: int, r: int) -> int:
        """An upper bound on the limit at r > 0 from within the interval."""
        total = self._loss_at(r)[1] + (base << self.bits)
        for term in terms:
            total += term.gain * self._tail(self._cosine(term, r), 1 if term.gain > 0 else 0)
        return total

    def _ends(
        self, term: Term, start: int, end: int, side: int
    ) -> tuple[Bounds | None, tuple[int, int]]:
        """Bounds of -d(tail)/dr times the sensitivity, and the tails at both ends.

        The tails are rounded down (side 0) or up (side 1). None instead of the slope: it has no
        bound, and the first tail is a bound on all the interval.
        """
        if start == 0:
            bound = self._zero(term, end)[side]
            return None, (bound, bound)
        here, there = self._line_at(term, start), self._line_at(term, end)
        cosines, slopes = (here[0], there[0]), (here[1], there[1])
        slope = min(slopes[0][0], slopes[1][0]), max(slopes[0][1], slopes[1][1])
        low = min(cosines[0][0], cosines[1][0])
        high = max(cosines[0][1], cosines[1][1])
        if slope[0] < 0 < slope[1]:  # it may turn inside
            reach = max(-slope[0], slope[1]) * (end - start) // self.sensitivity + 1
            low, high = low - reach, high + reach
        density = self._density_range(low, high)
        if density is None:
            bound = self._tail((low, high), side)
            return None, (bound, bound)
        products = [p * q for p in density for q in slope]
        fall = min(products) >> self.bits, -(-max(products) >> self.bits)
        return fall, (
            self._tail_at(term, start, cosines[0], side),
            self._tail_at(term, end, cosines[1], side),
        )

    def _line_at(self, term: Term, r: int) -> tuple[Bounds, Bounds]:
        """The cosine and its slope at an end of an interval, where the next one begins: kept."""
        known = self._lines.setdefault(r, {})
        if id(term) not in known:
            known[id(term)] = self._cosine(term, r), self._slope(term, r)
        return known[id(term)]

    def _tail_at(self, term: Term, r: int, cosine: Bounds, side: int) -> int:
        """The tail there, kept too."""
        known = self._tails.setdefault(r, {})
        if id(term) not in known:
            known[id(term)] = self._tail(cosine, side)
        return known[id(term)]

    def _loss_at(self, r: int) -> Bounds:
        bounds = self._losses.get(r)
        if bounds is None:
            x, size = r * self.unit, self.scale << self.bits
            low, high = self.loss.lower(x), self.loss.upper(x)
            bounds = (
                low.numerator * size // low.denominator,
                -(-high.numerator * size // high.denominator),
            )
            self._losses[r] = bounds
        return bounds

    def _loss_slope(self, start: int, end: int) -> Bounds:
        """Bounds of c'(r) times the sensitivity, from secants outside: c is convex."""
        step = end - start
        big = self.sensitivity
        before = max(0, start - step)
        low = 0
        if before < start:
            rise = self._loss_at(start)[0] - self._loss_at(before)[1]
            low = max(0, rise * big // (start - before))
        rise = self._loss_at(end + step)[1] - self._loss_at(end)[0]
        return low, -(-rise * big // step)

    # -- all radii ------------------------------------------------------------------------------

    def prove(self, theta: Fraction) -> DualProof:
        """Whether c(r) + G(r) >= theta for every r >= 0."""
        goal = ceil_at(theta * self.scale, self.bits)
        cost = term_work(self.dimension, self.bits)
        length = bits(self.unit) + 32
        each = 40 + 4 * self.loss.effort_at(length)
        each += arithmetic(length + self.scale.bit_length() + self.bits) - 2
        least: int | None = None
        last = self._loss_at(self.end)[0]
        if last < goal:
            return self._decided(False, last, self.end)
        for terms, base, start, end in self.intervals():
            stack = [(start, end)]
            while stack:
                a, b = stack.pop()
                charge(each + cost * len(terms))
                bound = self.least_on(terms, base, a, b)
                if bound >= goal:
                    least = bound if least is None else min(least, bound)
                    self._tails.pop(a, None)
                    self._lines.pop(a, None)
                    continue
                # A claim that is false by much fails at once; one that is false by little, at last.
                if (a, b) == (start, end) or b - a < 2:
                    charge(cost * len(terms) // 2)
                    for r in (a, b):
                        top = self.most_at(terms, base, r) if r else goal
                        if top < goal:
                            return self._decided(False, top, r)
                if b - a < 2:
                    return self._decided(None, bound, a)
                middle = (a + b) // 2
                stack += [(middle, b), (a, middle)]
        return self._decided(True, min(last, last if least is None else least), self.end)

    def _decided(self, verdict: bool | None, value: int | None, at: int) -> DualProof:
        least = None if value is None else Fraction(value, self.scale << self.bits)
        return DualProof(verdict, least, Fraction(at, self.sensitivity))

    def intervals(self) -> Iterator[tuple[list[Term], int, int, int]]:
        """(terms, constant, start, end) of every interval on which the terms are the same.

        One after the other: all lists together would be long.
        """
        marks = {0, self.end}
        for term in self.terms:
            marks.update(m for m in (term.start, term.end) if 0 < m < self.end)
        ordered = sorted(marks)
        begun: dict[int, list[Term]] = {}
        ended: dict[int, list[Term]] = {}
        for term in self.terms:
            first, last = bisect_left(ordered, term.start), bisect_left(ordered, term.end)
            charge(4 + (last - first) // 8)
            if term.start < self.end:
                begun.setdefault(term.start, []).append(term)
                ended.setdefault(term.end, []).append(term)
        changes = dict.fromkeys(ordered, 0)
        for at, amount in self._marks:
            if at < self.end:
                changes[at] += amount
        base, here = 0, dict[int, Term]()
        for start, end in pairwise(ordered):
            base += changes[start]
            for term in ended.get(start, ()):
                del here[id(term)]
            here |= {id(term): term for term in begun.get(start, ())}
            yield list(here.values()), base, start, end


@once
def vector_dual(
    dimension: int,
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    loss: Loss,
    certificate: VectorCertificate,
    lower: Fraction,
) -> DualProof:
    """Whether the curves prove that every private noise has an expected loss of `lower` or more.

    `LimitError` if that takes more work than is left.
    """
    curves = certificate.curves(sensitivity)
    charge(20 * certificate.size + 4 * sum(len(curve.points) for curve in curves))
    demand(
        all(0 < curve.shift * certificate.step <= sensitivity for curve in curves),
        "a shift of the curves is not between 0 and the sensitivity",
    )
    theta = lower + delta * certificate.budget
    if not certificate.size:
        return DualProof(theta <= 0, Fraction(0), Fraction(0))
    return DualFunction(dimension, epsilon, sensitivity, loss, certificate).prove(theta)


def term_work(dimension: int, length: int = _SHORT) -> int:
    """Microseconds for one term on one interval: a cap, a density and two slopes.

    Caps are finite sums of about d/2 terms at first, later a series that is short. Numbers of
    more bits take longer series of longer numbers.
    """
    more = max(0, length - _SHORT)
    series = more // 2 + more * more // 800
    return series + (14 + dimension * 4 // 5 if dimension < 62 else 30 + dimension // 8)
