"""The best covariance that covers all shifts, in floats: a fixed point, accelerated.

min tr(K S) over S >= s s^T for all shifts s has the dual max (tr (K^(1/2) P K^(1/2))^(1/2))^2 over
P = sum of v_s s s^T, v >= 0, sum v = 1. At the optimum the length of every shift with v_s > 0 in
the strategy is 1, so v_s is multiplied by it; Anderson's method on log v makes that fast.
Proposals: the checker proves what comes of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg as sl
from numpy.typing import NDArray

from ...numeric import Floats

#: Eigenvalues below this part of the largest one are taken for 0.
_NOTHING = 1e-14


class FixedPointStep(NamedTuple):
    """What one evaluation of the dual says at weights exp(t)."""

    value: float  # of the dual: a lower bound
    ratios: Floats  # log of what each weight is to be multiplied by
    gap: float  # (upper - lower) / lower
    weights: Floats


@dataclass(frozen=True)
class Fixed:
    """The fixed point's accelerator."""

    depth: int = 8  # earlier points that Anderson's method looks at
    boldness: float = 1.5  # of the plain step, until it fails
    longest: float = 3.0  # of a step in log v
    rounds: int = 400

    def solve(
        self, step: Callable[[Floats], FixedPointStep], size: int, gap: float, seconds: float
    ) -> tuple[FixedPointStep, int]:
        """The best point until the gap or the time is reached, and how many rounds it took."""
        t, end, bold = np.zeros(size), time.monotonic() + seconds, self.boldness
        points: list[Floats] = []
        moves: list[Floats] = []
        best, nearest, place = None, None, t
        count = 0
        while count < self.rounds:
            count += 1
            now = step(t)
            if nearest is None or now.gap < nearest.gap:
                nearest = now
            if now.gap <= gap or time.monotonic() > end:
                break
            if best is not None and now.value < best.value * (1 - 1e-12):
                # The dual fell: forget the past, one plain step from the best point.
                t, now, bold, points, moves = place, best, 1.0, [], []
            else:
                best, place = now, t
            t = self._next(t, now, bold, points, moves)
        assert nearest is not None
        return nearest, count

    def _next(
        self, t: Floats, now: FixedPointStep, bold: float, points: list[Floats], moves: list[Floats]
    ) -> Floats:
        w = now.weights
        f = np.clip(now.ratios, -2, 2)
        f = f - (w @ f) / w.sum()
        points.append(t)
        moves.append(f)
        del points[: -self.depth], moves[: -self.depth]
        new = t + bold * f
        if len(moves) > 1:
            changes = np.array([f - move for move in moves[:-1]]).T
            places = np.array([t - point for point in points[:-1]]).T
            root = np.sqrt(w)
            shares = np.linalg.lstsq(root[:, None] * changes, root * f, rcond=1e-10)[0]
            back = places @ shares + bold * (changes @ shares)
            new = new - np.clip(back, -self.longest, self.longest)
        return np.asarray(np.maximum(new, new.max() - 60))


def _even(t: Floats) -> Floats:
    v = np.exp(t - t.max())
    return np.asarray(v / v.sum())


def columns(shifts: Floats, gap: float, seconds: float) -> tuple[Floats, int]:
    """Weights of the shifts, one in each column, for the total squared error.

    shifts: in coordinates in which the cost is the square of the Euclidean length.
    """
    gram = shifts.T @ shifts if shifts.shape[1] <= len(shifts) else None

    def step(t: Floats) -> FixedPointStep:
        v = _even(t)
        d = np.sqrt(v)
        if gram is not None:
            values, q = sl.eigh(d[:, None] * gram * d, driver="evd", check_finite=False)
            roots = np.sqrt(np.where(values > _NOTHING * values[-1], values, 0))
        else:
            _, roots, right = np.linalg.svd(shifts * d, full_matrices=False)
            q = right.T
        ratios = (q**2 @ roots) / (roots.sum() * v)
        return FixedPointStep(
            roots.sum() ** 2, np.log(np.maximum(ratios, 1e-9)), float(ratios.max() - 1), v
        )

    best, count = Fixed().solve(step, shifts.shape[1], gap, seconds)
    return best.weights, count


def exchanges(cost: Floats, frame: Floats, gap: float, seconds: float) -> tuple[Floats, int]:
    """Weights of all pairs i < j of cells (columns of the frame), which a unit may exchange."""
    n = frame.shape[1]
    first, second = np.triu_indices(n, 1)
    low = np.linalg.cholesky(cost)

    def step(t: Floats) -> FixedPointStep:
        v = _even(t)
        p = spread(frame, first, second, v)
        values, q = sl.eigh(low.T @ p @ low, driver="evd", check_finite=False)
        roots = np.sqrt(np.maximum(values, _NOTHING * values[-1]))
        seen = (q.T @ (low.T @ frame)) / np.sqrt(roots)[:, None]
        m = seen.T @ seen / roots.sum()
        diagonal = np.diag(m)
        ratios = diagonal[first] + diagonal[second] - 2 * m[first, second]
        return FixedPointStep(
            roots.sum() ** 2, np.log(np.maximum(ratios, 1e-9)), float(ratios.max() - 1), v
        )

    best, count = Fixed().solve(step, len(first), gap, seconds)
    return best.weights, count


def spread(frame: Floats, first: NDArray[np.int64], second: NDArray[np.int64], v: Floats) -> Floats:
    """The sum of v (a_i - a_j)(a_i - a_j)^T over pairs of columns of the frame."""
    n = frame.shape[1]
    laplacian = np.zeros((n, n))
    laplacian[first, second] = -v
    laplacian += laplacian.T
    laplacian -= np.diag(laplacian.sum(axis=0))
    return np.asarray(frame @ laplacian @ frame.T)


def largest(shifts: Floats, gap: float, seconds: float) -> tuple[Floats, Floats, int]:
    """(weights of questions, weights of shifts, rounds) for the largest variance.

    shifts: one column for each shift, one row for each question, times the root of its weight.
    """
    m = len(shifts)

    def step(t: Floats) -> FixedPointStep:
        p, v = _even(t[:m]), _even(t[m:])
        left, s, right = np.linalg.svd(
            np.sqrt(p)[:, None] * shifts * np.sqrt(v), full_matrices=False
        )
        up = (left**2 @ s) / (s.sum() * p)
        down = (right.T**2 @ s) / (s.sum() * v)
        ratios = np.log(np.maximum(np.concatenate([up, down]), 1e-9))
        gap = float(up.max() * down.max() - 1)
        return FixedPointStep(s.sum() ** 2, ratios, gap, np.concatenate([p, v]))

    best, count = Fixed(boldness=1.0).solve(step, sum(shifts.shape), gap, seconds)
    return best.weights[:m], best.weights[m:], count
