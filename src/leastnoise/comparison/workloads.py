"""Baselines of noise for many queries: on each count, on each answer, and on trees of sums."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np

from ..baselines import AnalyticGaussian
from ..certify.noise.workloads.plain_strategies import answers_cost, answers_moved
from ..designs.design import Design
from ..engine.workloads.summed import queries_of
from ..engine.workloads.trees import levels, tree_cost, weighted_levels
from ..errors import RegimeError
from ..noise.workload import WorkloadNoise
from ..problem.workload_parts import WorkloadPart
from ..problem.workload_problem import WorkloadBudget, WorkloadProblem
from .table import ComparisonRow, Refused

#: Numbers of a matrix that are looked at, at most.
_MOST = 4_000_000
#: Counts of a tree at most; branches of weighted trees, of which large ones have the last alone.
_MOST_IN_TREE, _BRANCHES, _MANY = 4_000, (4, 8, 12, 16), 500


def rows(
    design: Design[WorkloadNoise], time_limit: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design, noise on each count, on each answer, and trees, where they are known.

    Each has the better of Laplace and Gaussian noise at the budget: closed forms in floats.
    """
    problem = design.noise.document.problem
    yield ComparisonRow("design", "this design", design.upper)
    parts = [_Plain(part, problem.replaced) for part in problem.factors]
    if not all(part.known for part in parts):
        refused.append(("counts", "the workload is too large for this baseline"))
        return
    moved = 2 if problem.replaced else 1
    counts = math.prod(part.counts(problem.largest) for part in parts)
    weight = math.prod(part.weight(problem.largest) for part in parts)
    far, long = (math.prod(part.longest(power) for part in parts) for power in (1, 2))
    whole = all(part.part.denominator == 1 for part in parts)
    on_counts = counts * _variance(problem.budget, moved, math.sqrt(moved), True)
    yield ComparisonRow("counts", "noise on each count, then summed", on_counts)
    on_answers = weight * _variance(problem.budget, far, long, whole)
    yield ComparisonRow("answers", "noise on each answer", on_answers)
    yield from _trees(problem, refused)


def _trees(problem: WorkloadProblem, refused: Refused) -> Iterator[ComparisonRow]:
    """Sums of neighbors at every level: as OpenDP has them, and with the best weights of levels."""
    if not any(map(_in_order, problem.factors)):
        return
    if problem.replaced or problem.largest:
        refused.append(("tree", "trees are compared for totals and add-remove neighbors"))
        return
    if max(part.cells for part in problem.factors) > _MOST_IN_TREE:
        refused.append(("tree", f"trees are compared for at most {_MOST_IN_TREE} counts"))
        return
    trees = [_Tree(part) for part in problem.factors]
    depth = math.prod(tree.levels for tree in trees)
    alike = math.prod(tree.cost for tree in trees)
    total = alike * _variance(problem.budget, depth, math.sqrt(depth), True)
    branches = {tree.branch for tree in trees if tree.ordered}
    words = f"{branches.pop()} branches" if len(branches) == 1 else "b_ary_tree"
    yield ComparisonRow("tree", f"tree of sums (OpenDP, {words})", total)
    best = min(
        math.prod(tree.weighted(power) for tree in trees)
        * _variance(problem.budget, *lengths, False)
        for power, lengths in ((1, (1.0, math.inf)), (2, (math.inf, 1.0)))
    )
    yield ComparisonRow("weighted-tree", "tree of sums, levels weighted", best)


def _in_order(part: WorkloadPart) -> bool:
    """Whether the queries are sums of neighboring counts."""
    return part.scaled()[1].family in ("prefix", "ranges") and part.cells > 1


