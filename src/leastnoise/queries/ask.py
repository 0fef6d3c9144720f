"""ask(table, query, ...): a private answer, paid for before any row is read.

How the budget is divided between keys, groups and parts: `noise.proof.md`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..ask.values import check_delta, check_epsilon
from ..designs.keyed import KeyedDesign
from ..errors import ArgumentError, NotAnsweredError
from ..exact import Number
from ..ledger import Ledger
from ..sampling import Entropy, system_entropy
from .answer import Answer
from .base import PRIVATE, Estimate, Query, Setting
from .bounding import Reading, Sums, reading_of
from .count import Count
from .cumulative import Cumulative, WorkloadNoiseFor
from .declared import Kind
from .door import Table, opened, quietly
from .kept import sha256_of
from .keyed import KeyedNoise, apart_note, keyed_noise, keys_design, one_draw
from .mean_vector import MeanVector, VectorNoiseFor
from .noise import Noise, noise_for
from .notes import notes
from .paid import paid, warn_of_log
from .quantile import Quantile
from .statement import Statement, statements_of
from .text import query_of
from .unit import Person, Unit, check_neighbours, unit_of

#: Of a budget with private keys, the part that finds them.
KEYS_SHARE = Fraction(1, 2)


@dataclass(frozen=True)
class Budget:
    """What a query may cost."""

    epsilon: Fraction
    delta: Fraction

    def used_by(self, query: Query) -> Budget:
        """The budget without a delta that the query has no use for."""
        idle = isinstance(query, Quantile) and query.keys != PRIVATE
        return Budget(self.epsilon, Fraction(0)) if idle else self

    def split(self, query: Query, one_draw: bool) -> tuple[Budget, Budget]:
        """(for the keys, for the values); nothing for keys that come with their values."""
        if query.keys != PRIVATE or one_draw:
            return Budget(Fraction(0), Fraction(0)), self
        delta = self.delta * (1 if isinstance(query, Quantile) else KEYS_SHARE)
        keys = Budget(self.epsilon * KEYS_SHARE, delta)
        return keys, Budget(self.epsilon - keys.epsilon, self.delta - keys.delta)


def ask(
    table: Any,
    query: Query | str,
    *,
    epsilon: Number,
    delta: Number = 0,
    ledger: Ledger | str | Path | None = None,
    unit: Unit | str = "row",
    neighbours: str = "add-remove",
    loss: str = "l1",
    progress: Callable[[str], None] | None = None,
    entropy: Entropy | None = None,
) -> Answer:
    """A private answer to a question about a table.

    Guarantee: whatever comes out of it, an `Answer` or an error, is (epsilon, delta)-private for
    the unit and the neighbour relation, for all tables of the same columns and types. If there is
    a ledger, the charge is durable before any row is read; if it refuses, none is. What goes wrong
    before that depends on public things only; afterwards it is a `NotAnsweredError`, always the
    same. (Where rows of a file, frame or base table are replaced, their number is public, and may
    be read before.)

    table: a CSV or Parquet file, a `CsvFile`, a pandas, Polars or Arrow table, a Spark DataFrame,
        an Ibis table of DuckDB, PostgreSQL or Spark, or URL#TABLE of the first two. Its columns
        and their types are public.
    query: `Count()`, `Mean("salary", low=0, high=200)`, ..., or a text such as "count()".
    unit: "row", or `Person("person_id", max_rows=3, max_groups=2)`.
    neighbours: "add-remove" (a unit is there or not) or "replace" (a unit is another one).
    loss: what the noise is best for; see `design`.
    progress: called with a word about each step.
    """
    question = query_of(query)
    setting = Setting(unit_of(unit), check_neighbours(neighbours))
    budget = Budget(check_epsilon(epsilon), check_delta(delta, epsilon)).used_by(question)
    book = as_ledger(ledger)
    tell = progress or (lambda _: None)
    source = entropy or system_entropy()
    warn_of_log()
    with opened(table) as rows:
        ready = ready_or_paid(
            lambda: [prepare(rows, question, setting, budget, loss, book, tell)],
            lambda: charged(book, budget, [question], setting, "not answered"),
        )
        charge = charged(book, budget, [question], setting, ready[0].sha256)
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
    except _UncountedError:
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
        pairs = zip(ready, collected, strict=True)
        return [one.draw(sums, entropy, charge) for one, sums in pairs]

    return paid(work)  # exact sums are in frames of `work` alone, which no error keeps


def collect(table: Table, ready: Sequence[Prepared]) -> list[Collected]:
    """Read the rows, once they are paid for, and add up."""
    table.engine.load(tuple(dict.fromkeys(name for one in ready for name in one.names)))
    return [one.collect() for one in ready]


class _UncountedError(Exception):
    """The rows, whose number is public, could not be counted."""


def as_ledger(ledger: Ledger | str | Path | None) -> Ledger | None:
    """A ledger, or where one is."""
    if ledger is None or isinstance(ledger, Ledger):
        return ledger
    return Ledger(ledger)


def protects(setting: Setting) -> str:
    """The unit and the relation, as a ledger keeps them."""
    return f"{setting.unit}, {setting.neighbours}"


@dataclass(frozen=True)
class Collected:
    """Exact sums. Not private: never shown."""

    sums: dict[str, Any]  # of each key: Sums, or those of each column of a vector
    units: dict[str, int]  # that have each key, where keys are private


@dataclass(frozen=True)
class Prepared:
    """A question that is ready to be paid for: what to read, and the noise. All of it is public."""

    query: Query
    setting: Setting
    budget: Budget
    readings: tuple[Reading, ...]  # one, or that of each column of a vector
    counting: Reading | None  # of units by key, where the readings do not say it
    noise: (
        Noise | VectorNoiseFor | WorkloadNoiseFor | KeyedNoise | None
    )  # None: an exponential mechanism
    selection: tuple[KeyedDesign, Path] | None  # of private keys, where they are found apart
    groups: int
    workload: int = 1  # how many questions share the budget that is shown
    batch: str = ""  # which they are
    shown: Budget | None = None

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
        """The mechanism files."""
        if isinstance(self.query, Quantile):
            found = self.query.mechanisms(self.value_budget.epsilon / self.groups)
            return (*self._keys_file, *found)
        laws: Sequence[Any] = () if self.noise is None else self.noise.laws
        return tuple(dict.fromkeys([*self._keys_file, *(law.path for law in laws)]))

    @property
    def _keys_file(self) -> tuple[Path, ...]:
        return () if self.selection is None else (self.selection[1],)

    @property
    def value_budget(self) -> Budget:
        """What the values may cost once the keys are known."""
        return self.budget.split(self.query, self.one_draw)[1]

    @property
    def one_draw(self) -> bool:
        """Whether keys and values come from one draw."""
        return isinstance(self.noise, KeyedNoise)

    def kind(self, whole: Budget, delta: Fraction) -> Kind:
        """What the query is in a workload: its releases that one unit can move."""
        used = Budget(self.budget.epsilon, delta).used_by(self.query).delta
        # (Of sums a unit moves one release, however many bins it is in.)
        groups = 1 if isinstance(self.query, Cumulative) else self.groups
        releases = groups * (1 if self.selection is None else 2)
        return Kind(self.budget.epsilon / whole.epsilon, releases, used / groups, used)

    def with_budget(self, budget: Budget, loss: str) -> Prepared:
        """The same sums with another budget, every group by itself."""
        keys, values = budget.split(self.query, self.one_draw)
        noise, selection = self.noise, self.selection
        if noise is not None:
            noise = noise_of(self.query, self.setting, values, self.groups, loss, together=False)
        if selection is not None:
            selection = keys_design(keys.epsilon, keys.delta, self.groups, together=False)
        return replace(self, budget=budget, noise=noise, selection=selection)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        counting = () if self.counting is None else self.counting.names
        return (*(name for one in self.readings for name in one.names), *counting)

    def collect(self) -> Collected:
        """Add up. Call it only after the budget has been charged, and the columns are loaded."""
        sums = _combined(self.query, [one.sums() for one in self.readings])
        if self.setting.size is not None:
            _check_size(sums, self.setting.size)
        if self.one_draw:
            return Collected(sums, {key: one.rows for key, one in sums.items()})
        if self.selection is None:
            return Collected(sums, {})
        counts = sums if self.counting is None else self.counting.sums()
        units = {key: one[0] if isinstance(one, tuple) else one for key, one in counts.items()}
        return Collected(sums, {key: one.units for key, one in units.items()})

    def draw(self, collected: Collected, entropy: Entropy, charge: int | None) -> Answer:
        """The answer. Call it only after the budget has been charged."""
        keys = [""]
        if self.query.public_keys is not None:
            keys = list(self.query.public_keys)
        if self.selection is not None:
            keys = list(self.selection[0].release(collected.units, entropy=entropy))
        sums = [collected.sums.get(key, _nothing(self.query)) for key in keys]
        groups: dict[str, Estimate] = {}
        if isinstance(self.query, Quantile):
            groups = dict(
                zip(map(self.query.label, keys), self._choices(sums, entropy), strict=True)
            )
        elif isinstance(self.noise, KeyedNoise):
            for key, parts in self.noise.shown(collected.units, entropy).items():
                groups[self.query.label(key)] = self.query.estimate(parts, self.setting)
        elif self.noise is not None and keys:
            exact = [
                self.query.numbers(self.noise.form, self.query.exact(one, self.setting))
                for one in sums
            ]
            for key, parts in zip(keys, self.noise.released(exact, entropy), strict=True):
                label = self.query.label(key)
                named = self.query.estimates(parts, self.setting, self.noise)
                if self.query.grouped:
                    named = {_named(label, name): one for name, one in named.items()}
                groups |= named
        return Answer(
            query=str(self.query),
            groups=groups,
            epsilon=(self.shown or self.budget).epsilon,
            delta=(self.shown or self.budget).delta,
            unit=str(self.setting.unit),
            neighbours=self.setting.neighbours,
            why=self.query.why(self.setting),
            noise=self.noise.words
            if self.noise is not None
            else "exponential mechanism on public candidates, drawn exactly",
            notes=tuple(self._notes()),
            mechanisms=self.mechanisms,
            charge=charge,
            by=self.query.columns_by,
            statements=self._statements(),
            batch=self.batch,
        )

    def _statements(self) -> tuple[Statement, ...]:
        keys, values = self.budget.split(self.query, self.one_draw)
        found = None if self.selection is None else (self.selection[0], keys.epsilon, keys.delta)
        whole = self.shown or values
        rest = self.noise, values.epsilon, values.delta
        total, why = (whole.epsilon, whole.delta), self.query.why(self.setting)
        return statements_of(str(self.query), self.setting, why, self.groups, found, rest, total)

    def _notes(self) -> list[str]:
        found = notes(self.query, self.setting, self.groups, self.value_budget.epsilon)
        if isinstance(self.noise, KeyedNoise):
            found.append(self.noise.note)
        if self.selection is not None:
            found.append(apart_note(self.selection[0]))
        if self.workload > 1:
            found.append(
                f"the budget is that of all {self.workload} questions together, which were "
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
) -> Prepared:
    """Check the question against the schema and find the noise; no row is read, nothing charged.

    (But the number of rows, where it is the same for all neighbours.)
    """
    if ledger is not None:
        ledger.check(budget.epsilon, budget.delta, protects=protects(setting))
    groups = touched(query, setting)
    selection = None
    whole = one_draw(query, setting, loss)
    keys, values = budget.split(query, whole)
    if query.keys == PRIVATE and not whole:
        selection = keys_design(keys.epsilon, keys.delta, groups)
    if isinstance(query, Quantile) and values.epsilon == 0:
        raise ArgumentError("epsilon", 0, "positive for a quantile: its privacy is pure")
    _refuse_apart(table, query, setting)
    for reading in readings_of(table, query, setting):
        quietly("the engine does not know how to compute this", reading.check)
    if table.sized and query.fixed(setting.unit, setting.neighbours):
        setting = replace(setting, size=_public_size(table))
    noise = None
    tell("finding the best noise")
    if isinstance(query, Quantile):
        query.mechanisms(values.epsilon / groups)  # before anything is charged
    else:
        noise = noise_of(query, setting, values, groups, loss)
    counting = None
    if selection is not None and isinstance(query, Quantile):
        units = Count(column=None, where=query.where, by=query.by, keys=query.keys)
        (counting,) = readings_of(table, units, setting)
    readings = readings_of(table, query, setting)
    return Prepared(query, setting, budget, readings, counting, noise, selection, groups)


def noise_of(
    query: Query, setting: Setting, budget: Budget, groups: int, loss: str, together: bool = True
) -> Noise | VectorNoiseFor | WorkloadNoiseFor | KeyedNoise:
    """The best noise for what a query releases; of one law for all groups only if `together`."""
    if one_draw(query, setting, loss):
        return keyed_noise(query, setting, budget.epsilon, budget.delta, groups, loss, together)
    if isinstance(query, (MeanVector, Cumulative)):
        return query.noise(setting, budget.epsilon, budget.delta, groups, loss)
    return noise_for(query.forms(setting), budget.epsilon, budget.delta, groups, loss, together)


def readings_of(table: Table, query: Query, setting: Setting) -> tuple[Reading, ...]:
    """What is read for a question; for a vector each of its columns."""
    queries = query.means if isinstance(query, MeanVector) else [query]
    return tuple(reading_of(table, _bounded(one, setting)) for one in queries)


def _refuse_apart(table: Table, query: Query, setting: Setting) -> None:
    """The groups of a person are chosen once for each column of a vector: in the same rows only."""
    name = getattr(table.engine, "name", "")
    if not isinstance(query, MeanVector) or name == "DuckDB":
        return
    if any(_bounded(one, setting).max_groups is not None for one in query.means):
        allowed = "a file or a frame for a vector with max_groups: its columns are read apart"
        raise ArgumentError("table", f"a table of {name}", allowed)


def _combined(query: Query, found: list[dict[str, Sums]]) -> dict[str, Any]:
    """The sums by key; for a vector those of each column."""
    if not isinstance(query, MeanVector):
        return dict(found[0])
    keys = dict.fromkeys(key for column in found for key in column)
    return {key: tuple(column.get(key, Sums()) for column in found) for key in keys}


def sums_of(table: Table, query: Query, setting: Setting) -> dict[str, Any]:
    """The exact sums by key, at once. Not private: for tests."""
    readings = readings_of(table, query, setting)
    table.engine.load(tuple(dict.fromkeys(name for one in readings for name in one.names)))
    return _combined(query, [one.sums() for one in readings])


def _nothing(query: Query) -> Any:
    """The sums of a key that no row has."""
    return (Sums(),) * len(query.means) if isinstance(query, MeanVector) else Sums()


def _named(label: str, name: str) -> str:
    """ "group: column"; a group's key that could be taken for more than itself is quoted."""
    if not name:
        return label
    plain = label and ": " not in label and not label.startswith('"')
    return f"{label if plain else json.dumps(label, ensure_ascii=False)}: {name}"


