"""Quantiles and Bounds: many quantiles of a column at once, from its counts by public bins.

Sensitivity and proof: `quantiles.proof.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from ...errors import ArgumentError
from ...exact import Number, rational, text_of
from ...formatting import several
from ...hints import hinted_class
from ...problem.workload import Workload
from ...problem.workload_arguments import MIN_EPSILON
from ..axes.bins import bin_of, edges_of
from ..axes.scale import Scale, both_bounds
from ..planning.bands import BandsRelease, ChoicesRelease, Target, bands_release
from ..planning.exponential import WORDS
from ..sources.bounding import Request
from ..sources.rows import TableRows
from .base import Query, Setting
from .groups import groups_moved
from .numbers import Part

_MOST_LEVELS = 999
_DENOMINATOR = 10_000
#: Steps of a decade of the grid of bounds: 1, 2, 5, 10.
_STEPS = (Fraction(1), Fraction(2), Fraction(5))
#: The grid of bounds has at most so many decades, of either sign.
_MOST_DECADES = 60


@dataclass(frozen=True, kw_only=True)
class Ordered(Query):
    """Quantiles of one column, which rise with their levels."""

    column: str = field(kw_only=False)

    mechanism: ClassVar[str] = "sums"
    counted: ClassVar[str] = " rows of rank"
    excess: ClassVar[str] = "as many of them count, evenly spread over their values"
    axis_answered: ClassVar[str] = "quantile"

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The query of a text; levels are all that stands behind the column."""
        levels = {"levels": tuple(plain[1:])} if len(plain) > 1 else {}
        return super().from_text(plain[:1], {**named, **levels})

    def _check(self) -> None:
        Query.__post_init__(self)
        if not isinstance(self.column, str) or not self.column:
            raise ArgumentError("column", self.column, "the name of a column")

    @property
    def target(self) -> Target:
        """The edges of its bins, and its levels."""
        raise NotImplementedError

    @property
    def equal_bins(self) -> bool:
        """Whether all bins are alike."""
        return False

    @property
    def columns_answered(self) -> tuple[str, ...]:
        """The levels in percent."""
        return tuple(f"{text_of(100 * level)}%" for level in self.target.levels)

    def workload(self) -> Workload:
        """Its cumulative counts."""
        return Workload.prefix(self.target.bins)

    def moves(self, setting: Setting) -> int:
        """Rows of a unit in all groups; where it is replaced, those of both."""
        each = groups_moved(self, replace(setting, neighbors="add-remove"))
        return (2 if setting.replace else 1) * each * setting.rows

    def parts(self, setting: Setting) -> list[Part]:
        """Counts of a group; how a unit moves all of them together says `moves`."""
        return [Part("rows by bin", Fraction(setting.rows), whole=True)]

    def request(self, setting: Setting) -> Request:
        """Rows by bin, of a person no more than count in a group."""
        column, edges = self.column, [float(edge) for edge in self.target.edges]

        def bin_number(rows: TableRows) -> str:
            return bin_of(rows, column, edges, equal=self.equal_bins)

        scale = Scale(Fraction(0), Fraction(1), self.target.bins - 1)
        return self._request(setting, value=bin_number, scale=scale, cells=True, whole=True)

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> BandsRelease | ChoicesRelease:
        """Cumulative counts with noise."""
        steps = self.moves(setting)
        if epsilon < steps * MIN_EPSILON:
            rows = several(steps, "row")
            words = f"at least {float(steps * MIN_EPSILON):g} for {rows} of a unit in {self}"
            raise ArgumentError("epsilon", float(epsilon), words)
        return bands_release(self.target, epsilon, delta, steps)

    def step_at(self, value: float) -> float:
        """The width of the bin that it is in."""
        edges = self.target.edges
        at = min(max(bisect_right(edges, value), 1), len(edges) - 1)
        return float(edges[at] - edges[at - 1])

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """The error is one of rank: a part of the rows."""
        return [Fraction(0)], Fraction(max(1, rows))

    def notes(self, setting: Setting) -> list[str]:
        """What a reader of the answer must know about the values."""
        ends = self.target.edges[0], self.target.edges[-1]
        return [
            f"values are counted in {self.target.bins} public bins; those beyond "
            f"{text_of(ends[0])} to {text_of(ends[1])} are in the first or last one, and rows "
            "without a number (missing, or text that is none) are left out"
        ]

    def why(self, setting: Setting) -> str:
        """Why a unit moves few counts by little."""
        more = ", and as many where it is replaced" if setting.replace else ""
        return (
            f"A unit adds at most {several(setting.rows, 'row')} to the counts of all bins of a "
            f"group together{more}; of a person with more rows, so many that are evenly spread "
            "over its values count. All quantiles follow from the counts."
        )


