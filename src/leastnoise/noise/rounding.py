"""floor(value/g + U), U uniform on [0, 1): exactly, for any real value, in integers.

Values that are floats are rounded many at a time from the first 64 bits of U; what these do not
decide, and every other number, takes the path of exact fractions with the same bits.
Why both give the same whole number: `rounding.proof.md`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..numeric import Ints
from ..sampling import Entropy
from ..sampling.discrete import BLOCK
from ..sampling.entropy import Words

#: Values beyond this size are clamped to it, before any noise.
LARGEST = 10**400
#: Decimals nearer to 0 than 10 to this are never written out: 10^-(10^9) has a billion digits.
_TINY = -400

_NUMBER = "a finite number: int, float, Fraction, Decimal or a NumPy number"
_FINITE = "finite"

_ZERO = Fraction(0)
_ONE, _WORD, _HALF = np.uint64(1), np.uint64(64), np.uint64(32)
_LOW = np.uint64(2**32 - 1)


#: An exact number. It is a Decimal only if it is nearer to 0 than 10^-400, and not 0.
Exact = Fraction | Decimal


def exact_value(value: object, name: str = "value") -> Fraction:
    """`exact_number`, written out: `DataError` where that would fill the memory."""
    number = exact_number(value, name)
    if not isinstance(number, Fraction):
        raise DataError(name, type(value), "0, or at least 10^-400 in size")
    return number


def exact_number(value: object, name: str = "value") -> Exact:
    """The number itself, a float being the binary number it holds; clamped to +-10^400.

    `DataError` for what is no finite number: by its type, never with the value.
    """
    if type(value) is int or type(value) is Fraction:  # most often
        return _clamped(Fraction(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise DataError(name, type(value), _FINITE)
        return Fraction(*value.as_integer_ratio())
    if isinstance(value, (bool, np.bool_, np.timedelta64)):  # (to NumPy a duration is an integer)
        raise DataError(name, type(value), _NUMBER)
    if isinstance(value, Rational):
        return _clamped(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise DataError(name, type(value), _FINITE)
        if value and value.adjusted() >= 400:
            return Fraction(LARGEST if value > 0 else -LARGEST)
        return value if value and value.adjusted() < _TINY else Fraction(value)
    if isinstance(value, Real) and hasattr(value, "as_integer_ratio"):
        # NumPy's other floats, longdouble too: exact, unlike float(value).
        try:
            return _clamped(Fraction(*(int(part) for part in value.as_integer_ratio())))
        except (ValueError, OverflowError):
            raise DataError(name, type(value), _FINITE) from None
    raise DataError(name, type(value), _NUMBER)


def beside(value: Exact, q: int) -> Fraction:
    """A rational on the same side of every multiple of 1/q as the value: itself, or a short one."""
    if isinstance(value, Fraction):
        return value
    # 10^-digits <= 1/q, and the value is nearer to 0 than that: no multiple but 0 is near.
    digits = q.bit_length() // 3 + 1
    if value.adjusted() < -digits:
        return Fraction(1 if value > 0 else -1, 2 * q)
    return Fraction(value)


def whole_value(value: object, allowed: str) -> int:
    """The whole number that a value is; `DataError` if it is none."""
    number = exact_number(value)
    if not isinstance(number, Fraction) or number.denominator != 1:
        raise DataError("value", type(value), allowed)
    return number.numerator


def _clamped(number: Fraction) -> Fraction:
    if abs(number.numerator) <= LARGEST * number.denominator:
        return number
    return Fraction(LARGEST if number > 0 else -LARGEST)


class UniformNumber:
    """A number U, uniform on [0, 1), of which as many bits are drawn as are asked for."""

    __slots__ = ("_bits", "_drawn", "_source")

    def __init__(self, word: int, source: Entropy) -> None:
        self._drawn, self._bits, self._source = word, 64, source

    def floor_of_sum(self, top: int, bottom: int) -> int:
        """floor(top/bottom + U) for bottom > 0: exact, and no more bits than it takes."""
        while (floor := self._decided(top, bottom)) is None:
            self._draw()
        return floor

    def _decided(self, top: int, bottom: int) -> int | None:
        """The same, or None where the bits drawn so far leave it open."""
        whole, rest = divmod(top, bottom)
        if rest == 0:
            return whole
        # U lies in [drawn, drawn + 1) / 2^bits, and the answer is whole + 1 from `turn` on.
        turn = (bottom - rest) << self._bits
        if self._drawn * bottom >= turn:
            return whole + 1
        return whole if (self._drawn + 1) * bottom <= turn else None

    def _draw(self) -> None:
        self._drawn = self._drawn << 64 | self._source.bits(64)
        self._bits += 64

    def floor_of(self, value: object, g: Fraction, start: Fraction = _ZERO) -> int:
        """floor((value - start)/g + U)."""
        if type(value) is float or (type(value) is int and -LARGEST <= value <= LARGEST):
            top, bottom = value.as_integer_ratio()
            if not start:
                return self.floor_of_sum(top * g.denominator, bottom * g.numerator)
        number = exact_number(value)
        while True:
            place = (beside(number, g.denominator * start.denominator << self._bits) - start) / g
            floor = self._decided(place.numerator, place.denominator)
            if floor is not None:
                return floor
            self._draw()


class GridRounder:
    """Rounds to the multiples of g, many floats at a time."""

    def __init__(self, g: Fraction) -> None:
        self.g = g
        # 1/g = rate * 2^power with 2^63 <= rate < 2^64, cut to a whole number.
        power = g.denominator.bit_length() - g.numerator.bit_length() - 64
        while True:
            top = g.denominator << max(0, -power)
            rate = top // (g.numerator << max(0, power))
            if rate >> 64:
                power += 1
            elif rate >> 63 == 0:
                power -= 1
            else:
                break
        self._power = power
        self._rate_high, self._rate_low = np.uint64(rate >> 32), np.uint64(rate & (2**32 - 1))

    def floors(
        self, values: NDArray[np.float64], words: Words, source: Entropy
    ) -> tuple[Ints, dict[int, int]]:
        """(floor(value/g + U) for each value, those of them that are kept apart as large).

        `words` are the first 64 bits of each U. All values are finite.
        """
        rounded = np.empty(len(values), dtype=np.int64)
        open_ = np.empty(len(values), dtype=np.bool_)
        for start in range(0, len(values), BLOCK):
            block = slice(start, start + BLOCK)
            rounded[block], open_[block] = self._fast(values[block], words[block])
        large: dict[int, int] = {}
        for i in np.flatnonzero(open_).tolist():
            exact = UniformNumber(int(words[i]), source).floor_of(float(values[i]), self.g)
            if abs(exact) < 1 << 62:
                rounded[i] = exact
            else:
                rounded[i], large[i] = 0, exact
        return rounded, large

    def _fast(self, values: NDArray[np.float64], words: Words) -> tuple[Ints, NDArray[np.bool_]]:
        """(answers, where they are not to be used): what 64 bits of U decide, in 128 bits."""
        part, exponent = np.frexp(np.abs(values))
        m = np.ldexp(part, 53).astype(np.uint64)  # |value| = m 2^(exponent - 53), m < 2^53
        # |value|/g is between (high 2^64 + low) / 2^(64 + drop) and that plus m / 2^(64 + drop).
        drop = 53 - self._power - 64 - exponent.astype(np.int64)
        drop[m == 0] = 0
        open_ = (drop < 0) | (drop > 63)
        drop[open_] = 0
        shift = drop.astype(np.uint64)
        high, low = self._product(m)
        whole = high >> shift
        share = (high << (np.uint64(63) - shift)) << _ONE
        share |= low >> shift
        width = (m >> shift) + np.uint64(2)
        # In units of 2^-64, |value|/g lies in [whole share, whole share + width): flip the sign.
        negative = values < 0
        end = share + width
        flipped = (whole + (end < width)).view(np.int64)
        np.negative(flipped, out=flipped)
        flipped -= end != 0
        whole_signed = np.where(negative, flipped, whole.view(np.int64))
        share = np.where(negative, np.negative(end), share)
        total = share + words
        whole_signed += total < words
        open_ |= total + width < width  # the sum may or may not reach the next whole number
        return whole_signed, open_

    def _product(self, m: Words) -> tuple[Words, Words]:
        """m times the rate: 53 by 64 bits, as two words."""
        m_high, m_low = m >> _HALF, m & _LOW
        low = m_low * self._rate_low
        middle = m_low * self._rate_high
        middle += low >> _HALF
        other = m_high * self._rate_low
        other += middle & _LOW
        high = m_high * self._rate_high
        high += middle >> _HALF
        high += other >> _HALF
        return high, (other << _HALF) | (low & _LOW)
