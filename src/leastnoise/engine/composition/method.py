"""The methods of composition: noise for several releases that together keep a total budget.

What is yielded has been checked exactly (`../../certify/composed.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ...ask import Question
from ...ask.budgets import mu_for
from ...ask.privacy import Releases
from ..bounds import Bounds
from ..method import Forecast, Plan
from ..search import Search
from .repeated import LONGEST, Repeated


@dataclass(frozen=True)
class Profiles:
    """Programs along the slope of the total in the privacy profile of one release."""

    total: Releases
    name: str = "search over privacy profiles"
    #: Seconds, typical of benchmarks/releases.py.
    seconds: float = 2.0

    def serves(self, question: Question) -> bool:
        """Additive noise."""
        return question.range is None

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Whatever the clock says: nothing else is there."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """The best that was found, a bound over all noise, and simple ways where they may win."""
        yield from Repeated(question, self.total, search.gap, search.plan.resolution).bounds(search)


@dataclass(frozen=True)
class SharesOfRange:
    """Answers on a range with an equal share of the total each, or below a Gaussian curve.

    The better of the two, with its own lower bound: over answers with the same share or curve.
    (That so many releases keep the total is about any mechanisms: `../../ask/privacy.proof.md`.)
    """

    total: Releases
    made: Callable[[Question], Plan]  # for one release
    curve: bool  # whether one may be below a curve
    name: str = "equal shares"
    #: Seconds: two questions about a range.
    seconds: float = 2.0

    def serves(self, question: Question) -> bool:
        """Answers on a range."""
        return question.range is not None

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Whatever the clock says: nothing else is there."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Both ways, half of the time each."""
        count = self.total.count
        share = replace(
            question, epsilon=self.total.epsilon / count, delta=self.total.delta / count
        )
        mu = mu_for(self.total) if self.curve else None
        ways = [share] if mu is None else [share, replace(question, gdp=mu)]
        found = [
            search.inner(self.made(one), search.gap, search.left(LONGEST) / (len(ways) - done))
            for done, one in enumerate(ways)
        ]
        best = min(found, key=lambda one: one.upper.value if one.upper else math.inf)
        assert best.upper is not None
        document = best.upper.document
        asked = replace(document.question, releases=self.total)
        yield best.lower, replace(best.upper, document=replace(document, question=asked))


def remarks(question: Question, search: Search) -> str:
    """What the gap is between, in words for the status."""
    count = next(one.total.count for one in search.plan.methods if isinstance(one, Profiles))
    words = f"over all noise of which {count} releases keep the total"
    late = "; stopped at the time limit" if search.late() else ""
    return f"; the lower bound is {words}, and not close for many releases{late}"
