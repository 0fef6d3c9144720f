"""Which program over cells is expected to close a bracket soonest; nothing is claimed.

Measured by `benchmarks/budgets.py`, whose rows are in `docs/reproduction/budgets.csv`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...ask import Question
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


def tiny_delta(question: Question) -> bool:
    """Whether programs should start coarse."""
    return 0 < question.delta < _TINY_DELTA


def many_shifts(question: Question) -> bool:
    """Whether so many shifts matter that a program had better take them all at once."""
    return question.delta >= _TINY_DELTA


def without_delta_first(question: Question) -> bool:
    """Whether multipliers for delta = 0, whose program is much easier, are worth a look."""
    some = question.epsilon >= _STEEP and 0 < question.delta < _SOME_DELTA
    return narrow_steps(question) and (tiny_delta(question) or some)


def all_shifts_at_once(question: Question, n: int, rows: float) -> bool:
    """Whether the interior point method is sooner done than the simplex method."""
    least = _INTERIOR_ROWS[0] if question.delta < _LARGE_DELTA else 0
    return (
        many_shifts(question)
        and (question.sensitivity >= _FEW or not question.integer)
        and (n >= INTERIOR_RESOLUTION or least > 0)
        and least <= rows <= _INTERIOR_ROWS[1]
        and (least == 0 or question.epsilon >= _LEAST_EPSILON)
    )


def out_of_reach(question: Question, rows: float) -> bool:
    """Whether a program that cannot take all shifts at once would find little."""
    return many_shifts(question) and narrow_steps(question) and rows > _INTERIOR_ROWS[1]


def several_integers(question: Question, affordable: bool) -> bool:
    """Whether whole steps of many integers serve as well as the integers themselves."""
    hard = many_shifts(question) or not affordable
    many = question.sensitivity > FINE_WIDTH or (question.sensitivity >= _FEW and hard)
    return question.integer and many


def as_real(question: Question) -> bool:
    """Whether a bound on real noise may come sooner than one over the integers themselves."""
    wide, at_once = question.sensitivity, many_shifts(question)
    alike = at_once and question.epsilon >= _LEAST_EPSILON and wide >= _FITTED  # as dear, as near
    return wide >= _REACHED * question.epsilon and not alike


def share_between(question: Question) -> float:
    """The share of the gap that the two costs of the best closed form may differ by."""
    return _SHARES[question.delta >= _MUCH_DELTA]


def with_the_same_gap(question: Question) -> Question:
    """The question, or one with less delta whose two bounds differ by the same share."""
    return replace(question, delta=_HALF) if question.delta > _HALF else question


def flat(question: Question) -> bool:
    """Whether a staircase is so flat that its edges do not matter."""
    return question.epsilon < _FLAT


def tolerance(deltas: list[float]) -> float:
    """How precisely the simplex method must solve."""
    return 1e-9 if min(deltas, default=1.0) >= _LOOSE_DELTA else 1e-10
