"""Attacks that have worked, by name: two neighboring tables and questions that told them apart.

A scenario with `alike` holds two tables that mean the same: there the exact numbers must be equal.
"""

from __future__ import annotations

import gzip
import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from leastnoise import (
    Count,
    Coverage,
    CsvFile,
    Histogram,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Sum,
    Summary,
    Variance,
)

from .compare import Finding, findings
from .examine import asked
from .servers import Place
from .sources import SOURCES
from .tables import DAY, Table, people

#: Puts a table somewhere and yields what `ask` is given.
Made = Callable[[Place], AbstractContextManager[Any]]
Two = tuple[Made, Made]

BOUNDS = {"low": 0, "high": 10}
EDGE = 8_000_000  # readers of CSV files start at multiples of such sizes


@dataclass(frozen=True)
class Scenario:
    """Two tables, the questions, and whether it takes long."""

    name: str
    one: Made
    two: Made
    questions: tuple[Any, ...]
    unit: Any = "row"
    neighbors: str = "add-remove"
    alike: bool = False
    slow: bool = False

    def run(self, place: Place) -> list[Finding]:
        """What is found."""
        questions = list(self.questions)
        one = asked(self.one(place), questions, self.unit, self.neighbors)
        two = asked(self.two(place), questions, self.unit, self.neighbors)
        found = []
        for mine, other in zip(one, two, strict=True):
            found += findings(mine, other, self.unit, self.neighbors)
            if self.alike and mine.kind == other.kind == "answer":
                numbers = [[release.numbers for release in out.releases] for out in (mine, other)]
                if numbers[0] != numbers[1]:
                    found.append(Finding("number", f"{mine.releases[0].query}: not the same"))
        return found


# -- how tables are made ---------------------------------------------------------------------------


def made(source: str, table: Table) -> Made:
    """A table through a source."""
    return lambda place: SOURCES[source](place, table)


def added(source: str, kind: str, value: Any) -> Two:
    """The ordinary table, and the same with one row that holds the value."""
    base = people(kind)
    return made(source, base), made(source, base.with_rows(((1001, "north", value),)))


def numbers_as_texts(source: str, text: str) -> Two:
    """A column of texts that are numbers, and one row more."""
    rows = tuple((i, "north", str(i)) for i in range(10))
    base = Table((("p", "whole"), ("g", "text"), ("x", "text")), rows)
    return made(source, base), made(source, base.with_rows(((1001, "north", text),)))


def nan_or_null(source: str, kind: str, nan: Any) -> Two:
    """A row with NaN, or with no value."""
    base = people(kind)
    one, two = (made(source, base.with_rows(((9, "east", value),), 0)) for value in (nan, None))
    return one, two


def file(name: str, content: Callable[[], bytes], line_breaks: bool = False) -> Made:
    """A file with these bytes."""

    @contextmanager
    def opened(place: Place) -> Iterator[Any]:
        path = place.folder / name
        path.write_bytes(gzip.compress(content(), 1) if name.endswith(".gz") else content())
        yield CsvFile(path, line_breaks=True) if line_breaks else path
        path.unlink()

    return opened


LINE = b"12345678,1\n"


def straddle(ending: str, edge: int, count: int, back: int) -> Two:
    """A CSV file, and the same with one record that begins `back` bytes before a byte.

    The record is well-formed; its first field holds lines that look like records.
    """
    record = b'"' + b"1,1\n" * count + b'",1\n'

    def content(more: bytes) -> bytes:
        head = b"x,y\n"
        lines, rest = divmod(edge - back - len(head), len(LINE))
        first = b"1" * (len(LINE) + rest - 3) + b",1\n"
        return head + first + LINE * (lines - 1) + more + LINE * 20_000

    name = f"t{ending}"
    return file(name, lambda: content(b""), True), file(name, lambda: content(record), True)


def lines(head: bytes, body: bytes, extra: bytes, tail: bytes = b"") -> Two:
    """A CSV file, and the same with one more line."""
    return (
        file("t.csv", lambda: head + body + tail),
        file("t.csv", lambda: head + body + extra + tail),
    )


def nan_groups(writer: str) -> Two:
    """A row group of NaN alone has no least and no largest value; one with a number more has."""
    numbers, nans = [float(i) for i in range(200)], [math.nan] * 100

    def wrote(values: list[float]) -> Made:
        @contextmanager
        def opened(place: Place) -> Iterator[Any]:
            path = place.folder / "t.parquet"
            table = pa.table({"x": pa.array(values, pa.float64())})
            if writer == "polars":
                import polars as pl

                pl.DataFrame(pl.from_arrow(table)).write_parquet(path, row_group_size=200)
            else:
                pq.write_table(table, path, row_group_size=200)
            yield path
            path.unlink()

        return opened

    return wrote(numbers + nans), wrote([*numbers, 1.0, *nans])


