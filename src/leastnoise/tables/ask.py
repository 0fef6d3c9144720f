"""ask(table, query, ...): a private answer, paid for before any row is read.

How the budget is divided between keys, groups and parts: `noise.proof.md`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..cache import sha256_of
from ..designs.keyed import KeyedDesign
from ..errors import ArgumentError, NotAnsweredError
from ..exact import Number
from ..hints import hinted
from ..problem.checks import check_delta, check_epsilon
from ..sampling import Entropy, system_entropy
from .answer import Answer
from .charge import paid, warn_of_log
from .ledger import Ledger
from .planning.budget import Budget, Way
from .planning.choice import AnyNoise, check_group_size, noise_of
from .planning.declared import Kind
from .planning.keyed import KeyedNoise, Priced, apart_note, keys_design, way_of
from .planning.keyed_values import KeyedValues
from .planning.together import DrawnNoise, release_drawn
from .queries.base import PRIVATE, Estimate, Query, Released, Setting
from .queries.count import Count
from .queries.groups import bounded, touched
from .queries.linear import Linear, WorkloadNoiseFor
from .queries.quantile import Quantile
from .queries.sized import UncountedError, check_size, public_size
from .queries.text import query_of
from .reports.basis import Basis, form_number
from .reports.notes import notes
from .sources import Table, opened, quietly
from .sources.bounding import Reading, Sums, aggregate, reading_of
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
    progress: Callable[[str], None] | None = None,
    entropy: Entropy | None = None,
) -> Answer:
    """Answer one query about a table under differential privacy.

    Guarantee: whatever comes out of it, an `Answer` or an error, is (epsilon, delta)-DP for the
    privacy unit and the neighboring relation, for all tables of the same columns and types. If
    there is a ledger, the budget is spent durably before any row is read; if the ledger rejects
    the charge, none is read. What goes wrong before that depends on public things only; afterwards
    it is a `NotAnsweredError`, always the same, or KeyboardInterrupt after Ctrl-C: the budget is
    spent either way. (Where rows of a file, DataFrame or base table are replaced, their number is
    public, and may be read before.)

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
    budget = Budget(check_epsilon(epsilon), check_delta(delta, epsilon)).used_by(question)
    book = as_ledger(ledger)
    typical = check_group_size(group_size)
    tell = progress or (lambda _: None)
    source = entropy or system_entropy()
    warn_of_log()
    with opened(table) as rows:
        warn_of_unit(unit, rows.columns)
        ready = ready_or_paid(
            lambda: [prepare(rows, question, setting, budget, loss, book, tell, typical)],
            lambda: charged(book, budget, [question], setting, "not answered"),
        )
        charge = charged(book, ready[0].spent, [question], setting, ready[0].sha256)
        return answered(rows, ready, source, charge, tell)[0]


def charged(
    book: Ledger | None, budget: Budget, queries: Sequence[Query], setting: Setting, mechanism: str
) -> int | None:
    """The ledger's entry for questions; None without a ledger."""
    if book is None:
        return None
    return book.charge(
        budget.epsilon,
        budget.delta,
        query="; ".join(map(str, queries)),
        mechanism=mechanism,
        protects=protects(setting),
    ).id


def ready_or_paid(
    prepared: Callable[[], list[Prepared]], charge: Callable[[], Any]
) -> list[Prepared]:
    """Questions that are ready. If not even the rows could be counted, that is paid for, too."""
    try:
        return prepared()
    except UncountedError:
        pass
    charge()
    raise NotAnsweredError


def answered(
    table: Table,
    ready: list[Prepared],
    entropy: Entropy,
    charge: int | None,
    tell: Callable[[str], None],
) -> list[Answer]:
    """The answers. Call it only after the charge: from here on rows are read.

    Guarantee: the answers, or a `NotAnsweredError` that is the same whatever went wrong.
    """

    def work() -> list[Answer]:
        tell("adding up")
        collected = collect(table, ready)
        tell("drawing the noise")
        drawn = release_together(ready, collected, entropy)
        every = zip(ready, collected, drawn, strict=True)
        return [one.draw(sums, entropy, charge, found) for one, sums, found in every]

    return paid(work)  # exact sums are in frames of `work` alone, which no error keeps


