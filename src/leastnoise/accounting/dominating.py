"""Hockey sticks, and the privacy losses of a pair of distributions that has a given curve.

Statements and proofs: `dominating.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..numeric import Floats, floats
from .law import Pair

#: Convolutions are cut where this much mass is left.
CUT = 1e-15
ROUNDING = 2.0**-52


def largest_loss(p: Floats, q: Floats) -> float:
    """The finite loss beyond which less than a tenth of the cut's mass lies."""
    both = (p > 0) & (q > 0)
    if not both.any():
        return 0.0
    loss = np.log(p[both]) - np.log(q[both])
    order = np.argsort(-loss)
    last = int(np.searchsorted(np.cumsum(p[both][order]), CUT / 10))
    return float(loss[order][min(last, len(order) - 1)])


def hockey(p: Floats, q: Floats, gammas: Floats) -> Floats:
    """sum max(0, p - gamma q) at rising gammas."""
    positive = p > 0
    p, q = p[positive], q[positive]
    with np.errstate(divide="ignore"):
        order = np.argsort(p / q)
        ratio = (p / q)[order]
    above_p = np.concatenate([np.cumsum(p[order][::-1])[::-1], [0.0]])
    above_q = np.concatenate([np.cumsum(q[order][::-1])[::-1], [0.0]])
    first = np.searchsorted(ratio, gammas, side="right")
    return floats(np.maximum(above_p[first] - gammas * above_q[first], 0.0))


def kinks(p: Floats, q: Floats, step: float, n: int) -> NDArray[np.int64]:
    """The grid points 0 .. n beside the kinks of a hockey stick, and both ends."""
    both = (p > 0) & (q > 0)
    below = np.floor((np.log(p[both]) - np.log(q[both])) / step)
    # One more to each side, should the logarithm have been rounded across a grid point.
    near = np.concatenate([below - 1, below, below + 1, below + 2])
    near = near[(near >= 0) & (near <= n)].astype(np.int64)
    return np.unique(np.concatenate([near, np.array([0, n], dtype=np.int64)]))


def upper_envelope(pairs: list[Pair], step: float, n: int) -> tuple[Floats, NDArray[np.int64]]:
    """(largest hockey stick, grid points): it is linear in gamma between these grid points."""
    gammas = np.exp(step * np.arange(n + 1))
    curve = np.zeros(n + 1)
    winner = np.zeros(n + 1, dtype=np.int64)
    for which, (p, q) in enumerate(pairs):
        value = hockey(p, q, gammas)
        better = value > curve + ROUNDING  # a tie is no change of winner
        winner[better] = which
        np.maximum(curve, value, out=curve)
    change = np.flatnonzero(np.diff(winner))
    index = np.unique(
        np.concatenate([change, change + 1, *(kinks(*pair, step, n) for pair in pairs)])
    )
    return curve[index], index


@dataclass(frozen=True)
class Losses:
    """Masses of the privacy losses (start + i) * step, and of an infinite one.

    Their curve differs from the one it was built from by at most `slack` at every grid point.
    """

    step: float
    start: int
    masses: Floats
    infinite: float
    slack: float

    def sum_of(self, terms: int) -> Losses:
        """The same, for a curve whose values are sums of so many terms, in floats."""
        return replace(self, slack=self.slack + sum_error(terms))


def sum_error(terms: int) -> float:
    """What rounding may do to a hockey stick that is a sum of so many terms."""
    return 4 * (terms + 16) * ROUNDING


def dots(step: float, index: NDArray[np.int64], curve: Floats, mirrored: Floats) -> Losses:
    """The losses whose curve joins the points (e^(i*step), curve[i]) by chords, i = -N .. N.

    `index` >= 0 holds some of 0 .. N, with both ends; `curve` are the values there and `mirrored`
    those of the opposite direction, which give h(1/gamma) = 1 - (1 - mirrored(gamma))/gamma.
    """
    gammas = np.exp(step * index)
    behind = 1 - (1 - mirrored[1:]) / gammas[1:]
    at = np.concatenate([-index[:0:-1], index]).astype(np.int64)
    value = np.concatenate([behind[::-1], curve])
    # Rounding must not make the curve rise, nor leave [0, 1].
    value = np.minimum.accumulate(np.clip(value, 0.0, 1.0))
    hull = _lower_hull(np.exp(step * at), value)
    at_kept, kept = at[hull], value[hull]
    # Slopes between the kept points; from gamma = 0, where every curve is 1, to the first.
    gaps = np.exp(step * at_kept[:-1]) * np.expm1(step * np.diff(at_kept))
    first = (kept[0] - 1) / math.exp(step * int(at_kept[0]))
    slopes = np.concatenate([[first], np.diff(kept) / gaps, [0.0]])
    dense = np.zeros(int(at[-1] - at[0]) + 1)
    dense[at_kept - at[0]] = np.maximum(np.exp(step * at_kept) * np.diff(slopes), 0.0)
    infinite = float(value[-1])
    # What the masses really give back at the points they were made from.
    losses = step * np.arange(at[0], at[-1] + 1)
    wide = np.longdouble
    above = np.cumsum(dense[::-1], dtype=wide)[::-1]
    below = np.cumsum((dense * np.exp(-losses.astype(wide)))[::-1])[::-1]
    back = infinite + (above - np.exp(losses.astype(wide)) * below)[at - at[0]]
    slack = float(np.abs(back - value).max()) + len(dense) * float(np.finfo(wide).eps)
    # Very negative losses hold next to nothing, and their absence halves the convolutions.
    empty = int(np.searchsorted(np.cumsum(dense), CUT / 10))
    slack += float(dense[:empty].sum())
    return Losses(step, int(at[0]) + empty, dense[empty:], infinite, slack)


def _lower_hull(x: Floats, y: Floats) -> list[int]:
    """Indices of the lower convex hull of points with rising x, ends included."""
    kept: list[int] = []
    xs, ys = x.tolist(), y.tolist()
    for k in range(len(xs)):
        while len(kept) >= 2:
            i, j = kept[-2], kept[-1]
            if (ys[j] - ys[i]) * (xs[k] - xs[j]) < (ys[k] - ys[j]) * (xs[j] - xs[i]):
                break
            kept.pop()
        kept.append(k)
    return kept
