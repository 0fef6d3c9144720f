"""The interior point method where a budget is about few of many columns.

The rows of a range are such: a budget compares two of its values. Sums of products over budgets
are then sparse, and the time goes into one factorisation: `sparse_interior.proof.md`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..numeric import Floats
from .interior_method import InteriorMethod, PairRows, diagonal_of, sums


class SparseInterior(InteriorMethod):
    """The same for budgets without further terms; their rows are kept as sparse matrices."""

    threads = None  # the matrix is large

    def __init__(self, rows: PairRows, mass: Floats, cost: Floats, budgets: Floats) -> None:
        nothing = sparse.csr_array((len(budgets), len(cost)))
        super().__init__(rows, mass, cost, budgets, nothing)

    def _rows_per_budget(self, weights: Floats) -> Any:
        rows = self.rows
        values = np.concatenate([rows.up * weights, -rows.down * weights])
        groups = np.concatenate([rows.group, rows.group])
        columns = np.concatenate([rows.ahead, rows.behind])
        shape = len(self.budgets), len(self.cost)
        return sparse.csr_array((values, (groups, columns)), shape=shape)

    def _matrix(self, w: Floats, g: Any, v: Floats, more: Floats) -> Floats:
        rows, size = self.rows, len(self.cost)
        places = rows.ahead, rows.behind
        crossed = sparse.csr_array((-self._crossed * w, places), shape=(size, size))
        scaled = sparse.diags_array(1 / np.sqrt(v)) @ g
        matrix: Floats = (crossed + crossed.T + scaled.T @ scaled).toarray()
        diagonal = diagonal_of(matrix)
        diagonal += sums(rows.ahead, self._up2 * w, size) + more
        diagonal += sums(rows.behind, self._down2 * w, size)
        return matrix
