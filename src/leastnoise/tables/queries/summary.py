"""Summary: count, sum and mean of each group from one release. Proof: `summary.proof.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from ...hints import hinted_class
from .base import Setting
from .mean import Mean, mean_rows, mean_total
from .numbers import Estimate, Released, clamp_estimate, half_width

_COUNT, _SUM, _MEAN = "count", "sum", "mean"


@hinted_class
@dataclass(frozen=True)
class Summary(Mean):
    """The count, the sum and the mean of a column, clamped to public bounds, from one release.

    They cost what the mean alone costs, and fit together: the sum is the count times the mean. The
    count is that of rows with a number. Each interval is for its own number.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: how many people there are, and the sum and the mean of their ages.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> numbers = ask(table, Summary("age", low=0, high=100), epsilon=1).value
        >>> abs(numbers["sum"] - numbers["count"] * numbers["mean"]) < 1e-6
        True
    """

    word: ClassVar[str] = "summary"
    pictured: ClassVar[str] = _MEAN
    phrase: ClassVar[str] = "Count, sum and mean of {column}"
    title: ClassVar[str] = "Count, sum and mean"
    axis_answered: ClassVar[str] = "number"

    @property
    def _sized(self) -> bool:
        # The count is answered, too, so it is released.
        return False

    @property
    def columns_answered(self) -> tuple[str, ...]:
        """Three numbers of each group."""
        return (_COUNT, _SUM, _MEAN)

    @property
    def columns_by(self) -> tuple[str, ...]:
        """None: a key is that of a group and the name of a number."""
        return ()

    def ends_of(self, column: str) -> tuple[float, float] | None:
        """The bounds of the mean."""
        return self._ends if column == _MEAN else None

    def estimates(
        self, released: list[Released], setting: Setting, noise: Any = None
    ) -> dict[str, Estimate]:
        """The three numbers from what was released: post-processing."""
        mean = self.estimate(released, setting, noise)
        (rows,) = mean_rows(self.scale, released, noise)
        count = Estimate(float(rows.value), float(rows.low), float(rows.high))
        total, error = mean_total(self.scale, released, noise)
        low = Fraction(0) if self.scale.low >= 0 else None
        high = Fraction(0) if self.scale.high <= 0 else None
        around = clamp_estimate(total, (total - error, total + error), low, high)
        assert around.low is not None and around.high is not None
        value = count.value * mean.value
        summed = replace(
            mean, value=value, low=min(around.low, value), high=max(around.high, value)
        )
        return {_COUNT: count, _SUM: summed, _MEAN: mean}

    def error_of(self, answers: Mapping[str, Estimate]) -> float:
        """That of the mean."""
        return half_width(answers[_MEAN])
