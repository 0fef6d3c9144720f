"""The method of intervals: mixtures of intervals, and the bounds that prices of values prove.

What is yielded has been checked exactly (`mixture.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ask import Question
from ..bounds import Bounds
from ..channel.mesh import reversible
from ..channel.rows import Channel
from ..method import Forecast
from ..search import Search
from .forecast import worth_trying
from .mixture import bounds_of, exact_mixture, meshes, mixture


@dataclass(frozen=True)
class Intervals:
    """Programs with one row for each value, where delta hardly matters."""

    atoms: bool = True  # whether the value itself may be an answer
    name: str = "intervals"
    #: Seconds, typical of the budgets of docs/budgets.md.
    seconds: float = 0.1

    def serves(self, question: Question) -> bool:
        """One budget, and nothing asked of single values."""
        several = question.gdp is not None or question.profile
        limited = question.instance_bound is not None or question.max_error is not None
        return not several and not limited

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Where intervals are short and answers without delta nearly the best."""
        return Forecast(self.seconds, whatever=True) if worth_trying(question) else None

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Answers and bounds in turn, coarse to fine."""
        if search.plan.resolution is not None:
            return
        symmetric = reversible(question)
        atoms = self.atoms and not question.integer and question.delta > 0
        best: tuple[Channel, float] | None = None
        for for_bound, for_answers in meshes(question):
            if for_answers is not None:
                found = mixture(for_answers, symmetric, atoms)
                search.bracket.rounds += 1
                if found is not None and (best is None or found[1] < best[1]):
                    best = found
            if best is None or search.done():
                break
            if for_bound is not None:
                search.bracket.rounds += 1
                for lower in bounds_of(for_bound, symmetric, best[1], search.gap):
                    yield lower, None
                    if search.closes(0.0, best[1]):
                        break
            if search.closes(0.0, best[1]):
                yield None, exact_mixture(best[0])
                best = None if search.done() else best
        if best is not None and search.improves(best[1]):
            yield None, exact_mixture(best[0])
