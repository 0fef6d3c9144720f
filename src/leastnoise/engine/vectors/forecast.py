"""How the best staircase of a radius looks: expected, never claimed.

Measured by `benchmarks/vectors.py`.
What half and twice each number would cost random problems: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...problem import Problem


@dataclass(frozen=True)
class VectorForecast:
    """The number that chooses between one curve and nets of curves."""

    #: In fewer dimensions the curve runs close to the diagonal, and straight pieces miss it there.
    fewest_numbers: int = 4


NUMBERS = VectorForecast()


def one_curve_pays(problem: Problem) -> bool:
    """Whether straight pieces along one curve prove nearly all there is to prove."""
    return problem.dimension >= NUMBERS.fewest_numbers


def nets_pay(problem: Problem) -> bool:
    """Whether many curves on a net are needed, and few enough."""
    return not one_curve_pays(problem)
