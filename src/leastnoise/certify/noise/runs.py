"""Integer noise on runs of whole numbers, written out number by number: the same law."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from ..kinds.additive import Document, Tail


def written_out(document: Document, most: int) -> Document | None:
    """The same noise with a weight for every whole number; None if these are more than `most`.

    Also None for a tail whose period is not the sensitivity itself.
    """
    if not document.runs:
        return document
    grid = document.grid
    if document.edges is not None:
        marks = [int(2 * grid * edge) for edge in document.edges]  # in half numbers
    else:
        start = 2 * document.first * grid - grid
        marks = [start + 2 * grid * k for k in range(len(document.weights) + 1)]
    first, last = (marks[0] + 1) // 2, marks[-1] // 2
    if last - first + 1 > most or not first <= 0 <= last:
        return None
    tail = document.tail
    if tail is not None:
        if tail.period * document.step != document.sensitivity:
            return None
        tail = Tail(int(document.sensitivity), tail.ratio)
    common = math.lcm(*(b - a for a, b in pairwise(marks)))
    weights = [0] * (last - first + 1)
    for (a, b), w in zip(pairwise(marks), document.weights, strict=True):
        for half in range(a, b):  # a half number rounds to the whole number beside it
            weights[(half + 1) // 2 - first] += w * (common // (b - a))
    weights[-first] += document.atom * common
    return replace(
        document,
        step=Fraction(1),
        grid=1,
        edges=None,
        first=first,
        weights=tuple(weights),
        atom=0,
        denominator=document.denominator * common,
        tail=tail,
    )
