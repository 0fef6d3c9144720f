"""ask_all(table, queries, ...): several questions, declared in advance, that share one budget.

Because the whole workload is known before the first answer, its releases may be composed tightly:
one draw for all numbers (`together.py`), one law of noise that is proven for so many, or privacy
loss distributions (PLD) that are convolved (`declared.py`). Budgets of questions that are chosen
one after the other may not; there the ledger's filter counts. How it adds up: `noise.proof.md`.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, Described
from ..exact import Number
from ..hints import hinted
from ..problem.checks import check_delta, check_epsilon
from ..sampling import Entropy, system_entropy
from .answer import Answers
from .ask import Prepared, answered, as_ledger, charged, planned, prepare, protects, ready_or_paid
from .charge import warn_of_log
from .ledger import Ledger
from .planning.budget import Budget
from .planning.choice import check_group_size
from .planning.declared import MECHANISMS_DELTA, largest_factor
from .planning.keyed import SURE
from .planning.noise import jointly
from .planning.planner import Plans, plan_of, setting_for, shares
from .planning.together import drawn_together
from .queries.base import PRIVATE, Query, Setting
from .queries.groups import asked_of
from .queries.text import query_of
from .sources import Table, opened
from .unit import Unit, check_neighbors, unit_of, warn_of_unit

_MOST = 200


@hinted
def ask_all(
    table: Any,
    queries: Sequence[Query | str],
    *,
    epsilon: Number,
    delta: Number = 0,
    ledger: Ledger | str | Path | None = None,
    unit: Unit | str | None = None,
    neighbors: str = "add-remove",
    rows: int = 1000,
    loss: str = "l1",
    group_size: int | None = None,
    progress: Callable[[str], None] | None = None,
    entropy: Entropy | None = None,
) -> Answers:
    """Answer several queries about a table from one budget, with one charge.

    Guarantee: all answers together are (epsilon, delta)-DP. The budget is divided so that the
    relative errors add up to little, for `rows` rows (a public guess). Where it is better, all
    numbers come from one draw (without a delta if by levels), or all releases get noise of one law
    that is designed for so many, or larger shares whose privacy losses compose to the budget;
    that needs a workload that is declared in advance, as this is.

    group_size: with private keys, a public guess at how many units a key that matters has, as for
        `ask`; first it counts which way shows such keys, then which errs less.

    Example: a count and a mean from one budget.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> count, mean = ask_all(table, [Count(), Mean("age", low=0, high=100)], epsilon=1)
        >>> mean.value  # doctest: +SKIP
        49.2
        >>> float(count.epsilon)  # of both together
        1.0
    """
    questions = _questions(queries)
    setting = Setting(unit_of(unit), check_neighbors(neighbors))
    whole = Budget(check_epsilon(epsilon), check_delta(delta, epsilon))
    typical = check_group_size(group_size)
    book = as_ledger(ledger)
    if book is not None:
        book.check(whole.epsilon, whole.delta, protects=protects(setting))
    tell = progress or (lambda _: None)
    parts = shares(questions, whole.epsilon, whole.delta, setting, rows, loss, typical)
    source = entropy or system_entropy()
    warn_of_log()

    def prepared(rows_: Table) -> list[Prepared]:
        ready = [
            prepare(rows_, query, setting, part.used_by(query), loss, None, tell, typical)
            for query, part in zip(questions, parts, strict=True)
        ]
        best = _best(ready, whole, rows, loss, typical)
        batch = uuid.uuid4().hex
        return [replace(one, batch=batch) if one.shown is not None else one for one in best]

    with opened(table) as held:
        warn_of_unit(unit, held.columns)
        ready = ready_or_paid(
            lambda: prepared(held), lambda: charged(book, whole, questions, setting, "not answered")
        )
        text = hashlib.sha256("".join(one.sha256 for one in ready).encode()).hexdigest()
        charge = charged(book, _spent(ready, whole), questions, setting, text)
        return Answers(answered(held, ready, source, charge, tell))


@hinted
def plan_all(
    queries: Sequence[Query | str],
    *,
    epsilon: Number,
    delta: Number = 0,
    unit: Unit | str = "row",
    neighbors: str = "add-remove",
    rows: int = 1000,
    loss: str = "l1",
    group_size: int | None = None,
) -> Plans:
    """The 95% margins of error to expect of `ask_all` with the same arguments.

    Guarantee: no table is read and no budget is spent.

    Example: the 95% margins of error of two queries that share a budget.

        >>> queries = [Count(), Mean("age", low=0, high=100)]
        >>> [round(one.error, 2) for one in plan_all(queries, epsilon=1, rows=1000)]
        [5.0, 0.27]
    """
    questions = _questions(queries)
    whole = Budget(check_epsilon(epsilon), check_delta(delta, epsilon))
    typical = check_group_size(group_size)
    settings = [setting_for(query, unit, neighbors, rows) for query in questions]
    parts = shares(questions, whole.epsilon, whole.delta, settings[0], rows, loss, typical)
    ready = [
        planned(query, setting, part.used_by(query), loss, typical)
        for query, setting, part in zip(questions, settings, parts, strict=True)
    ]
    return Plans(plan_of(one, rows, typical) for one in _best(ready, whole, rows, loss, typical))


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


def _spent(ready: list[Prepared], whole: Budget) -> Budget:
    """What all questions cost together: no delta that none of them has a use for."""
    shown = ready[0].shown  # that of all of them, if they share one
    own = sum((one.spent.delta for one in ready), Fraction(0))
    return Budget(whole.epsilon, own if shown is None else shown.delta)


def _best(
    ready: list[Prepared], whole: Budget, rows: int, loss: str, group_size: int | None
) -> list[Prepared]:
    """The workload with the noise that makes the relative errors add up to least.

    With a guess at the units of keys: of those that show most keys of so many units.
    """
    ways = [ready, *_tighter(ready, whole, loss)]
    found = min(ways, key=lambda way: (-_shown(way, group_size), _errors(way, rows)))
    part = _errors(found, rows) / _errors(ready, rows)
    baseline = f"{100 * part:.0f}% of the errors with a budget for each query"
    return [
        replace(one, release=one.release.compared(baseline)) if one.shown is not None else one
        for one in found
    ]


def _tighter(ready: list[Prepared], whole: Budget, loss: str) -> Iterator[list[Prepared]]:
    """The workload with noise that uses that all of it was declared in advance."""
    ways = _one_draw, _together, _accounted
    yield from (found for way in ways if (found := way(ready, whole, loss)) is not None)


def _one_draw(ready: list[Prepared], whole: Budget, loss: str) -> list[Prepared] | None:
    """One draw for all numbers that allow it, with their budgets together; the others keep theirs.

    Budgets add up, and one draw by levels has no delta (`together.proof.md`).
    """
    asked = [asked_of(one.query, one.setting) if _drawable(one) else None for one in ready]
    own = [one for one in asked if one is not None]
    if len(own) < 2:
        return None
    budgets = [one.budget for one, a in zip(ready, asked, strict=True) if a is not None]
    epsilon = sum((one.epsilon for one in budgets), Fraction(0))
    noises = drawn_together(own, epsilon, loss, sum((one.delta for one in budgets), Fraction(0)))
    if noises is None:
        return None
    others = [one.spent.delta for one, a in zip(ready, asked, strict=True) if a is None]
    shown, rest = Budget(whole.epsilon, sum(others, noises[0].draw.delta)), iter(noises)
    return [
        replace(
            one, release=one.release if a is None else next(rest), shown=shown, workload=len(ready)
        )
        for one, a in zip(ready, asked, strict=True)
    ]


def _drawable(one: Prepared) -> bool:
    return one.query.keys != PRIVATE and bool(one.query.tracks(one.setting))


def _together(ready: list[Prepared], whole: Budget, loss: str) -> list[Prepared] | None:
    """One law for all releases, proven for so many of them."""
    if any(one.query.mechanism != "numbers" or one.query.keys == PRIVATE for one in ready):
        return None
    forms = [one.query.forms(one.setting)[0] for one in ready]
    count = sum(form.steps * one.groups for form, one in zip(forms, ready, strict=True))
    found = jointly(forms, whole.epsilon, whole.delta, count, loss)
    if found is None:
        return None
    return [
        replace(one, release=noise, shown=whole, workload=len(ready))
        for one, noise in zip(ready, found, strict=True)
    ]


def _accounted(ready: list[Prepared], whole: Budget, loss: str) -> list[Prepared] | None:
    """Larger shares of epsilon, whose privacy loss distributions still compose to the whole."""
    if whole.epsilon == 0:
        return None
    each = MECHANISMS_DELTA * whole.delta / len(ready)
    kinds = [one.kind(whole, each) for one in ready]
    factor = largest_factor(kinds, whole.epsilon, whole.delta)
    if factor is None:
        return None
    budgets = [kind.budget(factor, whole.epsilon) for kind in kinds]
    return [
        replace(one.with_budget(Budget(*budget), loss), shown=whole, workload=len(ready))
        for one, budget in zip(ready, budgets, strict=True)
    ]


def _shown(ready: list[Prepared], group_size: int | None) -> float:
    """How often keys of so many units are shown, over all questions; nearly always is always."""
    if group_size is None:
        return 0.0
    shows = [one.release.keys for one in ready if one.release.keys is not None]
    return sum(float(min(SURE, keys.release_probability(group_size))) for keys in shows)


def _errors(ready: list[Prepared], rows: int) -> float:
    total = 0.0
    for one in ready:
        scale = one.query.typical(rows, one.setting)[1]
        total += one.release.expected_error(one.query, one.setting, rows) / float(scale)
    return total
