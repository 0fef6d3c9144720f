"""The bracket of a vector that moves by a length of 1, for noise and for bounds of several numbers.

By the methods of `../radial` that take a second or two; nothing here is believed later.
"""

from __future__ import annotations

from fractions import Fraction

from ...ask import Question
from ...losses import Loss
from ..method import Plan
from ..radial.method import FIRST, MARCH, STAIRCASES, refuse, trivial
from ..search import Bracket, Search

#: What is asked of the bracket.
_GAP = 0.005


def unit_vector(
    dimension: int, epsilon: Fraction, delta: Fraction, loss: Loss, seconds: float
) -> Bracket:
    """Noise for a vector of sensitivity 1, and a bound on all such noise.

    `ArgumentError` if no private staircase was found.
    """
    question = Question(epsilon, delta, Fraction(1), loss, dimension=dimension)
    plan = Plan(question, (FIRST, MARCH, STAIRCASES), trivial=trivial, refuse=refuse)
    return Search(plan, _GAP, seconds).run()
