"""What a mechanism file may ask of its checker, so that checking always ends soon.

A file beyond these limits is refused as malformed: nothing in it is believed, and nothing hangs.
Sizes are limited when the file is read. Time is limited by one budget for reading and checking
together: every loop of the checker first charges what it is about to do, in microseconds as
measured (generously, so that the count does not fall behind the clock), and a check that has spent
the budget ends with a `LimitError`. The count depends on the file alone, not on the machine.
The limits leave room for every design of this package. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction

from ..errors import LimitError

MAX_BYTES = 8_000_000
MAX_DIGITS = 400  # characters of a number
MAX_SHORT = 100  # characters of a length, a ratio or a number of the loss
MAX_EPSILON = 100
MAX_CELLS = 60_000
MAX_MULTIPLIERS = 100_000
MAX_GRID = 1_000_001
MAX_RUN = 10**15  # whole numbers of one cell of integer noise
MAX_CONSTRAINTS = 20
MAX_POINTS_OF_PROFILE = 300
MAX_RELEASES = 1_000_000_000
MAX_WORK = 20_000_000  # (number of shifts) x (number of cells)
MAX_EDGES = 600  # of a mesh that lies on no small lattice
BUDGET = 3_000_000  # microseconds of reading and checking


class Work:
    """Counts the work of one reading or one check, and ends it when there is too much."""

    def __init__(self, spent: int = 0) -> None:
        self.spent = spent

    def charge(self, microseconds: int) -> None:
        """Count some work before it is done; `LimitError` if it exceeds the budget."""
        self.spent += microseconds
        if self.spent > BUDGET:
            raise LimitError(
                f"checking this file takes more work than the {BUDGET // 1000} units allowed"
            )


_current: ContextVar[Work | None] = ContextVar("work", default=None)


@contextmanager
def counted(spent: int = 0) -> Iterator[Work]:
    """Within it `charge` counts, on top of work already spent; inside another, as a part of it."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    work = Work(spent)
    token = _current.set(work)
    try:
        yield work
    finally:
        _current.reset(token)


def charge(microseconds: int) -> None:
    """Count work of the check that is under way; outside a check nothing is counted."""
    work = _current.get()
    if work is not None:
        work.charge(microseconds)


def bits(*numbers: Fraction) -> int:
    """How long the numbers are, together."""
    return sum(x.numerator.bit_length() + x.denominator.bit_length() for x in numbers)


def arithmetic(length: int) -> int:
    """Microseconds of a sum or a product of two rationals of so many bits together."""
    return 2 + length // 300 + (length // 1900) ** 2


def add_up(terms: Iterable[Fraction]) -> Fraction:
    """The sum of the terms, counted as it grows: denominators that share nothing multiply."""
    total = Fraction(0)
    for term in terms:
        charge(arithmetic(bits(total, term)))
        total += term
    return total


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
