"""Mean: from a total and a count, or from what lies above and below. Proof: `mean.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from ...exact import text_of
from ...hints import hinted_class
from ..axes.scale import Scale
from ..planning.quotients import BoundLine, believed_range
from ..planning.tracks import Track
from ..sources.bounding import GroupSums, centred, exact_total
from .base import Query, Setting
from .numbers import (
    FINE,
    ROWS,
    Estimate,
    Figure,
    Part,
    Released,
    ReleaseForm,
    Sharing,
    clamp_estimate,
    nearest_of,
    not_negative,
    ratio_interval,
)
from .values import Valued

#: The form whose numbers are the distances from both bounds.
_SIDES = "sides"


class Averaged(Query):
    """Means of what rows have on a scale: one number if their number is public, else a quotient.

    Statement and proof: `mean.proof.md`.
    """

    def scale_for(self, setting: Setting) -> Scale:
        """The bounds of a row's value, and the steps between them."""
        raise NotImplementedError

    def parts(self, setting: Setting) -> list[Part]:
        """The mean itself, or a centred total in half steps and a count."""
        scale = self.scale_for(setting)
        if setting.size is not None:
            sensitivity = scale.width / max(setting.size, 1)
            return [Part("mean", sensitivity, range=(scale.low, scale.high))]
        apart = Fraction((2 if setting.replace else 1) * setting.rows * scale.top)
        return [
            Part("sum about the middle", apart, whole=True, unit=scale.step / 2),
            Part("rows", Fraction(setting.rows), whole=True),
        ]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """The exact parts."""
        scale = self.scale_for(setting)
        if setting.size is not None:
            return [exact_total(sums, scale) / setting.size]
        return [Fraction(centred(sums, scale)), Fraction(sums.rows)]

    def forms(self, setting: Setting) -> list[ReleaseForm]:
        """A total and a count, or the sums above and below."""
        parts, scale = self.parts(setting), self.scale_for(setting)
        if setting.size is not None:
            return [ReleaseForm.plain(parts)]
        rows, top = setting.rows, scale.top
        weights = Fraction(1), Fraction(top, 2)
        plain = ReleaseForm(tuple(parts), 2, weights=weights)
        if setting.replace:
            fine = min(rows, FINE)
            pair = tuple(
                replace(part, step=Fraction(size * rows, fine))
                for part, size in zip(parts, (top, 1), strict=True)
            )
            steps = 2 * rows if fine == rows else 2 * fine + 1
            return [plain, ReleaseForm(pair, steps, 2 * fine, "a sum and a count", weights)]
        most = rows * top
        fine = min(most, FINE)
        steps = fine if fine == most else fine + 1
        return [plain, _sides(scale, setting, fine, steps)]

    def drawn_form(self, setting: Setting) -> ReleaseForm:
        """The mean itself, or the sums above and below."""
        if setting.size is not None:
            return ReleaseForm.plain(self.parts(setting))
        return _sides(self.scale_for(setting), setting, 1, 2)

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """The mean itself, or the distances from both bounds: `joint_draw.proof.md`."""
        scale = self.scale_for(setting)
        if setting.size is not None:
            (part,) = self.parts(setting)
            return (Track(part.name, part.sensitivity, False, setting.size / scale.width),)
        width, effect = Fraction(setting.rows * scale.top), Fraction(1, 2 * scale.top)
        name, one_sided = "distances from both bounds", not setting.replace
        return (Track(name, width, one_sided, effect, True, setting.rows, scale.step),)

    def sharing(self, setting: Setting) -> Sharing:
        """The distances from both bounds."""
        form = self.forms(replace(setting, neighbors="add-remove"))[-1]
        top, none, unit = Fraction(form.top), Fraction(0), Fraction(1)
        return Sharing(form, ((none, unit, none), (top, -unit, none)), top, setting.rows * top)

    def numbers(self, form: ReleaseForm, exact: list[Fraction]) -> list[Fraction]:
        """Total and count as they are, or the distances from both bounds, in steps."""
        if form.name != _SIDES:
            return exact
        total, count = exact
        return [(form.top * count + total) / 2, (form.top * count - total) / 2]

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The mean from its parts, cut to the bounds, with the rows that it rests on."""
        scale = self.scale_for(setting)
        rests_on = mean_rows(scale, released, noise)
        return replace(_mean(scale, released, noise), rests_on=rests_on)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """Rows in the middle; an error as a part of the width."""
        scale = self.scale_for(setting)
        parts = [Fraction(0), Fraction(rows)] if setting.size is None else [scale.middle]
        return parts, scale.width

    def units_beyond(self, distance: Fraction, rows: int, setting: Setting) -> int:
        """Half of the rows are at each bound, and units at one of them are removed."""
        part = distance / self.scale_for(setting).width
        return int(2 * part * rows // (setting.rows * (1 + 2 * part))) + 1

    def why(self, setting: Setting) -> str:
        """Why the sensitivities of a quotient are what they are."""
        width = text_of(self.scale_for(setting).width)
        rows = "one row" if setting.rows == 1 else f"at most {setting.rows} rows"
        if setting.replace:
            return (
                f"A unit is replaced, {rows} within bounds that are {width} apart. A unit that "
                "moves the sum the most cannot also move the count. Both are released, and the "
                "answer is their quotient."
            )
        return (
            f"A unit has {rows}, and a row adds {width} in all to the sums of the distances from "
            "the two bounds: what it adds to one sum, it cannot add to the other. Both sums are "
            "released."
        )


@hinted_class
@dataclass(frozen=True)
class Mean(Averaged, Valued):
    """The mean of a column, clamped to public bounds.

    Where the number of rows is public and every row counts (rows replaced, no filter, no groups,
    `nulls="middle"`) it is one release with sensitivity (high - low) / rows. Otherwise there are
    two releases, and the pair with the smaller certified loss is taken. One pair is the sums of the
    distances from the lower and from the upper bound, which one unit cannot both move far. The
    other is the total of the distances from the middle, and the count.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the mean age.

        >>> round(plan(Mean("age", low=0, high=100), epsilon=1, rows=1000).error, 2)
        0.22
    """

    word: ClassVar[str] = "mean"
    phrase: ClassVar[str] = "Mean of {column}"
    title: ClassVar[str] = "Mean"

    def scale_for(self, setting: Setting) -> Scale:
        """That of the column."""
        return self.scale

    def ends_of(self, column: str) -> tuple[float, float] | None:
        """The bounds."""
        return self._ends

    def why(self, setting: Setting) -> str:
        """Why the sensitivities are what they are."""
        if setting.size is not None:
            return self._why_replaced(self.parts(setting)[0], setting.size)
        return super().why(setting)


def _sides(scale: Scale, setting: Setting, fine: int, steps: int) -> ReleaseForm:
    """The distances of all values from the lower and from the upper bound."""
    most = setting.rows * scale.top
    sides = tuple(
        Part(name, Fraction(most), whole=True, step=Fraction(most, fine), unit=scale.step)
        for name in ("distances from the lower bound", "distances from the upper bound")
    )
    return ReleaseForm(sides, steps, fine, _SIDES, (Fraction(1), Fraction(1)), scale.top)


def mean_rows(scale: Scale, released: list[Released], noise: Any) -> tuple[Figure, ...]:
    """The rows that a mean rests on: both sums of distances add up to them. Nothing if public."""
    if len(released) == 1:
        return ()
    first, second = released
    if noise is None:
        return (Figure.counted(ROWS, second.value, second.error),)
    if noise.form.name != _SIDES:
        return (Figure.counted(ROWS, second.value, Fraction(noise.spread((0, 1)))),)
    error = Fraction(noise.spread((1, 1))) / scale.top
    return (Figure.counted(ROWS, (first.value + second.value) / scale.top, error),)


def mean_total(scale: Scale, released: list[Released], noise: Any) -> tuple[Fraction, Fraction]:
    """The sum that a mean has, and an error that it stays within with 95%."""
    first, second = scale.step / 2, scale.middle  # of a centered sum in half steps, and of rows
    if noise.form.name == _SIDES:
        first, second = scale.high / scale.top, scale.low / scale.top
    total = first * released[0].value + second * released[1].value
    return total, Fraction(noise.spread((float(first), float(second))))


def _mean(scale: Scale, released: list[Released], noise: Any) -> Estimate:
    if len(released) == 1:
        return clamp_estimate(released[0].value, released[0].ends, scale.low, scale.high)
    first, second = (part.value for part in released)
    sided = noise is not None and noise.form.name == _SIDES
    total, count = (first - second, (first + second) / scale.top) if sided else (first, second)
    value = scale.middle + scale.step / 2 * total / max(Fraction(1), count)
    if noise is None:
        ends = ratio_interval(released[0].ends, released[1].ends)
        if ends is not None:
            ends = scale.middle + scale.step / 2 * ends[0], scale.middle + scale.step / 2 * ends[1]
        return clamp_estimate(value, ends, scale.low, scale.high)
    # What lies above the lower bound and below the upper one is never negative.
    sides = (scale.top * count + total) / 2, (scale.top * count - total) / 2
    above, below = not_negative(sides)
    # A share f of the way from low to high is believed if it makes what was released likely.
    at = (
        (BoundLine(1, -1), BoundLine(0, -1))
        if sided
        else (BoundLine(1, 0), BoundLine(scale.top, -2 * scale.top))
    )
    pair = (above, below) if sided else (above - below, (above + below) / scale.top)
    shares = believed_range(noise.limits(at), at, pair)
    low, high = (scale.low + scale.width * Fraction(f) for f in shares)
    return clamp_estimate(nearest_of(value, (low, high)), (low, high), scale.low, scale.high)
