"""How a budget is divided between queries, and what ways to answer them all are compared by.

By weights: relative errors add up to little. By margins: every query meets its own, or all miss
theirs by the same factor. Both rest on public numbers alone, so they cost nothing.
"""

from __future__ import annotations

import bisect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError, Described
from ...exact import Number, rational
from ..queries.base import Query
from .budget import QueryBudget

if TYPE_CHECKING:
    from ..ask import Prepared

#: Epsilons of two digits, from 0.001 to 15.
GRID = tuple(
    [Fraction(i, 10**k) for k in (4, 3, 2, 1) for i in range(10, 100)]
    + [Fraction(i) for i in range(10, 16)]
)
#: A part of a budget is near enough where its error is within this of its margin.
_NEAR = 0.9
#: Relative errors above this say as little as one of it; a weight is a whole part of so many.
_WORST, _PARTS = 10.0, 10**4

#: The error to expect of a query with a budget for itself, and the same as a part of its scale.
Expected = Callable[[int, QueryBudget], tuple[float, float]]


@dataclass(frozen=True)
class Division(ABC):
    """A rule by which queries share a budget.

    rows: for each query a public guess at the number of rows, in each group if there are groups.
    """

    rows: tuple[int, ...]

    @abstractmethod
    def parts(
        self, queries: Sequence[Query], whole: QueryBudget, alone: Expected
    ) -> list[Fraction]:
        """In which proportion the queries get epsilon; alone: errors with a budget of their own."""

    @abstractmethod
    def badness(self, ready: Sequence[Prepared]) -> float:
        """What ways to answer all queries are compared by: the less, the better."""

    def budgets(
        self, queries: Sequence[Query], whole: QueryBudget, alone: Expected
    ) -> list[QueryBudget]:
        """A budget for each query; they add up to the whole."""
        parts = self.parts(queries, whole, alone)
        total, delta = sum(parts, Fraction(0)), whole.delta / len(queries)
        return [QueryBudget(whole.epsilon * part / total, delta) for part in parts]


@dataclass(frozen=True)
class ByWeight(Division):
    """Relative errors, each times the weight of its query, add up to little.

    An error is about a / epsilon, so the sum of w_i a_i / epsilon_i is least for epsilon_i in
    proportion to the square roots of w_i a_i.
    """

    weights: tuple[Fraction, ...]

    def parts(
        self, queries: Sequence[Query], whole: QueryBudget, alone: Expected
    ) -> list[Fraction]:
        """By the errors at equal parts."""
        even, parts = QueryBudget(whole.epsilon / len(queries), whole.delta / len(queries)), []
        for place, weight in enumerate(self.weights):
            relative = min(alone(place, even)[1], _WORST)
            parts.append(Fraction(max(1, round(_PARTS * (float(weight) * relative) ** 0.5))))
        return parts

    def badness(self, ready: Sequence[Prepared]) -> float:
        """The sum of the weighted relative errors."""
        each = zip(ready, self.rows, self.weights, strict=True)
        return sum(
            float(weight) * prepared.release.relative_error(prepared.query, prepared.setting, rows)
            for prepared, rows, weight in each
        )


@dataclass(frozen=True)
class ByMargin(Division):
    """Each query gets what it alone would need for its margin."""

    within: tuple[Fraction, ...]

    def parts(
        self, queries: Sequence[Query], whole: QueryBudget, alone: Expected
    ) -> list[Fraction]:
        """About the smallest epsilons that keep the margins, each query by itself."""
        delta, parts = whole.delta / len(queries), []
        for place, (query, within) in enumerate(zip(queries, self.within, strict=True)):

            def ratio(epsilon: Fraction, place: int = place, within: Fraction = within) -> float:
                return alone(place, QueryBudget(epsilon, delta))[0] / float(within)

            epsilon = _needed_epsilon(ratio)
            if epsilon is None:
                raise unreachable(within, query)
            parts.append(epsilon)
        return parts

    def badness(self, ready: Sequence[Prepared]) -> float:
        """The largest error in parts of its margin: at most 1 where all margins are met."""
        each = zip(ready, self.rows, self.within, strict=True)
        return max(
            prepared.release.expected_error(prepared.query, prepared.setting, rows) / float(within)
            for prepared, rows, within in each
        )


