"""The file of noise for several numbers at once, kind "joint": what it holds, how it is read.

What the keys mean is stated in `joint_check.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Annotated, Any

from ...exact import exp_upper, ratio_below
from ...losses import L1, L2, Loss
from ...problem.shape import MAX_NUMBERS, MAX_SPARSE, Block, Shape
from ...work import charge
from ..base import MechanismDocument
from ..certificates.flow import Flow
from ..certificates.sums import Sums
from ..certificates.volume import Volume
from ..codec import (
    FLAG,
    LOSS,
    POSITIVE,
    About,
    Delta,
    Epsilon,
    Flag,
    Key,
    NotNegative,
    Positive,
    integer,
    one_of,
    read_file,
    record,
    several,
    write_file,
)
from ..fields import check_bracket, demand
from ..limits import MAX_JOINT_STEPS
from ..noise.block_counts import Side
from ..noise.elliptical import Elliptical
from ..noise.knorm import Cells, KNorm, NoProof

WEIGHT_BITS = 256  # of the common denominator and a numerator


def _check_block(block: Block) -> None:
    demand(block.most <= block.numbers, '"most" must be at most "numbers"')
    demand(block.box or block.numbers <= MAX_SPARSE, f'"numbers" must be at most {MAX_SPARSE}')


def _check_shape(shape: Shape) -> None:
    demand(1 <= shape.dimension <= MAX_NUMBERS, f'"blocks" must have 1 to {MAX_NUMBERS} numbers')


_COUNT_OF_NUMBERS = integer(1, MAX_NUMBERS)
_BLOCK = record(
    Block, _check_block, numbers=_COUNT_OF_NUMBERS, most=_COUNT_OF_NUMBERS, width=POSITIVE
)
_SHAPE = record(Shape, _check_shape, blocks=several(_BLOCK, MAX_NUMBERS), one_sided=FLAG)

Noise = KNorm | Elliptical
_NOISE = one_of(each=record(Elliptical, Elliptical.check), ratio=record(KNorm))

Proof = NoProof | Cells | Flow | Sums | Volume
_PROOF = one_of(
    record(NoProof),
    curves=record(Volume, Volume.check),
    shifts=record(Sums),
    cells=record(Cells),
    rates=record(Flow, Flow.check),
)


@dataclass(frozen=True, kw_only=True)
class JointDocument(MechanismDocument):
    """Noise for several numbers and its claims, exactly as stated. Nothing here is checked.

    The noise is x * grid with x as `noise` says, a vector of integers.
    """

    KINDS = ("joint",)
    kind = KINDS[0]

    epsilon: Epsilon
    delta: Delta
    shape: Annotated[Shape, _SHAPE, Key("sensitivity")]
    loss: Annotated[Loss, LOSS]
    #: Whether the loss is that of the largest error, and not their mean.
    largest: Flag = field()
    integer: Flag = field()
    grid: Positive
    noise: Annotated[Noise, _NOISE]
    #: Of the errors in the mean, one for the numbers of each block; none if all are 1.
    weights: Annotated[tuple[Fraction, ...], several(POSITIVE, MAX_NUMBERS, 1)] = ()
    upper: NotNegative
    lower: NotNegative
    #: What proves `lower`.
    certificate: Annotated[Proof, _PROOF]
    about: About = ""

    def check(self) -> None:
        """`FormatError` unless the parts go together, and draws take moments."""
        check_bracket(self.lower, self.upper)
        demand(self.epsilon > 0, '"epsilon" must be positive')
        demand(self.loss in (L1(), L2()), '"loss" must be l1 or l2')
        demand(not self.integer or self.grid == 1, '"grid" must be 1 for integers')
        for block in self.shape.blocks:
            demand(
                block.width <= MAX_JOINT_STEPS * self.grid,
                f'"width" must be at most {MAX_JOINT_STEPS} steps of the grid',
            )
            whole = block.width.denominator == 1
            demand(not self.integer or whole, '"width" must be an integer if "integer" is true')
            demand(
                self.integer or block.box,
                '"integer" must be true where not all numbers move at once',
            )
        self._check_weights()
        if self.largest:
            self._check_largest()
        self.noise.check_shape(self)
        self.certificate.check_shape(self)

    def _check_weights(self) -> None:
        blocks = len(self.shape.blocks)
        if self.weights:
            demand(len(self.weights) == blocks, f'"weights" must be a list of {blocks} entries')
            words = f'"weights" must be of at most {WEIGHT_BITS} bits together'
            demand(short_weights(self.weights), words)
            demand(set(self.weights) != {1}, '"weights" must be left out where all are 1')

    def _check_largest(self) -> None:
        demand(self.loss == L1(), '"loss" must be l1 for the largest error')
        demand(not self.weights, '"weights" are for means')
        plain = isinstance(self.noise, KNorm) and self.noise.overlap is None
        demand(
            plain and len(self.shape.blocks) == 1 and self.shape.boxes,
            '"largest" is for one block whose numbers all move, by levels without "overlap"',
        )

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

    @property
    def pure(self) -> bool:
        """Whether the noise is private at delta = 0, whatever delta is stated."""
        return self.noise.pure

    @property
    def spent_delta(self) -> Fraction:
        """The delta that the noise needs."""
        return Fraction(0) if self.pure else self.delta

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The blocks with their widths in steps of the grid, rounded up."""
        charge(8 * len(self.shape.blocks))
        return tuple(
            Side(block.numbers, block.most, math.ceil(block.width / self.grid))
            for block in self.shape.blocks
        )

    @property
    def even(self) -> bool:
        """Whether the errors of all numbers weigh the same."""
        return not self.weights

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """What part of the loss the mean over the numbers of each block is."""
        weights = self.weights or (Fraction(1),) * len(self.shape.blocks)
        charge(20 * len(weights))
        own = [b.numbers * w for b, w in zip(self.shape.blocks, weights, strict=True)]
        total = sum(own)
        return tuple(part / total for part in own)

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
            for block, own in wide:
                reach += block.most
                least = own / block.most if least is None else min(least, own / block.most)
            assert least is not None
            worth = reach * least * width**self.power
            if reach >= numbers and worth > most:  # (of equal ones the widest)
                best, most = (width, reach, reach * least), worth
        return best

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        return write_file(_FILE, self.kind, self)


_FILE = record(JointDocument, JointDocument.check)


def parse_joint(data: object) -> JointDocument:
    """The document in a JSON object of kind "joint"; `FormatError` if it is not one."""
    return read_file(_FILE, JointDocument.KINDS, data)


def short_weights(weights: Sequence[Fraction]) -> bool:
    """Whether sums of the weights stay short."""
    common = 1
    for weight in weights:
        common = math.lcm(common, weight.denominator)
        if common.bit_length() + weight.numerator.bit_length() > WEIGHT_BITS:
            return False
    return True
