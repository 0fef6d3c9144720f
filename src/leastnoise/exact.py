"""Rationals from user input, and enclosures of e^x and x^p with a stated direction.

Standard library only: the checker of `leastnoise.certify` rests on this file.
Statements and proofs: `exact.proof.md`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real

from .errors import ArgumentError

#: Working precision of the enclosures, in bits. The promised relative width is 2^-100.
_BITS = 192

#: Largest exponent `exp_lower` and `exp_upper` accept.
MAX_EXPONENT = 1000

Number = int | float | str | Decimal | Fraction


def rational(value: object, name: str) -> Fraction:
    """The exact rational that the user means by `value`.

    A float means the shortest decimal that reads back as it: 0.2 is one fifth, not the binary
    number nearest to it. Strings may be integers, decimals or fractions ("3", "0.2", "7/60").
    NaN, infinities, booleans and anything else are refused with an `ArgumentError`.
    """
    allowed = 'a finite number, or a string such as "0.2" or "7/60"'
    if isinstance(value, bool):
        raise ArgumentError(name, value, allowed)
    try:
        if isinstance(value, Rational):
            return Fraction(int(value.numerator), int(value.denominator))
        if isinstance(value, Decimal):
            return Fraction(value)
        if isinstance(value, str):
            if len(value) > 4000:
                raise ArgumentError(name, value, allowed)
            return _parse(value.strip())
        if isinstance(value, Real):
            return _parse(str(value))
    except (ValueError, ZeroDivisionError, OverflowError):
        pass
    raise ArgumentError(name, value, allowed)


def _parse(text: str) -> Fraction:
    # Fraction("1e999999999") would build the number before anyone could refuse it.
    mantissa, _, exponent = text.lower().partition("e")
    if exponent and not -400 <= int(exponent) <= 400:
        raise ValueError(text)
    return Fraction(text)


def text_of(value: Fraction) -> str:
    """The shortest exact text of a rational: an integer, a finite decimal, or a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > 40:
        return f"{value.numerator}/{value.denominator}"
    scaled = abs(value.numerator) * 10**places // value.denominator
    digits = str(scaled).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def round_down(value: Fraction, digits: int) -> Fraction:
    """The largest decimal with `digits` significant digits that is at most `value`."""
    return _round(value, digits, math.floor)


def round_up(value: Fraction, digits: int) -> Fraction:
    """The smallest decimal with `digits` significant digits that is at least `value`."""
    return _round(value, digits, math.ceil)


def _round(value: Fraction, digits: int, towards: object) -> Fraction:
    if value == 0:
        return value
    size = abs(value)
    # log10 of numerator and denominator separately: the quotient may leave the float range.
    magnitude = math.floor(math.log10(size.numerator) - math.log10(size.denominator))
    unit = Fraction(10) ** (magnitude - digits + 1)
    return towards(value / unit) * unit  # type: ignore[operator]


@lru_cache(maxsize=256)
def exp_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Dyadic rationals lo <= e^x <= hi with (hi - lo) / lo <= 2^-100, for |x| <= 1000."""
    if abs(x) > MAX_EXPONENT:
        raise ArgumentError("exponent", x, f"between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    if x < 0:
        lo, hi = exp_bounds(-x)
        one = 1 << (2 * _BITS + 2 * math.ceil(MAX_EXPONENT * 1.4427))
        inverse_lo = Fraction(one * hi.denominator // hi.numerator, one)
        inverse_hi = Fraction(-(-one * lo.denominator // lo.numerator), one)
        return inverse_lo, inverse_hi
    if x == 0:
        return Fraction(1), Fraction(1)
    halvings = max(0, math.ceil(x).bit_length())
    bits = _BITS + 2 * halvings
    one = 1 << bits
    y = x / (1 << halvings)  # 0 < y <= 1
    y_lo = one * y.numerator // y.denominator
    y_hi = y_lo + 1
    lo = hi = term_lo = term_hi = one
    k = 0
    while term_hi > 1:
        k += 1
        term_lo = term_lo * y_lo // (one * k)
        term_hi = -(-term_hi * y_hi // (one * k))
        lo += term_lo
        hi += term_hi
    # From here each further term is at most half the one before it, so together at most term_hi.
    hi += term_hi
    for _ in range(halvings):
        lo = lo * lo // one
        hi = -(-hi * hi // one)
    return Fraction(lo, one), Fraction(hi, one)


def exp_lower(x: Fraction) -> Fraction:
    """A dyadic rational at most e^x, relative error at most 2^-100."""
    return exp_bounds(x)[0]


def exp_upper(x: Fraction) -> Fraction:
    """A dyadic rational at least e^x, relative error at most 2^-100."""
    return exp_bounds(x)[1]


def integer_root(value: int, q: int) -> int:
    """floor(value ** (1/q)) for value >= 0, q >= 1, exactly."""
    if q == 1 or value < 2:
        return value
    if q == 2:
        return math.isqrt(value)
    guess = 1 << -(-value.bit_length() // q)  # never below the root, so Newton falls to it
    while True:
        better = ((q - 1) * guess + value // guess ** (q - 1)) // q
        if better >= guess:
            return guess
        guess = better


def power_bounds(x: Fraction, p: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals lo <= x^p <= hi for x >= 0 and rational p >= 0; equal when p is whole.

    Otherwise the relative width is at most 2^-100.
    """
    if x == 0 or p.denominator == 1:
        exact = x**p.numerator
        return exact, exact
    q = p.denominator
    base = x**p.numerator
    # Scale so that the root has about 128 bits whatever the size of x^p.
    size = base.numerator.bit_length() - base.denominator.bit_length()
    k = 128 - size // q
    if k >= 0:
        scaled = (base.numerator << (k * q)) // base.denominator
    else:
        scaled = base.numerator // (base.denominator << (-k * q))
    root = integer_root(scaled, q)
    unit = Fraction(2) ** -k
    return root * unit, (root + 1) * unit
