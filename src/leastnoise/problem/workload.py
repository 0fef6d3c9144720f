"""`Workload`: many linear questions about one vector of counts, asked together.

Standard library only: arrays and sparse matrices are read by what they can do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Self

from ..errors import ArgumentError, Described
from ..exact import Number, rational
from .workload_parts import MatrixRows, Named, Stack, Weighted, WorkloadPart
from .workload_tables import MarginalsPart, Product

#: The most counts and questions of rows that are written out, and digits of a number in them.
MAX_ROWS, MAX_ENTRIES, MAX_ENTRY_BITS = 20_000, 4_000_000, 128
#: The most cells of a table, and attributes, sets and cells of all their tables together.
MAX_SUBSETS = 60_000
MAX_TABLE, MAX_ATTRIBUTES, MAX_SETS, MAX_TABLES = 1_000_000, 500, 20_000, 4_000_000


@dataclass(frozen=True, init=False)
class Workload:
    """Linear queries about one vector of counts, answered together: the rows of a matrix.

    Guarantee: it states the queries alone; all answers of `design(workload=...)` together satisfy
    the budget.

    Example: how many people are at most so old, for three groups of age.

        >>> ages = Workload.prefix(3)
        >>> best = design(workload=ages, gdp=1)
        >>> answers = best.release([12, 40, 31])  # private answers about 12, 52 and 83 people

    Workload(matrix) has one query in each row and one kind of unit in each column: lists, an
    array or a sparse matrix of finite numbers. Floats mean their shortest decimal. `weights` says
    what the squared error of each query counts (one, if left out).
    """

    part: WorkloadPart

    def __init__(self, matrix: Any, weights: Sequence[Number] | None = None) -> None:
        part: WorkloadPart = _rows_of(matrix)
        if weights is not None:
            part = _weighted(part, weights)
        object.__setattr__(self, "part", part)

    @classmethod
    def of(cls, part: WorkloadPart) -> Self:
        """A workload that is put together already."""
        made = object.__new__(cls)
        object.__setattr__(made, "part", part)
        return made

    # -- by name ------------------------------------------------------------------------------

    @classmethod
    def identity(cls, n: int) -> Self:
        """Each of n counts: a histogram."""
        return cls.of(Named("identity", _size("n", n)))

    @classmethod
    def prefix(cls, n: int) -> Self:
        """The sums of the first 1, 2, ..., n counts: how many are at most so old."""
        return cls.of(Named("prefix", _size("n", n)))

    @classmethod
    def ranges(cls, n: int) -> Self:
        """The sums over all n (n + 1) / 2 ranges of neighboring counts."""
        return cls.of(Named("ranges", _size("n", n)))

    @classmethod
    def total(cls, n: int) -> Self:
        """The sum of n counts, one question; a part of products and stacks."""
        return cls.of(Named("total", _size("n", n)))

    @classmethod
    def marginals(
        cls,
        sizes: Sequence[int],
        ways: int | Iterable[int | Iterable[int]] = 2,
        weights: Sequence[Number] | None = None,
    ) -> Self:
        """Tables of counts by some attributes of persons: all pairs of them, if `ways` is 2.

        sizes: how many values each attribute has. ways: how many attributes a table has, or a list
        of such numbers and of sets of attributes (their places in `sizes`, from 0). The vector is
        the table of all attributes, row by row; nobody needs to write it down. weights: what the
        squared errors of each table count.
        """
        counts = [_count("sizes", chosen, MAX_TABLE) for chosen in _listed("sizes", sizes)]
        if not 1 <= len(counts) <= MAX_ATTRIBUTES:
            raise ArgumentError(
                "sizes", Described(f"{len(counts)} numbers"), f"1 to {MAX_ATTRIBUTES} numbers"
            )
        sets = _sets(ways, len(counts))
        if sum(1 << len(chosen) for chosen in sets) > MAX_SUBSETS:
            raise ArgumentError(
                "ways",
                Described(f"{len(sets)} tables"),
                f"few enough that the sets have at most {MAX_SUBSETS} subsets",
            )
        part = MarginalsPart(tuple(counts), sets)
        if not 1 <= len(sets) <= MAX_SETS or part.queries > MAX_TABLES:
            many = Described(f"{len(sets)} tables of {part.queries} cells")
            raise ArgumentError(
                "ways", many, f"1 to {MAX_SETS} tables of at most {MAX_TABLES} cells in all"
            )
        if weights is not None:
            part = replace(
                part, stated=_exact_weights(weights, len(sets), "one weight for each table")
            )
        return cls.of(part)

    # -- put together -------------------------------------------------------------------------

    @classmethod
    def product(cls, *workloads: Workload) -> Self:
        """Every question of one with every question of the others: tables of several axes.

        product(prefix(10), identity(3)): the first counts of ten, for each of three groups. The
        vector is the table, row by row, its first axis that of the first workload.
        """
        parts = _parts(workloads)
        cells = math.prod(part.cells for part in parts)
        if cells > MAX_TABLE:
            raise ArgumentError(
                "workloads", Described(f"{cells} cells together"), f"at most {MAX_TABLE}"
            )
        return cls.of(parts[0] if len(parts) == 1 else Product(parts))

    @classmethod
    def stack(cls, *workloads: Workload) -> Self:
        """All questions of several workloads about the same vector."""
        parts = _parts(workloads)
        for part in parts:
            if part.cells != parts[0].cells:
                words = Described(f"{part.cells} cells")
                raise ArgumentError(
                    "workloads", words, f"about the same number of cells, {parts[0].cells}"
                )
        return cls.of(parts[0] if len(parts) == 1 else Stack(parts))

    def weighted(self, weights: Number | Sequence[Number]) -> Workload:
        """The same questions; the squared error of each counts so much (one weight for all)."""
        return Workload.of(_weighted(self.part, weights))

    # -- looking ------------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        """How many counts the vector has."""
        return self.part.cells

    @property
    def queries(self) -> int:
        """How many questions there are."""
        return self.part.queries

    def answers(self, x: Sequence[Any]) -> list[Any]:
        """The exact answers for a vector: not private."""
        counts = x.tolist() if hasattr(x, "tolist") else list(x)
        if len(counts) != self.cells:
            raise ArgumentError("x", Described(f"{len(counts)} numbers"), f"{self.cells} numbers")
        below = self.part.denominator
        return [
            answer if below == 1 else Fraction(answer) / below
            for answer in self.part.answers(counts)
        ]

    def __repr__(self) -> str:
        return f"Workload({self.part.label}: {self.queries} queries of {_cells(self.cells)})"


def _cells(cells: int) -> str:
    return f"{cells} counts" if cells < 10**9 else f"1e{len(str(cells)) - 1} counts or more"


def _count(name: str, value: object, most: int) -> int:
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not whole or not 1 <= int(value) <= most:  # type: ignore[call-overload]
        raise ArgumentError(name, value, f"an integer from 1 to {most}")
    return int(value)  # type: ignore[call-overload,no-any-return]


def _size(name: str, value: object) -> int:
    return _count(name, value, MAX_ROWS)


def _parts(workloads: Sequence[Workload]) -> tuple[WorkloadPart, ...]:
    if not workloads:
        raise ArgumentError("workloads", "none", "one workload or more")
    for workload in workloads:
        if not isinstance(workload, Workload):
            raise ArgumentError("workloads", Described(type(workload).__name__), "workloads")
    return tuple(workload.part for workload in workloads)


def _listed(name: str, value: Any) -> list[Any]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ArgumentError(name, Described(type(value).__name__), "a list")
    return list(value)


def _sets(ways: Any, attributes: int) -> tuple[tuple[int, ...], ...]:
    sets: list[tuple[int, ...]] = []
    for way in [ways] if _is_size(ways) else _listed("ways", ways):
        if _is_size(way):
            sets += _of_size(int(way), attributes)
            continue
        chosen = _listed("ways", way)
        if any(
            isinstance(i, bool) or not hasattr(i, "__index__") or not 0 <= int(i) < attributes
            for i in chosen
        ):
            raise ArgumentError("ways", chosen, f"sets of places from 0 to {attributes - 1}")
        if len({int(i) for i in chosen}) != len(chosen):
            raise ArgumentError("ways", chosen, "sets without an attribute twice")
        sets.append(tuple(sorted(int(i) for i in chosen)))
    if len(set(sets)) != len(sets):
        raise ArgumentError(
            "ways", Described("a set twice"), "different sets (use weights instead)"
        )
    return tuple(sets)


def _is_size(way: Any) -> bool:
    return hasattr(way, "__index__") and not isinstance(way, bool)


def _of_size(k: int, attributes: int) -> Iterable[tuple[int, ...]]:
    """All sets of k attributes."""
    if not 0 <= k <= attributes:
        raise ArgumentError("ways", k, f"from 0 to {attributes}, or a list of sets")
    if math.comb(attributes, k) > MAX_SETS:
        raise ArgumentError("ways", k, f"small enough for at most {MAX_SETS} tables")
    return combinations(range(attributes), k)


def _weighted(part: WorkloadPart, weights: Any) -> WorkloadPart:
    single = isinstance(weights, (int, float, str, Fraction)) or not isinstance(weights, Iterable)
    exact = _exact_weights([weights] if single else weights, 1 if single else part.queries)
    return part if all(weight == 1 for weight in exact) else Weighted(part, exact)


def _exact_weights(
    weights: Any, count: int, which: str = "one weight for each query"
) -> tuple[Fraction, ...]:
    given = _listed("weights", weights)
    if len(given) != count:
        raise ArgumentError("weights", Described(f"{len(given)} weights"), f"{count}: {which}")
    exact = [rational(weight, "weights") for weight in given]
    for raw, weight in zip(given, exact, strict=True):
        if not Fraction(1, 10**9) <= weight <= 10**9 or _long(weight):
            raise ArgumentError("weights", raw, "from 1e-9 to 1e9, of few digits")
    if math.lcm(*{weight.denominator for weight in exact}).bit_length() > MAX_ENTRY_BITS:
        raise ArgumentError(
            "weights", Described("numbers of very many digits"), "numbers of fewer digits"
        )
    return tuple(exact)


def _long(value: Fraction) -> bool:
    return value.numerator.bit_length() + value.denominator.bit_length() > MAX_ENTRY_BITS


def _rows_of(matrix: Any) -> WorkloadPart:
    """The rows that were given, in whole numbers over one denominator."""
    rows = _lists(matrix)
    if not rows or not rows[0]:
        raise ArgumentError(
            "matrix", Described("an empty matrix"), "one row and one column or more"
        )
    if len(rows) > MAX_ROWS or len(rows) * len(rows[0]) > MAX_ENTRIES:
        raise ArgumentError(
            "matrix",
            Described(f"{len(rows)} rows of {len(rows[0])}"),
            f"at most {MAX_ROWS} rows and {MAX_ENTRIES} numbers",
        )
    known: dict[Any, Fraction] = {0: Fraction(0), 1: Fraction(1)}
    exact: list[list[Fraction]] = []
    for row in rows:
        if len(row) != len(rows[0]):
            raise ArgumentError(
                "matrix", Described("rows of different lengths"), "rows of equal length"
            )
        for value in row:
            if isinstance(value, bool) or value not in known:
                known[value] = _entry(value)
        exact.append([known[value] for value in row])
    below = math.lcm(*{entry.denominator for entry in known.values()})
    if below.bit_length() > MAX_ENTRY_BITS:
        raise ArgumentError(
            "matrix", Described("numbers of very many digits"), "numbers of fewer digits"
        )
    integers = tuple(tuple(int(entry * below) for entry in row) for row in exact)
    if not any(any(row) for row in integers):
        raise ArgumentError("matrix", Described("zeros only"), "a matrix that is not zero")
    return MatrixRows(integers, below)


def _entry(value: Any) -> Fraction:
    if isinstance(value, bool):
        return Fraction(int(value))
    entry = rational(value, "matrix")
    if entry and (not Fraction(1, 10**9) <= abs(entry) <= 10**9 or _long(entry)):
        raise ArgumentError("matrix", value, "0, or from 1e-9 to 1e9 in size")
    return entry


def _lists(matrix: Any) -> list[list[Any]]:
    """Lists in a list, whatever was handed over."""
    if hasattr(matrix, "tocoo"):  # SciPy's sparse matrices
        sparse = matrix.tocoo()
        if sparse.shape[0] * sparse.shape[1] > MAX_ENTRIES:
            raise ArgumentError(
                "matrix", Described(f"shape {sparse.shape}"), f"at most {MAX_ENTRIES} entries"
            )
        rows = [[0] * sparse.shape[1] for _ in range(sparse.shape[0])]
        for i, j, value in zip(
            sparse.row.tolist(), sparse.col.tolist(), sparse.data.tolist(), strict=True
        ):
            rows[i][j] += value
        return rows
    if hasattr(matrix, "to_numpy"):  # a data frame
        matrix = matrix.to_numpy()
    if hasattr(matrix, "tolist"):
        matrix = matrix.tolist()
    if isinstance(matrix, (str, bytes, dict)) or not isinstance(matrix, Iterable):
        raise ArgumentError("matrix", Described(type(matrix).__name__), "rows of numbers")
    lists = []
    for row in matrix:
        entries = row.tolist() if hasattr(row, "tolist") else row
        if isinstance(entries, (str, bytes, dict)) or not isinstance(entries, Iterable):
            raise ArgumentError(
                "matrix", Described(type(entries).__name__), "rows of numbers, two-dimensional"
            )
        lists.append(list(entries))
        if any(isinstance(value, (list, tuple, dict)) for value in lists[-1]):
            raise ArgumentError("matrix", Described("three dimensions or more"), "rows of numbers")
    return lists
