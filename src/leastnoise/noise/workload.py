"""Exact releases of many linear questions: measured with noise, then answered.

Why a release is private, and what its errors are: `workload.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
import scipy.linalg as sl

from ..certify.kinds.additive import Document
from ..certify.kinds.joint import is_joint
from ..certify.kinds.vector import is_vector
from ..certify.kinds.workload import WorkloadDocument
from ..certify.kinds.workload_check import laplace_rate, variance_above
from ..certify.noise.plain_strategies import AnswersStrategy, CountsStrategy
from ..certify.noise.root_strategy import ROW_BITS, RootStrategy
from ..certify.noise.strategy import QUESTIONS, Basis, Strategy, TallStrategy, rows_in
from ..certify.noise.summed_strategy import SummedStrategy
from ..certify.noise.table_strategy import TableStrategy
from ..errors import CertificateError
from ..numeric import Floats
from ..problem.workload_parts import Marginals, Part, along
from ..sampling import Entropy, system_entropy
from .additive import AdditiveNoise
from .bars import RATES, laplace_bar, laplace_bars, laplace_masses, laplace_moment, pattern_bars
from .counts import codes_of, whole_vector, width_of
from .plain import AnswersNoise, Counts, crossed, sums_bars
from .summed import Summed
from .tables import Tables, sampler_of
from .vector import VectorNoise

#: Bits behind the point of estimates: what rounding adds to an error is far below any answer.
_SPARE = 128
#: Corrections of least squares: each gains ten digits or so.
_CORRECTIONS = 60


class WorkloadNoise:
    """Measurements of a vector of counts, and the answers that follow from them."""

    def __init__(self, document: WorkloadDocument) -> None:
        self.document = document
        self._factors = [
            _factor(part, strategy, document.replaced)
            for part, strategy in zip(document.factors, document.strategies, strict=True)
            if not isinstance(strategy, (TableStrategy, AnswersStrategy))
        ]
        self._together: AnswersNoise | None = None
        if is_joint(document.law):
            self._together = AnswersNoise(self.part, document.law)
        elif document.strategies == (AnswersStrategy(),):
            self._together = AnswersNoise(self.part, laplace_rate(document))

    @property
    def part(self) -> Part:
        """The questions."""
        return self.document.workload.part

    def release(self, x: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """The answers to all questions from one set of private measurements: floats, or Fractions.

        x: the vector of whole counts; for tables also rows of records, one code from 0 on for each
        attribute. Whatever is refused is refused before anything is drawn, and no value is shown.
        """
        source = entropy or system_entropy()
        if self._together is not None:
            answers = self._together.release(self._vector(x), source)
            return (
                [Fraction(answer) for answer in answers]
                if exact
                else np.array(answers, dtype=float)
            )
        if not self._factors:
            return self._tables.release(x, exact, source)
        counts = self._vector(x)
        total = sum(counts) if self.document.replaced else None
        return self._answered(self._estimate(counts, source), total, exact)

    def _vector(self, x: Any) -> list[int]:
        """The vector of counts, also from records of what tables are by."""
        part = self.part
        if isinstance(part, Marginals) and isinstance(x, (list, tuple)) and not x:
            return [0] * part.cells  # no records are records, too
        if isinstance(part, Marginals) and width_of(x) == len(part.sizes):
            codes = codes_of(x, part.sizes)
            places = np.ravel_multi_index(tuple(codes.T), part.sizes)
            counts: list[int] = np.bincount(places, minlength=part.cells).tolist()
            return counts
        return whole_vector(x, part.cells)

    def _estimate(self, counts: list[int], source: Entropy) -> list[int]:
        """An unbiased estimate of the vector in coordinates, times 2^128."""
        factors = self._factors
        z = along(
            [factor.coordinates for factor in factors], [factor.cells for factor in factors], counts
        )
        ranks = [factor.rank for factor in factors]
        y = along([factor.measured for factor in factors], ranks, z)
        noisy = [int(number * (1 << _SPARE)) for number in self._noisy(y, source)]
        return along(
            [factor.solved for factor in factors], [factor.measures for factor in factors], noisy
        )

    def _noisy(self, y: Sequence[int], source: Entropy) -> Sequence[int | Fraction]:
        """The measurements with noise, in steps of the grid."""
        law, grid = self.document.law, self.document.grid
        if is_vector(law):
            noisy = VectorNoise(law).release(
                [number * grid for number in y], exact=True, entropy=source
            )
            return [number / grid for number in noisy]
        if isinstance(law, Document):
            drawn = [int(number) for number in AdditiveNoise(law).grid_sample_any(len(y), source)]
        else:
            drawn = sampler_of(self.document.budget, grid)(len(y), source)
        return [a + b for a, b in zip(y, drawn, strict=True)]

    def _answered(self, z: list[int], total: int | None, exact: bool) -> Any:
        factors = self._factors
        ranks = [factor.rank for factor in factors]
        if total is not None:
            (single,) = factors
            answers = single.answers_of_exchanged(z, total << _SPARE)
        else:
            answers = along([factor.answers for factor in factors], ranks, z)
        below = math.prod(factor.below for factor in factors) << _SPARE
        if exact:
            return [Fraction(value, below) for value in answers]
        return np.array([value / below for value in answers])

    # -- errors -------------------------------------------------------------------------------

    def sample(self, size: int, entropy: Entropy | None = None) -> Floats:
        """So many exact draws of the errors of all answers, one set in each row."""
        nothing = [0] * self.part.cells if self._factors or self._together else []
        return np.array([self.release(nothing, entropy=entropy) for _ in range(size)])

    @cached_property
    def _sigma(self) -> float:
        return math.sqrt(variance_above(self.document))

    @cached_property
    def std(self) -> Floats:
        """The standard deviation of the error of each answer."""
        if self._together is not None:
            return np.full(self.part.queries, self._sigma)
        if not self._factors:
            return self._tables.std * self._sigma
        lengths = np.ones(1)
        for factor in self._factors:
            lengths = np.multiply.outer(lengths, factor.lengths).ravel()
        return np.asarray(lengths * self._sigma)

    def bars(self, beyond: float) -> Floats:
        """What the size of each error passes with at most this probability.

        Gaussian noise: by the quantiles of the normal law, its steps are tiny. Laplace noise and
        others: by the exact distribution of a sum of counts, or by Chernoff's bound; joint noise:
        by its exact counts, or by draws.
        """
        law = self.document.law
        if self._together is not None:
            return np.full(self.part.queries, self._together.bar(beyond))
        if is_vector(law):
            far = VectorNoise(law).coordinate_error(1 - beyond)
            far += float(law.noise.grid) * math.sqrt(law.problem.dimension) / 2
            return np.asarray(self._factors[0].lengths * far)
        if isinstance(law, Document):
            return sums_bars(law, crossed([factor.patterns for factor in self._factors]), beyond)
        name, value = self.document.budget
        if name != "epsilon":
            return np.asarray(-NormalDist().inv_cdf(beyond / 2) * self.std)
        grid = float(self.document.grid)
        if all(isinstance(one, Counts) for one in self._factors):
            rate = float(value) * grid
            patterns = crossed([one.patterns for one in self._factors])
            alone, masses = laplace_bar(rate, beyond), laplace_masses(rate)
            moment, rates = laplace_moment(rate), [rate * share for share in RATES]
            return grid * pattern_bars(alone, masses, moment, rates, patterns, beyond)
        most, squares = np.ones(1), np.ones(1)
        for factor in self._factors:
            most = np.multiply.outer(most, factor.largest).ravel()
            squares = np.multiply.outer(squares, factor.lengths**2).ravel()
        return most * grid * laplace_bars(float(value) * grid, squares / most**2, beyond)

    def std_of(self, shares: Sequence[float]) -> float:
        """That of a sum of the answers with these coefficients."""
        c = np.asarray(shares, dtype=float)
        if self._together is not None:
            return self._together.length(c) * self._sigma
        if not self._factors:
            return self._tables.length(c) * self._sigma
        for factor in self._factors:
            c = factor.lifted(c.reshape(factor.queries, -1)).T
        return float(np.sqrt((c**2).sum()) * self._sigma)

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.document)


class _Factor:
    """One factor of a product: its coordinates, its strategy and its questions."""

    def __init__(self, part: Part, strategy: Strategy | TallStrategy, replaced: bool) -> None:
        self.part, self.replaced = part, replaced
        self.cells, self.queries, self.rank = part.cells, part.queries, strategy.rank
        self.measures = len(strategy.square())
        self.where, self._y = strategy.coordinates, strategy.square()
        self._bits = strategy.bits
        where = strategy.coordinates
        #: What answers are to be divided by, besides the scale of the estimate.
        self.below = part.denominator if where != QUESTIONS else 1

    def coordinates(self, x: Sequence[int]) -> list[int]:
        """A x: D times the coordinates of a vector."""
        x = list(x)
        where = self.where
        if where == QUESTIONS:
            answers = self.part.answers(x)
            return [a - sum(x) * b for a, b in zip(answers, self._first, strict=True)]
        if isinstance(where, Basis):
            coordinates = [where.denominator * x[j] for j in where.cells]
            others = (j for j in range(self.cells) if j not in set(where.cells))
            for j, row in zip(others, where.shares, strict=True):
                if x[j]:
                    coordinates = [a + x[j] * b for a, b in zip(coordinates, row, strict=True)]
            return coordinates
        return x[1:] if self.replaced else x

    @cached_property
    def _first(self) -> list[int]:
        """What is counted from: the first column where units are replaced, else nothing."""
        if not self.replaced:
            return [0] * self.queries
        return list(self.part.answers([1] + [0] * (self.cells - 1)))

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
        over = 1
        if isinstance(self.where, Basis):
            over = self.where.denominator
        elif self.where == QUESTIONS:
            over = self.part.denominator
        return [number // over for number in z] if over > 1 else z

    def answers(self, z: Sequence[Any]) -> list[Any]:
        """The questions' answers from coordinates, times what they are divided by."""
        where = self.where
        if where == QUESTIONS:
            return list(z)
        if isinstance(where, Basis):
            x = [0] * self.cells
            for j, value in zip(where.cells, z, strict=True):
                x[j] = value
            return self.part.answers(x)
        return self.part.answers(list(z))

    def answers_of_exchanged(self, z: Sequence[int], total: int) -> list[int]:
        """The same where units are replaced: their number is known."""
        if self.where == QUESTIONS:
            below = self.part.denominator
            return [a + total * b // below for a, b in zip(z, self._first, strict=True)]
        cells = self.where.cells if isinstance(self.where, Basis) else range(1, self.cells)
        x = [0] * self.cells
        for j, value in zip(cells, z, strict=True):
            x[j] = value
        x[0] += total - sum(z)
        return self.part.answers(x)

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
        rows, below = rows_in(self.part, self.replaced, self.where)
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


class _Tall(_Factor):
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


def _factor(part: Part, strategy: Any, replaced: bool) -> Any:
    if isinstance(strategy, CountsStrategy):
        return Counts(part)
    if isinstance(strategy, RootStrategy):
        return _Roots(part, strategy)
    if isinstance(strategy, SummedStrategy):
        return Summed(part, strategy)
    kind = _Tall if isinstance(strategy, TallStrategy) else _Factor
    return kind(part, strategy, replaced)


class _Roots(_Factor):
    """Long prefix sums, by the square-root strategy."""

    def __init__(self, part: Part, strategy: RootStrategy) -> None:
        self.part, self.replaced, self.where = part, False, None
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
