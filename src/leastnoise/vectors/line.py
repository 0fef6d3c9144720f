"""The lower bound in one dimension, where sigma has two values for each rho. Floats propose.

On a line |r theta - D e| is |r - D| or r + D. One curve between the two counts the far one alone:
z(rho, rho + D) = a(rho), z(rho, |rho - D|) = 0, and the dual function is
c(r) + a(r)/2 - e^eps a(r - D)/2. So the best multipliers of this kind are a step function a, by a
small linear program; the exact checker of curves proves what they give.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ..certify.vector_document import VectorCertificate
from ..lp.highs import INF, Model
from .net import Cost
from .staircase import Floats

_LATTICE = 1 << 40
_SHARES = 1 << 40


def line_heights(
    epsilon: float, delta: float, cost: Cost, reach: float, cells: int
) -> tuple[Floats, float]:
    """(a on each cell, the bound it seems to give); so many cells to a sensitivity.

    At the end of a cell the multipliers of two cells count, whichever are larger: what an
    enclosure of a radius cannot tell apart.
    """
    n = math.ceil(reach * cells)
    rows, at = [], []
    for behind, shift in ((0, 0.0), (1, 1.0)):
        cell = np.arange(n + cells)
        own = sp.csr_matrix((np.full(n, -0.5), (np.arange(n), np.arange(n))), shape=(n + cells, n))
        far = cell - cells + behind
        held = (far >= 0) & (far < n)
        column = sp.csr_matrix(
            (np.full(int(held.sum()), 0.5 * math.exp(epsilon)), (cell[held], far[held])),
            shape=(n + cells, n),
        )
        rows.append(own + column)
        at.append((cell + shift) / cells)
    matrix, costs = sp.vstack(rows), cost(np.concatenate(at))
    ones = sp.csr_matrix(np.ones((len(costs), 1)))
    whole = sp.vstack(
        [
            sp.hstack([matrix, sp.csr_matrix((len(costs), 1)), ones]),
            sp.hstack([sp.eye(n), sp.csr_matrix(-np.ones((n, 1))), sp.csr_matrix((n, 1))]),
        ]
    ).tocsr()
    model = Model(1e-9)
    model.add_columns(
        np.concatenate([np.zeros(n), [delta, -1.0]]), np.concatenate([np.zeros(n + 1), [-INF]])
    )
    model.add_rows(
        np.full(whole.shape[0], -INF),
        np.concatenate([costs, np.zeros(n)]),
        whole.indptr[:-1],
        whole.indices,
        whole.data,
    )
    found = model.solve(30.0).primal
    if len(found) != n + 2 or not np.isfinite(found).all():
        return np.zeros(n), 0.0
    return np.maximum(found[:n], 0.0), float(found[-1] - delta * found[-2])


def line_certificate(heights: Floats, sensitivity: Fraction, cells: int) -> VectorCertificate:
    """Pieces on a curve that runs between |rho - D| and rho + D, as high as `heights`."""
    width, most = _LATTICE // cells, float(heights.max())
    tiny = _LATTICE >> 24
    counts = [int(_SHARES * (x / most)) for x in heights.tolist()]
    points: dict[tuple[int, int], int] = {}
    pieces: list[tuple[int, int, int]] = []

    def at(rho: int, sigma: int) -> int:
        return points.setdefault((rho, sigma), len(points))

    def curve(rho: int) -> int:
        return at(rho, _LATTICE + rho // 2 if rho <= _LATTICE else rho + _LATTICE // 2)

    if counts[0] > 0:  # near 0 all counts
        pieces.append((at(0, 0), curve(tiny), counts[0]))
    for k, count in enumerate(counts):
        if count > 0:
            pieces.append((curve(max(tiny, k * width)), curve((k + 1) * width), count))
    unit = Fraction(most).limit_denominator(10**9) / _SHARES
    return VectorCertificate(sensitivity / _LATTICE, unit, tuple(points), tuple(pieces))
