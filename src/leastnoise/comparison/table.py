"""A comparison: a design among its baselines, a row for each, the best first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..designs.design import Design
from ..errors import ArgumentError
from ..facts import Fact, in_title
from ..formatting import UNPROVEN, excess_words, number, outwards

#: What a baseline is not there for: its name, and why.
Refused = list[tuple[str, str]]


@dataclass(frozen=True)
class ComparisonRow:
    """One mechanism of a comparison.

    loss: its expected loss; for our designs a certified upper bound on it. excess: (loss - lower) /
    lower for the certified lower bound: at least what the optimum would save. facts: what else
    is known of it; `row["error_95"]` is the value of one.

    Example:

        >>> row = compare(epsilon=1, delta=0, sensitivity=1, integer=True).rows[0]
        >>> row.label, round(row.loss, 4), row["error_95"]
        ('this design', 0.8509, 3.0)
    """

    name: str
    label: str
    loss: float
    facts: tuple[Fact, ...] = ()
    note: str = ""
    excess: float = math.inf
    mechanism: Any = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> Any:
        return next(fact.value for fact in self.facts if fact.name == name)

    @property
    def cells(self) -> tuple[str, ...]:
        """Its texts for a table, without the note."""
        shown = (fact.text for fact in self.facts)
        return self.label, number(self.loss), excess_words(self.excess), *shown

    def to_json(self) -> dict[str, Any]:
        """Plain values; infinities become None, which JSON can say."""
        known = {fact.name: fact.value for fact in self.facts}
        figures = {"name": self.name, "label": self.label, "loss": self.loss, "excess": self.excess}
        return {
            name: _plain(value) for name, value in (figures | known | {"note": self.note}).items()
        }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Comparison:
    """Mechanisms of the same budget, the least expected loss first (private keys: those that
    release a key of fewest units).

    `lower` is proven: no noise of the kind that was asked for, with this budget, has a smaller
    expected loss. `refused` names the mechanisms that the budget is outside the regime of, with the
    reason.

    Example:

        >>> table = compare(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> len(table), table.best_baseline.name, round(table["uniform"].excess, 2)
        (4, 'discrete-laplace', 1.35)
    """

    design: Design[Any]
    rows: tuple[ComparisonRow, ...]
    refused: tuple[tuple[str, str], ...]

    @property
    def lower(self) -> float:
        """At most the expected loss of anything of the same budget that was asked for."""
        return self.design.lower

    @property
    def best_baseline(self) -> ComparisonRow | None:
        """The first baseline."""
        return next((row for row in self.rows if row.name != "design"), None)

    def __getitem__(self, name: str) -> ComparisonRow:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def __iter__(self) -> Iterator[ComparisonRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, units: Iterable[int]) -> dict[str, tuple[float, float]]:
        """{name: (how many of these keys are released, the mean expected loss of those)}.

        For private keys. units: how many units each key has; made up, or public: this is not
        private.
        """
        if self.design.kind != "keyed":
            raise ArgumentError("of", self.design.kind, "called for private keys alone")
        sizes = list(units)
        released = {}
        for row in self.rows:
            chances = [row.mechanism.release_probability(n) for n in sizes]
            total = sum(chances)
            cost = sum(
                p * row.mechanism.expected_error(n, self.design.loss)
                for p, n in zip(chances, sizes, strict=True)
                if p
            )
            released[row.name] = total, cost / total if total else 0.0
        return released

    @property
    def head(self) -> tuple[str, ...]:
        """Headings of the cells of a row."""
        loss = self.design.noise.loss_words.partition(" of ")[0]
        return "mechanism", loss, "excess", *(fact.label for fact in self.rows[0].facts)

    @property
    def bound_words(self) -> str:
        """What the lower bound says."""
        word = "proven" if self.design.certified else UNPROVEN
        fact = next(fact for fact in self.design.bracket_facts if fact.name == "lower")
        return f"{fact.label} {outwards(self.lower, 7, False)} ({word})"

    def to_json(self) -> dict[str, Any]:
        """What `leastnoise compare --json` prints: all facts of the design, and all rows."""
        return self.design.plain() | {
            "rows": [row.to_json() for row in self.rows],
            "refused": [{"name": name, "reason": reason} for name, reason in self.refused],
        }

    def plot(self, path: str | Path | None = None, *, width: float | None = None) -> Any:
        """Losses, densities and privacy profiles (extra `plot`); of others the design's picture.

        width: of the picture, in inches.
        """
        from ..show.designs import plot_of_comparison

        return plot_of_comparison(self, path, width)

    def _repr_html_(self) -> str:
        from ..show.html import html_comparison

        return html_comparison(self)

    def __repr__(self) -> str:
        asked = ", ".join(fact.argument for fact in in_title(self.design.problem_facts))
        table = [self.head, *(row.cells for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [f"Comparison({asked}): {self.bound_words}"]
        for cells, note in zip(table, ["", *(row.note for row in self.rows)], strict=True):
            label, *others = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
            lines.append("  ".join([f"  {label.strip():<{widths[0]}}", *others]))
            lines[-1] += f"  ({note})" if note else ""
        return "\n".join(line.rstrip() for line in lines)
