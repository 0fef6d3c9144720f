"""Bounds for long prefix sums by the square-root strategy, and for ranges from below.

The strategy is the lower triangular Toeplitz matrix of (1 - x)^(-1/2), each row multiplied by a
number and each column divided by its length. From below: by singular values, which a count of
signs proves. Statements and proofs: `root_strategy.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from operator import mul
from typing import Annotated, ClassVar

from ....errors import FormatError
from ....problem.workload_parts import WorkloadPart
from ....work import charge, once
from ...codec import FLAG, Key, always, integer
from ...fields import demand
from ...kinds.workload_parts import wholes
from ...limits import MAX_STRATEGY_BITS
from ...matrices import root_up
from .factor import ClosedForm, FactorProblem, FactorProof, FactorStrategy, check_positives

#: The most prefix sums: their check takes seconds.
MAX_PREFIX = 2_000
#: pi is below this.
_PI = Fraction(31415926535897932384626433832795028842, 10**37)
#: Bits behind the point of sines.
_SINE_BITS = 120


#: Bits behind the point of what rows are multiplied by, of singular values, and of signs' counts.
ROW_BITS, SINGULAR_BITS, _COUNT_BITS = 16, 10, 80


@dataclass(frozen=True)
class PrefixProof(FactorProof):
    """Weights of the counts, and singular values of their roots' prefix sums, over 2^10."""

    weights: Annotated[tuple[int, ...], wholes(MAX_PREFIX)]
    values: Annotated[tuple[int, ...], wholes(MAX_PREFIX)]

    def check_factor(self, factor: FactorProblem, strategy: FactorStrategy) -> None:
        """`FormatError` unless the queries are prefix sums or ranges."""
        part = factor.part.scaled()[1]
        fits = part.family in ("prefix", "ranges")
        words = (
            f'"values" are for totals of prefix sums or ranges of at most {MAX_PREFIX} counts, '
            "add-remove"
        )
        plain = not factor.replaced and not factor.largest
        demand(fits and part.cells <= MAX_PREFIX and plain, words)
        check_positives(self.weights, "weights", part.cells)
        check_positives(self.values, "values", part.cells)

    def bound(self, factor: FactorProblem, strategy: FactorStrategy) -> Fraction:
        """By the singular values."""
        scale, part = factor.part.scaled()
        return scale * lower_prefix(part.cells, self, part.family == "ranges")


