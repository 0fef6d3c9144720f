"""Keyed releases below a Gaussian curve with failures, and what several of them cost together.

The curve is G(p) = d + (1 - d) Phi(Phi^-1(p / (1 - d)) + mu), enclosed from both sides. Statements
and proofs: `partition_curve.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist

from ....exact import nearest_float, normal_bounds
from ....problem.keyed_problem import FailureCurve, KeyedReleases
from ....problem.privacy import Releases, curve_above, root_above
from ....work import charge
from ...enclosures import ceil_at, floor_at
from ...report import REFUTED, Claim, claim_of
from .chain import MAX_REACH, Chain

#: Probabilities are multiples of 2^-BITS here.
BITS = 320
_STANDARD = NormalDist()
#: How far below its place a point of the normal distribution is tried first.
_STEP = Fraction(1, 1 << 50)
#: `normal_bounds` tells no probabilities apart that are closer than this.
_FINEST = Fraction(1, 1 << 128)
#: Microseconds of one look at the curve, and of every further point that is tried for it.
_LOOK, _TRY = 1_000, 500


def power_bounds(curve: FailureCurve, p: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around G(p), 0 <= p <= 1: about 14 digits of G(p) are known."""
    charge(_LOOK)  # whether it is remembered or not: the count depends on the file alone
    low, high, more = _power_bounds(curve, p)
    charge(more)
    return low, high


@lru_cache(maxsize=4096)
def _power_bounds(curve: FailureCurve, p: Fraction) -> tuple[Fraction, Fraction, int]:
    """Those, and the microseconds beyond a usual look: of further tries, and of a point far out."""
    d, rest = curve.failure, 1 - curve.failure
    if p >= rest:
        return Fraction(1), Fraction(1), 0
    if p <= 0:
        return d, d, 0
    x, here, tries = point_below(p / rest)
    spent = _TRY * (tries - 1)
    if here <= 0:
        return d, Fraction(1), spent
    low, high = normal_bounds(x + curve.mu)
    spent += 3 * min(int(abs(x + curve.mu)), 40) ** 2  # its series is long there
    # G is concave: beyond rest * here it rises no faster than it has risen from 0 on.
    more = (p - rest * here) * high / here
    return d + rest * max(Fraction(0), low), min(Fraction(1), d + rest * high + more), spent


