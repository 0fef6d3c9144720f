"""`VectorDesign`: noise for a vector with a Euclidean sensitivity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..certify.kinds.vector import VectorFile
from ..errors import DataError
from ..losses import Loss
from ..noise.vector import VectorNoise
from ..sampling import Entropy
from .base import BaseDesign


@dataclass(frozen=True, repr=False)
class VectorDesign(BaseDesign):
    """Noise for a vector with an L2 sensitivity, the proof of its privacy, and its bracket.

    Guarantee: `release` is (epsilon, delta)-DP for any two vectors whose Euclidean distance
    is at most `sensitivity`; the expected loss of the norm of its error is at most `upper` for
    every vector; and no additive noise that is (epsilon, delta)-DP has an expected loss below
    `lower`. All three are checked in exact arithmetic before a design exists; if `certified` is
    False (a file claims what the checker cannot settle), privacy alone is. Two designs are equal
    if their mechanism files are.

    Example: a vector of five numbers.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, dimension=5)
        >>> round(best.upper, 3)
        5.0
        >>> best.release([41.7, 3.0, 0.0, 12.5, 8.0])  # doctest: +SKIP
        [39.9, 4.2, 1.7, 12.9, 6.4]
    """

    document: VectorFile
    loss: Loss = field(compare=False)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.document.problem.dimension

    @cached_property
    def noise(self) -> VectorNoise:
        """The noise: its radial law and its marginals to look at, its exact samples."""
        return VectorNoise(self.document)

    def release(self, values: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of a vector of `dimension` numbers: an array of floats.

        With `exact=True` a list of Fractions. Rows of vectors (lists in a list, an array or a
        table) give as many independent releases, each of which spends the whole (epsilon, delta):
        about the same person they add up. Every finite vector is answered. A wrong length, NaN,
        infinities and what is no number are refused before any randomness is drawn, and no error
        shows a value.
        """
        held, single = held_rows(values)
        if single:
            return self.noise.release(held, exact=exact, entropy=entropy)
        return self.noise.release_rows(held, exact=exact, entropy=entropy)

    def error_bound(self, confidence: float = 0.95) -> float:
        """The Euclidean length of the error is at most this with the given probability."""
        return self.noise.error_radius(confidence)

    def plot(self, path: str | Path | None = None, kind: str = "radial") -> Any:
        """A picture (extra `plot`): the "radial" density beside baselines, or a "map" for d = 2."""
        from ..show import plot_vector

        return plot_vector(self, path, kind)

    def _repr_html_(self) -> str:
        from ..show.html import html_vector

        return html_vector(self)

    def _repr_svg_(self) -> str | None:
        try:
            from ..show import vector_svg

            return vector_svg(self)
        except ImportError:
            return None

    def _question_words(self) -> list[str]:
        return [f"dimension={self.dimension}", *super()._question_words()]


def held_rows(values: Any) -> tuple[list[Any], bool]:
    """What was handed over as a list, and whether it is one vector and not rows of such."""
    if hasattr(values, "to_numpy"):  # tables of pandas and Polars, and their columns
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        if values.ndim not in (1, 2):
            raise DataError("vector", type(values), "an array of one axis, or rows of numbers")
        return list(values), values.ndim == 1
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise DataError("vector", type(values), "a sequence of numbers, or rows of numbers")
    held = list(values)
    return held, not any(isinstance(x, Iterable) and not isinstance(x, str) for x in held)
