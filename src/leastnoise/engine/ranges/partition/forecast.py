"""Where one interval for each answer is nearly the best: expected, never claimed.

Measured with `benchmarks/at_random.py --kinds range`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ....problem import Problem


@dataclass(frozen=True)
class PartitionForecast:
    """The numbers that say where intervals are short for the sensitivity."""

    #: From this epsilon on in a wide range, for |x| and for x^2: below, intervals are too long for
    #: what they leave out.
    steep_l1: float = 2.4
    steep_l2: float = 3.9
    #: At the ends they leave out more: so much more in a range of one sensitivity, less by this
    #: power in others.
    ends: float = 3.6
    power: float = 0.6
    #: Steps that give less than this share of the loss are left out.
    little: float = 1e-4


NUMBERS = PartitionForecast()


def steep(problem: Problem) -> bool:
    """Whether intervals are short for the sensitivity."""
    wide = float(problem.width / problem.sensitivity)
    of_loss = {1: NUMBERS.steep_l1, 2: NUMBERS.steep_l2}
    least = of_loss.get(int(problem.loss.exponent or 0), math.inf)
    return bool(float(problem.epsilon) >= least + NUMBERS.ends / max(1.0, wide) ** NUMBERS.power)


def stairs_that_pay(problem: Problem, price: float) -> int:
    """How many steps should give: one more while it gains more than its budgets cost."""
    growth, power = math.exp(problem.epsilon), float(problem.loss.exponent or 1)
    unit = 2 * float(problem.delta) * float(problem.loss(float(problem.sensitivity))) / price
    stairs = 1
    while True:
        gained = ((stairs + 1) ** (power + 1) - stairs ** (power + 1)) / growth**stairs
        spent = unit * ((stairs + 1) ** power - stairs**power) / growth
        if gained < max(NUMBERS.little, spent):
            return stairs
        stairs += 1
