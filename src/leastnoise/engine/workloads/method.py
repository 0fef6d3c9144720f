"""The methods for workloads: the best strategy for Gaussian noise, and other noise in its place.

What is yielded is checked by `certify/noise/workloads/measurements.py`. A file states both of its
bounds: its multipliers are about the coordinates of its strategy. So only noise is yielded, and all
noise is tried: what is the best shows at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

import numpy as np

from ...certify.kinds.workload import WorkloadFile, is_workload
from ...certify.kinds.workload_parts import MAX_RANK
from ...certify.noise.workloads.plain_strategies import AnswersStrategy
from ...errors import ArgumentError, FormatError, LimitError
from ...formatting import gap_of, gap_words, percent
from ...problem.budgets import mu_for
from ...problem.privacy import Releases
from ...problem.workload_problem import WorkloadProblem
from ...program.threads import blas_threads
from ..bounds import Bounds, Lower, noise_for_workload, not_negative
from ..method import Method
from ..search import Search
from .candidates import MOST_VECTOR, of_sums, of_vectors, on_answers, on_counts, on_each_answer
from .documents import passed
from .pieces import Piece, Pieces
from .strategies import Strategies, badly_scaled, too_large

_STRATEGIES, _PIECES = Strategies(), Pieces()
#: The share of the time that strategies for Laplace noise, and proofs, have.
_SHARE = 0.7
#: Cells of a factor for which one thread is not slower.
_SMALL = 1000


def _offer(document: WorkloadFile, search: Search) -> Bounds:
    search.report(float(document.lower), float(document.upper), 0)
    return None, noise_for_workload(document)


def _below_curve(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    try:
        with blas_threads(_threads(problem)):
            document = _STRATEGIES.of_curve(problem, search.gap, search.left(np.inf))
    except LimitError:
        too_long(problem)
    yield _offer(document, search)


def _threads(problem: WorkloadProblem) -> int | None:
    """Of BLAS: one for small matrices."""
    return 1 if max(part.cells for part in problem.factors) <= _SMALL else None


# -- (epsilon, delta) -----------------------------------------------------------------------------


def _pieces(problem: WorkloadProblem, search: Search) -> list[Piece]:
    """The factors of the workload, each with strategies and a proof."""
    factors = problem.factors
    left = search.within(search.left(np.inf) * _SHARE)

    def made() -> list[Piece]:
        with blas_threads(_threads(problem)):
            return [
                _PIECES.piece(problem, part, left() / (len(factors) - place))
                for place, part in enumerate(factors)
            ]

    return search.keep("pieces", made)


Candidate = Callable[[WorkloadProblem, list[Piece], Search], WorkloadFile | None]


def _trying(candidate: Candidate) -> Callable[[WorkloadProblem, Search], Iterator[Bounds]]:
    """The bounds of a candidate, if it is one for this workload and passes.

    Without multipliers, where with them the check would take too long.
    """

    def bounds(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
        pieces = _pieces(problem, search)
        for ways in (pieces, [piece.unproven for piece in pieces]):
            try:
                document = candidate(problem, ways, search)
                if document is not None and (proven := passed(document)) is not None:
                    yield _offer(proven, search)
                return
            except LimitError:
                continue
            except (ArgumentError, FormatError, np.linalg.LinAlgError):
                return

    return bounds


def _best_gaussian(problem: WorkloadProblem, search: Search) -> WorkloadFile | None:
    """The best file of Gaussian noise; None where there is none."""

    def made() -> WorkloadFile | None:
        assert problem.asked is not None
        mu = mu_for(Releases(1, *problem.asked))
        if mu is not None:
            curve = replace(problem, budget=replace(problem.budget, gdp=mu))
            # (There may be too many counts for it alone.)
            with suppress(ArgumentError, LimitError), blas_threads(_threads(problem)):
                return _STRATEGIES.of_curve(curve, search.gap, search.left(np.inf) / 2)
        return None

    return search.keep("Gaussian noise", made)


def _gaussian(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    """Unless the proof of the best noise so far says that Gaussian noise costs more."""
    upper = search.bracket.upper
    if upper is not None:
        assert problem.asked is not None
        best, mu = upper.document, mu_for(Releases(1, *problem.asked))
        assert is_workload(best)
        least = best.certificate.least_variance(problem)
        if mu is None or search.late() or (least and best.lower / least / mu**2 >= best.upper):
            return
    document = _best_gaussian(problem, search)
    if document is not None:
        yield _offer(document, search)


def _vectors(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    """Where the best noise so far is Gaussian or Laplace noise, of few coordinates."""
    upper, part = search.bracket.upper, problem.workload.part
    if upper is None or min(part.cells - problem.replaced, part.queries) > MOST_VECTOR:
        return
    best = upper.document
    assert is_workload(best)
    if best.noise.law is not None or AnswersStrategy() in best.noise.strategies:
        return
    gaussian = _best_gaussian(problem, search)
    if gaussian is None:
        return
    with suppress(ArgumentError, FormatError, np.linalg.LinAlgError):
        document = of_vectors(problem, gaussian, search)
        if document is not None and (proven := passed(document)) is not None:
            yield _offer(proven, search)


# -- the table ------------------------------------------------------------------------------------

STRATEGY = Method(
    "best strategy",
    "a fixed point for the weights of shifts, rounded ever more finely; closed forms for tables",
    _below_curve,
    whatever=True,
)
GAUSSIAN = Method(
    "Gaussian noise",
    "the best strategy for the largest mu that the budget allows",
    _gaussian,
    whatever=True,
)
LAPLACE = Method(
    "Laplace noise",
    "counts alone, or counts with sums, of each factor the better",
    _trying(of_sums),
    whatever=True,
)
ON_COUNTS = Method(
    "noise on each count",
    "the best integer noise for one number on every count",
    _trying(on_counts),
)
ON_EACH_ANSWER = Method(
    "noise on each answer",
    "Laplace noise on every answer, for a few small tables of a large one",
    _trying(on_each_answer),
)
ON_ANSWERS = Method(
    "joint noise on the answers",
    "the best noise for a cube on the answers, where they are few and integers",
    _trying(on_answers),
)
VECTORS = Method(
    "vector noise in the strategy",
    "the best noise for a vector in the strategy for Gaussian noise",
    _vectors,
)


def trivial(problem: WorkloadProblem) -> Lower:
    """No loss is negative."""
    return not_negative(None)


def refuse(problem: WorkloadProblem) -> NoReturn:
    """No strategy passes."""
    part = problem.workload.part
    if part.cells <= MAX_RANK:
        raise badly_scaled(problem)
    raise too_large(part)


def too_long(problem: WorkloadProblem) -> NoReturn:
    """No file can be checked."""
    words = "smaller: the exact check would take too long"
    raise ArgumentError("workload", problem.workload, words) from None


def status(document: WorkloadFile, search: Search) -> str:
    """The noise, what the gap is made of, and what the lower bound is over."""
    words = gap_words(document, True)
    problem = document.problem
    noise = document.noise.words(problem)
    if problem.asked is not None:
        return (
            f"{words}; {noise}, the best one tried for this budget; lower holds for all mechanisms "
            "in the worst case, and is weak for many queries"
        )
    least = document.certificate.least_variance(problem)
    if least == 0:
        return f"{words}; {noise}; no useful lower bound is known"
    ratio = float(document.noise.variance(problem) / least) - 1
    rest = (1 + gap_of(document)) / (1 + ratio) - 1
    words += f"; {noise}; gap of the strategy {percent(max(rest, 1e-15))}, "
    words += f"of Gaussian noise for one number {percent(ratio)}"
    return (
        words
        + "; lower holds for all noise of this budget, and for all mechanisms in the worst case"
    )
