"""Counts and sums of them, measured with noise: estimates, and the errors of answers in floats.

Why a release is private, and what its errors are: `workload.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from ..certify.noise.workloads.summed_strategy import SummedStrategy
from ..numeric import Floats
from ..problem.workload_parts import WorkloadPart

#: Numbers of the matrix of the answers that are looked at together.
_TOGETHER = 2_000_000


class Summed:
    """One factor of a product: its measurements, their estimate and its questions."""

    counts_alone = False

    def __init__(self, part: WorkloadPart, strategy: SummedStrategy) -> None:
        self.part, self._strategy = part, strategy
        self.cells = self.rank = part.cells
        self.queries, self.below = part.queries, part.denominator
        self.measures = part.cells + len(strategy.sums)

    def coordinates(self, x: Sequence[int]) -> list[int]:
        """The vector itself."""
        return list(x)

    def measured(self, x: Sequence[int]) -> list[int]:
        """Multiples of the counts, then the sums, in steps of the grid."""
        counts = [a * b for a, b in zip(self._strategy.each, x, strict=True)]
        return counts + [sum(w * x[j] for j, w in entries) for entries in self._strategy.sums]

    def solved(self, y: Sequence[int]) -> list[int]:
        """The estimate of the vector, times 2^128, from measurements in steps times 2^128."""
        strategy = self._strategy
        rough = [a // b for a, b in zip(y[: self.cells], strategy.each, strict=True)]
        rest = [
            total - sum(w * rough[j] for j, w in entries)
            for total, entries in zip(y[self.cells :], strategy.sums, strict=True)
        ]
        shift = 2 * strategy.bits
        return [
            a + (sum(c * b for c, b in zip(line, rest, strict=True)) >> shift)
            for a, line in zip(rough, self._corrections, strict=True)
        ]

    def answers(self, z: Sequence[Any]) -> list[Any]:
        """The questions' answers, times what they are divided by."""
        return self.part.answers(list(z))

    def answers_of_exchanged(self, z: Sequence[int], total: int) -> list[int]:
        """The same where units are replaced: all cells are measured, their total is not used."""
        return self.part.answers(list(z))

    # -- in floats ----------------------------------------------------------------------------

    @cached_property
    def _corrections(self) -> list[list[int]]:
        return self._strategy.corrections()

    @cached_property
    def _estimates(self) -> Floats:
        """V: the coefficients of the measurements in the estimate of each count."""
        unit = 2.0**self._strategy.bits
        q = np.array(self._corrections, dtype=float).reshape(self.cells, -1) / unit
        t = np.array(self._strategy.rows(), dtype=float).reshape(-1, self.cells) / unit
        d = np.array(self._strategy.each, dtype=float) / unit
        return np.hstack([(np.eye(self.cells) - q @ t) / d, q])

    def _blocks(self) -> Iterator[Floats]:
        """The coefficients of the measurements in the answers, some answers at a time."""
        part, v = self.part.unweighted, self._estimates
        if part.family == "ranges":
            sums = np.vstack([np.zeros(v.shape[1]), np.cumsum(v, axis=0)])
            for first in range(part.cells):
                yield sums[first + 1 :] - sums[first]
            return
        rows = part.rows()
        count = max(1, _TOGETHER // (part.cells + v.shape[1]))
        while block := list(islice(rows, count)):
            yield np.array(block, dtype=float) @ v / part.denominator

    @cached_property
    def lengths(self) -> Floats:
        """The standard deviation of each answer, for noise of variance 1."""
        return np.concatenate([np.sqrt((block**2).sum(axis=1)) for block in self._blocks()])

    @cached_property
    def largest(self) -> Floats:
        """The largest size of a coefficient of a measurement in each answer; 1 if all are 0."""
        entries = np.concatenate([np.abs(block).max(axis=1) for block in self._blocks()])
        return np.where(entries > 0, entries, 1.0)

    def lifted(self, c: Floats) -> Floats:
        """Coefficients of answers, in the first axis, as coefficients of measurements."""
        lifted, first = np.zeros((self.measures, c.shape[1])), 0
        for block in self._blocks():
            lifted += block.T @ c[first : first + len(block)]
            first += len(block)
        return lifted
