"""ask_all(table, queries, ...): several questions, declared in advance, that share one budget.

Because the whole workload is known before the first answer, its releases may be composed tightly:
one draw for all numbers (`joint_draw.py`), one distribution that is proven for so many, or privacy
loss distributions (PLD) that are convolved (`composition.py`). Budgets of questions that are chosen
one after the other may not; there the ledger's filter counts. How it adds up: `noise.proof.md`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, Described
from ..exact import Number
from ..hints import hinted
from ..problem.checks import check_delta, check_epsilon
from ..sampling import Entropy, system_entropy
from .answer import Answers
from .ask import Prepared, Spending, charged_answers, prepare, prepare_publicly
from .charge import warn_of_log
from .ledger import Ledger, as_ledger
from .planning.budget import QueryBudget
from .planning.choice import check_group_size
from .planning.composition import MECHANISMS_DELTA, largest_factor
from .planning.division import (
    GRID,
    ByMargin,
    ByWeight,
    Division,
    Expected,
    positive_each,
    rows_of,
    smallest_epsilon,
)
from .planning.floor import floor_of
from .planning.joint_draw import draw_jointly
from .planning.noise import joint_noises
from .planning.planner import Plans, plan_of, setting_for
from .planning.private_keys import SURE
from .queries.base import PRIVATE, Query, Setting
from .queries.groups import grouped_query
from .queries.text import query_of
from .sources import opened
from .unit import Unit, check_neighbors, unit_of, warn_of_unit

_MOST = 200
#: About this part of what queries need one by one is enough for all of them, if they share a draw.
_SHARED = 0.7


@hinted
def ask_all(
    table: Any,
    queries: Sequence[Query | str],
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    ledger: Ledger | str | Path | None = None,
    unit: Unit | str | None = None,
    neighbors: str = "add-remove",
    rows: int | Sequence[int] = 1000,
    loss: str = "l1",
    group_size: int | None = None,
    weights: Sequence[Number] | None = None,
    within: Sequence[Number] | None = None,
    progress: Callable[[str], None] | None = None,
    entropy: Entropy | None = None,
) -> Answers:
    """Answer several queries about a table from one budget, with one charge.

    The budget is divided so that the sum of the relative errors is small, for `rows` rows (a public
    guess). All queries are declared in advance. So all numbers come from one draw where that has
    less error, or from one distribution that is designed for this number of releases, or from
    larger parts of the budget whose privacy losses compose to it.

    Guarantee: all answers together are (epsilon, delta)-DP.

    rows: for each query, or for all, in each group if there are groups.
    group_size: with private keys, a public guess at how many units a key that matters has, as for
        `ask`; first it counts which way shows such keys, then which errs less.
    weights: how much the relative error of each query counts; all alike if they are not given.
    within: for each query the error that 95% of its answers shall be within. The budget is divided
        so that all queries meet their margins, or miss them by the same factor. Without `epsilon`
        it is the smallest epsilon, in two digits, at which all are met: see `plan_all`.

    Example: a count and a mean from one budget.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> count, mean = ask_all(table, [Count(), Mean("age", low=0, high=100)], epsilon=1)
        >>> mean.value  # doctest: +SKIP
        49.2
        >>> float(count.epsilon)  # of both together
        1.0
    """
    shared = SharedBudget.of(
        queries, unit, neighbors, rows, loss, group_size, weights, within, progress
    )
    book = as_ledger(ledger)
    whole = shared.whole(epsilon, delta)
    setting = shared.setting
    if book is not None:
        book.check(whole.epsilon, whole.delta, protects=setting.protects)
    tell, parts = shared.tell, shared.budgets(whole)
    source = entropy or system_entropy()
    warn_of_log()

    spending = Spending(book, setting, whole, shared.queries)
    with opened(table) as source_table:
        warn_of_unit(unit, source_table.columns)

        def prepared() -> tuple[list[Prepared], QueryBudget]:
            each = zip(shared.queries, parts, strict=True)
            ready = [
                prepare(source_table, query, setting, part, loss, None, tell, shared.group_size)
                for query, part in each
            ]
            best, batch = shared.best(ready, whole), uuid.uuid4().hex
            batched = [
                query if query.shown is None else replace(query, batch=batch) for query in best
            ]
            return batched, _whole_spent(batched, whole)

        return Answers(charged_answers(source_table, prepared, spending, source, tell))


@hinted
def plan_all(
    queries: Sequence[Query | str],
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    unit: Unit | str = "row",
    neighbors: str = "add-remove",
    rows: int | Sequence[int] = 1000,
    loss: str = "l1",
    group_size: int | None = None,
    weights: Sequence[Number] | None = None,
    within: Sequence[Number] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Plans:
    """The 95% margins of error to expect of `ask_all` with the same arguments.

    within: for each query the error that 95% of its answers shall be within. Without `epsilon` the
        plan is that of the smallest epsilon, in two digits, at which every query meets its margin;
        its `floor` says below which epsilon no mechanism can, where that is proven.
    progress: called with a word about each step.

    Guarantee: no table is read and no budget is spent.

    Example: the 95% margins of error of two queries that share a budget, and the budget of margins.

        >>> queries = [Count(), Mean("age", low=0, high=100)]
        >>> [round(one.error, 2) for one in plan_all(queries, epsilon=1, rows=1000)]
        [5.0, 0.27]
        >>> found = plan_all(queries, within=[20, 0.5], rows=1000)
        >>> float(found.epsilon), float(found.floor)
        (0.54, 0.181)
    """
    shared = SharedBudget.of(
        queries, unit, neighbors, rows, loss, group_size, weights, within, progress
    )
    whole = shared.whole(epsilon, delta)
    best = shared.prepare(whole)
    each = zip(best, shared.rows, shared.within or [Fraction(0)] * len(best), strict=True)
    plans = [
        replace(
            plan_of(prepared, rows, shared.group_size),
            floor=floor_of(prepared.query, prepared.setting, margin, whole.delta, rows),
        )
        for prepared, rows, margin in each
    ]
    return Plans(plans, _whole_spent(best, whole))


@dataclass(frozen=True)
class SharedBudget:
    """Queries that share a budget, and how it is divided. All of it is public."""

    queries: list[Query]
    setting: Setting
    loss: str
    group_size: int | None
    division: Division
    #: The margins of the queries; empty if none were asked for.
    within: tuple[Fraction, ...]
    #: Called with a word about each step.
    tell: Callable[[str], None]

    @classmethod
    def of(
        cls,
        queries: Sequence[Query | str],
        unit: Unit | str | None,
        neighbors: str,
        rows: int | Sequence[int],
        loss: str,
        group_size: int | None,
        weights: Sequence[Number] | None,
        within: Sequence[Number] | None,
        progress: Callable[[str], None] | None = None,
    ) -> SharedBudget:
        """From the arguments, each of them checked."""
        asked = _questions(queries)
        each, many = rows_of(rows, len(asked)), len(asked)
        if weights is not None and within is not None:
            raise ArgumentError("weights", list(weights), "left out where within= is given")
        margins = () if within is None else positive_each("within", within, many)
        division: Division
        if margins:
            division = ByMargin(each, margins)
        else:
            even = (Fraction(1),) * many
            proportions = even if weights is None else positive_each("weights", weights, many)
            division = ByWeight(each, proportions)
        setting = Setting(unit_of(unit), check_neighbors(neighbors))
        size, tell = check_group_size(group_size), progress or (lambda _: None)
        return cls(asked, setting, loss, size, division, margins, tell)

    @property
    def rows(self) -> tuple[int, ...]:
        """For each query a guess at its rows."""
        return self.division.rows

    def whole(self, epsilon: Number | None, delta: Number) -> QueryBudget:
        """The budget: what is given, or the smallest one that keeps all margins."""
        if epsilon is not None:
            return QueryBudget(check_epsilon(epsilon), check_delta(delta, epsilon))
        if not self.within:
            raise ArgumentError("epsilon", None, "given, or within= for each query")
        spare = check_delta(delta, GRID[-1])
        apart = self.division.parts(self.queries, QueryBudget(GRID[-1], spare), self._alone)
        smallest = smallest_epsilon(
            lambda at: self.division.badness(self.prepare(QueryBudget(at, spare))),
            _SHARED * float(sum(apart)),
        )
        if smallest is None:
            words = f"errors that epsilon={GRID[-1]} for all queries together can reach"
            raise ArgumentError("within", [float(margin) for margin in self.within], words)
        return QueryBudget(smallest, spare)

    def budgets(self, whole: QueryBudget) -> list[QueryBudget]:
        """The budget of each query."""
        parts = self.division.budgets(self.queries, whole, self._alone)
        return [part.used_by(query) for query, part in zip(self.queries, parts, strict=True)]

    @cached_property
    def _alone(self) -> Expected:
        """The errors of a query with a budget for itself."""

        @cache
        def alone(place: int, budget: QueryBudget) -> tuple[float, float]:
            rows, query = self.rows[place], self.queries[place]
            self.tell(f"planning {query} alone at epsilon {float(budget.epsilon):.3g}")
            prepared = self._prepare(place, budget.used_by(query))
            release, known = prepared.release, (prepared.query, prepared.setting, rows)
            return release.expected_error(*known), release.relative_error(*known)

        return alone

    def _prepare(self, place: int, budget: QueryBudget) -> Prepared:
        query, rows = self.queries[place], self.rows[place]
        setting = setting_for(query, self.setting.unit, self.setting.neighbors, rows)
        return prepare_publicly(query, setting, budget, self.loss, self.group_size)

    def prepare(self, whole: QueryBudget) -> list[Prepared]:
        """The queries with their noise, from public numbers only."""
        budgets = self.budgets(whole)
        self.tell(f"planning all queries at epsilon {float(whole.epsilon):.3g}")
        ready = [self._prepare(place, budget) for place, budget in enumerate(budgets)]
        return self.best(ready, whole)

    def best(self, ready: list[Prepared], whole: QueryBudget) -> list[Prepared]:
        """The workload with the noise that the division finds least bad.

        With a guess at the units of keys: of those that show most keys of so many units.
        """
        ways = [ready, *_tighter(ready, whole, self.loss)]
        badness = self.division.badness
        best = min(ways, key=lambda way: (-_keys_released(way, self.group_size), badness(way)))
        part = badness(best) / badness(ready)
        baseline = f"{100 * part:.0f}% of the errors with a budget for each query"
        return [
            replace(prepared, release=prepared.release.with_baseline(baseline))
            if prepared.shown is not None
            else prepared
            for prepared in best
        ]


def _questions(queries: Sequence[Query | str]) -> list[Query]:
    if isinstance(queries, (str, Query)):
        raise ArgumentError(
            "queries", Described("one query"), f"a list of 1 to {_MOST} queries: ask() answers one"
        )
    if not 1 <= len(queries) <= _MOST:
        raise ArgumentError(
            "queries", Described(f"{len(queries)} queries"), f"a list of 1 to {_MOST} queries"
        )
    return [query_of(query) for query in queries]


def _whole_spent(ready: list[Prepared], whole: QueryBudget) -> QueryBudget:
    """What all questions cost together: no delta that none of them has a use for."""
    shown = ready[0].shown  # that of all of them, if they share one
    delta = sum((prepared.spent.delta for prepared in ready), Fraction(0))
    return QueryBudget(whole.epsilon, delta if shown is None else shown.delta)


def _tighter(ready: list[Prepared], whole: QueryBudget, loss: str) -> Iterator[list[Prepared]]:
    """The workload with noise that uses that all of it was declared in advance."""
    ways = _one_draw, _together, _larger_shares
    yield from (tighter for way in ways if (tighter := way(ready, whole, loss)) is not None)


def _one_draw(ready: list[Prepared], whole: QueryBudget, loss: str) -> list[Prepared] | None:
    """One draw for all numbers that allow it, with their budgets together; the others keep theirs.

    Budgets add up, and one draw by levels has no delta (`joint_draw.proof.md`).
    """
    asked = [
        grouped_query(prepared.query, prepared.setting) if _drawable(prepared) else None
        for prepared in ready
    ]
    grouped = [query for query in asked if query is not None]
    if len(grouped) < 2:
        return None
    budgets = [prepared.budget for prepared, a in zip(ready, asked, strict=True) if a is not None]
    epsilon = sum((budget.epsilon for budget in budgets), Fraction(0))
    noises = draw_jointly(
        grouped, epsilon, loss, sum((budget.delta for budget in budgets), Fraction(0))
    )
    if noises is None:
        return None
    others = [prepared.spent.delta for prepared, a in zip(ready, asked, strict=True) if a is None]
    shown, rest = QueryBudget(whole.epsilon, sum(others, noises[0].draw.delta)), iter(noises)
    return [
        replace(
            prepared,
            release=prepared.release if a is None else next(rest),
            shown=shown,
            workload=len(ready),
        )
        for prepared, a in zip(ready, asked, strict=True)
    ]


def _drawable(prepared: Prepared) -> bool:
    return prepared.query.keys != PRIVATE and bool(prepared.query.tracks(prepared.setting))


def _together(ready: list[Prepared], whole: QueryBudget, loss: str) -> list[Prepared] | None:
    """One distribution for all releases, proven for so many of them."""
    if any(
        prepared.query.mechanism != "numbers" or prepared.query.keys == PRIVATE
        for prepared in ready
    ):
        return None
    forms = [prepared.query.complete_forms(prepared.setting)[0] for prepared in ready]
    count = sum(form.steps * prepared.groups for form, prepared in zip(forms, ready, strict=True))
    noises = joint_noises(forms, whole.epsilon, whole.delta, count, loss)
    if noises is None:
        return None
    return [
        replace(prepared, release=noise, shown=whole, workload=len(ready))
        for prepared, noise in zip(ready, noises, strict=True)
    ]


def _larger_shares(ready: list[Prepared], whole: QueryBudget, loss: str) -> list[Prepared] | None:
    """Larger shares of epsilon, whose privacy loss distributions still compose to the whole."""
    if whole.epsilon == 0:
        return None
    each = MECHANISMS_DELTA * whole.delta / len(ready)
    kinds = [prepared.kind(whole, each) for prepared in ready]
    factor = largest_factor(kinds, whole.epsilon, whole.delta)
    if factor is None:
        return None
    budgets = [kind.budget(factor, whole.epsilon) for kind in kinds]
    return [
        replace(prepared.with_budget(QueryBudget(*budget), loss), shown=whole, workload=len(ready))
        for prepared, budget in zip(ready, budgets, strict=True)
    ]


def _keys_released(ready: list[Prepared], group_size: int | None) -> float:
    """How often keys of so many units are shown, over all questions; nearly always is always."""
    if group_size is None:
        return 0.0
    shows = [prepared.release.keys for prepared in ready if prepared.release.keys is not None]
    return sum(float(min(SURE, keys.release_probability(group_size))) for keys in shows)
