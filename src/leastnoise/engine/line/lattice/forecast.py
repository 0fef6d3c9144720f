"""Which program over cells is expected to close a bracket soonest; nothing is claimed.

Measured by `benchmarks/budgets.py`, whose rows are in `docs/reproduction/budgets.csv`.
What half and twice each number would cost random problems: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....problem import Problem
from ..staircase.forecast import narrow_steps, wide_integers


@dataclass(frozen=True)
class LatticeForecast:
    """The numbers that choose between programs over cells."""

    #: Below this delta the simplex method loses its way from scratch, and needs its tightest
    #: tolerance; from here on so many shifts matter that a program had better take them all.
    tiny_delta: Fraction = Fraction(1, 10_000)
    #: All shifts are taken at once in programs of at least, and of at most, so many rows, from this
    #: epsilon on.
    fewest_rows: int = 8_000
    most_rows: int = 300_000
    least_epsilon: int = 1
    #: From this delta on they are in smaller ones, too, if there are so many cells a sensitivity.
    large_delta: Fraction = Fraction(1, 4)
    fine: int = 48
    #: The share of the gap that the two costs of the best closed form may differ by: closed forms
    #: have less mass at 0 than the optimum, above all from this delta on.
    share_between: float = 0.7
    share_at_much_delta: float = 0.37
    much_delta: Fraction = Fraction(2, 5)
    #: Below this epsilon one cell a sensitivity is as good for a staircase as many.
    flat: float = 0.05
    #: A program of integers with a smaller sensitivity is small, whatever its rows are: they are
    #: never taken several at a time.
    few_integers: int = 30
    #: Noise reaches over about sensitivity / epsilon integers: so few make a small program. Steps
    #: of integers, of a sensitivity from the second number on, fit every resolution.
    reached: int = 80
    fitted: int = 10_000


NUMBERS = LatticeForecast()


def tiny_delta(problem: Problem) -> bool:
    """Whether programs should start coarse."""
    return 0 < problem.delta < NUMBERS.tiny_delta


def many_shifts(problem: Problem) -> bool:
    """Whether so many shifts matter that a program had better take them all at once."""
    return problem.delta >= NUMBERS.tiny_delta


def without_delta_first(problem: Problem) -> bool:
    """Whether multipliers for delta = 0, whose program is much easier, are worth a look."""
    return narrow_steps(problem) and tiny_delta(problem)


def fine(n: int) -> bool:
    """Whether so many cells a sensitivity are many."""
    return n > NUMBERS.fine


def all_shifts_at_once(problem: Problem, n: int, rows: float) -> bool:
    """Whether the interior point method is sooner done than the simplex method."""
    few = problem.integer and problem.sensitivity < NUMBERS.few_integers
    if problem.delta >= NUMBERS.large_delta:
        many = n >= NUMBERS.fine
    else:
        many = rows >= NUMBERS.fewest_rows and problem.epsilon >= NUMBERS.least_epsilon
    return many_shifts(problem) and many and rows <= NUMBERS.most_rows and not few


def out_of_reach(problem: Problem, rows: float) -> bool:
    """Whether a program that cannot take all shifts at once would find little."""
    return many_shifts(problem) and narrow_steps(problem) and rows > NUMBERS.most_rows


def several_integers(problem: Problem, affordable: bool) -> bool:
    """Whether steps of many integers serve as well as the integers themselves."""
    hard = many_shifts(problem) or not affordable
    few = problem.sensitivity < NUMBERS.few_integers
    return wide_integers(problem) or (problem.integer and hard and not few)


def as_real(problem: Problem) -> bool:
    """Whether a bound on real noise may come sooner than one over the integers themselves."""
    alike = many_shifts(problem) and problem.epsilon >= NUMBERS.least_epsilon  # as dear, as near
    alike = alike and problem.sensitivity >= NUMBERS.fitted
    return problem.sensitivity >= NUMBERS.reached * problem.epsilon and not alike


def share_between(problem: Problem) -> float:
    """The share of the gap that the two costs of the best closed form may differ by."""
    much = problem.delta >= NUMBERS.much_delta
    return NUMBERS.share_at_much_delta if much else NUMBERS.share_between


def flat(problem: Problem) -> bool:
    """Whether a staircase is so flat that its edges do not matter."""
    return problem.epsilon < NUMBERS.flat


def tolerance(deltas: list[float]) -> float:
    """How precisely the simplex method must solve."""
    return 1e-9 if min(deltas, default=1.0) >= NUMBERS.tiny_delta else 1e-10