class _Tree:
    """What one factor costs with a tree, or with counts alone where its counts have no order."""

    def __init__(self, part: WorkloadPart) -> None:
        self.part, self.queries, self.ordered = part, queries_of(part), _in_order(part)
        self.branch = branches_of_opendp(part.cells) if self.ordered else 0
        self.levels = 1 + len(levels(part.cells, self.branch)) if self.ordered else 1

    @property
    def cost(self) -> float:
        """With noise of variance 1 on every sum."""
        if not self.ordered:
            return float(self.part.squared_lengths(False))
        return tree_cost(self.queries, self.branch, 1) / self.levels**2

    def weighted(self, power: int) -> float:
        """The best of some trees with the best weights of levels, moved by a length of 1."""
        if not self.ordered:
            return float(self.part.squared_lengths(False))
        branches = [b for b in _BRANCHES if b < self.part.cells] or [self.part.cells]
        if self.part.cells > _MANY:
            branches = branches[-2:]  # (others have many more sums)
        best = (weighted_levels(self.queries, b, power) for b in branches)
        return min(
            tree_cost(self.queries, b, power, weights)
            for b, weights in zip(branches, best, strict=True)
        )


def branches_of_opendp(n: int) -> int:
    """What OpenDP's `choose_branching_factor` says for n counts.

    The least error of range queries by the formula of Qardaji, Yang and Li (2013).
    """
    if n < 5:
        return n

    def error(branch: int) -> float:
        height = math.log(n) / math.log(branch)
        return (branch - 1) * height**3 - 2 * (branch + 1) * height**2 / 3

    return min(range(2, n + 1), key=error)


def _variance(budget: WorkloadBudget, far: float, long: float, whole: bool) -> float:
    """The least variance of Laplace or Gaussian noise for shifts of these l1 and l2 lengths."""
    gaussian = math.inf
    if budget.asked is not None:
        epsilon, delta = map(float, budget.asked)
        with contextlib.suppress(RegimeError):
            gaussian = AnalyticGaussian(epsilon=epsilon, delta=delta).variance
    elif budget.gdp is not None:
        # Pure epsilon-DP with this epsilon is mu-GDP: its trade-off has the chords of that curve.
        mu = float(budget.gdp)
        normal = NormalDist().cdf(-mu / 2)
        epsilon, gaussian = math.log1p(-normal) - math.log(normal), 1 / mu**2
    else:
        assert budget.zcdp is not None
        rho = float(budget.zcdp)
        epsilon, gaussian = math.sqrt(2 * rho), 1 / (2 * rho)
    rate = epsilon / far if far else math.inf
    if rate == 0:
        return gaussian * long**2
    # (A larger rate would be too large for a float; the variance is then nearly 0.)
    laplace = 0.5 / math.sinh(min(rate, 600) / 2) ** 2 if whole else 2 / rate**2
    return min(laplace, gaussian * long**2)


class _Plain:
    """What one factor costs without a strategy, for noise of variance 1."""

    def __init__(self, part: WorkloadPart, replaced: bool) -> None:
        self.part, self.replaced = part, replaced
        pairs = part.cells if replaced else 1
        self.written = part.queries * part.cells * pairs <= _MOST
        self.known = self.written or (bool(part.family) and not replaced)

    def _matrix(self) -> tuple[Any, Any]:
        rows = np.array([[float(x) for x in row] for row in self.part.rows()])
        weights = np.array([float(weight) for weight in self.part.weights()])
        return rows / self.part.denominator, weights

    def counts(self, largest: bool) -> float:
        """weight times the squared length of a question: the sum, or the largest."""
        if not self.written:
            return float(self.part.squared_lengths(largest))
        rows, weights = self._matrix()
        each = weights * (rows**2).sum(axis=1)
        return float(each.max() if largest else each.sum())

    def weight(self, largest: bool) -> float:
        """The sum of the weights, or the largest."""
        if not self.written:
            return float(answers_cost(self.part, largest))
        weights = self._matrix()[1]
        return float(weights.max() if largest else weights.sum())

    def longest(self, power: int) -> float:
        """The longest shift of the answers, in the norm of this power."""
        if not self.written:  # (of zeros and ones: a length is the root of the number of ones)
            return math.sqrt(answers_moved(self.part, False)) ** (2 // power)
        rows, _ = self._matrix()
        if self.replaced:
            first, second = np.triu_indices(self.part.cells, 1)
            rows = rows[:, first] - rows[:, second]
        return float((np.abs(rows) ** power).sum(axis=0).max(initial=0) ** (1 / power))
