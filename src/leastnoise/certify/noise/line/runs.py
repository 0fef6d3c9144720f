"""Integer noise on runs of integers, written out integer by integer: the same distribution."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from ....problem import Problem
from .cells import IntegerCells, NumberNoise, Tail


def written_out(noise: NumberNoise, problem: Problem, most: int) -> IntegerCells | None:
    """Integer noise with a weight for every integer; None if these are more than `most`.

    Also None for a tail whose period is not the sensitivity itself.
    """
    if isinstance(noise, IntegerCells):
        return noise
    grid = noise.grid
    if noise.edges is not None:
        marks = [int(2 * grid * edge) for edge in noise.edges]  # in half numbers
    else:
        start = 2 * noise.first * grid - grid
        marks = [start + 2 * grid * k for k in range(len(noise.weights) + 1)]
    first, last = (marks[0] + 1) // 2, marks[-1] // 2
    if last - first + 1 > most or not first <= 0 <= last:
        return None
    tail = noise.tail
    if tail is not None:
        if tail.period * noise.step != problem.sensitivity:
            return None
        tail = Tail(int(problem.sensitivity), tail.ratio)
    common = math.lcm(*(b - a for a, b in pairwise(marks)))
    weights = [0] * (last - first + 1)
    for (a, b), w in zip(pairwise(marks), noise.weights, strict=True):
        for half in range(a, b):  # a half number rounds to the integer beside it
            weights[(half + 1) // 2 - first] += w * (common // (b - a))
    weights[-first] += noise.atom * common
    return IntegerCells(
        step=Fraction(1),
        denominator=noise.denominator * common,
        first=first,
        weights=tuple(weights),
        tail=tail,
    )
