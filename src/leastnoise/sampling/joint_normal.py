"""Draw Gaussian noise for several numbers at once, in whole steps, exactly.

The law is that of `certify/noise/shapes/elliptical.proof.md`; every part is drawn by
`RoundedNormal`, exactly, and the last rounding by a uniform whole number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..certify.noise.shapes.elliptical import FINE, GaussianNoise
from .entropy import Entropy
from .normal import RoundedNormal


class NormalSampler:
    """Draws vectors of whole numbers; `numbers` says how many each block has."""

    def __init__(self, normal: GaussianNoise, numbers: Sequence[int]) -> None:
        self._common = RoundedNormal(normal.common * FINE) if normal.common else None
        self._parts = [
            (RoundedNormal(each * FINE), int(normal.centre(b) * FINE), count)
            for b, (each, count) in enumerate(zip(normal.each, numbers, strict=True))
        ]

    def sample_one(self, entropy: Entropy) -> list[int]:
        """One vector."""
        shared = 0 if self._common is None else self._common.sample_one(entropy)
        numbers = []
        for normal, centre, count in self._parts:
            for _ in range(count):
                # In steps of 1 / FINE^2; then up with the probability of what is left.
                whole, rest = divmod(
                    normal.sample_one(entropy) * FINE + centre * shared, FINE * FINE
                )
                numbers.append(whole + (entropy.below(FINE * FINE) < rest))
        return numbers

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """So many vectors, one in each row."""
        rows = [self.sample_one(entropy) for _ in range(size)]
        width = sum(count for _, _, count in self._parts)
        return np.array(rows, dtype=np.int64).reshape(size, width)
