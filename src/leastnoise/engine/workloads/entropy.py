"""A function that proves how little variance rho-zCDP noise can have: the best one, by recursion.

For a price and a level c, the function S with h = c everywhere
(`certify/certificates/closed_form.proof.md`, 4 and 8) follows from its value one step further out,
s + e^s being known; that way errors die out. Where S is odd, h near 0 must be c, too: such a level
is found as a root, the price by golden sections. Proposals: the checker proves what comes of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...certify.certificates.closed_form import VALUE_BITS, EntropyProof
from ...numeric import Floats
from ..line.lattice.closed_forms import golden_section


@dataclass(frozen=True)
class EntropySettings:
    """Numbers of the recursion.

    Found by trial with `benchmarks/workloads.py`.
    """

    #: Knots of a standard deviation, of a unit at least and at most, and in all; how far they go.
    each: int = 90
    fewest: int = 4
    most: int = 400
    knots: int = 1_400
    reach: float = 6.0
    #: How close the level is, rounds of golden sections, and where the price lies, in parts of
    #: 1/(2 rho)^2.
    close: float = 2.0**-36
    sections: int = 18
    prices: tuple[float, float] = (0.3, 3.0)
    #: Below this rho the closed form is as good.
    least: float = 3e-4


SETTINGS = EntropySettings()


@lru_cache(maxsize=32)
def best_entropy(rho: Fraction) -> EntropyProof | None:
    """The best that is found; None where the closed form is good enough, or nothing is."""
    r = float(rho)
    if r < SETTINGS.least:
        return None
    deviation = math.sqrt(1 / (2 * r))
    steps = 2 * round(min(SETTINGS.most, max(SETTINGS.fewest, SETTINGS.each / deviation)) / 2)
    count = min(SETTINGS.knots, math.ceil((SETTINGS.reach * deviation + 1) * steps))
    if count <= steps:
        return None
    y = np.arange(count + 1) / steps

    def best(scale: float) -> tuple[float, Floats, float]:
        price = scale / (2 * r) ** 2
        values = _best_values(price, y, steps, r)
        return _bound(values, price, steps, r), values, price

    bound, values, price = best(
        golden_section(lambda scale: best(scale)[0], *SETTINGS.prices, SETTINGS.sections)
    )
    exact = Fraction(round(price * 2**40), 2**40)
    if not bound > 0 or exact <= 0 or np.abs(values).max() > 99:
        return None
    whole = np.rint(values * 2.0**VALUE_BITS)
    return EntropyProof(exact, steps, tuple(int(value) for value in whole))


def _best_values(price: float, y: Floats, steps: int, rho: float) -> Floats:
    """S at the knots for the largest level at which h near 0 keeps to it."""
    from scipy.optimize import brentq  # (slow to import)

    def room(level: float) -> float:
        return _least_near_zero(_values(price, level, y, steps), price, steps) - level

    high = 2 / (2 * rho) + 4 * price * rho
    level = (
        float(brentq(room, 0, high, xtol=SETTINGS.close * high))
        if room(0) > 0 > room(high)
        else 0.0
    )
    return _values(price, level, y, steps)


def _values(price: float, level: float, y: Floats, steps: int) -> Floats:
    """From the last knot inwards: s + e^s from the value one unit further out."""
    from scipy.special import wrightomega  # (slow to import)

    count = len(y)
    end = math.acosh(max(1.0, 1 + ((y[-1] + 0.5) ** 2 - level) / (2 * price)))
    knots = np.full(count + steps, end)
    for last in range(count, 0, -steps):
        first = max(0, last - steps)
        out = knots[first + steps : last + steps]
        x = y[first:last] + 0.5
        known = out - np.exp(-out) + 2 - (level - x * x) / price
        knots[first:last] = np.log(np.maximum(wrightomega(np.maximum(known, -60)), 1e-30))
    knots = knots[:count]
    knots[0] = 0.0
    return knots


def _least_near_zero(s: Floats, price: float, steps: int) -> float:
    half = steps // 2
    j = np.arange(half + 1)
    low, high = -s[half - j], s[half + j]
    seen = (j / steps) ** 2 + price * (high - low + 2 - np.exp(low) - np.exp(-high))
    return float(seen.min())


def _bound(s: Floats, price: float, steps: int, rho: float) -> float:
    j, half, last = np.arange(len(s) + steps // 2), steps // 2, len(s) - 1

    def at(k: NDArray[np.int64]) -> Floats:
        return np.asarray(np.sign(k) * s[np.minimum(np.abs(k), last)])

    low, high = at(j - half), at(j + half)
    seen = (j / steps) ** 2 + price * (high - low + 2 - np.exp(low) - np.exp(-high))
    return float(seen.min() - 0.25 / steps**2 - 2 * price * rho)
