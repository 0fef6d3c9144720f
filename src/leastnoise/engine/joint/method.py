"""The best noise for several numbers at once: levels from above, a flow of mass from below.

Nothing here is believed: the document's claims are checked by `certify/joint.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from ...ask.shape import Shape
from ...certify.block_counts import Side
from ...certify.joint import largest_mean, lower_bound, ratio_below, release_loss
from ...certify.joint_document import MAX_JOINT_STEPS, JointDocument
from ...certify.joint_flow import Flow
from ...certify.levels import Levels
from ...exact import exp_upper, round_down, round_up
from ...losses import Loss
from .levels import best_levels, box_loss, exact_cost
from .rates import best_flow

#: Digits of the bounds in a file.
_DIGITS = 12
#: Bits of the ratio: private noise is at most this part away from the exact one.
_BITS = 64


@dataclass(frozen=True)
class JointQuestion:
    """Several numbers whose sensitivity is a shape; exact."""

    epsilon: Fraction
    delta: Fraction
    shape: Shape
    loss: Loss
    largest: bool
    integer: bool
    power: int


@dataclass(frozen=True)
class Joint:
    """Noise by levels for a shape, with the lower bound of a cube inside it."""

    steps: int = 64  # of the grid to the least width, for real values: rounding costs 1e-4 or less
    most_steps: int = 1024
    most_ranked: int = 14  # a flow that knows ranks takes seconds beyond (benchmarks/joint.py)
    most_numbers: int = 20  # one that does not takes a minute beyond
    cells: int = 64  # of a width, for the largest error of real values
    seconds: float = 30.0  # for the program of the flow

    def noise(self, question: JointQuestion) -> JointDocument:
        """The best levels, with the bounds that need no program."""
        grid = Fraction(1) if question.integer else self._grid(question.shape)
        blocks = tuple(
            Side(one.numbers, one.most, math.ceil(one.width / grid))
            for one in question.shape.blocks
        )
        ratio = _up(exp_upper(-question.epsilon))
        found = self._levels(question, blocks, ratio)
        document = JointDocument(
            epsilon=question.epsilon,
            delta=question.delta,
            shape=question.shape,
            loss=question.loss,
            largest=question.largest,
            integer=question.integer,
            grid=grid,
            ratio=ratio,
            offsets=tuple(one.offset for one in found.blocks),
            overlap=found.overlap,
            upper=Fraction(0),
            lower=Fraction(0),
            certificate=None,
        )
        return replace(document, upper=round_up(release_loss(document), _DIGITS))

    def _grid(self, shape: Shape) -> Fraction:
        """Steps of which widths are whole multiples, unless these would be too many.

        (Widths are rounded up to whole steps, which costs a part of a step and no privacy.)
        """
        least, largest = min(shape.widths), max(shape.widths)
        common = _common(shape)
        grid = least / self.most_steps
        if common >= grid:
            grid = common / math.ceil(self.steps * common / least)
        return max(grid, largest / MAX_JOINT_STEPS)

    def _levels(self, question: JointQuestion, blocks: tuple[Side, ...], ratio: Fraction) -> Levels:
        if question.largest:
            return best_levels(blocks, False, lambda one: _largest(one, question.epsilon))
        if all(one.box for one in blocks):
            epsilon = float(question.epsilon)
            return best_levels(
                blocks, question.shape.one_sided, lambda one: box_loss(one, epsilon, question.power)
            )
        short = Fraction(math.ceil(ratio * 2**24), 2**24)
        return best_levels(blocks, question.shape.one_sided, exact_cost(short, question.power))

    def bound(self, document: JointDocument) -> JointDocument:
        """The document with the best lower bound that a flow or the volume proves."""
        if document.delta > 0:
            return document
        if document.largest:
            cells = self.cells
            if document.integer:
                width = int(document.shape.blocks[0].width)
                cells = max(c for c in range(1, min(width, self.cells) + 1) if width % c == 0)
            return self._bounded(document, cells)
        numbers = sum(block.most for block in document.shape.blocks)
        ranked = min(numbers, self.most_ranked)
        tries = [(ranked, True)]
        if numbers > ranked:
            tries.append((min(numbers, self.most_numbers), False))
        for count, knows in tries:
            moves = 2 if document.shape.one_sided and count > 1 else 1
            ratio = ratio_below(moves * document.epsilon)
            flow = best_flow(count, ratio, document.power, knows, self.seconds)
            document = self._bounded(document, flow)
        return document

    def _bounded(self, document: JointDocument, certificate: Flow | int) -> JointDocument:
        tried = replace(document, certificate=certificate)
        lower = round_down(lower_bound(tried), _DIGITS)
        return replace(tried, lower=lower) if lower > document.lower else document


def _common(shape: Shape) -> Fraction:
    """The largest number of which every width is a whole multiple."""
    scale = math.lcm(*(width.denominator for width in shape.widths))
    return Fraction(math.gcd(*(int(width * scale) for width in shape.widths)), scale)


def _up(value: Fraction) -> Fraction:
    return Fraction(math.ceil(value * (1 << _BITS)), 1 << _BITS)


def _largest(levels: Levels, epsilon: Fraction) -> float:
    ratio = Fraction(math.ceil(exp_upper(-epsilon) * 2**24), 2**24)
    return float(largest_mean(levels.blocks[0], ratio))
