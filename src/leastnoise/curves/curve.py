"""What both curves share: designs at demands that loosen, and brackets in between."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..design import Design
from ..formatting import write_whole
from ..noise import AdditiveNoise

#: Seconds for each point of a curve, unless told otherwise: a curve has several.
POINT_LIMIT = 20.0


class Curve(ABC):
    """Certified brackets at demands that loosen from each design to the next.

    Guarantee: noise that meets a tighter demand meets a looser one, so a lower bound holds at every
    tighter demand and an upper one at every looser demand.
    """

    designs: tuple[Design[AdditiveNoise], ...]

    @property
    @abstractmethod
    def column(self) -> tuple[str, tuple[float, ...]]:
        """What the curve runs along: a name, and a value for each design."""

    @abstractmethod
    def plot(self, path: str | Path | None = None, *, width: float | None = None) -> Any:
        """A picture of the curve (extra `plot`), `width` inches wide; saved if `path` is given."""

    def to_csv(self, path: str | Path) -> Path:
        """Write the points as a CSV file: the place along the curve, `lower` and `upper`."""
        name, places = self.column
        buffer = io.StringIO()
        rows = csv.writer(buffer, lineterminator="\n")
        rows.writerow([name, "lower", "upper"])
        rows.writerows(zip(places, self.lower, self.upper, strict=True))
        return write_whole(Path(path), buffer.getvalue())

    @property
    def lower(self) -> tuple[float, ...]:
        """Certified lower bounds: at each place the largest from there on."""
        return tuple(accumulate((design.lower for design in reversed(self.designs)), max))[::-1]

    @property
    def upper(self) -> tuple[float, ...]:
        """What is achieved: at each place the least up to there."""
        return tuple(accumulate((design.upper for design in self.designs), min))

    def _between(self, places: Sequence[float], value: float) -> tuple[float, float]:
        """The bracket at a value from `places[0]` on: next lower, last upper."""
        after = min(bisect_left(places, value), len(places) - 1)
        return self.lower[after], self.upper[bisect_right(places, value) - 1]
