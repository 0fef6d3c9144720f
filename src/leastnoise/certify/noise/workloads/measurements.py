"""Noise for many linear questions: measurements of the counts, from which the answers follow.

Statements and proofs: `measurements.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ....exact import nearest_float
from ....problem.privacy import curve_above
from ....problem.workload_problem import WorkloadProblem
from ....work import kept, multiply
from ...base import AnyFile, MechanismFile
from ...fields import demand
from ...kinds.joint import is_joint
from ...kinds.vector import is_vector
from ...report import Claim, claim_of, upper_claim
from ..base import Noise
from .factor import FactorProblem, FactorStrategy
from .plain_strategies import AnswersStrategy, CountsStrategy, answers_moved, law_claim
from .single import GaussianOnGrid, LaplaceOnGrid, OwnNoise, RoundedGaussian, SingleNoise
from .strategy import Strategy


@dataclass(frozen=True)
class Measurements(Noise[WorkloadProblem]):
    """One strategy for each factor of a product, or one for tables, and the noise of each number.

    law: the file of the noise, where it is neither Gaussian nor Laplace noise.
    """

    strategies: tuple[FactorStrategy, ...]
    law: AnyFile | None = None

    def check_problem(self, problem: WorkloadProblem) -> None:
        """`FormatError` unless there is one strategy for each factor."""
        count = len(problem.factors)
        demand(len(self.strategies) == count, f'"noise" must be a list of {count} entries')
        alone = count == 1 or not any(strategy.alone for strategy in self.strategies)
        demand(alone, '"scales" are for tables alone, not for products')
        for strategy, factor in zip(self.strategies, self.factors(problem), strict=True):
            strategy.check_factor(factor)

    def check_single(self, problem: WorkloadProblem) -> None:
        """`FormatError` unless the noise of the budget, or its file, is for such measurements."""
        strategies, law = self.strategies, self.law
        kinds, alone = {type(strategy) for strategy in strategies}, len(strategies) == 1
        answers = kinds == {AnswersStrategy}
        laplace = isinstance(self.single(problem), (LaplaceOnGrid, OwnNoise))
        if law is None:
            pure = all(strategy.pure for strategy in strategies)
            mixed = AnswersStrategy in kinds and not (alone and answers)
            some = any(strategy.pure for strategy in strategies)
            demand(
                pure and not mixed if laplace else not some,
                '"rows", "sums", "counts", "answers" are for a budget of epsilon and delta alone, '
                "and it for them",
            )
            return
        only = problem.asked is not None and problem.budget.gdp is None
        demand(only, '"law" is for a budget of epsilon and delta without gdp')
        if is_joint(law):
            demand(alone and answers, 'a law of kind "joint" is for "answers"')
        elif is_vector(law):
            rank = strategies[0].rank if isinstance(strategies[0], Strategy) else 0
            words = 'a law of kind "vector" is for its "triangle"'
            demand(alone and rank == law.problem.dimension, words)
        else:
            demand(kinds == {CountsStrategy}, 'a law of kind "integer" is for "counts"')

    def factors(self, problem: WorkloadProblem) -> tuple[FactorProblem, ...]:
        """What is asked of each strategy; within one check their frames are worked out once."""
        return kept(
            (self, problem),
            lambda: tuple(
                FactorProblem(part, problem.replaced, problem.largest, self.law)
                for part in problem.factors
            ),
        )

    def grid(self, problem: WorkloadProblem) -> Fraction:
        """The step of what is measured; that of tables is finer still."""
        parts = zip(self.strategies, problem.factors, strict=True)
        return multiply([strategy.grid(part) for strategy, part in parts])

    def single(self, problem: WorkloadProblem) -> SingleNoise:
        """The noise of one measurement."""
        budget = problem.budget
        if self.law is not None:
            return OwnNoise(self.law)
        if budget.gdp is not None:
            return RoundedGaussian(budget.gdp)
        if budget.zcdp is not None:
            return GaussianOnGrid(budget.zcdp)
        assert budget.epsilon is not None
        if self.strategies != (AnswersStrategy(),):
            return LaplaceOnGrid(budget.epsilon)
        moved = answers_moved(problem.workload.part, problem.replaced)
        return LaplaceOnGrid(budget.epsilon / max(Fraction(1), moved))

    def variance(self, problem: WorkloadProblem) -> Fraction:
        """At least the variance of the noise of one measurement."""
        return self.single(problem).variance(self.grid(problem))

    def words(self, problem: WorkloadProblem) -> str:
        """Which noise, on what."""
        single = self.single(problem)
        alike = self.law is None and len(set(self.strategies)) == 1
        return single.words + (self.strategies[0].where if alike else "")

    def length(self, problem: WorkloadProblem) -> Fraction:
        """The largest squared length of what one unit changes in the measurements.

        For Laplace noise lengths are sums of sizes, and not squared. For noise on answers: 1 where
        the change is one that the law is for, and else above 1.
        """
        rows = zip(self.strategies, self.factors(problem), strict=True)
        return multiply(strategy.length(factor) for strategy, factor in rows)

    def claims(self, problem: WorkloadProblem) -> Iterator[Claim]:
        """Privacy, and what it rests on: a curve, and the file of the noise."""
        yield self._privacy(problem)
        if problem.asked is not None and problem.budget.gdp is not None:
            yield _curve(problem.budget.gdp, *problem.asked)
        if self.law is not None:
            assert problem.asked is not None
            yield law_claim(self.law, *problem.asked)

    def _privacy(self, problem: WorkloadProblem) -> Claim:
        length, single = self.length(problem), self.single(problem)
        moved = nearest_float(length) ** (0.5 if single.squared else 1)
        name, value = next(
            (name, value)
            for name in ("gdp", "zcdp", "epsilon")
            if (value := getattr(problem.budget, name)) is not None
        )
        words = (
            f"one unit changes the measurements by a length of at most {moved:.12g}; "
            f"{self.words(problem)} for a length of 1 at {name} = {nearest_float(value):g}"
        )
        return claim_of("privacy", 1 - length, words, f"{words}: too little")

    def expected_loss(self, problem: WorkloadProblem) -> str:
        """(Answers follow from measurements by an inverse, which follows from the proofs.)"""
        return "what answers cost follows from the certificate"

    def cost(self, file: MechanismFile[WorkloadProblem, Any, Any]) -> Fraction:
        """At least the total squared error of a release, or its largest variance."""
        problem = file.problem
        rows = zip(
            self.strategies, self.factors(problem), file.certificate.multipliers, strict=True
        )
        each = (strategy.upper(factor, proof) for strategy, factor, proof in rows)
        return multiply((self.variance(problem), *each))

    def upper_claim(self, file: MechanismFile[WorkloadProblem, Any, Any]) -> Claim:
        """What becomes of `upper`."""
        which = "largest variance" if file.problem.largest else "total squared error"
        return upper_claim(file.upper, self.cost(file), f"{which} of a release")


def _curve(mu: Fraction, epsilon: Fraction, delta: Fraction) -> Claim:
    """The claim that mu-GDP is enough for the budget that was asked for."""
    delta_at = curve_above(mu, epsilon)
    words = f"mu = {nearest_float(mu):.9g} implies delta {nearest_float(delta_at):.6g} at epsilon "
    words += f"{nearest_float(epsilon):g}"
    return claim_of("curve", delta - delta_at, words, f"{words}, above what was asked for")
