"""What is asked of noise for several numbers at once, whose sensitivity is a shape.

What its methods say is proven in `certify/kinds/joint.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from ..exact import exp_upper, ratio_below
from ..losses import L1, Loss
from ..work import charge
from .problem import StatedProblem
from .shape import Shape


@dataclass(frozen=True)
class ShapeProblem(StatedProblem):
    """Several numbers whose sensitivity is a shape; exact.

    Example:

        >>> from leastnoise import Cube, design
        >>> problem = design(epsilon=1, delta=0, sensitivity=Cube(3), integer=True).document.problem
        >>> problem.dimension, problem.loss.name
        (3, 'l1')
    """

    epsilon: Fraction
    delta: Fraction
    shape: Shape
    loss: Loss  # l1 or l2
    largest: bool  # whether the loss is that of the largest error, and not their mean
    integer: bool
    #: Of the errors in the mean, one for the numbers of each block; none if all are 1.
    weights: tuple[Fraction, ...] = ()

    @property
    def dimension(self) -> int:
        """How many numbers there are."""
        return self.shape.dimension

    @property
    def sensitivity(self) -> Fraction:
        """The largest move of one number."""
        return max(self.shape.widths)

    @property
    def power(self) -> int:
        """The power of an error that is its loss."""
        return 1 if self.loss == L1() else 2

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """What part of the loss the mean over the numbers of each block is."""
        weights = self.weights or (Fraction(1),) * len(self.shape.blocks)
        charge(20 * len(weights))
        parts = [b.numbers * w for b, w in zip(self.shape.blocks, weights, strict=True)]
        total = sum(parts)
        return tuple(part / total for part in parts)

    def both_ways(self, numbers: int) -> tuple[Fraction, Fraction]:
        """(ratio, delta) where several numbers move, each in its own direction: private with this
        delta at the epsilon whose e^-epsilon is at least the ratio.

        Where moves have one sign it takes two of them, unless there is one number only.
        """
        if self.shape.one_sided and numbers > 1:
            return ratio_below(2 * self.epsilon), self.delta * (1 + exp_upper(self.epsilon))
        return ratio_below(self.epsilon), self.delta

    def movable(self, numbers: int) -> tuple[Fraction, int, Fraction]:
        """(width, how many, share): so many numbers can all move by the width at once, and if any
        `numbers` of them err by c on average, the loss is at least share * c.

        The best of the widths at which there are enough of them.
        """
        blocks = list(zip(self.shape.blocks, self.shares, strict=True))
        charge(40 * len(blocks))
        best, most, reach = (Fraction(0), 0, Fraction(0)), Fraction(0), 0
        least: Fraction | None = None
        blocks.sort(key=lambda pair: pair[0].width, reverse=True)
        for width, wide in groupby(blocks, key=lambda pair: pair[0].width):
            for block, share in wide:
                reach += block.most
                each = share / block.most
                least = each if least is None else min(least, each)
            assert least is not None
            worth = reach * least * width**self.power
            if reach >= numbers and worth > most:  # (of equal ones the widest)
                best, most = (width, reach, reach * least), worth
        return best
