"""What every search shares: the best proven bounds so far, the clock, and word of its progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, Protocol, TypeVar


class Bound(Protocol):
    """Anything with an exact value."""

    @property
    def value(self) -> Fraction:
        """The bound."""


L = TypeVar("L", bound=Bound)
U = TypeVar("U", bound=Bound)


@dataclass(frozen=True)
class Progress:
    """Where the search stands; `lower` and `upper` are floats to look at, not yet bounds."""

    lower: float
    upper: float
    seconds: float
    resolution: int
    rounds: int


@dataclass
class BracketOf(Generic[L, U]):
    """The best exactly checked bounds so far, and how they were found."""

    lower: L | None = None
    upper: U | None = None
    rounds: int = 0
    resolutions: list[int] = field(default_factory=list)
    rows: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """(upper - lower) / lower; 0 for bounds that exclude each other, which end the search."""
        if self.lower is None or self.upper is None or self.lower.value <= 0:
            return math.inf
        return max(0.0, float((self.upper.value - self.lower.value) / self.lower.value))

    def offer_lower(self, lower: L | None) -> None:
        """Keep the larger lower bound."""
        if lower is not None and (self.lower is None or lower.value > self.lower.value):
            self.lower = lower

    def offer_upper(self, upper: U | None) -> None:
        """Keep the smaller upper bound."""
        if upper is not None and (self.upper is None or upper.value < self.upper.value):
            self.upper = upper


B = TypeVar("B", bound=BracketOf)  # type: ignore[type-arg]


class Steered(Generic[B]):
    """A search that stops at its gap or its deadline, and reports on the way."""

    #: The share of the gap at which floats are taken to meet it.
    closeness = 0.97

    def __init__(
        self,
        bracket: B,
        gap: float,
        time_limit: float | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.bracket = bracket
        self.gap = gap
        self.clock = time.monotonic
        self.start = self.clock()
        self.deadline = None if time_limit is None else self.start + time_limit
        self.progress = progress
        self.reason = ""

    def _late(self) -> bool:
        """Whether the deadline, if there is one, has passed."""
        return self.deadline is not None and self.clock() >= self.deadline

    def _done(self) -> bool:
        if self.bracket.gap <= self.gap:
            return True
        if self._late():
            self.reason = "stopped at the time limit"
            return True
        return False

    def _best(self, lower: float, upper: float) -> tuple[float, float]:
        """These floats, or what is already proven where that is better."""
        if self.bracket.lower is not None:
            lower = max(lower, float(self.bracket.lower.value))
        if self.bracket.upper is not None:
            upper = min(upper, float(self.bracket.upper.value))
        return lower, upper

    def _closes(self, lower: float, upper: float) -> bool:
        """Whether these floats, with what is already proven, would meet the gap."""
        lower, upper = self._best(lower, upper)
        return lower > 0 and upper - lower <= self.closeness * self.gap * lower

    def _improves(self, upper: float) -> bool:
        return self.bracket.upper is None or upper < float(self.bracket.upper.value)

    def _report(self, lower: float, upper: float, resolution: int) -> None:
        if self.progress is not None:
            seconds = self.clock() - self.start
            self.progress(Progress(
                *self._best(lower, upper), seconds, resolution, self.bracket.rounds))
