"""Proofs for the factors of a workload, and the least variance of noise for one number.

Statements and proofs: `../noise/workloads/measurements.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...problem.workload_problem import WorkloadProblem
from ...work import multiply
from ..base import MechanismFile
from ..fields import demand
from ..noise.workloads.factor import FactorProof
from ..noise.workloads.measurements import Measurements
from ..report import Claim, lower_claim
from .base import Certificate
from .closed_form import (
    EntropyProof,
    approximate_variance,
    concentrated_variance,
    entropy_variance,
    gaussian_variance,
)


@dataclass(frozen=True)
class FactorProofs(Certificate[WorkloadProblem]):
    """One proof for each factor, about the coordinates of its strategy.

    entropy: what proves how little variance noise for one number has, with a budget of rho.
    """

    multipliers: tuple[FactorProof, ...]
    entropy: EntropyProof | None = None

    def check_noise(self, problem: WorkloadProblem, noise: Measurements) -> None:
        """`FormatError` unless each proof goes with its strategy."""
        count = len(problem.factors)
        demand(len(self.multipliers) == count, f'"certificate" must be a list of {count} entries')
        rows = zip(noise.strategies, self.multipliers, noise.factors(problem), strict=True)
        for strategy, proof, factor in rows:
            strategy.check_proof(proof, factor)
        concentrated = problem.asked is None and problem.budget.zcdp is not None
        demand(self.entropy is None or concentrated, '"entropy" is for a budget of zcdp')
        noise.check_single(problem)

    def least_variance(self, problem: WorkloadProblem) -> Fraction:
        """At most the variance of every noise that is as private for a shift by exactly 1."""
        budget = problem.budget
        if budget.asked is not None:
            return approximate_variance(*budget.asked)
        if budget.gdp is not None:
            return gaussian_variance(budget.gdp)
        assert budget.zcdp is not None
        variance = concentrated_variance(budget.zcdp)
        if self.entropy is not None:
            variance = max(variance, entropy_variance(budget.zcdp, self.entropy))
        return variance

    def bound(self, problem: WorkloadProblem, noise: Measurements) -> Fraction:
        """At most what every noise that is as private costs."""
        rows = zip(noise.strategies, noise.factors(problem), self.multipliers, strict=True)
        each = (proof.bound(factor, strategy) for strategy, factor, proof in rows)
        return multiply((self.least_variance(problem), *each))

    def claim(self, file: MechanismFile[WorkloadProblem, Measurements, Any]) -> Claim:
        """What becomes of `lower`."""
        who = "equally private noise (and no mechanism, in the worst case over data)"
        return lower_claim(file.lower, self.bound(file.problem, file.noise), who)
