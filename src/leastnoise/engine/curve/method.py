"""The methods of curves: nearly Gaussian noise, and programs along lines where the curve binds.

What is yielded has been checked exactly (`../../ask/privacy.proof.md`,
`../lattice/repair.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ask import Question
from ..bounds import Bounds
from ..method import Forecast
from ..search import Search
from .below import BelowCurve


def _run_of(question: Question, search: Search) -> BelowCurve:
    return search.keep(BelowCurve, lambda: BelowCurve(question, search.plan.resolution))


@dataclass(frozen=True)
class NearlyGaussian:
    """Noise whose density is e^(piecewise linear): for squared error next to nothing is better."""

    name: str = "nearly Gaussian noise"
    #: Seconds, typical of benchmarks/ranges.py --curves.
    seconds: float = 0.1

    def serves(self, question: Question) -> bool:
        """Noise below a curve."""
        return question.gdp is not None

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Always: there must be something to return."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """One mechanism."""
        yield None, _run_of(question, search).nearly_gaussian()


@dataclass(frozen=True)
class CurvePrograms:
    """Programs with points of the curve from below, and with chords of it from above."""

    name: str = "program along the curve"
    #: Seconds, typical of benchmarks/ranges.py --curves.
    seconds: float = 1.0

    def serves(self, question: Question) -> bool:
        """Noise below a curve."""
        return question.gdp is not None

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """After what takes no program."""
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Both bounds at each resolution."""
        run = _run_of(question, search)
        for size in search.sizes(run.sizes(search)):
            yield from run.improve(size, search)
