"""The most that any mechanism releases of keys, and the best integer noise: in closed form.

Statements and proofs: `../kinds/keyed.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...exact import exp_bounds
from ...losses import Loss
from ...problem.keyed_problem import FailureCurve, KeyedProblem
from ...problem.privacy import Point
from ...work import add_up, charge, once
from ..base import MechanismFile
from ..enclosures import ceil_at
from ..noise.keys.chain import MAX_REACH
from ..noise.keys.partition_curve import BITS, best_tails_of_curve
from ..report import Claim, lower_claim, private_words
from .base import Certificate


@dataclass(frozen=True)
class BestTails(Certificate[KeyedProblem]):
    """The tails of the best integer noise, which the budgets or the curve determine."""

    def bound(self, problem: KeyedProblem) -> Fraction:
        """At most E c(X) of the best integer noise of the budgets, or of the curve."""
        return _least(problem.budgets, problem.failure_curve, problem.loss)

    def claim(self, file: MechanismFile[KeyedProblem, Any, Any]) -> Claim:
        """What becomes of `lower`."""
        problem = file.problem
        curve = problem.failure_curve is not None
        private = "mu-GDP (but for failures)" if curve else private_words(problem)
        return lower_claim(file.lower, self.bound(problem), f"{private} integer noise")


@once
def _least(budgets: tuple[Point, ...], curve: FailureCurve | None, loss: Loss) -> Fraction:
    tails = best_tails(budgets) if curve is None else best_tails_of_curve(curve)
    charge((len(tails) + 1) * (2 * loss.effort + 4))
    levels = [loss.lower(Fraction(k)) for k in range(len(tails) + 1)]
    above = [loss.upper(Fraction(k)) for k in range(len(tails))]
    rise = [max(Fraction(0), b - a) for a, b in zip(above, levels[1:], strict=True)]
    terms = [2 * w * t for w, t in zip(rise, tails, strict=True)]
    return levels[0] + add_up(terms) / (1 << BITS)


def best_tails(budgets: Sequence[Point]) -> list[int]:
    """2^320 times at most P(X >= 1), P(X >= 2), ... of the best whole noise, while above 0."""
    unit, lines = 1 << BITS, lines_of(budgets)
    tails = [max((unit - slack) * q // (p + q) for p, q, slack in lines)]
    while len(tails) <= MAX_REACH:
        charge(4 * len(lines))
        rest = max((tails[-1] - slack) * q // p for p, q, slack in lines)
        if rest <= 0:
            break
        tails.append(rest)
    return tails


def most_shown(budgets: Sequence[Point], count: int) -> list[int]:
    """2^320 times at least the optimal chain G(0), G(G(0)), ..., so many of them."""
    unit, lines = 1 << BITS, lines_of(budgets)
    charge(6 * count * len(lines))
    chain, last = [], 0
    for _ in range(count):
        first = min(-(-p * last // q) + slack for p, q, slack in lines)
        second = min(unit - (unit - slack - last) * q // p for p, q, slack in lines)
        last = min(unit, first, second)
        chain.append(last)
    return chain


def lines_of(budgets: Sequence[Point]) -> list[tuple[int, int, int]]:
    """(p, q, s) with e^epsilon <= p/q and 2^320 delta <= s, of each budget."""
    return [
        (*exp_bounds(epsilon)[1].as_integer_ratio(), ceil_at(delta, BITS))
        for epsilon, delta in budgets
    ]
