"""Tables of a keyed release for a unit that has several keys: a Gaussian curve with failures.

Curves are proposed in floating point and tables rounded to the private side; the exact checker has
the last word. Why the tables keep the curve: `curve.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from scipy.special import ndtr, ndtri

from ...certify.enclosures import ceil_at, floor_at
from ...certify.noise.keys.chain import MAX_REACH, Chain
from ...certify.noise.keys.partition_curve import delta_of_curve, near_quantile, power_bounds
from ...errors import CertificateError
from ...exact import nearest_float, normal_bounds, round_down
from ...gaussian import smallest_sigma
from ...problem.keyed_problem import FailureCurve
from ...problem.privacy import Point

_BITS = 128


@dataclass(frozen=True)
class KeyCurveSettings:
    """Numbers of the best curve of keys.

    Found by trial with `benchmarks/keys.py`.
    """

    #: Parts of delta that failures may take.
    shares: tuple[float, ...] = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)


SETTINGS = KeyCurveSettings()

#: Significant digits of a curve's numbers.
_DIGITS = 12
_STEP = Fraction(1, 1 << 49)
#: Noise that reaches further takes more work than a check may.
FARTHEST = 480


def best_curve(budgets: Sequence[Point], keys: int) -> FailureCurve:
    """The curve by which a key of fewest units is shown half the time, of some that `keys` keep.

    Together they keep every one of these budgets.
    """
    curves = [_curve(budgets, keys, share) for share in SETTINGS.shares]
    return min(curves, key=_half_from)


def _curve(budgets: Sequence[Point], keys: int, share: float) -> FailureCurve:
    failed = min(delta for _, delta in budgets) * Fraction(share)
    failure = round_down(failed / keys, _DIGITS)
    sigma = max(smallest_sigma(float(e), float(delta - failed)) for e, delta in budgets)
    mu = round_down(Fraction(1 / (sigma * math.sqrt(keys))), _DIGITS)
    for _ in range(20):
        curve = FailureCurve(mu, failure)
        if all(delta_of_curve(curve, keys, e) <= delta for e, delta in budgets):
            return curve
        mu = round_down(mu * (1 - Fraction(1, 10**8)), _DIGITS)
    raise CertificateError("no Gaussian curve was proven to keep the budget")


def share_of(curve: FailureCurve, keys: int) -> FailureCurve:
    """The curve of one key of which so many keep this one together."""
    if keys == 1:
        return curve
    mu = round_down(Fraction(nearest_float(curve.mu) / math.sqrt(keys)), _DIGITS)
    while mu * mu * keys > curve.mu * curve.mu:
        mu = round_down(mu * (1 - Fraction(1, 10**11)), _DIGITS)
    return FailureCurve(mu, curve.failure / keys)


def _half_from(curve: FailureCurve) -> float:
    """In floating point, between two numbers of units."""
    mu, d = float(curve.mu), float(curve.failure)
    n, before, p = 0, 0.0, 0.0
    while p < 0.5:
        before, n = p, n + 1
        p = d + (1 - d) * float(ndtr(ndtri(min(1.0, p / (1 - d))) + mu)) if p else d
        if n > MAX_REACH:
            return math.inf
    return n - 1 + (0.5 - before) / (p - before)


@lru_cache(maxsize=16)
def curve_chain(curve: FailureCurve) -> Chain | None:
    """Whole-number tables of the release that the curve allows; None if they would be too long."""
    beyond = _tails(curve)
    if beyond is None:
        return None
    unit = 1 << _BITS
    chain = Chain(unit, (unit,), tuple(beyond))
    shown = [floor_at(curve.failure, _BITS)]
    while shown[-1] < unit:
        most = floor_at(power_bounds(curve, Fraction(shown[-1], unit))[0], _BITS)
        shown.append(min(unit, max(most, chain.tail(chain.reach - len(shown)))))
    return Chain(unit, tuple(shown), chain.beyond)


def _tails(curve: FailureCurve) -> list[int] | None:
    """P(X >= 1), P(X >= 2), ... until it is at most the failures, each rounded up."""
    unit, last = 1 << _BITS, floor_at(curve.failure, _BITS)
    start = ceil_at((1 - curve.failure) * normal_bounds(-curve.mu / 2)[1], _BITS)
    tails = [_enough(curve, start, lambda level: unit - level)]
    while tails[-1] > last:
        if len(tails) >= FARTHEST:
            return None
        x = near_quantile((Fraction(tails[-1], unit) - curve.failure) / (1 - curve.failure))
        guess = (1 - curve.failure) * Fraction(float(ndtr(nearest_float(x - curve.mu))))
        tails.append(_enough(curve, max(1, floor_at(guess, _BITS)), _always(tails[-1])))
    return tails


def _always(power: int) -> Callable[[int], int]:
    return lambda level: power


def _enough(curve: FailureCurve, guess: int, power: Callable[[int], int]) -> int:
    """A level near the guess at which the curve is proven to allow its power."""
    unit, step = 1 << _BITS, _STEP
    while True:
        level = guess + math.ceil(guess * step)
        if power_bounds(curve, Fraction(level, unit))[0] * unit >= power(level):
            return level
        step *= 2
        if step > 1:
            raise CertificateError("no noise was proven to keep the curve")
