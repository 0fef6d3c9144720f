"""One engine expression: rows filtered, clamped, bounded per person, added up by group.

Everything is a whole number, and a unit's part in every sum is bounded whatever its rows hold.
Statements and proofs: `bounding.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .engine import has, run
from .scale import Scale
from .unit import Person, Unit
from .where import column_of, number_and_missing

#: Sums are taken of pieces of so many bits: 2^32 rows cannot overflow 64.
_PIECE = 31
#: A row of a person with too many weighs a whole number of these parts.
WEIGHT = 1 << 20
#: Public keys up to this number are sifted in the engine, more of them afterwards.
_SIFTED = 1000


@dataclass(frozen=True)
class Request:
    """What is asked of the engine; every field is public."""

    unit: Unit
    where: Callable[[Any], Any] | None = None
    #: The row's number: None to count rows only. A boolean function for shares.
    value: Callable[[Any], Any] | None = None
    scale: Scale | None = None
    squares: bool = False
    cells: bool = False  # add up weights by cell of the scale, for quantiles
    fill: bool = False  # a row without a value counts as the middle
    group: Callable[[Any], Any] | None = None
    keys: tuple[str, ...] | None = None
    max_groups: int | None = None  # None: nothing to enforce


@dataclass(frozen=True)
class Sums:
    """Exact sums of one group: of rows, scaled values, squares of (2 value - top), persons."""

    rows: int = 0
    values: int = 0
    squares: int = 0
    units: int = 0
    cells: dict[int, int] = field(default_factory=dict)


def aggregate(table: Any, request: Request) -> dict[str, Sums]:
    """The sums by group; the group of everything is ""."""
    rows = _rows(table, request)
    if request.cells:
        return _cells(rows, request)
    sums = _by_person(rows, request) if isinstance(request.unit, Person) else _by_row(rows, request)
    found = run(sums, request.keys)
    result = {}
    for i, key in enumerate(found["g"]):
        result[key] = Sums(
            rows=found["n"][i] or 0,
            units=found["u" if "u" in found else "n"][i] or 0,
            values=_joined(found, "s", i),
            squares=_joined(found, "q", i),
        )
    return result


def _rows(table: Any, request: Request) -> Any:
    """Row by row: the group g, the value v, the person p.

    Rows without a group or a value are left out later, where that costs nothing: a sum passes over
    NULL, and a group NULL is not asked for.
    """
    import ibis

    if request.where is not None:
        table = table.filter(request.where(table))
    columns = {"g": ibis.literal("")} if request.group is None else {"g": request.group(table)}
    if request.value is not None:
        columns["v"] = request.value(table)
    if isinstance(request.unit, Person):
        columns["p"] = column_of(table, request.unit.id, "unit")
    rows = table.select(**columns)
    if request.fill and request.scale is not None:
        rows = rows.mutate(v=rows.v.fill_null(request.scale.top // 2))
    if "p" in columns:
        rows = rows.filter(rows.p.notnull())
    if request.max_groups is not None:
        # The groups of a person are chosen among those that are asked for.
        rows = rows.filter(rows.g.notnull())
        if request.keys is not None and len(request.keys) <= _SIFTED:
            rows = rows.filter(rows.g.isin(list(request.keys)))
    return rows


def _counted(rows: Any, request: Request) -> Any:
    """How many rows count: those with a value, if there is one to have."""
    return rows.count() if request.value is None else rows.v.count()


def scaled(column: Any, scale: Scale, argument: str) -> Any:
    """The column as a whole number from 0 to scale.top, NULL where there is no number."""
    import ibis

    per = 1 / scale.step
    if column.type().is_signed_integer() and scale.low.denominator == per.denominator == 1:
        # Whole numbers all the way: (high - low) / step fits 64 bits many times over.
        number = column.cast("int64")
        low, high = int(scale.low), math.floor(scale.high)
        steps = (ibis.greatest(low, ibis.least(high, number)) - low) * int(per)
        missing = number.isnull()
    else:
        number, missing = number_and_missing(column, argument)
        ends = [ibis.literal(float(end), "float64") for end in (scale.low, scale.high)]
        away = ibis.greatest(ends[0], ibis.least(ends[1], number)) - ends[0]
        if per.denominator == 1:
            away = away * ibis.literal(float(per), "float64")
        else:
            away = away / ibis.literal(float(scale.step), "float64")
        steps = (away + 0.5).floor().cast("int64")
    # Whatever happened before in floating point, this holds: a number from 0 to top, or NULL.
    # (Cases, and not least and greatest: DuckDB is a third faster with them.)
    return ibis.cases(
        (missing, ibis.null("int64")),
        (steps.between(0, scale.top), steps),
        (steps < 0, ibis.literal(0, "int64")),
        else_=ibis.literal(scale.top, "int64"),
    )


def _by_row(rows: Any, request: Request) -> Any:
    sums = {"n": _counted(rows, request)}
    if request.value is not None:
        sums |= _pieces("s", rows.v, _bits(request.scale, 1))
        if request.squares:
            sums |= _pieces("q", _square(rows.v, request.scale), 2 * _bits(request.scale, 1))
    return _grouped(rows, request, sums)


def _grouped(rows: Any, request: Request, sums: dict[str, Any]) -> Any:
    """The sums by group; everything is one group, "", where none is asked for."""
    import ibis

    if request.group is not None:
        return rows.group_by("g").agg(**sums)
    return rows.aggregate(**sums).mutate(g=ibis.literal(""))


def _by_person(rows: Any, request: Request) -> Any:
    """First person by person, then over persons: each adds at most max_rows rows to a group."""
    import ibis

    unit = request.unit
    sums = {"n": _counted(rows, request)}
    if request.value is not None:
        sums["s"] = _whole_sum(rows.v)
        if request.squares:
            sums["q"] = _whole_sum(_square(rows.v, request.scale))
    each = _few_groups(_present(rows.group_by("p", "g").agg(**sums), request), request)
    most = unit.max_rows
    top = request.scale.top if request.scale is not None else 0
    bounded = {"g": each.g, "n": ibis.least(each.n, most)}
    if request.value is not None:
        bounded["s"] = _at_most(each.s, each.n, most, most * top)
        if request.squares:
            bounded["q"] = _at_most(each.q, each.n, most, most * top * top)
    people = each.select(**bounded)
    totals = {"n": _whole_sum(people.n), "u": people.count()}
    if request.value is not None:
        totals |= _pieces("s", people.s, _bits(request.scale, most))
        if request.squares:
            totals |= _pieces("q", people.q, 2 * _bits(request.scale, most))
    return _grouped(people, request, totals)


def _present(each: Any, request: Request) -> Any:
    """Only persons with rows that count."""
    return each if request.value is None else each.filter(each.n > 0)


def _few_groups(each: Any, request: Request) -> Any:
    """Keep the max_groups groups of a person that come first in an order of the person's own."""
    import ibis

    if request.max_groups is None:
        return each
    order = [each.g]
    if has(each, "HexDigest"):
        # Mixed, so that no group is favoured; which order it is does not matter for privacy.
        order = [(each.p.cast("string") + ":" + each.g).hexdigest("md5"), each.g]
    ranked = each.mutate(
        leastnoise_rank=ibis.row_number().over(ibis.window(group_by=each.p, order_by=order))
    )
    return ranked.filter(ranked.leastnoise_rank < request.max_groups).drop("leastnoise_rank")


