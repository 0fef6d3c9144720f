"""Strategies for Laplace noise, whose columns have sums of sizes of 1: counts alone, or with sums.

The counts themselves, and the best of [I; T] D, D diagonal and T not negative, by descent (the
p-identity strategies of McKenna, Miklau, Hay and Machanavajjhala 2018). Proposals: the checker
proves what comes of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as sl

from ...certify.noise.strategy import TallStrategy
from ...numeric import Floats


@dataclass(frozen=True)
class SumSettings:
    """Numbers of the descent.

    Found by trial with `benchmarks/workloads.py`.
    """

    #: Rows of T beside the counts: one for so many counts, two or more; rounds of the descent.
    each: int = 8
    least: int = 2
    rounds: int = 300


SETTINGS = SumSettings()


def counts_alone(rank: int) -> TallStrategy:
    """Each count by itself, in whole numbers."""
    return TallStrategy(0, tuple(tuple(int(i == j) for j in range(rank)) for i in range(rank)))


def with_sums(cost: Floats, bits: int) -> TallStrategy:
    """Counts and weighted sums of them: tr(K (Y^T Y)^-1) by descent."""
    from scipy.optimize import minimize  # (slow to import)

    n = len(cost)
    extra = max(SETTINGS.least, n // SETTINGS.each)

    def value(x: Floats) -> tuple[float, Floats]:
        t = x.reshape(extra, n)
        c = 1 + t.sum(axis=0)
        inverse = sl.inv(np.eye(n) + t.T @ t, check_finite=False)
        scaled = cost * np.outer(c, c)
        g = inverse @ scaled @ inverse
        slope = -2 * t @ g + 2 * ((inverse * cost) @ c)[None, :]
        return float((inverse * scaled).sum()), slope.ravel()

    start = np.random.default_rng(0).random(extra * n)
    optimum = minimize(
        value,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (extra * n),
        options={"maxiter": SETTINGS.rounds},
    )
    t = optimum.x.reshape(extra, n)
    c = 1 + t.sum(axis=0)
    y = np.vstack([np.eye(n), t]) / c
    # Rounded down, so that no column sums up to more than 1; counts are never left out.
    whole = np.floor(y * 2.0**bits).astype(np.int64)
    return TallStrategy(bits, tuple(tuple(map(int, row)) for row in whole))


def inverse_rows(strategy: TallStrategy, bits: int) -> tuple[tuple[int, ...], ...]:
    """The inverse of Y^T Y in whole numbers."""
    y = np.array(strategy.rows, dtype=float) / 2.0**strategy.bits
    inverse = sl.inv(y.T @ y)
    inverse *= 2.0**bits / np.abs(inverse).max()
    return tuple(tuple(int(x) for x in row) for row in np.rint(inverse))
