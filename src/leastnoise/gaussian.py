"""What Gaussian noise keeps: the delta of a sigma, and the sigma of a budget, in floats.

From Balle and Wang (2018), arXiv:1805.06530.
"""

from __future__ import annotations

import math

from scipy.special import erfinv, log_ndtr, ndtr

from .bisection import bracket, narrow


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
