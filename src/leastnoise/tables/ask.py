"""ask(table, query, ...): a private answer, paid for before any row is read.

How the budget is divided between keys, groups and parts: `noise.proof.md`.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, NotAnsweredError
from ..exact import Number, rational
from ..hints import hinted
from ..problem.checks import check_delta, check_epsilon
from ..sampling import Entropy, system_entropy
from .answer import Answer
from .charge import run_paid, warn_of_log
from .ledger import Ledger, as_ledger
from .planning.budget import QueryBudget, Way
from .planning.choice import check_group_size, release_of
from .planning.composition import DeclaredQuery
from .planning.joint_draw import DrawnRelease, release_drawn
from .planning.private_keys import Priced, way_of
from .planning.release import Collected, Release, hash_of
from .queries.base import PRIVATE, Query, Setting
from .queries.coverage import Coverage
from .queries.groups import bounded_request, groups_moved
from .queries.text import query_of
from .reports.basis import QueryBasis
from .reports.notes import notes
from .sources import Table, opened, quietly
from .sources.bounding import Reading, reading_of
from .sources.size import UncountedError, check_size, public_size
from .unit import Unit, check_neighbors, unit_of, warn_of_unit


@hinted
def ask(
    table: Any,
    query: Query | str,
    *,
    epsilon: Number,
    delta: Number = 0,
    ledger: Ledger | str | Path | None = None,
    unit: Unit | str | None = None,
    neighbors: str = "add-remove",
    loss: str = "l1",
    group_size: int | None = None,
    rests_on: Number | None = None,
    progress: Callable[[str], None] | None = None,
    entropy: Entropy | None = None,
) -> Answer:
    """Answer one query about a table under differential privacy.

    Guarantee: whatever comes out of it, an `Answer` or an error, is (epsilon, delta)-DP for the
    privacy unit and the neighboring relation, for all tables of the same columns and types. If
    there is a ledger, the budget is spent durably before any row is read; if the ledger rejects
    the charge, none is read. What goes wrong before that depends on public things only; afterwards
    it is a `NotAnsweredError`, always the same, or KeyboardInterrupt after Ctrl-C: the budget is
    spent either way. (Where rows of a CSV or Parquet file, DataFrame or base table are
    replaced, their number is public, and may be read before.)

    table: a CSV or Parquet file, a `CsvFile`, a pandas, Polars or Arrow table, a Spark DataFrame,
        an Ibis table of DuckDB or PostgreSQL, or URL#TABLE of these. Its columns
        and their types are public.
    query: `Count()`, `Mean("salary", low=0, high=200)`, ..., or a text such as "count()".
    unit: "row" (the default, with a warning if a column is called patient_id or the like), or
        `PrivacyUnit("person_id", max_rows_per_group=3, max_groups=2)`.
    neighbors: "add-remove" (a unit is there or not) or "replace" (a unit is another one).
    loss: what the noise is best for; see `design`.
    group_size: with private keys, a public guess at how many units a key that matters has; where
        keys can be found in several ways, the one that shows such keys and errs least is taken.
    rests_on: a part of epsilon, such as 0.05, for a private estimate of which part of the rows is
        counted, left out for lack of a value, and beyond max_rows_per_group or max_groups
        (`Coverage`). It is `answer.rests_on`.
    progress: called with a word about each step.

    Example: how many people are over 40.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> answer = ask(table, Count(where="age > 40"), epsilon=1)
        >>> answer.value, answer.interval  # doctest: +SKIP
        (641, (638, 644))
        >>> float(answer.epsilon), float(answer.delta)
        (1.0, 0.0)
    """
    question = query_of(query)
    setting = Setting(unit_of(unit), check_neighbors(neighbors))
    budget = QueryBudget(check_epsilon(epsilon), check_delta(delta, epsilon)).used_by(question)
    book = as_ledger(ledger)
    typical = check_group_size(group_size)
    tell = progress or (lambda _: None)
    source = entropy or system_entropy()
    warn_of_log()
    with opened(table) as rows:
        warn_of_unit(unit, rows.columns)
        parts = with_coverage(question, budget, rests_on)

        def prepared() -> tuple[list[Prepared], QueryBudget]:
            each = ((query, setting, part, loss, book, tell, typical) for query, part in parts)
            ready = share_batch([prepare(rows, *options) for options in each])
            return ready, ready[0].shown or ready[0].spent

        spending = Spending(book, setting, budget, [query for query, _ in parts])
        answer, *coverage = charged_answers(rows, prepared, spending, source, tell)
        return replace(answer, rests_on=tuple(coverage))


def with_coverage(
    query: Query, budget: QueryBudget, rests_on: Number | None
) -> list[tuple[Query, QueryBudget]]:
    """The query with its budget; and its coverage with a part of it, if that is asked for."""
    if rests_on is None:
        return [(query, budget)]
    share = rational(rests_on, "rests_on")
    if not 0 < share < 1:
        raise ArgumentError("rests_on", rests_on, "a part of epsilon, above 0 and below 1")
    part = QueryBudget(budget.epsilon * share, Fraction(0))
    return [
        (query, QueryBudget(budget.epsilon - part.epsilon, budget.delta)),
        (Coverage(query), part),
    ]


def share_batch(ready: list[Prepared]) -> list[Prepared]:
    """Queries that are charged at once, with budgets that add up; one alone stays as it is."""
    if len(ready) == 1:
        return ready
    spent = [prepared.spent for prepared in ready]
    whole = QueryBudget(
        sum((budget.epsilon for budget in spent), Fraction(0)),
        sum((budget.delta for budget in spent), Fraction(0)),
    )
    batch = uuid.uuid4().hex
    return [replace(prepared, shown=whole, workload=len(ready), batch=batch) for prepared in ready]


@dataclass(frozen=True)
class Spending:
    """What is charged for queries that are asked together, and to which ledger, if any."""

    book: Ledger | None
    setting: Setting
    budget: QueryBudget  # for what is not even ready
    queries: list[Query]

    def spend(self, budget: QueryBudget, mechanism: str) -> int | None:
        """The ledger's entry; None without a ledger."""
        if self.book is None:
            return None
        return self.book.charge(
            budget.epsilon,
            budget.delta,
            query="; ".join(map(str, self.queries)),
            mechanism=mechanism,
            protects=self.setting.protects,
        ).id


