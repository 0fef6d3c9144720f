"""The methods for workloads: the best strategy for Gaussian noise, and other noise in its place.

What is yielded is checked by `certify/kinds/workload_check.py`. A file states both of its bounds:
its multipliers are about the coordinates of its strategy. So only noise is yielded, and all noise
is tried: what is the best shows at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

import numpy as np

from ...certify.kinds.workload import WorkloadDocument, factors_of
from ...certify.kinds.workload_check import noise_words, variance_above, variance_below
from ...certify.kinds.workload_parts import MAX_RANK
from ...certify.noise.plain_strategies import AnswersStrategy
from ...errors import ArgumentError, FormatError, LimitError
from ...formatting import gap_of, gap_words, percent
from ...problem.budgets import mu_for
from ...problem.privacy import Releases
from ...problem.workload_arguments import WorkloadProblem
from ..bounds import Bounds, Lower, noise_for_workload, not_negative
from ..method import Method
from ..search import Search
from .candidates import Piece, of_sums, of_vectors, on_answers, on_counts, on_each_answer, passed
from .strategies import Strategies, badly_scaled, is_replaced, too_large

_STRATEGIES = Strategies()


def _offer(document: WorkloadDocument) -> Bounds:
    return None, noise_for_workload(document)


def _below_curve(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    try:
        yield _offer(_STRATEGIES.of_curve(problem, search.gap, search.left(np.inf)))
    except LimitError:
        too_long(problem)


# -- (epsilon, delta) -----------------------------------------------------------------------------


def _of_gaussian(problem: WorkloadProblem, search: Search) -> WorkloadDocument | None:
    """The best file of Gaussian noise; None where there is none."""
    assert problem.asked is not None
    mu = mu_for(Releases(1, *problem.asked))
    if mu is not None:
        curve = replace(problem, budget=("gdp", mu))
        with suppress(ArgumentError, LimitError):  # (too many counts for it alone)
            return _STRATEGIES.of_curve(curve, search.gap, search.left(np.inf) / 2)
    return None


def _best_gaussian(problem: WorkloadProblem, search: Search) -> WorkloadDocument | None:
    return search.keep("Gaussian noise", lambda: _of_gaussian(problem, search))


def _pieces(problem: WorkloadProblem, search: Search) -> list[Piece]:
    """The factors of the workload, with multipliers for each."""
    factors = factors_of(problem.workload.part, is_replaced(problem))
    gaussian, left = _best_gaussian(problem, search), search.within(search.left(np.inf) / 2)
    return search.keep(
        "pieces",
        lambda: [
            _STRATEGIES.piece(problem, place, part, gaussian, left())
            for place, part in enumerate(factors)
        ],
    )


def _gaussian(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    document = _best_gaussian(problem, search)
    if document is not None:
        yield _offer(document)


def _laplace(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    pieces = _pieces(problem, search)
    with suppress(FormatError, np.linalg.LinAlgError):
        document = of_sums(problem, pieces)
        if document is not None:
            yield _offer(document)


Candidate = Callable[[WorkloadProblem, list[Piece], Search], WorkloadDocument | None]


def _trying(candidate: Candidate) -> Callable[[WorkloadProblem, Search], Iterator[Bounds]]:
    """The bounds of a candidate, if it is one for this workload and passes."""

    def bounds(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
        pieces = _pieces(problem, search)
        with suppress(ArgumentError, FormatError, np.linalg.LinAlgError):
            document = candidate(problem, pieces, search)
            if document is not None and (proven := passed(document)) is not None:
                yield _offer(proven)

    return bounds


def _vectors(problem: WorkloadProblem, search: Search) -> Iterator[Bounds]:
    """Where noise of no other kind is better than Gaussian noise."""
    gaussian, upper = _best_gaussian(problem, search), search.bracket.upper
    if gaussian is None or upper is None:
        return
    best = upper.document
    assert isinstance(best, WorkloadDocument)
    if best.law is not None or AnswersStrategy() in best.strategies:
        return
    with suppress(ArgumentError, FormatError, np.linalg.LinAlgError):
        document = of_vectors(problem, gaussian, search)
        if document is not None and (proven := passed(document)) is not None:
            yield _offer(proven)


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
    _laplace,
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
    if part.cells <= _STRATEGIES.most_summed:
        raise badly_scaled(problem)
    if part.cells > MAX_RANK or problem.asked is None or problem.asked[1] > 0:
        raise too_large(part)
    words = f"positive for more than {_STRATEGIES.most_summed} counts where units are replaced"
    raise ArgumentError("delta", problem.asked[1], words)


def too_long(problem: WorkloadProblem) -> NoReturn:
    """No file can be checked."""
    words = "smaller: the exact check would take too long"
    raise ArgumentError("workload", problem.workload, words) from None


def status(document: WorkloadDocument, search: Search) -> str:
    """The noise, what the gap is made of, and what the lower bound is over."""
    words = gap_words(document, True)
    noise = noise_words(document)
    if document.asked is not None:
        return (
            f"{words}; {noise}, the best one tried for this budget; lower holds for all mechanisms "
            "in the worst case, and is weak for many queries"
        )
    least = variance_below(document)
    if least == 0:
        return f"{words}; {noise}; no useful lower bound is known"
    ratio = float(variance_above(document) / least) - 1
    rest = (1 + gap_of(document)) / (1 + ratio) - 1
    words += f"; {noise}; gap of the strategy {percent(max(rest, 1e-15))}, "
    words += f"of Gaussian noise for one number {percent(ratio)}"
    return (
        words
        + "; lower holds for all noise of this budget, and for all mechanisms in the worst case"
    )
