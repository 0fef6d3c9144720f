"""The methods of the radius: staircases for vectors, and flows of curves on nets below them.

What is yielded has been checked exactly (`../../certify/vector.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from ...ask import Question
from ...certify.vector_document import VectorCertificate
from ...errors import RegimeError
from ..bounds import Bounds, Lower
from ..method import Forecast
from ..search import Search
from .vector import Vector


def _run_of(question: Question, search: Search) -> Vector:
    return search.keep(Vector, lambda: Vector(question))


@dataclass(frozen=True)
class FirstShells:
    """Staircases of the radius after exponential and Gaussian noise, as they stand."""

    name: str = "closed forms"
    #: Seconds, typical of benchmarks/vectors.py.
    seconds: float = 0.1

    def serves(self, question: Question) -> bool:
        """Vectors."""
        return question.dimension >= 1

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Always: there must be something to return."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """One mechanism."""
        yield from _run_of(question, search).first(search)


@dataclass(frozen=True)
class RadialStaircases:
    """Edges of the stairs moved to where they cost least."""

    name: str = "radial staircase"
    #: Seconds, typical of benchmarks/vectors.py.
    seconds: float = 2.0

    def serves(self, question: Question) -> bool:
        """Vectors."""
        return question.dimension >= 1

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Curves need the stairs that they run below."""
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """One mechanism."""
        for _ in search.sizes([1]):
            yield from _run_of(question, search).polished(search)


@dataclass(frozen=True)
class CurvesOnNets:
    """Flows of curves through the corners of the stairs, on nets, coarse to fine."""

    name: str = "curves on a net"
    #: Seconds, typical of benchmarks/vectors.py.
    seconds: float = 10.0

    def serves(self, question: Question) -> bool:
        """Vectors; one number is the scalar question."""
        return question.dimension > 1

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """After the stairs."""
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """What the curves prove, net after net."""
        run = _run_of(question, search)
        for size in search.sizes(run.sizes(search)):
            yield from run.improve(size, search)


@dataclass(frozen=True)
class BestCurves:
    """What the best curves prove, as closely as they can be proven; or else coarser ones."""

    name: str = "curves on a net"
    #: Seconds: after everything else.
    seconds: float = 1000.0

    def serves(self, question: Question) -> bool:
        """Vectors; one number is the scalar question."""
        return question.dimension > 1

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Whatever the clock says."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Better and better bounds."""
        yield from _run_of(question, search).closely(search)


def trivial(question: Question) -> Lower:
    """No loss is negative."""
    return Lower(Fraction(0), VectorCertificate.nothing(question.sensitivity), 1)


def refuse(question: Question) -> NoReturn:
    """No start could be made private."""
    raise RegimeError("no private staircase was found at this budget")
