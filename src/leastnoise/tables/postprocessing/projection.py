"""The nearest table of counts that are not negative, for totals that are fixed already.

Least squares with the variances of the noise. Statement and proof: `projection.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl

from ...numeric import Floats

#: Steps of the projected gradient: after 50 the errors of sums change by less than 2%.
_GRADIENT_STEPS = 100
#: Steps of the interior point method; it ends after about 15.
_STEPS = 40
#: It ends where all conditions hold up to this part of the numbers.
_ACCURACY = 1e-9
#: What is added to the diagonal of singular equations, as a part of it.
_SHIFTS = (1e-13, 1e-11, 1e-9, 1e-7)
#: Errors below this part of the largest one, as of a number that is known, are taken for it.
_LEAST_ERROR = 1e-6
#: How far a step goes towards the boundary.
_SHORT = 0.995


def variances_of(errors: Floats) -> Floats:
    """Positive numbers in proportion to the squares of these errors; 1 where all are 0."""
    largest = float(errors.max(initial=0.0))
    return np.maximum(errors / largest, _LEAST_ERROR) ** 2 if largest else np.ones(len(errors))


def on_simplex(values: Floats, total: float) -> Floats:
    """The nearest numbers from 0 on with this total: all are moved by the same, and cut at 0.

    values: of one variance, in any order. total: from 0 on.

    Example: one of three is cut, and the others keep the total.

        >>> on_simplex(np.array([5.0, -2.0, 4.0]), 7.0).tolist()
        [4.0, 0.0, 3.0]
    """
    falling = np.sort(values)[::-1]
    moves = (total - np.cumsum(falling)) / np.arange(1, len(values) + 1)
    kept = int(np.flatnonzero(falling + moves >= 0)[-1]) if len(values) else 0
    return np.asarray(np.maximum(values + moves[kept], 0.0))


def nearest_with_total(start: Floats, sums: Any, values: Floats, variances: Floats) -> Floats:
    """Numbers from 0 on with the total of `start` whose sums are near to the values.

    About the least sum of (sum - value)^2 / variance, by an accelerated projected gradient: for
    problems that are too large for equations.
    """
    total, scale = float(start.sum()), np.sqrt(variances.min() / variances)
    rows = sums.multiply(scale[:, None]).tocsr()
    wanted, turned = values * scale, rows.T.tocsr()
    # The largest eigenvalue of the Gram matrix of rows >= 0 is at most its largest row sum.
    step = 1 / float((turned @ (rows @ np.ones(len(start)))).max())
    here, ahead, speed = start, start, 1.0
    for _ in range(_GRADIENT_STEPS):
        moved = on_simplex(ahead - step * (turned @ (rows @ ahead - wanted)), total)
        faster = (1 + np.sqrt(1 + 4 * speed**2)) / 2
        ahead = moved + (speed - 1) / faster * (moved - here)
        here, speed = moved, faster
    return here


def monotone(values: Floats, variances: Floats) -> Floats:
    """The nearest numbers that never fall, by pooling adjacent violators.

    Example: the second and the third are pooled.

        >>> monotone(np.array([1.0, 4.0, 2.0, 9.0]), np.ones(4)).tolist()
        [1.0, 3.0, 3.0, 9.0]
    """
    pools: list[tuple[float, float, int]] = []  # sum of weighted values, of weights, how many
    for value, variance in zip(values.tolist(), variances.tolist(), strict=True):
        pool = (value / variance, 1 / variance, 1)
        while pools and pools[-1][0] * pool[1] >= pool[0] * pools[-1][1]:
            before = pools.pop()
            pool = (before[0] + pool[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    means = np.array([value / weight for value, weight, _ in pools])
    return np.repeat(means, [count for _, _, count in pools])


@dataclass(frozen=True)
class LeastSquares:
    """Minimise half of the sum of (x - target)^2 and of (sum - value)^2 / variance, for x >= 0.

    target: of every number; None where the numbers themselves were not released.
    sums: a sparse matrix of zeros and ones, a row for each sum. variances: of the values; 0 where
        a sum is fixed. (The variance of the numbers themselves is 1.)
    """

    target: Floats | None
    sums: Any
    values: Floats
    variances: Floats

    def solve(self) -> Floats:
        """The nearest numbers, by a primal-dual interior point method.

        Fixed sums must be those of some table that is not negative.
        """
        zero = (self.variances == 0) & (self.values <= 0)  # then each of its numbers is 0
        free = np.asarray(self.sums[zero].sum(axis=0)).ravel() == 0
        nearest = np.zeros(len(free))
        if free.any():
            sums = self.sums[:, free]
            kept = ~zero & (np.asarray(sums.sum(axis=1)).ravel() > 0)
            target = None if self.target is None else self.target[free]
            inner = LeastSquares(target, sums[kept], self.values[kept], self.variances[kept])
            nearest[free] = inner._interior()
        return nearest

    def _interior(self) -> Floats:
        sums, n = self.sums, self.sums.shape[1]
        scale = max(1.0, float(np.abs(self.values).max(initial=0.0)) / n)
        h = np.zeros(n) if self.target is None else np.ones(n)
        f = np.zeros(n) if self.target is None else self.target / scale
        values, variances = self.values / scale, self.variances
        x, s, y = np.ones(n), np.ones(n), np.zeros(len(values))
        size = 1 + max(np.abs(f).max(), np.abs(values).max(initial=0.0))
        least, nearest = math.inf, x
        for _ in range(_STEPS):
            dual = h * x - f - sums.T @ y - s
            primal = sums @ x + variances * y - values
            gap = float(x @ s) / n
            broken = max(np.abs(dual).max(), np.abs(primal).max(initial=0.0), gap)
            if broken < least:
                least, nearest = broken, x
            # (Where sums follow from each other, rounding leaves more of them broken; later steps
            # of a gap of nothing would add to it.)
            if least < _ACCURACY * size or gap < _ACCURACY * _ACCURACY * size:
                break
            try:
                step = _Newton(sums, variances, h, x, s)
            except np.linalg.LinAlgError:
                break
            move = step.solve(dual, primal, x * s)
            ahead = (x + _reach(x, move[0]) * move[0]) @ (s + _reach(s, move[1]) * move[1]) / n
            centre = gap * (max(ahead, 0.0) / gap) ** 3
            dx, ds, dy = step.solve(dual, primal, x * s + move[0] * move[1] - centre)
            # One length for both: x takes part in the dual residual.
            length = min(_reach(x, dx), _reach(s, ds))
            ahead_x, ahead_s = x + length * dx, s + length * ds
            if not (np.isfinite(ahead_x).all() and np.isfinite(ahead_s).all()):
                break
            x, s, y = ahead_x, ahead_s, y + length * dy
        return np.asarray(nearest * scale)


class _Newton:
    """The linear equations of one step, reduced to a row for each sum."""

    def __init__(self, sums: Any, variances: Floats, h: Floats, x: Floats, s: Floats) -> None:
        self.sums, self.x, self.s = sums, x, s
        self.inverse = 1 / (h + s / x)
        matrix = (sums.multiply(self.inverse) @ sums.T).toarray()
        matrix[np.diag_indices_from(matrix)] += variances
        # Fixed sums can follow from each other: a little more on the diagonal decides for one.
        matrix[np.diag_indices_from(matrix)] *= 1 + 1e-12
        self.factor = _factor(matrix)

    def solve(self, dual: Floats, primal: Floats, product: Floats) -> tuple[Floats, Floats, Floats]:
        """The moves of x, of s and of the multipliers."""
        q = -dual - product / self.x
        right = -primal - self.sums @ (self.inverse * q)
        dy = np.asarray(sl.cho_solve(self.factor, right))
        dx = self.inverse * (self.sums.T @ dy + q)
        return dx, (-product - self.s * dx) / self.x, dy


def _factor(matrix: Floats) -> Any:
    """Of a matrix that is singular but for a little that is added to its diagonal."""
    largest = float(matrix.diagonal().max(initial=0.0))
    for shift in _SHIFTS:
        try:
            shifted = matrix + shift * largest * np.eye(len(matrix))
            return sl.cho_factor(shifted, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            pass
    raise np.linalg.LinAlgError


def _reach(at: Floats, move: Floats) -> float:
    """How far a move can go with all numbers positive; at most 1."""
    down = move < 0
    if not down.any():
        return 1.0
    return min(1.0, _SHORT * float((at[down] / -move[down]).min()))
