"""Enclosures of pi, square roots, the arc cosine and caps of balls, in fixed point.

A number x is held as two whole numbers lo <= x * 2^bits <= hi, each rounded outwards. Statements
and proofs: `enclosures.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

Bounds = tuple[int, int]  # lo <= x * 2^bits <= hi

#: From here on the positive series is tried before the finite sum.
_LONG = 60


def floor_at(value: Fraction, bits: int) -> int:
    """The largest whole number at most value * 2^bits."""
    return (value.numerator << bits) // value.denominator


def ceil_at(value: Fraction, bits: int) -> int:
    """The smallest whole number at least value * 2^bits."""
    return -((-value.numerator << bits) // value.denominator)


@lru_cache(maxsize=64)
def pi_bounds(bits: int) -> Bounds:
    """pi, at most 2 apart: Machin's formula pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    guard = bits + 16
    five, other = _arctan_of_inverse(5, guard), _arctan_of_inverse(239, guard)
    return (16 * five[0] - 4 * other[1]) >> 16, -((4 * other[0] - 16 * five[1]) >> 16)


def _arctan_of_inverse(n: int, bits: int) -> Bounds:
    total, power, k = 0, (1 << bits) // n, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= n * n
        k += 2
    # Every term was cut by less than 3, and the first one left out is below 3 too.
    return total - 2 * k - 3, total + 2 * k + 3


def _arcsine(x: int, bits: int) -> Bounds:
    """arcsin of x / 2^bits for 0 <= x <= 2^bits * 0.51."""
    square = (x * x) >> bits
    power = total = x
    k = 0
    while power:
        k += 1
        power = (power * square * (2 * k - 1) >> bits) // (2 * k)
        total += power // (2 * k + 1)
    return total, total + 4 * k + 8


def arccos_bounds(c: int, bits: int) -> Bounds:
    """arccos of c / 2^bits for 0 <= c <= 2^bits."""
    unit = 1 << bits
    if 2 * c <= unit:
        pi, sine = pi_bounds(bits), _arcsine(c, bits)
        return (pi[0] >> 1) - sine[1], ((pi[1] + 1) >> 1) - sine[0]
    # arccos c = 2 arcsin(sqrt((1 - c) / 2)), and the root is at most 1/2.
    half = unit - c
    lo, hi = _arcsine(isqrt(half << (bits - 1)), bits)
    return 2 * lo, 2 * (hi + 2)  # the root may be one unit larger: its arc sine, less than two


def cap_bounds(d: int, c: int, bits: int) -> Bounds:
    """T_d(c) = P(first coordinate >= c / 2^bits) of a uniform point of the unit ball of R^d.

    d >= 0, with T_0(c) = arccos(c) / pi. Beyond [-1, 1] it is 1 or 0.
    """
    unit = 1 << bits
    if c <= -unit:
        return unit, unit
    if c >= unit:
        return 0, 0
    if c < 0:
        lo, hi = cap_bounds(d, -c, bits)
        return unit - hi, unit - lo
    s = (unit * unit - c * c) >> bits
    if d > _LONG and 4 * s <= 3 * unit:
        return _cap_by_series(d, c, s, bits)
    lo, hi = _odd_cap(d, c, s, bits) if d % 2 else _even_cap(d, c, s, bits)
    return max(0, lo), min(unit >> 1, hi)


def _odd_cap(d: int, c: int, s: int, bits: int) -> Bounds:
    total = term = 1 << bits
    count = (d - 1) // 2
    for a in range(1, count + 1):
        term = (term * s * (2 * a - 1) >> bits) // (2 * a)
        total += term
    error = (count + 1) * (count + 2)
    unit = 1 << bits
    return (unit - (c * (total + error) >> bits) - 1) >> 1, (unit - (c * total >> bits) + 1) >> 1


