"""The parts that workloads are made of: named rows, given rows, products, stacks, marginals.

Each knows its rows in whole numbers over one denominator, its Gram matrix W^T diag(weights) W, and
how to answer its questions of a vector. Standard library only: the checker reads them from files.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, product
from typing import Any

from ..exact import text_of

Whole = list[list[int]]

NAMES = ("identity", "prefix", "ranges", "total")


class WorkloadPart(ABC):
    """Questions about one vector of counts."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many counts the vector has."""

    @property
    @abstractmethod
    def queries(self) -> int:
        """How many questions there are."""

    @property
    def denominator(self) -> int:
        """What the rows are divided by."""
        return 1

    @abstractmethod
    def rows(self) -> Iterator[Sequence[int]]:
        """One row for each question, times the denominator."""

    def weights(self) -> Iterator[Fraction]:
        """What the squared error of each question counts."""
        return iter([Fraction(1)] * self.queries)

    def gram(self) -> tuple[Whole, int]:
        """(K, d): the matrix K/d = W^T diag(weights) W."""
        scale = math.lcm(*{weight.denominator for weight in self.weights()})
        return weighed(self, [int(weight * scale) for weight in self.weights()]), (
            scale * self.denominator**2
        )

    @abstractmethod
    def answers(self, x: Sequence[Any]) -> list[Any]:
        """W x, times the denominator; exact for whole numbers."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The JSON object of a file."""


def weighed(part: WorkloadPart, counts: Sequence[int]) -> Whole:
    """W^T diag(counts) W of the rows as they are, not divided."""
    n = part.cells
    total = [[0] * n for _ in range(n)]
    for row, count in zip(part.rows(), counts, strict=True):
        if count:
            entries = [(j, value) for j, value in enumerate(row) if value]
            for i, a in entries:
                line, scaled = total[i], a * count
                for j, b in entries:
                    line[j] += scaled * b
    return total


@dataclass(frozen=True)
class Named(WorkloadPart):
    """All counts, their prefix sums, the sums of all ranges, or their total."""

    name: str
    size: int

    @property
    def cells(self) -> int:
        return self.size

    @property
    def queries(self) -> int:
        n = self.size
        return {"ranges": n * (n + 1) // 2, "total": 1}.get(self.name, n)

    def ends(self) -> Iterator[tuple[int, int]]:
        """(first, one past the last) cell of each question."""
        n = self.size
        if self.name == "identity":
            return ((i, i + 1) for i in range(n))
        if self.name == "prefix":
            return ((0, i + 1) for i in range(n))
        if self.name == "ranges":
            return ((i, j) for i in range(n) for j in range(i + 1, n + 1))
        return iter([(0, n)])

    def rows(self) -> Iterator[Sequence[int]]:
        n = self.size
        return ([0] * a + [1] * (b - a) + [0] * (n - b) for a, b in self.ends())

    def gram(self) -> tuple[Whole, int]:
        n = self.size
        if self.name == "identity":
            return [[int(i == j) for j in range(n)] for i in range(n)], 1
        if self.name == "prefix":
            return [[n - max(i, j) for j in range(n)] for i in range(n)], 1
        if self.name == "ranges":
            return [[(min(i, j) + 1) * (n - max(i, j)) for j in range(n)] for i in range(n)], 1
        return [[1] * n for _ in range(n)], 1

    def weighed(self, counts: Sequence[int]) -> Whole:
        """W^T diag(counts) W: how much of the counts covers both cells, for every two of them.

        Runs from a cell a <= i to one b >= j, added up along both.
        """
        n = self.size
        runs = [[0] * n for _ in range(n)]
        for (a, b), count in zip(self.ends(), counts, strict=True):
            runs[a][b - 1] += count
        matrix: Whole = []
        above = [0] * n
        for i, row in enumerate(runs):
            # Of runs from i itself, those that end at j or later; then those from before.
            sums = list(accumulate(reversed(row)))[::-1]
            above = [x + y for x, y in zip(above, sums, strict=True)]
            matrix.append([matrix[j][i] for j in range(i)] + above[i:])
        return matrix

    def answers(self, x: Sequence[Any]) -> list[Any]:
        if self.name == "identity":
            return list(x)
        sums = [0, *accumulate(x)]
        return [sums[b] - sums[a] for a, b in self.ends()]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "cells": self.size}


