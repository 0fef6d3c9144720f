"""Noise with density proportional to e^(-|x|/scale) on [-end, end], end possibly infinite."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..numeric import Floats, floats, integrate
from .base import Mechanism


class CutExponential(Mechanism):
    """Common part of Laplace and truncated Laplace; log-concave, so the worst shift is largest."""

    #: The density falls by e over one scale.
    scale: float

    @property
    def _kept(self) -> float:
        """1 - e^(-end/scale): what the cut leaves of the untruncated mass."""
        return -math.expm1(-self._end / self.scale)

    def _density(self, t: Floats) -> Floats:
        inside = np.exp(-t / self.scale) / (2 * self.scale * self._kept)
        return np.where(t <= self._end, inside, 0.0)

    def _mass(self, u: Floats, v: Floats) -> Floats:
        lo, hi = np.minimum(u, self._end), np.minimum(v, self._end)
        some = lo < hi
        lo, hi = np.where(some, lo, 0.0), np.where(some, hi, 0.0)
        return np.exp(-lo / self.scale) * -np.expm1((lo - hi) / self.scale) / (2 * self._kept)

    def _tail_inverse(self, q: Floats) -> Floats:
        cut = math.exp(-self._end / self.scale)
        with np.errstate(divide="ignore"):
            t = -self.scale * np.log(cut + 2 * q * self._kept)
        return np.clip(t, 0.0, self._end)

    def _moment(self, power: int) -> float:
        ratio = self._end / self.scale
        if math.isinf(ratio):
            share = math.factorial(power) * 1.0
        elif ratio < 1:
            # The closed form below cancels for a short cut.
            share = integrate(lambda u: u**power * np.exp(-u), [0.0, ratio], 24) / self._kept
        elif power == 1:
            share = 1 - ratio * math.exp(-ratio) / self._kept
        else:
            share = 2 - (ratio * ratio + 2 * ratio) * math.exp(-ratio) / self._kept
        return share * self.scale**power

    def _panels(self, nats: float) -> Floats:
        stop = min(self._end, nats * self.scale)
        count = max(1, math.ceil(stop / self.scale))
        return np.linspace(0.0, stop, count + 1)

    def breakpoints(self) -> Floats:
        """0, where the density bends, and the ends where it is cut."""
        ends = [-self._end, self._end] if math.isfinite(self._end) else []
        return floats(sorted([*ends, 0.0]))

    def _crossings(self, epsilon: float, shift: float) -> Iterable[float]:
        # Between 0 and shift, log f(x) - log f(x - shift) = (|shift| - 2|x|)/scale.
        gap = (abs(shift) - epsilon * self.scale) / 2
        return (math.copysign(gap, shift),) if 0 < gap < abs(shift) else ()
