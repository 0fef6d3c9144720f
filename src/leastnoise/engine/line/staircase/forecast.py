"""Where the best noise is nearly a staircase: what is expected, never claimed.

Measured by `benchmarks/budgets.py`, whose rows are in `docs/reproduction/budgets.csv`.
What half and twice each number would cost random problems: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....problem import Problem


@dataclass(frozen=True)
class StaircaseForecast:
    """The numbers that say where staircases are worth trying."""

    #: From this epsilon on the optimum has steps much narrower than the sensitivity.
    large_epsilon: float = 2.5
    #: Below this epsilon a lattice with one cell a sensitivity is as good as a staircase; for wide
    #: integers, asymmetric losses and a delta below the third number, below the second.
    least: Fraction = Fraction(3, 10)
    least_otherwise: Fraction = Fraction(1, 20)
    tiny_delta: Fraction = Fraction(1, 10**7)
    #: With more delta, relative to epsilon, the best noise is no staircase.
    delta_of_staircases: Fraction = Fraction(3, 10_000)
    #: Below this epsilon and above this delta it is so far from one that multipliers down its steps
    #: prove little.
    epsilon_of_programs: int = 5
    delta_of_programs: Fraction = Fraction(1, 200)
    #: Integers with a smaller sensitivity are left to programs below the second number.
    least_width: int = 12
    steep: int = 6
    #: Above this sensitivity programs take steps of several integers.
    fine_width: int = 200
    #: From this epsilon on it matters whether cells fit the steps of the optimum.
    steps_matter: float = 1.5


NUMBERS = StaircaseForecast()


def narrow_steps(problem: Problem) -> bool:
    """Whether the optimum has steps much narrower than the sensitivity."""
    return problem.epsilon >= NUMBERS.large_epsilon


def steps_matter(problem: Problem) -> bool:
    """Whether cells should fit the steps of the optimum."""
    return problem.epsilon >= NUMBERS.steps_matter


def wide_integers(problem: Problem) -> bool:
    """Whether programs take steps of several integers."""
    return problem.integer and problem.sensitivity > NUMBERS.fine_width


def near_a_staircase(problem: Problem) -> bool:
    """Whether a staircase is close to the best noise, and not found as soon by a program."""
    wide = wide_integers(problem)
    tiny = 0 < problem.delta < NUMBERS.tiny_delta  # programs lose their way there
    otherwise = wide or tiny or not problem.loss.symmetric
    least = NUMBERS.least_otherwise if otherwise else NUMBERS.least
    few = problem.integer and problem.sensitivity < NUMBERS.least_width
    few = few and problem.epsilon < NUMBERS.steep and problem.loss.symmetric and not tiny
    small = problem.delta <= NUMBERS.delta_of_staircases * problem.epsilon
    return (narrow_steps(problem) or small or wide) and problem.epsilon >= least and not few


def worth_trying(problem: Problem) -> bool:
    """Closed forms are symmetric: for other losses, a staircase that is not is worth it.

    Nor do they serve wide integers, and a program does not soon.
    """
    symmetric = problem.loss.symmetric
    return near_a_staircase(problem) or not symmetric or wide_integers(problem)


def multipliers_prove_little(problem: Problem) -> bool:
    """Whether more than a staircase is needed for a bound."""
    programs = problem.epsilon < NUMBERS.epsilon_of_programs
    return programs and problem.delta > NUMBERS.delta_of_programs
