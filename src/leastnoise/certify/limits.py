"""What a mechanism file may ask of its checker, so that checking always ends soon.

A file beyond these limits is refused as malformed: nothing in it is believed, and nothing hangs.
The limits leave room for every design of this package. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import ArgumentError, FormatError
from ..losses import Loss

if TYPE_CHECKING:
    from .document import Document

MAX_BYTES = 8_000_000
MAX_DIGITS = 400  # characters of a number
MAX_SHORT = 100  # characters of a length, a ratio or a number of the loss
MAX_EPSILON = 100
MAX_CELLS = 60_000
MAX_MULTIPLIERS = 100_000
MAX_GRID = 1_000_001
MAX_WORK = 20_000_000  # (number of shifts) x (number of cells)
MAX_PAIRS = 1_000_000  # of edges of a mesh that lies on no small lattice
MAX_EFFORT = 5_000_000  # rough microseconds for all exact evaluations of the loss


def bits(*numbers: Fraction) -> int:
    """How long the numbers are, together."""
    return sum(x.numerator.bit_length() + x.denominator.bit_length() for x in numbers)


def marks_of(edges: Sequence[Fraction], reach: Fraction) -> tuple[list[int], int, int]:
    """(edges, reach) as whole numbers of some unit, and how many units make one."""
    scale = math.lcm(reach.denominator, *(edge.denominator for edge in edges))
    return [int(edge * scale) for edge in edges], int(reach * scale), scale


def common_lattice(marks: Sequence[int], limit: int) -> tuple[int, int, int]:
    """(h, cells, shifts): all edges of a mesh, and the limit, are multiples of h apart."""
    h = math.gcd(limit, *(mark - marks[0] for mark in marks))
    return h, (marks[-1] - marks[0]) // h, limit // h


def on_small_lattice(marks: Sequence[int], limit: int) -> bool:
    """Whether the mesh is better checked cell by cell of its common lattice."""
    _, cells, shifts = common_lattice(marks, limit)
    return cells <= MAX_CELLS and cells * shifts <= MAX_WORK and (
        len(marks) ** 2 > MAX_PAIRS or 2 * cells * shifts <= len(marks) ** 2
    )


def density_bits(marks: Sequence[int]) -> int:
    """How many bits the common multiple of the lengths of the cells has."""
    common = 1
    for a, b in pairwise(marks):
        common = math.lcm(common, b - a)
        if common.bit_length() > MAX_WORK:
            break
    return common.bit_length()


def refuse_too_much_work(document: Document) -> None:
    """`FormatError` if the exact check of the document would take long, or cannot be done."""
    _privacy_work(document)
    if document.loss is not None:
        effort = _upper_effort(document, document.loss) + _lower_effort(document, document.loss)
        if effort > MAX_EFFORT:
            raise FormatError(
                f"{effort // 10**6} million microseconds for the loss exceed the checker's limit"
            )


def _privacy_work(document: Document) -> None:
    n = document.whole_shifts
    longest = max(document.weights, default=0).bit_length()
    if document.edges is None:
        ratio = 0 if document.tail is None else 2 * bits(document.tail.ratio)
        work = n * len(document.weights) * (1 + (longest + ratio) // 2048)
        if work > MAX_WORK:
            raise FormatError(
                f"{n} shifts times {len(document.weights)} cells exceed the limit of {MAX_WORK}"
            )
        return
    marks, limit, _ = marks_of(document.edges, Fraction(n))
    if on_small_lattice(marks, limit):
        return
    pairs = len(marks) ** 2
    if pairs > MAX_PAIRS or pairs * (1 + (longest + density_bits(marks)) // 2048) > 2 * MAX_PAIRS:
        raise FormatError(
            f"{len(marks)} edges that share no small lattice exceed the checker's limit"
        )


def _upper_effort(document: Document, loss: Loss) -> int:
    held = sum(1 for weight in document.weights if weight)
    size = bits(document.step) + document.grid.bit_length() + 20
    effort = held * loss.effort_at(size) * (1 if document.edges is None else 3)
    if document.tail is not None:
        try:
            for side in (1, -1):
                loss.tail(side, document.tail_start(side))
        except ArgumentError as error:
            raise FormatError(f"the tail begins before the loss is simple: {error}") from None
        effort += 20 * document.tail.period
    return effort


def _lower_effort(document: Document, loss: Loss) -> int:
    certificate = document.certificate
    if certificate is None:
        return 0
    edge = certificate.reach + int(document.sensitivity / certificate.step)
    cells = edge + 1 if loss.symmetric else 2 * edge + 1
    return cells * loss.effort_at(bits(certificate.step) + 20)
