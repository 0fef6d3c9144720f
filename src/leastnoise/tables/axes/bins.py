"""Bins of a column between public edges, and the bin of a row.

Proof: `../sources/bounding.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ...errors import ArgumentError
from ...exact import Number, rational
from ...work import arithmetic, bits, charge
from ..sources.rows import TableRows
from .scale import FURTHEST, NARROWEST

MOST_BINS = 10_000


def edges_of(
    bins: int | Sequence[Number], low: Number | None, high: Number | None
) -> list[Fraction]:
    """The edges of so many equal bins between two bounds, or those that are given.

    An `ArgumentError` if they do not rise, or are alike as doubles.
    """
    if not isinstance(bins, int):
        edges = [rational(edge, "bins") for edge in bins]
    elif low is None or high is None:
        raise ArgumentError("low", low, "given, and high, too; or give the edges as bins")
    else:
        first, last = rational(low, "low"), rational(high, "high")
        if isinstance(bins, bool) or not 1 <= bins <= MOST_BINS:
            raise ArgumentError("bins", bins, f"from 1 to {MOST_BINS}")
        charge(bins * arithmetic(bits(first, last)))
        edges = [first + (last - first) * i / bins for i in range(bins + 1)]
    ends = [float(edge) for edge in edges if abs(edge) <= FURTHEST]
    if len(ends) < len(edges):
        raise ArgumentError("bins", bins, "edges between -1e300 and 1e300")
    rising = all(b - a >= NARROWEST for a, b in pairwise(ends))
    if not rising or not 2 <= len(edges) <= MOST_BINS + 1:
        allowed = f"1 to {MOST_BINS} bins with rising edges that differ as doubles"
        raise ArgumentError("bins", bins, allowed)
    return edges


def bin_of(rows: TableRows, column: str, edges: list[float], equal: bool) -> str:
    """The number of a row's bin, from 0 on; NULL without a number. Those beyond are at the ends."""
    number = rows.number(column, "column").sql
    index = (_equal_bin if equal else _bin_between)(rows, number, edges)
    return f"CASE WHEN {number} IS NULL THEN NULL ELSE {index} END"


def _equal_bin(rows: TableRows, number: str, edges: list[float]) -> str:
    """The bin of a number among equal ones, by arithmetic: from 0 to bins - 1, whatever it is.

    A distance from the lower end that is next to nothing is taken for a little more than that: it
    stays in the first bin, and no engine has to multiply what it cannot write down.
    """
    engine, bins = rows.engine, len(edges) - 1
    low, high = edges[0], edges[-1]
    clamped = f"LEAST({engine.real(high)}, GREATEST({engine.real(low)}, {number}))"
    least = engine.real((high - low) * 1e-10 / bins)
    away = f"GREATEST({least}, {clamped} - {engine.real(low)})"
    index = f"CAST(FLOOR({away} * {engine.real(bins / (high - low))}) AS BIGINT)"
    return f"LEAST({engine.whole(bins - 1)}, GREATEST({engine.whole(0)}, {index}))"


def _bin_between(rows: TableRows, number: str, edges: list[float]) -> str:
    """The bin of a number among given edges: of one level, however many (engines limit them)."""
    engine, last = rows.engine, len(edges) - 2
    below = (f"WHEN {number} < {engine.real(edge)}" for edge in edges[1:-1])
    cases = " ".join(f"{below_edge} THEN {engine.whole(i)}" for i, below_edge in enumerate(below))
    return f"CASE {cases} ELSE {engine.whole(last)} END" if cases else engine.whole(last)