def _levels_of(levels: Any) -> tuple[Fraction, ...]:
    """Levels in rising order, exactly."""
    if hasattr(levels, "tolist"):  # an array
        levels = levels.tolist()
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        raise ArgumentError("levels", levels, "a list of numbers from 0 to 1")
    exact = tuple(rational(level, "levels") for level in levels)
    for level in exact:
        if not 0 <= level <= 1 or level.denominator > _DENOMINATOR:
            allowed = f"from 0 to 1, in parts of at most 1/{_DENOMINATOR}"
            raise ArgumentError("levels", text_of(level), allowed)
    if not 1 <= len(exact) <= _MOST_LEVELS or any(a >= b for a, b in pairwise(exact)):
        allowed = f"1 to {_MOST_LEVELS} different levels in rising order"
        raise ArgumentError("levels", [text_of(level) for level in exact], allowed)
    return exact


@hinted_class
@dataclass(frozen=True)
class Quantiles(Ordered):
    """Many quantiles of a column at once, each with an interval of values.

    levels: from 0 to 1, in rising order. All quantiles follow from one release of cumulative
    counts: they never fall, and their intervals hold all together with 95% confidence.
    low, high, bins: as for a histogram: a number of equal bins between the bounds, or their edges.
    A quantile is known up to a bin, so choose bins as fine as the answer shall be.

    interval: whether every quantile shall have an interval. If not, few quantiles are chosen by the
        exponential mechanism where its error of rank is smaller; it gives none.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: the deciles of the ages.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> deciles = [k / 10 for k in range(1, 10)]
        >>> answer = ask(table, Quantiles("age", deciles, low=0, high=100, bins=100), epsilon=1)
        >>> list(answer.value)[:3]
        ['10%', '20%', '30%']
        >>> answer.value["50%"], answer.interval["50%"]  # doctest: +SKIP
        (49.6, (47.0, 53.0))
    """

    levels: Sequence[Number] = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    low: Number | None = field(default=None, kw_only=True)
    high: Number | None = field(default=None, kw_only=True)
    bins: int | Sequence[Number] = field(default=256, kw_only=True)
    interval: bool = field(default=False, kw_only=True)
    word: ClassVar[str] = "quantiles"
    phrase: ClassVar[str] = "Quantiles {levels} of {column}"
    title: ClassVar[str] = "Several quantiles"
    may_choose: ClassVar[bool] = True

    @property
    def lacks_values(self) -> bool:
        """Rows without a number are in no bin."""
        return True

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "levels", _levels_of(self.levels))
        if not isinstance(self.bins, int):
            object.__setattr__(self, "bins", tuple(self.bins))
        _ = self.target

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The same; a text states the levels."""
        if len(plain) < 2:
            raise ArgumentError("levels", None, f"given, as in {cls.word}(column, 0.1, 0.5, 0.9)")
        return super().from_text(plain, named)

    @classmethod
    def example(cls) -> str:
        """How it is written."""
        return f"{cls.word}(column, 0.1, 0.5, 0.9, low=0, high=100)"

    @cached_property
    def target(self) -> Target:
        """Equal bins between the bounds, or those of the edges."""
        if isinstance(self.bins, int):
            query = f"{self.word}({self.column})"
            both_bounds(query, self.low, self.high, ", or find them with Bounds")
        return Target(tuple(edges_of(self.bins, self.low, self.high)), tuple(self.levels))  # type: ignore[arg-type]

    @property
    def equal_bins(self) -> bool:
        """Unless their edges are given."""
        return isinstance(self.bins, int)

    def noise(
        self, setting: Setting, epsilon: Fraction, delta: Fraction, groups: int, loss: str
    ) -> BandsRelease | ChoicesRelease:
        """Cumulative counts, or choices where none must have an interval and they err less."""
        bands = super().noise(setting, epsilon, delta, groups, loss)
        if self.interval or epsilon == 0:
            return bands
        each = epsilon / (groups * len(self.target.levels))
        words = f"{WORDS}, for each of {len(self.target.levels)} quantiles"
        choices = ChoicesRelease(self.target, setting, each, groups, words)
        assert isinstance(bands, BandsRelease)
        return choices if choices.rank_error < bands.rank_error else bands

    def __str__(self) -> str:
        levels = ", ".join(text_of(level) for level in self.target.levels)
        return self.text(f"{self.column}, {levels}")


@hinted_class
@dataclass(frozen=True)
class Bounds(Ordered):
    """Bounds for a column about which little is known: two quantiles on a logarithmic grid.

    The answer is the 1st and the 99th percentile (`levels`), each with an interval; both hold
    together with 95% confidence. Spend a small part of the budget on it, and use the ends of the
    intervals as low= and high= of the next query. The grid is 0.01, 0.02, 0.05, 0.1, ... on both
    sides of 0.

    smallest, largest: of the grid in size; values beyond count in its last bins.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: between which values are 98% of the incomes?

        >>> import pandas as pd
        >>> table = pd.DataFrame({"income": [1000 + 17 * k for k in range(5000)]})
        >>> answer = ask(table, Bounds("income"), epsilon=0.5)
        >>> low, high = answer.interval["1%"][0], answer.interval["99%"][1]
        >>> low <= 1850 and 85000 <= high
        True
    """

    levels: Sequence[Number] = field(default=(Fraction(1, 100), Fraction(99, 100)), kw_only=True)
    smallest: Number = field(default=Fraction(1, 100), kw_only=True)
    largest: Number = field(default=10**12, kw_only=True)
    word: ClassVar[str] = "bounds"
    phrase: ClassVar[str] = "Bounds of {column}"
    title: ClassVar[str] = "Bounds of most values"

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "levels", _levels_of(self.levels))
        _ = self.target

    @cached_property
    def target(self) -> Target:
        """The grid."""
        low, high = rational(self.smallest, "smallest"), rational(self.largest, "largest")
        if not 0 < low < high:
            raise ArgumentError("smallest", self.smallest, f"above 0 and below {self.largest}")
        if high / low > 10**_MOST_DECADES:
            allowed = f"at most {_MOST_DECADES} powers of ten above smallest={self.smallest}"
            raise ArgumentError("largest", self.largest, allowed)
        sizes = [low]
        while sizes[-1] < high:
            power, step = divmod(len(sizes), len(_STEPS))
            sizes.append(low * 10**power * _STEPS[step])
        edges = [*(-size for size in reversed(sizes)), *sizes]
        return Target(tuple(edges_of(edges, None, None)), tuple(self.levels))  # type: ignore[arg-type]

    def notes(self, setting: Setting) -> list[str]:
        """How to use them."""
        return [
            *super().notes(setting),
            "for bounds of other queries take the lower end of the first interval and the upper "
            "end of the last one",
        ]

    def __str__(self) -> str:
        levels = ", ".join(text_of(level) for level in self.target.levels)
        return self.text(f"{self.column}, {levels}")
