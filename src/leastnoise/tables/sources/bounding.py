"""One query for an engine: rows filtered, clamped, bounded per person, added up by group.

Everything is a whole number, and a unit's part in every sum is bounded whatever its rows hold.
Statements and proofs: `bounding.proof.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard, cast

from ..axes.crossed import label_of
from ..axes.scale import Scale
from ..unit import Unit
from . import Table
from .rows import RowValue, TableRows, shown, sought, written
from .table import SumsQuery

#: Squares are added up in two pieces, the lower one of so many bits: 2^32 rows fit 64.
_PIECE = 31
#: A row of a person with too many weighs a whole number of these parts.
WEIGHT = 1 << 20
#: What becomes of the rows of a person are whole numbers of these parts.
COVERED = 1 << 20
#: Public keys up to this number are sifted in the engine, more of them afterwards: a key has at
#: most 1,000 bytes, so one row cannot make the result large.
_SIFTED = 1000


@dataclass(frozen=True)
class Request:
    """What is asked of the engine; every field is public."""

    unit: Unit
    where: Callable[[TableRows], str] | None = None
    #: The row's whole number, NULL if it has none: None to count rows only.
    value: Callable[[TableRows], str] | None = None
    scale: Scale | None = None
    #: The same of further columns of a vector, that are added up over the very same rows.
    further: tuple[tuple[Callable[[TableRows], str], Scale], ...] = ()
    squares: bool = False
    cells: bool = False  # add up weights by cell of the scale, for quantiles
    #: With cells: whole rows and no weights. Of a person with too many, so many that are evenly
    #: spread over the person's cells.
    whole: bool = False
    fill: bool = False  # a row without a value counts as the middle
    coverage: bool = False  # which part of a unit's rows is counted, and which has no value
    absent: bool = False  # count the rows without a value, too: where a unit is a row
    #: What makes a row's key: one cell, or several, whose keys are then not public.
    group: Callable[[TableRows], tuple[RowValue, ...]] | None = None
    keys: tuple[str, ...] | None = None
    max_groups: int | None = None  # None: nothing to enforce


class GroupSums(NamedTuple):
    """Exact sums of one group: of rows, scaled values, squares of (2 value - top), persons.

    further: the sums of the scaled values of further columns. absent: rows without a value.
    """

    rows: int = 0
    values: int = 0
    squares: int = 0
    units: int = 0
    cells: Mapping[int, int] = MappingProxyType({})
    further: tuple[int, ...] = ()
    absent: int = 0


@dataclass(frozen=True)
class Reading:
    """A query that is ready: its SQL, the columns it reads, and what its rows mean."""

    table: Table
    request: Request
    query: str
    columns: tuple[str, ...]  # of the result
    names: tuple[str, ...]  # of the table
    kinds: tuple[str, ...]  # of what makes a key, in its order

    @property
    def by(self) -> list[str]:
        """The columns of the result that make a key: they come first."""
        return list(self.columns[: len(self.kinds)])

    def check(self) -> None:
        """See that the engine understands it; no row is read."""
        self.table.engine.check(self.query)

    def sums(self) -> dict[str, GroupSums]:
        """The sums by group; the group of everything is "". The table must be loaded.

        Column by column, for there may be a million groups.
        """
        columns = self._read()
        keys = self._keys(columns)
        columns_read = {
            name: [int(x or 0) for x in column]
            for name, column in zip(self.columns, columns, strict=True)
            if name not in (*self.by, "v")
        }
        if self.request.cells:
            return _by_cell(keys, columns[self.columns.index("v")], columns_read["w"])
        none = [0] * len(keys)
        rows = columns_read["n"]
        squares = self._squares(columns_read) if "q0" in columns_read else none
        sums = rows, columns_read.get("s", none), squares, columns_read.get("u", rows)
        every: Iterable[GroupSums] = map(GroupSums, *sums)
        if self.request.coverage:
            return {"": GroupSums(rows[0], columns_read["s"][0], absent=columns_read["m"][0])}
        if "t" in columns_read:
            absent = [total - n for total, n in zip(columns_read["t"], rows, strict=True)]
            every = (sums._replace(absent=a) for sums, a in zip(every, absent, strict=True))
        if self.request.further:
            more = zip(*(columns_read[name] for name, _, _ in _further(self.request)), strict=True)
            every = (GroupSums(*row[:4], further=row[4]) for row in zip(*sums, more, strict=True))
        named_sums = dict(zip(keys, every, strict=True))
        named_sums.pop(None, None)
        return cast(dict[str, GroupSums], named_sums)

    def _read(self) -> Sequence[Sequence[Any]]:
        """The columns of the result: of all persons at once, or of some after the others."""
        table, unit = self.table, self.request.unit.column
        person = None if unit is None else table.column(unit, "unit").person
        if person is None:
            return table.engine.read_columns(self.query, len(self.columns))
        return table.engine.read_people(table.relation, person, self._of)

    def _of(self, relation: str) -> SumsQuery:
        """The same of another relation that has the table's columns."""
        reading = reading_of(replace(self.table, relation=relation), self.request)
        by = len(self.kinds) + ("v" in self.columns)
        return SumsQuery(reading.query, self.columns, by)

    def _keys(self, columns: Sequence[Sequence[Any]]) -> Sequence[str | None]:
        """The group of each row of the result, None if it has none or it is not asked for."""
        if not self.kinds:
            return [""] * len(columns[0])
        by = zip(self.kinds, columns[: len(self.kinds)], strict=True)
        parts = [
            [None if value is None else shown(kind, value) for value in column]
            for kind, column in by
        ]
        if len(parts) > 1:
            return [label_of(key) if _complete(key) else None for key in zip(*parts, strict=True)]
        (keys,), (kind,) = parts, self.kinds
        if self.request.keys is None:
            return keys
        named = {written(kind, key): key for key in self.request.keys}
        return [None if key is None else named.get(key) for key in keys]

    def _squares(self, columns: Mapping[str, list[int]]) -> list[int]:
        """Put together from their lower and upper bits, of persons with few rows and with many."""
        none = [0] * len(columns["q0"])
        names = ("q0", "q1", "m0", "m1", "r")
        pieces = zip(*(columns.get(name, none) for name in names), strict=True)
        most = self.request.unit.max_rows_per_group
        return [
            q0 + (q1 << _PIECE) + most * (m0 + (m1 << _PIECE)) + r for q0, q1, m0, m1, r in pieces
        ]