def inverse_bounds(curve: FailureCurve, p: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around G^-1(p) = 1 - G(1 - p)."""
    low, high = power_bounds(curve, 1 - p)
    return 1 - high, 1 - low


def point_below(share: Fraction) -> tuple[Fraction, Fraction, int]:
    """(x, at most Phi(x), tries) with Phi(x) <= share, 0 < share < 1, x as far up as a float."""
    guess, step, tries = near_quantile(min(share, 1 - 4 * _FINEST)), _STEP, 0
    while share >= _FINEST and step <= 1 << 12:
        x, tries = guess - step, tries + 1
        low, high = normal_bounds(x)
        if high <= share:
            return x, low, tries
        step *= 4
    return guess, Fraction(0), max(1, tries)


def near_quantile(share: Fraction) -> Fraction:
    """A float near the quantile; nothing rests on it."""
    if 2 * share > 1:
        return -near_quantile(1 - share)
    return Fraction(_STANDARD.inv_cdf(max(nearest_float(share), 1e-300)))


# -- one key ------------------------------------------------------------------------------------


def curve_claim(chain: Chain, curve: FailureCurve) -> Claim:
    """The claim that a key keeps the whole curve, for every number of units."""
    name = (
        f"mu = {nearest_float(curve.mu):g} and failure probability {nearest_float(curve.failure):g}"
    )
    fault = _fault(chain, curve)
    return claim_of(
        "curve",
        Fraction(0 if fault is None else -1),
        f"mu-GDP with {name}",
        f"not proven to be mu-GDP with {name}: {fault}",
    )


def _fault(chain: Chain, curve: FailureCurve) -> str | None:
    reach, unit = chain.reach, chain.denominator
    charge(10 * (chain.always_released_from + 2 * reach))
    masses = [chain.mass(k) for k in range(reach + 2)]
    if min(masses[:-1]) < 1:
        return "the noise leaves a number out"
    neighbors = [masses[1], *masses]
    for k in range(reach + 1):
        if masses[k] ** 2 < neighbors[k] * masses[k + 1]:
            return f"the ratios of the noise do not rise at {k}"
    for n in range(1, max(chain.always_released_from, 2 * reach + 1) + 1):
        if not _rising(_outcomes(chain, n)):
            return f"the ratios of {n} and {n + 1} units do not rise"
    if chain.show(1) > curve.failure * unit:
        return "a key of one unit is released too often"
    if not all(_below(curve, chain, chain.tail(j), chain.tail(j - 1)) for j in range(1, reach + 2)):
        return "the tail of the noise falls too fast"
    for n in range(1, chain.always_released_from):
        if not _below(curve, chain, chain.show(n), chain.show(n + 1)):
            return f"a key of {n + 1} units is released too often"
    return None


def _outcomes(chain: Chain, n: int) -> list[tuple[int, int]]:
    """(n units, n + 1 units): not shown, the least value, the one above it; none if impossible."""
    reach, unit = chain.reach, chain.denominator
    outcomes = [
        (unit - chain.show(n), unit - chain.show(n + 1)),
        (chain.least(n), chain.least(n + 1)),
        (chain.mass(reach + 1 - n), chain.mass(reach - n)),
    ]
    return [pair for pair in outcomes if pair != (0, 0)]


def _rising(pairs: list[tuple[int, int]]) -> bool:
    return all(a[1] * b[0] <= b[1] * a[0] for a, b in pairwise(pairs))


def _below(curve: FailureCurve, chain: Chain, level: int, power: int) -> bool:
    """power <= G(level), proven."""
    if power <= curve.failure * chain.denominator:  # G is nowhere below it
        return True
    at = Fraction(level, chain.denominator)
    return power <= power_bounds(curve, at)[0] * chain.denominator


# -- several keys -------------------------------------------------------------------------------


def releases_of_curve(releases: Releases, curve: FailureCurve, kept: bool) -> Claim:
    """The claim that so many keys that keep the curve keep the total budget together."""
    left = releases.delta - delta_of_curve(curve, releases.count, releases.epsilon)
    words = (
        f"{releases.count} keys together spend at most delta "
        f"{nearest_float(releases.delta - left):.6g} at epsilon {nearest_float(releases.epsilon):g}"
    )
    if not kept:
        return Claim("releases", REFUTED, None, "one key is not proven to satisfy its curve")
    return claim_of("releases", left, words, words)


def curve_of_curves(total: KeyedReleases, curve: FailureCurve | None, kept: bool) -> Claim:
    """The claim that so many keys that keep the curve keep the total curve together."""
    whole = total.curve
    assert whole is not None
    if curve is None or not kept:
        return Claim("releases", REFUTED, None, "one key is not proven to satisfy a curve")
    steeper = whole.mu * whole.mu - total.count * curve.mu * curve.mu
    left = min(steeper, whole.failure - total.count * curve.failure)
    words = (
        f"{total.count} keys together are mu-GDP with mu = {nearest_float(whole.mu):g} and failure "
        f"probability {nearest_float(whole.failure):g}"
    )
    return claim_of("releases", left, words, f"{words}: not proven")


def delta_of_curve(curve: FailureCurve, count: int, epsilon: Fraction) -> Fraction:
    """At least the delta at epsilon of so many releases below the curve."""
    together = root_above(curve.mu * curve.mu * count)
    return count * curve.failure + curve_above(together, epsilon)


# -- the best below the curve -------------------------------------------------------------------


def most_shown_by_curve(curve: FailureCurve, count: int) -> list[int]:
    """2^320 times at least G(0), G(G(0)), ..., so many of them."""
    masses: list[int] = []
    p = Fraction(0)
    for _ in range(count):
        p = Fraction(min(1 << BITS, ceil_at(power_bounds(curve, p)[1], BITS)), 1 << BITS)
        masses.append(ceil_at(p, BITS))
    return masses


def best_tails_of_curve(curve: FailureCurve) -> list[int]:
    """2^320 times at most P(X >= 1), P(X >= 2), ... of the best whole noise below the curve."""
    start = (1 - curve.failure) * normal_bounds(-curve.mu / 2)[0]
    masses = [floor_at(max(Fraction(0), start), BITS)]
    while len(masses) <= MAX_REACH:
        rest = floor_at(inverse_bounds(curve, Fraction(masses[-1], 1 << BITS))[0], BITS)
        if rest <= 0:
            break
        masses.append(rest)
    return masses
