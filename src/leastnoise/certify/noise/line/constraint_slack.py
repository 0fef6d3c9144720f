"""Whether the noise of a mechanism file obeys a constraint, in exact arithmetic.

Each check returns a slack: if it is not negative the constraint holds. What each one means for
releases: `constraint_slack.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ....problem import Problem
from ....problem.constraints import (
    Constraint,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
)
from ....work import arithmetic, bits, charge
from ...report import Claim, claim_of

if TYPE_CHECKING:
    from .cells import NumberNoise

#: (left end, right end, weight) of a cell, ends in units of the step; integers: both ends i.
CellPiece = tuple[Fraction, Fraction, Fraction]


def constraint_claim(noise: NumberNoise, problem: Problem, constraint: Constraint) -> Claim:
    """That the noise satisfies a constraint."""
    words = ", ".join(
        f"{key} {value}"
        for key, value in constraint.spec().items()
        if key != "name" and isinstance(value, str)
    )
    words = f" ({words})" if words else ""
    return claim_of(
        constraint.name,
        slack_of(noise, problem, constraint),
        f"the noise satisfies it{words}",
        f"the noise violates it{words}",
    )


def slack_of(noise: NumberNoise, problem: Problem, constraint: Constraint) -> Fraction:
    """By how much the noise satisfies the constraint; negative if it does not."""
    if not noise.atom and not any(noise.weights):
        return Fraction(-1)  # nothing is there to obey it
    charge(_work(noise, problem))
    return _SLACKS[type(constraint)](noise, problem, constraint)


def _work(noise: NumberNoise, problem: Problem) -> int:
    """Microseconds of a few sums and products of rationals at every cell and continued cell."""
    cells, long = len(noise.weights), bits(noise.step, problem.sensitivity) + 40
    long += max(noise.weights, default=0).bit_length()
    if noise.tail is not None:
        cells, long = cells + 4 * noise.tail.period, long + 3 * bits(noise.tail.ratio)
    return 10 + 4 * cells * arithmetic(long)


def _held(noise: NumberNoise) -> Iterator[CellPiece]:
    """Every piece of positive mass, the atom among them, and copies of a tail's far out."""
    if noise.atom:
        yield Fraction(0), Fraction(0), Fraction(noise.atom)
    far = noise.tail is not None
    for left, right, w in noise.pieces(1 if far else 0):
        if w:
            yield left, right, w


def _unbounded(noise: NumberNoise) -> tuple[bool, bool]:
    """Whether the noise goes on for ever to the left, and to the right."""
    if noise.tail is None:
        return False, False
    n = noise.tail.period
    return any(noise.weights[:n]), any(noise.weights[-n:])


def _support(noise: NumberNoise, problem: Problem, wanted: Support) -> Fraction:
    ends = [(left * noise.step, right * noise.step) for left, right, _ in _held(noise)]
    slack = problem.sensitivity
    endless = _unbounded(noise)
    for side, end in ((-1, wanted.low), (1, wanted.high)):
        if end is None:
            continue
        if endless[side > 0]:
            return Fraction(-1)
        out = min(left for left, _ in ends) if side < 0 else max(right for _, right in ends)
        slack = min(slack, side * (end - out))
    return slack


def _max_error(noise: NumberNoise, problem: Problem, wanted: MaxError) -> Fraction:
    if any(_unbounded(noise)):
        return Fraction(-1)
    if problem.integer:
        return wanted.t - max(max(abs(left), abs(right)) for left, right, _ in _held(noise))
    return wanted.t - largest_error(noise)


def largest_error(noise: NumberNoise) -> Fraction:
    """At least the size of every released error of real noise without a tail."""
    g = noise.step / noise.grid
    marks = [2 * noise.grid * x for left, right, _ in _held(noise) for x in (left, right)]
    # The outermost half grid step [m - 1, m) rounds to the grid point m // 2, on the left
    # [m, m + 1) to (m + 1) // 2; rounding the value adds less than one grid step.
    points = [max(int(max(marks)) // 2, 0), max(-((int(min(marks)) + 1) // 2), 0)]
    return (max(points) + 1) * g


def _unimodal(noise: NumberNoise, problem: Problem, wanted: Monotone | Unimodal) -> Fraction:
    if noise.atom and wanted.mode != 0:
        return -Fraction(noise.atom, noise.denominator)
    mode = wanted.mode / noise.step
    cells = noise.pieces(2)
    if not cells:
        return Fraction(0)  # an atom alone
    # A density steps at a place, a mass function between two whole numbers.
    apart = 0 if noise.gridded else 1
    heights = [w if apart else w / (right - left) for left, right, w in cells]
    steps = [(left - apart, left) for left, _, _ in cells]
    steps.append((cells[-1][1], cells[-1][1] + apart))
    around = list(zip(steps, pairwise([Fraction(0), *heights, Fraction(0)]), strict=True))
    worst = Fraction(0)
    for (low, high), (before, after) in around[1:-1] if noise.tail else around:
        rises, falls = high <= mode, low >= mode
        if rises != falls:  # (a step at the mode itself may go either way)
            worst = max(worst, after - before if falls else before - after)
    return -worst / noise.denominator


def _symmetric(noise: NumberNoise, problem: Problem, wanted: Symmetric) -> Fraction:
    return -noise.asymmetry()


def _unbiased(noise: NumberNoise, problem: Problem, wanted: Unbiased) -> Fraction:
    return -abs(noise.mean_error())


def _loss(noise: NumberNoise, problem: Problem, wanted: LossAtMost) -> Fraction:
    return wanted.bound - noise.release_loss(problem, wanted.loss)


_SLACKS: dict[type[Constraint], Callable[[NumberNoise, Problem, Any], Fraction]] = {
    Support: _support,
    MaxError: _max_error,
    Monotone: _unimodal,
    Unimodal: _unimodal,
    Symmetric: _symmetric,
    Unbiased: _unbiased,
    LossAtMost: _loss,
}
