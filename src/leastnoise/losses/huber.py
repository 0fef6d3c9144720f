"""Huber's loss: squared error near 0, absolute error beyond.

Statements and proofs: `huber.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from ..exact import rational, text_of
from .base import HALF, BallIntegral, EvenLoss, Polynomial, X, simpson


@dataclass(frozen=True)
class Huber(EvenLoss):
    """c(x) = x^2/2 for |x| <= width, and width * (|x| - width/2) beyond.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: small errors are squared, large ones are not.

        >>> Huber(2).name, float(Huber(2)(1)), float(Huber(2)(10))
        ('huber:2', 0.5, 18.0)
    """

    width: Fraction

    def __post_init__(self) -> None:
        width = rational(self.width, "width")
        if width <= 0:
            raise ArgumentError("width", self.width, "positive")
        object.__setattr__(self, "width", width)

    @property
    def name(self) -> str:
        return f"huber:{text_of(self.width)}"

    def spec(self) -> dict[str, Any]:
        return {"name": "huber", "width": text_of(self.width)}

    def effort_at(self, bits: int) -> int:
        size = bits + self.width.numerator.bit_length() + self.width.denominator.bit_length()
        return 60 + size // 3

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return -self.width, self.width

    def __call__(self, x: X) -> X:
        width = float(self.width)
        size = abs(x)  # type: ignore[arg-type,var-annotated]
        inner = (size + width - abs(size - width)) / 2  # min(size, width), for arrays too
        return inner * (size - inner / 2)  # type: ignore[no-any-return]

    @property
    def of_norm(self) -> bool:
        return True

    @property
    def by_moments(self) -> bool:
        return True

    def ball_integral(self, dimension: int) -> BallIntegral:
        d, width = dimension, self.width
        outer = {
            d + 1: width * d / (d + 1),
            d: -width * width / 2,
            0: width ** (d + 2) / ((d + 1) * (d + 2)),
        }
        return BallIntegral({d + 2: Fraction(d, 2 * (d + 2))}, width, outer)

    @property
    def steepest(self) -> Fraction | None:
        return self.width

    def ball_mean(self, dimension: int, radius: Fraction) -> Fraction:
        width = min(self.width, radius)
        inside = (width / radius) ** dimension
        return Fraction(_in_ball(dimension, radius, width, inside))

    def ball_means(self, dimension: int, radius: X) -> X:
        size: Any = radius
        limit = float(self.width)
        width = (size + limit - abs(size - limit)) / 2
        inside = (width / size) ** dimension
        return _in_ball(dimension, size, width, inside)  # type: ignore[no-any-return]

    def lower(self, x: Fraction) -> Fraction:
        inner = min(abs(x), self.width)
        return inner * (abs(x) - inner / 2)

    def _antiderivative(self, x: Fraction) -> Fraction:
        size = abs(x)
        inner = min(size, self.width)
        area = inner**3 / 6
        if size > self.width:
            outer = size - self.width
            area += self.width * (outer * self.width / 2 + outer * outer / 2)
        return area if x >= 0 else -area

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        return (self._antiderivative(hi) - self._antiderivative(lo)) / (hi - lo)

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        return simpson(self, [lo, *(t for t in self.kinks if lo < t < hi), hi])

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        if lo >= self.width or hi <= -self.width:
            return Fraction(0)
        at_lo = self.lower(lo)
        slope = (self.lower(hi) - at_lo) / (hi - lo)
        return at_lo - slope * lo + slope * slope / 2

    def tail(self, side: int, start: Fraction) -> Polynomial:
        if start >= self.width:
            return [-self.width * self.width / 2, self.width]
        return [Fraction(0), Fraction(0), HALF]

    @property
    def tail_is_sharp(self) -> bool:
        return True


def _in_ball(d: int, radius: Any, width: Any, inside: Any) -> Any:
    """The mean over a ball, a share `inside` of which lies within the width."""
    linear = radius * d / (d + 1) - width * inside * d / (d + 1) - width / 2 * (1 - inside)
    return width * width * inside * d / (2 * (d + 2)) + width * linear