@dataclass(frozen=True)
class RootStrategy(FactorStrategy):
    """So many bits of each entry of the Toeplitz matrix, and of each column's scale."""

    bits: Annotated[int, integer(20, MAX_STRATEGY_BITS)]
    roots: ClassVar[Annotated[bool, always(True, FLAG)]] = True
    #: What each row is multiplied by, over 2^16; none: by 1.
    rows: Annotated[tuple[int, ...], wholes(MAX_PREFIX, 1), Key("row_scales")] = ()

    proofs: ClassVar[tuple[type[FactorProof], ...]] = (ClosedForm, PrefixProof)

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` unless the queries are prefix sums."""
        part = factor.part
        prefix = part.family == "prefix" and part.cells <= MAX_PREFIX
        demand(prefix, f'"roots" are for at most {MAX_PREFIX} prefix sums')
        plain = not factor.replaced and not factor.largest
        demand(plain, '"roots" are for totals, add-remove')
        if self.rows:
            check_positives(self.rows, "row_scales", part.cells)

    def length(self, factor: FactorProblem) -> Fraction:
        """At least the squared length of every column."""
        return length_of_roots(factor.part.cells, self)

    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """At least the total variance of all sums."""
        return upper_roots(factor.part.cells, self)

    def closed_form(self, factor: FactorProblem) -> Fraction:
        """By the singular values of equal weights."""
        return lower_roots(factor.part.cells)

    def grid(self, part: WorkloadPart) -> Fraction:
        """A unit of the last bit of a product of an entry, a column's scale and a row's."""
        return Fraction(1, 1 << (2 * self.bits + ROW_BITS))

    def series(self, n: int) -> list[int]:
        """The first column of the Toeplitz matrix T, times 2^bits: (1 - x)^(-1/2)."""
        return _series(n, self.bits, 1)

    def multiples(self, n: int) -> list[int]:
        """What each row is multiplied by, over 2^16."""
        return list(self.rows) or [1 << ROW_BITS] * n

    def scales(self, n: int) -> list[int]:
        """What each column is multiplied by, over 2^bits: no column is longer than 1."""
        unit = 1 << (4 * self.bits + 2 * ROW_BITS)
        return [isqrt(unit // square) for square in _squares(n, self)]


@lru_cache(maxsize=8)
def _squares(n: int, strategy: RootStrategy) -> tuple[int, ...]:
    """The squared length of each column of diag(rows) T, times 2^(2 bits + 32).

    (Who asks counts the work, remembered or not: the count depends on the file alone.)
    """
    rows = [multiple * multiple for multiple in strategy.multiples(n)]
    entries = [entry * entry for entry in strategy.series(n)]
    return tuple(sum(map(mul, rows[j:], entries)) for j in range(n))


def _series(n: int, bits: int, sign: int) -> list[int]:
    """The coefficients of (1 - x)^(-sign/2), rounded to multiples of 2^-bits, times 2^bits."""
    spare = 64
    value, entries = 1 << (bits + spare), []
    for k in range(n):
        if k:
            # (a)_k / k! for a = sign / 2, each from the one before.
            value = value * (2 * (k - 1) + sign) // (2 * k)
        entries.append((value + (1 << (spare - 1))) >> spare)
    return entries


def length_of_roots(n: int, strategy: RootStrategy) -> Fraction:
    """The largest squared length of a column."""
    charge(n * n // 20 + n)
    pairs = zip(_squares(n, strategy), strategy.scales(n), strict=True)
    most = max(square * scale * scale for square, scale in pairs)
    return Fraction(most, 1 << (4 * strategy.bits + 2 * ROW_BITS))


@once
def upper_roots(n: int, strategy: RootStrategy) -> Fraction:
    """At least the total variance of the answers, for measurements of variance 1.

    `FormatError` if a column is rounded to nothing.
    """
    bits = strategy.bits
    unit = 1 << bits
    charge(n * n * 7 // 40 + 21 * n)
    inverse, scales, rows = _series(n, bits, -1), strategy.scales(n), strategy.multiples(n)
    if not all(scales):
        raise FormatError('"row_scales" must be smaller, or "bits" more: a column would vanish')
    rest = _residual(strategy.series(n), inverse, bits)
    if rest >= 1:
        return Fraction(10) ** 300
    near = [(2 * unit * unit // scale + 1) // 2 for scale in scales]  # 1/scale, to a half
    total = plain = 0
    for k, row in enumerate(rows):
        seen = squares = 0
        for h, t in zip(near[k:], inverse, strict=False):
            seen += h * t
            squares += seen * seen
        plain += squares
        total -= -(squares << (2 * ROW_BITS)) // (row * row)  # (rounded up)
    far = Fraction(1 << ROW_BITS, min(rows))
    off = Fraction(2 * n, unit)
    size = root_up(Fraction(total, unit**4)) + off * far
    size += (root_up(Fraction(plain, unit**4)) + off) * far * rest / (1 - rest)
    return size**2


def _residual(series: list[int], inverse: list[int], bits: int) -> Fraction:
    """The sum of the sizes of the coefficients of 1 - series * inverse, up to the last one."""
    n = len(series)
    width = 2 * bits + n.bit_length() + 4
    packed = [sum(x << (width * k) for k, x in enumerate(digits)) for digits in (series, inverse)]
    both, total, carry = packed[0] * packed[1], 0, 0
    for k in range(n):
        # Digits of a number with negative parts: the upper half stands for what is below 0.
        digit = ((both >> (width * k)) & ((1 << width) - 1)) + carry
        carry = int(digit >= 1 << (width - 1))
        left = digit - (carry << width)
        total += abs(((1 << (2 * bits)) if k == 0 else 0) - left)
    return Fraction(total, 1 << (2 * bits))


@once
def lower_prefix(n: int, proof: PrefixProof, ranges: bool = False) -> Fraction:
    """The same from weights and singular values; 0 where these are not proven.

    ranges: of all ranges, in the place of the prefix sums.
    """
    charge(n * n * 3 // 10 + n)
    for place, value in enumerate(proof.values, 1):
        if _count_above(value, proof.weights, ranges) < place:
            return Fraction(0)
    return Fraction(sum(proof.values) ** 2, sum(proof.weights) << (2 * SINGULAR_BITS))


def _count_above(value: int, weights: tuple[int, ...], ranges: bool) -> int:
    """At most how many singular values of W diag(weights)^(1/2) are above value/2^10.

    Signs of the pivots of K^-1 - diag(weights) 2^20/value^2, every one of them rounded up; for
    ranges of n + 1 times that.
    """
    unit, spare = 1 << _COUNT_BITS, 64
    times = len(weights) + 1 if ranges else 1
    share = (times * unit << (2 * SINGULAR_BITS + spare)) // (value * value)
    square, two, count = unit * unit, 2 * unit, 0
    pivot = (two if ranges else unit) - (weights[0] * share >> spare)
    for weight in weights[1:]:
        if pivot < 0:
            count += 1
        pivot = two - (weight * share >> spare) - square // (pivot or 1)
    return count + (pivot < 0)


def lower_roots(n: int) -> Fraction:
    """At most the total variance of every covariance that covers all columns of n prefix sums."""
    unit, total = 1 << _SINE_BITS, 0
    charge(20 * n)
    for k in range(1, n + 1):
        x = -(-unit * _PI.numerator * (2 * k - 1) // (_PI.denominator * (4 * n + 2)))
        total += unit * unit // (2 * _sine_above(x, unit))
    return Fraction(total * total, n * unit * unit)


def _sine_above(x: int, unit: int) -> int:
    """At least sin(x/one) * one, for 0 <= x/one <= pi/2: the series up to a positive term."""
    square = x * x // unit + 1
    below = x * x // unit
    # x - x^3/6 + x^5/120 - x^7/5040 + x^9/362880, terms rounded up, or down if subtracted.
    cube = x * below // unit
    fifth = -(-(-(-x * square // unit) * square) // unit)
    seventh = x * below // unit * below // unit * below // unit
    ninth = fifth
    for _ in range(2):
        ninth = -(-ninth * square // unit)
    return x - cube // 6 - (-fifth // 120) - seventh // 5040 - (-ninth // 362880) + 1
