"""Noise for several numbers by enumeration: levels from their definition, points of a window."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from leastnoise.certify.noise.shapes.block_counts import Side
from leastnoise.certify.noise.shapes.levels import Levels
from leastnoise.losses import L1
from leastnoise.problem.shape import Block, Shape
from leastnoise.problem.shape_problem import ShapeProblem

ONE = Fraction(1)


def problem_of(*sides: Side) -> ShapeProblem:
    """A question about integers that move within these blocks, in one direction."""
    blocks = tuple(Block(side.numbers, side.most, Fraction(side.width)) for side in sides)
    return ShapeProblem(ONE, Fraction(0), Shape(blocks, True), L1(), False, True)


#: Every kind of levels, of at most three numbers.
CASES = [
    Levels((Side(1, 1, 1),)),
    Levels((Side(2, 2, 1),)),
    Levels((Side(2, 2, 2, 1),)),
    Levels((Side(3, 3, 1),)),
    Levels((Side(3, 2, 1),)),
    Levels((Side(3, 1, 2),)),
    Levels((Side(1, 1, 1, 2), Side(1, 1, 2))),
    Levels((Side(1, 1, 1), Side(2, 1, 1))),
    Levels((Side(1, 1, 1),), 1),
    Levels((Side(2, 2, 1),), 0),
    Levels((Side(2, 2, 1),), 1),
    Levels((Side(2, 2, 2, 1),), 2),
    Levels((Side(3, 3, 1),), 1),
    Levels((Side(2, 2, 1, 1), Side(1, 1, 2)), 1),
    Levels((Side(3, 2, 1),), 0),
    Levels((Side(3, 2, 1),), 2),
    Levels((Side(2, 1, 2),), 1),
    Levels((Side(1, 1, 1, 1), Side(2, 1, 1)), 1),
]


def steps(levels: Levels, y: tuple[int, ...]) -> int:
    """The least j with y_i <= offset + j width in every block, and the sum of a sparse one."""
    j = 0
    while True:
        place, inside = 0, True
        for block in levels.blocks:
            own = y[place : place + block.numbers]
            place += block.numbers
            inside &= max(own) <= block.offset + j * block.width
            inside &= block.box or sum(own) <= j * block.most * block.width
        if inside:
            return j
        j += 1


def level(levels: Levels, x: tuple[int, ...]) -> int:
    """The level of a point, by its definition."""
    if levels.overlap is None:
        return steps(levels, tuple(map(abs, x)))
    up = steps(levels, tuple(max(0, v) for v in x))
    down = steps(levels, tuple(max(0, -v) for v in x))
    return max(up, down, up + down - levels.overlap)


def window(levels: Levels, reach: int) -> Iterator[tuple[int, ...]]:
    """All points that could have a level of at most `reach`."""
    ends = [b.offset + reach * b.width for b in levels.blocks for _ in range(b.numbers)]
    return product(*(range(-end, end + 1) for end in ends))


def moves(levels: Levels) -> Iterator[tuple[int, ...]]:
    """All that a unit can do."""
    widths = [b.width for b in levels.blocks for _ in range(b.numbers)]
    for move in product(*(range(-w, w + 1) for w in widths)):
        place, allowed = 0, True
        for block in levels.blocks:
            own = move[place : place + block.numbers]
            place += block.numbers
            allowed &= sum(map(abs, own)) <= block.most * block.width
        one_sign = min(move) >= 0 or max(move) <= 0
        if allowed and (levels.overlap is None or one_sign):
            yield move
