"""The whole program at once by an interior point method, for uniform cells.

Not in the paper: it reaches meshes that neither Algorithm 1 nor the simplex method does. The method
is that of `../bounds/interior.proof.md`, and why it fits is in `interior.proof.md`; what it brings
back is a proposal like any other.
"""

from __future__ import annotations

import numpy as np

from ..bounds.interior import InteriorProgram
from ..bounds.shifts import hockey_sticks
from ..errors import ArgumentError
from ..lattice.cells import Cells
from .program import Infeasible, Multipliers, Pair, Program, Run

#: Primal and dual agree to this share of the value.
_TOLERANCE = 1e-9


class Interior:
    """All cells of all shifts of P(L,beta) or D(L,beta)."""

    def __init__(self, program: Program) -> None:
        partition = program.partition
        if program.blocks > 1 or partition.merged or program.monotone:
            raise ArgumentError(
                "algorithm", "interior",
                '"cutting-plane" or "direct" for merged cells, monotone or data dependent noise',
            )
        self.program = program
        self.delta = float(program.delta)
        n, count = max(shift for _, _, shift in program.pairs), partition.count
        outside = np.full(n - partition.padding, -1)
        column = np.concatenate([outside, np.arange(count), outside])
        self._cells = Cells(
            n, partition.L, column, np.ones(len(column)), np.ones(count),
            np.array([float(cost) for cost in program.costs[0]]), symmetric=False,
        )

    def tighten(self, margin: float) -> None:
        """Ask for delta - margin at every shift."""
        self.delta -= margin

    def run(self) -> Run:
        """One solve from uniform weights."""
        cells, pairs = self._cells, len(self.program.pairs)
        found = InteriorProgram(cells, float(self.program.epsilon), self.delta).solve(
            np.ones(self.program.partition.count), _TOLERANCE
        )
        mass = float(found.weights.sum())
        masses = cells.spread(found.weights)
        events = slice(cells.width - cells.events, cells.width + cells.events + 1)
        _, used = hockey_sticks(masses, self.program.growth, cells.n, events, False)
        if abs(mass - 1) > 1e-6 or used.max() > self.delta + 1e-6:
            raise Infeasible(self.program.partition)
        multipliers: dict[Pair, Multipliers] = {}
        for shift, (_, where, z) in found.multipliers.items():
            inside = np.zeros(2 * cells.events + 1)
            inside[where + cells.events] = z
            multipliers[0, 0, shift] = Multipliers(float(z.max()), inside)
        return Run(
            found.value, found.weights[None, :] / mass, multipliers, found.steps, pairs, True,
            "solved at once by an interior point method",
        )
