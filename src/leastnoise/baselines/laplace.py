"""Laplace noise: of scale sensitivity/epsilon, and the smallest scale that delta allows."""

from __future__ import annotations

import math
from typing import ClassVar

from ..exact import Number
from .exponential import CutExponential


class Laplace(CutExponential):
    """Density e^(-|x|/s)/(2s), s = sensitivity/epsilon: (epsilon, 0)-private for epsilon > 0."""

    name: ClassVar[str] = "laplace"
    label: ClassVar[str] = "Laplace noise"
    citation: ClassVar[str] = "Dwork, McSherry, Nissim, Smith (2006), doi:10.1007/11681878_14"

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.scale = self.sensitivity / self.epsilon
        self.note = "delta is not used" if self.delta > 0 else ""

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 else "epsilon > 0"


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
