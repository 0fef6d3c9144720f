"""Where one interval for each answer is nearly the best: expected, never claimed.

Measured with `benchmarks/at_random.py --kinds range`.
"""

from __future__ import annotations

import math

from ....problem import Problem

#: From this epsilon on in a wide range, for |x| and for x^2: below, intervals are too long for what
#: they leave out. At the ends they leave out more: so much more in a range of one sensitivity, less
#: by this power in others.
_STEEP, _ENDS, _POWER = {1: 2.4, 2: 3.9}, 3.6, 0.6
#: Stairs that give less than this share of the loss are left out.
_LITTLE = 1e-4


def steep(problem: Problem) -> bool:
    """Whether intervals are short for the sensitivity."""
    wide = float(problem.width / problem.sensitivity)
    least = _STEEP.get(int(problem.loss.exponent or 0), math.inf)
    return bool(float(problem.epsilon) >= least + _ENDS / max(1.0, wide) ** _POWER)


def stairs_that_pay(problem: Problem, price: float) -> int:
    """How many stairs should give: one more while it gains more than its budgets cost."""
    growth, power = math.exp(problem.epsilon), float(problem.loss.exponent or 1)
    unit = 2 * float(problem.delta) * float(problem.loss(float(problem.sensitivity))) / price
    stairs = 1
    while True:
        gained = ((stairs + 1) ** (power + 1) - stairs ** (power + 1)) / growth**stairs
        if gained < max(_LITTLE, unit * ((stairs + 1) ** power - stairs**power) / growth):
            return stairs
        stairs += 1
