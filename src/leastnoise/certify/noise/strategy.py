"""Both bounds of a strategy for linear questions, by products of whole matrices alone.

At noise of variance 1: what Gaussian noise in the strategy costs, from above, and what every
covariance costs that covers all shifts, from below. Statements and proofs: `strategy.proof.md`.
Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm

from ...errors import FormatError
from ...problem.workload_parts import Marginals, Named, Part, Rows, Weighted, weighed
from ...work import charge
from ..kinds.workload_parts import entry_bits, weight_size
from ..matrices import Lists, Whole, dot, product, root_up, row_sum, sandwich, spread, transposed


@dataclass(frozen=True)
class Basis:
    """Cells whose columns are independent, and the others as combinations of them.

    `shares` has for each other cell, in order, whole numbers over the denominator.
    """

    cells: tuple[int, ...]
    denominator: int
    shares: tuple[tuple[int, ...], ...]


#: Bits behind the point of an inverse, at least.
_FINE = 40
#: What a strategy is about: all cells (None), some of them, or the questions themselves.
Coordinates = Basis | None | str
QUESTIONS = "questions"


@dataclass(frozen=True)
class Strategy:
    """An upper triangular matrix Y over 2^bits, given by its rows from the diagonal on."""

    bits: int
    triangle: tuple[tuple[int, ...], ...]
    coordinates: Coordinates = None

    @property
    def rank(self) -> int:
        """How many numbers are measured."""
        return len(self.triangle)

    def square(self) -> Lists:
        """Y as a full matrix, times 2^bits."""
        return [[0] * i + list(row) for i, row in enumerate(self.triangle)]


@dataclass(frozen=True)
class TallStrategy:
    """A matrix Y over 2^bits of any number of rows, measured with Laplace noise: of all cells."""

    bits: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def coordinates(self) -> Coordinates:
        """All cells (with "replace": all but the first)."""
        return None

    @property
    def rank(self) -> int:
        """How many coordinates there are."""
        return len(self.rows[0])

    def square(self) -> Lists:
        """Y, times 2^bits."""
        return [list(row) for row in self.rows]


@dataclass(frozen=True)
class Multipliers:
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
    coordinates: Coordinates = None


@dataclass(frozen=True)
class Frame:
    """The questions in coordinates z = A x/D: cost matrix K/d, and A (None: the identity)."""

    cost: Whole
    below: int
    cells: int
    columns: Whole | None  # A, one column for each cell
    denominator: int = 1  # D


def frame_of(
    part: Part, replace: bool, coordinates: Coordinates, counts: Sequence[int] | None = None
) -> Frame:
    """The questions in these coordinates, `FormatError` if they do not span all columns.

    With `replace` columns count from the first one, whose coordinates are 0. counts: further
    weights of the questions, not divided by their sum.
    """
    if coordinates == QUESTIONS:
        return _questions(part, replace, counts)
    gram, below = _gram(part, counts)
    n = len(gram)
    if replace:
        charge(n * n // 2)
        first = gram[0]
        gram = [
            [x - a - b + first[0] for x, b in zip(row, first, strict=True)]
            for a, row in zip(first, gram, strict=True)
        ]
    if coordinates is None:
        if not replace:
            return Frame(gram, below, n, None)
        own = [[int(i + 1 == j) for j in range(n)] for i in range(n - 1)]
        return Frame([row[1:] for row in gram[1:]], below, n, own)
    assert isinstance(coordinates, Basis)
    return _some_cells(gram, below, coordinates)


def gram_of(part: Part) -> tuple[Whole, int]:
    """(K, d): the matrix K/d = W^T diag(weights) W, its work counted."""
    return _gram(part, None)


def _gram(part: Part, counts: Sequence[int] | None) -> tuple[Whole, int]:
    long = 1 + (entry_bits(part) + weight_size(part)[1]) // 200
    if counts is None:
        charge((part.cells**2 // 2 + _work(part)) * long)
        return part.gram()
    charge(5 * part.queries * long)
    own, scale = _whole_weights(part, counts)
    if isinstance(part, Named):
        charge(part.queries + part.cells**2 // 2)
        return part.weighed(own), scale
    charge(part.queries * (1 + part.cells**2 // 12) * long)
    return weighed(part, own), scale * part.denominator**2


def _whole_weights(part: Part, counts: Sequence[int] | None) -> tuple[list[int], int]:
    """(numbers, d): the weights of the questions, times the counts, over one denominator."""
    weights = list(part.weights())
    scale = lcm(*{one.denominator for one in weights})
    own = counts or [1] * len(weights)
    return [int(w * scale) * c for w, c in zip(weights, own, strict=True)], scale


def _work(part: Part) -> int:
    """Microseconds of a Gram matrix."""
    if isinstance(part, Rows):
        used = (part.cells - row.count(0) for row in part.held)
        return part.queries * (5 + part.cells // 10) + sum(count * count for count in used) // 8
    if isinstance(part, Weighted) and len(part.own) > 1:
        inside, own = part.part, 5 * part.queries
        rows = _work(inside) if isinstance(inside, Rows) else part.queries * part.cells**2 // 12
        return own + rows
    if isinstance(part, Marginals):
        return part.cells**2 * sum(2 + len(one) // 8 for one in part.sets) // 2
    inner = (part.part,) if isinstance(part, Weighted) else getattr(part, "parts", ())
    return sum(5 + one.cells**2 // 2 + _work(one) for one in inner)


def _questions(part: Part, replace: bool, counts: Sequence[int] | None) -> Frame:
    """The questions themselves as coordinates: the cost is diagonal, the columns are the rows."""
    charge(part.queries * (5 + part.cells))
    columns: Whole = [list(row) for row in part.rows()]
    if replace:
        columns = [[x - row[0] for x in row] for row in columns]
    own, scale = _whole_weights(part, counts)
    m = len(own)
    cost = [[own[i] if i == j else 0 for j in range(m)] for i in range(m)]
    return Frame(cost, scale, part.cells, columns, part.denominator)


def _some_cells(gram: Whole, below: int, basis: Basis) -> Frame:
    """Cells of a basis as coordinates, if the other columns are the combinations that are stated.

    A column w with K_B f = w^T W_B and |w|^2 = f K_B f lies in the span: its rest has no length.
    """
    n, chosen, over = len(gram), list(basis.cells), basis.denominator
    cost = [[gram[i][j] for j in chosen] for i in chosen]
    others = sorted(set(range(n)) - set(chosen))
    if len(others) != len(basis.shares):
        raise FormatError('"shares" must have a row for each other cell')
    columns = [[0] * n for _ in chosen]
    for b, cell in enumerate(chosen):
        columns[b][cell] = over
    if others:
        seen = product(basis.shares, cost)
        for j, own, shares in zip(others, seen, basis.shares, strict=True):
            column = [gram[i][j] for i in chosen]
            if own != [over * x for x in column]:
                raise FormatError('"shares" do not give the columns of the other cells')
            if sum(x * y for x, y in zip(shares, column, strict=True)) != over * gram[j][j]:
                raise FormatError('"shares" do not give the columns of the other cells')
            for b, x in enumerate(shares):
                columns[b][j] = x
    return Frame(cost, below, n, columns, over)


# -- the strategy keeps its promise -----------------------------------------------------------


def longest_shift(frame: Frame, strategy: Strategy, replace: bool) -> Fraction:
    """The largest squared length of Y s over all shifts s."""
    q = sandwich(frame.columns, _squared(strategy))
    charge(len(q) ** 2 // (2 if replace else 100))
    if replace:
        most = max(
            (q[i][i] + q[j][j] - 2 * q[i][j] for i in range(len(q)) for j in range(i)), default=0
        )
    else:
        most = max(q[j][j] for j in range(len(q)))
    return Fraction(most, (1 << (2 * strategy.bits)) * frame.denominator**2)


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
        most = max(sum(map(abs, one)) for one in moved)
    return Fraction(most, (1 << strategy.bits) * frame.denominator)


def _squared(strategy: Strategy | TallStrategy) -> Lists:
    y = strategy.square()
    return product(transposed(y), y)


# -- from below -------------------------------------------------------------------------------


def lower_total(frame: Frame, multipliers: Multipliers) -> Fraction:
    """At most tr(K S) for every S >= s s^T for all shifts s."""
    x = multipliers.matrix
    charge(3 * len(multipliers.shifts))
    kx = product(frame.cost, x)
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
    own = _diagonal(frame, multipliers)
    if own is None:
        p = spread(frame.columns, _spread_of(frame, multipliers))
        return Fraction(row_sum(product(p, inner)))
    # d_i^2 is near P_ii, so that the similar matrix D^-1 P H D is nearly symmetric.
    roots = [max(1, isqrt(one)) for one in own]
    charge(len(own) ** 2 // 4)
    return max(
        Fraction(weight * sum(abs(h) * d for h, d in zip(row, roots, strict=True)), root)
        for row, weight, root in zip(inner, own, roots, strict=True)
    )


def _diagonal(frame: Frame, multipliers: Multipliers) -> list[int] | None:
    """The diagonal of P where it is a diagonal matrix, else None."""
    if frame.columns is not None or any(i != j for i, j, _ in multipliers.shifts):
        return None
    own = [0] * frame.cells
    for i, _, weight in multipliers.shifts:
        own[i] += weight
    return own


def _spread_of(frame: Frame, multipliers: Multipliers) -> Lists:
    """The sum of weight s s^T over all shifts, in cells."""
    n = frame.cells
    found = [[0] * n for _ in range(n)]
    for i, j, weight in multipliers.shifts:
        found[i][i] += weight
        if i != j:
            found[j][j] += weight
            found[i][j] -= weight
            found[j][i] -= weight
    return found


def _times(x: Whole, frame: Frame, multipliers: Multipliers) -> Lists:
    """X P, P the sum of weight s s^T in coordinates, times D^2."""
    own = _diagonal(frame, multipliers)
    if own is not None:
        charge(len(own) ** 2 // 4)
        return [[a * b for a, b in zip(row, own, strict=True)] for row in x]
    return product(x, spread(frame.columns, _spread_of(frame, multipliers)))


# -- from above -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inverse:
    """R/2^(2 bits), near the inverse of M = Y^T Y, and E = I - M R over 2^(4 bits), |E| <= size."""

    bits: int
    near: Lists
    error: Lists
    size: Fraction


def inverse_of(
    frame: Frame, strategy: Strategy | TallStrategy, multipliers: Multipliers
) -> Inverse:
    """An approximate inverse from the multipliers; `FormatError` if it is none."""
    m = _squared(strategy)
    raw: Whole = multipliers.inverse or _times(multipliers.matrix, frame, multipliers)
    both = [
        [a + b for a, b in zip(p, q, strict=True)]
        for p, q in zip(raw, transposed(raw), strict=True)
    ]
    trace = dot(m, both)
    if trace <= 0:
        raise FormatError('"matrix" is of no use for the strategy')
    # (M has 2 bits behind the point; R needs some however few these are.)
    r, bits = len(m), strategy.bits
    if bits < _FINE:
        m, bits = [[x << (2 * (_FINE - bits)) for x in row] for row in m], _FINE
        trace <<= 2 * (_FINE - strategy.bits)
    charge(r * r)
    near = [[(x * r << (4 * bits)) // trace for x in row] for row in both]
    one = 1 << (4 * bits)
    error = [
        [(one if i == j else 0) - x for j, x in enumerate(row)]
        for i, row in enumerate(product(m, near))
    ]
    size = root_up(Fraction(dot(error, error), one * one))
    if size >= 1:
        raise FormatError('"matrix" is too far from what belongs to the strategy')
    return Inverse(bits, near, error, size)


def upper_total(frame: Frame, inverse: Inverse) -> Fraction:
    """At least tr(K M^-1)."""
    one = 1 << (2 * inverse.bits)
    kr = product(frame.cost, inverse.near)
    first = Fraction(sum(kr[i][i] for i in range(len(kr))), one)
    second = Fraction(dot(kr, transposed(inverse.error)), one**3)
    rest = root_up(Fraction(dot(kr, kr), one * one)) * inverse.size**2 / (1 - inverse.size)
    return (first + second + rest) / frame.below


def upper_largest(
    part: Part, replace: bool, coordinates: Coordinates, inverse: Inverse
) -> Fraction:
    """At least the largest weight * w^T M^-1 w over the questions w."""
    rows, below = rows_in(part, replace, coordinates)
    one = 1 << (2 * inverse.bits)
    wr = product(rows, inverse.near)
    wre = product(wr, inverse.error)
    share = inverse.size**2 / (1 - inverse.size)
    most = Fraction(0)
    charge(len(rows) * (len(rows[0]) + 40))
    for row, a, b, weight in zip(rows, wr, wre, part.weights(), strict=True):
        first = Fraction(sum(x * y for x, y in zip(a, row, strict=True)), one)
        second = Fraction(sum(x * y for x, y in zip(b, row, strict=True)), one**3)
        size = root_up(Fraction(sum(x * x for x in a) * sum(x * x for x in row), one * one))
        most = max(most, weight * (first + second + size * share))
    return most / below**2


def rows_in(part: Part, replace: bool, coordinates: Coordinates) -> tuple[Lists, int]:
    """The questions as rows over coordinates, and what they are divided by."""
    charge(part.queries * (5 + part.cells // 2))
    if coordinates == QUESTIONS:
        m = part.queries
        return [[int(i == j) for j in range(m)] for i in range(m)], 1
    rows = [list(row) for row in part.rows()]
    if replace:
        rows = [[x - row[0] for x in row] for row in rows]
    if isinstance(coordinates, Basis):
        return [[row[j] for j in coordinates.cells] for row in rows], part.denominator
    return [row[1:] for row in rows] if replace else rows, part.denominator
