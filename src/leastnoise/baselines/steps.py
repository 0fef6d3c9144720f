"""Symmetric noise whose density falls by e^-rate at every step of one sensitivity.

Staircase, Tulap and uniform noise are all of this kind. In units of the sensitivity the density is
    height               for |x| < centre,
    height * e^(-rate*k) for centre + k - 1 <= |x| < centre + k,   k = 1 .. count,
one last step of width `rest` < 1 where the noise is bounded, and nothing beyond; plus an atom at 0.
Why the shifts of `_worst_shifts` suffice, and the sum of `hockey_stick`: `steps.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from ..errors import RegimeError
from ..exact import Number
from ..numeric import MANY, Floats, floats, geometric_sums, powers_sum
from .base import Mechanism


class StepNoise(Mechanism):
    """Common part of the mechanisms with a step density; all sums are geometric and exact."""

    stepped = True

    #: Half-width of the centre, number of full steps (may be inf), width of the last partial one.
    centre: float
    count: float
    rest: float
    #: The density falls by e^-rate per step.
    rate: float

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)

    def _shape(
        self, *, rate: float, centre: float, count: float, rest: float = 0.0, atom: float = 0.0
    ) -> None:
        """Fix the law; called once, at the end of a subclass's constructor."""
        self.rate, self.centre, self.count, self.rest = rate, centre, count, rest
        self._atom = atom
        self._end = self.sensitivity * (centre + count + rest)
        side = centre + geometric_sums(rate, count)[0] + self._last() * rest
        #: The density at 0, in units of 1/sensitivity.
        self._height = (1 - atom) / (2 * side)

    def _last(self) -> float:
        """Density of the partial step, relative to the centre."""
        return math.exp(-self.rate * (self.count + 1)) if self.rest > 0 else 0.0

    def _step(self, x: Floats) -> Floats:
        """Index of the step that holds x >= 0 (in units); 0 is the centre."""
        return np.where(x < self.centre, 0.0, np.floor(x - self.centre) + 1)

    def _value(self, x: Floats) -> Floats:
        """The density at any x, everything in units of the sensitivity."""
        size = np.abs(x)
        inside = size < self.centre + self.count + self.rest
        return np.where(inside, self._height * np.exp(-self.rate * self._step(size)), 0.0)

    def _density(self, t: Floats) -> Floats:
        return self._value(t / self.sensitivity) / self.sensitivity

    def _mass(self, u: Floats, v: Floats) -> Floats:
        end = self.centre + self.count + self.rest
        lo, hi = (np.minimum(x / self.sensitivity, end) for x in (u, v))
        empty = ~(lo < hi)
        lo, hi = np.where(empty, 0.0, lo), np.where(empty, 0.0, hi)
        a, b = self._step(lo), self._step(hi)
        at_lo = np.exp(-self.rate * a)
        # Rest of the first step, whole steps between, start of the last one.
        first = np.maximum(self.centre + a - lo, 0)
        whole = math.exp(-self.rate) * powers_sum(self.rate, np.maximum(b - a - 1, 0))
        stop, step = np.where(np.isinf(hi), 0.0, hi), np.where(np.isinf(hi), 1.0, b)
        last = np.exp(-self.rate * step) * np.maximum(stop - (self.centre + step - 1), 0)
        across = at_lo * (first + whole) + last
        same = at_lo * (np.where(a == b, hi, lo) - lo)
        return np.where(empty, 0.0, self._height * np.where(a == b, same, across))

    def _edge_tail(self, k: Floats) -> Floats:
        """Mass beyond the right edge of step k."""
        whole = np.maximum(self.count - k, 0)
        steps = np.exp(-self.rate * (k + 1)) * powers_sum(self.rate, whole)
        return self._height * (steps + np.where(k <= self.count, self._last() * self.rest, 0.0))

    def _tail_inverse(self, q: Floats) -> Floats:
        if self.rate == 0:
            k = self.count + self.rest - q / self._height
        else:
            # _edge_tail(k) = height*e^(-rate(k+1))/(1 - e^-rate) - beyond, with a constant beyond.
            w = -math.expm1(-self.rate)
            beyond = 0.0 if math.isinf(self.count) else math.exp(-self.rate * (self.count + 1))
            beyond *= 1 - w * self.rest if beyond else 0.0
            with np.errstate(divide="ignore"):
                k = -np.log(q * w / self._height + beyond) / self.rate - 1
        k = np.clip(np.ceil(k), 0, self.count + (self.rest > 0))
        k = np.where(np.isinf(k), 0, k)
        k = np.where(self._edge_tail(k) > q, k + 1, k)
        k = np.where((k >= 1) & (self._edge_tail(np.maximum(k - 1, 0)) <= q), k - 1, k)
        # The partial step ends early, at `rest` of its width.
        edge = np.minimum(self.centre + k, self.centre + self.count + self.rest)
        excess = (q - self._edge_tail(k)) / (self._height * np.exp(-self.rate * k))
        t = self.sensitivity * np.clip(edge - excess, 0, None)
        never = (q <= 0) & (math.isinf(self.count))
        return np.where(never, np.inf, np.where(q <= 0, self._end, t))

    def _moment(self, power: int) -> float:
        s0, s1, s2 = geometric_sums(self.rate, self.count)
        g, m = self.centre, self.centre - 0.5
        last = self._last()
        start = self.centre + self.count if last else 0.0
        if power == 1:
            side = g * g / 2 + m * s0 + s1 + last * self.rest * (start + self.rest / 2)
        else:
            # The mean of x^2 over a unit step with midpoint y is y^2 + 1/12.
            side = g**3 / 3 + (m * m + 1 / 12) * s0 + 2 * m * s1 + s2
            side += last * self.rest * (start**2 + start * self.rest + self.rest**2 / 3)
        return 2 * self._height * side * self.sensitivity**power

    def _panels(self, nats: float) -> Floats:
        steps = self.count if self.rate == 0 else min(self.count, math.ceil(nats / self.rate))
        if steps > MANY:
            raise RegimeError(
                f"{self.label} has {steps:.3g} steps at epsilon={self.epsilon!r}, "
                f"delta={self.delta!r}; at most {MANY} can be listed"
            )
        edges = self.centre + np.arange(steps + 1.0)
        if steps == self.count and self.rest > 0:
            edges = np.append(edges, self.centre + self.count + self.rest)
        return self.sensitivity * np.unique(np.concatenate([[0.0], edges]))

    def breakpoints(self) -> Floats:
        """Every jump of the density, within the part that holds all but 1e-17 of it."""
        inner = self._panels(40.0)[1:]
        return np.concatenate([-inner[::-1], inner])

    # --- privacy -------------------------------------------------------------------------------

    def _corners(self) -> list[float]:
        """Jumps of the density in units, up to whole steps."""
        ends = [] if math.isinf(self.count) else [self.centre + self.count + self.rest]
        return [self.centre, *ends]

    def _worst_shifts(self) -> Iterable[float]:
        # The hockey stick is affine in the shift between those at which two jumps meet.
        places = [s * c for c in self._corners() for s in (-1, 1)]
        gaps = {(x - y) % 1.0 for x in places for y in places}
        return [self.sensitivity * g for g in sorted({*gaps, 1.0} - {0.0})]

    def hockey_stick(self, epsilon: float, shift: float) -> float:
        """sup over events A of P(X in A) - e^epsilon P(X + shift in A), exact up to rounding."""
        if shift == 0:
            return max(0.0, -math.expm1(epsilon))
        s = abs(shift) / self.sensitivity
        places = [sign * c + move for c in self._corners() for sign in (-1, 1) for move in (0, s)]
        # One period [K, K+1) splits at the same offsets for every whole K, so the lengths carry
        # no rounding of large numbers.
        offsets = np.unique([0.0, *(p % 1.0 for p in places), 1.0])
        lengths, middles = np.diff(offsets), (offsets[1:] + offsets[:-1]) / 2

        def period(start: Floats) -> Floats:
            x = start[:, None] + middles
            gain = self._value(x) - np.exp(epsilon) * self._value(x - s)
            return floats(np.maximum(gain, 0) @ lengths)

        return float(self._atom + self._sum_periods(period, math.ceil(s) + 3))

    def _sum_periods(self, period: Callable[[Floats], Floats], margin: int) -> float:
        """Sum of `period` over all whole numbers.

        Further than `margin` from 0 and from the ends, each period is e^-rate times its inner
        neighbor.
        """
        outer = self.centre + self.count + self.rest
        last = math.ceil(outer) + margin if math.isfinite(outer) else math.inf
        # A centre of many periods occurs only where all of them are alike.
        inner = margin + math.ceil(self.centre) if self.rate else margin
        if last <= inner + 4 * margin:
            return float(period(np.arange(-last - 1.0, last + 1)).sum())
        total = float(period(np.arange(-inner, inner + 0.0)).sum())
        run = last - 2 * margin - inner
        geometric = powers_sum(self.rate, run)
        total += float(geometric * period(floats([inner, -inner - 1])).sum())
        if math.isfinite(last):
            ends = np.arange(last - 2.0 * margin, last + 1)
            total += float(period(ends).sum() + period(-ends - 1).sum())
        return total
