"""From weights of shifts to a strategy and multipliers in whole numbers, for the exact checker."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl

from ...certify.noise.workloads.frame import Coordinates, Frame
from ...certify.noise.workloads.strategy import Multipliers, Strategy
from ...numeric import Floats

#: Bits of the weights of shifts and of questions.
_WEIGHT_BITS = 40


def whole_weights(weights: Floats) -> list[int]:
    """Whole numbers in the same proportions, the largest of 40 bits."""
    return [int(weight) for weight in np.rint(weights / weights.max() * 2.0**_WEIGHT_BITS)]


def rounded(
    frame: Frame,
    shifts: tuple[tuple[int, int, int], ...],
    coordinates: Coordinates,
    bits: int,
    questions: tuple[int, ...] | None,
) -> tuple[Strategy, Multipliers]:
    """The strategy that belongs to these weights, and the matrix of the multipliers.

    With P = B B^T the sum of weight s s^T and N = (B^T K B)^(1/2), the strategy is Y^T Y = M in
    proportion to B^-T N B^-1, and the matrix K^-1 M = B N^-1 B^-1. M is divided by the longest
    shift, with room for rounding.
    """
    cost = as_floats(frame.cost)
    p = _spread(frame, shifts)
    b = _root(p)
    values, q = sl.eigh(b.T @ cost @ b, check_finite=False)
    roots = np.sqrt(np.maximum(values, values[-1] * 1e-15))
    inverse = sl.solve_triangular(b, np.eye(len(b)), lower=True)
    m = inverse.T @ ((q * roots) @ q.T) @ inverse
    matrix = b @ ((q / roots) @ q.T) @ inverse
    scale = 2.0**bits
    m /= _length(frame, m, shifts) * (1 + len(m) * 4 / scale)
    y = np.linalg.cholesky((m + m.T) / 2).T
    triangle = tuple(tuple(int(x) for x in np.rint(row[i:] * scale)) for i, row in enumerate(y))
    matrix *= scale / np.abs(matrix).max() * max(1.0, np.sqrt(len(m)) / 8)
    whole = tuple(tuple(int(x) for x in row) for row in np.rint(matrix))
    return Strategy(bits, triangle, coordinates), Multipliers(shifts, whole, questions)


def as_floats(matrix: object) -> Floats:
    """Whole numbers of any length, as floats."""
    return np.array([[float(x) for x in row] for row in matrix])  # type: ignore[attr-defined]


def columns_of(frame: Frame) -> Floats:
    """The shifts of the cells in coordinates."""
    if frame.columns is None:
        return np.eye(frame.cells)
    return as_floats(frame.columns) / float(frame.denominator)


def _spread(frame: Frame, shifts: tuple[tuple[int, int, int], ...]) -> Floats:
    a = columns_of(frame)
    vectors = np.array([a[:, i] if i == j else a[:, i] - a[:, j] for i, j, _ in shifts]).T
    weights = np.array([float(shift[2]) for shift in shifts])
    return np.asarray((vectors * (weights / weights.max())) @ vectors.T)


def _root(p: Floats) -> Floats:
    if not np.any(p - np.diag(np.diag(p))):
        return np.diag(np.sqrt(np.diag(p)))
    return np.asarray(np.linalg.cholesky(p))


def _length(frame: Frame, m: Floats, shifts: tuple[tuple[int, int, int], ...]) -> float:
    """The largest squared length of a shift."""
    a = columns_of(frame)
    q = a.T @ m @ a
    diagonal = np.diag(q)
    if all(i == j for i, j, _ in shifts):
        return float(diagonal.max())
    return float((diagonal[:, None] + diagonal[None, :] - 2 * q).max())
