"""When Euclidean noise may cost less than Gaussian noise: expected, never claimed.

Among many numbers k, with a delta of e^(-beta k), Gaussian noise needs 2 beta k^2 / epsilon^2 and
Euclidean noise 1 - e^(-2 beta) instead of 2 beta. With the Gaussian noise that there is in the
place of its limit the share is 0.02 to 0.05 too small (10 to 100 numbers, `benchmarks/joint.py`).
Stairs are about epsilon high, and Gaussian noise is (sqrt(k) + 8)^2/2 high where it matters.
"""

from __future__ import annotations

import math

from ...certify.vector_document import MAX_RADII
from ...mechanisms.analytic_gaussian import smallest_sigma


def euclidean_share(numbers: int, epsilon: float, delta: float, power: int) -> float:
    """Euclidean noise is not expected to cost less than this share of Gaussian noise."""
    twice_beta = (epsilon * smallest_sigma(epsilon, delta)) ** 2 / numbers
    return float((-math.expm1(-twice_beta) / twice_beta) ** (power / 2))


def too_many_stairs(numbers: int, epsilon: float) -> bool:
    """Whether no file could hold the stairs, by far: then nobody should list them."""
    return (math.sqrt(numbers) + 8) ** 2 > 50 * MAX_RADII * epsilon
