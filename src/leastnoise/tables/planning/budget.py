"""What a question may cost, and which parts of it are spent on finding keys."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..queries.base import PRIVATE, Query


@dataclass(frozen=True)
class Way:
    """How keys are found: parts of epsilon and delta that are spent on them apart, and why.

    No part at all: keys are public, or come with their values.
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    why: str = ""

    @property
    def apart(self) -> bool:
        """Whether keys are found before their values."""
        return self.epsilon > 0


@dataclass(frozen=True)
class QueryBudget:
    """What a query may cost."""

    epsilon: Fraction
    delta: Fraction

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """(epsilon, delta)."""
        return self.epsilon, self.delta

    def used_by(self, query: Query) -> QueryBudget:
        """The budget without a delta that the query has no use for."""
        idle = query.mechanism == "choice" and query.keys != PRIVATE
        return QueryBudget(self.epsilon, Fraction(0)) if idle else self

    def split(self, way: Way) -> tuple[QueryBudget, QueryBudget]:
        """(for the keys, for the values); nothing for keys that come with their values."""
        keys = QueryBudget(self.epsilon * way.epsilon, self.delta * way.delta)
        return keys, QueryBudget(self.epsilon - keys.epsilon, self.delta - keys.delta)
