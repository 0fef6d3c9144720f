"""Hockey sticks of float weights at all whole shifts, and which shifts a program needs next.

Floating point: these numbers steer the search and never become a claim. Why whole shifts
suffice: `shifts.proof.md`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def hockey_sticks(
    weights: Floats, exp_epsilon: float, n: int, events: slice, symmetric: bool
) -> tuple[NDArray[np.int64], Floats]:
    """(shifts, V) with V(m) = sum over `events` of max(0, w(i) - e^eps w(i-m)), 1 <= |m| <= n.

    `weights` must carry at least n further entries on both sides of `events`. A symmetric
    vector yields m > 0 only.
    """
    sizes = np.arange(1, n + 1)
    shifts = sizes if symmetric else np.concatenate([sizes, -sizes])
    values = np.empty(len(shifts))
    ahead = weights[events]
    scaled = exp_epsilon * weights
    start, stop = events.start, events.stop
    for k, m in enumerate(shifts):
        excess = ahead - scaled[start - m : stop - m]
        values[k] = np.maximum(excess, 0.0, out=excess).sum()
    return shifts, values


def worst_local_maxima(
    shifts: NDArray[np.int64], values: Floats, limit: float, most: int
) -> list[int]:
    """At most `most` shifts above `limit` that are local maxima of V, the worst first."""
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = (values >= padded[:-2]) & (values >= padded[2:]) & (values > limit)
    found = np.flatnonzero(peaks)
    order = np.argsort(-values[found], kind="stable")[:most]
    return [int(m) for m in shifts[found[order]]]
