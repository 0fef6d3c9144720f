"""Powers of the absolute error, squared error among them.

Statements and proofs: `power.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from ..exact import power_bounds, rational, text_of
from .base import QUARTER, EvenLoss, Polynomial, X, simpson


@dataclass(frozen=True)
class Power(EvenLoss):
    """c(x) = |x|^p for a rational p >= 1; p = 2 is squared error.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: the cube of the error's size.

        >>> Power(3).name, float(Power(3)(-2))
        ('power:3', 8.0)
    """

    p: Fraction

    def __post_init__(self) -> None:
        p = rational(self.p, "p")
        if not 1 <= p <= 16 or p.denominator > 1000:
            raise ArgumentError("p", self.p, "between 1 and 16, with a denominator up to 1000")
        object.__setattr__(self, "p", p)

    @property
    def name(self) -> str:
        return "l2" if self.p == 2 else f"power:{text_of(self.p)}"

    def spec(self) -> dict[str, Any]:
        return {"name": "l2"} if self.p == 2 else {"name": "power", "p": text_of(self.p)}

    def effort_at(self, bits: int) -> int:
        if self.p == 2:
            return super().effort_at(bits)
        if self.p.denominator == 1:
            # Exact powers are p times as long, and adding them takes quadratic time.
            length = int(self.p + 1) * bits
            return 60 + length // 10 + (length // 150) ** 2
        # As in `power_bounds`: a short integer root, or a guess and its proof.
        short = self.p.denominator <= 16 and (self.p.numerator + 16) * bits <= 4096
        return 250 if short else 800 + bits // 5

    @property
    def exponent(self) -> Fraction | None:
        return self.p

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return (Fraction(0),)

    @property
    def quadratic_form(self) -> tuple[float, float, float] | None:
        if self.p not in (1, 2):
            return None
        return (0.0, 1.0, 0.0) if self.p == 1 else (0.0, 0.0, 1.0)

    def __call__(self, x: X) -> X:
        p = self.p.numerator if self.p.denominator == 1 else float(self.p)
        return abs(x) ** p  # type: ignore[arg-type,operator,return-value,no-any-return]

    def lower(self, x: Fraction) -> Fraction:
        return power_bounds(abs(x), self.p)[0]

    def upper(self, x: Fraction) -> Fraction:
        return power_bounds(abs(x), self.p)[1]

    def _antiderivative(self, x: Fraction) -> tuple[Fraction, Fraction]:
        lo, hi = power_bounds(abs(x), self.p + 1)
        return (lo, hi) if x >= 0 else (-hi, -lo)

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        if self.p == 2:
            return (lo * lo + lo * hi + hi * hi) / 3
        up, down = self._antiderivative(hi), self._antiderivative(lo)
        return (up[1] - down[0]) / ((self.p + 1) * (hi - lo))

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        if self.p == 2:
            return simpson(self, [lo, hi])
        # The integrals of c and of x c(x) over [lo, hi], each between two bounds.
        up, down = self._antiderivative(hi), self._antiderivative(lo)
        area = ((up[0] - down[1]) / (self.p + 1), (up[1] - down[0]) / (self.p + 1))
        far, near = (power_bounds(abs(x), self.p + 2) for x in (hi, lo))
        first = ((far[0] - near[1]) / (self.p + 2), (far[1] - near[0]) / (self.p + 2))
        square = (hi - lo) ** 2
        falling = (hi * area[hi > 0] - first[0]) / square
        rising = (first[1] - lo * area[lo < 0]) / square
        return falling, rising

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        width = hi - lo
        if self.p == 2:
            return width * width / 4
        if lo < 0 < hi:  # bend at 0 and two chords: bounded by the whole rise
            return max(self.upper(lo), self.upper(hi))
        near, far = min(abs(lo), abs(hi)), max(abs(lo), abs(hi))
        if self.p > 2 or near > 0:  # width^2/8 times the largest second derivative
            at = far if self.p > 2 else near
            steep = power_bounds(at, self.p)[1] / (at * at)
            by_curvature = self.p * (self.p - 1) * steep * width * width / 8
            if self.p > 2 or near >= width:
                return by_curvature
        # near = 0 (or close), p < 2: u - u^p <= min(1/4, (p - 1)/e) for 0 <= u <= 1, and the
        # excess over [near, far] is at most the one over [0, far - near].
        share = min(QUARTER, (self.p - 1) * Fraction(36788, 100000))
        at_zero = power_bounds(width, self.p)[1] * share
        return at_zero if near == 0 else min(at_zero, by_curvature)

    def minorants(self, first: int, last: int, step: Fraction) -> Iterator[Fraction]:
        if self.p != 2:
            return super().minorants(first, last, step)
        up, down = (step * step / 4).as_integer_ratio()
        return (Fraction((4 * i * i - 1) * up, down) for i in range(first, last + 1))

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        if self.p == 2:
            return x * x + g * g / 4
        return super().release_point(x, g)

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        if self.p == 2:
            return middle * middle + (count * count - 1) * g * g / 12 + g * g / 4
        return super().release_run(middle, count, g)

    def release_cells(self, weights: Mapping[int, int], step: Fraction, grid: int) -> Fraction:
        if self.p != 2:
            return super().release_cells(weights, step, grid)
        squares = sum(w * i * i for i, w in weights.items())
        at_zero = self.release_cell(0, step, grid)
        return squares * step * step + sum(weights.values()) * at_zero

    def run_mean(self, middle: Fraction, count: int, g: Fraction) -> Fraction | None:
        if self.p == 2:
            return middle * middle + (count * count - 1) * g * g / 12
        return super().run_mean(middle, count, g)

    @property
    def smeared(self) -> Fraction | None:
        return Fraction(1, 12) if self.p == 2 else None

    def tail(self, side: int, start: Fraction) -> Polynomial:
        if self.p.denominator == 1:
            return [Fraction(0)] * int(self.p) + [Fraction(1)]
        # (t/start)^p <= (t/start)^ceil(p) for t >= start
        degree = -(-self.p.numerator // self.p.denominator)
        if start <= 0:
            raise ArgumentError("start", start, "positive")
        return [Fraction(0)] * degree + [self.upper(start) / start**degree]

    @property
    def tail_is_sharp(self) -> bool:
        return self.p.denominator == 1


def L2() -> Power:
    """Squared error, c(x) = x^2.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: noise for a count, with the least mean squared error.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True, loss=L2())
        >>> round(best.upper, 4)
        1.8413
    """
    return Power(Fraction(2))
