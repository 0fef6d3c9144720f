"""The bounding problems of data dependent noise: P'(L,beta), D'(L,beta), P'(pi,beta), D'(pi,beta).

Why the values they call certified are bounds: `exactly.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NotRequired, TypedDict, Unpack

import numpy as np

from ...errors import ArgumentError
from ...exact import Number, rational
from ...losses import Loss
from .costs import Costs
from .exactly import Reference
from .partition import Partition, index_vector, whole
from .problems import BoundingProblem, LowerProblem, UpperProblem
from .program import HierarchyMultipliers, Pair, Program


class RangeCells:
    """The cells Phi_k of the range of query values, of width beta or merged.

    `ends` are rho_0 = 0 < rho_1 < ... < rho_K in units of beta from the low end. `mass[k]` is
    the integral of the weight w over Phi_k; w is uniform unless given, and taken to be constant
    on each cell (for another w give a lower bound beta times its infimum over each cell).
    """

    def __init__(
        self,
        limits: tuple[Number, Number],
        beta: Fraction,
        merged: Sequence[int] | None,
        mass: Sequence[Number] | None,
    ) -> None:
        low, high = (rational(end, "range") for end in limits)
        #: How many cells of width beta the range has.
        self.base = whole(
            (high - low) / beta,
            "range",
            limits,
            f"an interval whose width is a multiple of beta={beta}",
        )
        ends = tuple(range(self.base + 1)) if merged is None else tuple(int(end) for end in merged)
        ordered = all(a < b for a, b in pairwise(ends))
        if ends[0] != 0 or ends[-1] != self.base or not ordered:
            raise ArgumentError(
                "range_cells", merged, f"integers 0 = rho_0 < ... < rho_K = {self.base}"
            )
        self.ends = ends
        self.count = len(ends) - 1
        if mass is None:
            self.mass = [Fraction(b - a, self.base) for a, b in pairwise(ends)]
        else:
            self.mass = [rational(part, "weights") for part in mass]
        if len(self.mass) != self.count or min(self.mass) < 0 or sum(self.mass) > 1:
            raise ArgumentError(
                "weights", mass, f"{self.count} non-negative numbers that sum to at most 1"
            )

    @property
    def merged(self) -> bool:
        """Whether some cell of the range is wider than beta."""
        return self.count < self.base

    def allowed(self, k: int, m: int, reach: int) -> range:
        """The whole shifts in the closure of Phi_m - Phi_k, cut to the sensitivity.

        For cells of width beta these are m-k-1, m-k and m-k+1, as in Algorithm 3.
        """
        least = self.ends[m] - self.ends[k + 1]
        most = self.ends[m + 1] - self.ends[k]
        return range(max(least, -reach), min(most, reach) + 1)

    def pairs(self, reach: int) -> list[Pair]:
        """All (k, m, shift) that P'(pi,beta), and D'(pi,beta) as printed, constrain."""
        return [
            (k, m, shift)
            for k in range(self.count)
            for m in range(self.count)
            for shift in self.allowed(k, m, reach)
            if (k, shift) != (m, 0)  # no distribution falls short of itself unshifted
        ]

    def one_shift(self, reach: int) -> list[Pair]:
        """The pairs of D'(L,beta): cells k and m with the shift m - k."""
        return [
            (k, m, m - k)
            for k in range(self.count)
            for m in range(max(0, k - reach), min(self.count, k + reach + 1))
            if k != m
        ]

    def spread(
        self, multipliers: dict[Pair, HierarchyMultipliers]
    ) -> dict[Pair, HierarchyMultipliers]:
        """The multipliers of any of these problems as multipliers of D'(L,beta).

        A multiplier of (k, m, shift) goes in equal parts to the cells a of width beta in Phi_k
        whose neighbor a + shift is in the range; that neighbor's cell is the right partner
        whether or not it lies in Phi_m.
        """
        per_pair: dict[Pair, HierarchyMultipliers] = {}
        for (k, _, shift), entry in multipliers.items():
            cells = [a for a in range(self.ends[k], self.ends[k + 1]) if 0 <= a + shift < self.base]
            for a in cells:
                key = (a, a + shift, shift)
                if key not in per_pair:
                    per_pair[key] = HierarchyMultipliers(0.0, np.zeros_like(entry.inside))
                per_pair[key].total += entry.total / len(cells)
                per_pair[key].inside += entry.inside / len(cells)
        return {key: entry for key, entry in per_pair.items() if key[0] != key[1]}


