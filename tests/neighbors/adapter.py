"""The one place that knows how `ask` works inside: what it would release, before the noise.

`outcome` runs the real `ask` (or `ask_all`) and records, at the door of the
noise, the exact numbers of every group. Keys that would be found privately are all let through,
so that the numbers of every key are seen, and how many units have each key is recorded.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from leastnoise import ArgumentError, Ledger, PrivacyUnit, ask
from leastnoise.noise.selection import SelectionNoise
from leastnoise.problem.shape import Block, Shape
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables import ask_all
from leastnoise.tables.ledger.ledger import Charge
from leastnoise.tables.planning.bands import BandsRelease, ChoicesRelease
from leastnoise.tables.planning.joint_draw import Draw, DrawnRelease
from leastnoise.tables.planning.keys_by_values import KeyedValuesRelease
from leastnoise.tables.planning.noise import PartsRelease
from leastnoise.tables.planning.private_keys import KeyedCountsRelease
from leastnoise.tables.planning.sums import SumsRelease
from leastnoise.tables.planning.vector import VectorRelease
from leastnoise.tables.queries.base import Query
from leastnoise.tables.queries.quantile import Quantile

from .limits import Each, Length, Limit, Steps, Together

#: Any budget would do: exact numbers are compared. At a large epsilon designs are quick.
EPSILON, DELTA = 4, "0.01"
#: Warnings about code, and not about data.
_IDLE = (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, FutureWarning)
_asking = sys.modules["leastnoise.tables.ask"]


@dataclass(frozen=True)
class Release:
    """What one question releases: numbers by group, how far they may move, units by key."""

    query: str
    numbers: dict[str, tuple[Fraction, ...]]
    limit: Limit
    keys: int | None  # the number of public keys, None without a group-by or with private ones
    grouped: bool
    units: dict[str, int] | None


@dataclass(frozen=True)
class Vector:
    """Numbers of one or several questions that were drawn together, and what one unit may do."""

    steps: tuple[int, ...]
    shape: Shape


@dataclass(frozen=True)
class Outcome:
    """Everything that leaves `ask`: its kind, its words, what was charged, and exact numbers."""

    kind: str  # "answer", "refusal" or "failure"
    text: str
    charged: str
    releases: tuple[Release, ...] = ()
    vectors: tuple[Vector, ...] = ()  # numbers that were drawn together


@dataclass
class _Seen:
    """What passed the door of the noise for one question."""

    query: Query
    setting: Any
    epsilon: Fraction  # for the values
    one_draw: bool = False
    units: dict[str, int] | None = None
    keys: list[str] = field(default_factory=list)
    rows: list[tuple[Fraction, ...]] = field(default_factory=list)
    limit: Limit | None = None


def outcome(
    source: Any, question: Any, unit: Any = "row", neighbors: str = "add-remove"
) -> Outcome:
    """Ask, and say what came out.

    question: a query, what makes one (which may refuse), or a list of queries for `ask_all`.
    """
    book, many = Book(), isinstance(question, (list, tuple))
    options = {"unit": unit, "neighbors": neighbors, "ledger": book}
    options |= {"epsilon": EPSILON, "delta": DELTA, "entropy": InsecureSeededEntropy(1)}
    kind, releases, vectors = "answer", (), ()
    with warnings.catch_warnings(record=True) as warned, _watched() as (seen, drawn):
        warnings.simplefilter("always")
        try:
            query = question() if callable(question) else question
            found = (ask_all if many else ask)(source, query, **options)
            text = "; ".join(map(_words, found if many else [found]))
            releases, vectors = tuple(map(_release, seen)), tuple(drawn)
        except ArgumentError as error:
            kind, text = "refusal", _told(error)
        except Exception as error:
            kind, text = "failure", _told(error)
    heard = [f" warning: {w.message}" for w in warned if not issubclass(w.category, _IDLE)]
    return Outcome(kind, "".join([text, *heard]), "; ".join(book.charged), releases, vectors)


class Book(Ledger):
    """A ledger that keeps what was charged here, and nothing on a disk."""

    def __init__(self) -> None:
        self.charged: list[str] = []

    def check(self, *_: Any, **__: Any) -> None:
        """There is enough."""

    def charge(self, epsilon: Any, delta: Any = 0, **_: Any) -> Charge:
        """Note it."""
        self.charged.append(f"({epsilon}, {delta})")
        return Charge(1, "now", Fraction(epsilon), Fraction(delta), "", "")


def _told(error: BaseException) -> str:
    """All that a user can see of an error, its causes included; not where it was raised."""
    words = [f"{type(error).__name__}: {error}"]
    for other in (error.__cause__, error.__context__):
        if other is not None:
            words.append("".join(traceback.format_exception_only(other)))
    return " | ".join(words)


def _words(answer: Any) -> str:
    """The parts of an answer that are not noisy."""
    files = ", ".join(path.name for path in answer.mechanisms)
    public = (answer.query, answer.epsilon, answer.delta, answer.unit, answer.neighbors)
    return f"{public} {answer.why} {answer.noise} {answer.notes} {files}"


@contextmanager
def _watched() -> Iterator[tuple[list[_Seen], list[Vector]]]:
    """Record what reaches the noise, question by question, and vectors that are drawn together."""
    seen: list[_Seen] = []
    vectors: list[Vector] = []
    together = Draw.release
    draw, released, told = (
        _asking.Prepared.draw,
        PartsRelease.release_rows,
        KeyedValuesRelease.release,
    )
    vector, choose = VectorRelease.release_rows, Quantile.choose
    adding = SumsRelease.release_rows

    def drawing(self: Any, *args: Any) -> Any:
        keys = list(self.query.public_keys or [""])
        spent = self.budget.split(self.way)[1].epsilon
        one_draw = isinstance(self.release, KeyedCountsRelease)
        seen.append(_Seen(self.query, self.setting, spent, one_draw, keys=keys))
        if isinstance(self.release, DrawnRelease):
            exact = self.release.exact(self.query, self.setting, args[0])
            seen[-1].rows = [tuple(row) for row in exact]
            seen[-1].limit = _steps(self.release.form, 1)
        return draw(self, *args)

    def drawing_together(self: Any, steps: Sequence[int], entropy: Any) -> Any:
        vectors.append(Vector(tuple(steps), self.design.noise.shape))
        return together(self, steps, entropy)

    def showing(self: Any, units: dict[str, int], **_: Any) -> dict[str, int]:
        seen[-1].units, seen[-1].keys = dict(units), sorted(units)
        if seen[-1].one_draw:  # the counts come with their keys
            seen[-1].rows = [(Fraction(units[key]),) for key in sorted(units)]
            seen[-1].limit = Each(Fraction(1))
        return {key: units[key] for key in sorted(units)}

    def releasing(self: Any, rows: Sequence[Sequence[Fraction]], entropy: Any) -> Any:
        seen[-1].rows = [tuple(row) for row in rows]
        seen[-1].limit = _steps(self.form, 1)
        return released(self, rows, entropy)

    def telling(self: Any, sums: dict[str, Any], entropy: Any) -> Any:
        held = {key: one for key, one in sorted(sums.items()) if one.units}
        seen[-1].units, seen[-1].keys = {key: one.units for key, one in held.items()}, list(held)
        seen[-1].rows = [tuple(self.sharing.numbers(one)) for one in held.values()]
        # A key in which a unit is replaced counts as two of those that change.
        seen[-1].limit = _steps(self.form, 2 if seen[-1].setting.replace else 1)
        return told(self, sums, entropy)

    def vectoring(self: Any, rows: Sequence[Sequence[Fraction]], entropy: Any) -> Any:
        query, setting = seen[-1].query, seen[-1].setting
        seen[-1].rows = [tuple(row) for row in rows]
        square = query.squared_sensitivity(setting)
        seen[-1].limit = Length(square, None if setting.size is not None else setting.rows)
        return vector(self, rows, entropy)

    def adding_up(self: Any, rows: Sequence[Sequence[Fraction]], entropy: Any) -> Any:
        each, counts = seen[-1].setting.rows, [int(row[0]) for row in rows]
        seen[-1].rows, seen[-1].limit = [tuple(row) for row in rows], Each(Fraction(each))
        # The design is for one count that moves by one: so many steps are paid for, of all counts.
        steps = int(seen[-1].epsilon / self.design.document.epsilon)
        block = Block(len(counts), steps // each, Fraction(each))
        vectors.append(Vector(tuple(counts), Shape((block,))))
        return adding(self, rows, entropy)

    def choosing(self: Any, cells: dict[int, int], epsilon: Any, sensitivity: Any, *a: Any) -> Any:
        seen[-1].rows.append(_scores(self, cells))
        seen[-1].limit = Each(sensitivity)
        return choose(self, cells, epsilon, sensitivity, *a)

    with (
        patch.object(_asking.Prepared, "draw", drawing),
        patch.object(SelectionNoise, "release", showing),
        patch.object(PartsRelease, "release_rows", releasing),
        patch.object(KeyedValuesRelease, "release", telling),
        patch.object(VectorRelease, "release_rows", vectoring),
        patch.object(SumsRelease, "release_rows", adding_up),
        _watched_bins(seen, vectors),
        patch.object(Quantile, "choose", choosing),
        patch.object(Draw, "release", drawing_together),
    ):
        yield seen, vectors


@contextmanager
def _watched_bins(seen: list[_Seen], vectors: list[Vector]) -> Iterator[None]:
    """Record counts by bins, of which many quantiles are made."""
    banding, choose_bin = BandsRelease.release_rows, ChoicesRelease.chosen

    def banding_up(self: Any, rows: Sequence[Sequence[int]], entropy: Any) -> Any:
        setting = seen[-1].setting
        seen[-1].rows = [tuple(map(Fraction, row)) for row in rows]
        both = 2 if setting.replace else 1
        seen[-1].limit = Together(Fraction(setting.rows), Fraction(both * setting.rows))
        if seen[-1].units is None:  # (with private keys there are as many groups as keys)
            counts = tuple(count for row in rows for count in row)
            steps = int(seen[-1].epsilon / self.design.document.epsilon)
            block = Block(len(counts), steps // setting.rows, Fraction(setting.rows))
            vectors.append(Vector(counts, Shape((block,))))
        return banding(self, rows, entropy)

    def choosing_bin(self: Any, counts: Sequence[int], level: Fraction, entropy: Any) -> Any:
        scores, below = [], 0
        for count in counts:
            score = (1 - level) * below - level * (sum(counts) - below - count)
            scores.append(score / self.sensitivity(level))
            below += count
        if level == self.target.levels[0]:
            seen[-1].rows.append(())
        seen[-1].rows[-1] += tuple(scores)
        seen[-1].limit = Each(Fraction(1))
        return choose_bin(self, counts, level, entropy)

    with (
        patch.object(BandsRelease, "release_rows", banding_up),
        patch.object(ChoicesRelease, "chosen", choosing_bin),
    ):
        yield


def _steps(form: Any, times: int) -> Steps:
    return Steps(
        tuple(part.name for part in form.every),
        tuple(part.sensitivity for part in form.every),
        tuple(part.measure for part in form.every),
        times * form.steps,
        form.most,
    )


def _scores(query: Quantile, cells: dict[int, int]) -> tuple[Fraction, ...]:
    """The score of every candidate, in rows."""
    q, total, below, found = query.level, sum(cells.values()), 0, []
    for cell in range(query.scale.top + 1):
        here = cells.get(cell, 0)
        above = total - below - here
        score = (q.denominator - q.numerator) * below - q.numerator * above
        found.append(Fraction(score, query.unit))
        below += here
    return tuple(found)


def _release(seen: _Seen) -> Release:
    query = seen.query
    return Release(
        str(query),
        dict(zip(seen.keys, seen.rows, strict=True)),
        seen.limit or Each(Fraction(0)),
        None if query.public_keys is None else len(query.public_keys),
        query.grouped,
        seen.units,
    )


def touched(unit: Any, neighbors: str, keys: int | None) -> int:
    """How many groups one unit can move: said here once more, apart from the library."""
    each = 1
    if isinstance(unit, PrivacyUnit):
        bounds = [bound for bound in (unit.max_groups, keys) if bound is not None]
        each = min(bounds)
    both = 2 * each if neighbors == "replace" else each
    return both if keys is None else min(both, keys)
