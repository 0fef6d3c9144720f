"""The total delta of equal releases as a function of one release's profile, in floats.

The profile is known at epsilon = 0, h, ..., N h. Its chords bound the curve of one release from
above; the losses of a pair with that polygon as its curve lie on the grid, so that composition is
a convolution. Statement and proof: `../../../certify/composition.proof.md`; what this module
computes only steers, the exact total is `leastnoise.certify.composition`'s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ....numeric import Floats


@dataclass(frozen=True)
class ProfileGrid:
    """`count` releases at a total `epsilon`; one release is known at 0, step, ..., size * step."""

    step: Fraction
    size: int
    count: int
    epsilon: float

    @property
    def epsilons(self) -> list[Fraction]:
        """Where the profile is known."""
        return [j * self.step for j in range(self.size + 1)]

    @cached_property
    def _losses(self) -> Floats:
        return np.asarray(float(self.step) * np.arange(-self.size, self.size + 1.0))

    @cached_property
    def _maps(self) -> tuple[Floats, Floats]:
        """(A, b): the masses of the losses are A @ deltas + b."""
        n = self.size
        values, constant = np.zeros((2 * n + 1, n + 1)), np.zeros(2 * n + 1)
        values[n:, :] = np.eye(n + 1)
        shrink = np.exp(self._losses[:n])
        values[np.arange(n), n - np.arange(n)] = shrink  # 1 - (1 - delta) / gamma
        constant[:n] = 1 - shrink
        h = float(self.step)
        falls = -np.diff(np.concatenate([np.zeros((1, n + 1)), values]), axis=0)
        falls_constant = -np.diff(np.concatenate([[1.0], constant]))
        before = np.full(2 * n + 1, 1 / -math.expm1(-h))
        before[0] = 1.0
        masses, rest = before[:, None] * falls, before * falls_constant
        masses[:-1] -= falls[1:] / math.expm1(h)
        rest[:-1] -= falls_constant[1:] / math.expm1(h)
        return masses, rest

    def _composed(self, deltas: Floats, count: int) -> tuple[Floats, Floats, float]:
        """Losses and masses of so many releases, and the mass of an infinite loss."""
        masses, rest = self._maps
        single = np.maximum(masses @ deltas + rest, 0.0)
        result = np.ones(1)
        for bit in bin(count)[2:]:
            result = np.convolve(result, result)
            if bit == "1":
                result = np.convolve(result, single)
        losses = np.asarray(float(self.step) * (np.arange(len(result)) - float(count * self.size)))
        return losses, result, -math.expm1(count * math.log1p(-float(deltas[-1])))

    def total(self, deltas: Floats) -> float:
        """The total delta."""
        losses, masses, infinite = self._composed(deltas, self.count)
        return infinite + float(masses @ _above(self.epsilon - losses))

    def weights(self, deltas: Floats) -> tuple[Floats, float]:
        """(w, c): c + w @ d is the total delta when one of the releases has the profile d instead.

        The total is linear in the profile of each release, so its slope in a common one is
        `count` times w.
        """
        losses, masses, infinite = self._composed(deltas, self.count - 1)
        rest = infinite + _above((self.epsilon - self._losses)[:, None] - losses[None, :]) @ masses
        slopes, constant = self._maps
        weights = slopes.T @ rest
        weights[-1] += 1.0  # an infinite loss of this one release
        return np.maximum(weights, 0.0), float(constant @ rest)


def _above(exponents: Floats) -> Floats:
    """max(0, 1 - e^x)."""
    return np.asarray(np.maximum(-np.expm1(np.minimum(exponents, 1.0)), 0.0))
