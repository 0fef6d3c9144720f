"""Rationals from user input, and enclosures of e^x and x^p with a stated direction.

Standard library only: the checker of `leastnoise.certify` rests on this file.
Statements and proofs: `exact.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real

from .errors import ArgumentError

#: Working precision of the enclosures, in bits, and that of e^x. The promise is 2^-100.
_BITS = 192
_EXP_BITS = 128

#: Largest exponent `exp_lower` and `exp_upper` accept.
MAX_EXPONENT = 1000

#: Largest power of ten in a decimal, either way: beyond it the number would fill the memory.
_MAX_POWER_OF_TEN = 400

#: Characters of a number in a mechanism file, and of a length, a ratio or a number of the loss.
LONGEST, LONGEST_SHORT = 400, 100

#: Digits after the point of a decimal that is written; others are written as fractions.
_MOST_PLACES = 40

#: Proposes roots; nothing it says is believed.
_GUESS = Context(prec=42)

Number = int | float | str | Decimal | Fraction
Rough = tuple[int, int]  # (m, e) stands for m * 2^e


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
            return _parse(str(value))
        if isinstance(value, str):
            return _parse(value.strip())
        if isinstance(value, Real):
            return _parse(str(value))
    except (ValueError, ZeroDivisionError, OverflowError):
        pass
    raise ArgumentError(name, value, allowed)


def _parse(text: str) -> Fraction:
    # Fraction("1e999999999") would build the number before anyone could refuse it.
    if len(text) > 4000:
        raise ValueError(text)
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > _MAX_POWER_OF_TEN:
        raise ValueError(text)
    return Fraction(text)


def text_of(value: Fraction) -> str:
    """The shortest exact text of a rational: an integer, a finite decimal, or a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0 and twos <= _MOST_PLACES:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0 and fives <= _MOST_PLACES:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _MOST_PLACES:
        return f"{value.numerator}/{value.denominator}"
    scaled = abs(value.numerator) * 10**places // value.denominator
    digits = str(scaled).rjust(places + 1, "0")
    sign = "-" if value.numerator < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def round_down(value: Fraction, digits: int) -> Fraction:
    """The largest decimal with `digits` significant digits that is at most `value`."""
    return _round(value, digits, math.floor)


def round_up(value: Fraction, digits: int) -> Fraction:
    """The smallest decimal with `digits` significant digits that is at least `value`."""
    return _round(value, digits, math.ceil)


def _round(value: Fraction, digits: int, towards: Callable[[Fraction], int]) -> Fraction:
    if value == 0:
        return value
    size = abs(value)
    # log10 of numerator and denominator separately: the quotient may leave the float range.
    magnitude = math.floor(math.log10(size.numerator) - math.log10(size.denominator))
    ten = Fraction(10)
    while ten**magnitude > size:
        magnitude -= 1
    while ten ** (magnitude + 1) <= size:
        magnitude += 1
    unit = ten ** (magnitude - digits + 1)
    return towards(value / unit) * unit


def whole_part(value: float, unit: int) -> int:
    """The whole part of value * unit, exactly: a float is a dyadic rational."""
    top, bottom = value.as_integer_ratio()
    return top * unit // bottom if top >= 0 else -(-top * unit // bottom)


def nearest_float(value: Fraction) -> float:
    """A float to look at; the largest one of its sign where the value is beyond them all."""
    try:
        return float(value)
    except OverflowError:
        return 1.7976931348623157e308 if value > 0 else -1.7976931348623157e308


@lru_cache(maxsize=4096)
def exp_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Dyadic rationals lo <= e^x <= hi with (hi - lo) / lo <= 2^-100, for |x| <= 1000."""
    if abs(x) > MAX_EXPONENT:
        raise ArgumentError("exponent", x, f"between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    if x < 0:
        lo, hi = exp_bounds(-x)
        unit = 1 << (_EXP_BITS + 2 * math.ceil(MAX_EXPONENT * 1.4427))
        inverse_lo = Fraction(unit * hi.denominator // hi.numerator, unit)
        inverse_hi = Fraction(-(-unit * lo.denominator // lo.numerator), unit)
        return inverse_lo, inverse_hi
    if x == 0:
        return Fraction(1), Fraction(1)
    halvings = math.ceil(x).bit_length()
    bits = _BITS + 2 * halvings
    unit = 1 << bits
    y = x / (1 << halvings)  # 0 < y < 1
    y_lo = unit * y.numerator // y.denominator
    y_hi = y_lo + 1
    sum_lo = sum_hi = term_lo = term_hi = unit
    k = 0
    while term_hi > 1:
        k += 1
        # (Divided by 2^bits first: floors of floors are the same, and k is short.)
        term_lo = (term_lo * y_lo >> bits) // k
        term_hi = -((-term_hi * y_hi >> bits) // k)
        sum_lo += term_lo
        sum_hi += term_hi
    # From here each further term is at most half the one before it, so together at most term_hi.
    sum_hi += term_hi
    for _ in range(halvings):
        sum_lo = sum_lo * sum_lo >> bits
        sum_hi = -(-sum_hi * sum_hi >> bits)
    # Short numbers make the checker fast, and e^x >= 1.
    drop = bits - _EXP_BITS
    short = 1 << _EXP_BITS
    return Fraction(sum_lo >> drop, short), Fraction(-(-sum_hi >> drop), short)


def exp_lower(x: Fraction) -> Fraction:
    """A dyadic rational at most e^x, relative error at most 2^-100."""
    return exp_bounds(x)[0]


def exp_upper(x: Fraction) -> Fraction:
    """A dyadic rational at least e^x, relative error at most 2^-100."""
    return exp_bounds(x)[1]


def ratio_below(epsilon: Fraction) -> Fraction:
    """A short rational above 0 and at most e^-epsilon, less than 2^-100 (relative) below it."""
    exact = exp_lower(-epsilon)
    parts = 1 << (102 + 2 * math.ceil(epsilon))  # e^epsilon < 2^(2 epsilon)
    return Fraction(math.floor(exact * parts), parts)


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


@lru_cache(maxsize=1024)
def power_bounds(x: Fraction, p: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals lo <= x^p <= hi for x >= 0 and rational p >= 0; equal when p is whole.

    Otherwise the relative width is at most 2^-100.
    """
    if x == 0 or p.denominator == 1:
        exact = x**p.numerator
        return exact, exact
    a, q = p.numerator, p.denominator
    if q <= 16 and a * (x.numerator.bit_length() + x.denominator.bit_length()) <= 4096:
        return _power_bounds_by_root(x, p)
    # A guess, a margin of 2^-104 on both sides, and a proof: lo^q <= x^a and x^a <= hi^q.
    guess = _GUESS.power(
        _GUESS.divide(Decimal(x.numerator), Decimal(x.denominator)),
        _GUESS.divide(Decimal(a), Decimal(q)),
    )
    m, e = _rough(Fraction(guess), up=False)
    lo, hi = (m - (m >> 104), e), (m + (m >> 104), e)
    below = _rough_power(_rough(x, up=False), a, up=False)
    above = _rough_power(_rough(x, up=True), a, up=True)
    if not (
        _at_most(_rough_power(lo, q, up=True), below)
        and _at_most(above, _rough_power(hi, q, up=False))
    ):
        return _power_bounds_by_root(x, p)
    unit = Fraction(2) ** e
    return lo[0] * unit, hi[0] * unit


