"""Which program over cells is expected to close a bracket soonest; nothing is claimed.

Measured by `benchmarks/budgets.py`, whose rows are in `docs/reproduction/budgets.csv`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ....problem import Problem
from ..staircase.forecast import FINE_WIDTH, narrow_steps

#: Below this the simplex method loses its way from scratch; from here on many shifts matter.
_TINY_DELTA = Fraction(1, 10_000)
#: At large delta all shifts are taken at once if there are so many cells a sensitivity.
_LARGE_DELTA, INTERIOR_RESOLUTION = Fraction(1, 4), 48
#: Otherwise if the program has at least and at most so many rows, from this epsilon on.
_INTERIOR_ROWS, _LEAST_EPSILON = (8_000, 300_000), 1
#: Multipliers for delta = 0 are a help up to the second number from the first on, too.
_STEEP, _SOME_DELTA = 6, Fraction(1, 20)
#: Beyond this the optimum only gains an atom: the relative gap stays the same.
_HALF = Fraction(1, 2)
#: The share of the gap that the two costs of the best closed form may differ by: closed forms have
#: less mass at 0 than the optimum, above all from this delta on.
_SHARES, _MUCH_DELTA = (0.7, 0.37), Fraction(2, 5)
#: Below this epsilon one cell a sensitivity is as good for a staircase as many.
_FLAT = 0.05
#: Below this delta the solver needs its tightest tolerance.
_LOOSE_DELTA = 1e-4
#: Integers with a smaller sensitivity are never taken several at a time.
_FEW = 30
#: Noise reaches over about sensitivity / epsilon integers: so few make a small program. Whole steps
#: of a sensitivity from the second on fit every resolution.
_REACHED, _FITTED = 80, 10_000


def tiny_delta(problem: Problem) -> bool:
    """Whether programs should start coarse."""
    return 0 < problem.delta < _TINY_DELTA


def many_shifts(problem: Problem) -> bool:
    """Whether so many shifts matter that a program had better take them all at once."""
    return problem.delta >= _TINY_DELTA


def without_delta_first(problem: Problem) -> bool:
    """Whether multipliers for delta = 0, whose program is much easier, are worth a look."""
    some = problem.epsilon >= _STEEP and 0 < problem.delta < _SOME_DELTA
    return narrow_steps(problem) and (tiny_delta(problem) or some)


def all_shifts_at_once(problem: Problem, n: int, rows: float) -> bool:
    """Whether the interior point method is sooner done than the simplex method."""
    least = _INTERIOR_ROWS[0] if problem.delta < _LARGE_DELTA else 0
    return (
        many_shifts(problem)
        and (problem.sensitivity >= _FEW or not problem.integer)
        and (n >= INTERIOR_RESOLUTION or least > 0)
        and least <= rows <= _INTERIOR_ROWS[1]
        and (least == 0 or problem.epsilon >= _LEAST_EPSILON)
    )


def out_of_reach(problem: Problem, rows: float) -> bool:
    """Whether a program that cannot take all shifts at once would find little."""
    return many_shifts(problem) and narrow_steps(problem) and rows > _INTERIOR_ROWS[1]


def several_integers(problem: Problem, affordable: bool) -> bool:
    """Whether whole steps of many integers serve as well as the integers themselves."""
    hard = many_shifts(problem) or not affordable
    many = problem.sensitivity > FINE_WIDTH or (problem.sensitivity >= _FEW and hard)
    return problem.integer and many


def as_real(problem: Problem) -> bool:
    """Whether a bound on real noise may come sooner than one over the integers themselves."""
    wide, at_once = problem.sensitivity, many_shifts(problem)
    alike = at_once and problem.epsilon >= _LEAST_EPSILON and wide >= _FITTED  # as dear, as near
    return wide >= _REACHED * problem.epsilon and not alike


def share_between(problem: Problem) -> float:
    """The share of the gap that the two costs of the best closed form may differ by."""
    return _SHARES[problem.delta >= _MUCH_DELTA]


def with_the_same_gap(problem: Problem) -> Problem:
    """The question, or one with less delta whose two bounds differ by the same share."""
    return replace(problem, delta=_HALF) if problem.delta > _HALF else problem


def flat(problem: Problem) -> bool:
    """Whether a staircase is so flat that its edges do not matter."""
    return problem.epsilon < _FLAT


def tolerance(deltas: list[float]) -> float:
    """How precisely the simplex method must solve."""
    return 1e-9 if min(deltas, default=1.0) >= _LOOSE_DELTA else 1e-10
