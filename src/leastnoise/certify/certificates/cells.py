"""The bound for the largest error: the best box on a lattice is the best of all sets.

Statement and proof: `../kinds/joint.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from ...problem.shape_problem import ShapeProblem
from ..codec import integer
from ..fields import demand
from ..noise.shapes.block_counts import Side
from ..noise.shapes.knorm import largest_mean
from .shaped import ShapeProof

MAX_JOINT_CELLS = 1_000


@dataclass(frozen=True)
class Cells(ShapeProof):
    """The inequality of Brunn and Minkowski on a lattice of so many cells a width: the best box is
    the best of all sets.
    """

    cells: Annotated[int, integer(1, MAX_JOINT_CELLS)]

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` unless the loss is the largest error."""
        demand(problem.largest, '"cells" are for the largest error')

    def bound(self, problem: ShapeProblem) -> Fraction:
        """What the lattice proves about the largest error, at delta = 0."""
        cells, (block,) = self.cells, problem.shape.blocks
        if problem.delta > 0:
            return Fraction(0)
        if problem.integer and (block.width / cells).denominator != 1:
            return Fraction(0)  # moves by a cell are no moves of integers
        ratio, _ = problem.both_ways(block.numbers)
        exact = problem.integer and block.width == cells
        known = [0]
        least = min(
            largest_mean(Side(block.numbers, block.most, cells, offset), ratio, known)
            for offset in range(cells)
        )
        return max(Fraction(0), least - (not exact)) * block.width / cells
