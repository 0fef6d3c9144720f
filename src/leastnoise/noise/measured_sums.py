"""Sums of measurements, which answers and combinations of answers are: how long, how large.

What they are for: `workload.proof.md`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..numeric import Floats
from .bars import Pattern
from .plain import crossed


class MeasuredSums(ABC):
    """Several sums of measurements, each by its coefficients."""

    @property
    @abstractmethod
    def lengths(self) -> Floats:
        """The Euclidean lengths of the coefficients."""

    @property
    @abstractmethod
    def largest(self) -> Floats:
        """The largest size of a coefficient of each; 1 if all are 0."""

    @property
    @abstractmethod
    def many(self) -> Floats:
        """(length / largest)^2: how many coefficients, were all of one size."""

    @property
    @abstractmethod
    def patterns(self) -> Sequence[Pattern]:
        """The sizes of the coefficients, with how many there are of each."""


class AnswerSums(MeasuredSums):
    """All answers: the coefficients are products of those of the factors."""

    def __init__(self, factors: Sequence[Any]) -> None:
        self._factors = factors

    def _product(self, each: Sequence[Floats]) -> Floats:
        product = np.ones(1)
        for numbers in each:
            product = np.multiply.outer(product, numbers).ravel()
        return product

    @cached_property
    def lengths(self) -> Floats:
        return self._product([factor.lengths for factor in self._factors])

    @cached_property
    def largest(self) -> Floats:
        return self._product([factor.largest for factor in self._factors])

    @cached_property
    def many(self) -> Floats:
        squares = self._product([factor.lengths**2 for factor in self._factors])
        return np.asarray(squares / self.largest**2)

    @cached_property
    def patterns(self) -> Sequence[Pattern]:
        return crossed([factor.patterns for factor in self._factors])


class ListedSums(MeasuredSums):
    """Sums whose coefficients are listed, one in each row."""

    def __init__(self, rows: Floats) -> None:
        self._rows = rows

    @cached_property
    def lengths(self) -> Floats:
        return np.asarray(np.sqrt((self._rows**2).sum(axis=1)))

    @cached_property
    def largest(self) -> Floats:
        most = np.abs(self._rows).max(axis=1)
        return np.where(most == 0, 1.0, most)

    @cached_property
    def many(self) -> Floats:
        return np.asarray((self.lengths / self.largest) ** 2)

    @cached_property
    def patterns(self) -> Sequence[Pattern]:
        return [_pattern(row) for row in self._rows]


def _pattern(coefficients: Floats) -> Pattern:
    """Their sizes, up to what floats leave of them, each with how many there are."""
    sizes, counts = np.unique(np.round(np.abs(coefficients), 12), return_counts=True)
    pairs = zip(sizes.tolist(), counts.tolist(), strict=True)
    return tuple((size, count) for size, count in pairs if size)
