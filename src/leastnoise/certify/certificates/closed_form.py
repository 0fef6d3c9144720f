"""The least variance of any noise for a shift by exactly 1, from below, in closed form.

For mu-GDP, rho-zCDP and (epsilon, delta). Statements and proofs: `closed_form.proof.md`. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...exact import MAX_EXPONENT, exp_lower, exp_upper, normal_bounds, round_down
from ...losses import L2, Loss
from ...work import charge

#: 9.8696 < pi^2 < 9.86961.
_SQUARE = Fraction("9.8696"), Fraction("9.86961")
#: Digits of the bounds: far below what they lose.
_DIGITS = 30
#: Places of an orbit that are added up at most.
_MOST_PLACES = 3_000


#: Bits behind the point of the values of a function.
VALUE_BITS = 24


@dataclass(frozen=True)
class EntropyProof:
    """An odd, piecewise linear function S: its values at k/steps, k = 0, 1, ..., over 2^24.

    It is constant beyond the last one. `price` is what a unit of divergence costs.
    """

    price: Fraction
    steps: int  # even
    values: tuple[int, ...]


def entropy_variance(rho: Fraction, proof: EntropyProof) -> Fraction:
    """At most the variance of every real noise X such that X and X + 1 are rho-zCDP."""
    charge(300 * len(proof.values))
    scale, half, last = 1 << VALUE_BITS, proof.steps // 2, len(proof.values) - 1
    values = [Fraction(value, scale) for value in proof.values]
    rows = values, [exp_upper(s) for s in values], [exp_upper(-s) for s in values]
    # All are dyadic: whole multiples of one unit.
    unit = max(x.denominator for row in rows for x in row)
    exact, ups, downs = ([x.numerator * (unit // x.denominator) for x in row] for row in rows)

    def growth(k: int) -> tuple[int, int, int]:
        """(S, at least e^S, at least e^-S) at k/steps, in units."""
        place = min(abs(k), last)
        if k < 0:
            return -exact[place], downs[place], ups[place]
        return exact[place], ups[place], downs[place]

    square, price = proof.steps**2, proof.price
    least = None
    for j in range(last + half + 1):
        low, up, _ = growth(j - half)
        high, _, down = growth(j + half)
        seen = j * j * price.denominator * unit
        seen += square * price.numerator * (high - low + 2 * unit - up - down)
        least = seen if least is None else min(least, seen)
    assert least is not None
    bound = Fraction(least, square * price.denominator * unit)
    bound -= Fraction(1, 4 * square) + 2 * price * rho
    return round_down(max(Fraction(0), bound), _DIGITS)


def gaussian_variance(mu: Fraction) -> Fraction:
    """At most the variance of every real noise X such that X and X + 1 are mu-GDP."""
    charge(1_000)
    return round_down(max(_wrapped(mu), _two_places(mu)), _DIGITS)


def _wrapped(mu: Fraction) -> Fraction:
    """(1 - I)/mu^2, I bounded by the series of a wrapped normal; 0 where that is no bound."""
    q = exp_upper(-min(2 * _SQUARE[0] / mu**2, Fraction(MAX_EXPONENT)))
    # (Sums of falling terms: by geometric series.)
    if 4 * q**6 >= 1 or 2 * q >= 1 - q**3:
        return Fraction(0)
    top = 8 * _SQUARE[1] / mu**2 * q**2 / (1 - 4 * q**6)
    return max(Fraction(0), 1 - top / (1 - 2 * q / (1 - q**3))) / mu**2


def _two_places(mu: Fraction) -> Fraction:
    """Phi(mu) - Phi(mu/2): what the two likeliest places of an orbit do, for large mu."""
    return max(Fraction(0), normal_bounds(mu)[0] - normal_bounds(mu / 2)[1])


def approximate_variance(epsilon: Fraction, delta: Fraction) -> Fraction:
    """At most the variance of every real X such that X and X + 1 are (epsilon, delta)-private."""
    if epsilon == 0:
        return Fraction(0)
    small, large = exp_lower(-epsilon), exp_lower(epsilon)
    middle = 1 - 2 * (1 - delta) / (1 + large)  # of the orbits' bases, at least
    if delta == 0:
        total = small * (1 + small) / (1 - small) ** 3
        return round_down(max(Fraction(0), middle) * 2 * total, _DIGITS)
    most = 1 + (1 - delta) * (large - 1) / (delta * (1 + large))
    unit, power, total_, k = 1 << 200, 1 << 200, 0, 0
    factor = small.numerator * unit // small.denominator
    while (k + 1) * epsilon <= MAX_EXPONENT and exp_upper((k + 1) * epsilon) < most:
        k += 1
        if k > _MOST_PLACES:
            break
        charge(60)
        power = power * factor // unit
        total_ += k * k * power
    return round_down(max(Fraction(0), middle) * 2 * Fraction(total_, unit), _DIGITS)


def concentrated_variance(rho: Fraction) -> Fraction:
    """At most the variance of every real noise X such that X and X + 1 are rho-zCDP."""
    charge(1_000)
    chapman = 1 / (exp_upper(2 * rho) - 1) if 2 * rho <= MAX_EXPONENT else Fraction(0)
    t = 2 * rho
    by_entropy = 2 / t + t / 48 - t**3 / 5120 - Fraction(1, 4) - 2 * rho / t**2
    return round_down(max(chapman, by_entropy), _DIGITS)


def along_orbits(mu: Fraction, sensitivity: Fraction, loss: Loss) -> Fraction:
    """At most what every mu-GDP noise costs, whatever the multipliers.

    A squared error is at least the variance, and a shift by the sensitivity is among those that
    must be hidden; 0 for other losses.
    """
    return gaussian_variance(mu) * sensitivity**2 if loss == L2() else Fraction(0)