def collect(table: Table, ready: Sequence[Prepared]) -> list[Collected]:
    """Read the rows, once they are paid for, and add up."""
    table.engine.load(tuple(dict.fromkeys(name for one in ready for name in one.names)))
    with table.engine.moment():
        return [one.collect() for one in ready]


def release_together(
    ready: Sequence[Prepared], collected: Sequence[Collected], entropy: Entropy
) -> list[list[list[Released]] | None]:
    """The releases of all questions whose noise is of one draw; None for each of the others."""
    found: list[list[list[Released]] | None] = [None for _ in ready]
    shared: dict[int, list[tuple[int, DrawnNoise]]] = {}
    for i, one in enumerate(ready):
        if isinstance(one.noise, DrawnNoise):
            shared.setdefault(id(one.noise.draw), []).append((i, one.noise))
    for own in shared.values():
        rows = [ready[i].exact(collected[i], ready[i].public_keys) for i, _ in own]
        released = release_drawn([noise for _, noise in own], rows, entropy)
        for (i, _), answer in zip(own, released, strict=True):
            found[i] = answer
    return found


def as_ledger(ledger: Ledger | str | Path | None) -> Ledger | None:
    """A ledger, or where one is."""
    if ledger is None or isinstance(ledger, Ledger):
        return ledger
    return Ledger(ledger)


def protects(setting: Setting) -> str:
    """The unit and the relation, as a ledger keeps them."""
    return f"{setting.unit}, {setting.neighbors}"


@dataclass(frozen=True)
class Collected:
    """Exact sums. Not private: never shown."""

    sums: dict[str, Sums]  # of each key
    units: dict[str, int]  # that have each key, where keys are private


