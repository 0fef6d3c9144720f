"""Noise for one number of a group: what adds it, how far it errs, the file that proves it.

What releases of it cost, and how their errors add up: `noise.proof.md`, `totals.proof.md`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...cache import sha256_of
from ...sampling import Entropy
from ..queries.numbers import Released
from .totals import sum_error


@dataclass(frozen=True, eq=False)
class PartNoise(ABC):
    """Noise for one number of a group, with its file."""

    design: Any
    scale: Fraction  # the value of one unit of the design
    path: Path
    words: str

    @property
    def size(self) -> float:
        """What forms are compared by: the certified mean error."""
        return float(self.design.upper) * float(self.scale)

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    @abstractmethod
    def release(self, values: Sequence[Fraction], entropy: Entropy | None) -> list[Fraction]:
        """One release each."""

    @abstractmethod
    def around(self, values: Sequence[Fraction], confidence: float) -> list[Released]:
        """Released values with their error."""

    def sum_error(self, draws: int, confidence: float) -> Fraction | None:
        """What a sum of so many releases, some subtracted, keeps to; None if noise is biased."""
        return None


@dataclass(frozen=True, eq=False)
class AdditivePartNoise(PartNoise):
    """Additive noise for one sensitivity. Noise of one file and one scale is equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AdditivePartNoise) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Path, Fraction]:
        return self.path, self.scale

    @property
    def size(self) -> float:
        """What forms are compared by: the certified mean error, or its 95% for other losses."""
        return super().size if self.design.loss_name == "l1" else float(self.error(0.95))

    def error(self, confidence: float) -> Fraction:
        """An error that a release stays within with this confidence; a step of the grid more."""
        noise = self.design.noise
        bound = Fraction(noise.error_bound(confidence))
        step = Fraction(0) if self.design.integer else Fraction(noise.grid_step)
        return (bound + step) * self.scale

    def sum_error(self, draws: int, confidence: float) -> Fraction:
        """By the distribution of a sum of independent releases."""
        return sum_error(self, draws, confidence)

    def around(self, values: Sequence[Fraction], confidence: float) -> list[Released]:
        """Released values with their error."""
        error = self.error(confidence)
        return [Released(value, error) for value in values]

    def release(self, values: Sequence[Fraction], entropy: Entropy | None) -> list[Fraction]:
        """One release each."""
        if self.design.integer:
            integers = [int(value) for value in values]
            answers = self.design.release(integers, each_is_a_release=True, entropy=entropy)
        else:
            scaled = [value / self.scale for value in values]
            answers = self.design.release(
                scaled, exact=True, each_is_a_release=True, entropy=entropy
            )
        return [Fraction(value) * self.scale for value in answers]
