"""Where the best noise is nearly a staircase: what is expected, never claimed.

Measured by `benchmarks/budgets.py`, whose rows are in `docs/reproduction/budgets.csv`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from fractions import Fraction

from ....problem import Problem

#: From here on the optimum has steps much narrower than the sensitivity.
_LARGE_EPSILON = 2.5
#: Below this a lattice with one cell a sensitivity is as good as a staircase; for wide integers,
#: losses that lean and a delta below the third, below the second.
_LEAST, _LEAST_OTHERWISE = Fraction(3, 10), Fraction(1, 20)
_TINY = Fraction(1, 10**7)
#: With more delta, relative to epsilon or at large epsilon, the best noise is no staircase.
_DELTA_OF_STAIRS, _MOST_DELTA_OF_STAIRS = Fraction(3, 10_000), Fraction(1, 5)
#: Below this epsilon and above this delta it is so far from one that multipliers down its stairs
#: prove little.
_PROGRAMS = 5, Fraction(1, 200)
#: Integers with a smaller sensitivity are left to programs below the second number.
_LEAST_WIDTH, _STEEP = 12, 6
#: Above this sensitivity programs take steps of several integers.
FINE_WIDTH = 200
#: From this epsilon on it matters whether cells fit the steps of the optimum.
_STEPS_MATTER = 1.5


def narrow_steps(problem: Problem) -> bool:
    """Whether the optimum has steps much narrower than the sensitivity."""
    return problem.epsilon >= _LARGE_EPSILON


def steps_matter(problem: Problem) -> bool:
    """Whether cells should fit the steps of the optimum."""
    return problem.epsilon >= _STEPS_MATTER


def near_a_staircase(problem: Problem) -> bool:
    """Whether a staircase is close to the best noise, and not found as soon by a program."""
    wide = problem.integer and problem.sensitivity > FINE_WIDTH
    tiny = 0 < problem.delta < _TINY  # programs lose their way there
    least = _LEAST_OTHERWISE if wide or tiny or not problem.loss.symmetric else _LEAST
    few = problem.integer and problem.sensitivity < _LEAST_WIDTH
    few = few and problem.epsilon < _STEEP and problem.loss.symmetric and not tiny
    large = narrow_steps(problem) and problem.delta < _MOST_DELTA_OF_STAIRS
    small = problem.delta <= _DELTA_OF_STAIRS * problem.epsilon
    return (large or small or wide) and problem.epsilon >= least and not few


def worth_trying(problem: Problem) -> bool:
    """Closed forms do not lean: for losses that do, a staircase that does is worth it.

    Nor do they serve wide integers, and a program does not soon.
    """
    alone = problem.integer and problem.sensitivity > FINE_WIDTH
    return near_a_staircase(problem) or not problem.loss.symmetric or alone


def multipliers_prove_little(problem: Problem) -> bool:
    """Whether more than a staircase is needed for a bound."""
    return problem.epsilon < _PROGRAMS[0] and problem.delta > _PROGRAMS[1]
