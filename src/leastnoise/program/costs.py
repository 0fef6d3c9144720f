"""Losses of cells in floats, for the costs of programs; exact where a loss has a kink."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..certify.certificates.weak_duality import floors_on
from ..losses import Loss
from ..numeric import Floats

_LONG_RUN = 400  # whole numbers; from here on a run is as good as an interval


@lru_cache(maxsize=1)
def _gauss() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(5)


def cell_means(loss: Loss, lo: Floats, hi: Floats) -> Floats:
    """Mean of the loss over each [lo, hi], in floats: Gauss's rule, exact where it has a kink."""
    nodes, weights = _gauss()
    points = (lo + hi)[:, None] / 2 + (hi - lo)[:, None] / 2 * nodes[None, :]
    means = np.asarray(loss(points) @ weights / 2)
    for t in map(float, loss.kinks):
        for k in np.flatnonzero((lo < t) & (t < hi)):
            means[k] = float(loss.cell_mean(Fraction(lo[k]), Fraction(hi[k])))
    return means


def run_means(loss: Loss, lo: Floats, hi: Floats) -> Floats:
    """Mean of the loss over the whole numbers in each [lo, hi): long runs as intervals."""
    costs, first = cell_means(loss, lo, hi), np.ceil(lo)
    count = np.ceil(hi) - first
    short = np.flatnonzero((hi - lo < _LONG_RUN) & (count > 0))
    if len(short):
        length = count[short].astype(np.int64)
        start = np.cumsum(length) - length
        whole = np.repeat(first[short] - start, length) + np.arange(length.sum())
        costs[short] = np.add.reduceat(loss(whole), start) / length
    return costs


@lru_cache(maxsize=64)
def floors(loss: Loss, step: Fraction, integer: bool, edge: int) -> Floats:
    """k_i of the cells -edge..edge, rounded to floats: the costs of a lower bound."""
    first = 0 if loss.symmetric else -edge
    half = list(map(float, floors_on(loss, first, edge, step, integer)))
    return np.array(half[:0:-1] + half if loss.symmetric else half)


@lru_cache(maxsize=64)
def means(loss: Loss, step: Fraction, integer: bool, radius: int) -> Floats:
    """Mean loss over the centred cells -radius..radius (at the integers, for integer noise)."""
    cells = np.arange(-radius, radius + 1, dtype=np.float64)
    if integer:
        return np.asarray(loss(cells))
    return cell_means(loss, (cells - 0.5) * float(step), (cells + 0.5) * float(step))
