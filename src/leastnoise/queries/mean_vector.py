"""MeanVector: the means of several columns at once, for noise that is designed for vectors.

Its noise would be one release of a vector whose length (in the Euclidean norm) a unit moves by at
most half the diagonal of the box of bounds, instead of one release for each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ..errors import ArgumentError
from ..exact import Number
from .base import Query, Setting
from .mean import Mean


@dataclass(frozen=True)
class MeanVector(Query):
    """The means of several columns between public bounds, released as one vector.

    Vector designs are not part of this version: `ask` refuses it and says what to do instead.
    """

    columns: Sequence[str] = ()
    low: Sequence[Number] = field(default=(), kw_only=True)
    high: Sequence[Number] = field(default=(), kw_only=True)
    word: ClassVar[str] = "mean_vector"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= len(self.columns) == len(self.low) == len(self.high):
            raise ArgumentError("columns", f"{len(self.columns)} columns",
                                "as many as there are bounds in low and in high, at least 1")
        object.__setattr__(self, "columns", tuple(self.columns))

    @property
    def means(self) -> list[Mean]:
        """The same question as one mean for each column: what `ask_all` can answer today."""
        return [
            Mean(column, low=low, high=high, where=self.where, by=self.by, keys=self.keys)
            for column, low, high in zip(self.columns, self.low, self.high, strict=True)
        ]

    def squared_sensitivity(self, setting: Setting) -> Fraction:
        """The square of how far (Euclidean) a unit moves the centred totals: R^2 sum (W_j / 2)^2.

        Twice as far, hence four times the square, if a unit is replaced.
        """
        half = sum((mean.scale.width / 2) ** 2 for mean in self.means)
        return (4 if setting.replace else 1) * setting.rows**2 * Fraction(half)

    def request(self, setting: Setting) -> Any:
        """Refused until there is noise for vectors."""
        raise ArgumentError(
            "query", "MeanVector", "another one: this version designs no noise for vectors; "
            "ask_all(table, query.means, ...) answers the same question column by column")

    parts = request  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.text(", ".join(self.columns))
