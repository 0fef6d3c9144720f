"""Both bounds for long prefix sums, in closed form: the square-root strategy with equal columns.

The strategy is the lower triangular Toeplitz matrix of (1 - x)^(-1/2), each column divided by its
length. Statements and proofs: `roots.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from ..work import charge
from .matrices import root_up

#: The most prefix sums: their check takes seconds.
MAX_PREFIX = 2_000
#: pi is below this.
_PI = Fraction(31415926535897932384626433832795028842, 10**37)
#: Bits behind the point of sines.
_SINE_BITS = 120


@dataclass(frozen=True)
class RootStrategy:
    """So many bits of each entry of the Toeplitz matrix, and of each column's scale."""

    bits: int

    def series(self, n: int) -> list[int]:
        """The first column of the Toeplitz matrix T, times 2^bits: (1 - x)^(-1/2)."""
        return _series(n, self.bits, 1)

    def scales(self, n: int) -> list[int]:
        """What each column is multiplied by, over 2^bits: no column is longer than 1."""
        return list(_scales(n, self.bits))


@lru_cache(maxsize=8)
def _scales(n: int, bits: int) -> tuple[int, ...]:
    squares, found = 0, []
    for entry in _series(n, bits, 1):
        squares += entry * entry
        found.append(isqrt((1 << (4 * bits)) // squares))
    return tuple(reversed(found))


def _series(n: int, bits: int, sign: int) -> list[int]:
    """The coefficients of (1 - x)^(-sign/2), rounded to multiples of 2^-bits, times 2^bits."""
    spare = 64
    value, found = 1 << (bits + spare), []
    for k in range(n):
        if k:
            # (a)_k / k! for a = sign / 2, each from the one before.
            value = value * (2 * (k - 1) + sign) // (2 * k)
        found.append((value + (1 << (spare - 1))) >> spare)
    return found


def length_of_roots(n: int, strategy: RootStrategy) -> Fraction:
    """The largest squared length of a column."""
    squares, most = 0, 0
    series, scales = strategy.series(n), strategy.scales(n)
    charge(4 * n)
    for entry, scale in zip(series, reversed(scales), strict=True):
        squares += entry * entry
        most = max(most, squares * scale * scale)
    return Fraction(most, 1 << (4 * strategy.bits))


def upper_roots(n: int, strategy: RootStrategy) -> Fraction:
    """At least the total variance of the answers, for measurements of variance 1."""
    bits = strategy.bits
    one = 1 << bits
    charge(n * n // 2 + 20 * n)
    inverse, scales = _series(n, bits, -1), strategy.scales(n)
    rest = _residual(strategy.series(n), inverse, bits)
    if rest >= 1:
        return Fraction(10) ** 300
    near = [(2 * one * one // scale + 1) // 2 for scale in scales]  # 1/scale, to a half
    total = 0
    for k in range(n):
        seen = 0
        for h, t in zip(near[k:], inverse, strict=False):
            seen += h * t
            total += seen * seen
    size = root_up(Fraction(total, one**4)) + Fraction(2 * n, one)
    return (size / (1 - rest)) ** 2


def _residual(series: list[int], inverse: list[int], bits: int) -> Fraction:
    """The sum of the sizes of the coefficients of 1 - series * inverse, up to the last one."""
    n = len(series)
    width = 2 * bits + n.bit_length() + 4
    packed = [sum(x << (width * k) for k, x in enumerate(one)) for one in (series, inverse)]
    both, total, carry = packed[0] * packed[1], 0, 0
    for k in range(n):
        # Digits of a number with negative parts: the upper half stands for what is below 0.
        digit = ((both >> (width * k)) & ((1 << width) - 1)) + carry
        carry = int(digit >= 1 << (width - 1))
        own = digit - (carry << width)
        total += abs(((1 << (2 * bits)) if k == 0 else 0) - own)
    return Fraction(total, 1 << (2 * bits))


def lower_roots(n: int) -> Fraction:
    """At most the total variance of every covariance that covers all columns of n prefix sums."""
    one, total = 1 << _SINE_BITS, 0
    charge(20 * n)
    for k in range(1, n + 1):
        x = -(-one * _PI.numerator * (2 * k - 1) // (_PI.denominator * (4 * n + 2)))
        total += one * one // (2 * _sine_above(x, one))
    return Fraction(total * total, n * one * one)


def _sine_above(x: int, one: int) -> int:
    """At least sin(x/one) * one, for 0 <= x/one <= pi/2: the series up to a positive term."""
    square = x * x // one + 1
    below = x * x // one
    # x - x^3/6 + x^5/120 - x^7/5040 + x^9/362880, terms rounded up, or down if subtracted.
    cube = x * below // one
    fifth = -(-(-(-x * square // one) * square) // one)
    seventh = x * below // one * below // one * below // one
    ninth = fifth
    for _ in range(2):
        ninth = -(-ninth * square // one)
    return x - cube // 6 - (-fifth // 120) - seventh // 5040 - (-ninth // 362880) + 1
