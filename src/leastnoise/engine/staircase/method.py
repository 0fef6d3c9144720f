"""The method of staircases: noise from above, multipliers down its stairs from below.

What is yielded has been checked exactly (`noise.proof.md`, `multipliers.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ask import Question
from ..bounds import Bounds
from ..lattice.one_budget import run_of
from ..method import Forecast
from ..search import Search
from .forecast import near_a_staircase


@dataclass(frozen=True)
class Staircase:
    """Stairs one sensitivity wide, each e^-epsilon lower than the one before.

    At large epsilon or small delta nothing is much better, and both bounds take a moment.
    """

    name: str = "staircase"
    #: Seconds: the median of 327 rows of docs/reproduction/budgets.csv is 0.1.
    seconds: float = 0.1

    def serves(self, question: Question) -> bool:
        """Noise anywhere on the line, or on the whole numbers, for one budget with a ratio."""
        return question.plain and question.epsilon > 0 and question.output_step is None

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Closed forms do not lean: for losses that do, a staircase that does is worth it."""
        worth = near_a_staircase(question) or not question.loss.symmetric
        return Forecast(self.seconds, whatever=True) if worth else None

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """A staircase, multipliers; and noise of a small program between them if delta is large."""
        yield from run_of(question, search).down_the_stairs(search)
