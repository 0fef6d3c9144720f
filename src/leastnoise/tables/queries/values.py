"""What queries about a column of numbers share: bounds, steps, the rule for missing values."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from ...errors import ArgumentError
from ...exact import Number, text_of
from ..axes.scale import STEPS, Scale, both_bounds, scale_of
from ..sources.bounding import Request
from .base import Query, Setting
from .numbers import Part

NULLS = ("skip", "middle")


@dataclass(frozen=True, kw_only=True)
class Valued(Query):
    """A query about the numbers of one column between public bounds.

    low, high: mandatory and public; values beyond them are clamped, infinities too.
    nulls: what a row without a number (NULL, NaN, a text) is: "skip" (the default) leaves it out,
        "middle" counts it as the middle of the bounds. With "middle" the number of rows that count
        is public where rows of a file, frame or base table are replaced, without a filter or
        groups, and is then used as it is.
    step: values are rounded to low + a multiple of it; a fine power of ten if None.
    """

    column: str = field(kw_only=False)
    low: Number | None = None
    high: Number | None = None
    nulls: str | None = None
    step: Number | None = None

    most: ClassVar[int] = STEPS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.column, str) or not self.column:
            hint = ": the loss that adds up losses is WeightedSum" if self.word == "sum" else ""
            raise ArgumentError("column", self.column, f"the name of a column{hint}")
        if self.nulls is not None and self.nulls not in NULLS:
            raise ArgumentError("nulls", self.nulls, f"one of {', '.join(NULLS)}, or None")
        _ = self.scale

    @cached_property
    def scale(self) -> Scale:
        """The bounds and the steps between them."""
        query = f"{self.word}({self.column})"
        low, high = both_bounds(query, self.low, self.high, " (docs/choosing.md)")
        return scale_of(low, high, self.most, self.step)

    def _why_replaced(self, part: Part, size: int) -> str:
        """Why one number, the answer itself, moves by little where the rows' number is public."""
        return (
            f"One of {size} rows is replaced, its value stays within {self.bounds}: the "
            f"{self.word} moves by at most {text_of(part.sensitivity)}."
        )

    @property
    def _sized(self) -> bool:
        return self.nulls == "middle"

    @property
    def fills(self) -> bool:
        """Whether a row without a number counts as the middle."""
        return self.nulls == "middle"

    @property
    def lacks_values(self) -> bool:
        """Rows without a number, unless they count as the middle."""
        return not self.fills

    @property
    def lacking(self) -> str:
        """A number that can be read."""
        return (
            f"they have no number in {self.column}, or a text that is none. Does the file write "
            "decimals and thousands as stated?"
        )

    @property
    def _ends(self) -> tuple[float, float]:
        return float(self.scale.low), float(self.scale.high)

    def _value(self, scale: Scale) -> Any:
        name = self.column
        return lambda rows: rows.scaled(name, scale, "column")

    def request(self, setting: Setting) -> Request:
        """Sums of the clamped values in steps."""
        return self._request(
            setting, value=self._value(self.scale), scale=self.scale, fill=self.fills
        )

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        return f"{text_of(self.scale.low)} to {text_of(self.scale.high)}"

    def notes(self, setting: Setting) -> list[str]:
        """What a reader of the answer must know about the values."""
        missing = "count as the middle of the bounds" if self.fills else "are left out"
        return [
            f"values are clamped to {self.bounds}; rows without a "
            f"number (missing, or text that is none) {missing}"
        ]

    def __str__(self) -> str:
        return self.text(self.column)


def reach(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """(how far from 0, how far apart) numbers between low and high, or 0, can be."""
    return max(abs(low), abs(high)), max(Fraction(0), high) - min(Fraction(0), low)
