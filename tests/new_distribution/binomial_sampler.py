"""Binomial noise, drawn as what it is: the ones among random bits.

Proof: `binomial_noise.proof.md`, 3. In the package it would stand in `sampling/binomial.py`.
"""

from __future__ import annotations

import numpy as np
from binomial_noise import BinomialNoise
from numpy.typing import NDArray

from leastnoise.sampling import Entropy


class BinomialSampler:
    """The number of ones among so many fair bits, less their mean."""

    fits = True

    def __init__(self, noise: BinomialNoise) -> None:
        self.trials = noise.trials

    def sample_one(self, entropy: Entropy) -> int:
        """One draw."""
        return entropy.bits(self.trials).bit_count() - self.trials // 2

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """So many draws."""
        return np.array([self.sample_one(entropy) for _ in range(size)], dtype=np.int64)
