"""Coordinates for a workload: independent columns, and the others as exact combinations of them.

Ranks are found modulo a prime and in floats; the checker proves what is stated.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...certify.matrices import Whole
from ...certify.noise.workloads.frame import ALL_CELLS, QUESTIONS, Basis, Coordinates
from ...errors import ArgumentError
from ...problem.workload_parts import WorkloadPart

_PRIME = (1 << 31) - 1
#: Longest numerators and denominators that are read off a remainder.
_LONGEST = 30_000


def coordinates_of(part: WorkloadPart, gram: Whole, replaced: bool) -> Coordinates:
    """All cells if their columns are independent, else the questions or a basis of the columns.

    gram: the Gram matrix in whole numbers, not yet counted from the first column.
    """
    residues = np.array([[x % _PRIME for x in row] for row in gram], dtype=np.int64)
    if replaced:
        residues = (residues - residues[:1] - residues[:, :1] + residues[0, 0]) % _PRIME
    chosen, shares = _reduced(residues)
    n = len(gram)
    if len(chosen) == n - replaced:
        return ALL_CELLS
    if not chosen:
        raise ArgumentError("workload", part.queries, "one that a unit can change")
    if len(chosen) == part.queries:
        return QUESTIONS
    others = [j for j in range(n) if j not in set(chosen)]
    exact = [[_fraction(int(shares[b, j])) for b in range(len(chosen))] for j in others]
    over = lcm(*(entry.denominator for row in exact for entry in row))
    return Basis(
        tuple(chosen), over, tuple(tuple(int(entry * over) for entry in row) for row in exact)
    )


def independent(rows: list[list[int]]) -> bool:
    """Whether the rows are linearly independent (surely so, if it is said)."""
    residues = np.array([[x % _PRIME for x in row] for row in rows], dtype=np.int64)
    return len(_reduced(residues)[0]) == len(rows)


def _reduced(matrix: NDArray[Any]) -> tuple[list[int], NDArray[np.int64]]:
    """(pivots, rows) of the reduced echelon form modulo a prime."""
    a = matrix.copy()
    pivots: list[int] = []
    for column in range(a.shape[1]):
        row = len(pivots)
        places = np.flatnonzero(a[row:, column])
        if not places.size:
            continue
        at = row + int(places[0])
        a[[row, at]] = a[[at, row]]
        a[row] = a[row] * pow(int(a[row, column]), -1, _PRIME) % _PRIME
        other = a[:, column].copy()
        other[row] = 0
        busy = np.flatnonzero(other)
        # (a product of two remainders stays below 2^62)
        a[busy] = (a[busy] - other[busy, None] * a[row] % _PRIME) % _PRIME
        pivots.append(column)
        if len(pivots) == len(a):
            break
    return pivots, a[: len(pivots)]


def _fraction(remainder: int) -> Fraction:
    """The short fraction with this remainder; any, if there is none: the checker refuses it."""
    a, b, x, y = _PRIME, remainder, 0, 1
    while b > _LONGEST:
        a, b, x, y = b, a % b, y, x - (a // b) * y
    common = gcd(b, y) or 1
    return Fraction(b // common, y // common) if y else Fraction(remainder)