def touched(query: Query, setting: Setting) -> int:
    """How many groups one unit can move, at most: added or removed, or in both of two places."""
    if not query.grouped:
        return 1
    each = 1
    if isinstance(setting.unit, Person):
        keys = query.public_keys
        most = setting.unit.max_groups
        if keys is None and most is None:
            raise ArgumentError(
                "max_groups",
                None,
                "given with private keys: how many groups of one person may count",
            )
        each = min(x for x in (most, None if keys is None else len(keys)) if x is not None)
    if not setting.replace:
        return each
    keys = query.public_keys
    return 2 * each if keys is None else min(2 * each, len(keys))


def _bounded(query: Query, setting: Setting) -> Any:
    """The engine's request, with the groups per person enforced where they are not all allowed."""
    request = query.request(setting)
    unit, keys = setting.unit, query.public_keys
    if not query.grouped or not isinstance(unit, Person) or unit.max_groups is None:
        return request
    if keys is not None and unit.max_groups >= len(keys):
        return request
    return replace(request, max_groups=unit.max_groups)


def _public_size(table: Table) -> int:
    """The number of rows, which all neighbours share."""
    try:
        size = paid(lambda: table.engine.count(table.relation))
    except NotAnsweredError:
        size = None
    if size is None:
        raise _UncountedError
    if size < 1:
        raise ArgumentError("table", "0 rows", "of at least one row where rows are replaced")
    return size


def _check_size(sums: dict[str, Any], size: int) -> None:
    """Sensitivities rest on it: every row of the public number is in the sums."""
    found = sums.get("", Sums())
    if any(one.rows != size for one in (found if isinstance(found, tuple) else (found,))):
        raise NotAnsweredError
