"""The "near-optimal lower bound" of Geng, Ding, Guo and Kumar, as a bound and as it is printed.

Statement and proof: `lower_bounds.proof.md`. Evaluated in doubles: a literature figure to
compare with, not a certificate.
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import ArgumentError, RegimeError
from ..exact import Number, rational
from ..losses import Loss, as_loss
from ..numeric import MANY, Floats, floats

CITATION = "Geng, Ding, Guo, Kumar (2020), arXiv:1810.00877"


def geng_lower_bound(
    *,
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    round_up: bool = False,
) -> float:
    """At most E c(X) for every (epsilon, delta)-private noise X, for a symmetric growing loss.

    `round_up=True` rounds the number of cells up, which reproduces many published entries and is
    NOT a bound: it counts more than the whole probability, and exceeds the optimum at some budgets.
    """
    cells, masses, _ = _cells(epsilon, delta, 1 if round_up else 0)
    return float(2 * masses @ _costs(loss, sensitivity, cells))


def remainder_lower_bound(
    *, epsilon: Number, delta: Number, sensitivity: Number = 1, loss: str | Loss = "l1"
) -> float:
    """The same argument without rounding: the mass left over is charged at the next cell.

    At least `geng_lower_bound` and still a bound.
    """
    cells, masses, rest = _cells(epsilon, delta, 0)
    costs = _costs(loss, sensitivity, np.append(cells, len(cells)))
    return float(2 * (masses @ costs[:-1] + rest * costs[-1]))


def _cells(epsilon: Number, delta: Number, more: int) -> tuple[Floats, Floats, float]:
    """Cell numbers, the most mass each can hold on one side of 0, and what is left of 1/2."""
    eps, dlt = (float(rational(v, n)) for v, n in ((epsilon, "epsilon"), (delta, "delta")))
    if eps < 0:
        raise ArgumentError("epsilon", epsilon, "at least 0")
    if not 0 <= dlt < 1 or (eps == 0 and dlt == 0):
        raise ArgumentError("delta", delta, "at least 0 and below 1, and positive if epsilon is 0")
    if dlt == 0:
        exact = 60 / eps  # the mass beyond is below 1e-26; leaving it out keeps a bound
    elif eps == 0:
        exact = 1 / (2 * dlt)
    else:
        exact = math.log1p(math.expm1(eps) / (2 * dlt)) / eps
    count = math.ceil(exact - 1e-12) if more else math.floor(exact + 1e-12)
    if count > MANY:
        raise RegimeError(
            f"the lower bound sums {count:.3g} cells at epsilon={eps!r}, delta={dlt!r}; "
            f"at most {MANY} are allowed"
        )
    cells = np.arange(float(count))
    # P(0 <= X < D) <= 1/2 - e^-epsilon (1/2 - delta), and e^-epsilon times that per cell.
    first = -math.expm1(-eps) / 2 + dlt * math.exp(-eps)
    masses = first * np.exp(-eps * cells)
    return cells, masses, max(0.0, 0.5 - float(masses.sum()))


def _costs(loss: str | Loss, sensitivity: Number, cells: Floats) -> Floats:
    c = as_loss(loss)
    if not (c.symmetric and c.falls_nowhere):
        raise ArgumentError("loss", c.name, "symmetric and never falling away from 0")
    width = rational(sensitivity, "sensitivity")
    if width <= 0:
        raise ArgumentError("sensitivity", sensitivity, "positive")
    return floats(c(float(width) * cells))
