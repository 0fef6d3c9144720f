"""plan(query, ...): the error to expect, from public numbers only; no table, no budget spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from ...errors import ArgumentError
from ...exact import Number, rational
from ...formatting import outwards
from ...hints import hinted
from ...problem.checks import check_delta, check_epsilon
from ..ask import Prepared, planned
from ..queries.base import Query, Setting
from ..queries.text import query_of
from ..unit import Unit, check_neighbors, unit_of
from .budget import Budget
from .choice import check_group_size


@dataclass(frozen=True)
class Plan:
    """What an answer will be like: its error with 95% confidence, and why.

    error: half the width of the interval, in the answer's unit (for quantiles: in rows of rank;
        for several means: in parts of each column's width), for rows in the middle of the bounds.
    relative: the error as a part of the number of rows, of the largest total, or of the width.
    keys_from: with private keys, how many units a key needs to be shown with 95%.
    release_probability: with private keys, that of a key that `group_size` units have.
    group_size: the guess at them, or `rows`.
    """

    query: str
    epsilon: Fraction
    delta: Fraction
    rows: int
    error: float
    relative: float
    keys_from: int | None
    why: str
    noise: str
    notes: tuple[str, ...]
    release_probability: float | None = None
    group_size: int | None = None
    #: What the error is counted in: "" for the answer's own unit.
    counted: str = ""

    def __str__(self) -> str:
        return (
            f"{self.query}: 95% of answers within {self.error:.4g}{self.counted} "
            f"({100 * self.relative:.3g}%) at epsilon={float(self.epsilon):g}, "
            f"delta={float(self.delta):g} for {self.rows} rows a group{self._keys}"
        )

    @property
    def _keys(self) -> str:
        if self.release_probability is None:
            return ""
        return (
            f"; a key of {self.group_size} units is released with "
            f"{outwards(100 * self.release_probability, 6, False)}%, a key of {self.keys_from} "
            "units with 95%"
        )

    def __repr__(self) -> str:
        return f"Plan({self})"

    def _repr_html_(self) -> str:
        from ...show.html import html_plan

        return html_plan(self)


class Plans(list[Plan]):
    """Plans of questions that are asked together: a list that a notebook shows one by one."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return "<hr>".join(one._repr_html_() for one in self)


@hinted
def plan(
    query: Query | str,
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    rows: int,
    unit: Unit | str = "row",
    neighbors: str = "add-remove",
    loss: str = "l1",
    group_size: int | None = None,
    within: Number | None = None,
) -> Plan:
    """The 95% margin of error to expect of `ask` with the same arguments.

    rows: a public guess at the number of rows, in each group if there are groups.
    group_size: with private keys, a public guess at the units of a key that matters, as for `ask`.
    within: in the place of epsilon, the error that 95% of answers shall be within: the plan is
        that of the smallest epsilon, in two digits, that keeps it.

    Guarantee: no table is read and no budget is spent.

    Example: the 95% margin of error of a mean, before anything is spent.

        >>> round(plan(Mean("age", low=0, high=100), epsilon=1, rows=1000).error, 2)
        0.22
    """
    question = query_of(query)
    if (epsilon is None) == (within is None):
        raise ArgumentError("epsilon", epsilon, "given, or within=")
    if within is not None:
        asked = partial(
            plan,
            question,
            delta=delta,
            rows=rows,
            unit=unit,
            neighbors=neighbors,
            loss=loss,
            group_size=group_size,
        )
        return _cheapest(asked, rational(within, "within"))
    assert epsilon is not None
    setting = setting_for(question, unit, neighbors, rows)
    budget = Budget(check_epsilon(epsilon), check_delta(delta, epsilon)).used_by(question)
    typical = check_group_size(group_size)
    return plan_of(planned(question, setting, budget, loss, typical), rows, typical)


def plan_of(ready: Prepared, rows: int, group_size: int | None = None) -> Plan:
    """What the answer to a query will be like."""
    query, keys = ready.query, ready.release.keys
    error = ready.release.expected_error(query, ready.setting, rows)
    scale = query.typical(rows, ready.setting)[1]
    spent = ready.shown or ready.spent
    return Plan(
        str(query),
        spent.epsilon,
        spent.delta,
        rows,
        error,
        error / float(scale),
        None if keys is None else keys.group_size_for(0.95),
        query.why(ready.setting),
        ready.release.words,
        tuple(ready.notes()),
        None if keys is None else keys.release_probability(group_size or rows),
        None if keys is None else group_size or rows,
        query.counted,
    )


def _cheapest(asked: Callable[..., Plan], within: Fraction) -> Plan:
    """The plan of the smallest epsilon of two digits whose error is within this."""
    grid = [Fraction(i, 10**k) for k in (4, 3, 2, 1) for i in range(10, 100)]
    grid += [Fraction(i) for i in range(10, 16)]
    if within <= 0 or (best := asked(epsilon=grid[-1])).error > within:
        raise ArgumentError("within", float(within), f"an error that epsilon={grid[-1]} can reach")
    low, high = 0, len(grid) - 1  # the error falls with epsilon; grid[high] keeps it
    while low < high:
        middle = (low + high) // 2
        found = asked(epsilon=grid[middle])
        if found.error <= within:
            best, high = found, middle
        else:
            low = middle + 1
    return best


def setting_for(query: Query, unit: Unit | str, neighbors: str, rows: int) -> Setting:
    """The setting, with the guessed number of rows where it is public."""
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= 10**15:
        raise ArgumentError("rows", rows, "a public guess at the number of rows, at least 1")
    setting = Setting(unit_of(unit), check_neighbors(neighbors))
    if query.fixed(setting.unit, neighbors):
        return replace(setting, size=rows)
    return setting


def shares(
    queries: Sequence[Query],
    epsilon: Fraction,
    delta: Fraction,
    setting: Setting,
    rows: int,
    loss: str,
    group_size: int | None = None,
) -> list[Budget]:
    """A budget for each query: they add up to the whole, and relative errors to little.

    An error is about a / epsilon, so the sum of a_i / epsilon_i is least for epsilon_i in
    proportion to the square roots of the a_i. The a_i come from `plan`, hence from public numbers.
    """
    even = epsilon / len(queries), delta / len(queries)
    weights = []
    for query in queries:
        one = plan(
            query,
            epsilon=even[0],
            delta=even[1],
            rows=rows,
            unit=setting.unit,
            neighbors=setting.neighbors,
            loss=loss,
            group_size=group_size,
        )
        weights.append(max(1, round(10**4 * min(one.relative, 10.0) ** 0.5)))
    total = sum(weights)
    return [Budget(epsilon * w / total, delta / len(queries)) for w in weights]
