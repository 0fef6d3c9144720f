"""Exact releases of tables of counts by attributes, each set measured by what no smaller one tells.

Why a release is private, and what its errors are: `workload.proof.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..certify.kinds.workload import WorkloadFile
from ..certify.noise.workloads.single import (
    GaussianOnGrid,
    LaplaceOnGrid,
    RoundedGaussian,
    SingleNoise,
)
from ..certify.noise.workloads.table_strategy import TableStrategy, table_variances
from ..errors import DataError
from ..numeric import Floats
from ..problem.workload import MAX_TABLE
from ..problem.workload_tables import MarginalsPart
from ..sampling import Entropy
from ..sampling.normal import GaussianSampler, LaplaceSampler, RoundedNormal
from .counts import codes_of, whole_vector, width_of


def sampler_of(single: SingleNoise, grid: Fraction) -> Callable[[int, Entropy], list[int]]:
    """Draws of noise for measurements on this grid, in steps of it."""
    if isinstance(single, LaplaceOnGrid):
        return LaplaceSampler(single.rate * grid).sample
    if isinstance(single, GaussianOnGrid):
        return GaussianSampler(1 / (2 * single.rho * grid * grid)).sample
    assert isinstance(single, RoundedGaussian)
    return RoundedNormal(1 / (single.mu * grid)).sample


class Tables:
    """Tables of counts, each set of attributes measured by what no smaller set tells."""

    def __init__(self, document: WorkloadFile) -> None:
        part, strategy = document.problem.workload.part, document.noise.strategies[0]
        assert isinstance(part, MarginalsPart) and isinstance(strategy, TableStrategy)
        self.part, self.strategy = part, strategy
        self.single = document.noise.single(document.problem)
        self._scales = dict(zip(part.closure, strategy.scales, strict=True))

    def release(self, x: Any, exact: bool, source: Entropy) -> Any:
        """All tables, one after the other."""
        counts = self._counts(x)
        drawn = {
            attributes: self._measured(attributes, counts(attributes), source)
            for attributes in self.part.closure
        }
        tables = [self._table(attributes, drawn, exact) for attributes in self.part.sets]
        if exact:
            return [value for table in tables for value in table.ravel().tolist()]
        return np.concatenate([table.ravel() for table in tables])

    def _counts(self, x: Any) -> Callable[[tuple[int, ...]], NDArray[Any]]:
        """A function that counts the combinations of a set of attributes, in whole numbers."""
        part = self.part
        if isinstance(x, (list, tuple)) and not x:
            x = np.zeros((0, len(part.sizes)), dtype=int)  # no records are records, too
        if width_of(x) == len(part.sizes):
            codes = codes_of(x, part.sizes)

            def counted(chosen: tuple[int, ...]) -> NDArray[Any]:
                place = np.zeros(len(codes), dtype=np.int64)
                for i in chosen:
                    place = place * part.sizes[i] + codes[:, i]
                return np.bincount(place, minlength=part.cells_of(chosen)).astype(object)

            return counted
        if part.cells > MAX_TABLE:
            raise DataError(
                "x", type(x), f"rows of {len(part.sizes)} codes: the table is too large"
            )
        counts = whole_vector(x, part.cells)
        return lambda chosen: np.array(part.table(counts, chosen), dtype=object)

    def _measured(
        self, chosen: tuple[int, ...], counts: NDArray[Any], source: Entropy
    ) -> NDArray[Any]:
        """cells times what no smaller set tells, times the scale, with noise, in steps of the grid.

        Centred once more, which is all that the answers use; times cells^2 times the scale.
        """
        cells = self.part.cells_of(chosen)
        grid = Fraction(1, cells << self.strategy.bits)
        noise = np.array(sampler_of(self.single, grid)(cells, source), dtype=object)
        noisy = self._centred(chosen, counts).ravel() * self._scales[chosen] + noise
        return self._centred(chosen, noisy)

    def _centred(self, chosen: tuple[int, ...], values: NDArray[Any]) -> NDArray[Any]:
        """cells * (I - J/n) along every axis: in whole numbers."""
        table = values.reshape([self.part.sizes[i] for i in chosen])
        for axis, i in enumerate(chosen):
            table = self.part.sizes[i] * table - table.sum(axis=axis, keepdims=True)
        return np.asarray(table)

    def _table(
        self, attributes: tuple[int, ...], drawn: dict[tuple[int, ...], NDArray[Any]], exact: bool
    ) -> NDArray[Any]:
        """The table of a set: what all its subsets tell, spread evenly over the rest."""
        part = self.part
        total: Any = 0
        for k in range(len(attributes) + 1):
            for inner in combinations(attributes, k):
                rest = [i for i in attributes if i not in inner]
                below = part.cells_of(inner) ** 2 * self._scales[inner] * part.cells_of(rest)
                shape = [part.sizes[i] if i in inner else 1 for i in attributes]
                if exact:
                    flat = [Fraction(int(v), below) for v in drawn[inner].ravel()]
                    spread = np.array(flat, dtype=object).reshape(shape)
                else:
                    spread = np.array([v / below for v in drawn[inner].ravel()]).reshape(shape)
                total = total + spread
        return np.broadcast_to(total, [part.sizes[i] for i in attributes])

    @cached_property
    def std(self) -> Floats:
        """That of each count, for noise of variance 1."""
        each = table_variances(self.part, self.strategy)
        cells = [self.part.cells_of(attributes) for attributes in self.part.sets]
        return np.repeat(np.sqrt([float(attributes) for attributes in each]), cells)

    def length(self, c: Floats) -> float:
        """That of a sum of counts with these coefficients."""
        part, place = self.part, 0
        seen: dict[tuple[int, ...], Any] = {}
        for attributes in part.sets:
            cells = part.cells_of(attributes)
            entries = c[place : place + cells].reshape([part.sizes[i] for i in attributes])
            place += cells
            for k in range(len(attributes) + 1):
                for inner in combinations(attributes, k):
                    rest = [a for a, i in enumerate(attributes) if i not in inner]
                    spread = entries.mean(axis=tuple(rest)) if rest else entries
                    seen[inner] = seen.get(inner, 0) + spread
        total = 0.0
        for inner, coefficients in seen.items():
            centred = np.asarray(coefficients, dtype=float)
            for axis in range(centred.ndim):
                centred = centred - centred.mean(axis=axis, keepdims=True)
            total += (
                float((centred**2).sum()) * (2.0**self.strategy.bits / self._scales[inner]) ** 2
            )
        return float(np.sqrt(total))
