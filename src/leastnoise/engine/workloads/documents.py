"""Files of noise for a workload, with the bounds that the checker proves of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ...certify.kinds.workload import WorkloadBudget, WorkloadDocument
from ...certify.kinds.workload_check import Factors, lower_cost, release_cost, shift_length
from ...certify.noise.workloads.factor import FactorProof, FactorStrategy
from ...certify.noise.workloads.plain_strategies import law_claim
from ...certify.report import PROVEN
from ...errors import FormatError
from ...exact import round_down, round_up
from ...problem.workload_arguments import WorkloadProblem
from ...work import counted
from .entropy import best_entropy

#: A strategy, and what proves the bounds of its factor.
ProvenStrategy = tuple[FactorStrategy, FactorProof]

#: Digits of the bounds in a file.
_DIGITS = 15


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


def written(problem: WorkloadProblem, strategies: Sequence[ProvenStrategy]) -> WorkloadDocument:
    """A document of these strategies, without bounds."""
    return replace(
        empty(problem),
        strategies=tuple(strategy for strategy, _ in strategies),
        multipliers=tuple(proof for _, proof in strategies),
    )


def stated(problem: WorkloadProblem, strategies: Sequence[ProvenStrategy]) -> WorkloadDocument:
    """The document with its bounds; `FormatError` if the checker could not prove them."""
    return _private(written(problem, strategies))


def passed(document: WorkloadDocument) -> WorkloadDocument | None:
    """The document with its bounds; None where its noise is not proven to be private."""
    assert document.asked is not None
    with counted():
        law = document.law
        proven = law is None or law_claim(law, *document.asked).verdict == PROVEN
        return _private(document) if proven else None


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
