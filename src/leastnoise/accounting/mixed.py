"""The total cost of releases of several kinds, on the safe side.

Statements and proofs: `mixed.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..numeric import Floats
from .convolution import Convolved, power, product
from .dominating import Losses, dots, largest_loss, upper_envelope
from .law import Pair

#: Losses are rounded to multiples of a step between these two, a tenth of the least spread.
_FINEST, _COARSEST = 2e-6, 4e-3
#: Losses beyond this count as infinite.
_FARTHEST = 60.0
#: The most steps from 0 to the largest loss of one release.
_MOST = 500_000


@dataclass(frozen=True)
class ComposedPart:
    """Releases of one kind: at most `times` of them differ, each like one of the pairs."""

    pairs: tuple[Pair, ...]
    times: int


def total_delta(parts: Sequence[ComposedPart], epsilon: float) -> float:
    """At least the total delta at `epsilon`."""
    whole = _compose(parts)
    return 0.0 if whole is None else whole.delta(epsilon, up=True)


def total_epsilon(parts: Sequence[ComposedPart], delta: float) -> float:
    """At least the total epsilon at `delta`; infinity if no epsilon reaches it."""
    whole = _compose(parts)
    return 0.0 if whole is None else whole.epsilon(delta, up=True)


def _compose(parts: Sequence[ComposedPart]) -> Convolved | None:
    """The losses of all parts; None if nothing is released."""
    used = [part for part in parts if part.times > 0]
    if not used:
        return None
    step = _step(used)
    return product(
        [
            power(_losses(used_part.pairs, step), used_part.times, pessimistic=True)
            for used_part in used
        ]
    )


def _step(parts: Sequence[ComposedPart]) -> float:
    spreads, farthest = [], 0.0
    for part in parts:
        spreads.append(max(_deviation(pair) for pair in part.pairs))
        farthest = max(farthest, *(largest_loss(*pair) for pair in part.pairs))
    step = min(max(min(spreads) / 10, _FINEST), _COARSEST)
    return max(step, min(farthest, _FARTHEST) / _MOST)


def _deviation(pair: Pair) -> float:
    """The standard deviation of the finite losses."""
    p, q = pair
    both = (p > 0) & (q > 0)
    if not both.any():
        return 1.0
    losses, mass = np.log(p[both] / q[both]), p[both] / p[both].sum()
    return float(np.sqrt(max(mass @ losses**2 - (mass @ losses) ** 2, 0.0)))


def _losses(pairs: Sequence[Pair], step: float) -> Losses:
    far = min(max(1e-6, *(largest_loss(*pair) for pair in pairs)), _FARTHEST)
    curve, index = upper_envelope(list(pairs), step, math.ceil(far / step) + 1)
    return dots(step, index, curve, curve).sum_of(max(len(p) for p, _ in pairs))


def shifted_pair(masses: Floats, shift: int) -> Pair:
    """Masses on consecutive whole numbers, and the same moved by `shift` > 0, side by side."""
    empty = np.zeros(shift)
    return np.concatenate([masses, empty]), np.concatenate([empty, masses])


def budget_pair(epsilon: float, delta: float) -> Pair:
    """The pair that dominates everything (epsilon, delta)-private (Kairouz, Oh, Viswanath 2015)."""
    high = (1 - delta) / (1 + math.exp(-epsilon))
    low = (1 - delta) / (1 + math.exp(epsilon))
    return np.array([delta, high, low, 0.0]), np.array([0.0, low, high, delta])
