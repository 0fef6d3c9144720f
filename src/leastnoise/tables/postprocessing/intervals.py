"""Confidence intervals of counts, of their sums, differences and proportions.

From the unbiased release and what is known of counts. Statement and proof: `intervals.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy import fft

from ...errors import ArgumentError, Described
from ...numeric import Floats

#: Numbers in a distribution of a sum; beyond it, Chernoff's bound.
_MOST = 1 << 23
#: What floats lose of a probability.
_LOST = 1e-9
#: e to this power is still a float.
_LARGEST_EXPONENT = 700
#: An interval, with its ends.
Ends = tuple[Fraction, Fraction]


def count_interval(published: int, released: Fraction, ends: Ends) -> tuple[int, int]:
    """The integers from 0 on of the interval around a released number, and the published one.

    A number below 0 counts as 0: nearer to every count, so the interval around it holds as well,
    and is never empty.

    Example: a count that was released as -1, within 5/2 of the truth.

        >>> count_interval(0, Fraction(-1), (Fraction(-7, 2), Fraction(3, 2)))
        (0, 2)
    """
    above = ends[1] - min(released, Fraction(0))
    low, high = max(0, math.ceil(ends[0])), math.floor(above)
    return min(low, published), max(high, published)


def sum_error(masses: Floats, plus: int, minus: int, confidence: float) -> int:
    """What the size of a sum of so many draws, less so many others, stays within.

    masses: of the integers from -(n-1)/2 to (n-1)/2, the noise of one draw. The draws are
    independent. From the exact distribution of the sum; Chernoff's bound where that is too long.

    Example: two draws of -1, 0 or 1.

        >>> sum_error(np.array([0.25, 0.5, 0.25]), 2, 0, 0.8)
        1
    """
    half, count = len(masses) // 2, plus + minus
    # What the list of one draw does not hold counts as beyond everything.
    beyond = 1 - confidence - max(0.0, 1 - float(masses.sum())) * count
    if beyond <= _LOST:
        raise ArgumentError("masses", Described("a part of all"), "nearly all of the noise")
    size = 2 * half * count + 1
    if size > _MOST:
        return _chernoff(masses, plus, minus, beyond)
    length = fft.next_fast_len(size, real=True)
    padded = np.zeros(length)
    padded[: len(masses)] = masses
    wave = fft.rfft(padded)
    total = fft.irfft(wave**plus * np.conj(wave) ** minus, length)
    # (A draw of minus begins at -half as well, once it is turned round.)
    total = np.roll(total, half * (minus - plus))
    sizes = np.abs(
        np.concatenate([np.arange(length // 2 + length % 2), np.arange(-(length // 2), 0)])
    )
    tails = np.bincount(sizes, weights=np.maximum(total, 0.0))
    above = np.cumsum(tails[::-1])[::-1]  # of a size of at least so much
    good = np.flatnonzero(np.append(above[1:], 0.0) + _LOST <= beyond)
    return int(good[0])


def _chernoff(masses: Floats, plus: int, minus: int, beyond: float) -> int:
    """A bound for both sides together."""
    half = len(masses) // 2
    at = np.arange(-half, half + 1, dtype=float)
    std = math.sqrt(float(masses @ at**2)) or 1.0
    best = float(half * (plus + minus))  # the sum is never further from 0
    for scaled in np.geomspace(0.02, 6, 60):
        rate = scaled / (std * math.sqrt(plus + minus))
        if rate * half > _LARGEST_EXPONENT:
            break
        both = []
        for sign in (1, -1):
            grown = float(masses @ np.exp(sign * rate * at))
            fallen = float(masses @ np.exp(-sign * rate * at))
            log = plus * math.log(grown) + minus * math.log(fallen)
            both.append((log + math.log(2 / beyond)) / rate)
        best = min(best, max(both))
    return math.ceil(best * (1 + _LOST))


def proportion_interval(part: Ends, rest: Ends) -> tuple[float, float]:
    """All values of part / (part + rest) for counts in two intervals; 0 to 1 if both can be 0.

    Example: 8 to 12 of something, and 28 to 32 others.

        >>> part, rest = (Fraction(8), Fraction(12)), (Fraction(28), Fraction(32))
        >>> proportion_interval(part, rest)
        (0.2, 0.3)
    """
    low, high = max(Fraction(0), part[0]), max(Fraction(0), part[1])
    least, most = max(Fraction(0), rest[0]), max(Fraction(0), rest[1])
    lowest = low / (low + most) if low + most > 0 else Fraction(0)
    highest = high / (high + least) if high + least > 0 else Fraction(1)
    return float(lowest), float(highest)


def split_confidence(confidence: float) -> float:
    """What two intervals need, so that both hold together, whatever they have in common."""
    return (1 + confidence) / 2


def masses_of(cdf: Callable[[Floats], Floats], reach: int) -> Floats:
    """The masses of the integers from -reach to reach of noise on the integers."""
    return np.diff(cdf(np.arange(-reach - 1, reach + 1, dtype=float)))
