"""Both bounds of a strategy for linear questions, by products of whole matrices alone.

At noise of variance 1: what Gaussian noise in the strategy costs, from above, and what every
covariance costs that covers all shifts, from below. Statements and proofs: `strategy.proof.md`.
Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import ClassVar

from ....errors import FormatError
from ....problem.workload_parts import WorkloadPart
from ....work import charge
from ...fields import demand
from ...matrices import Lists, Whole, dot, product, root_up, row_sum, sandwich, spread, transposed
from .factor import FactorProblem, FactorProof, FactorStrategy, check_weights
from .frame import ALL_CELLS, Coordinates, Frame, check_matrix

#: Bits behind the point of an inverse, at least.
_FINE = 40


@dataclass(frozen=True)
class Multipliers(FactorProof):
    """What proves the bounds: weights of shifts, a matrix, and weights of questions for "largest".

    A shift is a cell (i, i), or the exchange of cell i for cell j; every number is whole, and only
    their ratios count.
    """

    shifts: tuple[tuple[int, int, int], ...]  # (i, j, weight)
    matrix: tuple[tuple[int, ...], ...]
    questions: tuple[int, ...] | None = None
    #: In proportion to the inverse of Y^T Y, where that does not follow from the others.
    inverse: tuple[tuple[int, ...], ...] | None = None
    #: What the matrix is about, where that is not what the strategy is about.
    coordinates: Coordinates = ALL_CELLS

    def check_factor(self, factor: FactorProblem, strategy: FactorStrategy) -> None:
        """`FormatError` unless shifts, matrix and weights are those of the factor."""
        part, replaced = factor.part, factor.replaced
        exchanged = all(i < j for i, j, _ in self.shifts)
        diagonal = all(i == j for i, j, _ in self.shifts)
        kinds = "[i, j, weight] with i < j" if replaced else "pairs"
        demand(exchanged if replaced else diagonal, f'"shifts" must be {kinds}')
        places = {shift[:2] for shift in self.shifts}
        demand(len(places) == len(self.shifts), '"shifts" must not repeat one')
        demand(all(j < part.cells for _, j in places), '"shifts" must be cells and weights')
        where = strategy.coordinates_for(self.coordinates)
        where.check(part)
        rank = where.rank(part, replaced)
        check_matrix(self.matrix, "matrix", rank, rank)
        weighed = self.questions is not None
        demand(weighed == factor.largest, '"questions" are for the largest variance')
        if self.questions is not None:
            check_weights(self.questions, part.queries)
        needed = strategy.needs_inverse
        demand((self.inverse is not None) == needed, '"inverse" is for "rows", and they need it')
        if self.inverse is not None:
            whole = ALL_CELLS.rank(part, replaced)
            check_matrix(self.inverse, "inverse", whole, whole)

    def bound(self, factor: FactorProblem, strategy: FactorStrategy) -> Fraction:
        """By weak duality."""
        where = strategy.coordinates_for(self.coordinates)
        total = lower_total(factor.frame(where, self.questions), self)
        return total if self.questions is None else total / sum(self.questions)


class MeasuredRows(FactorStrategy):
    """A matrix Y over 2^bits, of which each row is a measurement."""

    bits: int

    @property
    def coordinates(self) -> Coordinates:
        """What columns are about."""
        return ALL_CELLS

    @property
    def rank(self) -> int:
        """How many coordinates there are."""
        raise NotImplementedError

    def square(self) -> Lists:
        """Y as a full matrix, times 2^bits."""
        raise NotImplementedError

    def squared(self) -> Lists:
        """Y^T Y, times 2^(2 bits)."""
        y = self.square()
        return product(transposed(y), y)

    def upper(self, factor: FactorProblem, proof: FactorProof) -> Fraction:
        """By an approximate inverse, which follows from the multipliers."""
        assert isinstance(proof, Multipliers)
        frame = factor.frame(self.coordinates)
        inverse = inverse_of(frame, self.bits, factor.keep(self, self.squared), proof)
        if factor.largest:
            return upper_largest(factor.part, factor.replaced, self.coordinates, inverse)
        return upper_total(frame, inverse)

    def closed_form(self, factor: FactorProblem) -> Fraction:
        """(Such a strategy has multipliers.)"""
        return Fraction(0)


@dataclass(frozen=True)
class Strategy(MeasuredRows):
    """An upper triangular matrix Y over 2^bits, given by its rows from the diagonal on."""

    bits: int
    triangle: tuple[tuple[int, ...], ...]
    coordinates: Coordinates = ALL_CELLS

    proofs: ClassVar[tuple[type[FactorProof], ...]] = (Multipliers,)

    @property
    def rank(self) -> int:
        """How many numbers are measured."""
        return len(self.triangle)

    def square(self) -> Lists:
        """Y as a full matrix, times 2^bits."""
        return [[0] * i + list(row) for i, row in enumerate(self.triangle)]

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` unless the triangle has the rank of its coordinates."""
        self.coordinates.check(factor.part)
        rank = self.coordinates.rank(factor.part, factor.replaced)
        lengths = [len(row) for row in self.triangle]
        demand(lengths == list(range(rank, 0, -1)), f'"triangle" must have {rank} rows to 1 entry')
        positive = all(row[0] > 0 for row in self.triangle)
        demand(positive, '"triangle" must have a positive diagonal')

    def coordinates_for(self, stated: Coordinates) -> Coordinates:
        """Its own."""
        demand(stated == ALL_CELLS, '"coordinates" are those of the strategy')
        return self.coordinates

    def length(self, factor: FactorProblem) -> Fraction:
        """The largest squared length of what a unit changes."""
        square = factor.keep(self, self.squared)
        return longest_shift(factor.frame(self.coordinates), self.bits, square, factor.replaced)

    def grid(self, part: WorkloadPart) -> Fraction:
        """A unit of the last bit, over what coordinates are divided by."""
        return Fraction(1, self.coordinates.denominator_of(part) << self.bits)