def bytes_in_texts(source: str) -> Two:
    """A column of texts, and one row more whose bytes are no text: some writers allow it."""

    def held(values: list[bytes]) -> Made:
        @contextmanager
        def opened(place: Place) -> Iterator[Any]:
            table = pa.table({"x": pa.array(values, pa.binary()).view(pa.string())})
            if source == "arrow":
                yield table
                return
            path = place.folder / "t.parquet"
            pq.write_table(table, path)
            yield path
            path.unlink()

        return opened

    return held([b"a", b"b", b"7"]), held([b"a", b"b", b"7", b"\xff\xfe1"])


def spelled(source: str, collation: str) -> Two:
    """A group of fifty, and one row more whose group differs in a letter's case."""
    rows = tuple((i, "north", float(i % 10)) for i in range(50))
    base = Table((("p", "whole"), ("g", "text"), ("x", "number")), rows, collation)
    return made(source, base), made(source, base.with_rows(((1001, "North", 1.0),), 0))


def spelled_persons(source: str, collation: str) -> Two:
    """Persons "a0", ... and another one, "A0", who is somebody else."""
    rows = tuple((f"a{i % 5}", "north", float(i % 10)) for i in range(20))
    base = Table((("p", "text"), ("g", "text"), ("x", "number")), rows, collation)
    return made(source, base), made(source, base.with_rows((("A0", "aaa", 1.0),) * 3, 0))


def sqlite_spelled() -> Two:
    """The same in SQLite."""

    def held(first: str) -> Made:
        @contextmanager
        def opened(place: Place) -> Iterator[Any]:
            import sqlite3

            import ibis

            path = place.folder / "t.sqlite"
            con = sqlite3.connect(path)
            con.execute("create table t (g text collate nocase)")
            con.executemany("insert into t values (?)", [(g,) for g in [first, *["north"] * 9]])
            con.commit()
            con.close()
            backend = ibis.sqlite.connect(path)
            yield backend.table("t")
            backend.disconnect()
            path.unlink()

        return opened

    return held("north"), held("North")


def crowd(rows: int) -> Two:
    """A few persons, and one more with so many rows."""

    def held(extra: int) -> Made:
        @contextmanager
        def opened(place: Place) -> Iterator[Any]:
            p = pa.array([1, 2, 3] + [9] * extra)
            x = pa.array([1.0, 2.0, 3.0] + [5.0] * extra)
            yield pa.table({"p": p, "x": x})

        return opened

    return held(0), held(rows)


def mixed_folder() -> Two:
    """A file of whole numbers and one of texts; a text more is no number."""

    def held(texts: list[str]) -> Made:
        @contextmanager
        def opened(place: Place) -> Iterator[Any]:
            path = place.folder / "parts"
            path.mkdir()
            pq.write_table(pa.table({"x": [1, 2, 3]}), path / "a.parquet")
            pq.write_table(pa.table({"x": texts}), path / "b.parquet")
            yield path
            shutil.rmtree(path)

        return opened

    return held(["4", "5"]), held(["4", "5", "abc"])


# -- the scenarios ---------------------------------------------------------------------------------


def _failures() -> Iterator[Scenario]:
    """A failure is an answer."""
    zoe = "g = 'zoe' and x > 0"
    base = people("number")
    pair = made("arrow", base), made("arrow", base.with_rows(((1001, "zoe", 5000.0),)))
    narrow = partial(Histogram, column="x", low=0, high=1e-310, bins=10, where=zoe)
    yield Scenario("histogram with bins of width 0", *pair, (narrow,))
    tiny = {"low": 0, "high": "9e-330", "step": "3e-330", "where": zoe}
    for kind in (Mean, Sum, Median, Variance):
        one_float = partial(kind, "x", **tiny)
        yield Scenario(f"{kind.word} with bounds that are one float", *pair, (one_float,))
    wide = (partial(Histogram, column="x", low=-1e308, high=1e308, bins=10),)
    for value in (math.inf, 9.1e307, 1.7976931348623157e308):
        pair = added("arrow", "number", value)
        yield Scenario(f"histogram of infinite width, {value}", *pair, wide)
    late = Count(where="g = 'zoe' and x < '9999-12-31'")
    days = people("nano")
    pair = made("arrow", days), made("arrow", days.with_rows(((1001, "zoe", DAY),)))
    yield Scenario("a date beyond nanoseconds", *pair, (late,))


