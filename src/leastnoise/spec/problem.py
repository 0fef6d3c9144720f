"""The question a design answers, exactly as asked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .._validate import check_delta, check_epsilon, check_sensitivity
from ..exact import Number
from ..losses import Loss, as_loss


@dataclass(frozen=True)
class Problem:
    """Minimise the expected loss of additive noise that is (epsilon, delta)-private.

    All quantities are exact rationals; a float means its shortest decimal.
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss
    integer: bool = False

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number = 1,
        loss: str | Loss = "l1",
        integer: bool = False,
    ) -> Problem:
        """The problem a user means; refuses what makes no sense, naming the argument."""
        return cls(
            check_epsilon(epsilon),
            check_delta(delta, epsilon),
            check_sensitivity(sensitivity, integer),
            as_loss(loss),
            bool(integer),
        )

    def step(self, n: int) -> Fraction:
        """The width of a cell at resolution n."""
        return self.sensitivity / n