@dataclass(frozen=True)
class TallStrategy(MeasuredRows):
    """A matrix Y over 2^bits of any number of rows, measured with Laplace noise: of all cells."""

    bits: int
    rows: tuple[tuple[int, ...], ...]

    proofs: ClassVar[tuple[type[FactorProof], ...]] = (Multipliers,)
    pure = needs_inverse = True

    @property
    def rank(self) -> int:
        """How many coordinates there are."""
        return len(self.rows[0])

    def square(self) -> Lists:
        """Y, times 2^bits."""
        return [list(row) for row in self.rows]

    def check_factor(self, factor: FactorProblem) -> None:
        """`FormatError` unless there are at least as many rows as coordinates."""
        rank = ALL_CELLS.rank(factor.part, factor.replaced)
        demand(len(self.rows) >= rank, '"rows" must be at least as many as coordinates')
        check_matrix(self.rows, "rows", len(self.rows), rank)

    def length(self, factor: FactorProblem) -> Fraction:
        """The largest sum of the sizes of what a unit changes."""
        return largest_sum(factor.frame(ALL_CELLS), self, factor.replaced)

    def grid(self, part: WorkloadPart) -> Fraction:
        """A unit of the last bit."""
        return Fraction(1, 1 << self.bits)


# -- the strategy keeps its promise -----------------------------------------------------------