class Instance(TypedDict):
    """The arguments of both problems; `cells` = L or else `pi`, uniform `weights` by default."""

    epsilon: Number
    delta: Number
    beta: Number
    limits: tuple[Number, Number]
    sensitivity: NotRequired[Number]
    cells: NotRequired[int | None]
    pi: NotRequired[Sequence[int] | None]
    range_cells: NotRequired[Sequence[int] | None]
    weights: NotRequired[Sequence[Number] | None]
    loss: NotRequired[str | Loss | Costs]


class Dependent(BoundingProblem):
    """Data dependent noise: a distribution p_k for each cell k of the range `limits`."""

    _padding = False  # as for data independent noise

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        beta: Number,
        limits: tuple[Number, Number],
        sensitivity: Number = 1,
        cells: int | None = None,
        pi: Sequence[int] | None = None,
        range_cells: Sequence[int] | None = None,
        weights: Sequence[Number] | None = None,
        loss: str | Loss | Costs = "l1",
    ) -> None:
        super().__init__(epsilon, delta, sensitivity, beta, loss)
        padding = self.reach if self._padding else 0
        self.partition = Partition(index_vector(pi, cells), self.beta, padding)
        self.range = RangeCells(limits, self.beta, range_cells, weights)

    @property
    def merged(self) -> bool:
        """Whether cells of the noise or of the range are merged."""
        return self.partition.merged or self.range.merged

    def _pairs(self) -> list[Pair]:
        return self.range.pairs(self.reach)

    def program(self) -> Program:
        cost = self.costs.infimum if self._padding else self.costs.mean
        costs = [cost(lo, hi) for lo, hi in self.partition.intervals()]
        rows = [[mass * c for c in costs] for mass in self.range.mass]
        return Program(self.partition, rows, self._pairs(), self.epsilon, self.delta, self.monotone)


class PPrime(Dependent, UpperProblem):
    """P'(L,beta) with `cells` = L, or P'(pi,beta) with `pi`: noise p_k for each range cell k.

    minimise sum_k mass_k sum_j c_j p_k(j) subject to every p_k being a distribution and

        p_k(A) <= e^epsilon p_m(A - phi) + delta

    for all cells k, m of the range, all shifts phi that they allow and all events A. Neighboring
    cells of the range may be merged (`range_cells`, end points in units of beta). `monotone`
    demands densities that fall away from 0.
    """

    def __init__(self, *, monotone: bool = False, **instance: Unpack[Instance]) -> None:
        super().__init__(**instance)
        self.monotone = monotone

    @property
    def name(self) -> str:
        return "P'(pi,beta)" if self.merged else "P'(L,beta)"


class DPrime(Dependent, LowerProblem):
    """D'(L,beta) with one shift m-k per pair of cells, or D'(pi,beta) with three as printed.

    `shifts` is "one" (the main text; a lower bound) or "three" (the appendix; none, not even with
    uniform cells: constraints that the original problem lacks raise a minimum). Merged cells of
    the noise or of the range need "three".
    """

    _padding = True

    def __init__(self, *, shifts: str = "one", **instance: Unpack[Instance]) -> None:
        super().__init__(**instance)
        if shifts not in ("one", "three"):
            raise ArgumentError("shifts", shifts, '"one" or "three"')
        if shifts == "one" and self.range.merged:
            raise ArgumentError("shifts", shifts, '"three" when cells of the range are merged')
        self.shifts = shifts

    @property
    def name(self) -> str:
        plain = self.shifts == "one" and not self.partition.merged
        return "D'(L,beta)" if plain else "D'(pi,beta)"

    def _pairs(self) -> list[Pair]:
        if self.shifts == "one":
            return self.range.one_shift(self.reach)
        return super()._pairs()

    def _objection(self) -> str | None:
        if self.merged:
            return "merged cells restrict a minimization, so the value is no lower bound"
        if self.shifts == "three":
            return "two of the three shifts per pair are constraints the original problem lacks"
        return None

    def _translate(
        self, multipliers: dict[Pair, HierarchyMultipliers]
    ) -> dict[Pair, HierarchyMultipliers]:
        return self.range.spread(multipliers)

    def _reference(self) -> Reference:
        base = self.partition.refined()
        least = [self.costs.infimum(lo, hi) for lo, hi in base.intervals()]
        beyond = self._beyond()
        # w is constant on a merged cell, so its mass divides evenly among cells of width beta.
        widths = np.diff(self.range.ends).tolist()
        mass = [m / w for m, w in zip(self.range.mass, widths, strict=True) for _ in range(w)]
        return Reference(
            [[m * c for c in least] for m in mass],
            [m * beyond for m in mass],
            base.L,
            self.epsilon,
            self.delta,
        )