def charged_answers(
    table: Table,
    prepared: Callable[[], tuple[list[Prepared], QueryBudget]],
    spending: Spending,
    entropy: Entropy,
    tell: Callable[[str], None],
) -> list[Answer]:
    """The answers of queries, which `prepared` makes ready with what they spend.

    Guarantee: the budget is charged before any row is read, also if not even the rows could be
    counted. After the charge: the answers, or a `NotAnsweredError` that is the same whatever went
    wrong.
    """
    try:
        ready, spent = prepared()
    except UncountedError:
        ready = []
    if not ready:
        spending.spend(spending.budget, "not answered")
        raise NotAnsweredError
    blanks = [query.blank(table.name) for query in ready]
    charge = spending.spend(spent, hash_of([query.sha256 for query in ready]))

    def work() -> list[Answer]:
        tell("adding up")
        collected = collect(table, ready)
        tell("drawing the noise")
        every = zip(ready, draw_together(ready, collected, entropy), blanks, strict=True)
        return [
            replace(query.draw(sums, entropy, blank), charge=charge) for query, sums, blank in every
        ]

    return run_paid(work)  # exact sums are in frames of `work` alone, which no error keeps


def collect(table: Table, ready: Sequence[Prepared]) -> list[Collected]:
    """Read the rows, once they are paid for, and add up."""
    table.engine.load(tuple(dict.fromkeys(name for prepared in ready for name in prepared.names)))
    with table.engine.moment():
        return [prepared.collect() for prepared in ready]


def draw_together(
    ready: Sequence[Prepared], collected: Sequence[Collected], entropy: Entropy
) -> list[Collected]:
    """The sums of all queries, with what was released of those whose noise is of one draw."""
    drawn_sums = list(collected)
    shared: dict[int, list[tuple[int, DrawnRelease]]] = {}
    for i, prepared in enumerate(ready):
        if isinstance(prepared.release, DrawnRelease):
            shared.setdefault(id(prepared.release.draw), []).append((i, prepared.release))
    for drawn in shared.values():
        rows = [noise.exact(ready[i].query, ready[i].setting, drawn_sums[i]) for i, noise in drawn]
        released = release_drawn([noise for _, noise in drawn], rows, entropy)
        for (i, _), answer in zip(drawn, released, strict=True):
            drawn_sums[i] = replace(drawn_sums[i], drawn=answer)
    return drawn_sums


