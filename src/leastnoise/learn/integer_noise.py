"""Noise on a lattice of whole numbers: exact weights, exact draws, exact releases.

Why a release costs what the weights say: `integer_noise.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..accounting.law import Pair
from ..accounting.mixed import shifted_pair
from ..baselines import Mechanism, TruncatedDiscreteLaplace
from ..exact import exp_upper
from ..numeric import Floats
from ..sampling import Entropy, GridSampler

_SCALE = 1 << 62


@dataclass(frozen=True)
class CellNoise:
    """first + i with probability weights[i] / sum, or for ever outwards by `ratio` a step."""

    first: int
    weights: tuple[int, ...]
    ratio: Fraction | None = None

    @cached_property
    def masses(self) -> Floats:
        """Probabilities of the listed numbers (of all of them, without a tail)."""
        total = sum(self.weights)
        return np.array([weight / total for weight in self.weights])

    @cached_property
    def variance(self) -> float:
        """E N^2; every noise here is symmetric."""
        if self.ratio is not None:
            r = float(self.ratio)
            return 2 * r / (1 - r) ** 2
        places = np.arange(self.first, self.first + len(self.weights), dtype=np.float64)
        return float(self.masses @ places**2)

    @cached_property
    def log_concave(self) -> bool:
        """Whether no weight is below the geometric mean of its neighbors, in exact integers."""
        w = self.weights
        return min(w) > 0 and all(w[k] * w[k] >= w[k - 1] * w[k + 1] for k in range(1, len(w) - 1))

    def pairs(self, reach: int) -> tuple[Pair, ...]:
        """The noise against itself moved by 1 .. reach cells; symmetric, so one direction.

        Of log-concave noise the largest move is the worst.
        """
        shifts = (reach,) if self.log_concave else range(1, reach + 1)
        return tuple(shifted_pair(self.masses, shift) for shift in shifts)

    @cached_property
    def _sampler(self) -> GridSampler:
        tail = None if self.ratio is None else (1, self.ratio)
        return GridSampler.centred(self.first, self.weights, tail=tail)

    def draw(self, entropy: Entropy, size: int) -> list[int]:
        """Exact independent draws."""
        return [int(k) for k in self._sampler.sample(size, entropy)]

    def release(self, values: list[Fraction], cells: int, entropy: Entropy) -> list[Fraction]:
        """One release per exact value: rounded to the lattice without bias, plus noise."""
        released = []
        for value, step in zip(values, self.draw(entropy, len(values)), strict=True):
            scaled = value * cells
            whole = math.floor(scaled)
            share = scaled - whole
            if share and entropy.below(share.denominator) < share.numerator:
                whole += 1
            released.append(Fraction(whole + step, cells))
        return released


def gaussian(sigma: float) -> CellNoise:
    """Weights that fall like e^(-k^2 / (2 sigma^2))."""
    radius = math.ceil(9.3 * sigma) + 1
    places = np.arange(0, radius + 1, dtype=np.float64)
    return _symmetric(np.exp(-0.5 * (places / sigma) ** 2))


def laplace(scale: float) -> CellNoise:
    """Weights that fall like e^(-|k| / scale), to where they are next to nothing."""
    radius = math.ceil(43 * scale) + 1
    return _symmetric(np.exp(-np.arange(0, radius + 1) / scale))


def geometric(epsilon: Fraction, reach: int) -> CellNoise:
    """(epsilon, 0)-private for shifts up to `reach`, exactly: tails for ever."""
    # e^(-epsilon / reach), rounded up to a fraction of at most 60 bits.
    above = exp_upper(-epsilon / reach)
    top = math.ceil(above * (1 << 60))
    return CellNoise(-1, (top, 1 << 60, top), Fraction(top, 1 << 60))


def rounded_masses(mechanism: Mechanism) -> CellNoise:
    """A closed form as whole numbers: its own masses, or those of its cells."""
    _low, high = mechanism.support
    radius = math.ceil(high) if math.isfinite(high) else math.ceil(mechanism.error_bound(1 - 1e-15))
    places = np.arange(0, radius + 1, dtype=np.float64)
    if mechanism.integer:
        return _symmetric(mechanism.pdf(places), isinstance(mechanism, TruncatedDiscreteLaplace))
    half = np.concatenate([places, [radius + 1.0]]) - 0.5
    masses = mechanism.interval_mass(half)
    masses[0] += sum(mass for _, mass in mechanism.atoms)
    return _symmetric(masses, False)


def from_weights(first: int, weights: tuple[int, ...]) -> CellNoise:
    """Integer weights as they are, made symmetric."""
    radius = max(-first, first + len(weights) - 1)
    padded = [0] * (2 * radius + 1)
    for i, weight in enumerate(weights):
        padded[first + i + radius] += weight
    both = tuple(a + b for a, b in zip(padded, reversed(padded), strict=True))
    return CellNoise(-radius, both)


def _symmetric(right: Floats, concave: bool = True) -> CellNoise:
    """From masses at 0, 1, 2, ...: both sides, as whole weights, log-concave if asked for."""
    total = right[0] + 2 * right[1:].sum()
    weights = [round(float(mass / total) * _SCALE) for mass in right]
    if concave:  # rounding must not undo it: cut each weight to what its neighbors allow
        for k in range(2, len(weights)):
            if weights[k - 2]:
                weights[k] = min(weights[k], weights[k - 1] ** 2 // weights[k - 2])
            else:
                weights[k] = 0
    while len(weights) > 1 and weights[-1] == 0:
        weights.pop()
    return CellNoise(1 - len(weights), tuple(weights[:0:-1] + weights))
