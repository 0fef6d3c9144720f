"""Keys with their counts: the law of a release, and by how little others release keys more often.

Statements and proofs: `../../kinds/keyed.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ....exact import nearest_float
from ....problem.keyed_problem import FailureCurve, KeyedProblem, KeyedReleases
from ....problem.privacy import Point, Releases
from ....work import charge, once
from ...base import MechanismFile
from ...certificates.tails import most_shown
from ...report import REFUTED, Claim, budget_claims, claim_of, releases_claim, upper_claim
from ..base import Noise
from .chain import Chain, loss_of_chain
from .partition_curve import (
    BITS,
    curve_claim,
    curve_of_curves,
    most_shown_by_curve,
    releases_of_curve,
)


@dataclass(frozen=True)
class Selection(Noise[KeyedProblem]):
    """The law, and the stated part by which another mechanism may release a key more often."""

    chain: Chain
    excess: Fraction

    def fault(self) -> Claim | None:
        """That the tables are no law, if they are none: all other claims are about one."""
        fault = self.chain.fault()
        return None if fault is None else claim_of("distribution", Fraction(-1), "", fault)

    def claims(self, problem: KeyedProblem) -> Iterator[Claim]:
        """What becomes of every claim about releases but for what they cost."""
        words = "every group size has a distribution: the tables are nested and end with certainty"
        yield claim_of("distribution", Fraction(0), words, "")
        yield from budget_claims(problem, self._worst)
        curve, satisfied = problem.failure_curve, True
        if curve is not None:
            claim = curve_claim(self.chain, curve)
            satisfied = claim.verdict != REFUTED
            yield claim
        if problem.releases is not None:
            yield _together(problem, problem.releases, satisfied)
        yield self._shown(problem)

    def _worst(self, epsilon: Fraction) -> tuple[str, Fraction]:
        n, worst = self.chain.worst_stick(epsilon)
        return f"{n} and {n + 1} units", worst

    def _shown(self, problem: KeyedProblem) -> Claim:
        excess = least_excess(self.chain, problem)
        if excess is None:
            return Claim("shown", REFUTED, None, "a key of somebody is never released")
        words = (
            f"{problem.competitors} releases a key of any group size more often than this, "
            f"times 1 + {nearest_float(excess):.3g}"
        )
        return claim_of("shown", self.excess - excess, words, f"{words}, above what is stated")

    def expected_loss(self, problem: KeyedProblem) -> Fraction:
        """At least the expected loss of the value of a key that is surely released."""
        return loss_of_chain(self.chain, problem.loss)

    def upper_claim(self, file: MechanismFile[KeyedProblem, Any, Any]) -> Claim:
        """What becomes of `upper`."""
        reach = self.chain.reach
        who = f"a key of {reach} units or more, counted as 0 where it is not released,"
        loss = self.expected_loss(file.problem)
        return upper_claim(file.upper, loss, f"expected loss of {who}")


def _together(problem: KeyedProblem, total: KeyedReleases, satisfied: bool) -> Claim:
    """The claim that `total` holds; `satisfied`: whether a key satisfies its curve, if any."""

    def claim(budget: Point) -> Claim:
        asked = Releases(total.count, *budget)
        if problem.failure_curve is None:
            return releases_claim(asked, problem.budgets, None)
        return releases_of_curve(asked, problem.failure_curve, satisfied)

    claims = [claim(budget) for budget in total.budgets]
    if total.curve is not None:
        claims.append(curve_of_curves(total, problem.failure_curve, satisfied))
    worst = min(claims, key=lambda claim: Fraction(-1) if claim.slack is None else claim.slack)
    if len(claims) == 1:
        return worst
    return replace(worst, detail=f"{len(claims)} promises; tightest: {worst.detail}")


def least_excess(chain: Chain, problem: KeyedProblem) -> Fraction | None:
    """At least the largest (best - show) / show over every n >= 1, `best` the optimal chain.

    None if some show(n) is 0.
    """
    return _excess(chain, problem.budgets, problem.failure_curve)


@once
def _excess(
    chain: Chain, budgets: tuple[Point, ...], curve: FailureCurve | None
) -> Fraction | None:
    if curve is None:
        best = most_shown(budgets, chain.always_released_from)
    else:
        best = most_shown_by_curve(curve, chain.always_released_from)
    worst = Fraction(0)
    charge(8 * chain.always_released_from)
    for p, show in zip(best, chain.shown, strict=True):
        if show == 0:
            return None
        more = p * chain.denominator - (show << BITS)
        if more > 0:
            worst = max(worst, Fraction(more, show << BITS))
    return worst
