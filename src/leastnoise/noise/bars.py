"""Error bars of sums of independent integer draws, on the safe side: `bars.proof.md`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import fft

from ..numeric import Floats

#: The sizes of the coefficients of one answer, each with how many there are.
Pattern = tuple[tuple[float, int], ...]
#: A transform of so many numbers takes about 10 ms; all sums together have so many.
LONGEST, _ALL = 1 << 18, 1 << 22
#: What floats lose of a probability, and what is left beyond the end of a list.
_LOST = 1e-9
#: Rates that Chernoff's bound is tried at.
RATES = np.linspace(0.02, 0.98, 49)


def laplace_bars(rate: float, many: Floats, beyond: float, draws: int) -> Floats:
    """What sums of so many independent draws pass in size with a probability of at most `beyond`.

    P(k) is in proportion to e^(-rate |k|). The largest coefficient of each sum is 1 in size, and
    `many` are the sums of their squares. By Chernoff's bound, which knows no more of them, and on a
    fine grid by what it is for a density that is log-concave.
    """
    bars = np.full(len(many), laplace_bar(rate, beyond))
    several = many > 1 + 1e-9
    moved = np.sqrt(draws * many)  # at least by how much draws without a grid differ
    for share in RATES:
        t, log = share * rate, math.log(2 / beyond)
        bar = (log + many * laplace_moment(rate)(t)) / t
        peak = np.log(np.maximum(1.0, share * np.sqrt(many)))
        smooth = (log - many * math.log1p(-(share**2)) - peak) / t + moved
        best = np.minimum(bar, smooth)
        bars = np.where(several, best if share == RATES[0] else np.minimum(bars, best), bars)
    return np.where(many > 0, bars, 0.0)  # (an answer that is known has none)


def laplace_moment(rate: float) -> Callable[[float], float]:
    """log E e^(tN) for 0 <= t < rate."""

    def log_moment(t: float) -> float:
        return -math.log1p(-((math.sinh(t / 2) / math.sinh(rate / 2)) ** 2))

    return log_moment


def laplace_masses(rate: float) -> Floats:
    """P(N = k) for k from -h to h, with next to nothing left; empty where that is too long."""
    half = int(laplace_bar(rate, _LOST * 1e-6))
    if 2 * half + 1 > LONGEST:
        return np.zeros(0)
    falling = np.exp(-rate * np.abs(np.arange(-half, half + 1, dtype=float)))
    return np.asarray(falling * math.tanh(rate / 2))


def laplace_bar(rate: float, beyond: float) -> float:
    """What one draw passes in size with a probability of at most `beyond`."""
    level = math.log(2 / (beyond * (1 + math.exp(-rate))))
    return max(0.0, math.ceil(level / rate - 1e-9) - 1.0)


def pattern_bars(
    alone: float,
    masses: Floats,
    log_moment: Callable[[float], float],
    rates: Sequence[float],
    patterns: Sequence[Pattern],
    beyond: float,
) -> Floats:
    """What sums of independent draws pass in size with a probability of at most `beyond`.

    alone: what one draw passes with at most this probability.
    masses: of the integers from -h to h, the noise of one draw; empty where they are too many.
    log_moment: at least log E e^(tN), of a symmetric N, at these rates. Where all coefficients of a
    sum are alike: the exact distribution of the sum, by a Fourier transform. Otherwise, and where
    that is too long: Chernoff's bound.
    """
    known: dict[Pattern, float] = {}
    room = _ALL
    for pattern in set(patterns):
        size = max((x for x, _ in pattern), default=0.0)
        draws = sum(n for _, n in pattern)

        def log_of_sum(t: float, pattern: Pattern = pattern, size: float = size) -> float:
            return sum(n * log_moment(t * x / size) for x, n in pattern)

        if draws <= 1:
            known[pattern] = size * draws * alone
            continue
        length = 0
        if len(pattern) == 1 and len(masses):
            far = min((math.log(2 / _LOST) + log_of_sum(t)) / t for t in rates)
            length = fft.next_fast_len(2 * math.ceil(max(far, len(masses))) + 1, real=True)
        if 0 < length <= min(LONGEST, room):
            room -= length
            known[pattern] = size * _exact(masses, draws, length, beyond)
        else:
            known[pattern] = size * min((math.log(2 / beyond) + log_of_sum(t)) / t for t in rates)
    return np.array([known[pattern] for pattern in patterns])


def _exact(masses: Floats, draws: int, length: int, beyond: float) -> int:
    """Of a sum of so many draws, added up on a ring beyond which next to nothing is."""
    padded = np.zeros(length)
    half = len(masses) // 2
    padded[: half + 1], padded[length - half :] = masses[half:], masses[:half]
    total = np.maximum(fft.irfft(fft.rfft(padded) ** draws, length), 0.0)
    sizes = np.minimum(np.arange(length), length - np.arange(length))
    above = np.cumsum(np.bincount(sizes, weights=total)[::-1])[::-1]  # of a size of at least this
    missing = max(0.0, 1 - float(masses.sum())) * draws + 2 * _LOST
    good = np.flatnonzero(np.append(above[1:], 0.0) + missing <= beyond)
    return int(good[0]) if len(good) else length
