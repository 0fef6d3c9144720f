"""K-norm noise for several numbers, P(x) ~ ratio^level(x).

What is counted: `levels.proof.md`; what it proves: `../../kinds/joint.proof.md`. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from ....exact import exp_upper, nearest_float
from ....problem.shape import MAX_NUMBERS, MAX_SPARSE_STEPS
from ....problem.shape_problem import ShapeProblem
from ....work import add_up, bits, charge
from ...codec import integer, number, several
from ...fields import demand
from ...report import Claim, claim_of
from .block_counts import Side, raised
from .levels import Levels, series, summed
from .shaped import ShapeNoise

#: Limits of the checker.
MAX_OFFSET = 1_000_000
MAX_JOINT_BITS = 1_500_000_000  # of all weights that a draw chooses from, and twice that


@dataclass(frozen=True)
class KNorm(ShapeNoise):
    """P(x) ~ ratio^level(x) on vectors of integers, in steps of the grid."""

    pure: ClassVar = True
    name: ClassVar = "K-norm noise"

    ratio: Annotated[Fraction, number(lambda v: 0 < v < 1, "between 0 and 1")]
    offsets: Annotated[tuple[int, ...], several(integer(0, MAX_OFFSET), MAX_NUMBERS)]
    overlap: Annotated[int | None, integer(0, MAX_OFFSET)] = None

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` unless the noise is for the shape, and a draw takes moments."""
        super().check_problem(problem)
        shape, blocks = problem.shape, len(problem.shape.blocks)
        demand(not problem.largest or self.overlap is None, '"largest" goes without "overlap"')
        demand(len(self.offsets) == blocks, f'"offsets" must be a list of {blocks} entries')
        for block, offset in zip(shape.blocks, self.offsets, strict=True):
            demand(block.box or offset == 0, '"offsets" must be 0 where not all numbers move')
        demand(self.overlap is None or shape.one_sided, '"overlap" is for moves of one sign')
        # The level is drawn by as many weights as there are numbers and steps of overlap, each as
        # long as a power of the ratio.
        demand(
            (shape.dimension + (self.overlap or 0)) ** 2 * bits(self.ratio) <= MAX_JOINT_BITS,
            '"overlap" and "ratio" must be shorter: draws would take too much memory',
        )
        for block in shape.blocks:  # where the sum of moves is bounded a draw goes step by step
            steps = shape.dimension * block.width
            # (1 / ratio - 1 is at least log(1 / ratio), and that is epsilon but for its rounding.)
            few = steps <= MAX_SPARSE_STEPS * problem.epsilon
            few = few and steps <= 2 * MAX_SPARSE_STEPS * (1 / self.ratio - 1)
            demand(
                block.box or few,
                '"width" must be smaller where not all numbers move at once: draws would take long',
            )

    @property
    def words(self) -> str:
        """Which noise it is, and what distinguishes it."""
        overlap = "" if self.overlap is None else f" (overlap {self.overlap})"
        return f"{self.name} at delta = 0{overlap}"

    def privacy(self, problem: ShapeProblem) -> Claim:
        """Whether epsilon is kept, at delta = 0."""
        slack = self.ratio - exp_upper(-problem.epsilon)
        words = (
            "neighbors change the norm by at most 1, and a probability by a factor of at most "
            f"{nearest_float(1 / self.ratio):.12g}"
        )
        return claim_of("privacy", slack, words, f"{words}, above e^epsilon")

    def levels(self, problem: ShapeProblem) -> Levels:
        """The sets of vectors at most so many moves away."""
        sides = (
            Side(side.numbers, side.most, side.width, offset)
            for side, offset in zip(self.sides(problem), self.offsets, strict=True)
        )
        return Levels(tuple(sides), self.overlap)

    def mean(self, problem: ShapeProblem, block: int, power: int) -> Fraction:
        """At least E |x|^power of a number of a block."""
        levels = self.levels(problem)
        return levels.total(self.ratio, block, power) / levels.weight(self.ratio)

    def loss_in_steps(self, problem: ShapeProblem) -> Fraction:
        """At least the mean of E |x|^power over all numbers, or E max |x_i|."""
        levels = self.levels(problem)
        if problem.largest:
            return largest_mean(levels.blocks[0], self.ratio)
        weight = levels.weight(self.ratio)
        return add_up(
            share * levels.total(self.ratio, b, problem.power) / weight
            for b, share in levels.alike(problem.shares).items()
        )


def largest_mean(block: Side, ratio: Fraction, known: list[int] | None = None) -> Fraction:
    """E max |x_i| of one box, moved both ways.

    known: the sums of (2 t + 1)^k over t below 0, 1, 2, ... as far as they are known, to be kept
    for the next box of as many numbers.
    """
    k = block.numbers
    sums = [0] if known is None else known

    def moment(level: int) -> int:
        end = block.offset + level * block.width
        while len(sums) <= end:
            charge(2 + k // 25)
            sums.append(sums[-1] + raised(2 * len(sums) - 1, k))
        return end * raised(2 * end + 1, k) - sums[end]

    def count(level: int) -> int:
        return raised(block.side(2 * level), k)

    return summed(*series(moment, 0, k + 1), ratio) / summed(*series(count, 0, k), ratio)
