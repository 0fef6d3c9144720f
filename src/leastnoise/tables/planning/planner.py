"""plan(query, ...): the error to expect, from public numbers only; no table, no budget spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from ...errors import ArgumentError
from ...exact import Number, rational
from ...formatting import outwards, several
from ...hints import hinted
from ...problem.checks import check_delta, check_epsilon
from ..ask import Prepared, prepare_publicly, share_batch, with_coverage
from ..queries.base import Query, Setting
from ..queries.coverage import Coverage
from ..queries.text import query_of
from ..unit import Unit, check_neighbors, unit_of
from .budget import QueryBudget
from .choice import check_group_size
from .division import check_rows, smallest_epsilon, unreachable
from .floor import floor_of


@dataclass(frozen=True)
class Plan:
    """What an answer will be like: its error with 95% confidence, and why.

    error: half the width of the interval, in the answer's unit (for quantiles: in rows of rank;
        for several means: in parts of each column's width), for rows in the middle of the bounds.
    relative: the error as a part of the number of rows, of the largest total, or of the width.
    keys_from: with private keys, how many units a key needs to be shown with 95%.
    release_probability: with private keys, that of a key that `group_size` units have.
    group_size: the guess at them, or `rows`.
    floor: where a margin was asked for, an epsilon below which no mechanism keeps it on all tables
        of up to `rows` rows; 0 where none is proven (`floor.proof.md`).
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
    floor: Fraction = Fraction(0)
    #: Whether the budget is that of several queries together.
    shared: bool = False
    #: Whether rows of a unit beyond its bounds do not count: how many is no part of the error.
    bounded: bool = False

    def __str__(self) -> str:
        return (
            f"{self.query}: 95% of answers within {self.error:.4g}{self.counted} "
            f"({100 * self.relative:.3g}%) at epsilon={float(self.epsilon):g}, "
            f"delta={float(self.delta):g} for {several(self.rows, 'row')} a group"
            f"{self._keys}{self._floor}{self._bounds}"
        )

    @property
    def _floor(self) -> str:
        return floor_words(self.floor)

    @property
    def _bounds(self) -> str:
        if not self.bounded:
            return ""
        return (
            "\n- rows beyond max_rows_per_group and max_groups are cut: compare_units(...) "
            "estimates how many, and the error, for several bounds; rests_on= does for these"
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
    """Plans of questions that are asked together: a list that a notebook shows one by one.

    epsilon, delta: of all of them together. floor: where margins were asked for, an epsilon below
    which no mechanism keeps all of them; 0 where none is proven.
    """

    def __init__(self, plans: Iterable[Plan], budget: QueryBudget) -> None:
        super().__init__(plans)
        self.epsilon, self.delta = budget.pair
        self.floor = max(plan.floor for plan in self)

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return "<hr>".join(plan._repr_html_() for plan in self)


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
    rests_on: Number | None = None,
    progress: Callable[[str], None] | None = None,
) -> Plan:
    """The 95% margin of error to expect of `ask` with the same arguments.

    rows: a public guess at the number of rows, in each group if there are groups.
    group_size: with private keys, a public guess at the units of a key that matters, as for `ask`.
    within: in the place of epsilon, the error that 95% of answers shall be within: the plan is
        that of the smallest epsilon, in two digits, that keeps it.
    rests_on: the part of epsilon that is spent on what the answer rests on, as for `ask`.
    progress: called with a word about each step.

    Guarantee: no table is read and no budget is spent.

    Example: the 95% margin of error of a mean, before anything is spent.

        >>> round(plan(Mean("age", low=0, high=100), epsilon=1, rows=1000).error, 2)
        0.22
    """
    question = query_of(query)
    if (epsilon is None) == (within is None):
        raise ArgumentError("epsilon", epsilon, "given, or within=")
    setting = setting_for(question, unit, neighbors, rows)
    typical = check_group_size(group_size)
    tell = progress or (lambda _: None)

    def planned_at(number: Number) -> Plan:
        checked = check_epsilon(number)
        tell(f"planning at epsilon {float(checked):g}")
        budget = QueryBudget(checked, check_delta(delta, number)).used_by(question)
        parts = with_coverage(question, budget, rests_on)
        ready = share_batch(
            [prepare_publicly(query, setting, part, loss, typical) for query, part in parts]
        )
        return plan_of(ready[0], rows, typical)

    if within is None:
        assert epsilon is not None
        return planned_at(epsilon)
    margin = rational(within, "within")
    if margin <= 0:
        raise ArgumentError("within", within, "a positive error")
    smallest = smallest_epsilon(lambda at: planned_at(at).error / float(margin))
    if smallest is None:
        raise unreachable(margin, question)
    floor = floor_of(question, setting, margin, check_delta(delta, smallest), rows)
    return replace(planned_at(smallest), floor=floor)


def plan_of(ready: Prepared, rows: int, group_size: int | None = None) -> Plan:
    """What the answer to a query will be like."""
    query, keys = ready.query, ready.release.keys
    error = ready.release.expected_error(query, ready.setting, rows)
    spent = ready.shown or ready.spent
    return Plan(
        str(query),
        spent.epsilon,
        spent.delta,
        rows,
        error,
        ready.release.relative_error(query, ready.setting, rows),
        None if keys is None else keys.group_size_for(0.95),
        query.why(ready.setting),
        ready.release.words,
        tuple(ready.notes()),
        None if keys is None else keys.release_probability(group_size or rows),
        None if keys is None else group_size or rows,
        query.counted,
        shared=ready.shown is not None,
        bounded=ready.setting.unit.column is not None and not isinstance(query, Coverage),
    )


def setting_for(query: Query, unit: Unit | str, neighbors: str, rows: int) -> Setting:
    """The setting, with the guessed number of rows where it is public."""
    check_rows(rows)
    setting = Setting(unit_of(unit), check_neighbors(neighbors))
    if query.fixed(setting.unit, neighbors):
        return replace(setting, size=rows)
    return setting


def floor_words(floor: Fraction) -> str:
    """What is proven of smaller budgets; nothing where nothing is."""
    if floor == 0:
        return ""
    return f"\n- below epsilon={float(floor):g} no mechanism reaches this margin"
