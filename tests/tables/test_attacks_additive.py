"""Sums add up over units: every query with every grouping, whatever other units' rows hold.

The exact sums of a table are those of one unit's rows plus those of all other rows. So no row
changes how another one is read or counted: a stronger statement than any bound of a sensitivity.
"""

from __future__ import annotations

import csv
import datetime
import random
from contextlib import contextmanager
from itertools import cycle, zip_longest

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Bounds,
    Count,
    Coverage,
    Cumulative,
    Histogram,
    Marginals,
    Mean,
    MeanVector,
    Median,
    PrivacyUnit,
    Proportion,
    Quantile,
    Quantiles,
    RangeCounts,
    Sum,
    Summary,
    Variance,
)
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import duckdb, opened
from leastnoise.tables.unit import Row

UNITS = {
    "row": Row(),
    "two rows in one group": PrivacyUnit("p", 2, 1),
    "three rows in two groups": PrivacyUnit("p", 3, 2),
    "one row in every group": PrivacyUnit("p", 1),
}
KEYS = ["north", "south", "", "é", "e\u0301", "x'y", "a, b", "7"]
SIDES = ["u", "v"]
MOMENTS = ["0001-01-01", "1582-10-10", "1969-12-31", "2024-01-31", "2024-02-29", "9999-12-31"]
VALUES = {
    "g": [*KEYS, "North", '"', "x" * 1001, None],
    "h": [*SIDES, "w", None],
    "x": [0.0, -0.0, 2.5, 7.0, 11.0, -3.0, float("nan"), float("inf"), 5e-324, 1e300, None],
    "n": [0, 1, 7, 2**63 - 1, -(2**63), None],
    "s": ["1", " 1 ", "1e400", "nan", "true", "FALSE", "2024-01-31", "2024-02", "2024.", "٣", None],
    "b": [True, False, None],
    "d": [*map(datetime.date.fromisoformat, MOMENTS), None],
    "t": [
        *(datetime.datetime.fromisoformat(f"{day} 23:59:59.999999") for day in MOMENTS),
        datetime.datetime(2024, 2, 1),
        None,
    ],
}
GROUPS = {
    "no groups": {},
    "a filter": {"where": "not (x <= 1.5) or g = 'north' or d is null"},
    "public keys": {"by": "g", "keys": KEYS},
    "two columns": {"by": ["g", "h"], "keys": [KEYS[:5], SIDES]},
    "three columns": {"by": ["h", "b", "n"], "keys": [SIDES, [True, False], [0, -(2**63)]]},
    "private keys": {"by": "s", "keys": "private"},
    "private pairs": {"by": ["d", "h"], "keys": "private"},
    "months": {"by": "month(t)", "keys": ["2024-01..2024-03", "0001-01"]},
    "quarters and sides": {"by": ["quarter(t)", "h"], "keys": [["2024-Q1", "1969-Q4"], SIDES]},
    "years of strings": {"by": "year(s)", "keys": ["2023..2025"]},
    "days, filtered": {"by": "day(d)", "keys": ["2024-01-31..2024-02-29"], "where": "n < 8"},
}
BOUNDS = {"low": 0, "high": 10}
QUERIES = {
    "count": Count,
    "count of a column": lambda **by: Count("s", **by),
    "sum": lambda **by: Sum("x", **BOUNDS, **by),
    "sum of strings": lambda **by: Sum("s", low=-3, high="7.5", step="0.1", **by),
    "mean": lambda **by: Mean("n", low=-(10**18), high=10**18, **by),
    "mean that fills": lambda **by: Mean("x", nulls="middle", **BOUNDS, **by),
    "variance": lambda **by: Variance("x", **BOUNDS, **by),
    "summary": lambda **by: Summary("s", **BOUNDS, **by),
    "means": lambda **by: MeanVector(["x", "n", "b"], low=[0] * 3, high=[9] * 3, **by),
    "proportion": lambda **by: Proportion("t > '2024-01-31'", **by),
    "proportion of all": lambda **by: Proportion("s = true or b = true", nulls="no", **by),
    "median": lambda **by: Median("x", step=1, **BOUNDS, **by),
    "quantile": lambda **by: Quantile("n", "0.9", step=1, **BOUNDS, **by),
    "quantiles": lambda **by: Quantiles("x", [0.1, 0.5], bins=7, **BOUNDS, **by),
    "bounds": lambda **by: Bounds("n", smallest=1, largest=1000, **by),
    "histogram": lambda **by: Histogram("x", bins=4, **BOUNDS, **by),
    "histogram by edges": lambda **by: Histogram("s", bins=[-1, 0, 2, 1000], **by),
    "cumulative": lambda **by: Cumulative("n", bins=3, **BOUNDS, **by),
    "ranges": lambda **by: RangeCounts("x", bins=3, **BOUNDS, **by),
    "coverage": lambda **by: Coverage(Mean("x", **BOUNDS, **by)),
}
MARGINALS = Marginals(
    ["g", "h", "month(t)"], ways=[1, 3], keys=[KEYS[:4], SIDES, ["2024-01..2024-02"]]
)


def asked(times):
    """Every query and grouping; each pair of them in one of so many turns."""
    for turn in range(times):
        units = cycle(UNITS.values())
        for place, (word, make) in enumerate(QUERIES.items()):
            for at, (group, by) in enumerate(GROUPS.items()):
                if (place + at) % len(GROUPS) == turn:
                    try:
                        yield f"{word}, {group}", make(**by), next(units)
                    except ArgumentError:
                        continue
    yield "marginals", MARGINALS, UNITS["two rows in one group"]


