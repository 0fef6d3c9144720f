"""The methods of lattices: closed forms seen through cells, and programs over cells of one width.

What is yielded has been checked exactly (`closed_forms.proof.md`, `relaxed.proof.md`,
`repair.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ask import Question
from ..bounds import Bounds
from ..method import Forecast
from ..search import Search
from .constrained import Constrained
from .one_budget import run_of


@dataclass(frozen=True)
class ClosedForms:
    """Noise of the literature, and multipliers at one point a sensitivity by a recursion."""

    name: str = "closed forms"
    #: Seconds: a tenth of them is typical, after a staircase of which there is nothing to gain.
    seconds: float = 0.2

    def serves(self, question: Question) -> bool:
        """Noise for one budget."""
        return question.plain

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Always: there must be something to return."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """The best two, and the multipliers."""
        yield from run_of(question, search).in_closed_form(search)


@dataclass(frozen=True)
class Lattice:
    """Programs over cells of one width, finer and finer: by simplex or interior point method."""

    name: str = "lattice program"
    #: Seconds: the median of the rows of docs/reproduction/budgets.csv that need a program.
    seconds: float = 1.0

    def serves(self, question: Question) -> bool:
        """Noise for one budget."""
        return question.plain

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """After what takes no program."""
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Both bounds at each resolution."""
        run = run_of(question, search)
        for size in search.sizes(run.sizes(search)):
            yield from run.improve(size, search)


@dataclass(frozen=True)
class FinerLattice(Lattice):
    """One small program more than the gap demands: nothing published should be better."""

    name: str = "finer lattice program"

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Noise of a program that is finer than the one before."""
        yield from run_of(question, search).finer(search)


@dataclass(frozen=True)
class ConstrainedLattice:
    """Programs over cells of one width with rows for constraints and for several budgets."""

    name: str = "lattice program"
    #: Seconds: typical of the constrained questions of benchmarks/frozen.py.
    seconds: float = 0.1

    def serves(self, question: Question) -> bool:
        """Noise for finitely many budgets."""
        return question.gdp is None

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Whatever the question."""
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Noise, and a bound, at each resolution."""
        run = Constrained(question, search.plan.resolution)
        for size in search.sizes(run.sizes(search)):
            yield from run.improve(size, search)
