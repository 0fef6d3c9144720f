"""A factor of a workload: its coordinates, its strategy and its queries.

How measurements are solved for the counts, and how long each answer is in measurements:
`workload.proof.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as sl

from ..certify.noise.workloads.frame import ALL_CELLS
from ..certify.noise.workloads.plain_strategies import CountsStrategy
from ..certify.noise.workloads.root_strategy import ROW_BITS, RootStrategy
from ..certify.noise.workloads.strategy import Strategy, TallStrategy
from ..certify.noise.workloads.summed_strategy import SummedStrategy
from ..errors import CertificateError
from ..numeric import Floats
from ..problem.workload_parts import WorkloadPart
from .plain import counts_of
from .summed import Summed

#: Corrections of least squares: each gains ten digits or so.
_CORRECTIONS = 60


class Factor:
    """One factor of a product: its coordinates, its strategy and its questions."""

    counts_alone = False

    def __init__(
        self, part: WorkloadPart, strategy: Strategy | TallStrategy, replaced: bool
    ) -> None:
        self.part, self.replaced = part, replaced
        self.cells, self.queries, self.rank = part.cells, part.queries, strategy.rank
        self.measures = len(strategy.square())
        self.where, self._y = strategy.coordinates, strategy.square()
        self._bits = strategy.bits
        #: What answers are to be divided by, besides the scale of the estimate.
        self.below = self.where.answers_over(part)

    def coordinates(self, x: Sequence[int]) -> list[int]:
        """A x: D times the coordinates of a vector."""
        return self.where.located(self.part, x, self.replaced)

    def measured(self, z: Sequence[int]) -> list[int]:
        """Y z, in steps of the grid."""
        return [sum(a * b for a, b in zip(row, z, strict=True) if a) for row in self._y]

    def solved(self, y: Sequence[int]) -> list[int]:
        """The solution z of Y z = y, both times 2^128, by substitution from the end.

        y is in steps of the grid, z in ones: D and 2^bits are divided by here.
        """
        z = [0] * self.rank
        for i in range(self.rank - 1, -1, -1):
            row = self._y[i]
            # (z is kept D times too large until the end)
            rest = y[i] - sum(a * b for a, b in zip(row[i + 1 :], z[i + 1 :], strict=True))
            z[i] = rest // row[i]
        return self._divided(z)

    def _divided(self, z: list[int]) -> list[int]:
        """By D."""
        over = self.where.denominator_of(self.part)
        return [number // over for number in z] if over > 1 else z

    def answers(self, z: Sequence[Any]) -> list[Any]:
        """The questions' answers from coordinates, times what they are divided by."""
        return self.where.answers(self.part, z)

    def answers_of_exchanged(self, z: Sequence[int], total: int) -> list[int]:
        """The same where units are replaced: their number is known."""
        return self.where.exchanged(self.part, z, total)

    # -- in floats ----------------------------------------------------------------------------

    @cached_property
    def _inverse(self) -> Floats:
        y = np.array([[float(entry) for entry in row] for row in self._y]) / 2.0**self._bits
        if self.measures > self.rank:
            return np.asarray(np.linalg.pinv(y))
        return np.asarray(sl.solve_triangular(y, np.eye(self.rank), lower=False))

    @cached_property
    def _rows(self) -> Floats:
        """The questions over coordinates, answered by the measurements: W Y^-1."""
        rows, below = self.where.rows(self.part, self.replaced)
        matrix = np.array([[float(x) for x in row] for row in rows]) / float(below)
        return np.asarray(matrix @ self._inverse)

    @cached_property
    def lengths(self) -> Floats:
        """The standard deviation of each answer, for noise of variance 1."""
        return np.asarray(np.sqrt((self._rows**2).sum(axis=1)))

    @cached_property
    def largest(self) -> Floats:
        """The largest size of a coefficient of a measurement in each answer; 1 if all are 0."""
        entries = np.abs(self._rows).max(axis=1)
        return np.where(entries > 0, entries, 1.0)

    def lifted(self, c: Floats) -> Floats:
        """Coefficients of answers, in the first axis, as coefficients of measurements."""
        return np.asarray(self._rows.T @ c)