def _postgres() -> Iterator[Scenario]:
    asked_of = Sum("x", **BOUNDS), Proportion("x > 3"), Histogram("x", **BOUNDS, bins=2)
    for text in ("abc", "1e400", ""):
        pair = numbers_as_texts("postgres", text)
        yield Scenario(f"PostgreSQL: the text {text!r}", *pair, asked_of)
    for value in ("1e400", "5e-324", "1e-400", "-Infinity", "NaN"):
        pair = added("postgres", "numeric", Decimal(value))
        yield Scenario(f"PostgreSQL: numeric {value}", *pair, asked_of)
    pair = nan_or_null("postgres", "numeric", Decimal("NaN"))
    yield Scenario("PostgreSQL: NaN is missing", *pair, asked_of, "row", "replace", alike=True)


def _csv() -> Iterator[Scenario]:
    count, by_x = (Count(),), Count(by="x", keys=["1", "2", ""])
    yield Scenario("CSV: line breaks over byte 8,000,000", *straddle(".csv", EDGE, 50, 8), count)
    yield Scenario("CSV: a short record there", *straddle(".csv", EDGE, 4, 8), count, slow=True)
    for edge in (1 << 20, 1 << 23, 2 * EDGE, 1 << 24, 4 * EDGE, 1 << 25):
        for ending in (".csv", ".csv.gz"):
            pair = straddle(ending, edge, 50, 8)
            yield Scenario(f"CSV: {ending[1:]} at byte {edge}", *pair, count, slow=True)
    rows = b"".join(b"%d,%d\r\n" % (i, i % 7) for i in range(40))
    pair = lines(b"x,y\r\n", rows, b"1,3\r\r\n", b"2,3\r\n" * 3)
    yield Scenario("CSV: a field that ends in CR", *pair, (by_x,))
    odd = (b"\xff,3", b"1,\xff\xfe", b"\xed\xa0\x80,3", b'"', b'1,"a', b'1,a"b', b"", b"1", b"\0,")
    for extra in odd:
        pair = lines(b"x,y\r\n", rows, extra + b"\r\n", rows)
        yield Scenario(f"CSV: the line {extra!r}", *pair, (by_x,))
    pair = lines(b"x,y\r\n", rows * 8000, b"\xff,3\r\n", rows)
    yield Scenario("CSV: a late byte that is no text", *pair, count, slow=True)
    pair = (
        file("t.csv", lambda: b"Zoe,5000\n" + b"Bob,1\n" * 9),
        file("t.csv", lambda: b"Ann,7\n" + b"Bob,1\n" * 9),
    )
    yield Scenario("CSV: no header", *pair, (Count(where="x = 1"),), neighbors="replace")


def grouped(mark: str, decimal: str, field: str) -> Two:
    """A CSV file of numbers with separators of thousands, and the same with one more field."""

    def held(fields: list[str]) -> Made:
        @contextmanager
        def opened(place: Place) -> Iterator[Any]:
            path = place.folder / "t.csv"
            path.write_text("\n".join(["p;x", *(f"1;{one}" for one in fields), ""]))
            yield CsvFile(path, delimiter=";", decimal=decimal, thousands=mark)
            path.unlink()

        return opened

    ordinary = [f"1{mark}174", f"12{mark}345{decimal}5", "7"] * 4
    return held(ordinary), held([*ordinary, field])


def _thousands() -> Iterator[Scenario]:
    wide = {"low": 0, "high": 100_000}
    asked_of = Sum("x", **wide), Mean("x", **wide), Proportion("x > 1000"), Histogram("x", **wide)
    for mark, decimal in ((",", "."), (".", ","), (" ", "."), ("'", "."), ("_", ",")):
        for digits in (
            "1S174",
            "1S17",
            "S174",
            "1S",
            "1SS174",
            "0S174",
            "1S174D5e3",
            "9" * 99,
            "'",
        ):
            field = digits.replace("S", mark).replace("D", decimal)
            name = f"CSV: {field[:9]!r} with thousands {mark!r}"
            yield Scenario(name, *grouped(mark, decimal, field), asked_of)


def _parquet() -> Iterator[Scenario]:
    asked_of = Count("x"), Mean("x", **BOUNDS), Median("x", **BOUNDS, step=1)
    for writer in ("pyarrow", "polars"):
        yield Scenario(f"Parquet by {writer}: row groups of NaN", *nan_groups(writer), asked_of)
    for source in ("parquet", "parquet-polars", "folder", "arrow", "duckdb"):
        pair = nan_or_null(source, "number", math.nan)
        yield Scenario(f"{source}: NaN is missing", *pair, asked_of, "row", "replace", alike=True)


