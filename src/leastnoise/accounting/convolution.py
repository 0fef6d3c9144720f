"""Losses of several releases, convolved in floats, and how far what is read off may be wrong.

The only place that knows the rounding of convolutions, sums and reading: every total of a budget
goes through it. Statements and proofs: `convolution.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtraError
from ..numeric import Floats
from .dominating import CUT, ROUNDING, Losses

#: Where tails begin that can be cut is found in the time of about so many transforms of one
#: release's losses. Short results, and those of few releases, are kept whole.
_FEW, _SHORT, _LONG = 16, 50_000, 4_000_000
#: Where dp-accounting would make a list of its dictionary, entry by entry, it is given an array.
_DICTIONARY = 1000


@dataclass(frozen=True)
class Convolved:
    """What dp-accounting holds, the error of any delta of it, and the largest finite loss.

    Guarantee: the true curve of the product lies between `delta(epsilon, up=False)` and
    `delta(epsilon, up=True)` where the factors' own do.
    """

    distribution: Any
    margin: float
    farthest: float

    @cached_property
    def length(self) -> int:
        """Losses from the least to the largest, with those of no mass between them."""
        index, _ = self._finite
        return int(index[-1] - index[0]) + 1

    @cached_property
    def _finite(self) -> tuple[NDArray[np.int64], Floats]:
        """The finite losses in steps, rising, and their masses."""
        masses, symmetric = self.distribution._pmf_remove, self.distribution._symmetric
        assert symmetric, "one curve for both directions"
        few = getattr(masses, "_loss_probs", None)  # (a dictionary, where they are few)
        if few is None:
            return masses._lower_loss + np.arange(masses.size), masses._probs
        index = np.array(sorted(few))
        return index, np.array([few[i] for i in index.tolist()])

    @cached_property
    def _losses(self) -> Floats:
        return np.asarray(self._finite[0] * self.distribution._pmf_remove._discretization)

    def delta(self, epsilon: float, *, up: bool) -> float:
        """The delta at `epsilon`, at least (`up`) or at most the true one."""
        above = int(np.searchsorted(self._losses, epsilon, side="right"))
        shares = -np.expm1(epsilon - self._losses[above:])
        value = float(
            self.distribution._pmf_remove._infinity_mass + shares @ self._finite[1][above:]
        )
        error = self.margin + (self.length + 64) * ROUNDING * abs(value)
        if epsilon < self.farthest:
            error += 2 * ROUNDING * (epsilon + 2)
        return min(1.0, value + error) if up else max(0.0, value - error)

    def epsilon(self, delta: float, *, up: bool) -> float:
        """The epsilon at which the falling curve passes `delta`, at least or at most the true one.

        Infinite if the curve never comes down to it.
        """

        def excess(epsilon: float) -> float:
            return self.delta(epsilon, up=up) - delta

        if excess(math.inf) > 0:
            return math.inf
        if excess(0.0) <= 0:
            return 0.0
        from scipy.optimize import brentq  # (slow to import)

        low, high = 0.0, 1.0
        while (there := excess(high)) > 0:
            low, high = high, 4 * high
        root = float(brentq(excess, low, high, xtol=1e-8)) if there < 0 else high
        # The root is rounded; the answer must lie on its own side of it.
        move = 2e-8
        if up:
            while excess(root) > 0:
                root, move = root + move, 2 * move
            return root
        while root > 0 and excess(root) <= 0:
            root, move = root - move, 2 * move
        return max(root, 0.0)


def power(losses: Losses, times: int, *, pessimistic: bool) -> Convolved:
    """The losses of `times` releases that each have these losses."""
    single = _law_of(losses, times, pessimistic)
    farthest = times * losses.step * (losses.start + len(losses.masses))
    if times == 1:
        return Convolved(single, losses.slack, farthest)
    size = times * len(losses.masses)
    whole = size <= _SHORT or (times <= _FEW and size <= _LONG)
    many = single.self_compose(times, 0.0 if whole else CUT)
    fourier = 4 * (times + 1) * math.log2(size) * math.sqrt(size) * ROUNDING
    fourier *= float(np.linalg.norm(losses.masses))
    return Convolved(many, times * losses.slack + 2 * CUT + fourier, farthest)


def product(parts: Sequence[Convolved], *, cut: float = CUT) -> Convolved:
    """The losses of all parts together; tails of mass `cut` become infinite, or are left out."""
    whole = reduce(
        lambda first, two: first.compose(two, cut), (part.distribution for part in parts)
    )
    size = sum(part.length for part in parts)
    each = 2 * CUT + 8 * math.log2(size + 2) * math.sqrt(size) * ROUNDING
    margin = sum(part.margin for part in parts) + (len(parts) - 1) * each
    return Convolved(whole, margin, sum(part.farthest for part in parts))


def _law_of(losses: Losses, times: int, pessimistic: bool) -> Any:
    """What dp-accounting holds of one release: a dictionary as long as few losses come of it."""
    kind, filled = distributions(), np.flatnonzero(losses.masses)
    if len(filled) <= _DICTIONARY ** (1 / times):
        masses = losses.masses[filled].tolist()
        few = dict(zip((filled + losses.start).tolist(), masses, strict=True))
        return kind.create_from_rounded_probability(few, losses.infinite, losses.step, pessimistic)
    from dp_accounting.pld.pld_pmf import DensePLDPmf

    first, last = filled[[0, -1]].tolist()
    masses = losses.masses[first : last + 1].copy()  # (it adds cut tails to the ends)
    return kind(
        DensePLDPmf(losses.step, losses.start + first, masses, losses.infinite, pessimistic)
    )


def distributions() -> Any:
    """dp-accounting's class of distributions; `MissingExtraError` if it is not installed."""
    try:
        from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    except ImportError:
        raise MissingExtraError("dp-accounting", "accounting") from None
    return PrivacyLossDistribution
