"""Several neighbors in a row: what privacy says about values further apart than one sensitivity.

A small epsilon at a sensitivity is a larger one at several, and a bound for that needs far fewer
nodes. Statement and proof: `groups.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ...errors import FormatError
from ...exact import exp_upper, round_up
from ...problem.problem import Problem, Range
from ...work import charge

#: The most sensitivities between two values.
MAX_GROUP = 2_000
#: And the most that epsilon may add up to.
MAX_GROUP_EPSILON = 50
#: Digits after the point of a delta, which is rounded up.
_DIGITS = 40


def grouped(problem: Problem, group: int, step: Fraction) -> tuple[Problem, Fraction]:
    """(what follows for values `group` sensitivities apart, the share of the values it is about).

    Guarantee: a certificate with this step that proves a bound for the first proves, times the
    share, one for the question. For whole numbers nodes are a whole step apart, on real numbers.
    """
    if not problem.plain_range:
        raise FormatError('"group" goes with a uniform prior and with no further demands')
    if problem.integer and (step.denominator != 1 or not 1 <= step <= problem.width + 1):
        raise FormatError('"certificate.step" must be a whole number up to the range')
    if group * problem.epsilon > MAX_GROUP_EPSILON:
        raise FormatError(f'"group" times epsilon must be at most {MAX_GROUP_EPSILON}')
    charge(100 * group)
    factor = sum((exp_upper(j * problem.epsilon) for j in range(group)), Fraction(0))
    low, width, share = problem.low, problem.width, Fraction(1)
    if problem.integer:
        width = (problem.width + 1) // step * step
        share = width / (problem.width + 1)
    about = replace(
        problem,
        epsilon=group * problem.epsilon,
        delta=round_up(problem.delta * factor, _DIGITS),
        sensitivity=group * problem.sensitivity,
        integer=False,
        range=Range(low, low + width),
    )
    return about, share
