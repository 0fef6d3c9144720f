"""What the programs of channels can make of a budget: expected, never claimed.

Measured by `benchmarks/ranges.py` and `benchmarks/frozen.py`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from fractions import Fraction

from ....problem import Problem

#: Below this delta the solver's dust outweighs what delta gains: multipliers for a larger delta
#: hold for a smaller one.
_LEAST_DELTA = Fraction(1, 10_000)
#: Below this the helper variables are noise to the solver: a channel is sought without delta.
_SMALLEST_DELTA = 1e-5
#: From here on additive noise is tried first: rows fine enough to be better may not exist.
_LARGE_EPSILON, _LARGE_MU = 5, 3
#: In sensitivities: from here on additive noise, and its multipliers, are tried first.
_WIDE = 6
#: From this epsilon on the steps of good noise should be whole cells.
_STEPS_MATTER = 1
#: The widest range and the most whole numbers with rows of their own from a program.
_MOST_SENSITIVITIES, _MOST_NUMBERS = 60, 250


def eased(delta: Fraction) -> Fraction:
    """The delta that multipliers are sought for."""
    return max(delta, _LEAST_DELTA)


def as_asked(delta: Fraction) -> bool:
    """Whether multipliers are sought for this very delta."""
    return delta == 0 or delta >= _LEAST_DELTA


def counts(delta: Fraction) -> bool:
    """Whether a program for a channel sees this delta."""
    return delta >= _SMALLEST_DELTA


def steps_matter(problem: Problem) -> bool:
    """Whether cells should fit the steps of good noise."""
    return problem.epsilon >= _STEPS_MATTER


def wide(problem: Problem) -> bool:
    """Whether the ends of the range are far apart for the noise."""
    return problem.width >= _WIDE * problem.sensitivity


def additive_is_good(problem: Problem) -> bool:
    """Whether additive noise is tried before programs."""
    steep = problem.gdp is not None and problem.gdp >= _LARGE_MU
    return wide(problem) or steep or problem.epsilon >= _LARGE_EPSILON


def too_wide(problem: Problem) -> bool:
    """Whether rows for all of the range would be more than a program can hold."""
    if problem.integer:
        return problem.width + 1 > _MOST_NUMBERS
    return many_sensitivities(problem)


def many_sensitivities(problem: Problem) -> bool:
    """Whether a program with a row for each sensitivity of the range would take long."""
    return problem.width > _MOST_SENSITIVITIES * problem.sensitivity
