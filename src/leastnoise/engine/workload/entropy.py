"""A function that proves how little variance rho-zCDP noise can have: the best of three parameters.

With w = 2 sinh(s/2) the best s has w near y/price^(1/2), a little steeper where noise is likely:
w^2 = (y^2/price)(1 + c/(1 + y^2/m)). Proposals: the checker proves what comes of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...certify.orbits import VALUE_BITS, EntropyProof

Floats = NDArray[np.float64]

#: Knots of a unit, at least and at most, and for a standard deviation; how far they go.
_FEWEST, _MOST, _EACH = 4, 64, 32
_REACH, _NEAREST, _KNOTS = 1.5, 3.0, 1_400
#: Where the search begins: c in parts of rho, log m.
_STARTS = ((0.1, 1.5), (0.5, 0.0), (0.5, 3.0))


@lru_cache(maxsize=32)
def best_entropy(rho: Fraction) -> EntropyProof | None:
    """The best that is found; None where the closed form is good enough, or nothing is."""
    r = float(rho)
    steps = 2 * round(min(_MOST, max(_FEWEST, _EACH * math.sqrt(2 * r))) / 2)
    reach = max(_NEAREST, _REACH / r)
    if reach * steps > _KNOTS:
        return None
    from scipy.optimize import minimize  # (slow to import)

    y = np.arange(int(reach * steps) + 1) / steps
    found = [
        minimize(
            lambda p: -_bound(_values(p, r, y), _price(p, r), steps, r),
            [0.0, c * r, m],
            method="Nelder-Mead",
            options={"maxiter": 300, "xatol": 1e-5, "fatol": 1e-8},
        )
        for c, m in _STARTS
    ]
    best = min(found, key=lambda one: float(one.fun)).x
    whole = np.rint(_values(best, r, y) * 2.0**VALUE_BITS)
    price = Fraction(round(_price(best, r) * 2**40), 2**40)
    return EntropyProof(price, steps, tuple(int(one) for one in whole)) if price > 0 else None


def _price(p: Floats, rho: float) -> float:
    return math.exp(max(-40.0, min(p[0], 40.0))) / (2 * rho) ** 2


def _values(p: Floats, rho: float, y: Floats) -> Floats:
    m = math.exp(max(-40.0, min(p[2], 40.0))) / (2 * rho)
    steep = np.maximum(1 + p[1] / (1 + y * y / m), 0.05)
    return np.asarray(2 * np.arcsinh(y * np.sqrt(steep / _price(p, rho)) / 2))


def _bound(s: Floats, price: float, steps: int, rho: float) -> float:
    j, half, last = np.arange(len(s) + steps // 2), steps // 2, len(s) - 1

    def at(k: NDArray[np.int64]) -> Floats:
        return np.asarray(np.sign(k) * s[np.minimum(np.abs(k), last)])

    low, high = at(j - half), at(j + half)
    seen = (j / steps) ** 2 + price * (high - low + 2 - np.exp(low) - np.exp(-high))
    return float(seen.min() - 0.25 / steps**2 - 2 * price * rho)
