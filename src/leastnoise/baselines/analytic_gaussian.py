"""Gaussian noise of the smallest private standard deviation (Balle, Wang)."""

from __future__ import annotations

import math
from typing import ClassVar

from scipy.special import erfinv, log_ndtr, ndtr

from ..bisection import bracket, narrow
from ..exact import Number
from .gaussian import Normal


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """The smallest delta at which Gaussian noise of this sigma is private, for sensitivity 1."""
    near, far = 0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma
    return float(ndtr(near) - math.exp(epsilon + log_ndtr(far)))


def smallest_sigma(epsilon: float, delta: float) -> float:
    """The sigma at which `gaussian_delta` equals delta, for sensitivity 1; delta > 0."""
    if epsilon == 0:
        return float(math.sqrt(0.125) / erfinv(delta))

    def is_enough(sigma: float) -> bool:
        return gaussian_delta(epsilon, sigma) <= delta

    # At 1e-3 the two distributions are disjoint in double precision.
    return narrow(is_enough, *bracket(is_enough, 1e-3, 1.0))[1]


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
