"""Where answers without delta are nearly the best, and intervals are short: expected, not claimed.

Measured at the budgets of `docs/benchmarks.md`.
What half and twice each number would cost random problems: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ....problem import Problem


@dataclass(frozen=True)
class IntervalForecast:
    """The numbers that say where mixtures of intervals are worth trying."""

    #: Up to this delta, and in a range of so many sensitivities over epsilon, and at most so many
    #: in all: in a narrower one hardly anything depends on the value, in a wider one on the ends.
    largest_delta: Fraction = Fraction(1, 100)
    narrowest: int = 2
    widest: int = 20
    #: Up to this epsilon one cell a sensitivity is as good as many.
    flat: Fraction = Fraction(1, 2)
    #: There a program has one cell for each sensitivity, and at most so many.
    most_flat_cells: int = 250
    #: There what delta gains is about its share of all sensitivities, which is at most this.
    gained: Fraction = Fraction(1, 50)
    #: Beyond, where half an interval is a cell, and delta gains little: at most so many cells.
    most_cells: int = 160
    #: Whatever delta is, in a range of at most e^(eps/2) sensitivities over this.
    short_range: int = 3


NUMBERS = IntervalForecast()


def worth_trying(problem: Problem) -> bool:
    """Whether a mixture of intervals is expected to be near the optimum."""
    wide = problem.width / problem.sensitivity
    if flat(problem):
        return wide <= NUMBERS.most_flat_cells and problem.delta * wide <= NUMBERS.gained
    fits = wide <= NUMBERS.widest and wide * problem.epsilon >= NUMBERS.narrowest
    # An interval is about 2 / (1 + e^(eps/2)) sensitivities wide.
    few = wide * (1 + math.exp(problem.epsilon / 2)) <= NUMBERS.most_cells
    few = few and wide * problem.epsilon >= NUMBERS.narrowest
    fits |= few and wide * problem.delta <= NUMBERS.gained
    short = NUMBERS.short_range * wide <= math.exp(problem.epsilon / 2)
    return fits and (problem.delta <= NUMBERS.largest_delta or short)


def flat(problem: Problem) -> bool:
    """Whether good noise hardly changes within a sensitivity."""
    return problem.epsilon <= NUMBERS.flat
