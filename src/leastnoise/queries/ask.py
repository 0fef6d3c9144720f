"""ask(table, query, ...): a private answer, paid for before any noise is drawn.

How the budget is divided between keys, groups and parts: `noise.proof.md`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..ask.values import check_delta, check_epsilon
from ..errors import ArgumentError, EngineError
from ..exact import Number
from ..ledger import Ledger
from ..sampling import Entropy, system_entropy
from .answer import Answer
from .base import PRIVATE, Estimate, Query, Setting
from .bounding import Sums, aggregate
from .count import Count
from .declared import Kind
from .engine import open_table
from .mean_vector import MeanVector, VectorNoiseFor
from .noise import Noise, noise_for
from .quantile import Quantile
from .selection import probabilities, select
from .text import query_of
from .unit import Person, Unit, check_neighbours, unit_of
from .valued import Valued

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

    def split(self, query: Query) -> tuple[Budget, Budget]:
        """(for the keys, for the values)."""
        if query.keys != PRIVATE:
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

    Guarantee: everything in the `Answer` together is (epsilon, delta)-private for the unit and the
    neighbour relation. If there is a ledger, the charge is durable before any noise is drawn; if
    it refuses, no noise is drawn. Errors show no value of the data.

    table: a CSV or Parquet file, a CsvFile, a pandas, Polars or Arrow table, a Spark DataFrame,
        an Ibis table, or URL#TABLE. Its columns and their types are taken to be public.
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
    prepared = prepare(open_table(table), question, setting, budget, loss, book, tell)
    charge = None
    if book is not None:
        charge = book.charge(
            budget.epsilon,
            budget.delta,
            query=str(question),
            mechanism=prepared.sha256,
            protects=protects(setting),
        ).id
    tell("drawing the noise")
    return prepared.draw(source, charge)


def as_ledger(ledger: Ledger | str | Path | None) -> Ledger | None:
    """A ledger, or where one is."""
    if ledger is None or isinstance(ledger, Ledger):
        return ledger
    return Ledger(ledger)


def protects(setting: Setting) -> str:
    """The unit and the relation, as a ledger keeps them."""
    return f"{setting.unit}, {setting.neighbours}"


@dataclass(frozen=True)
class Prepared:
    """Exact sums and their noise: all but the randomness. Not private: never shown."""

    query: Query
    setting: Setting
    budget: Budget
    sums: dict[str, Any]  # of each key: Sums, or those of each column of a vector
    noise: Noise | VectorNoiseFor | None  # None: an exponential mechanism
    selection: tuple[list[int], dict[str, int]] | None
    groups: int
    workload: int = 1  # how many questions share the budget that is shown
    shown: Budget | None = None

    @property
    def sha256(self) -> str:
        """The hash of the mechanism files, or of the mechanism in words."""
        if self.noise is not None:
            return self.noise.sha256
        words = f"exponential {self.query} {self.budget} {self.setting} {self.groups}"
        return hashlib.sha256(words.encode()).hexdigest()

    @property
    def mechanisms(self) -> tuple[Path, ...]:
        """The mechanism files."""
        if isinstance(self.query, Quantile):
            return self.query.mechanisms(self.value_budget.epsilon / self.groups)
        return () if self.noise is None else tuple(dict.fromkeys(x.path for x in self.noise.laws))

    @property
    def value_budget(self) -> Budget:
        """What the values may cost once the keys are known."""
        return self.budget.split(self.query)[1]

    def kind(self, whole: Budget, delta: Fraction) -> Kind:
        """What the query is in a workload: its releases that one unit can move."""
        private = self.query.keys == PRIVATE
        used = Budget(self.budget.epsilon, delta).used_by(self.query).delta
        releases = self.groups * (2 if private else 1)
        share = self.budget.epsilon / whole.epsilon
        return Kind(share, releases, used / self.groups, used)

    def with_budget(self, budget: Budget, loss: str) -> Prepared:
        """The same sums with another budget, every group by itself."""
        keys, values = budget.split(self.query)
        noise, selection = self.noise, self.selection
        if noise is not None:
            noise = noise_of(self.query, self.setting, values, self.groups, loss, together=False)
        if selection is not None:
            table = probabilities(keys.epsilon / self.groups, keys.delta / self.groups)
            selection = table, selection[1]
        return replace(self, budget=budget, noise=noise, selection=selection)

    def draw(self, entropy: Entropy, charge: int | None) -> Answer:
        """The answer. Call it only after the budget has been charged."""
        keys = [""]
        if self.query.public_keys is not None:
            keys = list(self.query.public_keys)
        if self.selection is not None:
            keys = select(self.selection[1], self.selection[0], entropy)
        sums = [self.sums.get(key, _nothing(self.query)) for key in keys]
        groups: dict[str, Estimate] = {}
        if isinstance(self.query, Quantile):
            groups = dict(
                zip(map(self.query.label, keys), self._choices(sums, entropy), strict=True)
            )
        elif self.noise is not None and keys:
            exact = [
                self.query.numbers(self.noise.form, self.query.exact(one, self.setting))
                for one in sums
            ]
            for key, parts in zip(keys, self.noise.released(exact, entropy), strict=True):
                label = self.query.label(key)
                named = self.query.estimates(parts, self.setting, self.noise)
                if self.query.by is not None:
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
        )

    def _notes(self) -> list[str]:
        found = notes(self.query, self.setting, self.groups, self.value_budget)
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
    table: Any,
    query: Query,
    setting: Setting,
    budget: Budget,
    loss: str,
    ledger: Ledger | None,
    tell: Callable[[str], None],
) -> Prepared:
    """Add up in the engine and find the noise; no randomness, no charge."""
    if ledger is not None:
        ledger.check(budget.epsilon, budget.delta, protects=protects(setting))
    groups = touched(query, setting)
    selection_table = None
    keys, values = budget.split(query)
    if query.keys == PRIVATE:
        selection_table = probabilities(keys.epsilon / groups, keys.delta / groups)
    if isinstance(query, Quantile) and values.epsilon == 0:
        raise ArgumentError("epsilon", 0, "positive for a quantile: its privacy is pure")
    if query.fixed(setting.unit, setting.neighbours):
        setting = replace(setting, size=_public_size(table))
    tell("adding up")
    sums = sums_of(table, query, setting)
    if setting.size is not None:
        _check_size(sums, setting.size)
    noise = None
    tell("finding the best noise")
    if isinstance(query, Quantile):
        query.mechanisms(values.epsilon / groups)  # before anything is charged
    else:
        noise = noise_of(query, setting, values, groups, loss)
    selection = None
    if selection_table is not None:
        selection = selection_table, _units(table, query, setting, sums)
    return Prepared(query, setting, budget, sums, noise, selection, groups)


def noise_of(
    query: Query, setting: Setting, budget: Budget, groups: int, loss: str, together: bool = True
) -> Noise | VectorNoiseFor:
    """The best noise for what a query releases; of one law for all groups only if `together`."""
    if isinstance(query, MeanVector):
        return query.noise(setting, budget.epsilon, budget.delta, groups, loss)
    return noise_for(query.forms(setting), budget.epsilon, budget.delta, groups, loss, together)


def sums_of(table: Any, query: Query, setting: Setting) -> dict[str, Any]:
    """The exact sums by key; for a vector those of each column."""
    if not isinstance(query, MeanVector):
        return aggregate(table, _bounded(query, setting))
    columns = [aggregate(table, _bounded(mean, setting)) for mean in query.means]
    keys = dict.fromkeys(key for column in columns for key in column)
    return {key: tuple(column.get(key, Sums()) for column in columns) for key in keys}


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
    if query.by is None:
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
    if query.by is None or not isinstance(unit, Person) or unit.max_groups is None:
        return request
    if keys is not None and unit.max_groups >= len(keys):
        return request
    return replace(request, max_groups=unit.max_groups)


def _units(table: Any, query: Query, setting: Setting, sums: dict[str, Any]) -> dict[str, int]:
    """How many units have each key; quantiles need a count of their own."""
    if isinstance(query, Quantile):
        counting = Count(column=None, where=query.where, by=query.by, keys=query.keys)
        sums = aggregate(table, _bounded(counting, setting))
    if isinstance(query, MeanVector):  # every row counts in every column
        return {key: columns[0].units for key, columns in sums.items()}
    return {key: one.units for key, one in sums.items()}


def _public_size(table: Any) -> int:
    """The number of rows, which all neighbours share."""
    from .engine import run

    size = int(run(table.aggregate(n=table.count()))["n"][0])
    if size < 1:
        raise ArgumentError("table", "0 rows", "of at least one row where rows are replaced")
    return size


def _rows(count: int) -> str:
    return "one row" if count == 1 else f"{count} rows"


def _check_size(sums: dict[str, Any], size: int) -> None:
    """Sensitivities rest on it: every row of the public number is in the sums."""
    found = sums.get("", Sums())
    if any(one.rows != size for one in (found if isinstance(found, tuple) else (found,))):
        raise EngineError("the table has changed while it was read; nothing was asked of it")


def notes(query: Query, setting: Setting, groups: int, values: Budget) -> list[str]:
    """What a reader must know; public."""
    found = query.notes(setting) if isinstance(query, (Valued, MeanVector)) else []
    if setting.size is not None:
        found.append(f"the number of rows, {setting.size}, is public because rows are replaced")
    if isinstance(setting.unit, Person):
        found.append(
            f"a person counts with at most {_rows(setting.unit.max_rows)}"
            f"{' in each group' if query.by is not None else ''}: more are weighed down to that; "
            f"rows without {setting.unit.id} are left out"
        )
    if query.by is not None and groups > 1:
        found.append(f"one unit can move {groups} groups, and each has its part of the budget")
    if isinstance(query, Quantile):
        epsilon = values.epsilon / groups
        if query.interval:
            found.append("half of epsilon was spent on the interval; delta is not used")
        found.append(
            f"with 95 % the rank of the answer is within {query.rank_error(epsilon, setting):.3g} "
            "rows of that of the best candidate"
            + ("" if query.interval else "; an interval of values costs budget: interval=True")
        )
    if query.keys == PRIVATE:
        found.append("half of epsilon found the keys; a key that few units have is not shown")
    return found
