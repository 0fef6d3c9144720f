"""The checker of keyed releases: every claim of a file of kind "keyed".

What is claimed and why the checks prove it: `keyed_check.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from ...exact import exp_bounds, nearest_float
from ...losses import Loss
from ...problem.privacy import Point, Releases
from ...work import add_up, charge, counted, once
from ..enclosures import ceil_at
from ..noise.partition_curve import (
    BITS,
    best_tails_of_curve,
    curve_claim,
    curve_of_curves,
    most_shown_by_curve,
    releases_of_curve,
)
from ..report import (
    REFUTED,
    Claim,
    Report,
    budget_claims,
    claim_of,
    lower_claim,
    private_words,
    releases_claim,
    upper_claim,
)
from .keyed import MAX_REACH, Chain, FailureCurve, KeyedDocument, KeyedReleases


def check_keyed(document: KeyedDocument) -> Report:
    """Check every claim of a keyed mechanism in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    with counted():
        distribution = _distribution(document.chain)
        if distribution.verdict == REFUTED:  # the other claims are about a law
            return Report((distribution,))
        return Report(
            (
                distribution,
                *budget_claims(document, lambda epsilon: _worst(document.chain, epsilon)),
                *_together(document),
                _shown(document),
                _upper(document),
                lower_claim(document.lower, least_loss(document), _private(document)),
            )
        )


def _private(document: KeyedDocument) -> str:
    """Which noise the lower bound is about."""
    curve = document.curve is not None
    private = "mu-GDP (but for failures)" if curve else private_words(document)
    return f"{private} integer noise"


# -- the law ------------------------------------------------------------------------------------


def _distribution(chain: Chain) -> Claim:
    fault = fault_of(chain)
    return claim_of(
        "distribution",
        Fraction(0 if fault is None else -1),
        "every group size has a distribution: the tables are nested and end with certainty",
        fault or "",
    )


def fault_of(chain: Chain) -> str | None:
    """Why the tables are no law; None if they are one for every number of units."""
    charge(2 * (len(chain.shown) + chain.reach))
    if chain.beyond[-1] < 1 or any(a < b for a, b in pairwise(chain.beyond)):
        return "the noise's tail does not fall, or ends with nothing"
    if 2 * chain.beyond[0] > chain.denominator:
        return "more than half of the noise is above 0"
    if chain.shown[-1] != chain.denominator or any(a > b for a, b in pairwise(chain.shown)):
        return "the probabilities of release do not rise to certainty"
    if chain.denominator in chain.shown[-2:-1]:
        return "the probabilities of release go on after certainty"
    for n in range(1, chain.always_released_from + 1):
        if chain.least(n) < 0:
            return f"{n} units: a value above the least is likelier than any release"
    return None


# -- privacy ------------------------------------------------------------------------------------


def _worst(chain: Chain, epsilon: Fraction) -> tuple[str, Fraction]:
    n, worst = worst_hockey_stick(chain, epsilon)
    return f"{n} and {n + 1} units", worst


def worst_hockey_stick(chain: Chain, epsilon: Fraction) -> tuple[int, Fraction]:
    """(n, at least the largest hockey stick of n and n + 1 units, both ways, over every n >= 0)."""
    reach, unit = chain.reach, chain.denominator
    p, q = exp_bounds(epsilon)[0].as_integer_ratio()
    charge(12 * (2 * reach + 2) + 12 * max(chain.always_released_from, 2 * reach + 1))

    def over(here: int, there: int) -> int:
        return max(0, q * here - p * there)

    # up[i], down[i]: the excess of masses at noise k >= i - reach - 1, one unit more, one less.
    masses = [0, *(chain.mass(k) for k in range(-reach, reach + 1)), 0]  # k = -reach-1 .. reach+1
    up, down = [0] * (2 * reach + 4), [0] * (2 * reach + 4)
    for i in range(2 * reach + 2, -1, -1):
        later = masses[i + 1] if i + 1 < len(masses) else 0
        up[i] = up[i + 1] + over(masses[i], later)
        down[i] = down[i + 1] + (over(masses[i], masses[i - 1]) if i else 0)

    worst = chain.show(1) * q, 0  # nobody against one: a key of nobody is never shown
    for n in range(1, max(chain.always_released_from, 2 * reach + 1) + 1):
        i = max(0, 2 * reach + 1 - n)  # noise reach - n, which one unit more brings above reach
        none = unit - chain.show(n), unit - chain.show(n + 1)
        least = chain.least(n), chain.least(n + 1)
        more = up[i] + over(least[1], least[0]) + over(none[1], none[0])
        less = down[i + 1] + over(least[0], least[1]) + over(none[0], none[1])
        worst = max(worst, (max(more, less), n), key=lambda found: found[0])
    return worst[1], Fraction(worst[0], q * unit)


