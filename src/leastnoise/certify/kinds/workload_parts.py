"""Workloads in a mechanism file: each part read strictly, or refused. Standard library only."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ...errors import FormatError
from ...problem.workload import (
    MAX_ATTRIBUTES,
    MAX_ENTRIES,
    MAX_ENTRY_BITS,
    MAX_ROWS,
    MAX_SETS,
    MAX_TABLE,
    MAX_TABLES,
)
from ...problem.workload_parts import NAMES, MatrixRows, Named, Stack, Weighted, WorkloadPart
from ...problem.workload_tables import MarginalsPart, Product
from ...work import charge
from ..codec import Codec
from ..fields import (
    check_keys,
    demand,
    read_exactly,
    read_integer,
    read_list,
    read_object,
    read_positive,
)

MAX_RANK = 400
MAX_PARTS, MAX_ALL_PARTS, MAX_DEPTH = 30, 1_000, 6
MAX_NUMBER_BITS = 256
#: Of an entry of all rows over one denominator, and of a weight: those of products multiply.
MAX_PART_BITS = 1_024


def read_wholes(value: object, name: str, length: int) -> list[int]:
    """So many whole numbers, none of them long."""
    numbers = read_exactly(value, name, length)
    charge(1 + len(numbers) // 8)
    for number in numbers:
        # (bool is an int, and is no number here)
        if type(number) is not int or number.bit_length() > MAX_NUMBER_BITS:
            raise FormatError(f'"{name}" must hold whole numbers of {MAX_NUMBER_BITS} bits')
    return numbers


def wholes(most: int, least: int = 0) -> Codec[tuple[int, ...]]:
    """At most so many integers, none of them long."""

    def read(value: object, name: str) -> tuple[int, ...]:
        entries = read_list(value, name, most)
        demand(len(entries) >= least, f'"{name}" must not be empty')
        return tuple(read_wholes(entries, name, len(entries)))

    return Codec(read, list)


def read_workload(value: object) -> WorkloadPart:
    """A workload; its tables and sums are small enough to be checked."""
    return _part(value, 0, [])


def _part(value: object, depth: int, seen: list[None]) -> WorkloadPart:
    """The same inside another; `seen` has an entry for each part so far."""
    demand(depth < MAX_DEPTH, '"workload" is too deep')
    demand(len(seen) < MAX_ALL_PARTS, f'"workload" must have at most {MAX_ALL_PARTS} parts')
    seen.append(None)
    charge(40)
    data = read_object(value, "workload")
    if "name" in data:
        check_keys(data, "workload", {"name", "cells"}, set())
        demand(data["name"] in NAMES, f'"name" must be one of {", ".join(NAMES)}')
        return Named(data["name"], read_integer(data["cells"], "cells", 1, MAX_ROWS))
    if "rows" in data:
        return _rows(data)
    if "of" in data:
        return _weighted(data, depth, seen)
    if "marginals" in data:
        return _marginals(data)
    for name, made in (("stack", Stack), ("product", Product)):
        if name in data:
            check_keys(data, "workload", {name}, set())
            given = read_list(data[name], name, MAX_PARTS)
            demand(len(given) > 1, f'"{name}" must have two parts or more')
            parts = tuple(_part(part, depth + 1, seen) for part in given)
            cells = {part.cells for part in parts}
            demand(name == "product" or len(cells) == 1, '"stack" must be of one number of cells')
            demand(
                name == "stack" or math.prod(part.cells for part in parts) <= MAX_TABLE,
                f'"product" must have at most {MAX_TABLE} cells',
            )
            return made(parts)
    raise FormatError('"workload" must have name, rows, of, marginals, stack or product')


def _rows(data: dict[str, Any]) -> WorkloadPart:
    check_keys(data, "workload", {"rows", "denominator"}, set())
    given = read_list(data["rows"], "rows", MAX_ROWS)
    demand(len(given) > 0 and isinstance(given[0], list) and len(given[0]) > 0, '"rows" are empty')
    demand(len(given) * len(given[0]) <= MAX_ENTRIES, '"rows" are too many')
    rows = tuple(tuple(read_wholes(row, "rows", len(given[0]))) for row in given)
    demand(any(any(row) for row in rows), '"rows" must not all be 0')
    over = read_positive(data["denominator"], "denominator")
    demand(
        over.denominator == 1 and over.numerator.bit_length() <= MAX_ENTRY_BITS,
        '"denominator" must be whole and short',
    )
    return MatrixRows(rows, int(over))


def demand_short(part: WorkloadPart) -> None:
    """`FormatError` if numbers of the questions, or of their weights, are long together."""
    words = f'"workload" must have numbers of at most {MAX_PART_BITS} bits together'
    below, most = part.weight_size()
    demand(below.bit_length() + most <= MAX_PART_BITS, words)
    demand(part.denominator.bit_length() + part.entry_bits() <= MAX_PART_BITS, words)


def _weights(value: object, count: int) -> tuple[Fraction, ...]:
    weights = tuple(
        read_positive(weight, "weights") for weight in read_exactly(value, "weights", count)
    )
    common = 1
    for weight in weights:
        common = math.lcm(common, weight.denominator)
        demand(common.bit_length() <= MAX_ENTRY_BITS, '"weights" must be short together')
        demand(weight.numerator.bit_length() <= MAX_ENTRY_BITS, '"weights" must be short')
    return weights


def _weighted(data: dict[str, Any], depth: int, seen: list[None]) -> WorkloadPart:
    check_keys(data, "workload", {"weights", "of"}, set())
    part = _part(data["of"], depth + 1, seen)
    demand(part.queries <= MAX_TABLES, '"weights" are too many')
    given = read_list(data["weights"], "weights", part.queries)
    demand(len(given) in (1, part.queries), '"weights" must be one, or one for each question')
    return Weighted(part, _weights(given, len(given)))


def _marginals(data: dict[str, Any]) -> WorkloadPart:
    check_keys(data, "workload", {"marginals", "sets"}, {"weights"})
    given = read_list(data["marginals"], "marginals", MAX_ATTRIBUTES)
    sizes = tuple(read_integer(size, "marginals", 1, MAX_TABLE) for size in given)
    demand(len(sizes) > 0, '"marginals" must have an attribute')
    sets = []
    for chosen_names in read_list(data["sets"], "sets", MAX_SETS):
        listed = read_list(chosen_names, "sets", min(len(sizes), 16))
        chosen = tuple(read_integer(i, "sets", 0, len(sizes) - 1) for i in listed)
        demand(list(chosen) == sorted(set(chosen)), '"sets" must rise')
        charge(4 << len(chosen))
        sets.append(chosen)
    demand(len(sets) > 0 and len(set(sets)) == len(sets), '"sets" must be some, none twice')
    part = MarginalsPart(sizes, tuple(sets))
    demand(part.queries <= MAX_TABLES, f'"sets" must have at most {MAX_TABLES} cells in all')
    if "weights" in data:
        return MarginalsPart(sizes, tuple(sets), _weights(data["weights"], len(sets)))
    return part
