"""Renyi and zCDP parameters of a design: reported in floating point, promised for Gaussian curves.

They are convex in the noise and not linear, so no design is made for them; noise with an end or an
atom has none (infinity). But mu-Gaussian-private noise is mu^2/2-zCDP, and that is a promise:
`renyi.proof.md`. Mironov (2017); Bun and Steinke (2016).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from ..exact import Number, rational
from .law import law_of

if TYPE_CHECKING:
    from ..design import Design

#: Orders at which D_alpha / alpha is looked at; it is smooth, and falls at large alpha.
_ORDERS = tuple(1 + float(x) for x in np.geomspace(1e-3, 300, 60))


def renyi(design: Design[Any], alpha: Number) -> float:
    """The Renyi divergence of order alpha > 1 between neighbors, worst over all whole shifts.

    Accurate to rounding, and no certified bound. Infinity if an output can rule a neighbor out.
    """
    order = float(rational(alpha, "alpha"))
    if not 1 < order <= 1000:
        raise ArgumentError("alpha", alpha, "above 1 and at most 1000")
    return _divergences(design, [order])[0]


def zcdp(design: Design[Any]) -> float:
    """rho such that one release of the design is rho-zCDP.

    With `gdp` or `zcdp` a promise: mu^2/2, or rho, rounded up. Otherwise a report to about three
    digits, the largest D_alpha / alpha, and no certified bound; infinity if an output can rule a
    neighbor out.
    """
    bound: float | None = design.noise.zcdp_bound
    if bound is not None:
        return bound
    divergences = _divergences(design, list(_ORDERS))
    return max(d / order for d, order in zip(divergences, _ORDERS, strict=True))


def _divergences(design: Any, orders: list[float]) -> list[float]:
    law = law_of(design)
    if law.atom > 0:
        return [math.inf] * len(orders)
    endless = design.document.endless
    worst = [0.0] * len(orders)
    for shift in law.signed:
        p, q = law.pair(shift)
        if not endless and bool(np.any((p > 0) & (q == 0))):
            return [math.inf] * len(orders)
        # With a tail, the listing ends where a share of 1e-18 is left: ends have no partner there.
        both = (p > 0) & (q > 0)
        log_p, log_q = np.log(p[both]), np.log(q[both])
        for k, order in enumerate(orders):
            terms = order * log_p + (1 - order) * log_q
            peak = float(terms.max())
            value = (peak + math.log(float(np.exp(terms - peak).sum()))) / (order - 1)
            worst[k] = max(worst[k], value)
    return worst
