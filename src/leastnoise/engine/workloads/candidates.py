"""Noise for (epsilon, delta) that is neither Gaussian nor Laplace noise on sums: laws of their own.

Our best whole-number noise on each count, joint noise on the answers where they are few, vector
noise in the strategy for Gaussian noise. Proposals: the checker proves what comes of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from ...certify.base import AnyFile, MechanismFile
from ...certify.certificates.closed_form import approximate_variance
from ...certify.kinds.workload import WorkloadFile
from ...certify.noise.workloads.plain_strategies import AnswersStrategy, CountsStrategy
from ...certify.noise.workloads.strategy import Strategy
from ...problem import Problem
from ...problem.arguments import Arguments
from ...problem.shape import Cube
from ...problem.shape_arguments import shaped
from ...problem.workload import MAX_TABLE
from ...problem.workload_problem import WorkloadProblem
from ..method import SearchPlan
from ..methods import made, plan_of, plan_of_noise
from ..search import Search
from .documents import written
from .pieces import Piece


@dataclass(frozen=True)
class InnerNoise:
    """When noise of another kind is tried in a strategy, and how closely it is searched for."""

    most_joint: int = 40  # answers; more take long, and lose
    most_entries: int = 1_000_000  # of the matrix of the workload
    gap: float = 0.01
    gap_of_vector: float = 0.05
    seconds: float = 2.0
    seconds_of_joint: float = 0.5


_INNER = InnerNoise()
#: Coordinates of vector noise: more take long, and lose.
MOST_VECTOR = 40


def of_sums(problem: WorkloadProblem, pieces: list[Piece], search: Search) -> WorkloadFile | None:
    """Laplace noise: the best strategy of each factor."""
    pairs = [pair for piece in pieces if (pair := piece.best) is not None]
    return written(problem, pairs) if len(pairs) == len(pieces) else None


def on_counts(problem: WorkloadProblem, pieces: list[Piece], search: Search) -> WorkloadFile | None:
    """Noise on each count: the best of all for histograms."""
    if problem.replaced or problem.workload.cells > MAX_TABLE:
        return None
    assert problem.asked is not None
    epsilon, delta = problem.asked
    law, best = None, search.bracket.upper
    least = approximate_variance(epsilon, delta) * _plain_cost(problem, pieces)
    if best is not None and least >= best.value:
        return None  # (no noise on counts is better)
    if delta > 0:
        count = Problem.of(epsilon=epsilon, delta=delta, loss="l2", integer=True)
        law = _law(search, plan_of_noise(count), _INNER.gap, _INNER.seconds)
    file = written(problem, [(CountsStrategy(), piece.proof) for piece in pieces])
    return file.with_noise(law=law)


def _plain_cost(problem: WorkloadProblem, pieces: list[Piece]) -> Fraction:
    each = (piece.part.squared_lengths(problem.largest) for piece in pieces)
    return math.prod(each, start=Fraction(1))


def on_each_answer(
    problem: WorkloadProblem, pieces: list[Piece], search: Search
) -> WorkloadFile | None:
    """Laplace noise on each answer: for a few small tables of a large one."""
    part, proof = pieces[0].part, pieces[0].proof
    if len(pieces) > 1 or part.denominator != 1 or part.cells > MAX_TABLE:
        return None
    return written(problem, [(AnswersStrategy(), proof)])


def on_answers(
    problem: WorkloadProblem, pieces: list[Piece], search: Search
) -> WorkloadFile | None:
    """Joint noise on the answers, where they are few and whole."""
    part, proof = pieces[0].part, pieces[0].proof
    few = len(pieces) == 1 and part.queries <= _INNER.most_joint
    if not few or part.denominator != 1 or part.queries * part.cells > _INNER.most_entries:
        return None
    assert problem.asked is not None
    rows = [list(row) for row in part.rows()]
    replaced = problem.replaced
    width = max(max(row) - min(row) if replaced else max(map(abs, row)) for row in rows)
    entries = {x > 0 for row in rows for x in row if x}
    shape = Cube(part.queries, width, one_sided=not replaced and len(entries) == 1)
    answers = shaped(
        Arguments(epsilon=problem.asked[0], delta=0, sensitivity=shape, integer=True, loss="l2")
    )
    plan = plan_of(replace(answers, noise_alone=True))
    law = _law(search, plan, _INNER.gap, _INNER.seconds_of_joint)
    return written(problem, [(AnswersStrategy(), proof)]).with_noise(law=law)


def of_vectors(
    problem: WorkloadProblem, gaussian: WorkloadFile, search: Search
) -> WorkloadFile | None:
    """Vector noise in the strategy that is the best for Gaussian noise."""
    strategy = gaussian.noise.strategies[0]
    if len(gaussian.noise.strategies) > 1 or not isinstance(strategy, Strategy):
        return None
    if not 2 <= strategy.rank <= MOST_VECTOR:
        return None
    assert problem.asked is not None
    epsilon, delta = problem.asked
    vector = Problem.of_vector(
        epsilon=epsilon, delta=delta, sensitivity=1, dimension=strategy.rank, loss="l2"
    )
    plan = made("vector" if delta > 0 else "vector at delta = 0", vector)
    law = _law(search, plan, _INNER.gap_of_vector, _INNER.seconds)
    return replace(gaussian, problem=problem).with_noise(law=law)


def _law(search: Search, plan: SearchPlan, gap: float, seconds: float | None) -> AnyFile:
    """The file of the noise of one measurement."""
    file = search.inner_file(plan, gap, seconds)
    assert isinstance(file, MechanismFile)
    return file
