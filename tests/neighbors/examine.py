"""Ask neighbors the same questions, and keep what is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from leastnoise import LeastnoiseError
from leastnoise.tables.sources import opened as open_source

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
    neighbors: str
    tables: str
    finding: Finding

    def __str__(self) -> str:
        said = f"{self.source}, {self.question}, {self.unit}, {self.neighbors}, {self.tables}"
        return f"{said}: {self.finding}"


def asked(
    opened: AbstractContextManager[Any], questions: Sequence[Any], unit: Any, neighbors: str
) -> list[Outcome]:
    """The outcomes of several questions about one table.

    The first one opens it itself, warnings and all; those after it find it open, if it can be.
    """
    with opened as source, ExitStack() as closing:
        found = [outcome(source, question, unit, neighbors) for question in questions[:1]]
        table = source
        if len(questions) > 2:
            with suppress(LeastnoiseError):
                table = closing.enter_context(open_source(source))
        found += [outcome(table, question, unit, neighbors) for question in questions[1:]]
        return found


class Examiner:
    """Asks neighbors through one source; remembers the outcomes of tables that pairs share."""

    def __init__(self, place: Place, source: str) -> None:
        self.place, self.source = place, source
        self._known: dict[Any, list[Outcome]] = {}

    def outcomes(
        self, table: Table, questions: Sequence[Any], unit: Any, relation: str
    ) -> list[Outcome]:
        """The outcomes of a table, asked once."""
        key = repr(table), repr(questions), repr(unit), relation
        if key not in self._known:
            opened = SOURCES[self.source](self.place, table)
            self._known[key] = asked(opened, questions, unit, relation)
        return self._known[key]

    def examine(self, pair: Pair, questions: Sequence[Any], unit: Any) -> Iterator[Found]:
        """What the pair tells beyond what is charged; nothing where the source cannot hold it."""
        if not (self._holds(pair.one) and self._holds(pair.two)):
            return
        one = self.outcomes(pair.one, questions, unit, pair.relation)
        two = self.outcomes(pair.two, questions, unit, pair.relation)
        for question, mine, other in zip(questions, one, two, strict=True):
            for finding in findings(mine, other, unit, pair.relation):
                yield Found(
                    self.source, text_of(question), str(unit), pair.relation, pair.words, finding
                )

    def _holds(self, table: Table) -> bool:
        kinds = [kind for _, kind in table.columns]
        return all(
            holds(self.source, kind, value)
            for row in table.rows
            for kind, value in zip(kinds, row, strict=True)
        )


def text_of(question: Any) -> str:
    """A question in words, with its arguments."""
    if isinstance(question, list):
        return "ask_all(" + ", ".join(map(text_of, question)) + ")"
    if isinstance(question, partial):
        arguments = [
            *map(repr, question.args),
            *(f"{k}={v!r}" for k, v in question.keywords.items()),
        ]
        return f"{question.func.__name__}({', '.join(arguments)})"
    more = [
        f"{name}={value!r}"
        for name, value in vars(question).items()
        if name in ("low", "high", "bins", "keys", "nulls") and value not in (None, ())
    ]
    return " ".join([str(question), *more])
