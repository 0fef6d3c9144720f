"""Cumulative and RangeCounts: sums of the bins of a column, all of them from one release.

Sensitivity and proof: `linear.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...errors import ArgumentError
from ...hints import hinted_class
from ...problem.workload import Workload
from ..axes.place import Place
from ..postprocessing.layout import CountLayout
from ..postprocessing.runs import Prefixes, Ranges
from .histogram import Histogram
from .linear import MOST_ANSWERS, Linear


class _Binned(Linear, Histogram):
    """Sums of bins, for each combination of the keys of other columns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        names = self._sum_names()
        if len(set(names)) < len(names):
            raise ArgumentError("bins", self.bins, "wide enough to be distinguished by 12 digits")

    def _sums(self, bins: int) -> Workload:
        raise NotImplementedError

    def _sum_names(self) -> list[str]:
        raise NotImplementedError

    @property
    def _bins(self) -> int:
        return len(self._edges) - 1

    @property
    def _groups(self) -> int:
        return 1 if self._outer is None else self._outer.groups

    def workload(self) -> Workload:
        """The sums, for each combination of keys."""
        sums = self._sums(self._bins)
        many = self._groups
        return sums if many == 1 else Workload.product(Workload.identity(many), sums)

    def places(self, keys: Sequence[str]) -> Iterator[Place]:
        """The sums of a group, behind its keys."""
        names = self._sum_names()
        return (self._bin_place(name, group) for group in range(self._groups) for name in names)

    def names(self) -> list[str]:
        """Each sum, behind its combination of keys."""
        outer = self._outer
        if outer is None:
            return self._sum_names()
        return [
            f"{outer.label(i)}: {name}" for i in range(outer.groups) for name in self._sum_names()
        ]


@hinted_class
@dataclass(frozen=True)
class Cumulative(_Binned):
    """Cumulative counts: how many rows have a value below each of many public edges.

    bins, low, high: as for a histogram, whose counts are added up from the first bin on. Values
    beyond the ends are in the first or last bin, so the last number is that of all rows with a
    number. The noise is designed for all sums together, and far smaller than that of the counts
    where there are many.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: how many people are younger than 10, 20, ..., 100.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> answer = ask(table, Cumulative("age", bins=10, low=0, high=100), epsilon=1)
        >>> len(answer.value)
        10
    """

    word: ClassVar[str] = "cumulative"
    phrase: ClassVar[str] = "Rows with {column} below each edge"
    title: ClassVar[str] = "How many rows are below each edge"

    def layout(self) -> CountLayout:
        """Sums of the first bins."""
        return Prefixes(self._groups, self._bins)

    def _sums(self, bins: int) -> Workload:
        return Workload.prefix(bins)

    def _sum_names(self) -> list[str]:
        return [*(f"below {float(edge):.12g}" for edge in self._edges[1:-1]), "all"]


@hinted_class
@dataclass(frozen=True)
class RangeCounts(_Binned):
    """Counts of ranges: how many rows have a value between any two of many public edges.

    bins, low, high: as for a histogram; every run of neighboring bins is an answer, n (n + 1) / 2
    of them for n bins. Values beyond the ends are in the first or last bin. The noise is designed
    for all of them together: a long range does not add up that of its bins.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: how many people are between any two of these ages.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> answer = ask(table, RangeCounts("age", bins=[0, 18, 65, 100]), epsilon=1)
        >>> sorted(answer.value)
        ['[0, 100]', '[0, 18)', '[0, 65)', '[18, 100]', '[18, 65)', '[65, 100]']
    """

    word: ClassVar[str] = "range_counts"
    phrase: ClassVar[str] = "Rows in each range of {column}"
    title: ClassVar[str] = "How many rows are in each range"

    def __post_init__(self) -> None:
        Histogram.__post_init__(self)
        if self._groups * self._bins * (self._bins + 1) // 2 > MOST_ANSWERS:
            raise ArgumentError("bins", self.bins, f"few enough for at most {MOST_ANSWERS} ranges")
        super().__post_init__()

    def layout(self) -> CountLayout:
        """Sums of runs of bins."""
        return Ranges(self._groups, self._bins)

    def _sums(self, bins: int) -> Workload:
        return Workload.ranges(bins)

    def _sum_names(self) -> list[str]:
        ends = [f"{float(edge):.12g}" for edge in self._edges]
        last = len(ends) - 1
        return [
            f"[{ends[i]}, {ends[j]}{']' if j == last else ')'}"
            for i in range(last)
            for j in range(i + 1, last + 1)
        ]
