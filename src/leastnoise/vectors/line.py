"""The lower bound in one dimension, where sigma has two values for each rho. Floats propose.

On a line |r theta - t e| is |r - t| or r + t. One curve between the two counts the far one alone:
z(rho, rho + t) = a(rho), z(rho, |rho - t|) = 0, and its part of the dual function is
a(r)/2 - e^eps a(r - t)/2. So the best multipliers of this kind are step functions a, one for each
length t, by a small linear program; the exact checker of curves proves what they give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ..certify.vector_document import Curves, VectorCertificate
from ..lp.highs import INF, Model
from .net import Cost
from .staircase import Floats

_LATTICE = 1 << 40
_SHARES = 1 << 40


def line_heights(
    epsilon: float, delta: float, cost: Cost, reach: float, cells: int, shifts: Sequence[int]
) -> tuple[Floats, float]:
    """(a on each cell, one row for each shift, the bound it seems to give); shifts in cells, so
    many to a sensitivity.

    At the end of a cell the multipliers of two cells count, whichever are larger: what an
    enclosure of a radius cannot tell apart.
    """
    n, many = math.ceil(reach * cells), len(shifts)
    rows, end = n + max(shifts), many * (2 * n + 1)
    half = 0.5 * math.exp(epsilon)
    none = sp.csr_matrix((rows, n + 1))
    own = [_diagonal(rows, n, 0, -0.5) for _ in shifts]
    far = [_diagonal(rows, n, shift, half) for shift in shifts]
    # For each shift: a on n cells, and u at n + 1 ends of cells, at least a on both sides of it.
    starts = [part for one, two in zip(own, far, strict=True) for part in (one + two, none)]
    ends = [
        part
        for one, shift in zip(own, shifts, strict=True)
        for part in (one, _diagonal(rows, n + 1, shift - 1, half))
    ]
    eye, left, right = sp.eye(n), -sp.eye(n, n + 1), -sp.eye(n, n + 1, k=1)
    each = sp.block_array([[eye, left], [eye, right], [eye, None]])
    most = sp.vstack([sp.csr_matrix((2 * n, 1)), sp.csr_matrix(-np.ones((n, 1)))])
    theta = sp.csr_matrix(np.ones((rows, 1)))
    whole = sp.block_array(
        [
            [sp.hstack(starts), None, theta],
            [sp.hstack(ends), None, theta],
            [sp.block_diag([each] * many), sp.block_diag([most] * many), None],
        ]
    ).tocsr()
    cell = np.arange(rows)
    costs = cost(np.concatenate([cell, cell + 1]) / cells)
    model = Model(1e-9)
    model.add_columns(
        np.concatenate([np.zeros(end), np.full(many, delta), [-1.0]]),
        np.concatenate([np.zeros(end + many), [-INF]]),
    )
    model.add_rows(
        np.full(whole.shape[0], -INF),
        np.concatenate([costs, np.zeros(3 * n * many)]),
        whole.indptr[:-1],
        whole.indices,
        whole.data,
    )
    found = model.solve(30.0).primal
    if len(found) != end + many + 1 or not np.isfinite(found).all():
        return np.zeros((many, n)), 0.0
    heights = np.maximum(found[:end].reshape(many, 2 * n + 1)[:, :n], 0.0)
    return heights, float(found[-1] - delta * found[end:-1].sum())


def _diagonal(rows: int, columns: int, below: int, value: float) -> sp.csr_matrix:
    """The value on one diagonal, so many rows below the first."""
    return value * sp.eye(rows, columns, k=-below, format="csr")


def line_certificate(
    heights: Floats, sensitivity: Fraction, cells: int, shifts: Sequence[int]
) -> VectorCertificate:
    """Pieces on curves between |rho - t| and rho + t, as high as `heights`; the longest first."""
    most = float(heights.max())
    curves = [
        _curves(row / most, _LATTICE // cells, shift * (_LATTICE // cells))
        for row, shift in zip(heights, shifts, strict=True)
    ]
    unit = Fraction(most).limit_denominator(10**9) / _SHARES
    first, more = curves[0], tuple(one for one in curves[1:] if one.pieces)
    return VectorCertificate(sensitivity / _LATTICE, unit, first.points, first.pieces, more)


def _curves(heights: Floats, width: int, shift: int) -> Curves:
    tiny = _LATTICE >> 24
    counts = [int(_SHARES * x) for x in heights.tolist()]
    points: dict[tuple[int, int], int] = {}
    pieces: list[tuple[int, int, int]] = []

    def at(rho: int, sigma: int) -> int:
        return points.setdefault((rho, sigma), len(points))

    def curve(rho: int) -> int:
        return at(rho, shift + rho // 2 if rho <= shift else rho + shift // 2)

    if counts[0] > 0:  # near 0 all counts
        pieces.append((at(0, 0), curve(tiny), counts[0]))
    for k, count in enumerate(counts):
        if count > 0:
            pieces.append((curve(max(tiny, k * width)), curve((k + 1) * width), count))
    return Curves(shift, tuple(points), tuple(pieces))
