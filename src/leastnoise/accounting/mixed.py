"""The total cost of releases of several kinds, on the safe side.

Statements and proofs: `mixed.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ..mechanisms.numeric import Floats
from .composition import _distributions, _smallest_epsilon
from .dominating import CUT, ROUNDING, Losses, dots, largest_loss, upper_envelope
from .law import Pair

#: Losses are rounded to multiples of a step between these two, a tenth of the least spread.
_FINEST, _COARSEST = 2e-6, 4e-3
#: Losses beyond this count as infinite.
_FARTHEST = 60.0
#: The most steps from 0 to the largest loss of one release.
_MOST = 500_000


@dataclass(frozen=True)
class Part:
    """Releases of one kind: at most `times` of them differ, each like one of the pairs."""

    pairs: tuple[Pair, ...]
    times: int


def total_delta(parts: Sequence[Part], epsilon: float) -> float:
    """At least the total delta at `epsilon`."""
    composed, margin = _composed(parts)
    if composed is None:
        return 0.0
    return min(1.0, float(composed.get_delta_for_epsilon(epsilon)) + margin)


def total_epsilon(parts: Sequence[Part], delta: float) -> float:
    """At least the total epsilon at `delta`; infinity if no epsilon reaches it."""
    composed, margin = _composed(parts)
    return 0.0 if composed is None else _smallest_epsilon(composed, delta - margin, up=True)


def _composed(parts: Sequence[Part]) -> tuple[Any, float]:
    """dp-accounting's losses of all parts, and how far they may be off in delta."""
    used = [part for part in parts if part.times > 0]
    if not used:
        return None, 0.0
    step = _step(used)
    found = [_powers(part, step) for part in used]
    margin = sum(m for _, m in found)
    whole = reduce(lambda one, two: one.compose(two, CUT), (losses for losses, _ in found))
    size = sum(_size(losses) for losses, _ in found)
    each = 2 * CUT + 8 * math.log2(size + 2) * math.sqrt(size) * ROUNDING
    return whole, margin + (len(found) - 1) * each


def _step(parts: Sequence[Part]) -> float:
    spreads, farthest = [], 0.0
    for part in parts:
        spreads.append(max(_spread(pair) for pair in part.pairs))
        farthest = max(farthest, *(largest_loss(*pair) for pair in part.pairs))
    step = min(max(min(spreads) / 10, _FINEST), _COARSEST)
    return max(step, min(farthest, _FARTHEST) / _MOST)


def _spread(pair: Pair) -> float:
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
    found = dots(step, index, curve, curve)
    slack = found.slack + 4 * (max(len(p) for p, _ in pairs) + 16) * ROUNDING
    return Losses(step, found.start, found.masses, found.infinite, slack)


def _powers(part: Part, step: float) -> tuple[Any, float]:
    losses = _losses(part.pairs, step)
    held = np.flatnonzero(losses.masses)
    one = _distributions().create_from_rounded_probability(
        dict(zip((held + losses.start).tolist(), losses.masses[held].tolist(), strict=True)),
        losses.infinite,
        step,
        True,
    )
    if part.times == 1:
        return one, losses.slack + 2 * ROUNDING * len(losses.masses)
    size = part.times * len(losses.masses)
    many = one.self_compose(part.times, 0.0 if size <= 4_000_000 else CUT)
    fourier = 4 * (part.times + 1) * math.log2(size) * math.sqrt(size) * ROUNDING
    fourier *= float(np.linalg.norm(losses.masses))
    return many, part.times * losses.slack + 2 * CUT + fourier


def _size(losses: Any) -> int:
    """Losses from the least to the largest: what a convolution has to hold."""
    return int(losses._pmf_remove.size)


def shifted(masses: Floats, shift: int) -> Pair:
    """Masses on consecutive whole numbers, and the same moved by `shift` > 0, side by side."""
    empty = np.zeros(shift)
    return np.concatenate([masses, empty]), np.concatenate([empty, masses])


def budget_pair(epsilon: float, delta: float) -> Pair:
    """The pair that dominates everything (epsilon, delta)-private (Kairouz, Oh, Viswanath 2015)."""
    high = (1 - delta) / (1 + math.exp(-epsilon))
    low = (1 - delta) / (1 + math.exp(epsilon))
    return np.array([delta, high, low, 0.0]), np.array([0.0, low, high, delta])
