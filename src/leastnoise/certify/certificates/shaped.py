"""What proves a lower bound for several numbers at once. Standard library only."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...problem.shape_problem import ShapeProblem
from ..base import MechanismFile
from ..fields import demand
from ..report import Claim, lower_claim
from .base import Certificate


class ShapeProof(Certificate[ShapeProblem]):
    """A bound on the loss of all private noise of a shape, however it is proven."""

    @abstractmethod
    def bound(self, problem: ShapeProblem) -> Fraction:
        """What is proven about all private noise; 0 where that is nothing."""

    def claim(self, file: MechanismFile[ShapeProblem, Any, Any]) -> Claim:
        """What becomes of `lower`."""
        problem = file.problem
        who = f"(epsilon, delta)-DP additive {'integer ' * problem.integer}noise"
        return lower_claim(file.lower, self.bound(problem), who, "no expected loss is negative")


@dataclass(frozen=True)
class NoProof(ShapeProof):
    """No loss is negative, and nothing else is known."""

    def bound(self, problem: ShapeProblem) -> Fraction:
        """0."""
        return Fraction(0)


def check_numbers(numbers: int, most: int) -> None:
    """`FormatError` if a certificate is about more numbers than this."""
    demand(numbers <= most, f'"numbers" must be an integer of at most {most}')
