"""What noise for several numbers at once is: a vector of whole steps of a grid.

What a release costs and why it is private: `../../kinds/joint.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ....problem.shape import Shape
from ....problem.shape_problem import ShapeProblem
from ....work import charge
from ...codec import Positive
from ...fields import demand
from ...limits import MAX_JOINT_STEPS
from ...report import Claim
from ..base import Noise
from .block_counts import Side


@dataclass(frozen=True)
class ShapeNoise(Noise[ShapeProblem]):
    """Noise x * grid, x a vector of integers: one class for each distribution."""

    #: Whether the noise is private at delta = 0, whatever delta is stated.
    pure: ClassVar[bool]
    #: Which noise it is.
    name: ClassVar[str]

    grid: Positive

    @property
    def words(self) -> str:
        """Which noise it is, and what distinguishes it."""
        return self.name

    def check_problem(self, problem: ShapeProblem) -> None:
        """`FormatError` unless widths are of few steps, and whole for integers."""
        demand(not problem.integer or self.grid == 1, '"grid" must be 1 for integers')
        for block in problem.shape.blocks:
            demand(
                block.width <= MAX_JOINT_STEPS * self.grid,
                f'"width" must be at most {MAX_JOINT_STEPS} steps of the grid',
            )

    def sides(self, problem: ShapeProblem) -> tuple[Side, ...]:
        """The blocks with their widths in steps of the grid, rounded up."""
        return sides_of(problem.shape, self.grid)

    def spent_delta(self, problem: ShapeProblem) -> Fraction:
        """The delta that the noise needs."""
        return Fraction(0) if self.pure else problem.delta

    @abstractmethod
    def privacy(self, problem: ShapeProblem) -> Claim:
        """Whether (epsilon, delta) is satisfied."""

    @abstractmethod
    def mean(self, problem: ShapeProblem, block: int, power: int) -> Fraction:
        """At least E |x|^power of a number of a block."""

    @abstractmethod
    def loss_in_steps(self, problem: ShapeProblem) -> Fraction:
        """At least the loss of x: the weighted mean of E |x|^power, or E max |x_i|."""

    def claims(self, problem: ShapeProblem) -> Iterator[Claim]:
        """Privacy: the distribution is one by its definition."""
        yield self.privacy(problem)

    def expected_loss(self, problem: ShapeProblem) -> Fraction:
        """At least the expected loss of a release, at every vector of values."""
        power, rounding = problem.power, Fraction(0)
        if not problem.integer:
            rounding = Fraction(1) if problem.largest else Fraction(1, 2 * power)
        return (self.loss_in_steps(problem) + rounding) * self.grid**power


def sides_of(shape: Shape, grid: Fraction) -> tuple[Side, ...]:
    """The blocks with their widths in steps of a grid, rounded up."""
    charge(8 * len(shape.blocks))
    return tuple(
        Side(block.numbers, block.most, math.ceil(block.width / grid)) for block in shape.blocks
    )
