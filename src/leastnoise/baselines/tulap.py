"""Tulap noise: the canonical noise of (epsilon, delta)-privacy (Awan, Slavkovic; Awan, Vadhan).

And the same rounded to the nearest whole number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..exact import Number
from ..numeric import Floats
from .integer import IntegerMechanism
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


class RoundedTulap(IntegerMechanism):
    """round(Tulap noise): private at the budget of Tulap, because rounding commutes with whole
    shifts and is post-processing.

    At sensitivity 1 it is optimal among integer noise for symmetric losses that do not fall with
    |k|; from sensitivity 2 on it is not.
    """

    name: ClassVar[str] = "rounded-tulap"
    label: ClassVar[str] = "rounded Tulap noise"
    citation: ClassVar[str] = (
        "Awan, Slavkovic (2018), arXiv:1805.09236; Awan, Ramasethu (2023), arXiv:2308.08343"
    )

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self._tulap = Tulap(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self._end = float(np.ceil(self._tulap._end - 0.5))
        self._panels(48.0)  # refuse now what the moments could not sum

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 or delta > 0 else "epsilon > 0 or delta > 0"

    def _density(self, t: Floats) -> Floats:
        mass = self._tulap._mass(np.maximum(t - 0.5, 0), t + 0.5)
        return np.where(t == 0, 2 * mass, mass)

    def _mass(self, u: Floats, v: Floats) -> Floats:
        return self._tulap._mass(u - 0.5, v - 0.5)

    def _tail_inverse(self, q: Floats) -> Floats:
        return np.maximum(np.ceil(self._tulap._tail_inverse(q) - 0.5), 0)

    def _moment(self, power: int) -> float:
        k = self._panels(48.0)[:0:-1]  # the small terms first
        return float(2 * (self._density(k) * k**power).sum())

    def _reach(self, nats: float) -> float:
        steps = np.ceil(nats / self.epsilon) if self.epsilon > 0 else np.inf
        return float(min(self._end, steps * self.sensitivity))

    def breakpoints(self) -> Floats:
        """The edges of every whole number's cell that holds a jump of the Tulap density."""
        cell = np.rint(self._tulap.breakpoints())
        return np.unique(np.concatenate([cell - 0.5, cell + 0.5]))

    def _worst_shifts(self) -> Iterable[float]:
        # As for every step density (steps.proof.md): the cells' edges meet modulo the sensitivity.
        d = self.sensitivity
        corners = [d / 2, self._tulap._end] if np.isfinite(self._end) else [d / 2]
        places = {s * (np.rint(c) + h) for c in corners for s in (-1, 1) for h in (-0.5, 0.5)}
        gaps = {float((x - y) % d) for x in places for y in places}
        return sorted({*gaps, d} - {0.0})
