"""Noise for several numbers at once: its law in floats, its exact draws and releases.

Why a release is private: `joint.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..certify.kinds.joint import JointFile
from ..errors import DataError
from ..exact import nearest_float
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..sampling import Entropy, system_entropy
from ..sampling.joint_balls import BallSampler
from ..sampling.joint_normal import NormalSampler
from ..sampling.levels import LevelSampler
from .joint_law import JointLaw, law_of
from .rounding import Exact, UniformNumber, exact_number

_WHOLE = "integers: this noise is for integer queries"


class JointNoise:
    """P(x) ~ ratio^level(x) on vectors of whole multiples of the grid, or of an elliptical law."""

    def __init__(self, document: JointFile) -> None:
        self.document = document

    @property
    def dimension(self) -> int:
        """How many numbers there are."""
        return self.document.problem.dimension

    @cached_property
    def _law(self) -> JointLaw:
        """The distribution in steps of the grid."""
        return law_of(self.document)

    @cached_property
    def _sampler(self) -> LevelSampler | NormalSampler | BallSampler:
        return self._law.sampler

    def release(
        self, values: Iterable[object], *, exact: bool = False, entropy: Entropy | None = None
    ) -> Any:
        """One private release of all numbers together: whole numbers, floats or exact Fractions.

        Every vector of finite numbers is answered. A wrong length, NaN, infinities, what is no
        number, and for integer noise what is not whole are refused before anything is drawn; no
        error shows a value.
        """
        row = self._checked(values)
        return self._released(row, exact, entropy or system_entropy())

    def release_rows(
        self, rows: Iterable[Any], *, exact: bool = False, entropy: Entropy | None = None
    ) -> Any:
        """As many independent releases; all rows are checked before anything is drawn."""
        source = entropy or system_entropy()
        checked = [self._checked(row) for row in rows]
        released = [self._released(row, exact, source) for row in checked]
        return released if exact else np.array(released)

    def _released(self, row: list[Exact], exact: bool, source: Entropy) -> Any:
        document = self.document
        drawn = self._sampler.sample_one(source)
        if document.problem.integer:
            sums = [int(value) + noise for value, noise in zip(row, drawn, strict=True)]
            return sums if exact else np.array(sums, dtype=object if _long(sums) else np.int64)
        steps = [
            UniformNumber(source.bits(64), source).floor_of(value, document.noise.grid) + noise
            for value, noise in zip(row, drawn, strict=True)
        ]
        answers = [step * document.noise.grid for step in steps]
        return answers if exact else np.array([nearest_float(answer) for answer in answers])

    def _checked(self, values: Iterable[object]) -> list[Exact]:
        scalar = isinstance(values, (str, bytes)) or getattr(values, "ndim", 1) == 0
        row = list(values) if isinstance(values, Iterable) and not scalar else []
        if len(row) != self.dimension:
            raise DataError("vector", type(values), f"a sequence of {self.dimension} numbers")
        exact = [exact_number(value, "vector") for value in row]
        if self.document.problem.integer and not all(map(_whole, exact)):
            raise DataError("vector", type(values), _WHOLE)
        return exact

    def sample(self, size: int, entropy: Entropy | None = None) -> Floats:
        """So many exact draws of the noise, a vector in each row."""
        drawn = self._sampler.sample(size, entropy or system_entropy())
        return np.asarray(drawn * float(self.document.noise.grid))

    def simulate(self, size: int, seed: int) -> Floats:
        """NOT FOR RELEASE: draws that are the same each time, for pictures and estimates."""
        return np.asarray(self._law.simulate(size, seed) * float(self.document.noise.grid))

    @cached_property
    def std(self) -> float:
        """The root of the mean over all numbers of their variances."""
        document, law = self.document, self._law
        blocks = enumerate(document.problem.shape.blocks)
        square = sum(block.numbers * law.variance(b) for b, block in blocks)
        return math.sqrt(float(square / document.problem.dimension)) * float(document.noise.grid)

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> float:
        """Each number's error, or the largest of all, is at most this with the given probability.

        That of the noise (a real value is rounded to the grid, too, by less than one step). From
        exact counts in floats where all numbers may move at once; estimated from a few thousand
        exact draws for other shapes and for very small epsilon.
        """
        level = check_confidence(confidence)
        if not all_at_once:
            blocks = range(len(self.document.problem.shape.blocks))
            return max(self.block_error(b, level) for b in blocks)
        bound = self._law.quantile(level, None)
        if bound is not None:
            return bound * float(self.document.noise.grid)
        return quantile_of(np.abs(self._drawn).max(axis=1), level)

    def block_error(self, block: int, confidence: float) -> float:
        """The same for a number of one block of the shape."""
        bound = self._law.quantile(confidence, block)
        if bound is not None:
            return bound * float(self.document.noise.grid)
        return quantile_of(np.abs(self.drawn(block)), confidence)

    def drawn(self, block: int) -> Floats:
        """Draws of the numbers of one block, a few thousand vectors, the same each time."""
        blocks = self.document.problem.shape.blocks
        first = sum(before.numbers for before in blocks[:block])
        return self._drawn[:, first : first + blocks[block].numbers]

    @cached_property
    def _drawn(self) -> Floats:
        return self.simulate(max(1_000, min(2_000, 40_000 // self.dimension)), self.dimension)

    def __repr__(self) -> str:
        return f"JointNoise({self.dimension} numbers, std {self.std:.5g})"


def quantile_of(drawn: Floats, level: float) -> float:
    """A quantile from draws in the rows, by one standard error of their number on the safe side.

    Several numbers in a row have one law, and are one draw.
    """
    error = math.sqrt(level * (1 - level) / len(drawn))
    return float(np.quantile(drawn, min(1.0, level + error), method="higher"))


def _whole(value: Exact) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def _long(values: list[int]) -> bool:
    return any(abs(value) >= 1 << 62 for value in values)
