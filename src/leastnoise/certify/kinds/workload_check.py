"""The checker of noise for many linear questions: every claim of a file of kind "workload".

What is claimed and why the checks prove it: `workload_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction

from ...exact import exp_upper, nearest_float
from ...problem.privacy import curve_above
from ...work import arithmetic, bits, charge, counted, multiply
from ..certificates.closed_form import (
    approximate_variance,
    concentrated_variance,
    entropy_variance,
    gaussian_variance,
)
from ..noise.workloads.factor import FactorProblem
from ..noise.workloads.plain_strategies import (
    AnswersStrategy,
    answers_moved,
    law_claim,
    law_variance,
)
from ..report import Claim, Report, claim_of, lower_claim, upper_claim
from .joint import is_joint
from .vector import is_vector
from .workload import WorkloadDocument

#: What is asked of each strategy of a document, its frames worked out once.
Factors = tuple[FactorProblem, ...]


def check_workload(document: WorkloadDocument) -> Report:
    """Check every claim of noise for many questions in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    with counted():
        factors = document.factor_problems()
        claims = [_privacy(document, factors)]
        if document.asked is not None and document.budget[0] == "gdp":
            claims.append(_curve(document.budget[1], *document.asked))
        if document.law is not None:
            assert document.asked is not None
            claims.append(law_claim(document.law, *document.asked))
        return Report((*claims, _upper(document, factors), _lower(document, factors)))


def _curve(mu: Fraction, epsilon: Fraction, delta: Fraction) -> Claim:
    """The claim that mu-GDP is enough for the budget that was asked for."""
    delta_at = curve_above(mu, epsilon)
    words = f"mu = {nearest_float(mu):.9g} implies delta {nearest_float(delta_at):.6g} at epsilon "
    words += f"{nearest_float(epsilon):g}"
    return claim_of("curve", delta - delta_at, words, f"{words}, above what was asked for")


def _privacy(document: WorkloadDocument, factors: Factors) -> Claim:
    length = shift_length(document, factors)
    name, value = document.budget
    noise = noise_words(document)
    moved = nearest_float(length) ** (0.5 if squared(document) else 1)
    words = (
        f"one unit changes the measurements by a length of at most {moved:.12g}; "
        f"{noise} for a length of 1 at {name} = {nearest_float(value):g}"
    )
    return claim_of("privacy", 1 - length, words, f"{words}: too little")


def _upper(document: WorkloadDocument, factors: Factors) -> Claim:
    which = "largest variance" if document.largest else "total squared error"
    return upper_claim(document.upper, release_cost(document, factors), f"{which} of a release")


def _lower(document: WorkloadDocument, factors: Factors) -> Claim:
    who = "equally private noise (and no mechanism, in the worst case over data)"
    return lower_claim(document.lower, lower_cost(document, factors), who)


#: Which noise keeps which budget.
NOISES = {
    "gdp": "rounded Gaussian noise",
    "zcdp": "discrete Gaussian noise",
    "epsilon": "discrete Laplace noise",
}


def squared(document: WorkloadDocument) -> bool:
    """Whether lengths of shifts are Euclidean, and squared."""
    return document.budget[0] != "epsilon" or is_vector(document.law)


def noise_words(document: WorkloadDocument) -> str:
    """Which noise, on what."""
    if document.law is None:
        alike = len(set(document.strategies)) == 1
        return NOISES[document.budget[0]] + (document.strategies[0].where if alike else "")
    if is_joint(document.law):
        return "joint noise on the answers"
    if is_vector(document.law):
        return "vector noise in the strategy"
    return "the best integer noise on each count"


def shift_length(document: WorkloadDocument, factors: Factors) -> Fraction:
    """The largest squared length of what one unit changes in the measurements.

    For Laplace noise lengths are sums of sizes, and not squared. For noise on answers: 1 where
    the change is one that the law is for, and else above 1.
    """
    rows = zip(document.strategies, factors, strict=True)
    return multiply(strategy.length(factor) for strategy, factor in rows)


def laplace_rate(document: WorkloadDocument) -> Fraction:
    """epsilon over what a unit moves: of Laplace noise on answers all of them, else 1."""
    _, value = document.budget
    if document.strategies == (AnswersStrategy(),):
        moved = answers_moved(document.workload.part, document.replaced)
        return value / max(Fraction(1), moved)
    return value


def variance_above(document: WorkloadDocument) -> Fraction:
    """At least the variance of the noise of one measurement."""
    if document.law is not None:
        return law_variance(document.law)
    name, value = document.budget
    if name == "zcdp":
        return 1 / (2 * value)
    grid = document.grid
    charge(20 * arithmetic(2 * bits(grid)))
    if name == "epsilon":
        value = laplace_rate(document)
        q = exp_upper(-value * grid)
        # (On a very fine grid q is rounded up to 1.)
        fine = 2 / value**2
        return fine if q == 1 else min(fine, grid**2 * 2 * q / (1 - q) ** 2)
    return (1 / value + grid / 2) ** 2


def variance_below(document: WorkloadDocument) -> Fraction:
    """At most the variance of every noise that is as private for a shift by exactly 1."""
    if document.asked is not None:
        return approximate_variance(*document.asked)
    name, value = document.budget
    if name == "gdp":
        return gaussian_variance(value)
    variance = concentrated_variance(value)
    if document.entropy is not None:
        variance = max(variance, entropy_variance(value, document.entropy))
    return variance


def release_cost(document: WorkloadDocument, factors: Factors) -> Fraction:
    """At least the total squared error of a release, or its largest variance."""
    rows = zip(document.strategies, factors, document.multipliers, strict=True)
    each = (strategy.upper(factor, proof) for strategy, factor, proof in rows)
    return multiply((variance_above(document), *each))


def lower_cost(document: WorkloadDocument, factors: Factors) -> Fraction:
    """At most what every noise that is as private costs."""
    rows = zip(document.strategies, factors, document.multipliers, strict=True)
    each = (proof.bound(factor, strategy) for strategy, factor, proof in rows)
    return multiply((variance_below(document), *each))
