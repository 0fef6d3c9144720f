"""An atom of mass delta at 0, and staircase noise otherwise."""

from __future__ import annotations

import math
from typing import ClassVar

from .staircase import Staircase


class AtomStaircase(Staircase):
    """With probability delta no noise at all, otherwise staircase noise; needs epsilon > 0.

    A shift moves the atom away, which costs exactly delta; the rest costs nothing at epsilon.
    For c(0) = 0 its loss is (1 - delta) times that of the staircase, nearly optimal at large
    epsilon or delta. It releases the exact value with probability delta: no one should call that
    private at a delta that is not negligible, and (epsilon, delta) allows it all the same.
    """

    name: ClassVar[str] = "atom-staircase"
    label: ClassVar[str] = "staircase noise with an atom"
    citation: ClassVar[str] = (
        "staircase: Geng, Viswanath (2016), arXiv:1212.1186; mixed with zero noise"
    )

    def _finish(self) -> None:
        self.note = "releases the exact value with probability delta" if self.delta > 0 else ""
        self._shape(rate=self.epsilon, centre=self.gamma, count=math.inf, atom=self.delta)
