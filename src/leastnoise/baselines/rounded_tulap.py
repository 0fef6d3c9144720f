"""Tulap noise rounded to the nearest whole number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..exact import Number
from ..numeric import Floats
from .integer import IntegerMechanism
from .tulap import Tulap


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
