"""Where answers without delta are nearly the best, and intervals are short: expected, not claimed.

Measured at the budgets of `docs/benchmarks.md`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ....problem import Problem

#: Up to this delta, and in a range of so many sensitivities over epsilon, and at most so many in
#: all: in a narrower one hardly anything depends on the value, in a wider one on the ends.
_LARGEST_DELTA, _NARROWEST, _WIDEST_RANGE = Fraction(1, 100), 2, 20
#: Up to this epsilon one cell a sensitivity is as good as many, and a range may have so many.
_FLAT, _WIDEST_FLAT = Fraction(1, 2), 250
#: There what delta gains is about its share of all sensitivities, which is at most this.
_GAINED = Fraction(1, 50)
#: Beyond, if half an interval is a cell and there are no more cells than these, and delta gains
#: little.
_CELLS = 160
#: Whatever delta is, in a range of at most e^(eps/2) sensitivities over this.
_SHORT_RANGE = 3


def worth_trying(problem: Problem) -> bool:
    """Whether a mixture of intervals is expected to be near the optimum."""
    wide = problem.width / problem.sensitivity
    if flat(problem):
        return wide <= _WIDEST_FLAT and problem.delta * wide <= _GAINED
    fits = wide <= _WIDEST_RANGE and wide * problem.epsilon >= _NARROWEST
    # An interval is about 2 / (1 + e^(eps/2)) sensitivities wide.
    few = wide * (1 + math.exp(problem.epsilon / 2)) <= _CELLS
    fits |= few and wide * problem.epsilon >= _NARROWEST and wide * problem.delta <= _GAINED
    short = _SHORT_RANGE * wide <= math.exp(problem.epsilon / 2)
    return fits and (problem.delta <= _LARGEST_DELTA or short)


def flat(problem: Problem) -> bool:
    """Whether good noise hardly changes within a sensitivity."""
    return problem.epsilon <= _FLAT