def _rough(x: Fraction, up: bool) -> Rough:
    """x > 0 to _BITS bits or one more, rounded in the stated direction."""
    e = x.numerator.bit_length() - x.denominator.bit_length() - _BITS
    top, bottom = x.numerator << max(0, -e), x.denominator << max(0, e)
    return (-(-top // bottom) if up else top // bottom), e


def _rough_power(x: Rough, k: int, up: bool) -> Rough:
    m, e = 1, 0
    for bit in bin(k)[2:]:
        m, e = m * m, 2 * e
        if bit == "1":
            m, e = m * x[0], e + x[1]
        drop = max(0, m.bit_length() - _BITS)
        m, e = (-(-m >> drop) if up else m >> drop), e + drop
    return m, e


def _at_most(x: Rough, y: Rough) -> bool:
    sizes = x[0].bit_length() + x[1], y[0].bit_length() + y[1]
    if sizes[0] != sizes[1]:
        return sizes[0] < sizes[1]
    # Equal sizes: the exponents differ by at most the length of the mantissas.
    least = min(x[1], y[1])
    return x[0] << (x[1] - least) <= y[0] << (y[1] - least)


def _power_bounds_by_root(x: Fraction, p: Fraction) -> tuple[Fraction, Fraction]:
    """The same by one integer root: fast only while the numbers are short."""
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


#: pi between these two.
_PI = tuple(
    Fraction(
        int("314159265358979323846264338327950288419716939937510582097494459") + last_digit, 10**62
    )
    for last_digit in (0, 1)
)
_FARTHEST_NORMAL = 40


@lru_cache(maxsize=1024)
def normal_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals lo <= Phi(x) <= hi, Phi the standard normal distribution function.

    hi - lo <= 2^-98.
    """
    if x < 0:
        lo, hi = normal_bounds(-x)
        return 1 - hi, 1 - lo
    if x > _FARTHEST_NORMAL:
        return 1 - Fraction(1, 1 << 100), Fraction(1)
    # Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/(3*5) + ...), all terms positive.
    bits = _BITS + 64
    unit = 1 << bits
    x_lo = unit * x.numerator // x.denominator
    x_hi = x_lo + 1
    square_lo, square_hi = x_lo * x_lo >> bits, -(-x_hi * x_hi >> bits)
    term_lo, term_hi = x_lo, x_hi
    sum_lo, sum_hi = term_lo, term_hi
    odd = 1
    while term_hi > 1 or 2 * square_hi > odd * unit:
        odd += 2
        term_lo = (term_lo * square_lo >> bits) // odd
        term_hi = -((-term_hi * square_hi >> bits) // odd)
        sum_lo += term_lo
        sum_hi += term_hi
    sum_hi += term_hi  # each further term is at most half the one before it
    exp_lo, exp_hi = exp_bounds(x * x / 2)
    # phi(x) = 1 / (e^(x^2/2) sqrt(2 pi)); the root from below and from above.
    root_lo = math.isqrt(int(2 * _PI[0] * (unit * unit)))
    root_hi = math.isqrt(int(2 * _PI[1] * (unit * unit)) + 1) + 1
    lo = Fraction(1, 2) + Fraction(sum_lo, root_hi) / exp_hi
    hi = Fraction(1, 2) + Fraction(sum_hi, root_lo) / exp_lo
    short = 1 << _EXP_BITS
    return (
        Fraction(lo.numerator * short // lo.denominator, short),
        min(Fraction(1), Fraction(-(-hi.numerator * short // hi.denominator), short)),
    )
