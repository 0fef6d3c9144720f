"""Quantile and Median by the exponential mechanism, exactly. Proof: `quantile.proof.md`.

The candidates are the steps between the public bounds; they never come from the data. Additive
noise would have to hide (high - low), for all the median can move between neighbors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from ...errors import ArgumentError
from ...exact import Number, rational
from ...formatting import several
from ...hints import hinted_class
from ...sampling import Entropy, ExponentialSampler
from ..planning.exponential import ExponentialRelease
from ..sources.bounding import WEIGHT, Request
from .base import Query, Setting
from .ends import end_of, law_of_ends
from .numbers import Estimate, Part
from .values import Valued

_MOST_CANDIDATES = 20_000
#: The rank of an answer is further off with this probability.
_BEYOND = 0.05
_DENOMINATOR = 10_000


@hinted_class
@dataclass(frozen=True)
class Quantile(Valued):
    """The q-quantile (100 q-th percentile) of a column, up to the steps between its bounds.

    It satisfies pure DP: delta is not used. The error is one of rank: `rank_error`.

    interval: spend half of epsilon on an interval of values that holds the quantile with 95%
        confidence.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the 90th percentile of the ages.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> ask(table, Quantile("age", 0.9, low=0, high=100), epsilon=1).value  # doctest: +SKIP
        73
    """

    q: Number = Fraction(1, 2)
    interval: bool = field(default=False, kw_only=True)
    word: ClassVar[str] = "quantile"
    phrase: ClassVar[str] = "Quantile {q} of {column}"
    title: ClassVar[str] = "Quantile"
    positional: ClassVar[tuple[str, ...]] = ("column", "q")
    mechanism: ClassVar[str] = "choice"
    counted: ClassVar[str] = " rows of rank"
    most: ClassVar[int] = _MOST_CANDIDATES

    def __post_init__(self) -> None:
        super().__post_init__()
        level = rational(self.q, "q")
        if not 0 <= level <= 1 or level.denominator > _DENOMINATOR:
            percent = f" (did you mean {float(level / 100):g}?)" if 1 < level <= 100 else ""
            rule = f"from 0 to 1, in parts of at most 1/{_DENOMINATOR}{percent}"
            raise ArgumentError("q", self.q, rule)

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The same; a text states the level."""
        if "q" in cls.positional and len(plain) < 2 and named.get("q") is None:
            raise ArgumentError("q", None, f"given, as in {cls.word}(column, 0.9)")
        return super().from_text(plain, named)

    @property
    def _sized(self) -> bool:
        return False

    @property
    def level(self) -> Fraction:
        """q, exactly."""
        return rational(self.q, "q")

    def ends_of(self, column: str) -> tuple[float, float] | None:
        """The bounds."""
        return self._ends

    def parts(self, setting: Setting) -> list[Part]:
        """One choice; its sensitivity is that of the score, in rows."""
        swing = Fraction(1) if setting.replace else max(self.level, 1 - self.level)
        return [Part("score", setting.rows * swing)]

    def request(self, setting: Setting) -> Request:
        """Weights of the cells."""
        return self._request(
            setting, value=self._value(self.scale), scale=self.scale, cells=True, fill=self.fills
        )

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> ExponentialRelease:
        """An equal part of epsilon for each group."""
        if epsilon == 0:
            raise ArgumentError(
                "epsilon", 0, "positive for a quantile: the exponential mechanism is pure DP"
            )
        self.mechanisms(epsilon / groups)  # before anything is charged
        return ExponentialRelease(self, setting, epsilon / groups, groups)

    def choose(
        self, cells: Mapping[int, int], epsilon: Fraction, sensitivity: Fraction, entropy: Entropy
    ) -> Estimate:
        """One draw of the exponential mechanism, and an interval if it is asked for."""
        if not self.interval:
            value = self._value_of(self._drawn(cells, epsilon, sensitivity, entropy))
            return Estimate(value, None, None, step=self.step_at(value))
        cell = self._drawn(cells, epsilon / 2, sensitivity, entropy)
        ends = [end_of(self, cells, side, epsilon / 4, sensitivity, entropy) for side in (-1, 1)]
        # Putting three numbers in order is post-processing, and loses no coverage.
        low, high = min(ends[0], cell), max(ends[1], cell)
        return Estimate(self._value_of(cell), self._value_of(low), self._value_of(high))

    def step_at(self, value: float) -> float:
        """That of its candidates."""
        return float(self.scale.step)

    def mechanisms(self, epsilon: Fraction) -> tuple[Path, ...]:
        """The files of the noise that it will use; made now if need be."""
        return (law_of_ends(epsilon / 4)[1],) if self.interval else ()

    def _value_of(self, cell: int) -> float:
        return float(min(self.scale.low + cell * self.scale.step, rational(self.high, "high")))

    def _drawn(
        self,
        cells: Mapping[int, int],
        epsilon: Fraction,
        sensitivity: Fraction,
        entropy: Entropy,
        aside: int = 0,
    ) -> int:
        """A cell whose score is near `aside`, by the exponential mechanism."""
        counts, scores, starts = self._candidates(cells)
        # Scores are in units of 1 / (WEIGHT * denominator) rows.
        rate = epsilon / (2 * sensitivity * self.unit)
        penalties = [abs(score - aside) for score in scores]
        j = ExponentialSampler(counts, penalties, rate).sample_one(entropy)
        return starts[j] + entropy.below(counts[j])

    @property
    def unit(self) -> int:
        """So many units of a score are one row."""
        return WEIGHT * self.level.denominator

    def score(self, cells: Mapping[int, int], cell: int) -> int:
        """(1-q) below - q above of one candidate."""
        q = self.level
        below = sum(weight for at, weight in cells.items() if at < cell)
        above = sum(weight for at, weight in cells.items() if at > cell)
        return (q.denominator - q.numerator) * below - q.numerator * above

    def _candidates(self, cells: Mapping[int, int]) -> tuple[list[int], list[int], list[int]]:
        """Runs of candidates with the same score (1-q) below - q above, as whole numbers."""
        q = self.level
        total, below, at = sum(cells.values()), 0, 0
        counts, scores, starts = [], [], []

        def run(start: int, length: int, under: int, over: int) -> None:
            if length > 0:
                counts.append(length)
                starts.append(start)
                scores.append((q.denominator - q.numerator) * under - q.numerator * over)

        for cell, weight in sorted(cells.items()):
            run(at, cell - at, below, total - below)
            run(cell, 1, below, total - below - weight)
            below, at = below + weight, cell + 1
        run(at, self.scale.top + 1 - at, below, total - below)
        return counts, scores, starts

    def rank_error(self, epsilon: Fraction, setting: Setting) -> float:
        """With 95% confidence the answer's score is within so many rows of the best candidate's.

        The score is |(1-q) (rows below) - q (rows above)|.
        """
        (part,) = self.parts(setting)
        epsilon = epsilon / 2 if self.interval else epsilon
        candidates = math.log(self.scale.top + 1) - math.log(_BEYOND)
        return 2 * float(part.sensitivity) / float(epsilon) * candidates

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """The error is one of rank: a part of the rows."""
        return [Fraction(0)], Fraction(max(1, rows))

    def why(self, setting: Setting) -> str:
        """Why the score's sensitivity is what it is."""
        (part,) = self.parts(setting)
        return (
            "A candidate's score compares the rows below it with the rows above it; a unit "
            f"moves it by at most {several(float(part.sensitivity), 'row')}. The candidates are "
            f"{self.scale.top + 1} public values."
        )

    def __str__(self) -> str:
        return self.text(f"{self.column}, {float(self.level):g}")


@hinted_class
@dataclass(frozen=True)
class Median(Quantile):
    """The median of a column: the 50th percentile.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the median age; the error is a number of ranks.

        >>> plan(Median("age", low=0, high=100), epsilon=1, rows=1000).counted
        ' rows of rank'
    """

    word: ClassVar[str] = "median"
    phrase: ClassVar[str] = "Median of {column}"
    title: ClassVar[str] = "Median"
    positional: ClassVar[tuple[str, ...]] = ("column",)

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """All but the level."""
        return tuple(name for name in super().arguments() if name != "q")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.level != Fraction(1, 2):
            raise ArgumentError("q", self.q, "left out for a median")

    def __str__(self) -> str:
        return self.text(self.column)
