"""Gaussian noise: the common part, the classic calibration, and the smallest sigma."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from ..exact import Number
from ..gaussian import smallest_sigma
from ..numeric import Floats, floats
from .base import Mechanism


class Normal(Mechanism):
    """Noise of density e^(-x^2/(2 sigma^2)); log-concave, so the largest shift is the worst."""

    sigma: float

    def _density(self, t: Floats) -> Floats:
        return np.exp(-0.5 * (t / self.sigma) ** 2) / (self.sigma * math.sqrt(2 * math.pi))

    def _mass(self, u: Floats, v: Floats) -> Floats:
        return floats(ndtr(-u / self.sigma) - ndtr(-v / self.sigma))

    def _tail_inverse(self, q: Floats) -> Floats:
        return floats(np.maximum(0.0, -self.sigma * ndtri(q)))

    def _moment(self, power: int) -> float:
        return self.sigma * math.sqrt(2 / math.pi) if power == 1 else self.sigma**2

    def _panels(self, nats: float) -> Floats:
        reach = math.sqrt(2 * nats)
        return np.linspace(0.0, reach * self.sigma, math.ceil(2 * reach) + 1)

    def _crossings(self, epsilon: float, shift: float) -> Iterable[float]:
        # log f(x) - log f(x - shift) is linear in x.
        return (shift / 2 - epsilon * self.sigma**2 / shift,)


class Gaussian(Normal):
    """The classic calibration, sigma = sensitivity * sqrt(2 ln(1.25/delta))/epsilon.

    (epsilon, delta)-private for 0 < epsilon <= 1 (proven below 1; at 1 by the exact profile), and
    usually far wider than needed. Beyond epsilon = 1 the formula is not private for small delta,
    so it is refused.
    """

    name: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "classic Gaussian noise"
    citation: ClassVar[str] = "Dwork, Roth (2014), Theorem A.1, doi:10.1561/0400000042"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        width = math.sqrt(2 * math.log(1.25 / self.delta)) / self.epsilon
        self.sigma = self.sensitivity * width
        self.note = "epsilon = 1 is the edge of its regime" if self.epsilon == 1 else ""

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if 0 < epsilon <= 1 and delta > 0 else "0 < epsilon <= 1 and delta > 0"


class AnalyticGaussian(Normal):
    """Gaussian noise whose exact profile passes through (epsilon, delta); needs delta > 0."""

    name: ClassVar[str] = "analytic-gaussian"
    label: ClassVar[str] = "analytic Gaussian noise"
    citation: ClassVar[str] = "Balle, Wang (2018), arXiv:1805.06530"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.sigma = self.sensitivity * smallest_sigma(self.epsilon, self.delta)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if delta > 0 else "delta > 0"