class TallFactor(Factor):
    """More measurements than coordinates, or other matrices: answers by least squares."""

    def solved(self, y: Sequence[int]) -> list[int]:
        """The z with Y^T Y z = Y^T y, all times 2^128, found in floats and corrected exactly."""
        right = [sum(a * b for a, b in zip(row, y, strict=True) if a) for row in self._columns]
        z = [0] * self.rank
        for _ in range(_CORRECTIONS):
            rest = [
                b - sum(m * v for m, v in zip(row, z, strict=True))
                for row, b in zip(self._gram, right, strict=True)
            ]
            shift = max(0, max(abs(number) for number in rest).bit_length() - 900)
            step = self._near @ np.array([float(number >> shift) for number in rest])
            if np.abs(step).max() < 1 and not shift:
                break
            z = [a + (int(b) << shift) for a, b in zip(z, step.tolist(), strict=True)]
        else:
            raise CertificateError("the strategy is too badly scaled to be solved")
        return self._divided(z)

    @cached_property
    def _columns(self) -> list[list[int]]:
        return [list(column) for column in zip(*self._y, strict=True)]

    @cached_property
    def _gram(self) -> list[list[int]]:
        columns = self._columns
        return [[sum(a * b for a, b in zip(p, q, strict=True)) for q in columns] for p in columns]

    @cached_property
    def _near(self) -> Floats:
        return np.asarray(np.linalg.inv(np.array([[float(x) for x in row] for row in self._gram])))


class RootFactor(Factor):
    """Long prefix sums, by the square-root strategy."""

    def __init__(self, part: WorkloadPart, strategy: RootStrategy) -> None:
        self.part, self.replaced, self.where = part, False, ALL_CELLS
        self.cells = self.queries = self.rank = self.measures = part.cells
        self.below = 1
        self._series, self._scales = strategy.series(part.cells), strategy.scales(part.cells)
        self._multiples = strategy.multiples(part.cells)
        self._bits = strategy.bits

    def measured(self, z: Sequence[int]) -> list[int]:
        """diag(a) T diag(s) z, in steps of the grid."""
        moved = [a * b for a, b in zip(self._scales, z, strict=True)]
        back = self._series[::-1]
        n = len(back)
        return [
            row * sum(a * b for a, b in zip(back[n - 1 - i :], moved, strict=False))
            for i, row in enumerate(self._multiples)
        ]

    def solved(self, y: Sequence[int]) -> list[int]:
        """The solution z of diag(a) T diag(s) z = y, both times 2^128, from the beginning."""
        n, solution = len(y), list[int]()
        y = [number // row for number, row in zip(y, self._multiples, strict=True)]
        back = self._series[:0:-1]  # without the diagonal
        for i in range(n):
            rest = y[i] - sum(a * b for a, b in zip(back[n - 1 - i :], solution, strict=False))
            solution.append(rest >> self._bits)
        return [a // b for a, b in zip(solution, self._scales, strict=True)]

    @cached_property
    def _inverse(self) -> Floats:
        unit = 2.0**self._bits
        t = np.tril(sl.toeplitz(np.array([float(x) for x in self._series]) / unit))
        rows = np.array([float(x) for x in self._multiples]) / 2.0**ROW_BITS
        inverse = sl.solve_triangular(t, np.eye(self.cells), lower=True) / rows
        return np.asarray(inverse / (np.array([float(x) for x in self._scales]) / unit)[:, None])


_FACTORS: dict[type, Callable[[WorkloadPart, Any, bool], Any]] = {
    CountsStrategy: lambda part, strategy, replaced: counts_of(part),
    RootStrategy: lambda part, strategy, replaced: RootFactor(part, strategy),
    SummedStrategy: lambda part, strategy, replaced: Summed(part, strategy),
    TallStrategy: TallFactor,
    Strategy: Factor,
}


def factor_of(part: WorkloadPart, strategy: Any, replaced: bool) -> Any:
    """The factor that a strategy measures."""
    return _FACTORS[type(strategy)](part, strategy, replaced)
