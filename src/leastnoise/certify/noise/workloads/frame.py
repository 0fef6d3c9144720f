"""The queries of a factor in coordinates: all cells, some of them, or the queries themselves.

Statements and proofs: `strategy.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import lcm

from ....errors import FormatError
from ....problem.workload_parts import (
    MarginalsPart,
    MatrixRows,
    Named,
    Weighted,
    WorkloadPart,
    scaled_part,
    weighed,
)
from ....work import charge
from ...fields import demand
from ...kinds.workload_parts import MAX_RANK, entry_bits, weight_size
from ...matrices import Lists, Whole, product, transposed

#: Cells of a workload that has coordinates.
MAX_COORDINATE_CELLS = 8 * MAX_RANK


@dataclass(frozen=True)
class Basis:
    """Cells whose columns are independent, and the others as combinations of them.

    `shares` has for each other cell, in order, whole numbers over the denominator.
    """

    cells: tuple[int, ...]
    denominator: int
    shares: tuple[tuple[int, ...], ...]


#: What a strategy is about: all cells (None), some of them, or the questions themselves.
Coordinates = Basis | None | str
QUESTIONS = "questions"


@dataclass(frozen=True)
class Frame:
    """The questions in coordinates z = A x/D: cost matrix K/d, and A (None: the identity)."""

    cost: Whole
    below: int
    cells: int
    columns: Whole | None  # A, one column for each cell
    denominator: int = 1  # D
    named: WorkloadPart | None = None  # queries whose matrix K is, by running sums

    def cost_times(self, x: Whole) -> Lists:
        """K x."""
        return product(self.cost, x) if self.named is None else gram_times(self.named, x)[0]


def frame_of(
    part: WorkloadPart, replace: bool, coordinates: Coordinates, counts: Sequence[int] | None = None
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
            named = part if counts is None and isinstance(scaled_part(part)[1], Named) else None
            return Frame(gram, below, n, None, named=named)
        differences = [[int(i + 1 == j) for j in range(n)] for i in range(n - 1)]
        return Frame([row[1:] for row in gram[1:]], below, n, differences)
    assert isinstance(coordinates, Basis)
    return _some_cells(gram, below, coordinates)


def gram_of(part: WorkloadPart) -> tuple[Whole, int]:
    """(K, d): the matrix K/d = W^T diag(weights) W, its work counted."""
    return _gram(part, None)


def gram_times(part: WorkloadPart, x: Whole) -> tuple[Lists, list[int], int]:
    """(K x, the diagonal of K, d) for the matrix K/d; by running sums for named queries."""
    scale, inner = scaled_part(part)
    if not isinstance(inner, Named):
        k, below = gram_of(part)
        seen = product(k, x) if x[0] else [[] for _ in x]
        return seen, [line[j] for j, line in enumerate(k)], below
    longest = max((abs(entry).bit_length() for line in x for entry in line), default=0)
    charge(len(x) * (len(x[0]) + 1) * (200 + longest) // 200)
    seen, diagonal = _named_times(inner, transposed(x))
    top = scale.numerator
    if top != 1:
        seen = [[top * entry for entry in line] for line in seen]
        diagonal = [top * entry for entry in diagonal]
    return (transposed(seen) if seen else [[] for _ in x]), diagonal, scale.denominator


def _named_times(part: Named, columns: Whole) -> tuple[Lists, list[int]]:
    """(rows of (K x)^T, the diagonal of K) by running sums."""
    n = part.cells
    if part.name == "identity":
        return [list(line) for line in columns], [1] * n
    if part.name == "total":
        return [[sum(line)] * n for line in columns], [1] * n
    if part.name == "prefix":
        return [_backwards(list(accumulate(line))) for line in columns], list(range(n, 0, -1))
    # Of ranges (min(i, j) + 1)(n - max(i, j)) hold both cells i and j.
    rows = []
    for line in columns:
        before = accumulate((j + 1) * entry for j, entry in enumerate(line))
        after = [*_backwards([(n - j) * entry for j, entry in enumerate(line)]), 0][1:]
        pairs = enumerate(zip(before, after, strict=True))
        rows.append([(n - i) * a + (i + 1) * b for i, (a, b) in pairs])
    return rows, [(j + 1) * (n - j) for j in range(n)]


def _backwards(values: Sequence[int]) -> list[int]:
    """Sums of each value and all after it."""
    return list(accumulate(reversed(values)))[::-1]


def _gram(part: WorkloadPart, counts: Sequence[int] | None) -> tuple[Whole, int]:
    long = 1 + (entry_bits(part) + weight_size(part)[1]) // 200
    if counts is None:
        charge((part.cells**2 // 2 + _work(part)) * long)
        return part.gram()
    charge(5 * part.queries * long)
    weighted, scale = _whole_weights(part, counts)
    if isinstance(part, Named):
        charge(part.queries + part.cells**2 // 2)
        return part.weighed(weighted), scale
    charge(part.queries * (1 + part.cells**2 // 12) * long)
    return weighed(part, weighted), scale * part.denominator**2


def _whole_weights(part: WorkloadPart, counts: Sequence[int] | None) -> tuple[list[int], int]:
    """(numbers, d): the weights of the questions, times the counts, over one denominator."""
    weights = list(part.weights())
    scale = lcm(*{weight.denominator for weight in weights})
    repeated = counts or [1] * len(weights)
    return [int(w * scale) * c for w, c in zip(weights, repeated, strict=True)], scale


def _work(part: WorkloadPart) -> int:
    """Microseconds of a Gram matrix."""
    if isinstance(part, MatrixRows):
        used = (part.cells - row.count(0) for row in part.matrix)
        return part.queries * (5 + part.cells // 10) + sum(count * count for count in used) // 8
    if isinstance(part, Weighted) and len(part.factors) > 1:
        inside, work = part.part, 5 * part.queries
        rows = (
            _work(inside) if isinstance(inside, MatrixRows) else part.queries * part.cells**2 // 12
        )
        return work + rows
    if isinstance(part, MarginalsPart):
        return part.cells**2 * sum(2 + len(attributes) // 8 for attributes in part.sets) // 2
    inner = (part.part,) if isinstance(part, Weighted) else getattr(part, "parts", ())
    return sum(5 + inner_part.cells**2 // 2 + _work(inner_part) for inner_part in inner)


def _questions(part: WorkloadPart, replace: bool, counts: Sequence[int] | None) -> Frame:
    """The questions themselves as coordinates: the cost is diagonal, the columns are the rows."""
    charge(part.queries * (5 + part.cells))
    columns: Whole = [list(row) for row in part.rows()]
    if replace:
        columns = [[x - row[0] for x in row] for row in columns]
    weighted, scale = _whole_weights(part, counts)
    m = len(weighted)
    cost = [[weighted[i] if i == j else 0 for j in range(m)] for i in range(m)]
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
        for j, entries, shares in zip(others, seen, basis.shares, strict=True):
            column = [gram[i][j] for i in chosen]
            if entries != [over * x for x in column]:
                raise FormatError('"shares" do not give the columns of the other cells')
            if sum(x * y for x, y in zip(shares, column, strict=True)) != over * gram[j][j]:
                raise FormatError('"shares" do not give the columns of the other cells')
            for b, x in enumerate(shares):
                columns[b][j] = x
    return Frame(cost, below, n, columns, over)


def rows_in(part: WorkloadPart, replace: bool, coordinates: Coordinates) -> tuple[Lists, int]:
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


# -- what fits a factor -----------------------------------------------------------------------


def rank_of(where: Coordinates, part: WorkloadPart, replaced: bool) -> int:
    """How many coordinates there are; `FormatError` if too many."""
    if where is None:
        rank = part.cells - replaced
    else:
        rank = len(where.cells) if isinstance(where, Basis) else part.queries
    demand(1 <= rank <= MAX_RANK, f'"workload" must have 1 to {MAX_RANK} coordinates here')
    return rank


def check_coordinates(where: Coordinates, part: WorkloadPart) -> None:
    """`FormatError` unless these are coordinates of the part."""
    most = MAX_COORDINATE_CELLS
    demand(part.cells <= most, f'"workload" must have at most {most} cells here')
    if where == QUESTIONS:
        demand(part.queries <= MAX_RANK, f'"workload" must have at most {MAX_RANK} questions here')
    if isinstance(where, Basis):
        cells = where.cells
        inside = max(cells) < part.cells and len(set(cells)) == len(cells)
        demand(inside, f'"cells" must be from 0 to {part.cells - 1}, none twice')
        check_matrix(where.shares, "shares", part.cells - len(cells), len(cells))


def check_matrix(matrix: tuple[tuple[int, ...], ...], name: str, rows: int, columns: int) -> None:
    """`FormatError` unless a matrix has these sizes."""
    alike = len(matrix) == rows and all(len(row) == columns for row in matrix)
    demand(alike, f'"{name}" must have {rows} rows of {columns} integers')
