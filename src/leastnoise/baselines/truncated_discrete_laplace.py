"""Discrete Laplace noise cut to the shortest private support."""

from __future__ import annotations

import math
from typing import ClassVar

from ..bisection import bracket, first_integer
from ..exact import Number
from ..numeric import powers_sum
from .discrete_laplace import CutGeometric


def cut_cost(rate: float, sensitivity: float, reach: float) -> float:
    """Mass of the outputs that a neighbor at distance `sensitivity` cannot produce.

    P(X < sensitivity - reach) for mass proportional to e^(-rate|k|) on |k| <= reach. On the
    other outputs the ratio is at most e^(rate*sensitivity), so this is the hockey stick at
    epsilon = rate*sensitivity, and log-concavity makes `sensitivity` the worst shift.
    """
    if sensitivity > 2 * reach:
        return 1.0
    whole = 1 + 2 * math.exp(-rate) * float(powers_sum(rate, reach))
    if reach >= sensitivity:
        first = reach - sensitivity + 1
        return math.exp(-rate * first) * float(powers_sum(rate, sensitivity)) / whole
    first = sensitivity - reach
    left = math.exp(-rate * first) * float(powers_sum(rate, reach - first + 1))
    return 1 - left / whole


class TruncatedDiscreteLaplace(CutGeometric):
    """P(X = k) proportional to e^(-epsilon |k|/D) on |k| <= K, with the smallest private K.

    (epsilon, delta)-private for epsilon >= 0 and delta > 0. K is whole, so delta is rarely used up.
    """

    name: ClassVar[str] = "truncated-discrete-laplace"
    label: ClassVar[str] = "truncated discrete Laplace noise"
    citation: ClassVar[str] = (
        "after Geng, Ding, Guo, Kumar (2020), arXiv:1810.00877, on the integers"
    )

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        rate, width = self.epsilon / self.sensitivity, int(self.sensitivity)

        def is_private(cut: int) -> bool:
            return cut_cost(rate, width, cut) <= self.delta

        self._shape(rate, float(first_integer(is_private, *bracket(is_private, 0, 1))))

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if delta > 0 else "delta > 0"
