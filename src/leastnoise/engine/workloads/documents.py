"""Files of noise for a workload, with the bounds that the checker proves of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ...certify.certificates.factors import FactorProofs
from ...certify.kinds.workload import WorkloadFile
from ...certify.noise.workloads.factor import FactorProof, FactorStrategy
from ...certify.noise.workloads.measurements import Measurements
from ...certify.noise.workloads.plain_strategies import law_claim
from ...certify.report import PROVEN
from ...errors import FormatError
from ...exact import round_down, round_up
from ...problem.workload_problem import WorkloadProblem
from ...work import counted
from .entropy import best_entropy

#: A strategy, and what proves the bounds of its factor.
ProvenStrategy = tuple[FactorStrategy, FactorProof]

#: Digits of the bounds in a file.
_DIGITS = 15


def written(problem: WorkloadProblem, strategies: Sequence[ProvenStrategy]) -> WorkloadFile:
    """A file of these strategies, without bounds."""
    rho = problem.budget.zcdp
    noise = Measurements(tuple(strategy for strategy, _ in strategies))
    proofs = tuple(proof for _, proof in strategies)
    certificate = FactorProofs(proofs, None if rho is None else best_entropy(rho))
    nothing = Fraction(0)
    return WorkloadFile("workload", problem, noise, nothing, nothing, certificate)


def stated(problem: WorkloadProblem, strategies: Sequence[ProvenStrategy]) -> WorkloadFile:
    """The file with its bounds; `FormatError` if the checker could not prove them."""
    return _private(written(problem, strategies))


def passed(file: WorkloadFile) -> WorkloadFile | None:
    """The file with its bounds; None where its noise is not proven to be private."""
    law, asked = file.noise.law, file.problem.asked
    assert asked is not None
    with counted():
        proven = law is None or law_claim(law, *asked).verdict == PROVEN
        return _private(file) if proven else None


def _private(file: WorkloadFile) -> WorkloadFile:
    if file.noise.length(file.problem) > 1:
        raise FormatError("a shift is longer than 1")
    return bounded(file)


def bounded(file: WorkloadFile) -> WorkloadFile:
    """The file with the bounds that its numbers prove."""
    upper = round_up(file.noise.cost(file), _DIGITS)
    lower = round_down(file.certificate.bound(file.problem, file.noise), _DIGITS)
    return replace(file, upper=upper, lower=lower)
