"""Variance: from a count, a total and squares. Sensitivity and proof: `variance.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import ArgumentError, Described
from ...hints import hinted_class
from ..axes.scale import STEPS_OF_SQUARES
from ..planning.quotients import BoundLine, believed_range
from ..planning.tracks import Track
from ..sources.bounding import GroupSums, Request, centred
from .base import Setting
from .numbers import (
    ROWS,
    Estimate,
    Figure,
    Part,
    Released,
    ReleaseForm,
    clamp_estimate,
    nearest_of,
    not_negative,
    ratio_interval,
)
from .values import Valued

_PAIRS = "pairs"
#: (1 - f) one = f other for the part f that one has of both.
_PARTS = (BoundLine(1, -1), BoundLine(0, -1))


@hinted_class
@dataclass(frozen=True)
class Variance(Valued):
    """The variance (divided by the number of rows) of a column, clamped to public bounds.

    Where the number of rows n is public and every row counts it is one release with sensitivity
    (high - low)^2 (n - 1) / n^2. Otherwise there are three: squares, total and count, all centered.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the variance of the ages.

        >>> round(plan(Variance("age", low=0, high=100), epsilon=1, rows=1000).error)
        10
    """

    word: ClassVar[str] = "variance"
    phrase: ClassVar[str] = "Variance of {column}"
    title: ClassVar[str] = "Variance"
    most: ClassVar[int] = STEPS_OF_SQUARES

    def parts(self, setting: Setting) -> list[Part]:
        """The variance itself, or centred squares, a centred total and a count."""
        top, rows = self.scale.top, setting.rows
        if setting.size is not None:
            n = setting.size
            if n < 2:
                raise ArgumentError(
                    "table", Described(f"{n} rows"), "a table of at least 2 rows for a variance"
                )
            return [Part("variance", self.scale.width**2 * Fraction(n - 1, n * n))]
        most, half = (2 if setting.replace else 1) * rows * top, self.scale.step / 2
        return [
            Part("squares about the middle", Fraction(most * top), whole=True, unit=half * half),
            Part("sum about the middle", Fraction(most), whole=True, unit=half),
            Part("rows", Fraction(rows), whole=True),
        ]

    def forms(self, setting: Setting) -> list[ReleaseForm]:
        """The parts as they are; weighed by what they do to a variance a third of the largest."""
        parts, top = self.parts(setting), self.scale.top
        if setting.size is not None:
            return [ReleaseForm.plain(parts)]
        weights = Fraction(1, 2 * top * top), Fraction(1, top), Fraction(2, 3)
        return [ReleaseForm(tuple(parts), 3, weights=weights)]

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """The variance itself, or squares and values, each beside what they fall short of."""
        if setting.size is not None:
            (part,) = self.parts(setting)
            effect = 4 * setting.size / self.scale.width**2
            return (Track(part.name, part.sensitivity, False, effect),)
        rows, top, one_sided = setting.rows, self.scale.top, not setting.replace
        step, squares = self.scale.step, "squares and their distances from the largest square"
        return tuple(
            Track(name, Fraction(rows * size), one_sided, Fraction(weight, size), True, rows, unit)
            for name, size, weight, unit in (
                (squares, top * top, Fraction(1, 2), step * step / 4),
                ("distances from both bounds", top, Fraction(1), step),
            )
        )

    def drawn_form(self, setting: Setting) -> ReleaseForm:
        """The numbers of the tracks."""
        if setting.size is not None:
            return self.forms(setting)[0]
        rows, top = setting.rows, self.scale.top
        names = (
            ("squares about the middle", rows * top * top),
            ("distances of squares from the largest", rows * top * top),
            ("distances from the lower bound", rows * top),
            ("distances from the upper bound", rows * top),
        )
        parts = tuple(Part(name, Fraction(width), whole=True) for name, width in names)
        squares = Fraction(2, 3 * top * top), Fraction(1, 3 * top * top)
        values = Fraction(1, 2 * top), Fraction(3, 2 * top)
        return ReleaseForm(parts, 4, name=_PAIRS, weights=(*squares, *values), top=top)

    def numbers(self, form: ReleaseForm, exact: list[Fraction]) -> list[Fraction]:
        """The parts as they are, or the numbers of both pairs."""
        if form.name != _PAIRS:
            return exact
        (doubled, total, rows), top = exact, form.top
        squares, values = (doubled + top * top * rows) / 2, (total + top * rows) / 2
        return [squares, top * top * rows - squares, values, top * rows - values]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """The exact parts."""
        total, top = centred(sums, self.scale), self.scale.top
        if setting.size is not None:
            n = setting.size
            spread = Fraction(sums.squares, n) - Fraction(total, n) ** 2
            return [spread * self.scale.step**2 / 4]
        doubled = 2 * sums.squares - top * top * sums.rows
        return [Fraction(doubled), Fraction(total), Fraction(sums.rows)]

    def request(self, setting: Setting) -> Request:
        """Sums of values and of squares."""
        return self._request(
            setting, value=self._value(self.scale), scale=self.scale, squares=True, fill=self.fills
        )

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The variance, between 0 and a quarter of the squared width, and the rows behind it."""
        rests_on = self._rows(released, noise)
        return replace(self._variance(released, noise), rests_on=rests_on)

    def _rows(self, released: list[Released], noise: Any) -> tuple[Figure, ...]:
        """They are released as they are, or are what both distances add up to."""
        if len(released) == 1:
            return ()
        if noise is None or noise.form.name != _PAIRS:
            return (Figure.counted(ROWS, released[2].value, released[2].error),)
        error = Fraction(noise.spread((1, 1))) / self.scale.top
        total = released[2].value + released[3].value
        return (Figure.counted(ROWS, total / self.scale.top, error),)

    def _variance(self, released: list[Released], noise: Any) -> Estimate:
        most = self.scale.width**2 / 4
        if len(released) == 1:
            return clamp_estimate(released[0].value, released[0].ends, Fraction(0), most)
        if noise is not None and noise.form.name == _PAIRS:
            return self._from_pairs([part.value for part in released], noise)
        squares, total, count = released
        unit, top = self.scale.step**2 / 4, self.scale.top
        n = max(Fraction(1), count.value)
        value = squares.value / (2 * n) + Fraction(top * top, 2) - (total.value / n) ** 2
        ends = ratio_interval(squares.ends, count.ends), ratio_interval(total.ends, count.ends)
        if ends[0] is None or ends[1] is None:
            return clamp_estimate(unit * value, None, Fraction(0), most)
        low, high = ends[1]
        nearest = Fraction(0) if low <= 0 <= high else min(low**2, high**2)
        middle = Fraction(top * top, 2)
        around = (
            unit * (ends[0][0] / 2 + middle - max(low**2, high**2)),
            unit * (ends[0][1] / 2 + middle - nearest),
        )
        return clamp_estimate(unit * value, around, Fraction(0), most)

    def _from_pairs(self, values: list[Fraction], noise: Any) -> Estimate:
        """The variance is a - (2 b - 1)^2 of its largest, a and b the parts that two numbers have
        of what they add up to.
        """
        most = self.scale.width**2 / 4
        halves = not_negative(values[:2]), not_negative(values[2:])
        a, b = (
            min(Fraction(1), max(Fraction(0), square / max(Fraction(unit), square + other)))
            for (square, other), unit in zip(
                halves, (self.scale.top**2, self.scale.top), strict=True
            )
        )
        shares = []
        for first, (first_half, other) in zip((0, 2), halves, strict=True):
            limits = noise.limits(_PARTS, first, confidence=0.975)
            shares.append(believed_range(limits, _PARTS, (first_half, other)))
        value = most * (a - (2 * b - 1) ** 2)
        (low, high), ends = map(Fraction, shares[0]), [2 * Fraction(f) - 1 for f in shares[1]]
        nearest = Fraction(0) if ends[0] <= 0 <= ends[1] else min(x * x for x in ends)
        around = most * (low - max(x * x for x in ends)), most * (high - nearest)
        return clamp_estimate(nearest_of(value, around), around, Fraction(0), most)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """Values spread evenly; an error as a part of the largest variance."""
        most = self.scale.width**2 / 4
        if setting.size is not None:
            return [most / 3], most
        return [-Fraction(rows * self.scale.top**2, 3), Fraction(0), Fraction(rows)], most

    def why(self, setting: Setting) -> str:
        """Why the sensitivities are what they are."""
        parts = self.parts(setting)
        if setting.size is not None:
            return self._why_replaced(parts[0], setting.size)
        return (
            "It follows from squares, distances and a count. Squares and distances are taken from "
            "the middle of the bounds, where a unit adds least; the count moves by at most "
            f"{setting.rows}."
        )
