"""Truncated Laplace noise (Geng, Ding, Guo, Kumar), for every 0 < delta < 1.

Statement and proof, delta > 1/2 included: `truncated_laplace.proof.md`.
"""

from __future__ import annotations

import math
from typing import ClassVar

from ..exact import Number
from .exponential import CutExponential


class TruncatedLaplace(CutExponential):
    """Laplace noise of scale D/epsilon cut to |x| <= (D/epsilon) ln(1 + (e^epsilon - 1)/(2 delta)).

    (epsilon, delta)-private for epsilon > 0 and 0 < delta < 1. It uses the whole delta up to
    delta = 1/2; beyond, where the authors do not define it and the paper uses it all the same, it
    stays private and wastes (1 - e^-epsilon)(2 delta - 1)^2/(4 delta).
    """

    name: ClassVar[str] = "truncated-laplace"
    label: ClassVar[str] = "truncated Laplace noise"
    citation: ClassVar[str] = "Geng, Ding, Guo, Kumar (2020), arXiv:1810.00877"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.scale = self.sensitivity / self.epsilon
        self._end = self.scale * math.log1p(math.expm1(self.epsilon) / (2 * self.delta))
        if self.delta > 0.5:
            waste = -math.expm1(-self.epsilon) * (2 * self.delta - 1) ** 2 / (4 * self.delta)
            self.note = (
                "delta > 1/2 lies outside its authors' regime: it is still private, "
                f"but uses only {self.delta - waste:.6g} of delta"
            )

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 and delta > 0 else "epsilon > 0 and delta > 0"
