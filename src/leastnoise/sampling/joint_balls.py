"""Draw Euclidean noise for several numbers at once, in whole steps, exactly.

The law is that of `certify/noise/shapes/elliptical.proof.md`: a ball is chosen by its weight, a
point of it is known to as many digits as decide every rounding (`ball.proof.md`,
`discrete.proof.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ..certify.noise.shapes.elliptical import EuclideanNoise
from .ball import BallPoint, Enclosure, Words, words_needed
from .discrete import DiscreteSampler
from .entropy import Entropy

#: Binary digits behind a step that are computed at first, and how many more each time.
_SPARE, _MORE = 40, 64


class BallSampler:
    """Draws vectors of whole numbers; `numbers` says how many each block has."""

    def __init__(self, noise: EuclideanNoise, numbers: Sequence[int]) -> None:
        self._balls, self._which = noise.balls, DiscreteSampler(noise.balls.weights)
        self._dimension = sum(numbers) + bool(noise.common)
        # For each number: what its own part and the common one are multiplied by, in these units.
        scales = [
            (noise.each[b], noise.centre(b) * noise.common)
            for b, count in enumerate(numbers)
            for _ in range(count)
        ]
        self._units = lcm(*(x.denominator for pair in scales for x in pair))
        self._scales = [(int(a * self._units), int(b * self._units)) for a, b in scales]
        self._reach = int(max(a + b for a, b in scales))

    def sample_one(self, entropy: Entropy) -> list[int]:
        """One vector."""
        radius = self._balls.radii[self._which.sample_one(entropy)]
        words = Words(entropy, words_needed(self._dimension))
        point = BallPoint(self._dimension, words)
        precision = int(self._reach * radius).bit_length() + _SPARE
        while True:
            known = point.enclosures(precision)
            rounded = None if known is None else self._rounded(radius, known, precision)
            if rounded is not None:
                return rounded
            point.refine(words)
            precision += _MORE

    def _rounded(
        self, radius: Fraction, known: Sequence[Enclosure], precision: int
    ) -> list[int] | None:
        """floor(radius (a z + b z') + 1/2) for every number; None where it is not decided.

        z' is the last number of the point, and b is 0 where there is no common part.
        """
        factor = 2 * radius.numerator
        half = self._units * radius.denominator << precision
        low, high = known[-1]
        rounded = []
        for (a, b), (least, most) in zip(self._scales, known, strict=False):
            whole = (factor * (a * least + b * low) + half) // (2 * half)
            if (factor * (a * most + b * high) + half) // (2 * half) != whole:
                return None
            rounded.append(whole)
        return rounded

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """So many vectors, one in each row."""
        rows = [self.sample_one(entropy) for _ in range(size)]
        return np.array(rows, dtype=np.int64).reshape(size, len(self._scales))
