"""Values as whole numbers: clamped to public bounds and counted in steps from the lower one.

A row's value becomes a whole number from 0 to `top`, whatever it was: that, and not the floating
point before it, is what sensitivities rest on (`../sources/bounding.proof.md`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ...errors import ArgumentError
from ...exact import Number, rational

#: Values have at most so many steps, and so many where squares are added up.
STEPS = (1 << 31) - 1
STEPS_OF_SQUARES = 1 << 22
_LARGEST = 10**18
#: No bound is further from 0, no step or bin narrower: doubles hold them and their quotients.
FURTHEST = 10**300
NARROWEST = 1e-290


@dataclass(frozen=True)
class Scale:
    """low + k * step for k = 0, ..., top."""

    low: Fraction
    step: Fraction
    top: int

    @property
    def high(self) -> Fraction:
        """The largest value."""
        return self.low + self.step * self.top

    @property
    def width(self) -> Fraction:
        """high - low."""
        return self.step * self.top

    @property
    def middle(self) -> Fraction:
        """Half way, between two steps if need be."""
        return self.low + self.width / 2


def both_bounds(
    query: str, low: Number | None, high: Number | None, advice: str
) -> tuple[Number, Number]:
    """The bounds of a query; an `ArgumentError` with advice where one of them is missing."""
    if low is None or high is None:
        words = (
            f"{query} needs low= and high=: the smallest and the largest value that count. "
            f"Choose them from public knowledge, not from the data{advice}."
        )
        raise ArgumentError("low" if low is None else "high", None, "given", words)
    return low, high


def scale_of(low: Number, high: Number, most: int, step: Number | None) -> Scale:
    """The steps between two bounds: the finest power of ten with at most `most` of them.

    The upper end is the first step at or above `high`.
    """
    ends = rational(low, "low"), rational(high, "high")
    if not -_LARGEST <= ends[0] < ends[1] <= _LARGEST:
        raise ArgumentError("high", high, f"above low={low}, and both between -1e18 and 1e18")
    width = ends[1] - ends[0]
    if width < Fraction(NARROWEST) * 2**32:
        raise ArgumentError("high", high, f"above low={low} by at least 1e-280")
    if step is not None:
        chosen = rational(step, "step")
        if not 0 < chosen <= width or math.ceil(width / chosen) > most:
            raise ArgumentError(
                "step", step, f"positive, with at most {most} steps between low and high"
            )
    else:
        chosen = Fraction(10) ** math.ceil(math.log10(width) - math.log10(most))
        while width / chosen > most:
            chosen *= 10
        while width * 10 / chosen <= most:
            chosen /= 10
    return Scale(ends[0], chosen, math.ceil(width / chosen))
