"""The bracket of a vector that moves by a length of 1, for noise and for bounds of several numbers.

By the methods of `../radial` that take a second or two; nothing here is believed later.
"""

from __future__ import annotations

from fractions import Fraction

from ...errors import ScaleError
from ...losses import Loss
from ...problem import Point, Problem
from ..method import Plan
from ..search import Bracket, Search
from ..vectors.method import FIRST, MARCH, STAIRCASES, refuse, trivial
from .forecast import too_many_stairs

#: What is asked of the bracket.
_GAP = 0.005


def unit_vector(
    dimension: int, budget: Point, loss: Loss, seconds: float | None, for_noise: bool
) -> Bracket:
    """Noise for a vector of sensitivity 1, and a bound on all such noise.

    for_noise: whether it is the noise that is wanted, and not the bound. `LeastnoiseError` if no
    private staircase was found.
    """
    problem = Problem(*budget, Fraction(1), loss, dimension=dimension)
    if too_many_stairs(dimension, float(problem.epsilon)):
        refuse(problem)
    methods = (FIRST, MARCH, STAIRCASES) if for_noise else (FIRST, MARCH)
    plan = Plan(problem, methods, trivial=trivial, refuse=refuse)
    try:
        return Search(plan, _GAP, seconds).run()
    except (OverflowError, ZeroDivisionError):
        raise ScaleError from None
