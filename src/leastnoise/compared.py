"""What every comparison is: a design among its baselines, the least expected loss first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from .designs.base import BaseDesign


@dataclass(frozen=True)
class ComparedRow:
    """One noise of a comparison; each kind of comparison says more about it."""

    name: str
    label: str
    #: Expected loss; for our designs a certified upper bound on it.
    loss: float
    #: (loss - lower) / lower for the certified lower bound: at least what the optimum would save.
    excess: float

    def to_json(self) -> dict[str, Any]:
        """Plain values that are shown; infinities become None, which JSON can say."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self) if one.repr}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


R = TypeVar("R", bound=ComparedRow)


@dataclass(frozen=True)
class Compared(Generic[R]):
    """Rows in the order of their expected loss, found by name; what was refused, and why."""

    design: BaseDesign
    rows: tuple[R, ...]
    refused: tuple[tuple[str, str], ...]

    @property
    def lower(self) -> float:
        """At most the expected loss of anything as private that was asked for."""
        return self.design.lower

    @property
    def best_baseline(self) -> R | None:
        """The baseline with the least expected loss."""
        return next((row for row in self.rows if row.name != "design"), None)

    def __getitem__(self, name: str) -> R:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def __iter__(self) -> Iterator[R]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_json(self) -> dict[str, Any]:
        """What `leastnoise compare --json` prints: what was asked, the bracket, and all rows."""
        return self.design.plain() | {
            "rows": [row.to_json() for row in self.rows],
            "refused": [{"name": name, "reason": reason} for name, reason in self.refused],
        }


def excess_of(loss: float, lower: float) -> float:
    """(loss - lower) / lower: at least what the optimum would save."""
    return (loss - lower) / lower if lower > 0 else math.inf
