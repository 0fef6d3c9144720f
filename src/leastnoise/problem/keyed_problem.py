"""What is asked of a keyed release: a key and the number of units that have it, from one draw.

Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..exact import nearest_float
from ..losses import Loss
from .privacy import Point, Releases
from .problem import StatedProblem


@dataclass(frozen=True)
class FailureCurve:
    """mu-Gaussian privacy, but for a failure of this probability: a trade-off curve."""

    mu: Fraction
    failure: Fraction


@dataclass(frozen=True)
class KeyedReleases(Releases):
    """`count` keys together satisfy the budget, those of the profile, and the curve, if any."""

    profile: tuple[Point, ...] = ()
    curve: FailureCurve | None = None

    @property
    def budgets(self) -> tuple[Point, ...]:
        """All that are satisfied."""
        return (self.epsilon, self.delta), *self.profile


@dataclass(frozen=True)
class KeyedProblem(StatedProblem):
    """The most private keys with their counts, within budgets or below a curve; exact.

    Example:

        >>> from leastnoise import partition_selection
        >>> partition_selection(epsilon=1, delta="0.01").document.problem.loss.name
        'l1'
    """

    epsilon: Fraction
    delta: Fraction
    loss: Loss
    profile: tuple[Point, ...] = ()
    #: The curve in the place of budgets, which then follow from it.
    failure_curve: FailureCurve | None = None
    releases: KeyedReleases | None = None

    #: One unit more or less is one more or less.
    sensitivity: ClassVar[Fraction] = Fraction(1)
    integer: ClassVar[bool] = True

    @property
    def budgets(self) -> tuple[Point, ...]:
        """What a key satisfies, and every competitor with it, where there is no curve."""
        return (self.epsilon, self.delta), *self.profile

    @property
    def competitors(self) -> str:
        """Which mechanisms do not release a key more often: with several keys of a unit, those that
        give each key the same part of the budget.
        """
        if self.releases is None:
            return "no equally private mechanism"
        if self.failure_curve is not None:
            return "no mechanism that satisfies this Gaussian curve with failures for each key"
        if self.profile:
            return "no mechanism that satisfies an equal share of these budgets for each key"
        each = f"({nearest_float(self.epsilon):.4g}, {nearest_float(self.delta):.4g})"
        return f"no mechanism that satisfies {each} for each key"
