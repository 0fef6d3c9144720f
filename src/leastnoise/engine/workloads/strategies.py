"""The best strategy for a workload, in whole numbers, with multipliers that prove both bounds.

Nothing here is believed: claims are checked by `certify/noise/workloads/measurements.py`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ...certify.kinds.workload import WorkloadFile
from ...certify.kinds.workload_parts import MAX_RANK
from ...certify.noise.workloads.factor import CLOSED_FORM, FactorProof
from ...certify.noise.workloads.frame import ALL_CELLS, QUESTIONS, Coordinates
from ...certify.noise.workloads.root_strategy import MAX_PREFIX, PrefixProof, RootStrategy
from ...certify.noise.workloads.strategy import Multipliers, Strategy
from ...certify.noise.workloads.table_strategy import QueryWeights
from ...errors import ArgumentError, Described, FormatError, LimitError
from ...formatting import gap_of
from ...problem.workload_parts import WorkloadPart
from ...problem.workload_problem import WorkloadProblem
from ...problem.workload_tables import MarginalsPart
from ...work import counted
from .documents import bounded, stated, written
from .frames import coordinates_of, independent
from .optimise import columns, exchanges, largest
from .roots import best_roots
from .rounding import as_floats, columns_of, rounded, whole_weights
from .tables import best_tables, largest_tables


@dataclass(frozen=True)
class Strategies:
    """A fixed point for the weights of shifts, rounded ever more finely until the gap is met."""

    tolerance: float = 1e-9  # of the fixed point (benchmarks/workloads.py)
    bits: tuple[int, ...] = (34, 44, 52)  # of numbers in the file
    many: int = 120  # from this rank on files begin with fewer bits, or they would pass 1 MB
    few_bits: int = 30
    fewest_bits: int = 24  # where with these the check takes too long
    #: Equal weights that are mixed in where the gap is missed: where some of the best weights
    #: vanish (one question has all of the largest variance, or columns are of very different
    #: sizes), the strategy for the others would be lost by rounding.
    mixed: tuple[float, ...] = (1e-6, 1e-5, 1e-4)
    table_bits: int = 40
    largest_rounds: float = 1e-7  # the tolerance for the largest variance, which takes longer

    def multipliers(self, problem: WorkloadProblem, part: WorkloadPart, end: float) -> Multipliers:
        """What proves how little all noise for a factor costs, whatever its strategy."""
        plan = self._plan(part, problem.replaced, problem.largest, end)
        if isinstance(plan, _Roots):
            raise too_large(part)
        return replace(plan.at(self.bits[0], 0.0)[1], coordinates=plan.where)

    def of_curve(self, problem: WorkloadProblem, gap: float, seconds: float) -> WorkloadFile:
        """The best document below a curve that passes; `ArgumentError` if there is none."""
        end = time.monotonic() + seconds
        replaced = problem.replaced
        part = problem.workload.part
        if isinstance(part, MarginalsPart) and not replaced:
            return self._tables(problem, part, gap, seconds)
        plans = [self._plan(factor, replaced, problem.largest, end) for factor in problem.factors]
        best: WorkloadFile | None = None
        for bits, even in self._tries(max(plan.rank for plan in plans)):
            if best is not None and (
                time.monotonic() > end or (even and _of_strategy(best) <= gap)
            ):
                break
            if best is not None and bits == self.fewest_bits:
                continue  # (more bits are checked soon enough)
            try:
                with counted():
                    document = stated(problem, [plan.at(bits, even) for plan in plans])
            except LimitError:
                if best is None and bits == self.few_bits:
                    continue
                if best is None:
                    raise
                break
            except (FormatError, np.linalg.LinAlgError):
                continue
            if best is None or gap_of(document) < gap_of(best):
                best = document
            done = gap_of(document) <= min(gap, 1e-5) or _of_strategy(document) <= 1e-6
            if done or all(isinstance(plan, _Roots) for plan in plans):
                break
        if best is None:
            raise badly_scaled(problem)
        return best

    def _tries(self, rank: int) -> list[tuple[int, float]]:
        """(bits, how much of equal weights is mixed in), in order."""
        precisions = (self.few_bits, self.fewest_bits, *self.bits)
        precisions = precisions if rank >= self.many else self.bits
        return [(bits, 0.0) for bits in precisions] + [
            (precisions[-1], share) for share in self.mixed
        ]

    def _plan(self, part: WorkloadPart, replaced: bool, most: bool, end: float) -> _Plan | _Roots:
        if _long_prefix(part) and not (replaced or most):
            return _Roots(best_roots(part.cells, max(0.1, end - time.monotonic())))
        left = max(0.1, end - time.monotonic())
        with counted():  # so that nobody waits for what cannot be checked
            where = self._coordinates(part, replaced)
        with counted():
            frame = where.frame(part, replaced)
        rank = len(frame.cost)
        if rank > MAX_RANK:
            raise too_large(part)
        cost = as_floats(frame.cost) / float(frame.below)
        shifts = columns_of(frame)
        p = None
        if most:
            rows = _questions(part, replaced, where)
            first, second = _pairs(part.cells, replaced)
            moved = shifts[:, first] if not replaced else shifts[:, first] - shifts[:, second]
            p, v, rounds = largest(rows @ moved, self.largest_rounds, left)
        elif replaced:
            first, second = _pairs(part.cells, replaced)
            v, rounds = exchanges(cost, shifts, self.tolerance, left)
        else:
            first = second = np.arange(part.cells)
            low = np.linalg.cholesky(cost)
            v, rounds = columns(low.T @ shifts, self.tolerance, left)
        return _Plan(part, replaced, where, rank, (first, second, v), p, rounds)

    def _coordinates(self, part: WorkloadPart, replaced: bool) -> Coordinates:
        if replaced and part.cells == 1:
            raise ArgumentError("workload", part.queries, "one that a unit can change")
        if part.queries <= min(MAX_RANK, part.cells - replaced - 1):
            rows = [list(row) for row in part.rows()]
            if replaced:
                rows = [[x - row[0] for x in row] for row in rows]
            if independent(rows):
                return QUESTIONS
        if part.cells > MAX_RANK + 1:
            raise too_large(part)
        return coordinates_of(part, ALL_CELLS.frame(part, False).cost, replaced)

    def _tables(
        self, problem: WorkloadProblem, part: MarginalsPart, gap: float, seconds: float
    ) -> WorkloadFile:
        proof: FactorProof = CLOSED_FORM
        if problem.largest:
            strategy, weights = largest_tables(part, self.table_bits, gap, seconds)
            proof = QueryWeights(weights)
        else:
            strategy = best_tables(part, self.table_bits)
        return bounded(written(problem, [(strategy, proof)]))


@dataclass(frozen=True)
class _Plan:
    """Weights of shifts for one factor, ready to be rounded."""

    part: WorkloadPart
    replaced: bool
    where: Coordinates
    rank: int
    weights: tuple[np.ndarray, np.ndarray, np.ndarray]  # (cell, cell or other cell, weight)
    worth: np.ndarray | None  # weights of questions, for the largest variance
    rounds: int

    def _whole(
        self, even: float
    ) -> tuple[tuple[tuple[int, int, int], ...], tuple[int, ...] | None]:
        """(shifts, questions) in whole numbers, mixed with so much of equal weights."""
        first, second, v = self.weights
        counts = whole_weights((1 - even) * v + even * v.mean())
        shifts = tuple(
            (int(i), int(j), w) for i, j, w in zip(first, second, counts, strict=True) if w
        )
        if self.worth is None:
            return shifts, None
        return shifts, tuple(whole_weights((1 - even) * self.worth + even * self.worth.mean()))

    def at(self, bits: int, even: float) -> tuple[Strategy, Multipliers]:
        """The strategy and the multipliers with so many bits."""
        shifts, questions = self._whole(even)
        frame = self.where.frame(self.part, self.replaced, questions)
        return rounded(frame, shifts, self.where, bits, questions)


@dataclass(frozen=True)
class _Roots:
    """Long prefix sums, which need no rounds of rounding."""

    proven: tuple[RootStrategy, PrefixProof]
    rank: int = 1

    def at(self, bits: int, even: float) -> tuple[RootStrategy, PrefixProof]:
        """The square-root strategy."""
        return self.proven


def _long_prefix(part: WorkloadPart) -> bool:
    return part.family == "prefix" and MAX_RANK < part.cells <= MAX_PREFIX


def _pairs(cells: int, replaced: bool) -> tuple[np.ndarray, np.ndarray]:
    if replaced:
        first, second = np.triu_indices(cells, 1)
        return first, second
    return np.arange(cells), np.arange(cells)


def _questions(part: WorkloadPart, replaced: bool, where: Coordinates) -> np.ndarray:
    """The rows of the questions over coordinates, times the roots of their weights."""
    rows, below = where.rows(part, replaced)
    weights = np.array([float(weight) for weight in part.weights()])
    return np.asarray(np.sqrt(weights)[:, None] * as_floats(rows) / float(below))


def _of_strategy(document: WorkloadFile) -> float:
    """The part of the gap that a better strategy could close: not the constant of one number."""
    least = document.certificate.least_variance(document.problem)
    share = float(least / document.noise.variance(document.problem))
    return (gap_of(document) + 1) * share - 1 if least else 0.0


def badly_scaled(problem: WorkloadProblem) -> ArgumentError:
    """What is said where no rounding of the strategy passes."""
    return ArgumentError(
        "workload",
        problem.workload,
        "better scaled: columns of nearly one size, none nearly a combination of others",
    )


def too_large(part: WorkloadPart) -> ArgumentError:
    """What is said where there are more coordinates than a file holds."""
    return ArgumentError(
        "workload",
        Described(f"{part.queries} questions of {part.cells} counts"),
        f"of at most {MAX_RANK} independent counts or questions, a product of such, marginals, or "
        f"at most {MAX_PREFIX} prefix sums",
    )
