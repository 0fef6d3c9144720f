"""Counts and weighted sums of them, measured with Laplace noise, and a linear estimate.

Every count is measured, times a number, and beside the counts some sums. The estimate needs no
inverse: any small matrix gives an unbiased one, and the best one is the inverse of a matrix with
one row for each sum. Statements and proofs: `summed_strategy.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Annotated

from ....problem.workload_parts import WorkloadPart
from ....work import charge
from ...codec import integer, row, several
from ...fields import demand
from ...kinds.workload_parts import wholes
from ...limits import MAX_STRATEGY_BITS
from ...matrices import Lists, product, transposed
from .factor import FactorProblem, FactorProof
from .frame import gram_times
from .plain_strategies import PlainStrategy

#: Limits of the checker: counts, sums, and bits that an entry of `solution` has beyond `bits`.
MAX_SUMMED, MAX_SUMS, _WIDE = 4_000, 1_000, 16
#: Bits behind the point of a variance, rounded up.
_SPARE = 64

_SUM = several(row(integer(0, MAX_SUMMED - 1), integer(1, 1 << MAX_STRATEGY_BITS)), MAX_SUMMED, 1)


@dataclass(frozen=True)
class SummedStrategy(PlainStrategy):
    """Multiples of the counts, and sums of (cell, weight), over 2^bits; what estimates come of."""

    bits: Annotated[int, integer(8, MAX_STRATEGY_BITS)]
    each: Annotated[tuple[int, ...], wholes(MAX_SUMMED, 1)]
    sums: Annotated[tuple[tuple[tuple[int, int], ...], ...], several(_SUM, MAX_SUMS, work=2)]
    #: Near the inverse of I + (T D^-1)(T D^-1)^T, over 2^bits.
    solution: Annotated[tuple[tuple[int, ...], ...], several(wholes(MAX_SUMS), MAX_SUMS)]

    where = " on counts and sums of them"

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` unless there is a multiple for each count."""
        fits = len(self.each) == factor.part.cells <= MAX_SUMMED and not factor.largest
        demand(fits, f'"each" must be a number for each of at most {MAX_SUMMED} cells, for totals')

    def length(self, factor: FactorProblem) -> Fraction:
        """At least the largest sum of the sizes of what a unit changes."""
        return largest_column(self, factor.replaced)

    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """At least the total variance of the answers."""
        return upper_summed(factor.part, self)

    def grid(self, part: WorkloadPart) -> Fraction:
        """A unit of the last bit."""
        return Fraction(1, 1 << self.bits)

    def check(self) -> None:
        """`FormatError` unless sums and solution go together."""
        unit, count, cells = 1 << self.bits, len(self.sums), len(self.each)
        demand(0 < min(self.each) <= max(self.each) <= unit, '"each" must be from 1 to 2^bits')
        for entries in self.sums:
            charge(1 + len(entries) // 4)
            demand(
                all(a < b for (a, _), (b, _) in pairwise(entries)) and entries[-1][0] < cells,
                '"sums" must be of cells that rise',
            )
        words = f'"solution" must have {count} rows of {count} integers, below 2^(bits + {_WIDE})'
        demand(len(self.solution) == count, words)
        charge(count * count // 10)
        for line in self.solution:
            small = all(abs(x) >> (self.bits + _WIDE) == 0 for x in line)
            demand(len(line) == count and small, words)

    def rows(self) -> Lists:
        """T: the sums as full rows, times 2^bits."""
        charge(len(self.sums) * len(self.each) // 20)
        rows = [[0] * len(self.each) for _ in self.sums]
        for line, entries in zip(rows, self.sums, strict=True):
            for cell, weight in entries:
                line[cell] = weight
        return rows

    def corrections(self) -> Lists:
        """Q: what each count's estimate takes of what the sums say more than the counts.

        D^-2 T^T Z, rounded down, over 2^bits.
        """
        return [list(line) for line in _corrections(self)]


@lru_cache(maxsize=4)
def _remembered(strategy: SummedStrategy) -> tuple[tuple[int, ...], ...]:
    bits, spare = strategy.bits, 32
    rough = product(transposed(strategy.rows()), strategy.solution)
    rows = []
    for each, line in zip(strategy.each, rough, strict=True):
        inverse = (1 << (2 * bits + spare)) // (each * each)
        rows.append(tuple(x * inverse >> (bits + spare) for x in line))
    return tuple(rows)


def _corrections(strategy: SummedStrategy) -> tuple[tuple[int, ...], ...]:
    """(Who asks counts the work, remembered or not: the count depends on the file alone.)"""
    n, p = len(strategy.each), len(strategy.sums)
    if p == 0:
        return ((),) * n
    charge(n * p * (100 + strategy.bits) // 100)
    return _remembered(strategy)


def largest_column(strategy: SummedStrategy, replaced: bool) -> Fraction:
    """At least the largest sum of the sizes of what a unit changes in the measurements."""
    moved = list(strategy.each)
    for entries in strategy.sums:
        charge(1 + len(entries) // 8)
        for cell, weight in entries:
            moved[cell] += weight
    return Fraction(max(moved) << replaced, 1 << strategy.bits)


def upper_summed(part: WorkloadPart, strategy: SummedStrategy) -> Fraction:
    """At least the total variance of the answers, for measurements of variance 1.

    tr(V^T K V) with V = [(I - Q T) D^-1, Q].
    """
    bits, q = strategy.bits, strategy.corrections()
    seen, diagonal, below = gram_times(part, q)
    charge(len(q) * 4)
    if not strategy.sums:
        weighted = zip(diagonal, strategy.each, strict=True)
        total = sum(-(-(k << (2 * bits + _SPARE)) // (d * d)) for k, d in weighted)
        return Fraction(total, below << _SPARE)
    inner = product(transposed(q), seen)
    columns: list[list[tuple[int, int]]] = [[] for _ in q]
    for k, entries in enumerate(strategy.sums):
        charge(1 + len(entries) // 4)
        for cell, weight in entries:
            columns[cell].append((k, weight))
    total = sum(inner[k][k] for k in range(len(inner))) << _SPARE
    for k, d, line, column in zip(diagonal, strategy.each, seen, columns, strict=True):
        charge(2 + len(column) ** 2 // 4)
        first = sum(weight * line[i] for i, weight in column)
        second = sum(weight * other * inner[i][j] for i, weight in column for j, other in column)
        square = (k << (4 * bits)) - (first << (2 * bits + 1)) + second
        total -= -(square << _SPARE) // (d * d)  # (rounded up)
    return Fraction(total, below << (2 * bits + _SPARE))