def longest_shift(frame: Frame, bits: int, square: Whole, replace: bool) -> Fraction:
    """The largest squared length of Y s over all shifts s; square: Y^T Y over 2^(2 bits)."""
    q = sandwich(frame.columns, square)
    charge(len(q) ** 2 // (2 if replace else 100))
    if replace:
        most = max(
            (q[i][i] + q[j][j] - 2 * q[i][j] for i in range(len(q)) for j in range(i)), default=0
        )
    else:
        most = max(q[j][j] for j in range(len(q)))
    return Fraction(most, (1 << (2 * bits)) * frame.denominator**2)


def largest_sum(frame: Frame, strategy: TallStrategy, replace: bool) -> Fraction:
    """The largest sum of the sizes of Y s over all shifts s."""
    y = strategy.square()
    moved = transposed(y if frame.columns is None else product(y, frame.columns))
    if replace:
        charge(len(moved) ** 2 * len(y) // 10)
        most = max(
            (
                sum(abs(x - z) for x, z in zip(moved[i], moved[j], strict=True))
                for i in range(len(moved))
                for j in range(i)
            ),
            default=0,
        )
    else:
        charge(len(moved) * len(y) // 10)
        most = max(sum(map(abs, row)) for row in moved)
    return Fraction(most, (1 << strategy.bits) * frame.denominator)


# -- from below -------------------------------------------------------------------------------


def lower_total(frame: Frame, multipliers: Multipliers) -> Fraction:
    """At most tr(K S) for every S >= s s^T for all shifts s."""
    x = multipliers.matrix
    charge(3 * len(multipliers.shifts))
    kx = frame.cost_times(x)
    seen = sandwich(frame.columns, kx)
    top = sum(
        weight * (seen[i][i] if i == j else seen[i][i] - seen[i][j] - seen[j][i] + seen[j][j]) ** 2
        for i, j, weight in multipliers.shifts
    )
    norm = _norm(product(transposed(x), kx), frame, multipliers)
    if norm == 0:
        return Fraction(0)
    return top / (norm * frame.below * frame.denominator**2)


def _norm(inner: Whole, frame: Frame, multipliers: Multipliers) -> Fraction:
    """At least the largest eigenvalue of P X^T K X: row sums of a similar matrix."""
    diagonal = _diagonal(frame, multipliers)
    if diagonal is None:
        p = spread(frame.columns, _spread_of(frame, multipliers))
        return Fraction(row_sum(product(p, inner)))
    # d_i^2 is near P_ii, so that the similar matrix D^-1 P H D is nearly symmetric.
    roots = [max(1, isqrt(weight)) for weight in diagonal]
    charge(len(diagonal) ** 2 // 4)
    return max(
        Fraction(weight * sum(abs(h) * d for h, d in zip(row, roots, strict=True)), root)
        for row, weight, root in zip(inner, diagonal, roots, strict=True)
    )


def _diagonal(frame: Frame, multipliers: Multipliers) -> list[int] | None:
    """The diagonal of P where it is a diagonal matrix, else None."""
    if frame.columns is not None or any(i != j for i, j, _ in multipliers.shifts):
        return None
    diagonal = [0] * frame.cells
    for i, _, weight in multipliers.shifts:
        diagonal[i] += weight
    return diagonal


def _spread_of(frame: Frame, multipliers: Multipliers) -> Lists:
    """The sum of weight s s^T over all shifts, in cells."""
    n = frame.cells
    spread = [[0] * n for _ in range(n)]
    for i, j, weight in multipliers.shifts:
        spread[i][i] += weight
        if i != j:
            spread[j][j] += weight
            spread[i][j] -= weight
            spread[j][i] -= weight
    return spread


def _times(x: Whole, frame: Frame, multipliers: Multipliers) -> Lists:
    """X P, P the sum of weight s s^T in coordinates, times D^2."""
    diagonal = _diagonal(frame, multipliers)
    if diagonal is not None:
        charge(len(diagonal) ** 2 // 4)
        return [[a * b for a, b in zip(row, diagonal, strict=True)] for row in x]
    return product(x, spread(frame.columns, _spread_of(frame, multipliers)))


# -- from above -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inverse:
    """R/2^(2 bits), near the inverse of M = Y^T Y, and E = I - M R over 2^(4 bits), |E| <= size."""

    bits: int
    near: Lists
    error: Lists
    size: Fraction


def inverse_of(frame: Frame, bits: int, square: Whole, multipliers: Multipliers) -> Inverse:
    """An approximate inverse of Y^T Y from the multipliers; `FormatError` if it is none."""
    m = square
    raw: Whole = multipliers.inverse or _times(multipliers.matrix, frame, multipliers)
    both = [
        [a + b for a, b in zip(p, q, strict=True)]
        for p, q in zip(raw, transposed(raw), strict=True)
    ]
    trace = dot(m, both)
    if trace <= 0:
        raise FormatError('"matrix" is of no use for the strategy')
    # (M has 2 bits behind the point; R needs some however few these are.)
    r = len(m)
    if bits < _FINE:
        more = 2 * (_FINE - bits)
        m, bits, trace = [[x << more for x in row] for row in m], _FINE, trace << more
    charge(r * r // 2)
    near = [[(x * r << (4 * bits)) // trace for x in row] for row in both]
    unit = 1 << (4 * bits)
    error = [
        [(unit if i == j else 0) - x for j, x in enumerate(row)]
        for i, row in enumerate(product(m, near))
    ]
    size = root_up(Fraction(dot(error, error), unit * unit))
    if size >= 1:
        raise FormatError('"matrix" is too far from what belongs to the strategy')
    return Inverse(bits, near, error, size)


def upper_total(frame: Frame, inverse: Inverse) -> Fraction:
    """At least tr(K M^-1)."""
    unit = 1 << (2 * inverse.bits)
    kr = frame.cost_times(inverse.near)
    first = Fraction(sum(kr[i][i] for i in range(len(kr))), unit)
    second = Fraction(dot(kr, transposed(inverse.error)), unit**3)
    rest = root_up(Fraction(dot(kr, kr), unit * unit)) * inverse.size**2 / (1 - inverse.size)
    return (first + second + rest) / frame.below


def upper_largest(
    part: WorkloadPart, replace: bool, coordinates: Coordinates, inverse: Inverse
) -> Fraction:
    """At least the largest weight * w^T M^-1 w over the questions w."""
    rows, below = coordinates.rows(part, replace)
    unit = 1 << (2 * inverse.bits)
    wr = product(rows, inverse.near)
    wre = product(wr, inverse.error)
    share = inverse.size**2 / (1 - inverse.size)
    most = Fraction(0)
    charge(len(rows) * (len(rows[0]) + 40))
    for row, a, b, weight in zip(rows, wr, wre, part.weights(), strict=True):
        first = Fraction(sum(x * y for x, y in zip(a, row, strict=True)), unit)
        second = Fraction(sum(x * y for x, y in zip(b, row, strict=True)), unit**3)
        size = root_up(Fraction(sum(x * x for x in a) * sum(x * x for x in row), unit * unit))
        most = max(most, weight * (first + second + size * share))
    return most / below**2