def _even_cap(d: int, c: int, s: int, bits: int) -> Bounds:
    lo, hi = arccos_bounds(c, bits)
    count = d // 2
    if count:
        total = term = 1 << bits
        for k in range(1, count):
            term = (term * s * (2 * k) >> bits) // (2 * k + 1)
            total += term
        error = (count + 1) * (count + 2)
        root = isqrt((1 << (2 * bits)) - c * c)
        lo -= (c * (root + 1) * (total + error) >> (2 * bits)) + 1
        hi -= c * root * total >> (2 * bits)
    small, large = inverse_pi(bits)
    return max(0, lo) * small >> bits, (hi * large >> bits) + 1


@lru_cache(maxsize=64)
def inverse_pi(bits: int) -> Bounds:
    """1/pi."""
    lo, hi = pi_bounds(bits + 4)
    top = 1 << (2 * bits + 4)
    return top // hi, top // lo + 1


@lru_cache(maxsize=1024)
def series_constant(d: int, bits: int) -> Bounds:
    """C_d with T_d(c) - T_(d+2)(c) = C_d * c * (1 - c^2)^((d+1)/2)."""
    lo = hi = 1 << bits
    if d % 2:
        for a in range(1, (d + 1) // 2 + 1):
            lo, hi = lo * (2 * a - 1) // (2 * a), -(-hi * (2 * a - 1) // (2 * a))
        return lo >> 1, (hi + 1) >> 1
    for k in range(1, d // 2 + 1):
        lo, hi = lo * (2 * k) // (2 * k + 1), -(-hi * (2 * k) // (2 * k + 1))
    small, large = inverse_pi(bits)
    return lo * small >> bits, (hi * large >> bits) + 1


def half_power(s: Bounds, k: int, bits: int) -> Bounds:
    """(s / 2^bits)^(k/2) for 0 <= s <= 2^bits and k >= 0."""
    return half_power_of(s[0], k, bits, up=False), half_power_of(s[1], k, bits, up=True)


def half_power_of(s: int, k: int, bits: int, *, up: bool) -> int:
    """The same of one number, rounded in the stated direction."""
    whole = power(s, k // 2, bits, up=up)
    if k % 2 == 0:
        return whole
    root = isqrt(max(0, s) << bits)
    return (whole * (root + 1) >> bits) + 1 if up else whole * root >> bits


def power(x: int, k: int, bits: int, *, up: bool) -> int:
    """(x / 2^bits)^k for x >= 0, every product rounded in the stated direction."""
    result = 1 << bits
    if k == 0:
        return result
    for digit in bin(k)[2:]:
        result = result * result
        result = -(-result >> bits) if up else result >> bits
        if digit == "1":
            result = result * x
            result = -(-result >> bits) if up else result >> bits
    return result


def series_sum(d: int, s: Bounds, bits: int) -> Bounds:
    """1 + s q_0 + s^2 q_0 q_1 + ... with q_i = (d + 2 + 2i) / (d + 3 + 2i), for s <= 3/4."""
    unit = 1 << bits
    low = high = term_low = term_high = unit
    i = 0
    while term_high > 8:  # below, rounding up could hold it for ever
        top, bottom = d + 2 + 2 * i, d + 3 + 2 * i
        term_low = (term_low * s[0] * top >> bits) // bottom
        term_high = -((-term_high * s[1] * top >> bits) // bottom)
        low += term_low
        high += term_high
        i += 1
    # Terms fall at least like (3/4)^i from here: together at most three times the last.
    return low, high + 3 * term_high + 4


def _cap_by_series(d: int, c: int, s: int, bits: int) -> Bounds:
    bounds = (s, s + 1)
    front, constant = half_power(bounds, d + 1, bits), series_constant(d, bits)
    total = series_sum(d, bounds, bits)
    lo = c * front[0] * constant[0] * total[0] >> (3 * bits)
    hi = (c * front[1] * constant[1] * total[1] >> (3 * bits)) + 1
    return lo, min(1 << (bits - 1), hi)
