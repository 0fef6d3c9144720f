"""Laplace noise that uses delta: the smallest scale that is (epsilon, delta)-private."""

from __future__ import annotations

import math
from typing import ClassVar

from ..exact import Number
from .exponential import CutExponential


class CalibratedLaplace(CutExponential):
    """Laplace noise of scale sensitivity/(epsilon - 2 ln(1 - delta)).

    The hockey stick of Laplace noise of scale s at shift D is 1 - e^((epsilon - D/s)/2)
    for D/s >= epsilon: it equals delta here, so no Laplace noise of smaller scale is private.
    (diffprivlib's Laplace with delta uses epsilon - ln(1 - delta), which is private but wider.)
    """

    name: ClassVar[str] = "calibrated-laplace"
    label: ClassVar[str] = "Laplace noise calibrated to delta"
    citation: ClassVar[str] = "the hockey-stick divergence of Laplace noise, in closed form"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.scale = self.sensitivity / (self.epsilon - 2 * math.log1p(-self.delta))

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 or delta > 0 else "epsilon > 0 or delta > 0"
