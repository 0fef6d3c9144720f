"""The parts that workloads are made of: named rows, given rows, weighted ones, stacks.

Products and marginals are in `workload_tables.py`.

Each knows its rows in whole numbers over one denominator, its Gram matrix W^T diag(weights) W, and
how to answer its questions of a vector. Standard library only: the checker reads them from files,
and what takes long counts its work.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from ..exact import text_of
from ..work import charge

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
        counts = [int(weight * scale) for weight in self.weights()]
        return self.weighed(counts), scale * self.denominator**2

    def weighed(self, counts: Sequence[int]) -> Whole:
        """W^T diag(counts) W of the rows as they are, not divided."""
        n = self.cells
        total = [[0] * n for _ in range(n)]
        for row, count in zip(self.rows(), counts, strict=True):
            if count:
                entries = [(j, value) for j, value in enumerate(row) if value]
                for i, a in entries:
                    line, scaled = total[i], a * count
                    for j, b in entries:
                        line[j] += scaled * b
        return total

    @abstractmethod
    def answers(self, x: Sequence[Any]) -> list[Any]:
        """W x, times the denominator; exact for whole numbers."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The JSON object of a file."""

    # -- how it is made -----------------------------------------------------------------------

    @property
    def family(self) -> str:
        """The name of named queries; "" for others."""
        return ""

    @property
    @abstractmethod
    def label(self) -> str:
        """What it is called where it is shown."""

    @property
    def axes(self) -> tuple[int, ...]:
        """How many answers there are along each axis of the table that they form."""
        return (self.queries,)

    def split(self) -> tuple[WorkloadPart, ...]:
        """The factors that it is a product of."""
        return (self,)

    def scaled(self) -> tuple[Fraction, WorkloadPart]:
        """(weight, part): weights that are alike for all questions taken off."""
        return Fraction(1), self

    @property
    def unweighted(self) -> WorkloadPart:
        """The same questions without their weights."""
        return self

    # -- how long its numbers are, and how long they take -------------------------------------

    def entry_bits(self) -> int:
        """At least how long a number of the rows is, times their denominator."""
        return 1

    def weight_size(self) -> tuple[int, int]:
        """(d, b): all weights of the questions are fractions over d with numerators of b bits."""
        return 1, 1

    def gram_work(self) -> int:
        """Microseconds of a Gram matrix, besides those of its entries."""
        return 0

    def rows_work(self) -> int:
        """Microseconds of a Gram matrix that is added up row by row."""
        return self.queries * self.cells**2 // 12

    def weighed_work(self) -> int:
        """Microseconds of `weighed` for short numbers."""
        return self.queries * (1 + self.cells**2 // 12)

    # -- what units do to it ------------------------------------------------------------------

    def squared_lengths(self, largest: bool) -> Fraction:
        """The weighted total of the squared lengths of the questions, or the largest one."""
        charge(self.queries * (self.cells // 8 + 5))
        each = (
            weight * sum(x * x for x in row if x)
            for row, weight in zip(self.rows(), self.weights(), strict=True)
        )
        return (max(each) if largest else sum(each, Fraction(0))) / self.denominator**2

    def moved(self) -> Fraction:
        """At least by how much a unit moves all answers together, in the sum of sizes."""
        charge(self.queries * (self.cells // 4 + 2))
        sums = [0] * self.cells
        for row in self.rows():
            sums = [a + abs(b) for a, b in zip(sums, row, strict=True)]
        return Fraction(max(sums), self.denominator)


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

    @property
    def family(self) -> str:
        return self.name

    label = family

    def weighed_work(self) -> int:
        return self.queries + self.size**2 // 2

    def squared_lengths(self, largest: bool) -> Fraction:
        n = self.size
        if largest:
            return Fraction(1 if self.name == "identity" else n)
        total = {"prefix": n * (n + 1) // 2, "ranges": n * (n + 1) * (n + 2) // 6}
        return Fraction(total.get(self.name, n))

    def moved(self) -> Fraction:
        n = self.size
        middle = ((n + 1) // 2) * (n // 2 + 1)  # ranges that hold a cell in the middle
        return Fraction({"prefix": n, "ranges": middle}.get(self.name, 1))


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

    @property
    def label(self) -> str:
        return "matrix"

    def entry_bits(self) -> int:
        charge(self.queries * (1 + self.cells // 20))
        return max(max(map(abs, row)).bit_length() for row in self.matrix)

    def rows_work(self) -> int:
        used = (self.cells - row.count(0) for row in self.matrix)
        return self.queries * (5 + self.cells // 10) + sum(count * count for count in used) // 8

    gram_work = rows_work


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

    @property
    def label(self) -> str:
        return f"weighted {self.part.label}"

    def scaled(self) -> tuple[Fraction, WorkloadPart]:
        if len(self.factors) > 1:
            return Fraction(1), self
        scale, part = self.part.scaled()
        return self.factors[0] * scale, part

    @property
    def unweighted(self) -> WorkloadPart:
        return self.part.unweighted

    def entry_bits(self) -> int:
        return self.part.entry_bits()

    def weight_size(self) -> tuple[int, int]:
        below, most = self.part.weight_size()
        denominator, size = size_of(self.factors)
        return below * denominator, most + size

    def gram_work(self) -> int:
        if len(self.factors) > 1:
            return 5 * self.queries + self.part.rows_work()
        return inner_work((self.part,))


def size_of(weights: Sequence[Fraction]) -> tuple[int, int]:
    """(d, b): these are fractions over d with numerators of b bits."""
    charge(len(weights) // 2)
    below = math.lcm(*{weight.denominator for weight in weights})
    return below, max(weight.numerator.bit_length() for weight in weights) + below.bit_length()


def inner_work(parts: Sequence[WorkloadPart]) -> int:
    """Microseconds of the Gram matrices of parts."""
    return sum(5 + part.cells**2 // 2 + part.gram_work() for part in parts)


def listed(word: str, parts: Sequence[WorkloadPart]) -> str:
    """What parts are called, the first of them."""
    shown = ", ".join(part.label for part in parts[:4])
    return f"{word} of {shown}" + (", ..." if len(parts) > 4 else "")


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

    @property
    def label(self) -> str:
        return listed("stack", self.parts)

    def entry_bits(self) -> int:
        return max(part.entry_bits() + k.bit_length() for part, k in self._scaled())

    def weight_size(self) -> tuple[int, int]:
        each = [part.weight_size() for part in self.parts]
        below = math.lcm(*(denominator for denominator, _ in each))
        return below, max(b + (below // denominator).bit_length() for denominator, b in each)

    def gram_work(self) -> int:
        return inner_work(self.parts)
