"""Discrete Gaussian noise, calibrated by its exact hockey stick."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..errors import RegimeError
from ..exact import Number
from ..gaussian import smallest_sigma
from ..numeric import Floats, floats
from .integer import IntegerMechanism

#: The table of masses has about 39 sigma entries.
_WIDEST = 1e5


def discrete_gaussian_delta(epsilon: float, sensitivity: float, sigma: float) -> float:
    """Hockey stick of mass proportional to e^(-k^2/(2 sigma^2)) at shift `sensitivity`.

    The ratio of the two laws falls with k, so the worst event is all k below a threshold.
    """
    threshold = math.ceil(sensitivity / 2 - epsilon * sigma**2 / sensitivity)
    reach = math.ceil(14 * sigma + 1)

    mass = np.exp(-0.5 * (np.arange(-reach, reach) / sigma) ** 2)

    def below(stop: float) -> float:
        """Unnormalised mass of k < stop, summed from the small end."""
        return float(mass[: max(0, math.ceil(stop) + reach)].sum())

    gain = below(threshold) - math.exp(epsilon) * below(threshold - sensitivity)
    return gain / below(reach)


class DiscreteGaussian(IntegerMechanism):
    """P(X = k) proportional to e^(-k^2/(2 sigma^2)) with the smallest private sigma; delta > 0.

    Log-concave, so among the whole shifts up to the sensitivity the largest is the worst one,
    and sigma is where its hockey stick equals delta.
    """

    name: ClassVar[str] = "discrete-gaussian"
    label: ClassVar[str] = "discrete Gaussian noise"
    citation: ClassVar[str] = "Canonne, Kamath, Steinke (2020), arXiv:2004.00010"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.sigma = self._calibrate()
        k = np.arange(math.ceil(39 * self.sigma) + 2.0)
        shape = np.exp(-0.5 * (k / self.sigma) ** 2)
        shape /= shape[0] + 2 * shape[1:][::-1].sum()
        self._table = shape
        #: _tails[k] = P(X >= k), small terms first.
        self._tails = np.cumsum(shape[::-1])[::-1]

    def _calibrate(self) -> float:
        start = self.sensitivity * smallest_sigma(self.epsilon, self.delta)
        if start > _WIDEST:
            raise RegimeError(
                f"{self.label} is tabulated for sigma up to {_WIDEST:g}, and epsilon="
                f"{self.epsilon!r}, delta={self.delta!r}, sensitivity={self.sensitivity!r} "
                f"needs about {start:.3g}"
            )

        def excess(log_sigma: float) -> float:
            sigma = math.exp(log_sigma)
            return discrete_gaussian_delta(self.epsilon, self.sensitivity, sigma) - self.delta

        low = high = math.log(start)
        while excess(low) <= 0:
            low -= 0.25
        while excess(high) > 0:
            high += 0.25
        from scipy.optimize import brentq  # (slow to import)

        root = float(brentq(excess, low, high, xtol=1e-14, rtol=1e-15))
        while excess(root) > 0:  # the side of the root that is private
            root += 1e-14
        return math.exp(root)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if delta > 0 else "delta > 0"

    def _density(self, t: Floats) -> Floats:
        last = len(self._table) - 1
        return np.where(t <= last, self._table[np.minimum(t, last).astype(np.int64)], 0.0)

    def _mass(self, u: Floats, v: Floats) -> Floats:
        last = len(self._table) - 1
        lo, hi = (
            np.where(x <= last, self._tails[np.minimum(x, last).astype(np.int64)], 0.0)
            for x in (u, v)
        )
        return floats(np.maximum(lo - hi, 0.0))

    def _tail_inverse(self, q: Floats) -> Floats:
        # The first k >= 0 with P(X >= k+1) <= q; the tails fall with k.
        rising = self._tails[:0:-1]
        return floats(len(rising) - np.searchsorted(rising, q, side="right"))

    def _moment(self, power: int) -> float:
        k = np.arange(len(self._table), dtype=np.float64)
        return float(2 * (self._table * k**power)[::-1].sum())

    def _reach(self, nats: float) -> float:
        return min(len(self._table) - 1.0, math.ceil(math.sqrt(2 * nats) * self.sigma))

    def _crossings(self, epsilon: float, shift: float) -> Iterable[float]:
        return (shift / 2 - epsilon * self.sigma**2 / shift,)
