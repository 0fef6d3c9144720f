"""Exact releases of many linear questions: measured with noise, then answered.

Why a release is private, and what its errors are: `workload.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from ..certify.kinds.additive import is_additive
from ..certify.kinds.joint import is_joint
from ..certify.kinds.vector import is_vector
from ..certify.kinds.workload import WorkloadFile
from ..certify.noise.workloads.plain_strategies import AnswersStrategy
from ..certify.noise.workloads.single import LaplaceOnGrid
from ..certify.noise.workloads.table_strategy import TableStrategy
from ..errors import ArgumentError
from ..facts import CONFIDENCE, Fact, asked, error_fact, spread_fact
from ..formatting import float_towards
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..problem.workload import Workload
from ..problem.workload_parts import WorkloadPart
from ..problem.workload_tables import MarginalsPart, along
from ..sampling import Entropy, system_entropy
from .additive import AdditiveNoise
from .bars import RATES, laplace_bar, laplace_bars, laplace_masses, laplace_moment, pattern_bars
from .base import DesignNoise
from .budget import AskedBudget
from .counts import codes_of, whole_vector, width_of
from .factors import factor_of
from .measured_sums import AnswerSums, ListedSums, MeasuredSums
from .plain import AnswersNoise, sums_bars
from .tables import Tables, sampler_of
from .vector import VectorNoise

#: Bits behind the point of estimates: what rounding adds to an error is far below any answer.
_SPARE = 128


class WorkloadNoise(DesignNoise[WorkloadFile]):
    """Measurements of a vector of counts, and the answers that follow from them.

    Guarantee: one `release` of all answers is mu-GDP (`gdp`) or rho-zCDP (`zcdp`) for vectors that
    are `neighbors`; the total of the weighted squared errors (or, with loss "largest", the largest
    weighted variance) is at most `upper`, whatever the counts; and nothing of this budget has less
    than `lower`: no noise that is added to the answers, and no mechanism at all in the worst case
    over data (at small counts answers that depend on the data may be better).

    Example: cumulative counts of eight groups of age.

        >>> best = design(workload=Workload.prefix(8), gdp=1)
        >>> round(best.upper, 3)
        17.866
        >>> float(round(best.noise.std.max(), 3))
        1.635
    """

    TAKES = "counts"
    RELEASE_OPTIONS = ("exact", "whole")

    def __init__(self, document: WorkloadFile) -> None:
        self.document, self.problem = document, document.problem
        self._file, self._grid = document.noise.law, document.noise.grid(self.problem)
        self._single = document.noise.single(self.problem)
        self.dimension = self.workload.queries
        self._factors = [
            factor_of(part, strategy, self.problem.replaced)
            for part, strategy in zip(self.problem.factors, document.noise.strategies, strict=True)
            if not isinstance(strategy, (TableStrategy, AnswersStrategy))
        ]
        self._together: AnswersNoise | None = None
        if is_joint(self._file):
            self._together = AnswersNoise(self.part, self._file)
        elif document.noise.strategies == (AnswersStrategy(),):
            assert isinstance(self._single, LaplaceOnGrid)
            self._together = AnswersNoise(self.part, self._single.rate)

    @property
    def part(self) -> WorkloadPart:
        """The questions."""
        return self.problem.workload.part

    @property
    def workload(self) -> Workload:
        """The queries."""
        return self.problem.workload

    @property
    def neighbors(self) -> str:
        """Who is hidden: a unit more or less ("add-remove"), or one of another kind ("replace")."""
        return self.problem.neighbors

    @property
    def words(self) -> str:
        """Which noise is added, and to what."""
        return self.document.noise.words(self.problem)

    @property
    def title(self) -> str:
        """What a release is."""
        return "private answers"

    @property
    def loss_words(self) -> str:
        """What the bracket is of."""
        return "largest variance" if self.problem.largest else "total squared error"

    @cached_property
    def budget(self) -> AskedBudget:
        """The budget that was asked for: mu, rho, or (epsilon, delta)."""
        budget = self.problem.budget
        each = () if budget.asked is None else (budget.asked,)
        return AskedBudget(budget.asked, each, gdp=budget.gdp, zcdp=budget.zcdp)

    @property
    def zcdp_bound(self) -> float:
        """A proven rho: as asked for, or mu^2/2 or epsilon^2/2, rounded up; or infinite."""
        budget = self.problem.budget
        if self._file is not None and self._file.delta > 0:
            return math.inf
        if budget.zcdp is not None:
            return float_towards(budget.zcdp, math.inf)
        size = budget.epsilon if budget.gdp is None else budget.gdp
        assert size is not None
        return float_towards(size * size / 2, math.inf)

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked."""
        yield asked("workload", repr(self.workload))
        yield asked("cells", self.workload.cells, aside=True)
        yield asked("queries", self.workload.queries, aside=True)
        for fact in self.budget.facts():
            # (With (epsilon, delta) the curve that noise stays below was found, not asked for.)
            yield (
                fact
                if fact.name != "gdp" or self.budget.point is None
                else replace(fact, aside=True)
            )
        yield asked("neighbors", self.neighbors)
        yield asked("loss", loss)

    def facts(self) -> Iterator[Fact]:
        """The least and the most of standard deviations and error bounds."""
        bars = self.error_bound(CONFIDENCE)
        for place, pick in (("smallest", min), ("largest", max)):
            which = f"of the {'most' if pick is min else 'least'} precise answer"
            yield spread_fact(float(pick(self.std)), which, f"std_{place}")
            yield error_fact(float(pick(bars)), which, f"error_95_{place}")

    def release(
        self,
        value: Any,
        *,
        exact: bool = False,
        whole: bool = False,
        entropy: Entropy | None = None,
    ) -> Any:
        """Private answers to all queries, in their order: publish them, once.

        value: the vector of integer counts, `workload.cells` of them. For marginals it may also be
            rows of records, one integer code from 0 on for each attribute.
        exact: Fractions instead of floats. whole: answers rounded to integers, and not below
            0: post-processing that spends no budget; sums of them may no longer fit together.
        Whatever is rejected is rejected before anything is drawn, and no value is shown.
        """
        answers = self._released(value, exact or whole, entropy or system_entropy())
        if not whole:
            return answers
        rounded = [max(0, round(answer)) for answer in answers]
        return rounded if exact else np.array(rounded, dtype=float)

    def _released(self, x: Any, exact: bool, source: Entropy) -> Any:
        """The answers from one set of private measurements: floats, or Fractions."""
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
        total = sum(counts) if self.problem.replaced else None
        return self._answered(self._estimate(counts, source), total, exact)

    def _vector(self, x: Any) -> list[int]:
        """The vector of counts, also from records of what tables are by."""
        part = self.part
        if isinstance(part, MarginalsPart) and isinstance(x, (list, tuple)) and not x:
            return [0] * part.cells  # no records are records, too
        if isinstance(part, MarginalsPart) and width_of(x) == len(part.sizes):
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
        file, grid = self._file, self._grid
        if is_vector(file):
            noisy = VectorNoise(file).release(
                [number * grid for number in y], exact=True, entropy=source
            )
            return [number / grid for number in noisy]
        if is_additive(file):
            drawn = [int(number) for number in AdditiveNoise(file).grid_sample_any(len(y), source)]
        else:
            drawn = sampler_of(self._single, grid)(len(y), source)
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
        return math.sqrt(self._single.variance(self._grid))

    @cached_property
    def std(self) -> Floats:
        """The standard deviation of the error of each answer."""
        if self._together is not None:
            return np.full(self.part.queries, self._sigma)
        if not self._factors:
            return self._tables.std * self._sigma
        return np.asarray(AnswerSums(self._factors).lengths * self._sigma)

    def bars(self, beyond: float) -> Floats:
        """What the size of each error passes with at most this probability.

        Gaussian noise: by normal quantiles, for its steps are tiny. Laplace noise and others: by
        the exact distribution of a sum of counts, or by Chernoff's bound; joint noise: by its
        exact counts, or by draws.
        """
        if self._together is not None:
            return np.full(self.part.queries, self._together.bar(beyond))
        if not self._factors:  # tables, whose noise is Gaussian
            return np.asarray(-NormalDist().inv_cdf(beyond / 2) * self.std)
        return self._within(AnswerSums(self._factors), beyond)

    def _within(self, sums: MeasuredSums, beyond: float) -> Floats:
        """What the error of each sum of measurements passes with at most this probability."""
        file = self._file
        if is_vector(file):
            far = VectorNoise(file).coordinate_error(1 - beyond)
            far += float(file.noise.grid) * math.sqrt(file.problem.dimension) / 2
            return np.asarray(sums.lengths * far)
        if is_additive(file):
            return sums_bars(file, sums.patterns, beyond)
        if not isinstance(self._single, LaplaceOnGrid):
            return np.asarray(-NormalDist().inv_cdf(beyond / 2) * (sums.lengths * self._sigma))
        grid = float(self._grid)
        rate = float(self._single.rate) * grid
        if all(factor.counts_alone for factor in self._factors):
            alone, masses = laplace_bar(rate, beyond), laplace_masses(rate)
            moment, rates = laplace_moment(rate), [rate * share for share in RATES]
            return grid * pattern_bars(alone, masses, moment, rates, sums.patterns, beyond)
        bars = laplace_bars(rate, sums.many, beyond, self._measures)
        return np.asarray(sums.largest * grid * bars)

    @property
    def _measures(self) -> int:
        """How many numbers are measured."""
        return math.prod(factor.measures for factor in self._factors)

    def combined_bars(self, combinations: Floats, beyond: float) -> Floats:
        """What the size of each combination of errors passes with at most this probability.

        combinations: in each row the coefficients of all answers. As `bars`; joint noise by the
        union bound.
        """
        if self._together is not None:
            many = np.count_nonzero(combinations, axis=1)
            known = {n: self._together.bar(beyond / max(1, n)) for n in set(many.tolist())}
            sizes = np.abs(combinations).sum(axis=1)
            return np.asarray(sizes * np.array([known[n] for n in many.tolist()]))
        if not self._factors:  # tables, whose noise is Gaussian
            lengths = np.array([self._tables.length(row) for row in combinations])
            return np.asarray(-NormalDist().inv_cdf(beyond / 2) * self._sigma * lengths)
        lifted = self._lifted(combinations.T).reshape(len(combinations), self._measures)
        return self._within(ListedSums(lifted), beyond)

    def _lifted(self, coefficients: Floats) -> Floats:
        """The coefficients of the measurements in a sum of answers, each times its coefficient.

        Of several sums in the columns: those of the first, then those of the second, and so on.
        """
        for factor in self._factors:
            coefficients = factor.lifted(coefficients.reshape(factor.queries, -1)).T
        return coefficients.ravel()

    def std_of(self, coefficients: Sequence[float]) -> float:
        """The standard deviation of a sum of the answers, each times its coefficient."""
        if len(coefficients) != self.dimension:
            words = f"{len(coefficients)} numbers"
            raise ArgumentError("coefficients", words, f"{self.dimension}: one for each answer")
        c = np.asarray(coefficients, dtype=float)
        if self._together is not None:
            return self._together.length(c) * self._sigma
        if not self._factors:
            return self._tables.length(c) * self._sigma
        return float(np.sqrt((self._lifted(c) ** 2).sum()) * self._sigma)

    def error_bound(self, confidence: float = CONFIDENCE, *, all_at_once: bool = False) -> Floats:
        """How far each answer may be off with this probability: margins of error.

        all_at_once: such that all of them hold together (by the union bound). For Gaussian noise
        the quantiles are those of the normal distribution, in whose place it is in tiny steps; for
        Laplace noise they are on the safe side (and exact where an answer is one measurement).
        """
        level = check_confidence(confidence)
        return self.bars((1 - level) / (self.dimension if all_at_once else 1))

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.document)