def _further(request: Request) -> list[tuple[str, Callable[[TableRows], str], Scale]]:
    """Further columns of a vector, each with the name of its values and of their sum."""
    return [(f"s{i}", *term) for i, term in enumerate(request.further, 1)]


def _complete(key: tuple[str | None, ...]) -> TypeGuard[tuple[str, ...]]:
    """Whether no part of a key is missing."""
    return None not in key


def _by_cell(
    keys: Sequence[str | None], cells: Sequence[Any], weights: Sequence[int]
) -> dict[str, GroupSums]:
    """The weights of each group by cell of the scale."""
    histograms: dict[str, dict[int, int]] = {}
    for key, cell, weight in zip(keys, cells, weights, strict=True):
        if key is not None and cell is not None:
            histograms.setdefault(key, {})[int(cell)] = weight
    return {key: GroupSums(cells=cells) for key, cells in histograms.items()}


def reading_of(table: Table, request: Request) -> Reading:
    """The query for a request; an `ArgumentError` where the schema does not allow it."""
    return _Writer(table, request).reading()


class _Writer:
    """Writes the query of one request."""

    def __init__(self, table: Table, request: Request) -> None:
        self.table, self.request = table, request
        self.rows = TableRows(table)
        self.engine = table.engine
        self.top = request.scale.top if request.scale is not None else 0
        self.groups = () if request.group is None else request.group(self.rows)
        self.by = [f"g{i}" for i in range(len(self.groups))]  # what they are called
        column = request.unit.column
        self.person = None if column is None else self.rows.person(column, "unit")

    def reading(self) -> Reading:
        request = self.request
        if request.coverage:
            query, columns = self._coverage()
            return Reading(self.table, request, query, tuple(columns), self.rows.names, ())
        if request.cells:
            query, columns = self._cells()
        elif self.person is None:
            query, columns = self._by_row()
        else:
            query, columns = self._by_person()
        kinds = tuple(group.kind for group in self.groups)
        return Reading(self.table, request, query, tuple(columns), self.rows.names, kinds)

    # -- rows -------------------------------------------------------------------------------------

    def _rows(self) -> str:
        """Row by row: the group g, the value v, the person p.

        Rows without a group or a value are left out later, where that costs nothing: a sum passes
        over NULL, and a group NULL is not asked for. These few bytes are sorted and grouped, and
        never a text that they were made of.
        """
        request, cells = self.request, []
        conditions = [] if request.where is None else [request.where(self.rows)]
        cells += [
            f"{group.sql} AS {name}" for group, name in zip(self.groups, self.by, strict=True)
        ]
        if request.value is not None:
            cells.append(f"{self._filled(request.value, self.top)} AS v")
        cells += [
            f"{self._filled(value, scale.top)} AS {name}"
            for name, value, scale in _further(request)
        ]
        if self.person is not None:
            cells.append(f"{self.person.sql} AS p")
            conditions.append(f"{self.person.sql} IS NOT NULL")
        for group in self.groups:
            # The groups of a person are chosen among those that are asked for.
            if request.max_groups is not None:
                conditions.append(f"{group.sql} IS NOT NULL")
            conditions += self._sifted(group)
        return self._chosen(cells, conditions)

    def _filled(self, value: Callable[[TableRows], str], top: int) -> str:
        """A row's whole number; the middle where there is none, if that is asked for."""
        filled = value(self.rows)
        middle = self.engine.whole(top // 2)
        return f"COALESCE({filled}, {middle})" if self.request.fill else filled

    def _sifted(self, group: RowValue) -> list[str]:
        keys = self.request.keys
        if keys is None or len(keys) > _SIFTED:
            return []
        literals = [literal for key in keys if (literal := sought(group.kind, key)) is not None]
        if not literals:
            return ["FALSE"]
        return [f"{group.sql} IN ({', '.join(literal(self.engine) for literal in literals)})"]

    @property
    def _counted(self) -> str:
        """How many rows count: those with a value, if there is one to have."""
        return "COUNT(*)" if self.request.value is None else "COUNT(v)"

    def _sums_of_rows(self) -> dict[str, str]:
        """The sums over rows, by name."""
        sums = {"n": self._counted}
        if self.request.absent:
            sums["t"] = "COUNT(*)"
        if self.request.scale is not None:
            sums["s"] = self.engine.sum_of("v")
            sums |= {name: self.engine.sum_of(name) for name, _, _ in _further(self.request)}
            if self.request.squares:
                centred = f"(v * 2 - {self.engine.whole(self.top)})"
                sums |= self._pieces("q", f"({centred} * {centred})")
        return sums

    def _pieces(self, name: str, value: str) -> dict[str, str]:
        """The sum of a whole number >= 0 as sums of its lower and its upper bits."""
        lower = self.engine.whole((1 << _PIECE) - 1)
        return {
            f"{name}0": self.engine.sum_of(f"({value} & {lower})"),
            f"{name}1": self.engine.sum_of(self.engine.shifted(value, _PIECE)),
        }

    def _by_row(self) -> tuple[str, list[str]]:
        return self._grouped(self._rows(), self._sums_of_rows())

    def _grouped(self, rows: str, sums: dict[str, str]) -> tuple[str, list[str]]:
        """The sums by group, or of everything."""
        columns = {name: name for name in self.by} | sums
        chosen = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
        by = f" GROUP BY {', '.join(self.by)}" if self.by else ""
        return f"SELECT {chosen} FROM ({rows}) AS t{by}", list(columns)

    # -- persons ----------------------------------------------------------------------------------

    @property
    def _by(self) -> str:
        return ", ".join(["p", *self.by])

    def _each(self, sums: dict[str, str]) -> str:
        """Person by person, in each of a person's groups; only where rows count."""
        chosen = ", ".join(f"{sql} AS {name}" for name, sql in sums.items())
        having = "" if self.request.value is None else f" HAVING {self._counted} > 0"
        each = f"SELECT {self._by}, {chosen} FROM ({self._rows()}) AS t GROUP BY {self._by}{having}"
        if not self._chooses_groups:
            return each
        ranked = (
            f"SELECT e.*, ROW_NUMBER() OVER (PARTITION BY p ORDER BY {self._mixed()}) AS k "
            f"FROM ({each}) AS e"
        )
        names = ", ".join([self._by, *sums])
        return f"SELECT {names} FROM ({ranked}) AS f WHERE k <= {self.request.max_groups}"

    @property
    def _chooses_groups(self) -> bool:
        """Whether not all groups of a person may count."""
        return self.request.max_groups is not None and bool(self.by)

    def _mixed(self) -> str:
        """An order of the person's own, by which groups come first, so that none is favoured."""
        assert self.person is not None
        named = zip(self.groups, self.by, strict=True)
        keys = [(group.form, name) for group, name in named]
        return ", ".join([self.engine.mixed((self.person.form, "p"), keys), *self.by])

    def _by_person(self) -> tuple[str, list[str]]:
        """First unit by unit, then over units: each adds at most so many rows to a group."""
        most = self.request.unit.max_rows_per_group
        part = {name: name for name in self.by}
        part["n"] = f"LEAST(n, {self.engine.whole(most)})"
        totals = {"n": self.engine.sum_of("n"), "u": "COUNT(*)"}
        if self.request.scale is not None:
            tops = {name: scale.top for name, _, scale in _further(self.request)}
            for name, top in ({"s": self.top} | tops).items():
                part[name] = (
                    f"CASE WHEN n <= {most} THEN {name} ELSE {self._weighed(name, top)} END"
                )
                totals[name] = self.engine.sum_of(name)
            if self.request.squares:
                part |= self._squares(most)
                totals |= {
                    "q0": self.engine.sum_of("q0"),
                    "q1": self.engine.sum_of("q1"),
                    "r": self.engine.sum_of("r"),
                }
                totals |= self._pieces("m", "m")
        chosen = ", ".join(f"{sql} AS {name}" for name, sql in part.items())
        people = f"SELECT {chosen} FROM ({self._each(self._sums_of_rows())}) AS people"
        return self._grouped(people, totals)

    def _weighed(self, s: str, top: int) -> str:
        """floor(s * R / n), from 0 to R * top, for a unit with n > R = max_rows_per_group."""
        engine, most = self.engine, self.request.unit.max_rows_per_group
        count = f"GREATEST(n, {engine.whole(1)})"
        whole, rest = engine.quotient(s, count), f"(({s} % {count}) * {engine.whole(most)})"
        over = f"{whole} * {engine.whole(most)} + {engine.quotient(rest, count)}"
        return f"LEAST({engine.whole(most * top)}, GREATEST({engine.whole(0)}, {over}))"

    def _squares(self, most: int) -> dict[str, str]:
        """Squares of a unit: exact with few rows, else R = max_rows_per_group times their mean."""
        engine, limit = self.engine, float(self.top * self.top)
        upper = f"CAST(q1 AS {engine.double}) * {engine.real(float(1 << _PIECE))}"
        count = f"CAST(GREATEST(n, {engine.whole(1)}) AS {engine.double})"
        mean = f"(({upper} + CAST(q0 AS {engine.double})) / {count})"
        mean = f"LEAST({engine.real(limit)}, GREATEST({engine.real(0.0)}, {mean}))"
        rest = f"FLOOR(({mean} - FLOOR({mean})) * {engine.real(float(most))})"
        rest = f"LEAST({engine.real(float(most - 1))}, {rest})"
        few = f"n <= {most}"
        none = engine.whole(0)
        return {
            "q0": f"CASE WHEN {few} THEN q0 ELSE {none} END",
            "q1": f"CASE WHEN {few} THEN q1 ELSE {none} END",
            "m": f"CASE WHEN {few} THEN {none} ELSE CAST(FLOOR({mean}) AS BIGINT) END",
            "r": f"CASE WHEN {few} THEN {none} ELSE CAST({rest} AS BIGINT) END",
        }

    # -- what becomes of rows ---------------------------------------------------------------------

    def _coverage(self) -> tuple[str, list[str]]:
        """Units, and the parts of each one's rows that are counted and that lack a value or a key.

        Rows that can be counted have v = 0. Of each person at least 0 and at most all are.
        """
        request, columns = self.request, ["n", "s", "m"]
        where = [] if request.where is None else [request.where(self.rows)]
        cells = [self._countable()]
        if self.person is None:
            sums = "COUNT(*) AS n, COUNT(v) AS s, COUNT(*) - COUNT(v) AS m"
            return f"SELECT {sums} FROM ({self._chosen(cells, where)}) AS t", columns
        named = zip(self.groups, self.by, strict=True)
        cells += [f"{group.sql} AS {name}" for group, name in named]
        cells.append(f"{self.person.sql} AS p")
        where.append(f"{self.person.sql} IS NOT NULL")
        each = (
            f"SELECT {self._by}, COUNT(*) AS t, COUNT(v) AS n FROM ({self._chosen(cells, where)})"
        )
        people = self._covered(f"{each} AS r GROUP BY {self._by}")
        part, rows = self.engine.whole(COVERED), f"GREATEST(t, {self.engine.whole(1)})"
        counted = self.engine.quotient(f"(c * {part})", rows)
        lacking = self.engine.quotient(f"((t - n) * {part})", rows)
        parts = f"SELECT {counted} AS a, {lacking} AS b FROM ({people}) AS g"
        sums = f"COUNT(*) AS n, {self.engine.sum_of('a')} AS s, {self.engine.sum_of('b')} AS m"
        return f"SELECT {sums} FROM ({parts}) AS h", columns

    def _countable(self) -> str:
        """0 for a row that has a value and a group that is asked for, else NULL."""
        conditions = []
        if self.request.value is not None:
            conditions.append(f"{self._filled(self.request.value, self.top)} IS NOT NULL")
        for group in self.groups:
            conditions += self._sifted(group) or [f"{group.sql} IS NOT NULL"]
        return (
            f"CASE WHEN {' AND '.join(conditions) or 'TRUE'} THEN {self.engine.whole(0)} END AS v"
        )

    def _covered(self, each: str) -> str:
        """Of each person all rows, those that can be counted, and those that are."""
        request, none = self.request, self.engine.whole(0)
        few = f"LEAST(n, {self.engine.whole(request.unit.max_rows_per_group)})"
        if self._chooses_groups:
            first = f"CASE WHEN n > 0 THEN {none} ELSE {self.engine.whole(1)} END"
            order = f"PARTITION BY p ORDER BY {first}, {self._mixed()}"
            each = f"SELECT e.*, ROW_NUMBER() OVER ({order}) AS k FROM ({each}) AS e"
            few = f"CASE WHEN k <= {request.max_groups} THEN {few} ELSE {none} END"
        named = {"t": "t", "n": "n", "c": few}
        sums = ", ".join(f"{self.engine.sum_of(sql)} AS {name}" for name, sql in named.items())
        return f"SELECT p, {sums} FROM ({each}) AS f GROUP BY p"

    def _chosen(self, cells: list[str], where: list[str]) -> str:
        """These cells of the rows for which all of this is true."""
        kept = f" WHERE {' AND '.join(where)}" if where else ""
        chosen = f"SELECT {', '.join(cells) or '1 AS one'} FROM {self.rows.source()}"
        return chosen + kept + self.engine.once

    # -- cells of a scale -------------------------------------------------------------------------

    def _cells(self) -> tuple[str, list[str]]:
        """Weights by group and cell: a row weighs WEIGHT, less if its person has too many rows.

        Or whole rows, if that is asked for.
        """
        engine, weight = self.engine, self.engine.whole(1 if self.request.whole else WEIGHT)
        names = [*self.by, "v"]
        by = ", ".join(names)
        if self.person is None:
            total = f"COUNT(*) * {weight}"
            return f"SELECT {by}, {total} AS w FROM ({self._rows()}) AS t GROUP BY {by}", [
                *names,
                "w",
            ]
        most = self.request.unit.max_rows_per_group
        count = f"GREATEST(n, {engine.whole(1)})"
        share = engine.quotient(engine.whole(WEIGHT * most), count)
        share = f"LEAST({weight}, GREATEST({engine.whole(0)}, {share}))"
        # The rows are read once: a view that draws them at random would not give the same again.
        each = (
            f"SELECT {self._by}, v, COUNT(*) AS c FROM ({self._rows()}) AS t "
            f"WHERE v IS NOT NULL GROUP BY {self._by}, v"
        )
        totals = [f"CAST(SUM(c) OVER (PARTITION BY {self._by}) AS BIGINT) AS n"]
        few = ""
        if self._chooses_groups:
            totals.append(f"DENSE_RANK() OVER (PARTITION BY p ORDER BY {self._mixed()}) AS k")
            few = f" WHERE k <= {self.request.max_groups}"
        if self.request.whole:
            so_far = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
            running = f"SUM(c) OVER (PARTITION BY {self._by} ORDER BY v {so_far})"
            totals.append(f"CAST({running} AS BIGINT) AS t")
        counted = f"SELECT e.*, {', '.join(totals)} FROM ({each}) AS e"
        if self.request.whole:
            row = f"CASE WHEN n <= {most} THEN c ELSE {engine.spread_rows(most)} END"
        else:
            row = f"(CASE WHEN n <= {most} THEN {weight} ELSE {share} END) * c"
        weighed = f"SELECT {by}, {row} AS w FROM ({counted}) AS f{few}"
        return f"SELECT {by}, {self.engine.sum_of('w')} AS w FROM ({weighed}) AS j GROUP BY {by}", [
            *names,
            "w",
        ]


def centred(sums: GroupSums, scale: Scale) -> int:
    """The sum of 2 value - top: twice the distance from the middle, in steps."""
    return 2 * sums.values - scale.top * sums.rows


def exact_total(sums: GroupSums, scale: Scale) -> Fraction:
    """The sum of the values themselves."""
    return scale.low * sums.rows + scale.step * sums.values
