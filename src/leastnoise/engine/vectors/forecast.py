"""How the best staircase of a radius looks: expected, never claimed.

Measured by `benchmarks/vectors.py`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from ...problem import Problem

#: From this delta on the best noise is short: a few stairs of equal width.
_LARGE_DELTA = 0.02
#: In fewer dimensions the curve runs close to the diagonal, and straight pieces miss it there.
_FEWEST_NUMBERS = 4


def short(delta: float) -> bool:
    """Whether a few stairs of equal width are a good start, too."""
    return delta >= _LARGE_DELTA


def one_curve_pays(problem: Problem) -> bool:
    """Whether straight pieces along one curve prove nearly all there is to prove."""
    return problem.dimension >= _FEWEST_NUMBERS


def nets_pay(problem: Problem) -> bool:
    """Whether many curves on a net are needed, and few enough."""
    return not one_curve_pays(problem)
