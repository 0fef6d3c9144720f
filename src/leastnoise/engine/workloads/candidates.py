"""Noise for (epsilon, delta) that is neither Gaussian nor Laplace noise on sums: laws of their own.

Our best whole-number noise on each count, joint noise on the answers where they are few, vector
noise in the strategy for Gaussian noise. Proposals: the checker proves what comes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...certify.base import AnyFile, MechanismFile
from ...certify.kinds.workload import WorkloadBudget, WorkloadDocument
from ...certify.kinds.workload_check import Factors, lower_cost, release_cost, shift_length
from ...certify.noise.factor import CLOSED_FORM, FactorProof
from ...certify.noise.plain_strategies import (
    AnswersStrategy,
    CountsStrategy,
    counts_cost,
    law_claim,
)
from ...certify.noise.strategy import Multipliers, Strategy, TallStrategy
from ...certify.report import PROVEN
from ...errors import FormatError
from ...exact import round_down, round_up
from ...problem import Problem
from ...problem.arguments import Arguments
from ...problem.shape import Cube
from ...problem.shape_arguments import shaped
from ...problem.workload import MAX_TABLE
from ...problem.workload_arguments import REPLACE, WorkloadProblem
from ...problem.workload_parts import MarginalsPart, Named, WorkloadPart
from ...work import counted
from ..method import SearchPlan
from ..methods import made, plan_of, plan_of_noise
from ..search import Search
from .entropy import best_entropy
from .rounding import as_floats

#: A strategy, and what proves the bounds of its factor.
ProvenStrategy = tuple[Any, Any]

#: Digits of the bounds in a file.
_DIGITS = 15


@dataclass(frozen=True)
class InnerNoise:
    """When noise of another kind is tried in a strategy, and how closely it is searched for."""

    most_joint: int = 40  # answers; more take long, and lose
    most_vector: int = 40  # coordinates; likewise
    most_entries: int = 1_000_000  # of the matrix of the workload
    gap: float = 0.01
    gap_of_vector: float = 0.05
    seconds: float = 2.0
    seconds_of_joint: float = 0.5


_INNER = InnerNoise()


@dataclass(frozen=True)
class Piece:
    """A factor: multipliers for its bound from below, strategies for Laplace noise."""

    part: WorkloadPart
    multipliers: Multipliers | None
    sums: tuple[tuple[TallStrategy, Multipliers], ...]

    @property
    def proof(self) -> FactorProof:
        """What proves the bound from below."""
        return CLOSED_FORM if self.multipliers is None else self.multipliers

    def proven(self, problem: WorkloadProblem) -> bool:
        """Whether something is known from below."""
        return self.multipliers is not None or closed_form(self.part, problem.largest)

    def best(self, problem: WorkloadProblem) -> ProvenStrategy:
        """The strategy for Laplace noise that costs least, of floats, with its multipliers."""
        ways: list[tuple[float, ProvenStrategy]] = []
        if problem.neighbors != REPLACE and self.part.cells <= MAX_TABLE:
            cost = float(counts_cost(self.part, problem.largest))
            ways.append((cost, (CountsStrategy(), self.proof)))
        for tall, multipliers in self.sums:
            ways.append((_cost(self.part, tall, problem), (tall, multipliers)))
        if not ways:
            raise FormatError("no strategy is small enough")
        return min(ways, key=lambda way: way[0])[1]


def closed_form(part: WorkloadPart, largest: bool) -> bool:
    """Whether a bound from below needs no multipliers."""
    if isinstance(part, Named):
        return part.name == "identity"
    return isinstance(part, MarginalsPart) and not largest


def _cost(part: WorkloadPart, tall: TallStrategy, problem: WorkloadProblem) -> float:
    """What measurements of variance 1 cost, in floats."""
    y = as_floats(tall.rows) / 2.0**tall.bits
    rows = as_floats(list(part.rows())) / part.denominator
    if problem.neighbors == REPLACE:
        rows = rows[:, 1:] - rows[:, :1]
    weights = np.array([float(weight) for weight in part.weights()])
    each = weights * (rows @ np.linalg.inv(y.T @ y) * rows).sum(axis=1)
    return float(each.max() if problem.largest else each.sum())


def passed(document: WorkloadDocument) -> WorkloadDocument | None:
    """The document with its bounds; None where its noise is not proven to be private."""
    assert document.asked is not None
    with counted():
        law = document.law
        proven = law is None or law_claim(law, *document.asked).verdict == PROVEN
        return _private(document) if proven else None


def of_sums(problem: WorkloadProblem, pieces: list[Piece]) -> WorkloadDocument | None:
    """Laplace noise: the best strategy of each factor."""
    replaced = problem.neighbors == REPLACE
    if any(not piece.sums and (replaced or not piece.proven(problem)) for piece in pieces):
        return None
    with counted():
        return stated(problem, [piece.best(problem) for piece in pieces])


def on_counts(
    problem: WorkloadProblem, pieces: list[Piece], search: Search
) -> WorkloadDocument | None:
    """Noise on each count: the best of all for histograms."""
    if problem.neighbors == REPLACE or problem.workload.cells > MAX_TABLE:
        return None
    assert problem.asked is not None
    epsilon, delta = problem.asked
    law = None
    if delta > 0:
        count = Problem.of(epsilon=epsilon, delta=delta, loss="l2", integer=True)
        law = _law(search, plan_of_noise(count), _INNER.gap, _INNER.seconds)
    strategies = (CountsStrategy(),) * len(pieces)
    multipliers = tuple(piece.proof for piece in pieces)
    return replace(empty(problem), strategies=strategies, multipliers=multipliers, law=law)


def on_each_answer(
    problem: WorkloadProblem, pieces: list[Piece], search: Search
) -> WorkloadDocument | None:
    """Laplace noise on each answer: for a few small tables of a large one."""
    part, proof = pieces[0].part, pieces[0].proof
    if len(pieces) > 1 or part.denominator != 1 or part.cells > MAX_TABLE:
        return None
    return replace(empty(problem), strategies=(AnswersStrategy(),), multipliers=(proof,))


def on_answers(
    problem: WorkloadProblem, pieces: list[Piece], search: Search
) -> WorkloadDocument | None:
    """Joint noise on the answers, where they are few and whole."""
    part, proof = pieces[0].part, pieces[0].proof
    few = len(pieces) == 1 and part.queries <= _INNER.most_joint
    if not few or part.denominator != 1 or part.queries * part.cells > _INNER.most_entries:
        return None
    assert problem.asked is not None
    rows = [list(row) for row in part.rows()]
    replaced = problem.neighbors == REPLACE
    width = max(max(row) - min(row) if replaced else max(map(abs, row)) for row in rows)
    entries = {x > 0 for row in rows for x in row if x}
    shape = Cube(part.queries, width, one_sided=not replaced and len(entries) == 1)
    answers = shaped(
        Arguments(epsilon=problem.asked[0], delta=0, sensitivity=shape, integer=True, loss="l2")
    )
    plan = plan_of(replace(answers, noise_alone=True))
    law = _law(search, plan, _INNER.gap, _INNER.seconds_of_joint)
    return replace(empty(problem), strategies=(AnswersStrategy(),), multipliers=(proof,), law=law)


def of_vectors(
    problem: WorkloadProblem, gaussian: WorkloadDocument, search: Search
) -> WorkloadDocument | None:
    """Vector noise in the strategy that is the best for Gaussian noise."""
    strategy = gaussian.strategies[0]
    if len(gaussian.strategies) > 1 or not isinstance(strategy, Strategy):
        return None
    if not 2 <= strategy.rank <= _INNER.most_vector:
        return None
    assert problem.asked is not None
    epsilon, delta = problem.asked
    vector = Problem.of_vector(
        epsilon=epsilon, delta=delta, sensitivity=1, dimension=strategy.rank, loss="l2"
    )
    plan = made("vector" if delta > 0 else "vector at delta = 0", vector)
    law = _law(search, plan, _INNER.gap_of_vector, _INNER.seconds)
    kept = WorkloadBudget.of(problem.budget, problem.asked)
    return replace(gaussian, kept=kept, law=law)


def _law(search: Search, plan: SearchPlan, gap: float, seconds: float | None) -> AnyFile:
    """The file of the noise of one measurement."""
    file = search.inner_file(plan, gap, seconds)
    assert isinstance(file, MechanismFile)
    return file


# -- documents --------------------------------------------------------------------------------


def empty(problem: WorkloadProblem) -> WorkloadDocument:
    """A document of which only the question is known."""
    return WorkloadDocument(
        workload=problem.workload,
        neighbors=problem.neighbors,
        kept=WorkloadBudget.of(problem.budget, problem.asked),
        entropy=best_entropy(problem.budget[1]) if problem.budget[0] == "zcdp" else None,
        largest=problem.largest,
        strategies=(),
        multipliers=(),
        upper=Fraction(0),
        lower=Fraction(0),
    )


def stated(problem: WorkloadProblem, strategies: list[ProvenStrategy]) -> WorkloadDocument:
    """The document with its bounds; `FormatError` if the checker could not prove them."""
    document = replace(
        empty(problem),
        strategies=tuple(strategy for strategy, _ in strategies),
        multipliers=tuple(multipliers for _, multipliers in strategies),
    )
    return _private(document)


def _private(document: WorkloadDocument) -> WorkloadDocument:
    factors = document.factor_problems()
    if shift_length(document, factors) > 1:
        raise FormatError("a shift is longer than 1")
    return bounded(document, factors)


def bounded(document: WorkloadDocument, factors: Factors | None = None) -> WorkloadDocument:
    """The document with the bounds that its numbers prove."""
    factors = factors or document.factor_problems()
    upper = round_up(release_cost(document, factors), _DIGITS)
    lower = round_down(lower_cost(document, factors), _DIGITS)
    return replace(document, upper=upper, lower=lower)