def rows_of(seed):
    """The rows of one unit, the rows of others."""
    rng = random.Random(seed)

    def row(person):
        return {"p": person} | {name: rng.choice(values) for name, values in VALUES.items()}

    others = [row(person) for person in range(5) for _ in range(rng.choice([1, 3, 8]))]
    return [row(1001) for _ in range(7)], [*others, row(None)]


@contextmanager
def in_memory(rows, place):
    kinds = [pa.int64(), pa.string(), pa.string(), pa.float64(), pa.int64(), pa.string()]
    kinds += [pa.bool_(), pa.date32(), pa.timestamp("us")]
    names = ["p", *VALUES]
    yield pa.Table.from_pylist(rows, pa.schema(list(zip(names, kinds, strict=True))))


@contextmanager
def parquet(rows, place):
    with in_memory(rows, place) as table:
        pq.write_table(table, place / "rows.parquet", row_group_size=3)
    yield place / "rows.parquet"


@contextmanager
def lines(rows, place):
    with (place / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["p", *VALUES])
        writer.writeheader()
        writer.writerows(rows)
    yield place / "rows.csv"


def exact(sums):
    """The sums by group without those that are all 0, as a dictionary of tuples."""
    told = {}
    for key, group in sums.items():
        cells = {cell: weight for cell, weight in group.cells.items() if weight}
        numbers = (group.rows, group.values, group.squares, group.units, group.absent)
        if any(numbers) or any(group.further) or cells:
            told[key] = numbers, group.further, cells
    return told


def added(one, two):
    """Both sums, group by group."""
    total = dict(one)
    for key, (numbers, further, cells) in two.items():
        known, more, held = total.get(key, ((0,) * len(numbers), (), {}))
        total[key] = (
            tuple(a + b for a, b in zip(known, numbers, strict=True)),
            tuple(a + b for a, b in zip_longest(more, further, fillvalue=0)),
            {cell: held.get(cell, 0) + cells.get(cell, 0) for cell in {*held, *cells}},
        )
    return total


def check(source, place, seed, times):
    mine, others = rows_of(seed)
    tables = {"mine": mine, "others": others, "all": [*others[:9], *mine, *others[9:]]}
    sums = {}
    for name, rows in tables.items():
        with source(rows, place) as made, opened(made) as table:
            for words, query, unit in asked(times):
                with table.engine.moment():
                    found = sums_of(table, query, Setting(unit, "add-remove"))
                sums[name, words] = exact(found)
    for words, _, _ in asked(times):
        assert sums["all", words] == added(sums["others", words], sums["mine", words]), words
    seen = sum(bool(sums["mine", words]) for words, _, _ in asked(times))
    assert seen > 10 * times  # most questions are about rows of the unit, too


@pytest.mark.parametrize("source", [in_memory, lines], ids=["Arrow", "CSV"])
def test_sums_add_up_over_units(source, tmp_path):
    check(source, tmp_path, 1, 1)


@contextmanager
def in_duckdb(rows, place):
    ibis = pytest.importorskip("ibis")
    connection = ibis.duckdb.connect()
    with in_memory(rows, place) as table:
        connection.con.register("held", table)
        connection.raw_sql("create table rows as select * from held")
    yield connection.table("rows")
    connection.disconnect()


def added_up(engine, patch):
    """The queries whose results an engine adds up from now on."""
    queries, add_up = [], engine._added_up
    patch.setattr(engine, "_added_up", lambda asked: queries.extend(asked) or add_up(asked))
    return queries


def test_sums_of_people_in_parts_are_those_of_all(tmp_path, monkeypatch):
    """Of very many rows some persons are added up after the others, so that memory is bounded."""
    mine, others = rows_of(3)
    with in_duckdb([*mine, *others], tmp_path) as made, opened(made) as table:
        for words, query, unit in asked(1):
            setting = Setting(unit, "add-remove")
            at_once = exact(sums_of(table, query, setting))
            with monkeypatch.context() as patch:
                patch.setattr(duckdb, "_ROWS_AT_ONCE", 15)
                queries = added_up(table.engine, patch)
                assert exact(sums_of(table, query, setting)) == at_once, words
                assert (len(queries) > 1) == (unit.column is not None), words


@pytest.mark.slow
@pytest.mark.parametrize("source", [in_memory, parquet, lines])
@pytest.mark.parametrize("seed", range(5))
def test_sums_of_every_query_with_every_grouping_add_up(source, seed, tmp_path):
    check(source, tmp_path, seed, len(GROUPS))


@pytest.fixture(scope="module")
def in_postgresql(postgres):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    kinds = "p bigint, g text, h varchar, x float8, n bigint, s text, b boolean"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"create table added_up ({kinds}, d date, t timestamp)")

        @contextmanager
        def held(rows, place):
            connection.execute("truncate added_up")
            with connection.cursor().copy("copy added_up from stdin") as copy:
                for row in rows:
                    copy.write_row(list(row.values()))
            yield f"{postgres}#added_up"

        yield held
        connection.execute("drop table added_up")


def test_sums_add_up_in_postgresql(in_postgresql, tmp_path):
    check(in_postgresql, tmp_path, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_sums_of_every_query_add_up_in_postgresql(in_postgresql, seed, tmp_path):
    check(in_postgresql, tmp_path, seed, len(GROUPS))
