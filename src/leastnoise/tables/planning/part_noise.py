"""Noise for one number of a group: what adds it, how far it errs, the file that proves it.

Noise that depends on the value is for a number with a small public range. It pays where additive
noise is about as wide as the range. Which of the two is taken is decided by their mean error over
all values of the range, each alike; the answer says so. Intervals: `part_noise.proof.md`. What
releases cost, and how their errors add up: `noise.proof.md`, `totals.proof.md`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...cache import designed, sha256_of
from ...design import Design
from ...noise.ranged import RangeNoise
from ...noise.ranged_nodes import ClampedNoise
from ...sampling import Entropy
from ..queries.numbers import Part, Released, ReleaseForm
from .totals import sum_error

#: Ranges of at most so many sensitivities, and of so many times the size of additive noise.
_WIDEST, _NOISY = 60, 8
#: It must be better by this share, for it is biased and additive noise is not.
_BETTER = 0.02


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


@dataclass(frozen=True, eq=False)
class RangedPartNoise(PartNoise):
    """Answers for one number of a public range."""

    design: Design[RangeNoise]
    low: Fraction  # where the range begins

    def release(self, values: Sequence[Fraction], entropy: Entropy | None) -> list[Fraction]:
        """One answer each."""
        placed = [(value - self.low) / self.scale for value in values]
        answers = self.design.release(placed, exact=True, each_is_a_release=True, entropy=entropy)
        return [self.low + Fraction(answer) * self.scale for answer in answers]

    @cached_property
    def _likely_nodes(self) -> list[tuple[float, float]]:
        """(node, how far an answer is with 95%) for every node of the range."""
        accepted_nodes = []
        for node in self.design.noise.nodes:
            answers, masses = self.design.noise.distribution(float(node))
            errors = np.abs(answers - node)
            order = np.argsort(errors, kind="stable")
            reached = np.searchsorted(np.cumsum(masses[order]), 0.95 * masses.sum())
            accepted_nodes.append(
                (float(node), float(errors[order][min(int(reached), len(order) - 1)]))
            )
        return accepted_nodes

    def around(self, values: Sequence[Fraction], confidence: float) -> list[Released]:
        """Answers with the values that make them likely."""
        return [self._around(value) for value in values]

    def _around(self, value: Fraction) -> Released:
        answer = float((value - self.low) / self.scale)
        nodes = self._likely_nodes
        near = [i for i, (node, far) in enumerate(nodes) if abs(answer - node) <= far + 1e-9]
        first, last = (near[0], near[-1]) if near else (0, len(nodes) - 1)
        if self.design.noise.rounds:  # a value between two nodes is answered as one of them
            first, last = max(first - 1, 0), min(last + 1, len(nodes) - 1)
        ends = tuple(
            self.low + Fraction(nodes[i][0]).limit_denominator(10**9) * self.scale
            for i in (first, last)
        )
        error = max(abs(value - end) for end in ends)
        return Released(value, error, (ends[0], ends[1]))


def suits(form: ReleaseForm, epsilon: Fraction, loss: str) -> bool:
    """Whether the range is so small, compared with the noise, that it is worth a look."""
    if loss != "l1" or len(form.parts) > 1 or form.parts[0].range is None:
        return False
    width = _width(form.parts[0])
    return width.denominator == 1 and width <= _WIDEST and width * epsilon <= _NOISY


def _width(part: Part) -> Fraction:
    low, high = part.range or (Fraction(0), Fraction(0))
    return (high - low) / part.sensitivity


def ranged_noise(
    part: Part, epsilon: Fraction, delta: Fraction, additive: PartNoise
) -> RangedPartNoise | None:
    """Noise for this range, if its certified loss is below that of additive noise moved into it."""
    width, (low, _) = int(_width(part)), part.range or (Fraction(0), Fraction(0))
    whole = part.whole and part.sensitivity == 1
    design, path = designed(epsilon, delta, Fraction(1), whole, 1, "l1", 1, width)
    baseline = _moved_in(additive, width, whole) / float(1 if whole else part.sensitivity)
    if isinstance(design.noise, ClampedNoise) or design.upper > (1 - _BETTER) * baseline:
        return None
    words = (
        f"data dependent noise on {width + 1} values, at epsilon={float(epsilon):.6g}, "
        f"delta={float(delta):.3g}: mean error at most {design.upper:.4g} sensitivities over the "
        f"range, where additive noise moved into it has {baseline:.4g}"
    )
    return RangedPartNoise(design, part.sensitivity, path, words, low)


def _moved_in(additive: PartNoise, width: int, whole: bool) -> float:
    """The mean error of additive noise whose answers are cut to the range, over all its values."""
    noise, scale = additive.design.noise, float(additive.scale)
    if whole:
        far = np.arange(1, width + 1, dtype=float)
        tails = 1 - noise.cdf((far - 1) / scale) + noise.cdf(-far / scale)
        return float(((width + 1 - far) * tails).sum() / (width + 1))
    far = (np.arange(2000) + 0.5) * width * scale / 2000
    tails = 1 - noise.cdf(far / scale) + noise.cdf(-far / scale)
    return float(((width * scale - far) * tails).mean())
