"""When Euclidean noise may cost less than Gaussian noise: expected, never claimed.

Among many numbers k, with a delta of e^(-beta k), Gaussian noise needs 2 beta k^2 / epsilon^2 and
Euclidean noise 1 - e^(-2 beta) instead of 2 beta. With the Gaussian noise that there is in the
place of its limit the share is 0.02 to 0.05 too small (10 to 100 numbers, `benchmarks/joint.py`).
Stairs are about epsilon high, and Gaussian noise is (sqrt(k) + 8)^2/2 high where it matters: that
is up to twice the number of stairs. The search takes about as long as their square: at 50 numbers
and epsilon = 0.15 (523 stairs) 12 seconds of processor time, at 0.1 (785) 25, at 20 numbers and
0.05 (1,282) 70.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...gaussian import smallest_sigma


@dataclass(frozen=True)
class ShapeForecast:
    """The number that ends a search for Euclidean noise before it begins."""

    #: More steps, by the formula above, are not searched for.
    most_steps: int = 1_200


NUMBERS = ShapeForecast()


def euclidean_share(numbers: int, epsilon: float, delta: float, power: int) -> float:
    """Euclidean noise is not expected to cost less than this share of Gaussian noise."""
    twice_beta = (epsilon * smallest_sigma(epsilon, delta)) ** 2 / numbers
    return float((-math.expm1(-twice_beta) / twice_beta) ** (power / 2))


def too_many_stairs(numbers: int, epsilon: float) -> bool:
    """Whether nobody would wait for the stairs."""
    return (math.sqrt(numbers) + 8) ** 2 / 2 > NUMBERS.most_steps * epsilon
