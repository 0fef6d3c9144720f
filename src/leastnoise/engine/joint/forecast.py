"""When Euclidean noise may cost less than Gaussian noise: expected, never claimed.

Among many numbers k, with a delta of e^(-beta k), Gaussian noise needs 2 beta k^2 / epsilon^2 and
Euclidean noise 1 - e^(-2 beta) instead of 2 beta. With the Gaussian noise that there is in the
place of its limit the share is 0.02 to 0.05 too small (10 to 100 numbers, `benchmarks/joint.py`).
"""

from __future__ import annotations

import math

from ...mechanisms.analytic_gaussian import smallest_sigma


def euclidean_share(numbers: int, epsilon: float, delta: float, power: int) -> float:
    """Euclidean noise is not expected to cost less than this share of Gaussian noise."""
    twice_beta = (epsilon * smallest_sigma(epsilon, delta)) ** 2 / numbers
    return float((-math.expm1(-twice_beta) / twice_beta) ** (power / 2))
