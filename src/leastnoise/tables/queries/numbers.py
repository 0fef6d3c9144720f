"""Numbers of a group: exact ones with their sensitivities, released ones, and what follows.

Intervals within bounds: `numbers.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import ArgumentError
from ...exact import Number, rational, text_of
from ..sources.bounding import GroupSums
from .digits import finite, rounded

#: Steps that a unit can make where they can be chosen: more cost time, and gain little.
FINE = 32
#: An end of an interval that is so near to an integer is that integer.
_NEXT = 1e-9


@dataclass(frozen=True)
class Part:
    """One number to release: how far a unit can move it, and whether it is whole.

    step: how far the number moves is counted in these; the sensitivity itself if None.
    range: (low, high), public, that it cannot leave; None where there is none.
    unit: what its 1 is in the query's own units, where people read it.
    """

    name: str
    sensitivity: Fraction
    whole: bool = False
    step: Fraction | None = None
    range: tuple[Fraction, Fraction] | None = None
    unit: Fraction = Fraction(1)

    @property
    def measure(self) -> Fraction:
        """The step."""
        return self.sensitivity if self.step is None else self.step


@dataclass(frozen=True)
class ReleaseForm:
    """One way to release what a query needs: some numbers, and how they can move together.

    Each part moves by ceil(distance / step) steps. A unit moves all parts of one group by at most
    `steps` of them together, and any one by at most `most` (`noise.proof.md`).
    """

    parts: tuple[Part, ...]
    steps: int
    most: int = 1
    name: str = ""
    #: What an error of each part weighs where forms are compared.
    weights: tuple[Fraction, ...] = ()
    top: int = 1  # steps of the scale between the bounds, where the form is of a mean
    #: Numbers beside those of the answer, of which a unit moves one, by at most `most` steps, only
    #: if it moves none of the parts.
    beside: tuple[Part, ...] = ()

    @property
    def every(self) -> tuple[Part, ...]:
        """All numbers that are released."""
        return self.parts + self.beside

    @classmethod
    def plain(cls, parts: Sequence[Part]) -> ReleaseForm:
        """Every part may move to its end, all of them at once."""
        return cls(tuple(parts), len(parts))


@dataclass(frozen=True)
class Released:
    """A part after the noise: its value, and the error that it stays within (95% for all)."""

    value: Fraction
    error: Fraction
    #: The interval, where it is not the value and the error to both sides.
    inside: tuple[Fraction, Fraction] | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The interval around it."""
        return self.inside or (self.value - self.error, self.value + self.error)


#: What a number can rest on.
ROWS, LEFT_OUT = "rows", "rows left out"


@dataclass(frozen=True)
class Figure:
    """A private number of rows that another number rests on, with a 95% interval of its own.

    name: "rows", those that count, or "rows left out", because they have no value.
    """

    name: str
    value: int
    low: int
    high: int

    @property
    def clear(self) -> bool:
        """Whether it is far above 0: three times its margin of error."""
        return self.value >= 3 * max(1, self.high - self.value)

    @classmethod
    def counted(cls, name: str, value: Fraction, error: Fraction) -> Figure:
        """From a released number of rows and what its error stays within."""
        inside = clamp_estimate(value, (value - error, value + error), Fraction(0), None)
        assert inside.low is not None and inside.high is not None
        rounded = max(0, round(value))
        ends = math.ceil(inside.low - _NEXT), math.floor(inside.high + _NEXT)
        return cls(name, rounded, min(ends[0], rounded), max(ends[1], rounded))


@dataclass(frozen=True)
class Estimate:
    """What is published for one group: a value and an interval (None: a hint says why).

    unbiased: of a count the number as it was released, before it was made to fit the others.
    rests_on: what is known of the rows behind it, from the same release.
    step: of the public grid that the value is of, where there is no interval: no finer digits are
        known.
    """

    value: float
    low: float | None
    high: float | None
    unbiased: float | None = None
    rests_on: tuple[Figure, ...] = ()
    step: float | None = None

    def __str__(self) -> str:
        value, low, high = rounded(self)
        return f"{value}  [{low}, {high}]" if low and high else value


