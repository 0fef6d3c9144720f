"""The whole program at once by an interior point method, for uniform cells.

Not in the paper: it reaches meshes that neither Algorithm 1 nor the simplex method does. The method
is that of `../program/interior_method.proof.md`, and why it fits is in `interior.proof.md`; what it
brings back is a proposal like any other.
"""

from __future__ import annotations

import numpy as np

from ...errors import ArgumentError
from ...program.interior import InteriorProgram as Method
from ...program.layout import make_line
from ...program.program import LinearProgram as LineProgram
from .program import HierarchyMultipliers, Infeasible, Pair, Program, Run

#: Primal and dual agree to this share of the value.
_TOLERANCE = 1e-9


class Interior:
    """All cells of all shifts of P(L,beta) or D(L,beta)."""

    def __init__(self, program: Program) -> None:
        partition = program.partition
        if program.blocks > 1 or partition.merged or program.monotone:
            raise ArgumentError(
                "algorithm",
                "interior",
                '"cutting-plane" or "direct" for merged cells, monotone or data dependent noise',
            )
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
