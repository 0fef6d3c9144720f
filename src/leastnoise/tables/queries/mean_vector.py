"""MeanVector: the means of several columns at once, with noise that is designed for vectors.

One release of a vector instead of one for each column. Sensitivity and proof:
`mean_vector.proof.md`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, ClassVar

from ...errors import ArgumentError, Described
from ...exact import Number
from ...hints import hinted_class
from ..planning.vector import VectorRelease, vector_release
from ..sources.bounding import GroupSums, Request
from .base import Query, Setting
from .mean import Mean
from .numbers import Estimate, Part, Released, clamp_estimate, half_width

_DIGITS = 10**12
#: The part of an answer that is several numbers, with noise for their length.
VECTOR = "vector"


@hinted_class
@dataclass(frozen=True)
class MeanVector(Query):
    """The means of 2 to 1,000 columns, clamped to public bounds, released as one vector.

    Each column is measured in halves of its own width, so errors are alike in parts of the width.
    Rows without a number count as the middle of the bounds.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the means of two columns at once.

        >>> query = MeanVector(["age", "pay"], low=[0, 0], high=[100, 5000])
        >>> plan(query, epsilon=1, delta=1e-6, rows=1000).relative < 0.02
        True
    """

    columns: Sequence[str] = ()
    low: Sequence[Number] = field(default=(), kw_only=True)
    high: Sequence[Number] = field(default=(), kw_only=True)
    word: ClassVar[str] = "mean"
    phrase: ClassVar[str] = "Mean of {columns}"
    title: ClassVar[str] = "Several means"
    mechanism: ClassVar[str] = "vector"
    positional: ClassVar[tuple[str, ...]] = ("columns",)
    several: ClassVar[bool] = True
    counted: ClassVar[str] = " of a width"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("low", "high"):
            bounds: object = getattr(self, name)
            if isinstance(bounds, str) or not isinstance(bounds, Sequence) or not bounds:
                allowed = "given as a list, with one bound for each column"
                raise ArgumentError(name, None if bounds == () else bounds, allowed)
        if not 2 <= len(self.columns) == len(self.low) == len(self.high) <= 1000:
            raise ArgumentError(
                "columns",
                Described(f"{len(self.columns)} columns"),
                "2 to 1,000 columns, with as many bounds in low and in high",
            )
        if len(set(self.columns)) < len(self.columns):
            raise ArgumentError("columns", Described("a name twice"), "different columns")
        for name in ("columns", "low", "high"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _ = self.means

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The same; one bound can be that of all columns."""
        if any(re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", name) for name in plain[1:]):
            raise ArgumentError(
                "query", ", ".join(plain), f"like mean({plain[0]}, low=0, high=100)"
            )
        bounds = {
            name: _bounds(name, value, len(plain)) if name in ("low", "high") else value
            for name, value in named.items()
            if value is not None
        }
        return super().from_text(plain, bounds)

    @cached_property
    def means(self) -> list[Mean]:
        """One mean for each column, of all rows: the filter and the groups are those of `self`."""
        return [
            Mean(column, low=low, high=high, nulls="middle")
            for column, low, high in zip(self.columns, self.low, self.high, strict=True)
        ]

    @property
    def columns_by(self) -> tuple[str, ...]:
        """None: a key is that of a group and the name of a column."""
        return ()

    @property
    def _sized(self) -> bool:
        return True

    def squared_sensitivity(self, setting: Setting) -> Fraction:
        """The square of how far (Euclidean) a unit moves the vector that is released."""
        apart = 2 if setting.replace else 1
        each = Fraction(2, setting.size) if setting.size is not None else apart * setting.rows
        return Fraction(len(self.columns)) * each * each

    def sensitivity(self, setting: Setting) -> Fraction:
        """Its root, rounded up."""
        square = self.squared_sensitivity(setting) * _DIGITS * _DIGITS
        return Fraction(isqrt(-(-square.numerator // square.denominator)) + 1, _DIGITS)

    def request(self, setting: Setting) -> Request:
        """Sums of the clamped values of all columns, over the same rows: read in one query."""
        first, *others = self.means
        first = replace(first, where=self.where, by=self.by, keys=self.keys)
        further = tuple((mean._value(mean.scale), mean.scale) for mean in others)
        return replace(first.request(setting), further=further)

    @property
    def columns_answered(self) -> tuple[str, ...]:
        """An answer for each of its columns."""
        return tuple(self.columns)

    def ends_of(self, column: str) -> tuple[float, float] | None:
        """The bounds of a column."""
        mean = self.means[self.columns.index(column)]
        return mean.ends_of("")

    def parts(self, setting: Setting) -> list[Part]:
        """The vector as one, moved by a length, and the number of rows if it is to be released."""
        vector = Part(VECTOR, self.sensitivity(setting))
        rows = Part("rows", Fraction(setting.rows), whole=True)
        return [vector] if setting.size is not None else [vector, rows]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """The vector in halves of the widths, and the number of rows if it is to be released."""
        vector, rows = [], []
        values = sums.values, *(sums.further or [0] * (len(self.columns) - 1))
        for mean, value in zip(self.means, values, strict=True):
            parts = mean.exact(GroupSums(sums.rows, value), setting)
            if setting.size is not None:
                vector.append((parts[0] - mean.scale.middle) / (mean.scale.width / 2))
            else:
                vector.append(parts[0] / mean.scale.top)
                rows = [parts[1]]
        return vector + rows

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> VectorRelease:
        """Noise for the vector as one."""
        numbers = len(self.columns)
        return vector_release(self.parts(setting), numbers, epsilon, delta, groups, loss)

    def error_of(self, answers: Mapping[str, Estimate]) -> float:
        """The largest, in parts of the widths."""
        widths = [float(mean.scale.width) for mean in self.means]
        return max(
            half_width(answer) / w for answer, w in zip(answers.values(), widths, strict=True)
        )

    def estimates(
        self, released: list[Released], setting: Setting, noise: Any = None
    ) -> dict[str, Estimate]:
        """The means from what was released: post-processing."""
        estimates = {}
        count = released[-1] if setting.size is None else None
        for mean, part in zip(self.means, released, strict=False):
            scale = mean.scale
            if count is None:
                half = scale.width / 2
                ends = scale.middle + half * part.ends[0], scale.middle + half * part.ends[1]
                value = scale.middle + half * part.value
                estimates[mean.column] = clamp_estimate(value, ends, scale.low, scale.high)
            else:
                total = Released(part.value * scale.top, part.error * scale.top)
                estimates[mean.column] = mean.estimate([total, count], setting)
        return estimates

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """Rows in the middle; errors are in parts of the widths."""
        middle = [Fraction(0)] * len(self.columns)
        return middle + ([] if setting.size is not None else [Fraction(rows)]), Fraction(1)

    def why(self, setting: Setting) -> str:
        """Why the sensitivity is what it is."""
        size = float(self.sensitivity(setting))
        if setting.size is not None:
            return (
                f"One of {setting.size} rows is replaced, each column stays within its bounds: "
                f"the vector of means, in halves of the widths, moves by at most {size:.6g}."
            )
        return (
            f"The vector of sums of distances from the middles, in halves of the widths, "
            f"moves by at most {size:.6g} (Euclidean), the count by at most {setting.rows}; "
            "both are released, and the answer is their quotient."
        )

    def notes(self, setting: Setting) -> list[str]:
        """What a reader of the answer must know about the values."""
        bounds = ", ".join(f"{mean.column} to {mean.bounds}" for mean in self.means[:5])
        more = ", ..." if len(self.means) > 5 else ""
        return [
            f"values are clamped ({bounds}{more}); rows without a number (missing, or text that is "
            "none) count as the middle of the bounds"
        ]

    def __str__(self) -> str:
        return self.text(", ".join(self.columns))


def _bounds(name: str, value: Any, count: int) -> list[Any]:
    """One bound for each column: a list, a text with commas, or one bound for all of them."""
    bounds = value.split(",") if isinstance(value, str) else value
    bounds = list(bounds) if isinstance(bounds, (list, tuple)) else [bounds]
    bounds = bounds * count if len(bounds) == 1 else bounds
    if len(bounds) != count:
        raise ArgumentError(name, value, f"one bound, or {count} bounds for {count} columns")
    return bounds
