"""Trees over the counts: all sums of so many neighbors, level by level, with a weight for each.

A tree is a strategy for Laplace or Gaussian noise by itself, and where a descent begins. Costs are
in floats, by the identity of Woodbury: a row for each sum that is no count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.linalg as sl

from ...numeric import Floats

#: X -> X K.
GramProduct = Callable[[Floats], Floats]
#: Rounds of the descent for the weights of levels, of which there are a few.
_ROUNDS = 12


@dataclass(frozen=True)
class Queries:
    """What queries cost: K = W^T W by its products, and its diagonal."""

    times: GramProduct
    diagonal: Floats

    def cost(self, t: Floats, c: Floats) -> tuple[float, Floats, Floats]:
        """tr(K (D (I + T^T T) D)^-1) for D = diag(1/c), with its slopes in T and in c."""
        s = t @ t.T
        s[np.diag_indices(len(s))] += 1
        r = sl.cho_solve(sl.cho_factor(s, check_finite=False), t, check_finite=False)
        seen = self.times(r * c)
        each = self.diagonal * c - (t * seen).sum(axis=0)
        seen *= c
        return float(c @ each), -2 * (seen - (seen @ t.T) @ r), 2 * each


def levels(n: int, branch: int) -> list[Floats]:
    """The rows of each level of a tree over n counts, but for the counts: the whole comes last."""
    rows, size = [], branch
    while size < n:
        starts = np.arange(n) // size
        rows.append((starts == np.arange(starts[-1] + 1)[:, None]).astype(float))
        size *= branch
    return [*rows, np.ones((1, n))]


def tree_cost(queries: Queries, branch: int, power: int, weights: Floats | None = None) -> float:
    """What a tree costs, for measurements of variance 1, if one count moves them by 1.

    power: 1 for sums of sizes (Laplace noise), 2 for Euclidean lengths. weights: of the levels, in
    parts of that of the counts; all 1 if left out.
    """
    n = len(queries.diagonal)
    rows = levels(n, branch)
    w = np.ones(len(rows)) if weights is None else weights
    length = (1 + (w**power).sum()) ** (1 / power)
    t = np.vstack([weight * row for weight, row in zip(w, rows, strict=True)])
    return queries.cost(t, np.full(n, length))[0]


def weighted_levels(queries: Queries, branch: int, power: int) -> Floats:
    """The weights of a tree's levels for which it costs least, as far as a few rounds find them."""
    from scipy.optimize import minimize  # (slow to import)

    n = len(queries.diagonal)
    rows = levels(n, branch)

    def cost(logs: Floats) -> tuple[float, Floats]:
        w = np.exp(logs)
        length = (1 + (w**power).sum()) ** (1 / power)
        t = np.vstack([weight * row for weight, row in zip(w, rows, strict=True)])
        value, slope, each = queries.cost(t, np.full(n, length))
        ends = np.cumsum([0, *map(len, rows)])
        within = [float((slope[a:b] * t[a:b]).sum()) for a, b in pairwise(ends)]
        stretched = float(each.sum()) * length * w**power / length**power
        return np.log(value), (np.array(within) + stretched) / value

    start = np.zeros(len(rows))
    optimum = minimize(
        cost, start, jac=True, method="L-BFGS-B", bounds=[(-8, 4)] * len(rows),
        options={"maxiter": _ROUNDS},
    )  # fmt: skip
    return np.asarray(np.exp(optimum.x))