@dataclass(frozen=True)
class Prepared:
    """A question that is ready to be paid for: what to read, and the noise. All of it is public."""

    query: Query
    setting: Setting
    budget: Budget
    reading: Reading | None  # None while nothing is to be read
    counting: Reading | None  # of units by key, where the reading does not say it
    noise: AnyNoise | None  # None: an exponential mechanism
    selection: tuple[KeyedDesign, Path] | None  # of private keys, where they are found apart
    groups: int
    way: Way
    workload: int = 1  # how many questions share the budget that is shown
    batch: str = ""  # which they are
    shown: Budget | None = None

    @property
    def spent(self) -> Budget:
        """What it costs: noise of one draw by levels has no use for a delta."""
        if isinstance(self.noise, DrawnNoise):
            return Budget(self.budget.epsilon, self.noise.draw.delta)
        return self.budget

    @property
    def sha256(self) -> str:
        """The hash of the mechanism files, or of the mechanism in words."""
        if self.noise is not None and self.selection is None:
            return self.noise.sha256
        if self.noise is not None and self.selection is not None:
            both = sha256_of(self.selection[0]) + self.noise.sha256
            return hashlib.sha256(both.encode()).hexdigest()
        words = f"exponential {self.query} {self.budget} {self.setting} {self.groups}"
        return hashlib.sha256(words.encode()).hexdigest()

    @property
    def mechanisms(self) -> tuple[Path, ...]:
        """The mechanism files, if they could be kept."""
        if isinstance(self.query, Quantile):
            found = self.query.mechanisms(self.value_budget.epsilon / self.groups)
        else:
            found = tuple(law.path for law in (self.noise.laws if self.noise is not None else ()))
        files = dict.fromkeys([*self._keys_file, *found])
        return tuple(file for file in files if os.path.exists(file))

    @property
    def _keys_file(self) -> tuple[Path, ...]:
        return () if self.selection is None else (self.selection[1],)

    @property
    def value_budget(self) -> Budget:
        """What the values may cost once the keys are known."""
        return self.budget.split(self.way)[1]

    @property
    def keys(self) -> KeyedDesign | KeyedValues | None:
        """What says how often a key is shown; None where keys are public."""
        if isinstance(self.noise, KeyedValues):
            return self.noise
        if isinstance(self.noise, KeyedNoise):
            return self.noise.design
        return None if self.selection is None else self.selection[0]

    @property
    def one_draw(self) -> bool:
        """Whether keys and values come from one draw."""
        return isinstance(self.noise, KeyedNoise)

    def kind(self, whole: Budget, delta: Fraction) -> Kind:
        """What the query is in a workload: its releases that one unit can move."""
        used = Budget(self.budget.epsilon, delta).used_by(self.query).delta
        share = self.budget.epsilon / whole.epsilon
        if isinstance(self.query, Linear):  # a unit moves one release, whatever its cells are
            return Kind(share, 1, used, used)
        if isinstance(self.noise, KeyedValues) and self.setting.replace:
            each = self.groups // 2  # a key in which a unit is replaced keeps the shares of two
            return Kind(share, each, used / each, used)
        releases = self.groups * (2 if self.way.apart else 1)
        return Kind(share, releases, used / self.groups, used)

    def with_budget(self, budget: Budget, loss: str) -> Prepared:
        """The same sums with another budget, every group by itself."""
        way = self.way
        if way.apart:  # releases of a kind have equal parts of epsilon
            way = Way(Fraction(1, 2), way.delta)
        keys, values = budget.split(way)
        noise, selection = self.noise, self.selection
        if noise is not None:
            asked = Priced(
                self.query, self.setting, *values.pair, self.groups, loss, together=False
            )
            noise = noise_of(asked, way)
        if selection is not None:
            selection = keys_design(keys.epsilon, keys.delta, self.groups, together=False)
        return replace(self, budget=budget, noise=noise, selection=selection, way=way)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        both = self.reading, self.counting
        return tuple(name for one in both if one is not None for name in one.names)

    def collect(self) -> Collected:
        """Add up. Call it only after the budget has been charged, and the columns are loaded."""
        assert self.reading is not None
        sums = self.reading.sums()
        if self.setting.size is not None:
            check_size(sums, self.setting.size)
        if self.one_draw:
            return Collected(sums, {key: one.rows for key, one in sums.items()})
        if self.selection is None:
            return Collected(sums, {})
        counts = sums if self.counting is None else self.counting.sums()
        return Collected(sums, {key: one.units for key, one in counts.items()})

    @property
    def public_keys(self) -> list[str]:
        """The keys of the groups, where they are public; one for everything."""
        return [""] if self.query.public_keys is None else list(self.query.public_keys)

    def exact(self, collected: Collected, keys: Sequence[str]) -> list[list[Fraction]]:
        """The exact numbers of each group that the noise is for. Not private: never shown."""
        assert self.noise is not None
        form, query = self.noise.form, self.query
        sums = [collected.sums.get(key, Sums()) for key in keys]
        return [query.numbers(form, query.exact(one, self.setting)) for one in sums]

    def draw(
        self,
        collected: Collected,
        entropy: Entropy,
        charge: int | None,
        drawn: list[list[Released]] | None = None,
    ) -> Answer:
        """The answer. Call it only after the budget has been charged.

        drawn: what was released of every group, where that was one draw.
        """
        keys = self.public_keys
        if self.selection is not None:
            keys = list(self.selection[0].release(collected.units, entropy=entropy))
        found: list[Estimate] = []
        if isinstance(self.query, Quantile):
            found = self._choices([collected.sums.get(key, Sums()) for key in keys], entropy)
        elif isinstance(self.noise, KeyedNoise):
            counts = self.noise.shown(collected.units, entropy)
            keys = list(counts)
            found = [self.query.estimate(parts, self.setting) for parts in counts.values()]
        elif isinstance(self.noise, KeyedValues):
            values = self.noise.release(collected.sums, entropy)
            keys = list(values)
            found = [self.query.estimate(one, self.setting, self.noise) for one in values.values()]
        elif self.noise is not None and keys:
            if drawn is None:
                drawn = self.noise.released(self.exact(collected, keys), entropy)
            every = [self.query.estimates(parts, self.setting, self.noise) for parts in drawn]
            found = [one for named in every for one in named.values()]
        return Answer(
            query=str(self.query),
            groups=dict(zip(self.query.answer_names(keys), found, strict=True)),
            epsilon=(self.shown or self.spent).epsilon,
            delta=(self.shown or self.spent).delta,
            unit=str(self.setting.unit),
            neighbors=self.setting.neighbors,
            why=self.query.why(self.setting),
            noise=self.noise.words
            if self.noise is not None
            else "exponential mechanism on public candidates, drawn exactly",
            notes=tuple(self.notes()),
            mechanisms=self.mechanisms,
            charge=charge,
            by=self.query.columns_by,
            basis=self._basis(keys),
            batch=self.batch,
        )

    def _basis(self, keys: Sequence[str]) -> Basis:
        """What the answer rests on. keys: of the groups that are shown."""
        laws = () if self.noise is None else self.noise.laws
        return Basis(
            self.query,
            self.setting,
            files=tuple(law.design.document.dumps() for law in laws),
            form=form_number(self.query, self.setting, self.noise),
            keys=None if self.selection is None else self.selection[0].document.dumps(),
            found=tuple(keys) if self.query.keys == PRIVATE else None,
            epsilon=self.value_budget.epsilon if self.noise is None else None,
        )

    def notes(self) -> list[str]:
        """What a reader must know; public."""
        apart = not isinstance(self.noise, (DrawnNoise, WorkloadNoiseFor))
        found = notes(self.query, self.setting, self.groups, self.value_budget.epsilon, apart)
        if isinstance(self.noise, (KeyedNoise, KeyedValues)):
            found.append(self.noise.note)
        if self.selection is not None:
            found.append(apart_note(self.selection[0], self.way))
        if self.way.why:
            found.append(self.way.why)
        if self.workload > 1:
            found.append(
                f"the budget is that of all {self.workload} queries together, which were "
                "declared in advance"
            )
        return found

    def _choices(self, sums: list[Sums], entropy: Entropy) -> list[Estimate]:
        assert isinstance(self.query, Quantile)
        (part,) = self.query.parts(self.setting)
        epsilon = self.value_budget.epsilon / self.groups
        return [self.query.choose(one.cells, epsilon, part.sensitivity, entropy) for one in sums]


