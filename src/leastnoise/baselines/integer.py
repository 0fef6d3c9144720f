"""Noise on the whole numbers: the same interface, with `pmf` in place of a density."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, RegimeError
from ..losses import Loss
from ..numeric import MANY, Floats, floats
from .base import Mechanism, levels


class IntegerMechanism(Mechanism):
    """Symmetric noise on the whole numbers, for a query with whole values and sensitivity.

    A subclass's `_density(k)` is the mass at k >= 0, and `_mass(u, v)` that of the whole numbers
    u <= k < v for 1 <= u <= v.
    """

    integer: ClassVar[bool] = True

    @abstractmethod
    def _reach(self, nats: float) -> float:
        """Where the mass has fallen by e^-nats, or ends."""

    def _panels(self, nats: float) -> Floats:
        reach = self._reach(nats)
        if reach > MANY:
            raise RegimeError(
                f"{self.label} covers {reach:.3g} integers at epsilon={self.epsilon!r}, "
                f"delta={self.delta!r}, sensitivity={self.sensitivity!r}; "
                f"at most {MANY} can be listed"
            )
        return np.arange(reach + 1)

    def pmf(self, k: ArrayLike) -> Floats:
        """P(X = k); 0 off the whole numbers."""
        at = np.abs(floats(k))
        whole = np.rint(at)
        return np.where(at == whole, self._density(whole), 0.0)

    def pdf(self, x: ArrayLike) -> Floats:
        """The same as `pmf`."""
        return self.pmf(x)

    def _from(self, k: Floats) -> Floats:
        """P(X >= k) for whole k >= 1."""
        return self._mass(k, np.full_like(k, np.inf))

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x); good relative accuracy in the left tail."""
        k = np.floor(floats(x))
        return np.where(k < 0, self._from(np.maximum(-k, 1)), 1 - self._from(np.maximum(k + 1, 1)))

    def sf(self, x: ArrayLike) -> Floats:
        """P(X > x); good relative accuracy in the right tail."""
        k = np.floor(floats(x))
        return np.where(k >= 0, self._from(np.maximum(k + 1, 1)), 1 - self._from(np.maximum(-k, 1)))

    def interval_mass(self, edges: ArrayLike) -> Floats:
        """Mass of the whole numbers in each [edges[i], edges[i+1])."""
        edge = np.ceil(floats(edges))
        lo, hi = edge[:-1], edge[1:]
        right = self._mass(np.maximum(lo, 1), np.maximum(hi, 1))
        left = self._mass(np.maximum(1 - hi, 1), np.maximum(1 - lo, 1))
        centre = np.where((lo <= 0) & (hi > 0), self._density(np.zeros(1)), 0.0)
        return left + centre + right

    def quantile(self, q: ArrayLike) -> Floats:
        """The smallest whole k with P(X <= k) >= q, for 0 < q < 1."""
        level = levels(q, "q")
        high = self._tail_inverse(1 - level)
        # P(X <= -m) = P(X >= m) >= q: the largest such m is the first with P(X > m) < q.
        low = self._tail_inverse(level)
        low = np.where(self._from(low + 1) >= level, low + 1, low)
        return np.where(self._from(np.maximum(low, 1)) >= level, -low, high)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` draws by inversion in floating point; for comparisons and simulations only."""
        u = rng.random(size)
        return self.quantile(np.where(u > 0, u, 0.5))

    def _integrate(self, loss: Loss, nats: float) -> float:
        # Number by number, or in the middle of a few: so many that a loss is straight in between.
        few = math.ceil(self._reach(nats) / MANY)
        edges = np.arange(1.0, self._reach(nats) + 1 + few, few)
        k = edges[:-1] + (few - 1) / 2
        masses = self._density(k) if few == 1 else self._mass(edges[:-1], edges[1:])
        both = floats(loss(k)) + floats(loss(-k))
        return float(self._density(np.zeros(1))[0] * float(loss(0.0)) + masses @ both)

    def hockey_stick(self, epsilon: float, shift: float) -> float:
        """sup over events A of P(X in A) - e^epsilon P(X + shift in A), for a whole shift."""
        if shift != round(shift):
            raise ArgumentError("shift", shift, f"an integer for {self.label}")
        return super().hockey_stick(epsilon, shift)
