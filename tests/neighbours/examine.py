"""Ask neighbours the same questions, and keep what is found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from .adapter import Outcome, outcome
from .compare import Finding, findings
from .servers import Place
from .sources import SOURCES, holds
from .tables import Pair, Table


@dataclass(frozen=True)
class Found:
    """A finding, and what it takes to see it again."""

    source: str
    question: str
    unit: str
    neighbours: str
    tables: str
    finding: Finding

    def __str__(self) -> str:
        said = f"{self.source}, {self.question}, {self.unit}, {self.neighbours}, {self.tables}"
        return f"{said}: {self.finding}"


def asked(
    opened: AbstractContextManager[Any], questions: list[Any], unit: Any, neighbours: str
) -> list[Outcome]:
    """The outcomes of several questions about one table."""
    with opened as table:
        return [outcome(table, question, unit, neighbours) for question in questions]


class Tester:
    """Remembers the outcomes of a table, for the pairs that share it."""

    def __init__(self, place: Place, source: str) -> None:
        self.place, self.source = place, source
        self._known: dict[Any, list[Outcome]] = {}

    def outcomes(self, table: Table, questions: list[Any], unit: Any, relation: str) -> Any:
        """The outcomes of a table, asked once."""
        key = (id(table), table.columns, len(table.rows), str(questions), str(unit), relation)
        if key not in self._known:
            made = SOURCES[self.source](self.place, table)
            self._known[key] = asked(made, questions, unit, relation)
            self._kept = [*getattr(self, "_kept", []), table]  # an id is of a living object
        return self._known[key]

    def examine(self, pair: Pair, questions: list[Any], unit: Any) -> Iterator[Found]:
        """What the pair tells beyond what is charged."""
        kind = pair.one.columns[2][1]
        if not all(holds(self.source, kind, row[2]) for row in (*pair.one.rows, *pair.two.rows)):
            return
        one = self.outcomes(pair.one, questions, unit, pair.relation)
        two = self.outcomes(pair.two, questions, unit, pair.relation)
        for question, mine, other in zip(questions, one, two, strict=True):
            for finding in findings(mine, other, unit, pair.relation):
                yield Found(
                    self.source, _text(question), str(unit), pair.relation, pair.words, finding
                )


def _text(question: Any) -> str:
    if isinstance(question, list):
        return "ask_all(" + ", ".join(map(_text, question)) + ")"
    more = [
        f"{name}={value!r}"
        for name, value in vars(question).items()
        if name in ("low", "high", "bins", "keys", "nulls") and value not in (None, ())
    ]
    return " ".join([str(question), *more])
