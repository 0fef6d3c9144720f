"""Laplace noise of scale sensitivity/epsilon; delta is not used."""

from __future__ import annotations

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