@dataclass(frozen=True)
class MatrixRows(WorkloadPart):
    """Rows as they were given: whole numbers over one denominator."""

    matrix: tuple[tuple[int, ...], ...]
    over: int = 1

    @property
    def cells(self) -> int:
        return len(self.matrix[0])

    @property
    def queries(self) -> int:
        return len(self.matrix)

    @property
    def denominator(self) -> int:
        return self.over

    def rows(self) -> Iterator[Sequence[int]]:
        return iter(self.matrix)

    def answers(self, x: Sequence[Any]) -> list[Any]:
        return [sum(a * b for a, b in zip(row, x, strict=True) if a) for row in self.matrix]

    def to_json(self) -> dict[str, Any]:
        return {"rows": [list(row) for row in self.matrix], "denominator": str(self.over)}


@dataclass(frozen=True)
class Weighted(WorkloadPart):
    """The same questions, each with a weight of its own (or one for all)."""

    part: WorkloadPart
    factors: tuple[Fraction, ...]

    @property
    def cells(self) -> int:
        return self.part.cells

    @property
    def queries(self) -> int:
        return self.part.queries

    @property
    def denominator(self) -> int:
        return self.part.denominator

    def rows(self) -> Iterator[Sequence[int]]:
        return self.part.rows()

    def weights(self) -> Iterator[Fraction]:
        repeated = self.factors * self.queries if len(self.factors) == 1 else self.factors
        return (a * b for a, b in zip(repeated, self.part.weights(), strict=True))

    def gram(self) -> tuple[Whole, int]:
        if len(self.factors) > 1:
            return super().gram()
        matrix, below = self.part.gram()
        top = self.factors[0].numerator
        return [[top * x for x in row] for row in matrix], below * self.factors[0].denominator

    def answers(self, x: Sequence[Any]) -> list[Any]:
        return self.part.answers(x)

    def to_json(self) -> dict[str, Any]:
        return {"weights": [text_of(weight) for weight in self.factors], "of": self.part.to_json()}


def scaled_part(part: WorkloadPart) -> tuple[Fraction, WorkloadPart]:
    """(weight, part): weights that are alike for all questions taken off."""
    scale = Fraction(1)
    while isinstance(part, Weighted) and len(part.factors) == 1:
        scale, part = scale * part.factors[0], part.part
    return scale, part


