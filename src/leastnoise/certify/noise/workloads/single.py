"""The noise of one measurement: Gaussian or Laplace noise on a grid, or noise of a file of its own.

Statements and proofs: `measurements.proof.md`, point 2 and 3. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from ....exact import exp_upper
from ....work import arithmetic, bits, charge
from ...base import AnyFile
from ...kinds.joint import is_joint
from ...kinds.vector import is_vector
from .plain_strategies import law_variance


class SingleNoise(ABC):
    """The noise of one measurement, for shifts of length 1."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Which noise it is."""

    @property
    def squared(self) -> bool:
        """Whether lengths of shifts are Euclidean, and squared."""
        return True

    @abstractmethod
    def variance(self, grid: Fraction) -> Fraction:
        """At least its variance, on a grid of this step."""


@dataclass(frozen=True)
class RoundedGaussian(SingleNoise):
    """The multiple of the grid that is nearest to a normal number: mu-GDP."""

    mu: Fraction
    words = "rounded Gaussian noise"

    def variance(self, grid: Fraction) -> Fraction:
        """That of the normal number, and of its rounding."""
        charge(20 * arithmetic(2 * bits(grid)))
        return (1 / self.mu + grid / 2) ** 2


@dataclass(frozen=True)
class GaussianOnGrid(SingleNoise):
    """Multiples of the grid: rho-zCDP."""

    rho: Fraction
    words = "discrete Gaussian noise"

    def variance(self, grid: Fraction) -> Fraction:
        """At most the parameter."""
        return 1 / (2 * self.rho)


@dataclass(frozen=True)
class LaplaceOnGrid(SingleNoise):
    """Multiples of the grid, each less likely by e^(-rate * grid) than the one before."""

    rate: Fraction
    words = "discrete Laplace noise"
    squared = False

    def variance(self, grid: Fraction) -> Fraction:
        """That of the geometric distribution, or on a fine grid of Laplace noise."""
        charge(20 * arithmetic(2 * bits(grid)))
        q = exp_upper(-self.rate * grid)
        # (On a very fine grid q is rounded up to 1.)
        fine = 2 / self.rate**2
        return fine if q == 1 else min(fine, grid**2 * 2 * q / (1 - q) ** 2)


@dataclass(frozen=True)
class OwnNoise(SingleNoise):
    """The noise of a file of kind "integer", "joint" or "vector"."""

    law: AnyFile

    @property
    def words(self) -> str:
        """Which noise it is, and on what."""
        if is_joint(self.law):
            return "joint noise on the answers"
        if is_vector(self.law):
            return "vector noise in the strategy"
        return "the best integer noise on each count"

    @property
    def squared(self) -> bool:
        """Of vectors."""
        return is_vector(self.law)

    def variance(self, grid: Fraction) -> Fraction:
        """As its file says."""
        return law_variance(self.law)