def _at_most(total: Any, count: Any, most: int, largest: int) -> Any:
    """total, or floor(total * most / count) where count > most; always from 0 to `largest`."""
    import ibis

    over = _quotient(total, count) * most + _quotient((total % count) * most, count)
    bounded = ibis.ifelse(count <= most, total, over)
    return ibis.greatest(0, ibis.least(largest, bounded)).cast("int64")


def _quotient(total: Any, count: Any) -> Any:
    """floor(total / count) for whole numbers >= 0: what is divided is a multiple of count."""
    exact = (total - total % count).cast("float64") / count.cast("float64")
    return (exact + 0.5).floor().cast("int64")


def _square(value: Any, scale: Scale | None) -> Any:
    top = scale.top if scale is not None else 0
    centred = value * 2 - top
    return centred * centred


def _bits(scale: Scale | None, times: int) -> int:
    return ((scale.top if scale is not None else 1) * times).bit_length()


def _pieces(name: str, value: Any, bits: int) -> dict[str, Any]:
    """The sum of a whole number >= 0 as sums of its digits to the base 2^31."""
    if bits <= _PIECE:
        return {f"{name}0": _whole_sum(value)}
    return {
        f"{name}{i}": _whole_sum((value >> (_PIECE * i)) & ((1 << _PIECE) - 1))
        for i in range(-(-bits // _PIECE))
    }


def _whole_sum(value: Any) -> Any:
    """The sum as a 64-bit number in the engine itself, whatever wider type it adds up in.

    Ibis leaves out a cast to what it takes the type to be already, hence the detour.
    """
    return value.sum().cast("decimal(38, 0)").cast("int64")


def _joined(found: dict[str, list[Any]], name: str, row: int) -> int:
    total = 0
    for column, values in found.items():
        if column[0] == name and column[1:].isdigit():
            total += (values[row] or 0) << (_PIECE * int(column[1:]))
    return total


def _cells(rows: Any, request: Request) -> dict[str, Sums]:
    """Weights by group and cell: a row weighs WEIGHT, less if its person has too many rows."""
    import ibis

    if isinstance(request.unit, Person):
        most = request.unit.max_rows
        each = _present(rows.group_by("p", "g").agg(n=_counted(rows, request)), request)
        each = _few_groups(each, request)
        joined = rows.join(each, ["p", "g"])
        share = _quotient(ibis.literal(WEIGHT * most, "int64") + joined.n * 0, joined.n)
        weight = ibis.ifelse(joined.n <= most, WEIGHT, share)
        weight = ibis.greatest(0, ibis.least(WEIGHT, weight)).cast("int64")
        joined = joined.select(g=joined.g, v=joined.v, w=weight)
        sums = joined.group_by("g", "v").agg(**_pieces("w", joined.w, WEIGHT.bit_length()))
    else:
        sums = rows.group_by("g", "v").agg(u=rows.count())
    found = run(sums, request.keys)
    result: dict[str, dict[int, int]] = {}
    for i, key in enumerate(found["g"]):
        if found["v"][i] is None:
            continue
        weight = found["u"][i] * WEIGHT if "u" in found else _joined(found, "w", i)
        result.setdefault(key, {})[found["v"][i]] = weight
    return {key: Sums(cells=cells) for key, cells in result.items()}


def centred(sums: Sums, scale: Scale) -> int:
    """The sum of 2 value - top: twice the distance from the middle, in steps."""
    return 2 * sums.values - scale.top * sums.rows


def exact_total(sums: Sums, scale: Scale) -> Fraction:
    """The sum of the values themselves."""
    return scale.low * sums.rows + scale.step * sums.values
