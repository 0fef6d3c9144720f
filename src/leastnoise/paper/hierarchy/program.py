"""A bounding problem as a linear program that still lacks its privacy constraints."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import ArgumentError
from ...exact import exp_bounds
from ...lp import Model
from ...numeric import Floats
from .partition import Partition
from .shortfall import Overlap, densities, overlap

#: Privacy of noise distribution k against distribution m whose query value is `shift` cells on.
#: In the data independent case k = m = 0.
Pair = tuple[int, int, int]


@dataclass(frozen=True)
class Program:
    """minimise sum_k sum_j cost[k][j] p_k(j), each p_k a distribution over the cells.

    Subject to p_k(A) <= e^epsilon p_m(A - shift) + delta for every pair (k, m, shift) and every
    event A in F(L,beta). All four additive and all data dependent bounding problems are this
    program; they differ in cells, costs and pairs.
    """

    partition: Partition
    costs: list[list[Fraction]]
    pairs: list[Pair]
    epsilon: Fraction
    delta: Fraction
    monotone: bool = False
    _overlaps: dict[int, Overlap] = field(default_factory=dict, repr=False)

    @property
    def blocks(self) -> int:
        """How many noise distributions there are: 1, or K in the data dependent case."""
        return len(self.costs)

    @cached_property
    def growth(self) -> float:
        """e^epsilon as the solver sees it."""
        return float(exp_bounds(self.epsilon)[0])

    def overlap(self, shift: int) -> Overlap:
        """The merge of Algorithm 2; it depends on the shift alone, so it is kept."""
        if shift not in self._overlaps:
            self._overlaps[shift] = overlap(self.partition, shift)
        return self._overlaps[shift]

    def model(self) -> Model:
        """Variables p_k(j) = column k*N + j, normalisation, and monotonicity where asked for."""
        model = Model()
        count = self.partition.count
        model.add_columns([float(cost) for row in self.costs for cost in row])
        columns = np.arange(self.blocks * count)
        model.add_rows(1.0, 1.0, columns[::count], columns, np.ones(len(columns)))
        if self.monotone:
            self._add_monotonicity(model)
        return model

    def _add_monotonicity(self, model: Model) -> None:
        """Densities that do not rise away from 0 (on each side; an edge at 0 may jump)."""
        edges, widths = self.partition.edges, self.partition.widths
        inner = np.flatnonzero(edges[1:-1] != 0)  # compares cells j and j + 1
        sign = np.where(edges[inner + 1] > 0, 1.0, -1.0)
        for k in range(self.blocks):
            first = k * self.partition.count + inner
            indices = np.column_stack((first, first + 1)).ravel()
            values = np.column_stack((sign / widths[inner], -sign / widths[inner + 1])).ravel()
            model.add_rows(0.0, np.inf, 2 * np.arange(len(inner)), indices, values)

    def split(self, primal: Floats) -> Floats:
        """The first columns of a solution as one row of weights per noise distribution."""
        count = self.partition.count
        return np.maximum(primal[: self.blocks * count], 0.0).reshape(self.blocks, count)

    def densities(self, weights: Floats) -> list[Floats]:
        """The densities of all noise distributions, ready for Algorithm 2."""
        return [densities(row, self.partition) for row in weights]


@dataclass
class HierarchyMultipliers:
    """psi summed over events: for each pair, the total and its share of each I_i(beta), i = -L..L.

    `inside[i]` is the sum of psi(A) over the events A that contain I_i(beta), so it never
    exceeds `total`.
    """

    total: float
    inside: Floats


@dataclass(frozen=True)
class Run:
    """What an algorithm brought back: proposals, nothing checked yet."""

    optimum: float
    weights: Floats
    multipliers: dict[Pair, HierarchyMultipliers]
    rounds: int
    constraints: int
    finished: bool
    sentence: str


class Infeasible(ArgumentError):
    """No noise on these cells is private: the support or the mesh is too small."""

    def __init__(self, partition: Partition) -> None:
        super().__init__(
            "cells",
            partition.L,
            "large enough for some noise on these cells to be private (this problem is infeasible)",
        )


def positive(values: NDArray[np.float64]) -> Floats:
    """The multipliers of rows `<=` in a minimisation: solvers report them as non-positive."""
    return np.maximum(-values, 0.0)