def value_or_none(source: str) -> Two:
    """A row with a value, replaced by one without: the rows that count are one fewer."""
    base = people("number")
    one, two = (made(source, base.with_rows(((9, "east", value),), 0)) for value in (7.0, None))
    return one, two


def _missing() -> Iterator[Scenario]:
    """The number of rows with a value is private, also where that of all rows is public."""
    asked_of: tuple[Any, ...] = (
        Proportion("x > 3"),
        Proportion("not (x > 3 or x = 2.5)"),
        Proportion("x > 3", nulls="no"),
        Proportion("x > 3", by="g", keys=["north", "east"]),
        Proportion("x > 3", by="g", keys="private"),
        Mean("x", **BOUNDS),
        Sum("x", **BOUNDS),
        Variance("x", **BOUNDS),
        Summary("x", **BOUNDS, by="g", keys=["north", "east"]),
        Coverage(Mean("x", **BOUNDS, by="g", keys=["north", "east"])),
        [Proportion("x > 3"), Mean("x", **BOUNDS), Count()],
    )
    for source in ("csv", "parquet", "arrow", "pandas", "polars", "duckdb", "spark", "postgres"):
        pair = value_or_none(source)
        yield Scenario(f"{source}: a value or none", *pair, asked_of, "row", "replace")
        more = added(source, "number", None)
        yield Scenario(f"{source}: a row without a value", *more, asked_of)
        person = PrivacyUnit("p", 2, 1)
        name = f"{source}: a value or none, of persons"
        yield Scenario(name, *pair, asked_of, person, "replace")


def _bytes() -> Iterator[Scenario]:
    asked_of = Count("x"), Count(by="x", keys="private"), Sum("x", **BOUNDS)
    for source in ("arrow", "parquet"):
        yield Scenario(f"{source}: bytes that are no text", *bytes_in_texts(source), asked_of)


COLLATIONS = {"duckdb": "nocase", "spark": "UTF8_LCASE", "postgres": "folding"}


def _collations() -> Iterator[Scenario]:
    grouped = Count(by="g", keys=["north"]), Count(by="g", keys="private")
    more = Count(where="g = 'north'"), Mean("x", **BOUNDS, by="g", keys=["north", "North"])
    for source, collation in COLLATIONS.items():
        name = f"{source}: the collation {collation}"
        yield Scenario(name, *spelled(source, collation), (*grouped, *more))
        pair = spelled_persons(source, collation)
        yield Scenario(f"{name}, of persons", *pair, grouped, PrivacyUnit("p", 2, 1))
    yield Scenario("sqlite: nocase", *sqlite_spelled(), grouped, neighbors="replace")


def _persons_and_frames() -> Iterator[Scenario]:
    person = PrivacyUnit("p", 2)
    wide = (Variance("x", low=0, high="4.194304"),)  # 2^22 steps: a square has 44 bits
    yield Scenario("a person of 2^19 + 3 rows", *crowd((1 << 19) + 3), wide, person)
    valued = *wide, Sum("x", low=0, high=2147483647), Median("x", **BOUNDS)
    yield Scenario("a person of 2^23 rows", *crowd(1 << 23), valued, person, slow=True)
    numbers = Sum("x", **BOUNDS), Count("x"), Count(by="x", keys=["1", "7"])
    for value in ("abc", 2.5, 2**63, b"\xff", "\ud800", [1]):
        name = f"pandas: {value!a} among whole numbers"
        yield Scenario(name, *added("pandas", "mixed", value), numbers)
    yield Scenario("a folder of files with other types", *mixed_folder(), numbers)
    several = [Mean("x", **BOUNDS), Count(where="g = 'north'"), Count(by="g", keys="private")]
    for source in ("csv", "arrow"):
        pair = nan_or_null(source, "number", 7.0)
        name = f"{source}: several questions where rows are replaced"
        yield Scenario(name, *pair, (several,), neighbors="replace")


SCENARIOS: dict[str, tuple[Scenario, ...]] = {
    "1 failures": tuple(_failures()),
    "2 PostgreSQL": tuple(_postgres()),
    "3 CSV": (*_csv(), *_thousands()),
    "4 Parquet": (*_parquet(), *_bytes()),
    "5 collations": tuple(_collations()),
    "6 missing values": tuple(_missing()),
    "7 persons and frames": tuple(_persons_and_frames()),
}