def prepare(
    table: Table,
    query: Query,
    setting: Setting,
    budget: Budget,
    loss: str,
    ledger: Ledger | None,
    tell: Callable[[str], None],
    group_size: int | None = None,
) -> Prepared:
    """Check the question against the schema and find the noise; no row is read, nothing charged.

    (But the number of rows, where it is the same for all neighbors.)
    """
    if ledger is not None:
        ledger.check(budget.epsilon, budget.delta, protects=protects(setting))
    asked = reading_of(table, bounded(query, setting))
    quietly("the engine cannot compute this query", asked.check)
    if table.sized and query.fixed(setting.unit, setting.neighbors):
        setting = replace(setting, size=public_size(table))
    tell("finding the best noise")
    ready = planned(query, setting, budget, loss, group_size)
    counting = None
    if ready.selection is not None and isinstance(query, Quantile):
        having = Count(column=None, where=query.where, by=query.by, keys=query.keys)
        counting = reading_of(table, bounded(having, setting))
    return replace(ready, reading=reading_of(table, bounded(query, setting)), counting=counting)


def planned(
    query: Query, setting: Setting, budget: Budget, loss: str, group_size: int | None = None
) -> Prepared:
    """The question with its noise, from public numbers only; there is nothing yet to read."""
    groups = touched(query, setting)
    selection = noise = None
    asked = Priced(query, setting, *budget.pair, groups, loss, group_size)
    way = way_of(asked)
    keys, values = budget.split(way)
    if way.apart:
        selection = keys_design(keys.epsilon, keys.delta, groups)
    if not isinstance(query, Quantile):
        noise = noise_of(replace(asked, epsilon=values.epsilon, delta=values.delta), way)
    elif values.epsilon == 0:
        raise ArgumentError(
            "epsilon", 0, "positive for a quantile: the exponential mechanism is pure DP"
        )
    else:
        query.mechanisms(values.epsilon / groups)  # before anything is charged
    return Prepared(query, setting, budget, None, None, noise, selection, groups, way)


def sums_of(table: Table, query: Query, setting: Setting) -> dict[str, Sums]:
    """The exact sums by key, at once. Not private: for tests."""
    return aggregate(table, bounded(query, setting))
