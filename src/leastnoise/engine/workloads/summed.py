"""The best counts and sums of them for Laplace noise, of any size: trees, then a descent.

The p-identity strategies [I; T] D of McKenna, Miklau, Hay and Machanavajjhala (2018), D diagonal
and T not negative. With S = I + T T^T and R = S^-1 T the cost tr(K (D (I + T^T T) D)^-1) and its
slope need products of K with R alone, which are running sums for prefix sums and ranges. The
descent begins with trees, whose costs it lowers, and with random sums. Proposals: the checker
proves what comes of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg as sl

from ...certify.noise.workloads.frame import gram_of
from ...certify.noise.workloads.strategy import TallStrategy
from ...certify.noise.workloads.summed_strategy import SummedStrategy
from ...numeric import Floats
from ...problem.workload_parts import Named, WorkloadPart
from .rounding import as_floats
from .trees import Queries, levels, weighted_levels


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
        return self._rounded(self._sums(queries_of(part), seconds))

    def matrix(self, cost: Floats, seconds: float) -> TallStrategy:
        """The same for a matrix K, as a matrix; no column adds up to more than 1."""
        queries = Queries(lambda x: np.asarray(x @ cost), np.diag(cost).copy())
        t = self._sums(queries, seconds)
        y = np.vstack([np.eye(len(cost)), t]) / (1 + t.sum(axis=0))
        whole = np.floor(y * 2.0**self.matrix_bits).astype(np.int64)  # (counts are never left out)
        return TallStrategy(self.matrix_bits, tuple(tuple(map(int, row)) for row in whole))

    def _sums(self, queries: Queries, seconds: float) -> Floats:
        """T of the least cost."""
        end = time.monotonic() + seconds
        starts = sorted(self._starts(queries, end), key=lambda pair: pair[0])
        descents: list[tuple[float, Floats]] = []
        for _, start in starts:
            descents.append(self._down(queries, start, self.first, end))
            if time.monotonic() > end:
                break
        _, best = min(descents, key=lambda pair: pair[0])
        return self._down(queries, best, self.rounds, end)[1]

    def _starts(self, queries: Queries, end: float) -> Iterator[tuple[float, Floats]]:
        """Trees with the best weights of levels, and random sums, with their costs."""
        n = len(queries.diagonal)
        least = -(-n // self.most_leaves)
        for branch in sorted({max(branch, least) for branch in self.branches}, reverse=True):
            if 1 < branch < n:
                weights = weighted_levels(queries, branch, 1)
                rows = zip(weights, levels(n, branch), strict=True)
                yield _with_cost(queries, np.vstack([weight * row for weight, row in rows]))
                if time.monotonic() > end:
                    return
        if n <= self.few:
            yield _with_cost(queries, np.random.default_rng(0).random((max(1, n // 8), n)))

    def _down(self, queries: Queries, start: Floats, most: int, end: float) -> tuple[float, Floats]:
        from scipy.optimize import minimize  # (slow to import)

        def seen(x: Floats) -> None:
            if time.monotonic() > end:
                raise StopIteration

        def value(x: Floats) -> tuple[float, Floats]:
            t = x.reshape(start.shape)
            cost, slope, each = queries.cost(t, 1 + t.sum(axis=0))
            return cost, (slope + each).ravel()

        optimum = minimize(
            value, start.ravel(), jac=True, method="L-BFGS-B",
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


def _with_cost(queries: Queries, t: Floats) -> tuple[float, Floats]:
    return queries.cost(t, 1 + t.sum(axis=0))[0], t


def queries_of(part: WorkloadPart) -> Queries:
    """What queries cost: of named ones by running sums."""
    weight, inner = part.scaled()
    scale = float(weight)
    if not isinstance(inner, Named):
        k, below = gram_of(part)
        full = as_floats(k) / float(below)
        return Queries(lambda x: np.asarray(x @ full), np.diag(full).copy())
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
        return Queries(prefix, scale * down)
    if inner.name == "ranges":
        return Queries(ranges, scale * up * down)
    if inner.name == "total":
        return Queries(total, np.full(n, scale))
    return Queries(lambda x: scale * x, np.full(n, scale))
