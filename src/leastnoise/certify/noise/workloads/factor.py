"""One factor of a workload: what its strategy and the proof of its bound must do.

Statements and proofs: `measurements.proof.md`. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from ....problem.workload_parts import WorkloadPart
from ...base import AnyFile
from ...fields import demand
from ...matrices import Whole
from .frame import ALL_CELLS, Coordinates, Frame


@dataclass(frozen=True)
class FactorProblem:
    """The queries of a factor, and what is asked of noise for them.

    Frames are worked out once: there is one with coordinates and one without, and each of these
    with weights of the queries and without. So is what strategies keep.
    """

    part: WorkloadPart
    replaced: bool  # whether neighbors replace a unit by another
    largest: bool  # whether the largest variance counts, and not the total
    law: AnyFile | None = None  # of one measurement, where it has a file of its own
    _frames: dict[tuple[bool, bool], Frame] = field(default_factory=dict, compare=False, repr=False)
    _kept: dict[int, Whole] = field(default_factory=dict, compare=False, repr=False)

    def frame(self, where: Coordinates, counts: Sequence[int] | None = None) -> Frame:
        """The queries in coordinates."""
        key = where == ALL_CELLS, counts is None
        if key not in self._frames:
            self._frames[key] = where.frame(self.part, self.replaced, counts)
        return self._frames[key]

    def keep(self, strategy: FactorStrategy, made: Callable[[], Whole]) -> Whole:
        """A matrix that a strategy needs more than once, made once."""
        if id(strategy) not in self._kept:
            self._kept[id(strategy)] = made()
        return self._kept[id(strategy)]


class FactorStrategy(ABC):
    """What is measured of a factor, to answer its queries from.

    Guarantee: `upper` and `lower` are for measurements of variance 1.
    """

    #: What may prove a bound from below.
    proofs: ClassVar[tuple[type[FactorProof], ...]]
    #: Whether measurements are for Laplace noise, or for others of (epsilon, delta)-DP.
    pure: ClassVar[bool] = False
    #: Whether it serves a workload of one factor only.
    alone: ClassVar[bool] = False
    #: Where noise is added, for a report.
    where: ClassVar[str] = ""
    #: Whether multipliers need the inverse of what is measured.
    needs_inverse: ClassVar[bool] = False

    @abstractmethod
    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` unless this is a strategy for the factor."""

    def check_proof(self, proof: FactorProof, factor: FactorProblem) -> None:
        """`FormatError` unless this proves a bound for such a strategy."""
        demand(isinstance(proof, self.proofs), '"certificate" does not go with "noise"')
        proof.check_factor(factor, self)

    @abstractmethod
    def length(self, factor: FactorProblem) -> Fraction:
        """At least the length of what a unit changes: squared, or for Laplace noise a sum."""

    @abstractmethod
    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """At least the total, or the largest, variance of the answers."""

    @abstractmethod
    def closed_form(self, factor: FactorProblem) -> Fraction:
        """At most what every covariance costs that covers all shifts; 0 where nothing is known."""

    @abstractmethod
    def grid(self, part: WorkloadPart) -> Fraction:
        """The step of what is measured."""

    def coordinates_for(self, stated: Coordinates) -> Coordinates:
        """What multipliers are about that state coordinates."""
        return stated


class FactorProof(ABC):
    """What proves a bound on the cost of all noise for a factor."""

    @abstractmethod
    def check_factor(self, factor: FactorProblem, strategy: FactorStrategy) -> None:
        """`FormatError` unless it is about the factor."""

    @abstractmethod
    def bound(self, factor: FactorProblem, strategy: FactorStrategy) -> Fraction:
        """At most what every covariance costs that covers all shifts."""


@dataclass(frozen=True)
class ClosedForm(FactorProof):
    """Nothing: what is known without multipliers."""

    def check_factor(self, factor: FactorProblem, strategy: FactorStrategy) -> None:
        """(It is about every factor.)"""

    def bound(self, factor: FactorProblem, strategy: FactorStrategy) -> Fraction:
        """That of the strategy's queries."""
        return strategy.closed_form(factor)


CLOSED_FORM = ClosedForm()


def check_positives(numbers: tuple[int, ...], name: str, count: int) -> None:
    """`FormatError` unless these are so many small positive integers."""
    demand(len(numbers) == count, f'"{name}" must be a list of {count} entries')
    small = all(1 <= number < 1 << 60 for number in numbers)
    demand(small, f'"{name}" must be positive, below 2^60')


def check_weights(weights: tuple[int, ...], count: int) -> None:
    """`FormatError` unless these are weights of queries."""
    demand(len(weights) == count, f'"questions" must be a list of {count} entries')
    some = min(weights) >= 0 and sum(weights) > 0
    demand(some, '"questions" must be weights, not all 0')
