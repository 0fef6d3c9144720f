"""Laplace noise: of scale sensitivity/epsilon, the smallest scale that delta allows, or truncated.

Its density is proportional to e^(-|x|/scale) on [-end, end], end possibly infinite. Why truncated
noise is private, delta > 1/2 included: `laplace.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..exact import Number
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


class Laplace(CutExponential):
    """Density e^(-|x|/s)/(2s), s = sensitivity/epsilon: (epsilon, 0)-private for epsilon > 0."""

    name: ClassVar[str] = "laplace"
    label: ClassVar[str] = "Laplace noise"
    citation: ClassVar[str] = "Dwork, McSherry, Nissim, Smith (2006), doi:10.1007/11681878_14"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.scale = self.sensitivity / self.epsilon
        self.note = "delta is not used" if self.delta > 0 else ""

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 else "epsilon > 0"


class CalibratedLaplace(CutExponential):
    """Laplace noise of scale sensitivity/(epsilon - 2 ln(1 - delta)).

    The hockey stick of Laplace noise of scale s at shift D is 1 - e^((epsilon - D/s)/2)
    for D/s >= epsilon: it equals delta here, so no Laplace noise of smaller scale is private.
    (diffprivlib's Laplace with delta uses epsilon - ln(1 - delta), which is private but wider.)
    """

    name: ClassVar[str] = "calibrated-laplace"
    label: ClassVar[str] = "Laplace noise calibrated to delta"
    citation: ClassVar[str] = "the hockey-stick divergence of Laplace noise, in closed form"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.scale = self.sensitivity / (self.epsilon - 2 * math.log1p(-self.delta))

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 or delta > 0 else "epsilon > 0 or delta > 0"


class TruncatedLaplace(CutExponential):
    """Laplace noise of scale D/epsilon cut to |x| <= (D/epsilon) ln(1 + (e^epsilon - 1)/(2 delta)).

    (epsilon, delta)-private for epsilon > 0 and 0 < delta < 1. It uses the whole delta up to
    delta = 1/2; beyond, where the authors do not define it and the paper uses it all the same, it
    stays private and wastes (1 - e^-epsilon)(2 delta - 1)^2/(4 delta).
    """

    name: ClassVar[str] = "truncated-laplace"
    label: ClassVar[str] = "truncated Laplace noise"
    citation: ClassVar[str] = "Geng, Ding, Guo, Kumar (2020), arXiv:1810.00877"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.scale = self.sensitivity / self.epsilon
        self._end = self.scale * math.log1p(math.expm1(self.epsilon) / (2 * self.delta))
        if self.delta > 0.5:
            waste = -math.expm1(-self.epsilon) * (2 * self.delta - 1) ** 2 / (4 * self.delta)
            self.note = (
                "delta > 1/2 lies outside its authors' regime: it is still private, "
                f"but uses only {self.delta - waste:.6g} of delta"
            )

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 and delta > 0 else "epsilon > 0 and delta > 0"
