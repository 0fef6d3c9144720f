"""The queries of a factor in coordinates: all cells, some of them, or the queries themselves.

Statements and proofs: `strategy.proof.md`. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import lcm

from ....errors import FormatError
from ....problem.workload_parts import Named, WorkloadPart
from ....work import charge
from ...fields import demand
from ...kinds.workload_parts import MAX_RANK
from ...matrices import Lists, Whole, product, transposed

#: Cells of a workload that has coordinates.
MAX_COORDINATE_CELLS = 8 * MAX_RANK


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


class Coordinates(ABC):
    """What a strategy measures combinations of. With `replaced`, columns count from the first."""

    @abstractmethod
    def frame(
        self, part: WorkloadPart, replaced: bool, counts: Sequence[int] | None = None
    ) -> Frame:
        """The questions in coordinates, `FormatError` if these do not span all columns.

        counts: further weights of the questions, not divided by their sum.
        """

    @abstractmethod
    def size(self, part: WorkloadPart, replaced: bool) -> int:
        """How many there are."""

    def rank(self, part: WorkloadPart, replaced: bool) -> int:
        """How many there are; `FormatError` if too many."""
        rank = self.size(part, replaced)
        demand(1 <= rank <= MAX_RANK, f'"workload" must have 1 to {MAX_RANK} coordinates here')
        return rank

    def check(self, part: WorkloadPart) -> None:
        """`FormatError` unless these are coordinates of the part."""
        most = MAX_COORDINATE_CELLS
        demand(part.cells <= most, f'"workload" must have at most {most} cells here')

    def rows(self, part: WorkloadPart, replaced: bool) -> tuple[Lists, int]:
        """The questions as rows over coordinates, and what they are divided by."""
        charge(part.queries * (5 + part.cells // 2))
        return self._rows(part, replaced)

    @abstractmethod
    def _rows(self, part: WorkloadPart, replaced: bool) -> tuple[Lists, int]: ...

    def denominator_of(self, part: WorkloadPart) -> int:
        """D, which coordinates are divided by."""
        return 1

    @abstractmethod
    def located(self, part: WorkloadPart, x: Sequence[int], replaced: bool) -> list[int]:
        """A x: D times the coordinates of a vector of counts."""

    @abstractmethod
    def answers(self, part: WorkloadPart, z: Sequence[int]) -> list[int]:
        """The answers from coordinates, times `answers_over`, where units come or go."""

    @abstractmethod
    def exchanged(self, part: WorkloadPart, z: Sequence[int], total: int) -> list[int]:
        """The same where units are replaced: their number is known."""

    def answers_over(self, part: WorkloadPart) -> int:
        """What `answers` are divided by."""
        return part.denominator


class ChosenCells(Coordinates):
    """The counts of some cells."""

    @abstractmethod
    def chosen(self, part: WorkloadPart, replaced: bool) -> Sequence[int]:
        """Which cells."""

    def size(self, part: WorkloadPart, replaced: bool) -> int:
        return len(self.chosen(part, replaced))

    def _rows(self, part: WorkloadPart, replaced: bool) -> tuple[Lists, int]:
        rows, chosen = _from_first(part, replaced), self.chosen(part, replaced)
        return [[row[j] for j in chosen] for row in rows], part.denominator

    def answers(self, part: WorkloadPart, z: Sequence[int]) -> list[int]:
        return part.answers(self._placed(part, z, False))

    def exchanged(self, part: WorkloadPart, z: Sequence[int], total: int) -> list[int]:
        x = self._placed(part, z, True)
        x[0] += total - sum(z)
        return part.answers(x)

    def _placed(self, part: WorkloadPart, z: Sequence[int], replaced: bool) -> list[int]:
        x = [0] * part.cells
        for j, value in zip(self.chosen(part, replaced), z, strict=True):
            x[j] = value
        return x


@dataclass(frozen=True)
class AllCells(ChosenCells):
    """All cells; with `replaced` all but the first one."""

    def chosen(self, part: WorkloadPart, replaced: bool) -> Sequence[int]:
        return range(replaced, part.cells)

    def frame(
        self, part: WorkloadPart, replaced: bool, counts: Sequence[int] | None = None
    ) -> Frame:
        gram, below = _gram(part, replaced, counts)
        n = len(gram)
        if not replaced:
            scale, inner = part.scaled()
            # (Weights of weights may leave a common factor in K and d; running sums have none.)
            same = counts is None and scale.denominator == below
            return Frame(gram, below, n, None, named=part if same and inner.family else None)
        differences = [[int(i + 1 == j) for j in range(n)] for i in range(n - 1)]
        return Frame([row[1:] for row in gram[1:]], below, n, differences)

    def located(self, part: WorkloadPart, x: Sequence[int], replaced: bool) -> list[int]:
        return list(x[replaced:])


@dataclass(frozen=True)
class Basis(ChosenCells):
    """Cells whose columns are independent, and the others as combinations of them.

    `shares` has for each other cell, in order, whole numbers over the denominator.
    """

    cells: tuple[int, ...]
    denominator: int
    shares: tuple[tuple[int, ...], ...]

    def chosen(self, part: WorkloadPart, replaced: bool) -> Sequence[int]:
        return self.cells

    def check(self, part: WorkloadPart) -> None:
        """`FormatError` unless these are cells of the part, none twice."""
        super().check(part)
        cells = self.cells
        inside = max(cells) < part.cells and len(set(cells)) == len(cells)
        demand(inside, f'"cells" must be from 0 to {part.cells - 1}, none twice')
        check_matrix(self.shares, "shares", part.cells - len(cells), len(cells))

    def denominator_of(self, part: WorkloadPart) -> int:
        return self.denominator

    def frame(
        self, part: WorkloadPart, replaced: bool, counts: Sequence[int] | None = None
    ) -> Frame:
        """The cells as coordinates, if the other columns are the combinations that are stated.

        A column w with K_B f = w^T W_B and |w|^2 = f K_B f lies in the span: its rest has no
        length.
        """
        gram, below = _gram(part, replaced, counts)
        n, chosen, over = len(gram), list(self.cells), self.denominator
        cost = [[gram[i][j] for j in chosen] for i in chosen]
        others = self._others(n)
        if len(others) != len(self.shares):
            raise FormatError('"shares" must have a row for each other cell')
        columns = [[0] * n for _ in chosen]
        for b, cell in enumerate(chosen):
            columns[b][cell] = over
        if others:
            seen = product(self.shares, cost)
            for j, entries, shares in zip(others, seen, self.shares, strict=True):
                column = [gram[i][j] for i in chosen]
                if entries != [over * x for x in column]:
                    raise FormatError('"shares" do not give the columns of the other cells')
                if sum(x * y for x, y in zip(shares, column, strict=True)) != over * gram[j][j]:
                    raise FormatError('"shares" do not give the columns of the other cells')
                for b, x in enumerate(shares):
                    columns[b][j] = x
        return Frame(cost, below, n, columns, over)

    def _others(self, n: int) -> list[int]:
        return sorted(set(range(n)) - set(self.cells))

    def located(self, part: WorkloadPart, x: Sequence[int], replaced: bool) -> list[int]:
        coordinates = [self.denominator * x[j] for j in self.cells]
        for j, row in zip(self._others(part.cells), self.shares, strict=True):
            if x[j]:
                coordinates = [a + x[j] * b for a, b in zip(coordinates, row, strict=True)]
        return coordinates


@dataclass(frozen=True)
class Questions(Coordinates):
    """The questions themselves: the cost is diagonal, the columns are the rows."""

    def size(self, part: WorkloadPart, replaced: bool) -> int:
        return part.queries

    def check(self, part: WorkloadPart) -> None:
        """`FormatError` for too many questions."""
        super().check(part)
        demand(part.queries <= MAX_RANK, f'"workload" must have at most {MAX_RANK} questions here')

    def denominator_of(self, part: WorkloadPart) -> int:
        return part.denominator

    def frame(
        self, part: WorkloadPart, replaced: bool, counts: Sequence[int] | None = None
    ) -> Frame:
        charge(part.queries * (5 + part.cells))
        columns: Whole = _from_first(part, replaced)
        weighted, scale = _whole_weights(part, counts)
        m = len(weighted)
        cost = [[weighted[i] if i == j else 0 for j in range(m)] for i in range(m)]
        return Frame(cost, scale, part.cells, columns, part.denominator)

    def _rows(self, part: WorkloadPart, replaced: bool) -> tuple[Lists, int]:
        m = part.queries
        return [[int(i == j) for j in range(m)] for i in range(m)], 1

    def located(self, part: WorkloadPart, x: Sequence[int], replaced: bool) -> list[int]:
        answers = list(part.answers(x))
        if not replaced:
            return answers
        total = sum(x)
        return [a - total * b for a, b in zip(answers, _first_column(part), strict=True)]

    def answers(self, part: WorkloadPart, z: Sequence[int]) -> list[int]:
        return list(z)

    def exchanged(self, part: WorkloadPart, z: Sequence[int], total: int) -> list[int]:
        over = part.denominator
        return [a + total * b // over for a, b in zip(z, _first_column(part), strict=True)]

    def answers_over(self, part: WorkloadPart) -> int:
        return 1


ALL_CELLS, QUESTIONS = AllCells(), Questions()


def _first_column(part: WorkloadPart) -> list[int]:
    """What the answers count from where units are replaced."""
    return list(part.answers([1] + [0] * (part.cells - 1)))


def _from_first(part: WorkloadPart, replaced: bool) -> Lists:
    """The rows; with `replaced` counted from the first column."""
    rows = [list(row) for row in part.rows()]
    return [[x - row[0] for x in row] for row in rows] if replaced else rows


def gram_of(part: WorkloadPart) -> tuple[Whole, int]:
    """(K, d): the matrix K/d = W^T diag(weights) W, its work counted."""
    return _gram(part, False, None)


def gram_times(part: WorkloadPart, x: Whole) -> tuple[Lists, list[int], int]:
    """(K x, the diagonal of K, d) for the matrix K/d; by running sums for named queries."""
    scale, inner = part.scaled()
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


def _gram(part: WorkloadPart, replaced: bool, counts: Sequence[int] | None) -> tuple[Whole, int]:
    gram, below = _plain_gram(part) if counts is None else _weighed_gram(part, counts)
    if replaced:
        n = len(gram)
        charge(n * n // 2)
        first = gram[0]
        gram = [
            [x - a - b + first[0] for x, b in zip(row, first, strict=True)]
            for a, row in zip(first, gram, strict=True)
        ]
    return gram, below


def _plain_gram(part: WorkloadPart) -> tuple[Whole, int]:
    charge((part.cells**2 // 2 + part.gram_work()) * _long(part))
    return part.gram()


def _weighed_gram(part: WorkloadPart, counts: Sequence[int]) -> tuple[Whole, int]:
    long = _long(part)
    charge(5 * part.queries * long)
    weighted, scale = _whole_weights(part, counts)
    charge(part.weighed_work() * long)
    return part.weighed(weighted), scale * part.denominator**2


def _long(part: WorkloadPart) -> int:
    """How many times as long as for short numbers everything takes."""
    return 1 + (part.entry_bits() + part.weight_size()[1]) // 200


def _whole_weights(part: WorkloadPart, counts: Sequence[int] | None) -> tuple[list[int], int]:
    """(numbers, d): the weights of the questions, times the counts, over one denominator."""
    weights = list(part.weights())
    scale = lcm(*{weight.denominator for weight in weights})
    repeated = counts or [1] * len(weights)
    return [int(w * scale) * c for w, c in zip(weights, repeated, strict=True)], scale


def check_matrix(matrix: tuple[tuple[int, ...], ...], name: str, rows: int, columns: int) -> None:
    """`FormatError` unless a matrix has these sizes."""
    alike = len(matrix) == rows and all(len(row) == columns for row in matrix)
    demand(alike, f'"{name}" must have {rows} rows of {columns} integers')
