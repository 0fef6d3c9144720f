"""What the programs of channels can make of a budget: expected, never claimed.

Measured by `benchmarks/ranges.py` and `benchmarks/frozen.py`.
What half and twice each number would cost random problems: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....problem import Problem


@dataclass(frozen=True)
class ChannelForecast:
    """The numbers that say what programs of channels can make of a problem."""

    #: Below this delta the solver's dust outweighs what delta gains: multipliers for a larger delta
    #: hold for a smaller one.
    least_delta: Fraction = Fraction(1, 10_000)
    #: Below this the helper variables are noise to the solver: a channel is sought without delta.
    smallest_delta: float = 1e-5
    #: In sensitivities: from here on additive noise, and its multipliers, are tried first.
    wide: int = 6
    #: From this epsilon on the steps of good noise should be whole cells.
    steps_matter: int = 1
    #: The widest range, in sensitivities, and the most integers with rows of their own.
    most_sensitivities: int = 60
    most_integers: int = 250


NUMBERS = ChannelForecast()


def eased(delta: Fraction) -> Fraction:
    """The delta that multipliers are sought for."""
    return max(delta, NUMBERS.least_delta)


def as_asked(delta: Fraction) -> bool:
    """Whether multipliers are sought for this very delta."""
    return delta == 0 or delta >= NUMBERS.least_delta


def counts(delta: Fraction) -> bool:
    """Whether a program for a channel sees this delta."""
    return delta >= NUMBERS.smallest_delta


def steps_matter(problem: Problem) -> bool:
    """Whether cells should fit the steps of good noise."""
    return problem.epsilon >= NUMBERS.steps_matter


def wide(problem: Problem) -> bool:
    """Whether the ends of the range are far apart for the noise: additive noise comes first."""
    return problem.width >= NUMBERS.wide * problem.sensitivity


def too_wide(problem: Problem) -> bool:
    """Whether rows for all of the range would be more than a program can hold."""
    if problem.integer:
        return problem.width + 1 > NUMBERS.most_integers
    return many_sensitivities(problem)


def many_sensitivities(problem: Problem) -> bool:
    """Whether a program with a row for each sensitivity of the range would take long."""
    return problem.width > NUMBERS.most_sensitivities * problem.sensitivity
