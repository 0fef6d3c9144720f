"""Parts of workloads about tables: products of questions about their axes, and marginals.

Standard library only: the checker reads them from files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from ..exact import text_of
from .workload_parts import Whole, WorkloadPart, inner_work, listed, size_of


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

    @property
    def label(self) -> str:
        return listed("product", self.parts)

    @property
    def axes(self) -> tuple[int, ...]:
        return tuple(part.queries for part in self.parts)

    def split(self) -> tuple[WorkloadPart, ...]:
        return tuple(factor for part in self.parts for factor in part.split())

    def entry_bits(self) -> int:
        return sum(part.entry_bits() for part in self.parts)

    def weight_size(self) -> tuple[int, int]:
        each = [part.weight_size() for part in self.parts]
        return math.prod(denominator for denominator, _ in each), sum(b for _, b in each)

    def gram_work(self) -> int:
        return inner_work(self.parts)


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

    @property
    def label(self) -> str:
        return f"{len(self.sets)} tables of {len(self.sizes)} attributes"

    @property
    def axes(self) -> tuple[int, ...]:
        if len(self.sets) > 1:
            return (self.queries,)
        return tuple(self.sizes[i] for i in self.sets[0])

    def weight_size(self) -> tuple[int, int]:
        return size_of(self.worth)

    def gram_work(self) -> int:
        return self.cells**2 * sum(2 + len(attributes) // 8 for attributes in self.sets) // 2

    def squared_lengths(self, largest: bool) -> Fraction:
        pairs = list(zip(self.sets, self.worth, strict=True))
        if largest:
            return max(w * Fraction(self.cells, self.cells_of(chosen)) for chosen, w in pairs)
        return self.cells * sum((w for _, w in pairs), Fraction(0))

    def moved(self) -> Fraction:
        return Fraction(len(self.sets))


def _summed(values: Sequence[Any]) -> list[Any]:
    return [sum(values)]
