"""Two ways to make float noise private: mix in noise that is strictly private, or an envelope.

(The third is a margin: a program that stays a little inside its budgets, `restricted.py`.)
Why they succeed: `repair.proof.md`. No claim rests on it; the exact check has the last word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ....numeric import Floats

#: How far inside delta a mixture stays, in turn, until the exact check passes.
MIXING_MARGINS = (1e-12, 1e-9, 1e-6)

#: From an epsilon to the hockey sticks of all pairs of one noise.
Sticks = Callable[[float], Floats]


def share_of_safe(
    sticks: Sticks, safe: Sticks, budgets: Sequence[tuple[float, float]], margin: float
) -> float | None:
    """How much of a strictly private noise a mixture needs to keep every budget (delta > 0).

    None if all of it is not enough.
    """
    share = 0.0
    for epsilon, delta in budgets:
        high, most = sticks(epsilon), delta * (1 - margin)
        over = high > most
        if not over.any():
            continue
        low = safe(epsilon)
        if (low[over] >= most).any():
            return None
        needed = float(((high - most)[over] / (high - low)[over]).max())
        share = max(share, needed * (1 + 1e-12) + 1e-15)
    return min(1.0, share)


def enveloped(weights: Floats, n: int, epsilon: float) -> Floats:
    """The least weights above these whose ratios obey e^epsilon at every shift up to n."""
    falling = math.exp(-epsilon * (1 - 1e-12))
    return np.maximum(_from_left(weights, n, falling), _from_left(weights[::-1], n, falling)[::-1])


def _from_left(weights: Floats, n: int, falling: float) -> Floats:
    """What the cells on the left ask of each cell, n cells after n cells."""
    rows = np.pad(weights, (0, -len(weights) % n)).reshape(-1, n)
    inside = np.maximum.accumulate(rows, axis=1)
    before = np.zeros(n)  # the n cells before, raised
    for row, so_far in zip(rows, inside, strict=True):
        largest = np.maximum.accumulate(before[::-1])[::-1]
        largest[1:] = np.maximum(largest[1:], so_far[:-1])
        before = row[:] = np.maximum(row, falling * largest)
    return rows.reshape(-1)[: len(weights)]
