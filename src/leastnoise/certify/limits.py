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
MAX_CONSTRAINTS = 20
MAX_POINTS_OF_PROFILE = 300
MAX_RELEASES = 1_000_000_000
MAX_WORK = 20_000_000  # (number of shifts) x (number of cells)
MAX_EDGES = 600  # of a mesh that lies on no small lattice
MAX_EFFORT = 6_000_000  # microseconds, roughly and generously estimated
_COMPOSE_EFFORT = 2_000_000  # a profile of many releases
_DEMAND_EFFORT = 250_000  # a budget that the noise of many releases must keep


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
    if cells > MAX_CELLS or cells * shifts > MAX_WORK:
        return False
    return len(marks) > MAX_EDGES or cells * shifts < 4 * len(marks) ** 2


def density_bits(marks: Sequence[int]) -> int:
    """How many bits the common multiple of the lengths of the cells has."""
    common = 1
    for a, b in pairwise(marks):
        common = math.lcm(common, b - a)
        if common.bit_length() > 100_000:
            break
    return common.bit_length()


def refuse_too_much_work(document: Document) -> None:
    """`FormatError` if the exact check of the document would take long, or cannot be done."""
    budgets = 1 + len(document.profile)
    if document.gdp is not None:
        budgets += len(document.gdp.points)
    effort = _privacy_effort(document) * budgets
    if document.releases is not None:
        effort += _COMPOSE_EFFORT
        if document.certificate is not None:
            effort += _DEMAND_EFFORT * len(document.certificate.points)
    for one in document.constraints:
        effort += 20 * len(document.weights)
        second = getattr(one, "loss", None)
        if second is not None:
            effort += _upper_effort(document, second) + _lower_effort(document, second)
    if document.loss is not None:
        effort += _upper_effort(document, document.loss) + _lower_effort(document, document.loss)
    if effort > MAX_EFFORT:
        raise FormatError(
            f"the check would take about {effort // 1000} units of effort; "
            f"{MAX_EFFORT // 1000} are allowed"
        )


def _privacy_effort(document: Document) -> int:
    n = document.whole_shifts
    longest = max(document.weights, default=0).bit_length()
    if document.edges is None:
        ratio = Fraction(1) if document.tail is None else document.tail.ratio
        signs = 1 if document.weights == document.weights[::-1] else 2
        return _lattice_effort(n, len(document.weights), signs, longest + 2 * bits(ratio))
    marks, limit, _ = marks_of(document.edges, Fraction(n))
    longest += density_bits(marks)
    if on_small_lattice(marks, limit):
        _, cells, shifts = common_lattice(marks, limit)
        return _lattice_effort(shifts, cells, 2, longest)
    if len(marks) > MAX_EDGES:
        raise FormatError(
            f"{len(marks)} edges that share no small lattice; at most {MAX_EDGES} are allowed"
        )
    return len(marks) ** 2 * (3 + longest // 1000)


def _lattice_effort(shifts: int, cells: int, signs: int, longest: int) -> int:
    if shifts * cells > MAX_WORK:
        raise FormatError(f"{shifts} shifts times {cells} cells exceed the limit of {MAX_WORK}")
    return min(shifts, cells) * cells * signs * (2000 + longest) // 20_000


def _upper_effort(document: Document, loss: Loss) -> int:
    fold = loss.symmetric and document.edges is None
    held = len({
        abs(i) if fold else i for i, w in enumerate(document.weights, document.first) if w
    })
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
