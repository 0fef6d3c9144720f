"""What sums of several numbers prove about their squared errors: multipliers for one number.

A sum is released as privately as its numbers, and it is one number. Statement and proof:
`sums.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Annotated

from ...losses import Loss
from ...problem.privacy import Point
from ...problem.shape import MAX_NUMBERS
from ...problem.shape_problem import ShapeProblem
from ..codec import POSITIVE, Beside, integer, record
from ..limits import MAX_CELLS
from .duality import bound_on_noise
from .multipliers import SHIFTS, ShiftCertificate
from .shaped import ShapeProof, check_numbers

_ONE = record(ShiftCertificate, step=POSITIVE, reach=integer(0, MAX_CELLS), shifts=SHIFTS)


@dataclass(frozen=True)
class Sums(ShapeProof):
    """Multipliers for one number (`duality.proof.md`), used for sums of so many."""

    numbers: Annotated[int, integer(1, MAX_NUMBERS)]
    multipliers: Annotated[ShiftCertificate, Beside(_ONE)]

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` if there are fewer numbers, or sums prove nothing about the loss."""
        check_numbers(self.numbers, problem.dimension if problem.power == 2 else 1)

    def bound(self, problem: ShapeProblem) -> Fraction:
        """What sums of some numbers prove that a unit can move all at once, at any delta."""
        numbers, budget = self.numbers, (problem.epsilon, problem.delta)
        width, reach, share = problem.movable(numbers)
        if reach < numbers:
            return Fraction(0)
        whole = problem.integer and numbers == 1
        each = one_number(self, width, budget, problem.loss, whole)
        if numbers > 1:
            each = mean_of_squares(each, numbers, problem.shape.one_sided, problem.integer)
        return max(Fraction(0), each) * share


def one_number(sums: Sums, width: Fraction, budget: Point, loss: Loss, whole: bool) -> Fraction:
    """At least the loss of every noise that is private for moves of one number up to the width.

    whole: of noise on the whole numbers. 0 if the multipliers do not fit the width.
    """
    step = sums.multipliers.step
    cells = width / step
    fits = cells.denominator == 1 and (not whole or loss.smeared is not None)
    fits = fits or (whole and step.denominator == 1)
    if (
        not fits
        or not 1 <= cells <= MAX_CELLS
        or sums.multipliers.points
        or sums.multipliers.constraints
    ):
        return Fraction(0)
    if any(abs(entry.shift) > cells for entry in sums.multipliers.shifts):
        return Fraction(0)
    return bound_on_noise(sums.multipliers, (budget,), width, loss, whole)


def mean_of_squares(bound: Fraction, numbers: int, one_sided: bool, whole: bool) -> Fraction:
    """At least the mean of E x_i^2 over two or more numbers that all move by a width at once.

    found: at least E y^2 of every real noise that is private for one number of this width.
    """
    n = numbers
    lost = Fraction(1, 12) if whole else Fraction(0)
    if not one_sided:
        return (n * n * bound - lost) / n
    rest = max(c for c in range(isqrt(n) + 1) if (n - c) % 2 == 0)  # more plus than minus signs
    plus = (n + rest) // 2
    part = Fraction(n - 1, n * n - rest * rest)
    other = (1 - part * rest * rest) / n
    return part * (plus * plus * bound - lost) + other * (n * n * bound - lost) / n