@dataclass(frozen=True)
class Stack(WorkloadPart):
    """Questions of several kinds about the same vector."""

    parts: tuple[WorkloadPart, ...]

    @property
    def cells(self) -> int:
        return self.parts[0].cells

    @property
    def queries(self) -> int:
        return sum(part.queries for part in self.parts)

    @property
    def denominator(self) -> int:
        return math.lcm(*(part.denominator for part in self.parts))

    def _scaled(self) -> list[tuple[WorkloadPart, int]]:
        below = self.denominator
        return [(part, below // part.denominator) for part in self.parts]

    def rows(self) -> Iterator[Sequence[int]]:
        return ([k * a for a in row] for part, k in self._scaled() for row in part.rows())

    def weights(self) -> Iterator[Fraction]:
        return (weight for part in self.parts for weight in part.weights())

    def gram(self) -> tuple[Whole, int]:
        grams = [part.gram() for part in self.parts]
        below = math.lcm(*(denominator for _, denominator in grams))
        n = self.cells
        total = [[0] * n for _ in range(n)]
        for matrix, denominator in grams:
            k = below // denominator
            total = [
                [x + k * y for x, y in zip(a, b, strict=True)]
                for a, b in zip(total, matrix, strict=True)
            ]
        return total, below

    def answers(self, x: Sequence[Any]) -> list[Any]:
        return [k * a for part, k in self._scaled() for a in part.answers(x)]

    def to_json(self) -> dict[str, Any]:
        return {"stack": [part.to_json() for part in self.parts]}


@dataclass(frozen=True)
class Product(WorkloadPart):
    """Every question of one about every question of the next: tables with two axes or more.

    The vector is the table, row by row.
    """

    parts: tuple[WorkloadPart, ...]

    @property
    def cells(self) -> int:
        return math.prod(part.cells for part in self.parts)

    @property
    def queries(self) -> int:
        return math.prod(part.queries for part in self.parts)

    @property
    def denominator(self) -> int:
        return math.prod(part.denominator for part in self.parts)

    def rows(self) -> Iterator[Sequence[int]]:
        for chosen in product(*(list(part.rows()) for part in self.parts)):
            yield [math.prod(values) for values in product(*chosen)]

    def weights(self) -> Iterator[Fraction]:
        weights = (list(part.weights()) for part in self.parts)
        return (math.prod(chosen, start=Fraction(1)) for chosen in product(*weights))

    def gram(self) -> tuple[Whole, int]:
        matrix, below = self.parts[0].gram()
        for part in self.parts[1:]:
            other, denominator = part.gram()
            matrix = [[x * y for x in a for y in b] for a in matrix for b in other]
            below *= denominator
        return matrix, below

    def answers(self, x: Sequence[Any]) -> list[Any]:
        return along([part.answers for part in self.parts], [part.cells for part in self.parts], x)

    def to_json(self) -> dict[str, Any]:
        return {"product": [part.to_json() for part in self.parts]}


def along(maps: Sequence[Any], sizes: Sequence[int], x: Sequence[Any]) -> list[Any]:
    """A table, row by row, with one linear map applied along each of its axes."""
    values = list(x)
    for apply, size in zip(maps, sizes, strict=True):
        # The first axis goes, its image comes last: after all axes the order is that of the start.
        rest = len(values) // size
        columns = [apply(values[k::rest]) for k in range(rest)]
        values = [value for column in columns for value in column]
    return values


@dataclass(frozen=True)
class MarginalsPart(WorkloadPart):
    """Counts of all combinations of values, for each of some sets of attributes."""

    sizes: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    stated: tuple[Fraction, ...] = ()  # a weight for each table; none: all count 1

    @property
    def cells(self) -> int:
        return math.prod(self.sizes)

    @property
    def worth(self) -> tuple[Fraction, ...]:
        """The weight of each table."""
        return self.stated or (Fraction(1),) * len(self.sets)

    def weights(self) -> Iterator[Fraction]:
        pairs = zip(self.sets, self.worth, strict=True)
        return (weight for attributes, weight in pairs for _ in range(self.cells_of(attributes)))

    @property
    def queries(self) -> int:
        return sum(self.cells_of(attributes) for attributes in self.sets)

    def cells_of(self, chosen: Sequence[int]) -> int:
        """How many combinations of values a set of attributes has."""
        return math.prod(self.sizes[i] for i in chosen)

    @property
    def closure(self) -> list[tuple[int, ...]]:
        """Every subset of a set, the smaller ones first."""
        subsets = {
            part
            for attributes in self.sets
            for k in range(len(attributes) + 1)
            for part in combinations(attributes, k)
        }
        return sorted(subsets, key=lambda attributes: (len(attributes), attributes))

    def rows(self) -> Iterator[Sequence[int]]:
        # (One row at a time: a short file may be about many cells of many attributes.)
        for attributes in self.sets:
            for values in product(*(range(self.sizes[i]) for i in attributes)):
                wanted, row = dict(zip(attributes, values, strict=True)), [1]
                for i, size in enumerate(self.sizes):
                    if size > 1:
                        indicator = [int(v == wanted.get(i, v)) for v in range(size)]
                        row = [a * b for a in row for b in indicator]
                yield row

    def gram(self) -> tuple[Whole, int]:
        places = list(product(*map(range, self.sizes)))
        below = math.lcm(*(attributes.denominator for attributes in self.worth))
        weighted = [
            (attributes, int(w * below))
            for attributes, w in zip(self.sets, self.worth, strict=True)
        ]
        return [
            [
                sum(w for attributes, w in weighted if all(a[i] == b[i] for i in attributes))
                for b in places
            ]
            for a in places
        ], below

    def answers(self, x: Sequence[Any]) -> list[Any]:
        return [value for attributes in self.sets for value in self.table(x, attributes)]

    def table(self, x: Sequence[Any], chosen: Sequence[int]) -> list[Any]:
        """The counts for one set of attributes, of the vector of all cells."""
        kept = set(chosen)
        maps = [list if i in kept else _summed for i in range(len(self.sizes))]
        return along(maps, self.sizes, x)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "marginals": list(self.sizes),
            "sets": [list(attributes) for attributes in self.sets],
        }
        if self.stated:
            data["weights"] = [text_of(weight) for weight in self.stated]
        return data


def _summed(values: Sequence[Any]) -> list[Any]:
    return [sum(values)]
