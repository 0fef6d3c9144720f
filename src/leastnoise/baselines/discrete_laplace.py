"""Discrete Laplace (two-sided geometric) noise, also cut to the shortest private support."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..bisection import bracket, first_integer
from ..exact import Number
from ..numeric import Floats, floats, geometric_sums, powers_sum
from .integer import IntegerMechanism


class CutGeometric(IntegerMechanism):
    """Mass proportional to e^(-rate*|k|) for |k| <= reach; log-concave."""

    rate: float

    def _shape(self, rate: float, reach: float) -> None:
        self.rate = rate
        self._end = reach
        self._top = 1 / (1 + 2 * math.exp(-rate) * float(powers_sum(rate, reach)))

    def _density(self, t: Floats) -> Floats:
        return np.where(t <= self._end, self._top * np.exp(-self.rate * t), 0.0)

    def _mass(self, u: Floats, v: Floats) -> Floats:
        lo, hi = (np.minimum(x, self._end + 1) for x in (u, v))
        some = lo < hi
        lo, hi = np.where(some, lo, 0.0), np.where(some, hi, 0.0)
        return self._top * np.exp(-self.rate * lo) * powers_sum(self.rate, hi - lo)

    def _tail_inverse(self, q: Floats) -> Floats:
        # P(X > k) = top*(e^(-rate(k+1)) - e^(-rate(end+1)))/(1 - e^-rate), inverted, then adjusted.
        if self.rate == 0:
            k = self._end - q / self._top
        else:
            cut = math.exp(-self.rate * (self._end + 1))
            with np.errstate(divide="ignore"):
                k = -np.log(cut - q * math.expm1(-self.rate) / self._top) / self.rate - 1
        k = np.clip(np.ceil(k), 0, self._end)
        k = np.where((self._from(k + 1) > q) & np.isfinite(k), k + 1, k)
        return np.where((k >= 1) & (self._from(np.maximum(k, 1)) <= q), k - 1, k)

    def _moment(self, power: int) -> float:
        return 2 * self._top * geometric_sums(self.rate, self._end)[power]

    def _reach(self, nats: float) -> float:
        return min(self._end, math.ceil(nats / self.rate) if self.rate else math.inf)

    def breakpoints(self) -> Floats:
        """0, where the mass bends, and the two ends."""
        ends = [-self._end - 0.5, self._end + 0.5] if math.isfinite(self._end) else []
        return floats(sorted([*ends, 0.0]))

    def _crossings(self, epsilon: float, shift: float) -> Iterable[float]:
        if self.rate == 0:
            return ()
        gap = (abs(shift) - epsilon / self.rate) / 2
        return (math.copysign(gap, shift),) if 0 < gap < abs(shift) else ()


class DiscreteLaplace(CutGeometric):
    """P(X = k) proportional to e^(-epsilon |k|/sensitivity): (epsilon, 0)-private, epsilon > 0.

    At sensitivity 1 optimal among (epsilon, 0)-private integer noise for symmetric losses that
    grow.
    """

    name: ClassVar[str] = "discrete-laplace"
    label: ClassVar[str] = "discrete Laplace noise"
    citation: ClassVar[str] = "Ghosh, Roughgarden, Sundararajan (2009), arXiv:0811.2841"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.note = "delta is not used" if self.delta > 0 else ""
        self._shape(self.epsilon / self.sensitivity, math.inf)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 else "epsilon > 0"


def cut_cost(rate: float, sensitivity: float, reach: float) -> float:
    """Mass of the outputs that a neighbor at distance `sensitivity` cannot produce.

    P(X < sensitivity - reach) for mass proportional to e^(-rate|k|) on |k| <= reach. On the
    other outputs the ratio is at most e^(rate*sensitivity), so this is the hockey stick at
    epsilon = rate*sensitivity, and log-concavity makes `sensitivity` the worst shift.
    """
    if sensitivity > 2 * reach:
        return 1.0
    whole = 1 + 2 * math.exp(-rate) * float(powers_sum(rate, reach))
    if reach >= sensitivity:
        first = reach - sensitivity + 1
        return math.exp(-rate * first) * float(powers_sum(rate, sensitivity)) / whole
    first = sensitivity - reach
    left = math.exp(-rate * first) * float(powers_sum(rate, reach - first + 1))
    return 1 - left / whole


class TruncatedDiscreteLaplace(CutGeometric):
    """P(X = k) proportional to e^(-epsilon |k|/D) on |k| <= K, with the smallest private K.

    (epsilon, delta)-private for epsilon >= 0 and delta > 0. K is whole, so delta is rarely used up.
    """

    name: ClassVar[str] = "truncated-discrete-laplace"
    label: ClassVar[str] = "truncated discrete Laplace noise"
    citation: ClassVar[str] = (
        "after Geng, Ding, Guo, Kumar (2020), arXiv:1810.00877, on the integers"
    )

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        rate, width = self.epsilon / self.sensitivity, int(self.sensitivity)

        def is_private(cut: int) -> bool:
            return cut_cost(rate, width, cut) <= self.delta

        self._shape(rate, float(first_integer(is_private, *bracket(is_private, 0, 1))))

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if delta > 0 else "delta > 0"
