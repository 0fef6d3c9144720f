"""What every comparison is: a design among its rivals, the least expected loss first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from .designs.base import BaseDesign


class _Row(Protocol):
    @property
    def name(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=_Row)


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
    def best_rival(self) -> R | None:
        """The rival with the least expected loss."""
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
