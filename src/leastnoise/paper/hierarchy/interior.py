"""The whole program at once by an interior point method, for uniform cells.

Not in the paper: it reaches meshes that neither Algorithm 1 nor the simplex method does. The method
is that of `../program/interior_method.proof.md`, and why it fits is in `interior.proof.md`; what it
brings back is a proposal like any other.
"""

from __future__ import annotations

import numpy as np

from ...errors import ArgumentError
from ...program.interior import InteriorProgram as Method
from ...program.interior_method import PairRows
from ...program.layout import make_line
from ...program.program import LinearProgram as LineProgram
from ...program.sparse_interior import SparseInterior
from .program import HierarchyMultipliers, Infeasible, Pair, Program, Run

#: Primal and dual agree to this share of the value; of data dependent noise to that.
_TOLERANCE, _TOLERANCE_OF_RANGES = 1e-9, 1e-8


def refuse(program: Program) -> None:
    """`ArgumentError` for what the method is not for."""
    if program.partition.merged or program.monotone:
        raise ArgumentError(
            "algorithm",
            "interior",
            '"cutting-plane" or "direct" for merged cells or monotone noise',
        )


class Interior:
    """All cells of all shifts of P(L,beta) or D(L,beta)."""

    def __init__(self, program: Program) -> None:
        partition = program.partition
        refuse(program)
        self.program = program
        self.delta = float(program.delta)
        n, count = max(shift for _, _, shift in program.pairs), partition.count
        self._line = make_line(
            n, -(count // 2), count - 1 - count // 2, None, (-partition.L, partition.L)
        )
        self._costs = np.array([float(cost) for cost in program.costs[0]])

    def tighten(self, margin: float) -> None:
        """Ask for delta - margin at every shift."""
        self.delta -= margin

    def run(self) -> Run:
        """One solve from uniform weights."""
        line, pairs = self._line, len(self.program.pairs)
        program = LineProgram(line, ((float(self.program.epsilon), self.delta),), self._costs)
        solution = Method(program).solve(np.ones(line.columns), _TOLERANCE)
        mass = float(solution.x.sum())
        _, used = line.sticks(line.spread(solution.x), self.program.growth)
        if abs(mass - 1) > 1e-6 or used.max() > self.delta + 1e-6:
            raise Infeasible(self.program.partition)
        reach = self.program.partition.L
        multipliers: dict[Pair, HierarchyMultipliers] = {}
        for (_, shift), (_, where, z) in solution.multipliers.pairs.items():
            inside = np.zeros(2 * reach + 1)
            inside[where + reach] = z
            multipliers[0, 0, shift] = HierarchyMultipliers(float(z.max()), inside)
        return Run(
            solution.value,
            solution.x[None, :] / mass,
            multipliers,
            solution.steps,
            pairs,
            True,
            "solved at once by an interior point method",
        )


class InteriorOfRange:
    """All cells of all pairs and shifts of P'(L,beta) or D'(L,beta), cells of width beta."""

    def __init__(self, program: Program) -> None:
        refuse(program)
        self.program = program
        self.delta = float(program.delta)
        count = program.partition.count
        parts, self._inside = [], []
        for group, (k, m, shift) in enumerate(program.pairs):
            merge = program.overlap(shift)
            inside = merge.here < count  # what lies in no cell never exceeds anything
            here, there = merge.here[inside], merge.there[inside]
            known = there < count
            ahead = k * count + here
            parts.append(
                PairRows(
                    ahead,
                    np.ones(len(here)),
                    np.where(known, m * count + there, ahead),
                    np.where(known, program.growth, 0.0),
                    np.full(len(here), group),
                )
            )
            self._inside.append(inside)
        names = ("ahead", "up", "behind", "down", "group")
        self._rows = PairRows(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in names)
        )

    def tighten(self, margin: float) -> None:
        """Ask for delta - margin at every pair."""
        self.delta -= margin

    def run(self) -> Run:
        """One solve from uniform weights."""
        program, rows = self.program, self._rows
        count, pairs = program.partition.count, len(program.pairs)
        costs = np.array([float(cost) for row in program.costs for cost in row])
        mass = np.repeat(np.eye(program.blocks), count, axis=1)
        method = SparseInterior(rows, mass, costs, np.full(pairs, self.delta))
        end = method.follow(np.ones(len(costs)), _TOLERANCE_OF_RANGES)
        weights = end.x.reshape(program.blocks, count)
        used = method.used(end.x)
        if abs(weights.sum(axis=1) - 1).max() > 1e-6 or used.max() > self.delta + 1e-6:
            raise Infeasible(program.partition)
        multipliers: dict[Pair, HierarchyMultipliers] = {}
        first = 0
        for pair, inside in zip(program.pairs, self._inside, strict=True):
            values = np.zeros(len(inside))
            last = first + int(inside.sum())
            values[inside] = end.z[first:last]
            first = last
            multipliers[pair] = HierarchyMultipliers(float(values.max()), values)
        return Run(
            end.value,
            weights / weights.sum(axis=1, keepdims=True),
            multipliers,
            end.steps,
            pairs,
            True,
            "solved at once by an interior point method",
        )
