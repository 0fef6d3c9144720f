"""Tulap noise: the canonical noise of (epsilon, delta)-privacy (Awan, Slavkovic; Awan, Vadhan)."""

from __future__ import annotations

import math
from typing import ClassVar

from ..exact import Number
from .steps import StepNoise


class Tulap(StepNoise):
    """Uniform on one sensitivity plus truncated discrete Laplace steps; not both budgets 0.

    Its distribution function satisfies F(x - D) = max(0, e^-epsilon (F(x) - delta)) left of
    D/2, so that every one-sided test at shift D has exactly the power that the budget allows.
    """

    name: ClassVar[str] = "tulap"
    label: ClassVar[str] = "Tulap noise"
    citation: ClassVar[str] = (
        "Awan, Slavkovic (2018), arXiv:1805.09236; Awan, Vadhan (2023), arXiv:2108.04303"
    )

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        eps, dlt = self.epsilon, self.delta
        if dlt == 0:
            self._shape(rate=eps, centre=0.5, count=math.inf)
            return
        if eps == 0:
            # All steps are equally high: one wide centre, whatever their number.
            self._shape(rate=0.0, centre=0.5 / dlt, count=0)
            return
        # The left tail F(-1/2 - k) = (c + kappa) e^(-epsilon k) - kappa, with
        # c = (1 - delta)/(1 + e^epsilon) and kappa = delta/(e^epsilon - 1), reaches 0 at `steps`.
        steps = math.log1p((1 - dlt) / dlt * math.tanh(eps / 2)) / eps
        count = math.floor(steps)
        rest = math.expm1(-eps * (steps - count)) / math.expm1(-eps)
        self._shape(rate=eps, centre=0.5, count=count, rest=rest)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 or delta > 0 else "epsilon > 0 or delta > 0"
