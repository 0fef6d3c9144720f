"""Budgets and helpers that the tests of this folder share."""

from __future__ import annotations

import numpy as np

from leastnoise.baselines import ALL_REAL, REAL, Mechanism, closed_forms, tuned

#: (epsilon, delta): private and loose, tiny and nearly 1, and the edges of every regime.
BUDGETS = [
    (0.0, 0.3),
    (0.0, 0.75),
    (0.001, 1e-10),
    (0.005, 0.005),
    (0.1, 1e-6),
    (0.5, 0.0),
    (0.5, 0.5),
    (1.0, 0.2),
    (1.0, 0.99),
    (2.0, 0.05),
    (3.0, 0.51),
    (5.0, 1e-3),
    (10.0, 0.75),
    (10.0, 0.0),
]


def real(epsilon: float, delta: float, sensitivity: float = 1.0) -> list[Mechanism]:
    quick = epsilon >= 1  # where the search of a mixture takes a tenth of a second
    return tuned(ALL_REAL if quick else REAL, "l1", epsilon, delta, sensitivity)


def whole(epsilon: float, delta: float, sensitivity: int = 1) -> list[Mechanism]:
    return closed_forms(epsilon=epsilon, delta=delta, sensitivity=sensitivity, integer=True)


def brute_hockey_stick(noise: Mechanism, epsilon: float, shift: float) -> float:
    """The hockey stick from the density alone, on a fine grid: no shared code, about 1e-4."""
    reach = min(noise.support[1], 12 * noise.std) + abs(shift)
    step = 2 * reach / 200_000
    x = -reach + step * (np.arange(200_000) + 0.5)
    gain = noise.pdf(x) - np.exp(epsilon) * noise.pdf(x - shift)
    return float(np.maximum(gain, 0).sum() * step + sum(mass for _, mass in noise.atoms))
