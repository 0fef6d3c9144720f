"""The best counts and sums of them for Laplace noise, of any size: trees, then a descent.

The p-identity strategies [I; T] D of McKenna, Miklau, Hay and Machanavajjhala (2018), D diagonal
and T not negative. With S = I + T T^T and R = S^-1 T the cost tr(K (D (I + T^T T) D)^-1) and its
slope need products of K with R alone, which are running sums for prefix sums and ranges. The
descent begins with trees, whose costs it lowers, and with random sums. Proposals: the checker
proves what comes of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg as sl

from ...certify.noise.frame import gram_of
from ...certify.noise.strategy import TallStrategy
from ...certify.noise.summed_strategy import SummedStrategy
from ...numeric import Floats
from ...problem.workload_parts import Named, WorkloadPart, scaled_part
from .rounding import as_floats

#: X -> X K.
GramProduct = Callable[[Floats], Floats]


@dataclass(frozen=True)
class StrategyDescent:
    """How far the descent goes (benchmarks/workloads.py)."""

    bits: int = 24  # of numbers in the file
    matrix_bits: int = 20  # of those of a whole matrix
    branches: tuple[int, ...] = (4, 7, 10, 14, 17, 20)  # of trees that it begins with
    most_leaves: int = 60  # sums of the lowest level: trees of more counts have more branches
    few: int = 64  # up to so many counts it begins with random sums, too
    first: int = 60  # rounds from each beginning; then the best of them goes on
    rounds: int = 400
    largest: float = 100.0  # entry of T: a count is measured a little, whatever else is
    least: float = 2e-5  # entries of T below this part of a column are left out

    def best(self, part: WorkloadPart, seconds: float) -> SummedStrategy:
        """The strategy of least cost that is found in about so many seconds; one at least."""
        times, diagonal = _gram_of(part)
        return self._rounded(self._sums(times, diagonal, seconds))

    def matrix(self, cost: Floats, seconds: float) -> TallStrategy:
        """The same for a matrix K, as a matrix; no column adds up to more than 1."""
        t = self._sums(lambda x: np.asarray(x @ cost), np.diag(cost).copy(), seconds)
        y = np.vstack([np.eye(len(cost)), t]) / (1 + t.sum(axis=0))
        whole = np.floor(y * 2.0**self.matrix_bits).astype(np.int64)  # (counts are never left out)
        return TallStrategy(self.matrix_bits, tuple(tuple(map(int, row)) for row in whole))

    def _sums(self, times: GramProduct, diagonal: Floats, seconds: float) -> Floats:
        """T of the least cost."""
        end = time.monotonic() + seconds
        value = _cost(times, diagonal)
        descents: list[tuple[float, Floats]] = []
        for start in self._starts(len(diagonal)):
            descents.append(self._down(value, start, self.first, end))
            if time.monotonic() > end:
                break
        _, best = min(descents, key=lambda pair: pair[0])
        return self._down(value, best, self.rounds, end)[1]

    def _starts(self, n: int) -> Iterator[Floats]:
        for branch in sorted(
            {max(branch_count, -(-n // self.most_leaves)) for branch_count in self.branches}
        ):
            if 1 < branch < n:
                yield _tree(n, branch)
        if n <= self.few:
            count = max(1, n // 8)
            yield np.random.default_rng(0).random((count, n))

    def _down(
        self, value: Callable[[Floats], tuple[float, Floats]], start: Floats, most: int, end: float
    ) -> tuple[float, Floats]:
        from scipy.optimize import minimize  # (slow to import)

        def seen(x: Floats) -> None:
            if time.monotonic() > end:
                raise StopIteration

        optimum = minimize(
            lambda x: value(x.reshape(start.shape)), start.ravel(), jac=True, method="L-BFGS-B",
            bounds=[(0, self.largest)] * start.size, callback=seen,
            options={"maxiter": most, "maxfun": 2 * most},
        )  # fmt: skip
        return float(optimum.fun), np.asarray(optimum.x).reshape(start.shape)

    def _rounded(self, t: Floats) -> SummedStrategy:
        """In whole numbers: columns that add up to 1 exactly, no count left out."""
        unit = 1 << self.bits
        columns = t / (1 + t.sum(axis=0))
        whole = np.floor(np.where(columns < self.least, 0, columns) * unit).astype(np.int64)
        whole = whole[whole.any(axis=1)]
        each = unit - whole.sum(axis=0)
        scaled = whole / each
        s = scaled @ scaled.T + np.eye(len(whole))
        solution = np.rint(sl.inv(s, check_finite=False) * unit) if len(whole) else s
        sums = (((int(j), int(row[j])) for j in np.flatnonzero(row)) for row in whole)
        return SummedStrategy(
            self.bits,
            tuple(int(x) for x in each),
            tuple(tuple(entries) for entries in sums),
            tuple(tuple(int(x) for x in line) for line in solution),
        )


def halved(strategy: SummedStrategy) -> SummedStrategy:
    """Half of every measurement, for neighbors that replace a unit: two columns move."""
    solution = tuple(tuple(2 * x for x in line) for line in strategy.solution)
    return replace(strategy, bits=strategy.bits + 1, solution=solution)


def _tree(n: int, branch: int) -> Floats:
    """All sums of a tree of so many branches, but for its leaves: one for each row."""
    rows, size = [], branch
    while size < n:
        for first in range(0, n, size):
            row = np.zeros(n)
            row[first : first + size] = 1
            rows.append(row)
        size *= branch
    return np.array([*rows, np.ones(n)])


def _cost(times: GramProduct, diagonal: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    """The cost of T, and its slope."""

    def value(t: Floats) -> tuple[float, Floats]:
        c = 1 + t.sum(axis=0)
        s = t @ t.T
        s[np.diag_indices(len(s))] += 1
        r = sl.cho_solve(sl.cho_factor(s, check_finite=False), t, check_finite=False)
        seen = times(r * c)
        each = diagonal * c - (t * seen).sum(axis=0)
        seen *= c
        slope = -2 * (seen - (seen @ t.T) @ r) + 2 * each
        return float(c @ each), slope.ravel()

    return value


def _gram_of(part: WorkloadPart) -> tuple[GramProduct, Floats]:
    """(X -> X K, the diagonal of K)."""
    weight, inner = scaled_part(part)
    scale = float(weight)
    if not isinstance(inner, Named):
        k, below = gram_of(part)
        full = as_floats(k) / float(below)
        return lambda x: np.asarray(x @ full), np.diag(full).copy()
    n = inner.cells
    up, down = np.arange(1.0, n + 1), np.arange(float(n), 0, -1)

    def backwards(x: Floats) -> Floats:
        return np.asarray(np.cumsum(x[:, ::-1], axis=1)[:, ::-1])

    def prefix(x: Floats) -> Floats:
        return scale * backwards(np.cumsum(x, axis=1))

    def ranges(x: Floats) -> Floats:
        later = x * down
        before, after = np.cumsum(x * up, axis=1), backwards(later) - later
        return np.asarray(scale * (before * down + after * up))

    def total(x: Floats) -> Floats:
        return scale * np.repeat(x.sum(axis=1, keepdims=True), n, axis=1)

    if inner.name == "prefix":
        return prefix, scale * down
    if inner.name == "ranges":
        return ranges, scale * up * down
    if inner.name == "total":
        return total, np.full(n, scale)
    return lambda x: scale * x, np.full(n, scale)