#: What a number is of a key's sums: so much of the rows, of the scaled values and of the units.
Combination = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Sharing:
    """How the numbers of a query tell that somebody has a key (`keys_by_values.proof.md`).

    form: the numbers; `of` says what each is of the exact sums. Together they are between `least`
        and `most` for one unit, and add up over units.
    answer: what the answer is of them, in parts of each; None for a mean, which divides.
    """

    form: ReleaseForm
    of: tuple[Combination, ...]
    least: Fraction
    most: Fraction
    answer: tuple[Fraction, ...] | None = None

    @property
    def counts(self) -> bool:
        """Whether the one number is that of the units, of which each adds 1."""
        return self.answer == (Fraction(1),)

    def numbers(self, sums: GroupSums) -> list[Fraction]:
        """The exact numbers of one key."""
        return [r * sums.rows + v * sums.values + u * sums.units for r, v, u in self.of]

    @classmethod
    def sides(cls, total: Combination, low: Fraction, high: Fraction, step: Fraction) -> Sharing:
        """The distances of a sum from its least and from its largest."""
        width, (rows, values, units) = high - low, total
        # Whole for every unit, however few rows it has: only then is nothing rounded.
        whole = step == 1 and all(x.denominator == 1 for x in (rows, low, high))
        fine = width.numerator if whole and width <= FINE else FINE
        parts = tuple(
            Part(name, width, whole=whole, step=width / fine)
            for name in ("distances from the smallest", "distances from the largest")
        )
        steps = fine if fine == width and whole else fine + 1
        of = (rows, values, units - low), (-rows, -values, high - units)
        return cls(ReleaseForm(parts, steps, fine), of, width, width, (high / width, low / width))


def ratio_interval(
    top: tuple[Fraction, Fraction], bottom: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """All quotients of two intervals; None if the lower one comes too near to 0."""
    if bottom[0] < 1:
        return None
    quotients = [t / b for t in top for b in bottom]
    return min(quotients), max(quotients)


def nearest_of(value: Fraction, ends: tuple[Fraction, Fraction]) -> Fraction:
    """The number of an interval that is nearest to a value: nearer to all that is inside."""
    return max(ends[0], min(value, ends[1]))


def clamp_estimate(
    value: Fraction,
    ends: tuple[Fraction, Fraction] | None,
    low: Fraction | None,
    high: Fraction | None,
) -> Estimate:
    """The value and its interval, within what the query can be at all.

    A value beyond a bound is moved there, and the far end of its interval by as much: the interval
    is as wide as before on the side where the truth is, and never empty (`numbers.proof.md`).
    ends: around the value; None if nothing is known but the bounds.
    """
    inside = value if low is None else max(low, value)
    inside = inside if high is None else min(high, inside)
    if ends is None:
        known = low is not None and high is not None
        return Estimate(
            float(inside),
            float(low) if known and low is not None else -math.inf,
            float(high) if known and high is not None else math.inf,
        )
    moved = inside - value
    first, last = ends[0] + min(moved, Fraction(0)), ends[1] + max(moved, Fraction(0))
    first = first if low is None else min(inside, max(low, first))
    last = last if high is None else max(inside, min(high, last))
    return Estimate(float(inside), float(first), float(last))


def not_negative(values: Sequence[Fraction]) -> list[Fraction]:
    """Released numbers of which the exact ones are at least 0, moved there."""
    return [max(Fraction(0), value) for value in values]


def half_width(estimate: Estimate) -> float:
    """Half the width of an interval; one that is cut on one side says less than its other side."""
    assert estimate.low is not None and estimate.high is not None
    return max(estimate.high - estimate.value, estimate.value - estimate.low)


def check_margin(margin: Number, name: str) -> Fraction:
    """A relative margin of error: more than this part of a number makes it imprecise."""
    value = rational(margin, name)
    if value <= 0:
        raise ArgumentError(name, margin, "a number above 0, such as 0.3 for 30%")
    return value


def imprecise_words(margin: Fraction) -> str:
    """What makes a number imprecise."""
    part = text_of(100 * margin)
    shown = part if len(part) < 8 and "/" not in part else f"{float(100 * margin):.4g}"
    return (
        f"95% margin of error is more than {shown}% of the number, or no finite interval is known"
    )


def imprecise(estimate: Estimate, margin: Fraction) -> bool:
    """Whether its margin of error is more than this part of it, or it has no finite interval."""
    low, high = finite(estimate.low), finite(estimate.high)
    if low is None or high is None:
        return True
    value, below, above = (Fraction(repr(float(x))) for x in (estimate.value, low, high))
    return max(above - value, value - below) > margin * abs(value)