def _together(document: KeyedDocument) -> list[Claim]:
    """The curve of a key, and what several keys keep together."""
    claims, kept = [], True
    if document.curve is not None:
        claims.append(curve_claim(document.chain, document.curve))
        kept = claims[0].verdict != REFUTED
    if document.releases is not None:
        claims.append(_releases(document, document.releases, kept))
    return claims


def _releases(document: KeyedDocument, total: KeyedReleases, kept: bool) -> Claim:
    """The claim that `total` holds; `kept`: whether a key keeps its curve, if it has one."""

    def claim(budget: Point) -> Claim:
        asked = Releases(total.count, *budget)
        if document.curve is None:
            return releases_claim(asked, document.budgets, None)
        return releases_of_curve(asked, document.curve, kept)

    found = [claim(budget) for budget in total.budgets]
    if total.curve is not None:
        found.append(curve_of_curves(total, document.curve, kept))
    worst = min(found, key=lambda one: Fraction(-1) if one.slack is None else one.slack)
    if len(found) == 1:
        return worst
    return replace(worst, detail=f"{len(found)} promises; tightest: {worst.detail}")


# -- nothing shows more -------------------------------------------------------------------------


def _shown(document: KeyedDocument) -> Claim:
    found = excess_of(document)
    if found is None:
        return Claim("shown", REFUTED, None, "a key of somebody is never released")
    words = (
        f"{document.competitors} releases a key of any group size more often than this, "
        f"times 1 + {nearest_float(found):.3g}"
    )
    return claim_of("shown", document.excess - found, words, f"{words}, above what is stated")


def excess_of(document: KeyedDocument) -> Fraction | None:
    """At least the largest (best - show) / show over every n >= 1, `best` the optimal chain.

    None if some show(n) is 0.
    """
    return _excess(document.chain, document.budgets, document.curve)


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


def most_shown(budgets: Sequence[Point], count: int) -> list[int]:
    """2^320 times at least the optimal chain G(0), G(G(0)), ..., so many of them."""
    one, lines = 1 << BITS, _lines(budgets)
    charge(6 * count * len(lines))
    chain, last = [], 0
    for _ in range(count):
        first = min(-(-p * last // q) + slack for p, q, slack in lines)
        second = min(one - (one - slack - last) * q // p for p, q, slack in lines)
        last = min(one, first, second)
        chain.append(last)
    return chain


def _lines(budgets: Sequence[Point]) -> list[tuple[int, int, int]]:
    """(p, q, s) with e^epsilon <= p/q and 2^320 delta <= s, of each budget."""
    return [
        (*exp_bounds(epsilon)[1].as_integer_ratio(), ceil_at(delta, BITS))
        for epsilon, delta in budgets
    ]


# -- the error ----------------------------------------------------------------------------------


def _upper(document: KeyedDocument) -> Claim:
    loss = expected_loss(document.chain, document.loss)
    who = f"a key of {document.chain.reach} units or more, counted as 0 where it is not released,"
    return upper_claim(document.upper, loss, f"expected loss of {who}")


@once
def expected_loss(chain: Chain, loss: Loss) -> Fraction:
    """At least E c(X); exact where the loss has rational values."""
    charge((chain.reach + 1) * (loss.effort + 4))
    terms = [chain.mass(0) * loss.upper(Fraction(0))]
    terms += [2 * chain.mass(k) * loss.upper(Fraction(k)) for k in range(1, chain.reach + 1)]
    return add_up(terms) / chain.denominator


def least_loss(document: KeyedDocument) -> Fraction:
    """At most E c(X) of the best whole noise of the budget, or of the curve."""
    return _least(document.budgets, document.curve, document.loss)


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
    one, lines = 1 << BITS, _lines(budgets)
    found = [max((one - slack) * q // (p + q) for p, q, slack in lines)]
    while len(found) <= MAX_REACH:
        charge(4 * len(lines))
        rest = max((found[-1] - slack) * q // p for p, q, slack in lines)
        if rest <= 0:
            break
        found.append(rest)
    return found
