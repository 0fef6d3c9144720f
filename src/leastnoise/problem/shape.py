"""How far one unit can move several numbers at once: the sensitivity as a shape.

Standard library only: the checker reads shapes from mechanism files, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from ..errors import ArgumentError, Described
from ..exact import Number, rational

#: The most numbers that a shape may have, and the most of a block whose sum is bounded, too.
MAX_NUMBERS = 1_000
MAX_SPARSE = 200
#: The most steps that draws are likely to take where the sum of moves is bounded: dimension times
#: width, times epsilon^-1.
MAX_SPARSE_STEPS = 20_000
#: Bits of the common denominator of weights and of a numerator.
WEIGHT_BITS = 256


@dataclass(frozen=True)
class Block:
    """`numbers` of them, each moved by at most `width`, at most `most` of them to the full:
    the moves, without their signs, add up to at most most * width.
    """

    numbers: int
    most: int
    width: Fraction

    @property
    def box(self) -> bool:
        """Whether all numbers may move to the full at once."""
        return self.most == self.numbers


@dataclass(frozen=True)
class Shape:
    """Blocks that move at once, each within its own bounds.

    `one_sided`: all moves of a unit have one sign, as when it is added or removed. Otherwise every
    number moves in its own direction, as when a unit is replaced by another.

    Guarantee: privacy holds for moves within the shape.

    Example: what `Cube` and `Sparse` return.

        >>> shape = Cube(3, width=2)
        >>> shape.dimension, [int(width) for width in shape.widths]
        (3, [2, 2, 2])
    """

    blocks: tuple[Block, ...]
    one_sided: bool = False

    @property
    def dimension(self) -> int:
        """How many numbers there are."""
        return sum(block.numbers for block in self.blocks)

    @property
    def boxes(self) -> bool:
        """Whether all numbers may move to the full at once."""
        return all(block.box for block in self.blocks)

    @property
    def square(self) -> Fraction:
        """The largest squared Euclidean length of a move."""
        return sum((block.most * block.width**2 for block in self.blocks), Fraction(0))

    @property
    def widths(self) -> tuple[Fraction, ...]:
        """How far each number can move."""
        return tuple(block.width for block in self.blocks for _ in range(block.numbers))

    def __repr__(self) -> str:
        sign = ", one_sided=True" if self.one_sided else ""
        words = [
            f"Cube({b.numbers}, width={b.width}{sign})"
            if b.box
            else f"Sparse(dimension={b.numbers}, max_changed={b.most}, width={b.width}{sign})"
            for b in self.blocks
        ]
        return words[0] if len(words) == 1 else f"Blocks({', '.join(words)})"


@dataclass(frozen=True)
class Ball:
    """`dimension` numbers that one unit moves by at most `radius` in Euclidean length (L2).

    The same as `dimension=` with the radius as the sensitivity. The loss is then that of the length
    of the whole error. For the other shapes it is a mean over the numbers.

    Guarantee: privacy holds for vectors at most `radius` apart.

    Example: three numbers whose vector one unit moves by at most 1.

        >>> best = design(epsilon=1, delta=0, sensitivity=Ball(3, 1))
        >>> round(best.upper, 4)
        2.9963
    """

    dimension: int
    radius: Number


def Cube(k: int, width: Number | Sequence[Number] = 1, *, one_sided: bool = False) -> Shape:
    """k numbers, each of which one unit can move by at most `width` (L-infinity sensitivity).

    width: one for all, or one for each number.

    Guarantee: privacy holds for moves within the shape. A shape that is too small is not
    checked.

    Example: ten counts, each of which a replaced row moves by at most 1.

        >>> best = design(epsilon=1, delta=0, sensitivity=Cube(10), integer=True)
        >>> round(best.upper, 2), best.error_bound(0.95)
        (5.49, 12.0)
    """
    _count("k", k, MAX_NUMBERS)
    if isinstance(width, (str, int, float, Fraction)) or not isinstance(width, Sequence):
        return Shape((Block(k, k, _width(width)),), _flag(one_sided))
    if len(width) != k:
        raise ArgumentError(
            "width", Described(f"{len(width)} widths"), f"one number, or one for each of {k}"
        )
    return Blocks(*(Cube(1, side, one_sided=one_sided) for side in width))


def Sparse(
    dimension: int, max_changed: int, width: Number = 1, *, one_sided: bool = False
) -> Shape:
    """`dimension` numbers; one unit changes at most `max_changed` (L0), each by at most `width`.

    For example a histogram in which a person is in at most `max_changed` bins.

    Guarantee: privacy holds for moves within the shape. A shape that is too small is not
    checked.

    Example: a histogram of 8 bins, and a person is in at most 2.

        >>> Sparse(dimension=8, max_changed=2, one_sided=True)
        Sparse(dimension=8, max_changed=2, width=1, one_sided=True)
    """
    _count("dimension", dimension, MAX_NUMBERS)
    _count("max_changed", max_changed, dimension)
    if max_changed < dimension:
        _count("dimension", dimension, MAX_SPARSE)
    return Shape((Block(dimension, max_changed, _width(width)),), _flag(one_sided))


def Blocks(*shapes: Shape) -> Shape:
    """Several shapes, all of which one unit can move at once: one for each query.

    One-sided if all of them are.

    Guarantee: privacy holds for moves within the shape.

    Example: two counts, and a histogram where a person is in one bin.

        >>> Blocks(Cube(2), Sparse(dimension=5, max_changed=1)).dimension
        7
    """
    if not shapes:
        raise ArgumentError("shapes", None, "one shape or more")
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise ArgumentError("shapes", Described(type(shape).__name__), "Cube, Sparse or Blocks")
    blocks: list[Block] = []
    for block in (block for shape in shapes for block in shape.blocks):
        last = blocks[-1] if blocks else None
        if last is not None and last.box and block.box and last.width == block.width:
            both = last.numbers + block.numbers
            blocks[-1] = Block(both, both, last.width)
        else:
            blocks.append(block)
    joined = Shape(tuple(blocks), all(shape.one_sided for shape in shapes))
    _count("dimension", joined.dimension, MAX_NUMBERS)
    return joined


def weighed(shape: Shape, weights: Sequence[Number]) -> tuple[Shape, tuple[Fraction, ...]]:
    """The same shape in blocks whose numbers weigh the same, and the weight of each block.

    Weights are stated for every number; the largest becomes 1. None are needed if all are equal.
    """
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Sequence):
        raise ArgumentError(
            "weights", Described(type(weights).__name__), "a list with one weight for each number"
        )
    if len(weights) != shape.dimension:
        raise ArgumentError(
            "weights", Described(f"{len(weights)} weights"), f"{shape.dimension} weights"
        )
    exact = [rational(number, "weights") for number in weights]
    for given, number in zip(weights, exact, strict=True):
        if not Fraction(1, 10**6) <= number <= 10**6:
            raise ArgumentError("weights", given, "from 1e-6 to 1e6")
        if number.numerator.bit_length() + number.denominator.bit_length() > 64:
            raise ArgumentError("weights", given, "numbers of fewer digits")
    blocks: list[Block] = []
    scales: list[Fraction] = []
    place = 0
    for block in shape.blocks:
        inside = exact[place : place + block.numbers]
        place += block.numbers
        if not block.box and len(set(inside)) > 1:
            raise ArgumentError("weights", Described("different ones"), "equal within a Sparse")
        runs = [(weight, len(list(same))) for weight, same in groupby(inside)]
        for weight, count in runs:
            blocks.append(Block(count, count, block.width) if block.box else block)
            scales.append(weight / max(exact))
    return Shape(tuple(blocks), shape.one_sided), () if set(scales) == {1} else tuple(scales)


def _count(name: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ArgumentError(name, value, f"an integer from 1 to {most}")


def _flag(value: bool) -> bool:
    """Whether moves have one sign: privacy rests on it, so that nothing is taken for True."""
    if not isinstance(value, bool):
        raise ArgumentError("one_sided", value, "True or False")
    return value


def _width(value: Number) -> Fraction:
    width = rational(value, "width")
    if width <= 0:
        raise ArgumentError("width", value, "positive")
    return width


def short_weights(weights: Sequence[Fraction]) -> bool:
    """Whether sums of the weights stay short."""
    common = 1
    for weight in weights:
        common = math.lcm(common, weight.denominator)
        if common.bit_length() + weight.numerator.bit_length() > WEIGHT_BITS:
            return False
    return True