@dataclass(frozen=True)
class Prepared:
    """A query that is ready to be paid for: what to read, and the noise. All of it is public."""

    query: Query
    setting: Setting
    budget: QueryBudget
    release: Release
    groups: int  # that one unit can move
    way: Way
    reading: Reading | None = None  # None while nothing is to be read
    counting: Reading | None = None  # of units by key, where the reading does not say it
    workload: int = 1  # how many queries share the budget that is shown
    batch: str = ""  # which they are
    shown: QueryBudget | None = None

    @property
    def spent(self) -> QueryBudget:
        """What it costs."""
        return self.release.spent(self.budget)

    @property
    def sha256(self) -> str:
        """The hash of the mechanism files, or of the mechanism in words."""
        return self.release.sha256

    @property
    def mechanisms(self) -> tuple[Path, ...]:
        """The mechanism files, if they could be kept."""
        return tuple(path for path in dict.fromkeys(self.release.paths) if os.path.exists(path))

    def kind(self, whole: QueryBudget, delta: Fraction) -> DeclaredQuery:
        """What the query is in a workload: its releases that one unit can move."""
        used = QueryBudget(self.budget.epsilon, delta).used_by(self.query).delta
        share = self.budget.epsilon / whole.epsilon
        releases, parts = self.release.releases(self.groups, self.setting)
        return DeclaredQuery(share, releases, used / parts, used)

    def with_budget(self, budget: QueryBudget, loss: str) -> Prepared:
        """The same sums with another budget, every group by itself."""
        way = self.way
        if way.apart:  # releases of a kind have equal parts of epsilon
            way = Way(Fraction(1, 2), way.delta)
        asked = Priced(self.query, self.setting, *budget.pair, self.groups, loss, together=False)
        return replace(self, budget=budget, release=release_of(asked, way), way=way)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        both = self.reading, self.counting
        return tuple(name for part in both if part is not None for name in part.names)

    def collect(self) -> Collected:
        """Add up. Call it only after the budget has been charged, and the columns are loaded."""
        assert self.reading is not None
        sums, keys = self.reading.sums(), self.query.public_keys
        if self.setting.size is not None:
            check_size(sums, self.setting.size)
        if self.release.keys_file is None:
            return Collected(sums, keys=("",) if keys is None else keys)
        counts = sums if self.counting is None else self.counting.sums()
        return Collected(sums, {key: count.units for key, count in counts.items()})

    def blank(self, table: str) -> Answer:
        """The answer without its numbers: all that needs no row, so that it cannot fail later.

        table: its name.
        """
        query, setting, release = self.query, self.setting, self.release
        spent = self.shown or self.spent
        return Answer(
            query=str(query),
            groups={},
            epsilon=spent.epsilon,
            delta=spent.delta,
            unit=str(setting.unit),
            neighbors=setting.neighbors,
            why=query.why(setting),
            noise=release.words,
            notes=tuple(self.notes()),
            mechanisms=self.mechanisms,
            charge=None,
            by=query.columns_by,
            basis=QueryBasis.of(query, setting, release, ()),
            batch=self.batch,
            table=table,
            date=str(datetime.now(UTC).date()),
            release=release,
        )

    def draw(self, collected: Collected, entropy: Entropy, blank: Answer) -> Answer:
        """The answer, from what it is without its numbers. Call it only after the charge."""
        query = self.query
        keys, estimates = self.release.answers(query, self.setting, collected, entropy)
        groups = dict(zip(query.answer_names(keys), estimates, strict=True))
        basis = blank.basis
        if query.keys == PRIVATE:
            basis = replace(basis, private_keys=tuple(keys))
        return replace(blank, groups=groups, basis=basis)

    def notes(self) -> list[str]:
        """What a reader must know; public."""
        sentences = notes(self.query, self.setting, self.groups, self.release)
        if self.way.why:
            sentences.append(self.way.why)
        if self.workload > 1:
            sentences.append(
                f"the budget is that of all {self.workload} queries together, which were "
                "declared in advance"
            )
        return sentences


def prepare(
    table: Table,
    query: Query,
    setting: Setting,
    budget: QueryBudget,
    loss: str,
    ledger: Ledger | None,
    tell: Callable[[str], None],
    group_size: int | None = None,
) -> Prepared:
    """Check the question against the schema and find the noise; no row is read, nothing charged.

    (But the number of rows, where it is the same for all neighbors.)
    """
    if ledger is not None:
        ledger.check(budget.epsilon, budget.delta, protects=setting.protects)
    asked = reading_of(table, bounded_request(query, setting))
    quietly("the engine cannot compute this query", asked.check)
    if table.sized and query.fixed(setting.unit, setting.neighbors):
        setting = replace(setting, size=public_size(table))
    tell("finding the best noise")
    ready, request = (
        prepare_publicly(query, setting, budget, loss, group_size),
        bounded_request(query, setting),
    )
    counting = None
    if ready.release.keys_file is not None and request.cells:  # which do not count the units
        counting = reading_of(
            table, replace(request, value=None, scale=None, cells=False, fill=False)
        )
    return replace(ready, reading=reading_of(table, request), counting=counting)


def prepare_publicly(
    query: Query, setting: Setting, budget: QueryBudget, loss: str, group_size: int | None = None
) -> Prepared:
    """The query with its noise, from public numbers only; there is nothing yet to read."""
    groups = groups_moved(query, setting)
    asked = Priced(query, setting, *budget.pair, groups, loss, group_size)
    way = way_of(asked)
    return Prepared(query, setting, budget, release_of(asked, way), groups, way)
