"""The factors of a workload at (epsilon, delta): strategies for Laplace noise, and a proof of each.

Counts alone, or counts and sums of them (`summed.py`). What proves how little all noise costs is
about the queries alone, whatever the strategy. Proposals: the checker proves what comes of them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg as sl

from ...certify.noise.workloads.factor import CLOSED_FORM, FactorProof, FactorStrategy
from ...certify.noise.workloads.frame import ALL_CELLS, Frame
from ...certify.noise.workloads.plain_strategies import CountsStrategy
from ...certify.noise.workloads.root_strategy import MAX_PREFIX
from ...certify.noise.workloads.strategy import Multipliers, TallStrategy, largest_sum
from ...certify.noise.workloads.summed_strategy import MAX_SUMMED, upper_summed
from ...errors import ArgumentError, FormatError
from ...problem.workload import MAX_TABLE
from ...problem.workload_parts import WorkloadPart
from ...problem.workload_problem import WorkloadProblem
from ...problem.workload_tables import MarginalsPart
from ...work import OutOfTimeError, counted, until
from .documents import ProvenStrategy
from .roots import best_weights
from .rounding import as_floats
from .strategies import Strategies
from .summed import StrategyDescent, halved


@dataclass(frozen=True)
class Piece:
    """A factor, what proves its bound from below, and strategies for Laplace noise with costs."""

    part: WorkloadPart
    proof: FactorProof
    strategies: tuple[tuple[float, ProvenStrategy], ...]

    @property
    def best(self) -> ProvenStrategy | None:
        """The strategy that costs least, with its proof."""
        return min(self.strategies, key=lambda pair: pair[0])[1] if self.strategies else None

    @property
    def unproven(self) -> Piece:
        """The same without multipliers, which take long to check."""
        rest = tuple(
            (cost, (strategy, CLOSED_FORM))
            for cost, (strategy, _) in self.strategies
            if not strategy.needs_inverse
        )
        return Piece(self.part, CLOSED_FORM, rest)


@dataclass(frozen=True)
class Pieces:
    """How long is searched for what a factor needs, and with how many bits."""

    share: float = 0.7  # of the time, for the strategy; the proof has the rest
    inverse_bits: int = 34
    most_in_matrix: int = 200  # coordinates of a strategy whose check needs an inverse

    def piece(self, problem: WorkloadProblem, part: WorkloadPart, seconds: float) -> Piece:
        """What is found for a factor in about so many seconds."""
        end = time.monotonic() + seconds
        replaced, descent = problem.replaced, StrategyDescent()
        costs: list[tuple[float, FactorStrategy]] = []
        if not replaced and part.cells <= MAX_TABLE:
            costs.append((float(part.squared_lengths(problem.largest)), CountsStrategy()))
        if not problem.largest and part.cells <= MAX_SUMMED:
            with contextlib.suppress(FormatError, np.linalg.LinAlgError), counted():
                summed = descent.best(part, self.share * seconds)
                summed = halved(summed) if replaced else summed
                costs.append((float(upper_summed(part, summed)), summed))
        proof = self._proof(problem, part, end)
        proven: list[tuple[float, ProvenStrategy]] = [(cost, (s, proof)) for cost, s in costs]
        if isinstance(proof, Multipliers) and (replaced or problem.largest):
            with contextlib.suppress(FormatError, np.linalg.LinAlgError), counted():
                proven += self._matrices(problem, part, proof, end)
        return Piece(part, proof, tuple(proven))

    def _proof(self, problem: WorkloadProblem, part: WorkloadPart, end: float) -> FactorProof:
        """What proves the most from below, as far as it is found until then."""
        replaced = problem.replaced
        name = part.scaled()[1].family if part.cells <= MAX_PREFIX else ""
        if name in ("prefix", "ranges") and not (replaced or problem.largest):
            left = max(0.1, end - time.monotonic())
            return best_weights(part.cells, left, name == "ranges")
        small = part.cells <= self.most_in_matrix and (replaced or problem.largest)
        if not small and closed_form(part, problem.largest):
            return CLOSED_FORM
        with (
            contextlib.suppress(ArgumentError, FormatError, np.linalg.LinAlgError, OutOfTimeError),
            until(lambda: time.monotonic() > end),
        ):
            return Strategies().multipliers(problem, part, end)
        return CLOSED_FORM

    def _matrices(
        self, problem: WorkloadProblem, part: WorkloadPart, proof: Multipliers, end: float
    ) -> Iterator[tuple[float, ProvenStrategy]]:
        """Strategies about all cells but the first one, or for the largest variance."""
        replaced = problem.replaced
        if part.cells > self.most_in_matrix:
            return
        frame = ALL_CELLS.frame(part, replaced)
        cost = as_floats(frame.cost) / float(frame.below)
        tall = StrategyDescent().matrix(cost, max(0.1, end - time.monotonic()))
        for strategy in (tall, counts_alone(len(cost))) if replaced else (tall,):
            short = shortened(strategy, frame, replaced)
            inverse = inverse_rows(short, self.inverse_bits)
            pair = short, replace(proof, inverse=inverse)
            yield cost_of(part, short, problem), pair


# -- matrices -------------------------------------------------------------------------------------


def counts_alone(rank: int) -> TallStrategy:
    """Each count by itself, in whole numbers."""
    return TallStrategy(0, tuple(tuple(int(i == j) for j in range(rank)) for i in range(rank)))


def inverse_rows(strategy: TallStrategy, bits: int) -> tuple[tuple[int, ...], ...]:
    """The inverse of Y^T Y in whole numbers."""
    y = as_floats(strategy.rows) / 2.0**strategy.bits
    inverse = sl.inv(y.T @ y)
    inverse *= 2.0**bits / np.abs(inverse).max()
    return tuple(tuple(int(x) for x in row) for row in np.rint(inverse))


def shortened(tall: TallStrategy, frame: Frame, replaced: bool) -> TallStrategy:
    """The strategy scaled down, where a shift would move it by more than 1."""
    most = largest_sum(frame, tall, replaced)
    if most <= 1:
        return tall
    if most.denominator == 1 and most.numerator.bit_count() == 1:
        return replace(tall, bits=tall.bits + most.numerator.bit_length() - 1)
    bits = max(tall.bits, StrategyDescent.matrix_bits)
    scale = (1 << (bits - tall.bits)) / most
    return TallStrategy(bits, tuple(tuple(int(x * scale) for x in row) for row in tall.rows))


def cost_of(part: WorkloadPart, tall: TallStrategy, problem: WorkloadProblem) -> float:
    """What measurements of variance 1 cost, in floats."""
    y = as_floats(tall.rows) / 2.0**tall.bits
    rows = as_floats(list(part.rows())) / part.denominator
    if problem.replaced:
        rows = rows[:, 1:] - rows[:, :1]
    weights = np.array([float(weight) for weight in part.weights()])
    each = weights * (rows @ np.linalg.inv(y.T @ y) * rows).sum(axis=1)
    return float(each.max() if problem.largest else each.sum())


def closed_form(part: WorkloadPart, largest: bool) -> bool:
    """Whether a bound from below needs no multipliers."""
    family = part.scaled()[1].family
    return family == "identity" or (isinstance(part, MarginalsPart) and not largest)
