"""Sum: the sum of a column. Sensitivity and proof: `sum.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ...exact import text_of
from ...hints import hinted_class
from ..planning.tracks import Track
from ..sources.bounding import GroupSums, exact_total
from .base import Setting
from .numbers import Estimate, Part, Released, Sharing, clamp_estimate
from .values import Valued, reach


@hinted_class
@dataclass(frozen=True)
class Sum(Valued):
    """The sum of a column, clamped to public bounds.

    Adding or removing a unit moves it by at most max_rows_per_group times the larger bound in
    size. Replacing one moves it by at most the distance between the smallest and the largest sum
    that a unit can have.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the total of all ages.

        >>> round(plan(Sum("age", low=0, high=100), epsilon=1, rows=1000).error)
        300
    """

    word: ClassVar[str] = "sum"
    phrase: ClassVar[str] = "Sum of {column}"
    title: ClassVar[str] = "Sum"
    adds_up: ClassVar[bool] = True

    def parts(self, setting: Setting) -> list[Part]:
        """One number."""
        if setting.size is not None:
            return [Part("sum", self.scale.width)]
        size, apart = reach(self.scale.low, self.scale.high)
        return [Part("sum", setting.rows * (apart if setting.replace else size))]

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """A unit adds something of one sign if the lower bound is not below 0."""
        (part,) = self.parts(setting)
        low, high = self.scale.low, self.scale.high
        one_sided = low >= 0 and not setting.replace
        effect = 1 / max(abs(low), abs(high))
        return (Track(part.name, part.sensitivity, one_sided, effect),)

    def sharing(self, setting: Setting) -> Sharing:
        """How far the sum is from the least and from the largest that its units can have."""
        scale, rows, none = self.scale, setting.rows, Fraction(0)
        ends = rows * min(none, scale.low), rows * max(none, scale.high)
        return Sharing.sides((scale.low, scale.step, none), *ends, scale.step)

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """The exact sum."""
        return [exact_total(sums, self.scale)]

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The sum; not on the wrong side of 0 if the bounds are on one side."""
        (total,) = released
        low = Fraction(0) if self.scale.low >= 0 else None
        high = Fraction(0) if self.scale.high <= 0 else None
        return clamp_estimate(total.value, total.ends, low, high)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """Rows in the middle; an error as a part of rows at the larger bound."""
        scale = self.scale
        return [rows * scale.middle], max(1, rows) * max(abs(scale.low), abs(scale.high))

    def units_beyond(self, distance: Fraction, rows: int, setting: Setting) -> int:
        """Each unit has as many rows as count, all at the larger bound."""
        size, _ = reach(self.scale.low, self.scale.high)
        return int(distance // (setting.rows * size)) + 1

    def why(self, setting: Setting) -> str:
        """Why the sensitivity is what it is."""
        (part,) = self.parts(setting)
        if setting.size is not None:
            return self._why_replaced(part, setting.size)
        rows = f"{setting.rows} rows" if setting.rows > 1 else "one row"
        moves = "replaced by another" if setting.replace else "added or removed"
        return (
            f"A unit's part in the sum is that of at most {rows} with values from "
            f"{self.bounds}, or 0; a unit {moves} moves the sum by at most "
            f"{text_of(part.sensitivity)}."
        )
