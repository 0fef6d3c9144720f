"""Long prefix sums and ranges: the rows of the square-root strategy, and weights.

The inverse of W^T W is tridiagonal, so the fixed point needs the eigenvalues of tridiagonal
matrices alone. Proposals: the checker proves what comes of them
(`certify/noise/workloads/root_strategy.proof.md`).
"""

from __future__ import annotations

import time

import numpy as np
import scipy.linalg as sl

from ...certify.noise.workloads.root_strategy import (
    ROW_BITS,
    SINGULAR_BITS,
    PrefixProof,
    RootStrategy,
)
from ...numeric import Floats
from .optimise import Fixed, FixedPointStep

#: Bits of the strategy and of the largest weight; rounds of the descent; where weights are good:
#: what is lost is of the second order in this.
_BITS, _WEIGHT_BITS, _ROUNDS, _NEAR = 40, 24, 30, 1e-3


def best_roots(n: int, seconds: float) -> tuple[RootStrategy, PrefixProof]:
    """The best row scales that a descent finds, and the best weights."""
    end = time.monotonic() + seconds
    rows = np.rint(_row_scales(n, seconds / 2) * 2.0**ROW_BITS)
    proof = best_weights(n, max(0.1, end - time.monotonic()))
    return RootStrategy(_BITS, tuple(max(1, int(row)) for row in rows)), proof


def _series(n: int, sign: int) -> Floats:
    """The coefficients of (1 - x)^(-sign/2)."""
    k = np.arange(1, n)
    return np.concatenate([[1.0], np.cumprod((2 * (k - 1) + sign) / (2 * k))])


def _row_scales(n: int, seconds: float) -> Floats:
    """a for which diag(a) T with columns of length 1 costs least.

    With h_j the lengths of columns and P = W diag(h) T^-1 the cost is sum of |P_k|^2/a_k^2.
    """
    from scipy.optimize import minimize  # (slow to import)

    squares = np.tril(sl.toeplitz(_series(n, 1) ** 2))
    inverse = np.asfortranarray(np.tril(sl.toeplitz(_series(n, -1))))  # (summed along columns)
    end = time.monotonic() + seconds
    best: list[Floats] = [np.zeros(n)]

    def cost(logs: Floats) -> tuple[float, Floats]:
        scales = np.exp(2 * logs)
        h = np.sqrt(squares.T @ scales)
        p = np.cumsum(h[:, None] * inverse, axis=0)
        each = (p**2).sum(axis=0) / scales
        later = np.cumsum(p[::-1], axis=0)[::-1]
        slope = squares @ ((inverse * later) @ (1 / scales) / h) - each / scales
        return float(each.sum()) / n, slope * 2 * scales / n

    def seen(logs: Floats) -> None:
        best[0] = logs
        if time.monotonic() > end:
            raise StopIteration

    options = {"maxiter": _ROUNDS}
    minimize(cost, best[0], jac=True, method="L-BFGS-B", callback=seen, options=options)
    return np.asarray(np.exp(best[0] - best[0].max()))


def _spectrum(v: Floats, ranges: bool) -> tuple[Floats, Floats]:
    """(singular values of W diag(v)^(1/2), vectors)."""
    d = np.sqrt(v)
    diagonal = np.full(len(v), 2.0)
    diagonal[0] = 2.0 if ranges else 1.0
    values, q = sl.eigh_tridiagonal(diagonal / v, -1 / (d[:-1] * d[1:]))
    return np.sqrt((len(v) + 1 if ranges else 1) / values), q


def best_weights(n: int, seconds: float, ranges: bool = False) -> PrefixProof:
    """What proves the bound from below of n prefix sums, or of all ranges of n counts."""

    def step(t: Floats) -> FixedPointStep:
        v = np.exp(t - t.max())
        v /= v.sum()
        values, q = _spectrum(v, ranges)
        ratios = (q**2 @ values) / (values.sum() * v)
        return FixedPointStep(values.sum() ** 2, np.log(ratios), float(ratios.max() - 1), v)

    best, _ = Fixed().solve(step, n, _NEAR, seconds)
    whole = np.maximum(1, np.rint(best.weights / best.weights.max() * 2.0**_WEIGHT_BITS))
    values = np.floor(_spectrum(whole, ranges)[0] * (1 - 1e-7) * 2.0**SINGULAR_BITS)
    return PrefixProof(tuple(map(int, whole)), tuple(max(1, int(value)) for value in values))
