"""What is asked of noise for many linear questions. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ..losses import L2, Loss
from .privacy import Point, curve_above
from .problem import StatedProblem
from .workload import Workload
from .workload_parts import WorkloadPart

#: Who neighbors are: one unit more or less, or one unit of another kind.
ADD_REMOVE, REPLACE = "add-remove", "replace"


@dataclass(frozen=True)
class WorkloadBudget:
    """(epsilon, delta), mu or rho; mu beside (epsilon, delta) is what Gaussian noise keeps."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    gdp: Fraction | None = None
    zcdp: Fraction | None = None

    @property
    def asked(self) -> Point | None:
        """(epsilon, delta), if that is what was asked for."""
        if self.epsilon is None or self.delta is None:
            return None
        return self.epsilon, self.delta


@dataclass(frozen=True)
class WorkloadProblem(StatedProblem):
    """Many linear questions and what privacy they must keep; exact.

    Example:

        >>> from leastnoise import Workload, design
        >>> problem = design(workload=Workload.prefix(3), gdp=1).document.problem
        >>> problem.workload.cells, problem.neighbors
        (3, 'add-remove')
    """

    workload: Workload
    neighbors: str
    budget: WorkloadBudget
    largest: bool  # whether the loss is the largest variance, and not the total squared error

    # The same for all workloads.
    loss: ClassVar[Loss] = L2()
    sensitivity: ClassVar[Fraction] = Fraction(1)

    @property
    def asked(self) -> Point | None:
        """(epsilon, delta), if that is what was asked for."""
        return self.budget.asked

    @property
    def replaced(self) -> bool:
        """Whether neighbors replace a unit by another."""
        return self.neighbors == REPLACE

    @cached_property
    def factors(self) -> tuple[WorkloadPart, ...]:
        """The parts that have a strategy each: those of a product, unless units are replaced."""
        part = self.workload.part
        return (part,) if self.replaced else part.split()

    @property
    def epsilon(self) -> Fraction:
        """With `delta`, what is kept when one count changes by one: as asked for, or 0."""
        return Fraction(0) if self.asked is None or self.replaced else self.asked[0]

    @property
    def delta(self) -> Fraction:
        """What belongs to `epsilon`; 1, which says nothing, where that is all that is known."""
        if self.replaced:
            return Fraction(1)
        if self.asked is not None:
            return self.asked[1]
        mu = self.budget.gdp
        return Fraction(1) if mu is None else min(Fraction(1), curve_above(mu, Fraction(0)))
