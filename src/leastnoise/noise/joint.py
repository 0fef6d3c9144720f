"""Noise for several numbers at once: its law in floats, its exact draws and releases.

Why a release is private: `joint.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..certify.kinds.joint import JointFile
from ..errors import DataError
from ..exact import nearest_float
from ..facts import CONFIDENCE, Fact, asked, error_fact, spread_fact
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..problem.shape import Shape
from ..sampling import Entropy, system_entropy
from ..sampling.joint_balls import BallSampler
from ..sampling.joint_normal import NormalSampler
from ..sampling.levels import LevelSampler
from .base import DesignNoise
from .containers import count_rows, listed_rows
from .joint_law import JointLaw, law_of
from .rounding import Exact, UniformNumber, exact_number

_WHOLE = "integers: this noise is for integer queries"
#: Standard errors of simulated draws that bounds are on the safe side by.
_SAFE = 2.5


class JointNoise(DesignNoise[JointFile]):
    """Noise for several numbers: K-norm noise on a grid, Gaussian or Euclidean noise.

    Guarantee: one `release` of all numbers is (epsilon, delta)-DP for any two vectors that differ
    by a move of `shape`, and (epsilon, 0)-DP if it is K-norm noise; the mean of the expected losses
    of all numbers (or that of the largest error) is at most `upper`, for every vector; and no
    additive noise that is (epsilon, delta)-DP (of integers, if `integer`) has a loss below `lower`,
    a bound that may be weak (then the status says so).

    Example: ten counts at once.

        >>> best = design(epsilon=1, delta=0, sensitivity=Cube(10, one_sided=True), integer=True)
        >>> best.error_bound(0.95), best.error_bound(0.95, all_at_once=True)
        (9.0, 12.0)
    """

    TAKES = "vectors"
    SUBJECT = "additive noise"

    def __init__(self, document: JointFile) -> None:
        self.document = document
        self.dimension = document.problem.dimension
        #: What was computed of it for tables, which ask again.
        self.known: dict[Any, Any] = {}

    @property
    def title(self) -> str:
        """What a release is."""
        kind = "integer noise" if self.document.integer else "noise"
        return f"{kind} for {self.dimension} numbers at once"

    @property
    def shape(self) -> Shape:
        """How far one unit can move the numbers."""
        return self.document.problem.shape

    @property
    def loss_words(self) -> str:
        """What the bracket is of."""
        largest = self.document.largest
        return "expected largest error" if largest else "mean expected loss of a number"

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked."""
        yield asked("dimension", self.dimension, aside=True)
        yield asked("shape", repr(self.shape))
        for fact in super().problem_facts(loss):
            yield replace(fact, aside=True) if fact.name == "sensitivity" else fact

    def facts(self) -> Iterator[Fact]:
        """Its standard deviation, and error bounds of one number and of all."""
        yield spread_fact(self.std, "of a number")
        yield error_fact(self.error_bound(CONFIDENCE), "of a number")
        bound = self.error_bound(CONFIDENCE, all_at_once=True)
        yield error_fact(bound, "of all", "error_95_of_all")

    @cached_property
    def _law(self) -> JointLaw:
        """The distribution in steps of the grid."""
        return law_of(self.document)

    @cached_property
    def _sampler(self) -> LevelSampler | NormalSampler | BallSampler:
        return self._law.sampler

    def release(self, value: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of all numbers together: integers, floats or exact Fractions.

        Rows of vectors (lists in a list, an array or a table) give as many independent releases.
        Every vector of finite numbers is answered. A wrong length, NaN, infinities, what is no
        number, and for integer noise what is no integer are rejected before anything is drawn; so
        are dicts and sets, which have no order. No error shows a value.
        """
        rows, single = listed_rows(value)
        if not single:
            return self.release_rows(rows, exact=exact, entropy=entropy)
        return self._released(self._checked(rows), exact, entropy or system_entropy())

    def releases_in(self, value: Any) -> int:
        """One for each row."""
        return count_rows(value)

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
            given = "another number of entries" if row else type(values)
            raise DataError("vector", given, f"a sequence of {self.dimension} numbers")
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
        exact counts in floats where all numbers may move at once; from some thousand simulated
        draws, on the safe side of their error, for other shapes and for very small epsilon.
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
        return self.simulate(max(2_500, min(20_000, 250_000 // self.dimension)), self.dimension)

    def __repr__(self) -> str:
        return f"JointNoise({self.dimension} numbers, std {self.std:.5g})"


def quantile_of(drawn: Floats, level: float) -> float:
    """A quantile from draws in the rows, on the safe side by 2.5 standard errors.

    Several numbers in a row have one distribution. What they say together is one draw.
    """
    inside = drawn <= np.quantile(drawn, level, method="higher")
    rows = inside.reshape(len(drawn), -1).mean(axis=1)
    error = _SAFE * float(rows.std()) / math.sqrt(len(rows))
    return float(np.quantile(drawn, min(1.0, level + error), method="higher"))


def _whole(value: Exact) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def _long(values: list[int]) -> bool:
    return any(abs(value) >= 1 << 62 for value in values)