def smallest_epsilon(ratio: Callable[[Fraction], float], start: float = 1.0) -> Fraction | None:
    """The smallest epsilon of two digits at which a ratio is at most 1; None if it never is.

    start: about where it is expected.

    The ratio falls with epsilon, about as a power of it: that is where it is looked for next.
    Errors of counts are whole, so it may be the same for many: then in the middle.
    """
    low, high = 0, len(GRID)  # it is at most 1 at `high`, and above 1 below `low`
    ends: dict[bool, tuple[float, float]] = {}  # logarithms of epsilon and ratio, on either side
    guess, alike, before = _place(start), 0, False
    while low < high:
        value = ratio(GRID[guess])
        enough = value <= 1
        low, high = (low, guess) if enough else (guess + 1, high)
        ends[enough] = math.log(GRID[guess]), math.log(max(value, 1e-9))
        alike, before = alike + 1 if enough == before else 1, enough
        near, far = _next(ends, enough), 1 << max(0, alike - 2)
        guess = min(near, high - far) if enough else max(near, low + far - 1)
        if len(ends) == 2 and (alike > 2 or not low <= guess < high):
            guess = (low + high) // 2
        guess = min(max(guess, low), max(low, high - 1), len(GRID) - 1)
    return GRID[high] if high < len(GRID) else None


def _needed_epsilon(ratio: Callable[[Fraction], float]) -> Fraction | None:
    """About where a ratio is 1: as if it fell as 1/epsilon from the last place looked at."""
    place = _place(1.0)
    for _ in range(4):
        value = ratio(GRID[place])
        if value > 1 and place == len(GRID) - 1:
            return None
        place = _place(float(GRID[place]) * value)
        if _NEAR <= value <= 1 / _NEAR:
            break
    return GRID[place]


def _place(epsilon: float) -> int:
    """Where an epsilon, rounded up to two digits, is in the grid; the end of it if it is beyond."""
    return min(bisect.bisect_left(GRID, epsilon * (1 - 1e-9)), len(GRID) - 1)


def _next(ends: dict[bool, tuple[float, float]], enough: bool) -> int:
    """Where a line through both ends is 0: one that falls as 1/epsilon, as long as one is known."""
    at, value = ends[enough]
    slope = -1.0
    if len(ends) == 2:
        (left, above), (right, below) = ends[False], ends[True]
        slope = (below - above) / (right - left)
    wanted = math.exp(at - value / slope) * (1 - 1e-9)
    return bisect.bisect_left(GRID, wanted)


def unreachable(within: Fraction, query: Query) -> ArgumentError:
    """The error where no budget is large enough."""
    allowed = f"an error of {query} that epsilon={GRID[-1]} can reach"
    return ArgumentError("within", float(within), allowed)


def rows_of(rows: int | Sequence[int], queries: int) -> tuple[int, ...]:
    """For each query a guess at its rows: one for all, or a list."""
    each: tuple[Any, ...] = tuple(rows) if isinstance(rows, Sequence) else (rows,) * queries
    if len(each) != queries:
        words = Described(f"{len(each)} numbers")
        raise ArgumentError("rows", words, f"a number, or {queries}: one for each query")
    for count in each:
        check_rows(count)
    return each


def check_rows(rows: object) -> None:
    """A public guess at a number of rows."""
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= 10**15:
        raise ArgumentError("rows", rows, "a public guess at the number of rows, at least 1")


def positive_each(name: str, values: Sequence[Number], queries: int) -> tuple[Fraction, ...]:
    """A positive number for each query."""
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != queries:
        raise ArgumentError(name, values, f"{queries} positive numbers: one for each query")
    each = tuple(rational(value, name) for value in values)
    if min(each) <= 0:
        raise ArgumentError(name, values, "positive numbers")
    return each
