"""Proportion: the part of the rows for which a condition is true. Proof: `mean.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import ArgumentError
from ...exact import text_of
from ...hints import hinted_class
from ..axes.scale import Scale
from ..planning.tracks import Track
from ..sources.bounding import GroupSums, Request
from ..sources.expression import parse_condition
from ..sources.rows import TableRows
from ..sources.where import truth_of
from .base import Setting
from .mean import Averaged
from .numbers import Estimate, Part, Released, clamp_estimate

_SCALE = Scale(Fraction(0), Fraction(1), 1)
#: Persons with too many rows count with a part of each: ones are made of small steps there.
_PARTS = 1 << 20
_FINE = Scale(Fraction(0), Fraction(1, _PARTS), _PARTS)

NULLS = ("skip", "no")


@hinted_class
@dataclass(frozen=True)
class Proportion(Averaged):
    """The proportion of the rows for which `condition` is true.

    condition: such as "age > 30", or the name of a Boolean column.

    nulls: what a row is for which the condition is NULL, because a value that it needs is missing:
        "skip" (the default) leaves it out, "no" counts it as not true.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: which part of the people is over 40.

        >>> round(plan(Proportion("age > 40"), epsilon=1, rows=1000).error, 4)
        0.002
    """

    condition: str = ""
    nulls: str | None = field(default=None, kw_only=True)
    word: ClassVar[str] = "proportion"
    phrase: ClassVar[str] = "Proportion of rows with {condition}"
    title: ClassVar[str] = "Proportion of rows for which"
    positional: ClassVar[tuple[str, ...]] = ("condition",)
    whole_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        parse_condition(self.condition, "condition", flag=True)
        if self.nulls not in (None, *NULLS):
            raise ArgumentError("nulls", self.nulls, f"one of {', '.join(NULLS)}, or None")

    @property
    def _sized(self) -> bool:
        # The number of rows for which the condition is known is not public, even if all rows are.
        return self.nulls == "no"

    @property
    def lacks_values(self) -> bool:
        """Rows for which the condition is NULL, unless they count as not true."""
        return self.nulls != "no"

    @property
    def lacking(self) -> str:
        """A value that makes the condition true or false."""
        return (
            f"{self.condition} is neither true nor false there. Are its values written as in the "
            "table, such as 'yes', true or 1?"
        )

    def scale_for(self, setting: Setting) -> Scale:
        """Zeros and ones; of persons with too many rows parts of these."""
        return _SCALE if setting.unit.column is None else _FINE

    def parts(self, setting: Setting) -> list[Part]:
        """The number of rows for which it is true, or a centred total and a count."""
        if setting.size is None:
            return super().parts(setting)
        ends = Fraction(0), Fraction(setting.size)
        return [Part("rows for which it is true", Fraction(1), whole=True, range=ends)]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """The exact parts."""
        return super().exact(sums, setting) if setting.size is None else [Fraction(sums.values)]

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """The rows for which it is true, alone or beside those for which it is not."""
        if setting.size is None:
            return super().tracks(setting)
        (part,) = self.parts(setting)
        return (Track(part.name, part.sensitivity, False, Fraction(1), whole=True),)

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """A number from 0 to 1."""
        if setting.size is None:
            return super().estimate(released, setting, noise)
        (true,) = released
        low, high = (end / setting.size for end in true.ends)
        return clamp_estimate(true.value / setting.size, (low, high), Fraction(0), Fraction(1))

    def request(self, setting: Setting) -> Request:
        """Sums of zeros and ones; NULL where the condition is NULL, unless that counts as no."""
        condition, scale = (
            parse_condition(self.condition, "condition", flag=True),
            self.scale_for(setting),
        )
        otherwise = "ELSE" if self.nulls == "no" else "WHEN FALSE THEN"

        def value(rows: TableRows) -> str:
            true = truth_of(rows, condition, "condition")
            top, none = rows.engine.whole(scale.top), rows.engine.whole(0)
            return f"CASE {true} WHEN TRUE THEN {top} {otherwise} {none} END"

        return self._request(setting, value=value, scale=scale)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """One half of the rows."""
        if setting.size is None:
            return super().typical(rows, setting)
        return [Fraction(setting.size // 2)], Fraction(1)

    def why(self, setting: Setting) -> str:
        """Why the sensitivities are what they are."""
        if setting.size is None:
            return f"A proportion is the mean of zeros and ones. {super().why(setting)}"
        return (
            f"One of {setting.size} rows is replaced: the proportion moves by at most "
            f"{text_of(Fraction(1, setting.size))}."
        )

    def notes(self, setting: Setting) -> list[str]:
        """What a reader of the answer must know about missing values."""
        missing = "count as not true" if self.nulls == "no" else "are left out"
        return [f"rows for which the condition is NULL (a value is missing) {missing}"]

    def __str__(self) -> str:
        return self.text(self.condition)
