"""Gaussian and Laplace noise in whole steps, exactly: rounded normal draws, and discrete ones.

A normal number is drawn bit by bit, as many as are needed to know its nearest multiple of a step
(after Karney 2016); the discrete laws after Canonne, Kamath and Steinke (2020). Statements
and proofs: `normal.proof.md`.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ..errors import ArgumentError
from .entropy import Entropy
from .exponential import exp_enclosure

#: Bits that are drawn at first of a uniform number, and of each coin.
_BITS = 64
#: e^-t for whole t, to this many bits, is kept.
_KEPT = [exp_enclosure(Fraction(t), _BITS) for t in range(100)]
_HALF = exp_enclosure(Fraction(1, 2), _BITS)


def coin(t: Fraction, entropy: Entropy, first: tuple[int, int] | None = None) -> bool:
    """True with probability exactly e^-t, t >= 0. first: its enclosure to 64 bits, if known."""
    drawn, bits = entropy.bits(_BITS), _BITS
    low, high = first or exp_enclosure(t, bits)
    while True:
        if drawn + 1 <= low:
            return True
        if drawn >= high:
            return False
        drawn = (drawn << bits) | entropy.bits(bits)
        bits *= 2
        low, high = exp_enclosure(t, bits)


class RoundedNormal:
    """Draws the whole number nearest to scale * Z, Z standard normal, exactly."""

    def __init__(self, scale: Fraction) -> None:
        if scale <= 0:
            raise ArgumentError("scale", scale, "positive")
        self._top, self._below = scale.numerator, scale.denominator
        #: So many bits of Z behind the point are likely to be enough.
        self._bits = max(_BITS, 32 + max(0, self._top.bit_length() - self._below.bit_length() + 1))

    def sample_one(self, entropy: Entropy) -> int:
        """One draw."""
        while True:
            k = 0
            while coin(Fraction(1, 2), entropy, _HALF):
                k += 1
            square = k * (k - 1) // 2
            if square and not coin(
                Fraction(square), entropy, _KEPT[square] if square < len(_KEPT) else None
            ):
                continue
            decided = self._fraction(k, entropy)
            if decided is not None:
                break
        x, bits = decided
        while True:
            # |Z| lies in [k + x/2^bits, k + (x + 1)/2^bits).
            whole = (k << bits) + x
            low = (2 * self._top * whole + (self._below << bits)) // (self._below << (bits + 1))
            top = 2 * self._top * (whole + 1) + (self._below << bits)
            high = -(-top // (self._below << (bits + 1))) - 1
            if low == high:
                return low if entropy.bits(1) else -low
            x, bits = (x << _BITS) | entropy.bits(_BITS), bits + _BITS

    def _fraction(self, k: int, entropy: Entropy) -> tuple[int, int] | None:
        """(x, bits) of a uniform number, accepted with probability e^(-x (2k + x)/2); None: not."""
        bits = self._bits
        x, drawn = entropy.bits(bits), entropy.bits(bits)
        while True:
            # The exponent at the near end; at the far end it is at most (k + 1)/2^bits larger.
            low, high = exp_enclosure(
                Fraction(x * ((k << (bits + 1)) + x), 1 << (2 * bits + 1)), bits
            )
            low -= k + 2
            if drawn + 1 <= low:
                return x, bits
            if drawn >= high:
                return None
            x = (x << _BITS) | entropy.bits(_BITS)
            drawn = (drawn << _BITS) | entropy.bits(_BITS)
            bits += _BITS

    def sample(self, size: int, entropy: Entropy) -> list[int]:
        """So many independent draws."""
        return [self.sample_one(entropy) for _ in range(size)]


class LaplaceSampler:
    """Draws k with probability exactly in proportion to e^(-rate |k|), k whole, rate rational."""

    def __init__(self, rate: Fraction) -> None:
        if rate <= 0:
            raise ArgumentError("rate", rate, "positive")
        self._top, self._below = rate.numerator, rate.denominator

    def sample_one(self, entropy: Entropy) -> int:
        """One draw."""
        b = self._below
        while True:
            low = entropy.below(b)
            if low and not coin(Fraction(low, b), entropy):
                continue
            high = 0
            while coin(Fraction(1), entropy, _KEPT[1]):
                high += 1
            size = (low + b * high) // self._top
            negative = entropy.bits(1)
            if not (negative and size == 0):
                return -size if negative else size

    def sample(self, size: int, entropy: Entropy) -> list[int]:
        """So many independent draws."""
        return [self.sample_one(entropy) for _ in range(size)]


class GaussianSampler:
    """Draws k with probability exactly in proportion to e^(-k^2/(2 square)), k whole."""

    def __init__(self, square: Fraction) -> None:
        if square <= 0:
            raise ArgumentError("square", square, "positive")
        self._square = square
        self._scale = isqrt(int(square)) + 1
        self._proposal = LaplaceSampler(Fraction(1, self._scale))

    def sample_one(self, entropy: Entropy) -> int:
        """One draw."""
        square, t = self._square, self._scale
        while True:
            k = self._proposal.sample_one(entropy)
            gap = abs(k) - square / t
            if coin(gap * gap / (2 * square), entropy):
                return k

    def sample(self, size: int, entropy: Entropy) -> list[int]:
        """So many independent draws."""
        return [self.sample_one(entropy) for _ in range(size)]
