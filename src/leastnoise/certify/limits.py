"""What a mechanism file may ask of its checker, so that checking always ends soon.

A file beyond these limits is refused as malformed: nothing in it is believed, and nothing hangs.
Sizes are limited when the file is read, time by one budget of work for reading and checking
together (`../work.py`). The limits leave room for every design of this package. Standard library
only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..exact import LONGEST, LONGEST_SHORT

MAX_BYTES = 8_000_000
MAX_REPORT = 40_000_000  # bytes of a report of answers; each mechanism file in it as above
MAX_PARTS = 8_000_000  # commas and opening brackets of a report, in texts too
MAX_NESTING = 100  # lists and objects in one another
MAX_DIGITS, MAX_SHORT = LONGEST, LONGEST_SHORT
MAX_CELLS = 60_000
MAX_MULTIPLIERS = 100_000
MAX_NARROW = 2_000  # narrow events
MAX_GRID = 1_000_001
MAX_RUN = 10**15  # whole numbers of one cell of integer noise
MAX_POINTS_OF_PROFILE = 300
MAX_WORK = 20_000_000  # (number of shifts) x (number of cells)
MAX_EDGES = 600  # of a mesh that lies on no small lattice
MAX_RADII = 2_000  # of a mixture of balls
MAX_STRATEGY_BITS = 80
MAX_JOINT_STEPS = 1_000_000  # of the grid to a width
MAX_NODES = 10_000_000  # of a range, or of a certificate that has a rule for them
MAX_STAIRS_OF_RANGE = 1_000


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
