"""Whether the noise of a mechanism file obeys a constraint, in exact arithmetic.

Each check returns a slack: if it is not negative the constraint holds. What each one means for
releases: `constraint_slack.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from ...problem.constraints import (
    Constraint,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
)
from ...work import arithmetic, bits, charge
from .release_loss import geometric_sums, release_loss

if TYPE_CHECKING:
    from ..kinds.additive import Document

#: (left end, right end, weight) of a cell, ends in units of the step; integers: both ends i.
Piece = tuple[Fraction, Fraction, Fraction]

_HALF = Fraction(1, 2)


def slack_of(document: Document, constraint: Constraint) -> Fraction:
    """By how much the noise obeys the constraint; negative if it does not."""
    if not document.atom and not any(document.weights):
        return Fraction(-1)  # nothing is there to obey it
    charge(_work(document))
    if isinstance(constraint, Support):
        return _support(document, constraint)
    if isinstance(constraint, MaxError):
        return _max_error(document, constraint)
    if isinstance(constraint, (Monotone, Unimodal)):
        return _unimodal(document, constraint.at)
    if isinstance(constraint, Symmetric):
        return _symmetric(document)
    if isinstance(constraint, Unbiased):
        return -abs(mean_error(document))
    if isinstance(constraint, LossAtMost):
        return constraint.bound - release_loss(document, constraint.loss)
    raise TypeError(constraint)


def _work(document: Document) -> int:
    """Microseconds of a few sums and products of rationals at every cell and continued cell."""
    cells, long = len(document.weights), bits(document.step, document.sensitivity) + 40
    long += max(document.weights, default=0).bit_length()
    if document.tail is not None:
        cells, long = cells + 4 * document.tail.period, long + 3 * bits(document.tail.ratio)
    return 10 + 4 * cells * arithmetic(long)


def pieces(document: Document, periods: int = 0) -> list[Piece]:
    """The listed cells, and so many continued periods of a tail on each side."""
    weights = [Fraction(w) for w in document.weights]
    if document.edges is not None:
        ends = pairwise(document.edges)
        return [(a, b, w) for (a, b), w in zip(ends, weights, strict=True)]
    first = document.first
    if document.tail is not None and periods:
        n, ratio = document.tail.period, document.tail.ratio
        left, right = weights[:n], weights[-n:]
        for k in range(1, periods + 1):
            weights = [w * ratio**k for w in left] + weights + [w * ratio**k for w in right]
        first -= n * periods
    half = Fraction(0) if document.kind == "integer" else _HALF
    return [(i - half, i + half, w) for i, w in enumerate(weights, first)]


def _held(document: Document) -> Iterator[Piece]:
    """Every piece of positive mass, the atom among them, and copies of a tail's far out."""
    if document.atom:
        yield Fraction(0), Fraction(0), Fraction(document.atom)
    far = document.tail is not None
    for left, right, w in pieces(document, 1 if far else 0):
        if w:
            yield left, right, w


def _unbounded(document: Document) -> tuple[bool, bool]:
    """Whether the noise goes on for ever to the left, and to the right."""
    if document.tail is None:
        return False, False
    n = document.tail.period
    return any(document.weights[:n]), any(document.weights[-n:])


def _support(document: Document, wanted: Support) -> Fraction:
    ends = [(left * document.step, right * document.step) for left, right, _ in _held(document)]
    slack = document.sensitivity
    endless = _unbounded(document)
    for side, end in ((-1, wanted.low), (1, wanted.high)):
        if end is None:
            continue
        if endless[side > 0]:
            return Fraction(-1)
        out = min(left for left, _ in ends) if side < 0 else max(right for _, right in ends)
        slack = min(slack, side * (end - out))
    return slack


def _max_error(document: Document, wanted: MaxError) -> Fraction:
    if any(_unbounded(document)):
        return Fraction(-1)
    if document.kind == "integer":
        return wanted.t - max(max(abs(left), abs(right)) for left, right, _ in _held(document))
    return wanted.t - largest_error(document)


def largest_error(document: Document) -> Fraction:
    """At least the size of every released error of noise without a tail (additive kind)."""
    g = document.step / document.grid
    marks = [2 * document.grid * x for left, right, _ in _held(document) for x in (left, right)]
    # The outermost half grid step [m - 1, m) rounds to the grid point m // 2, on the left
    # [m, m + 1) to (m + 1) // 2; rounding the value adds less than one grid step.
    points = [max(int(max(marks)) // 2, 0), max(-((int(min(marks)) + 1) // 2), 0)]
    return (max(points) + 1) * g


def _unimodal(document: Document, at: Fraction) -> Fraction:
    if document.atom and at != 0:
        return -Fraction(document.atom, document.denominator)
    mode = at / document.step
    cells = pieces(document, 2)
    if not cells:
        return Fraction(0)  # an atom alone
    # A density steps at a place, a mass function between two whole numbers.
    apart = 1 if document.kind == "integer" else 0
    heights = [w if apart else w / (right - left) for left, right, w in cells]
    steps = [(left - apart, left) for left, _, _ in cells]
    steps.append((cells[-1][1], cells[-1][1] + apart))
    around = list(zip(steps, pairwise([Fraction(0), *heights, Fraction(0)]), strict=True))
    worst = Fraction(0)
    for (low, high), (before, after) in around[1:-1] if document.tail else around:
        rises, falls = high <= mode, low >= mode
        if rises != falls:  # (a step at the mode itself may go either way)
            worst = max(worst, after - before if falls else before - after)
    return -worst / document.denominator


def _symmetric(document: Document) -> Fraction:
    if document.edges is not None:
        edges = document.edges
        worst = max(abs(a + b) for a, b in zip(edges, edges[::-1], strict=True))
        if worst:
            return -worst
        list_ = document.weights
    else:
        last = document.first + len(document.weights) - 1
        pad = document.first + last
        list_ = document.weights
        if pad and document.tail is not None:
            return Fraction(-1)
        list_ = (0,) * max(0, pad) + list_ + (0,) * max(0, -pad)
    worst_weight = max((abs(a - b) for a, b in zip(list_, list_[::-1], strict=True)), default=0)
    return -Fraction(worst_weight, document.denominator)


def mean_error(document: Document) -> Fraction:
    """E[release - value], exactly: rounding the value is unbiased, so it is the noise's mean."""
    if document.edges is not None:
        total = Fraction(0)
        for (a, b), w in zip(pairwise(document.edges), document.weights, strict=True):
            lo, hi = int(2 * document.grid * a), int(2 * document.grid * b)
            # Half grid steps round up or down by a quarter of a grid step; an odd one is left over.
            odd = (hi // 2 - lo // 2) * 2 - (hi - lo)
            total += w * ((a + b) / 2 + Fraction(odd, 4 * (hi - lo) * document.grid))
        return total * document.step / document.denominator
    total = Fraction(sum(i * w for i, w in enumerate(document.weights, document.first)))
    if document.tail is not None:
        n = document.tail.period
        zeroth, moment = geometric_sums(document.tail.ratio, 2)
        last = document.first + len(document.weights) - n
        for start, side, cells in (
            (document.first, -1, document.weights[:n]),
            (last, 1, document.weights[-n:]),
        ):
            total += zeroth * sum(i * w for i, w in enumerate(cells, start))
            total += side * n * moment * sum(cells)
    return total * document.step / document.denominator
