"""Draw the number of repeats of a geometric tail, exactly.

The binary digits of a geometric variable are independent coins, so a ratio close to 1 costs
log2(1/(1 - ratio)) coins instead of 1/(1 - ratio). Statement and proof: `geometric.proof.md`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, LeastnoiseError
from .entropy import Entropy

#: A coin reads this many bits first: few ties, and four coins from one word.
_FIRST_BITS = 16


class GridOverflowError(LeastnoiseError, OverflowError):
    """A draw does not fit a 64-bit integer; it is refused, never wrapped around."""


class Coin:
    """True with probability exactly x, or x / (1 + x) if `odds`, for x = ratio^(2^doublings).

    Uniform bits are compared with enclosures of the probability that tighten until they differ,
    so the huge numerator and denominator of x are never formed.
    """

    def __init__(self, ratio: Fraction, doublings: int, *, odds: bool) -> None:
        self._ratio = ratio
        self._doublings = doublings
        self._odds = odds
        lower, upper = self.enclosure(64)
        spare = 64 - _FIRST_BITS
        # First bits below `_true` mean True, from `_false` on they mean False.
        self._true = lower >> spare
        self._false = -(-upper >> spare)

    def enclosure(self, bits: int) -> tuple[int, int]:
        """Integers with lower <= 2^bits * probability <= upper, tight to a few units."""
        # Squaring doubles the relative error: one guard bit each time, and some for rounding.
        guard = 2 * self._doublings + 8
        unit = 1 << (bits + guard)
        lower = unit * self._ratio.numerator // self._ratio.denominator
        upper = -(-unit * self._ratio.numerator // self._ratio.denominator)
        for _ in range(self._doublings):
            lower = lower * lower // unit
            upper = -(-upper * upper // unit)
        if self._odds:
            lower = unit * lower // (unit + lower)
            upper = -(-unit * upper // (unit + upper))
        return lower >> guard, -(-upper >> guard)

    def flip_one(self, entropy: Entropy) -> bool:
        """One flip."""
        first = entropy.bits(_FIRST_BITS)
        if self._true <= first < self._false:
            return self._settle(first, entropy)
        return first < self._true

    def flip(self, size: int, entropy: Entropy) -> NDArray[np.bool_]:
        """`size` independent flips."""
        chunks = np.frombuffer(entropy.bytes(size * _FIRST_BITS // 8), dtype="<u2")
        result = chunks < self._true
        undecided = np.flatnonzero((chunks >= self._true) & (chunks < self._false))
        for i in undecided.tolist():
            result[i] = self._settle(int(chunks[i]), entropy)
        return result

    def _settle(self, first: int, entropy: Entropy) -> bool:
        # The uniform number lies in [drawn, drawn + 1) / 2^bits.
        drawn, bits = first, _FIRST_BITS
        while True:
            drawn = (drawn << 64) | entropy.bits(64)
            bits += 64
            lower, upper = self.enclosure(bits + 64)
            if (drawn + 1) << 64 <= lower:
                return True
            if drawn << 64 >= upper:
                return False


class GeometricSampler:
    """Draws K with P(K >= k) = ratio^k exactly, for a rational ratio strictly between 0 and 1."""

    def __init__(self, ratio: Fraction) -> None:
        if not 0 < ratio < 1:
            raise ArgumentError("ratio", ratio, "strictly between 0 and 1")
        # K = low digits + 2^m * high. Any m is right; this one leaves high few repeats.
        digits = 0
        while Coin(ratio, digits, odds=False).enclosure(64)[1] > 1 << 63:
            digits += 1
        self._digits = [Coin(ratio, i, odds=True) for i in range(digits)]
        self._again = Coin(ratio, digits, odds=False)

    def most(self, bits: int) -> int:
        """A number that a draw exceeds with probability at most 2^-bits."""
        # Each repeat of the last coin has probability at most 1/2 (`geometric.proof.md`).
        return (bits + 1) << len(self._digits)

    def sample_one(self, entropy: Entropy) -> int:
        """One draw, of any size."""
        result = sum(coin.flip_one(entropy) << i for i, coin in enumerate(self._digits))
        while self._again.flip_one(entropy):
            result += 1 << len(self._digits)
        return result

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """`size` independent draws; GridOverflowError if one could exceed 2^62."""
        if len(self._digits) > 61:
            raise GridOverflowError("the ratio is so close to 1 that draws exceed 64 bits")
        result = np.zeros(size, dtype=np.int64)
        for i, coin in enumerate(self._digits):
            result += coin.flip(size, entropy).astype(np.int64) << i
        active = np.flatnonzero(self._again.flip(size, entropy))
        while active.size:
            result[active] += 1 << len(self._digits)
            # At most 2^62 before and 2^61 added: the sum itself cannot wrap.
            if int(result[active].max()) > 1 << 62:
                raise GridOverflowError("a draw of the geometric tail exceeds 2^62")
            active = active[self._again.flip(active.size, entropy)]
        return result
