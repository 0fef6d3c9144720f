"""Uniform noise of width sensitivity/delta, and with an atom at 0."""

from __future__ import annotations

from typing import ClassVar

from ..exact import Number
from .steps import StepNoise


class Uniform(StepNoise):
    """Uniform on [-D/(2 delta), D/(2 delta)]: (0, delta)-private, so at every epsilon >= 0."""

    name: ClassVar[str] = "uniform"
    label: ClassVar[str] = "uniform noise"
    citation: ClassVar[str] = "Geng, Ding, Guo, Kumar (2019), arXiv:1809.10224"

    def __init__(self, *, epsilon: Number = 0, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.note = "epsilon is not used" if self.epsilon > 0 else ""
        self._shape(rate=0.0, centre=0.5 / self.delta, count=0)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if delta > 0 else "delta > 0"


class UniformAtom(StepNoise):
    """Uniform on [-D/(2m), D/(2m)], m = min(delta, 1/2), with an atom of mass max(0, 2 delta - 1).

    (0, delta)-private, so at every epsilon >= 0. At epsilon = 0 it is optimal among symmetric
    monotone noise; without monotony something better exists, for instance at delta = 1/3.
    """

    name: ClassVar[str] = "uniform-atom"
    label: ClassVar[str] = "uniform noise with an atom"
    citation: ClassVar[str] = "Geng, Ding, Guo, Kumar (2019), arXiv:1809.10224"

    def __init__(self, *, epsilon: Number = 0, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        self.note = "epsilon is not used" if self.epsilon > 0 else ""
        atom = max(0.0, 2 * self.delta - 1)
        self._shape(rate=0.0, centre=0.5 / min(self.delta, 0.5), count=0, atom=atom)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if delta > 0 else "delta > 0"
