"""Arrays of numbers, and small numerical tools: geometric sums and Gauss-Legendre panels."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Above this many terms a sum is done in closed form, and a list of steps is rejected.
MANY = 4_000_000


def floats(x: ArrayLike) -> Floats:
    """`x` as an array of doubles."""
    return np.asarray(x, dtype=np.float64)


def powers_sum(rate: float, count: ArrayLike) -> Floats:
    """sum of e^(-rate*j) for j = 0 .. count-1, to full relative accuracy; count may be inf."""
    if rate == 0:
        return floats(count)
    return floats(np.expm1(-rate * floats(count)) / math.expm1(-rate))


def geometric_sums(rate: float, count: float) -> tuple[float, float, float]:
    """(sum q^k, sum k q^k, sum k^2 q^k) over k = 1 .. count, with q = e^-rate; count may be inf.

    The closed forms cancel when rate*count is small, hence the plain sum for short ones.
    """
    if math.isinf(count):
        q, w = math.exp(-rate), -math.expm1(-rate)
        return q / w, q / w**2, q * (1 + q) / w**3
    if rate == 0:
        n = count
        return n, n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6
    if count <= MANY:
        k = np.arange(1.0, count + 1)
        weights = np.exp(-rate * k)
        return float(weights.sum()), float(weights @ k), float(weights @ (k * k))
    q, w, last = math.exp(-rate), -math.expm1(-rate), math.exp(-rate * (count + 1))
    s0 = q * -math.expm1(-rate * count) / w
    s1 = (s0 - count * last) / w
    return s0, s1, (2 * s1 - s0 - count * count * last) / w


@lru_cache(maxsize=8)
def legendre(nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights on [-1, 1]."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return floats(x), floats(w)


def integrate(function: Callable[[Floats], Floats], edges: ArrayLike, nodes: int = 16) -> float:
    """Integral of `function` over [edges[0], edges[-1]], Gauss-Legendre on each panel.

    Exact up to rounding where `function` is a polynomial of degree < 2*nodes on every panel.
    """
    edge = floats(edges)
    x, w = legendre(nodes)
    total = 0.0
    chunk = MANY // nodes
    for start in range(0, len(edge) - 1, chunk):
        lo, hi = edge[start : start + chunk + 1][:-1], edge[start + 1 : start + chunk + 1]
        half = (hi - lo) / 2
        points = ((lo + hi) / 2)[:, None] + half[:, None] * x
        total += float(half @ (function(points.ravel()).reshape(points.shape) @ w))
    return total
