"""Expected losses of symmetric noise.

For symmetric noise only the folded loss (c(x) + c(-x))/2 matters. Where that is
constant + first*|x| + second*x^2 (absolute, squared, pinball and their sums) two moments give
the answer; otherwise it is integrated between the density's steps and the loss's kinks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..losses import Loss
from ..numeric import Floats, floats, integrate

#: A fractional power is not smooth at 0: panels shrink towards it by 8 each, to 8^-14.
GRADING = 8.0 ** -np.arange(1.0, 15.0)

#: Long lists of narrow panels need few nodes each; this many near 0 get the full rule.
_NEAR = 64


def growth(loss: Loss, scale: float) -> float:
    """Roughly the power with which the loss grows far out, between 1 and 16."""
    far = 1e6 * scale + max(abs(float(x)) for x in loss.kinks)
    at, beyond = (float(loss(x)) + float(loss(-x)) for x in (far, 2 * far))
    if not 0 < at < beyond < math.inf:
        return 16.0 if not beyond < math.inf else 1.0
    return min(16.0, max(1.0, math.log2(beyond / at)))


def expected_by_quadrature(
    density: Callable[[Floats], Floats], loss: Loss, panels: Floats
) -> float:
    """Integral of density * (c(x) + c(-x)) over the panels, which start at 0."""
    bends = np.abs([float(x) for x in loss.kinks])
    inside = bends[(bends > 0) & (bends < panels[-1])]
    edges = np.unique(np.concatenate([panels, inside]))

    def integrand(x: Floats) -> Floats:
        return density(x) * (floats(loss(x)) + floats(loss(-x)))

    first = edges[1]
    near = np.concatenate([[0.0], (first * GRADING)[::-1], edges[1 : _NEAR + 1]])
    total = integrate(integrand, near)
    if len(edges) > _NEAR + 1:
        total += integrate(integrand, edges[_NEAR:], nodes=8)
    return total
