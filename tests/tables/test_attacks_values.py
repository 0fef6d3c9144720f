"""Values that were made to stop a reader, or to change how other rows are read."""

import datetime
import math
import struct
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exact_sums import sums_of
from leastnoise import ArgumentError, Count, Sum
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.sources.frames import _pandas_column, texts_of_categories
from leastnoise.tables.unit import Row

ROW = Setting(Row(), "add-remove")


class Unequal(str):
    def __eq__(self, other):
        raise RuntimeError("leak")

    __hash__ = str.__hash__


class Unstable(float):
    """Hands out its value once."""

    def __init__(self, _):
        self.times = 0

    def __float__(self):
        self.times += 1
        if self.times > 1:
            raise RuntimeError("leak")
        return 1.5


class NoImaginary(complex):
    @property
    def imag(self):
        raise RuntimeError("leak")


class Ending(complex):
    @property
    def real(self):
        raise SystemExit("leak")


class NoClass:
    @property
    def __class__(self):
        raise RuntimeError("leak")


class FalseClass:
    @property
    def __class__(self):
        return str


class Digitless(Decimal):
    def __str__(self):
        raise RuntimeError("leak")

    def is_finite(self):
        raise RuntimeError("leak")


class Endless(datetime.date):
    def isoformat(self):
        return self.isoformat()


class Long(datetime.date):
    def isoformat(self):
        return "x" * (1 << 22)


class NoIndex(int):
    def __int__(self):
        raise RuntimeError("leak")

    __index__ = __repr__ = __int__


HOSTILE = [
    Unequal("7"),
    Unstable(2.5),
    NoImaginary(1),
    Ending(1),
    NoClass(),
    FalseClass(),
    Digitless("3"),
    Endless(2020, 1, 1),
    Long(2020, 1, 1),
    NoIndex(3),
    Decimal("1e999999"),
    Decimal("sNaN"),
    Decimal("1e-999999"),
    Decimal("9" * 5000),
    10**5000,
    np.longdouble("1e4000"),
    complex("nan"),
    np.str_("7"),
    b"7",
    np.datetime64("2020"),
    pd.NaT,
    pd.NA,
    pd.Timestamp("2020", tz="UTC"),
    np.array([1, 2]),
    pd.Series([1]),
    "\ud800",
    "a\0b",
    "x" * (2**20 + 1),
    NotImplemented,
]


def objects(values):
    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = value
    return column


def as_objects(values):
    return pd.DataFrame({"x": pd.Series(objects(values), dtype=object)})


def as_categories(values):
    kind = pd.CategoricalDtype(pd.Index(objects(values), dtype=object))
    return pd.DataFrame({"x": pd.Categorical.from_codes(range(len(values)), dtype=kind)})


def counts(frame):
    """The rows by key, and those that are numbers."""
    with opened(frame) as table:
        keys = sums_of(table, Count(by="x", keys="private"), ROW)
        numbers = sums_of(table, Sum("x", low=0, high=10), ROW)[""]
    return {key: one.rows for key, one in keys.items()}, numbers.rows


@pytest.mark.parametrize("frame", [as_objects, as_categories])
@pytest.mark.parametrize("place", range(len(HOSTILE)))
def test_an_object_changes_no_other_row_of_a_frame(frame, place):
    """Of categories an object that raised made opening fail, before anything was spent."""
    others = ["1", "b", 3.5]
    try:
        made = frame([*others, HOSTILE[place]])
    except Exception:
        pytest.skip("pandas does not hold it")
    keys, numbers = counts(made)
    assert {"1", "b", "3.5"} <= {*keys}
    assert sum(keys.values()) in (3, 4)
    assert numbers in (2, 3)


MOMENTS = [
    np.datetime64("2020-01-01"),
    np.datetime64("2020-01-01T00:00:00.123456789"),
    np.datetime64("-5000"),
    np.datetime64(2**62, "s"),
    pd.Timestamp("2020-01-01"),
    pd.Timestamp("2020-01-01", tz="UTC"),
    datetime.datetime(2020, 1, 1, 0, 0, 0, 5),
    datetime.date(2020, 1, 2),
]
OTHERS = [*MOMENTS, "a", 1.5, 1j, True, b"a", Decimal("1")]


@pytest.mark.parametrize("place", range(len(MOMENTS)))
def test_a_category_changes_no_timestamp(place):
    """Timestamps of NumPy went missing where one category was of another type."""
    moment = MOMENTS[place]
    alone = _pandas_column(pd.Series([moment], dtype="category")).to_pylist()
    assert alone != [None]
    for other in OTHERS:
        both = _pandas_column(pd.Series([moment, other], dtype="category")).to_pylist()
        assert both[:1] == alone, other


EASTERN = datetime.timezone(datetime.timedelta(hours=-5))


@pytest.mark.parametrize(
    "equal",
    [
        [1.5, Decimal("1.50"), Fraction(3, 2), complex(1.5), np.float32(1.5)],
        [2, Fraction(2), Decimal("2.0"), 2.0],
        [Fraction(1, 10), Decimal("0.1"), Decimal("0.10")],
        [Fraction(5e-324), 5e-324, Decimal(math.ulp(0))],
        [float("inf"), Decimal("Infinity")],
        [Decimal("1e999999"), Decimal("10e999998")],
        [
            pd.Timestamp("2020-01-01 05:00", tz="UTC"),
            datetime.datetime(2020, 1, 1, tzinfo=EASTERN),
            pd.Timestamp("2020-01-01 00:00", tz="US/Eastern"),
        ],
    ],
)
def test_equal_categories_are_one_text(equal):
    """pandas keeps the first of them: the row before decided the key of all others."""
    texts = {*texts_of_categories(equal)}
    assert len(texts) == 1 and texts != {None}
    for first in equal:
        for second in equal:
            both = pd.Series(objects([first, second]), dtype="category")
            assert set(_pandas_column(both).to_pylist()) == texts


class Shy(float):
    def __float__(self):
        raise RuntimeError("leak")


class Named(str):
    pass


@pytest.mark.parametrize(
    "value", [Named("nan"), np.str_("NaT"), np.timedelta64(1, "ns"), Shy(2.5), Shy(2)]
)
def test_a_category_of_another_type_changes_no_other_text(value):
    """pandas gave all of them one type, or left each as it was."""
    alone = _pandas_column(pd.Series([value], dtype="category")).to_pylist()
    for other in ("a", b"a", datetime.date(2020, 1, 1)):
        both = _pandas_column(pd.Series([value, other], dtype="category")).to_pylist()
        assert both[:1] == alone, other


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_a_category_that_python_cannot_hold_is_missing_in_its_row_alone(unit, zone):
    """pandas raised at the year 20000, after the charge: one row decided whether all failed."""
    per_second = {"s": 1, "ms": 1000, "us": 1_000_000}[unit]
    moments = pa.array([0, 569_000_000_000 * per_second], pa.int64())
    column = moments.view(pa.timestamp(unit, zone))
    for ordered in (False, True):
        kind = pd.CategoricalDtype(ordered=ordered)
        texts = []
        for rows in (column[:1], column):
            held = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([rows])))
            texts.append(_pandas_column(held.astype(kind)).to_pylist())
        assert texts == [texts[0], [*texts[0], None]] and texts[0] != [None]


DICTIONARIES = [
    pa.array([0, None, 0], pa.timestamp("us", "UTC")),
    pa.array([0, None, 0], pa.timestamp("ms")),
    pa.array([1.5, None, 1.5], pa.float16()),
    pa.array(["a", None, "a"], pa.string_view()),
    pa.array([0, None, 0], pa.date32()),
    pa.array([Decimal(1), None, Decimal(1)], pa.decimal128(9, 2)),
    pa.array(["a", None, "a"]).dictionary_encode("encode"),
]


@pytest.mark.parametrize("values", DICTIONARIES, ids=lambda values: str(values.type))
def test_a_dictionary_has_the_same_forms_with_and_without_rows(values):
    """Without a chunk pandas made another type of it: whether there were rows was free to know."""
    places = pa.array([0, 1, 2, None], pa.int8())
    column = pa.DictionaryArray.from_arrays(places, values)
    tables = [pa.table({"x": pa.chunked_array(rows, column.type)}) for rows in ([], [column] * 2)]
    frames = [table.to_pandas(types_mapper=pd.ArrowDtype) for table in tables]
    for empty, full in (tables, frames):
        opened_tables = [open_table(source) for source in (empty, full)]
        assert opened_tables[0].described == opened_tables[1].described
        assert opened_tables[0].described[0].value is not None
        for source, present in zip(opened_tables, (0, 4), strict=True):
            missing = sums_of(source, Count(where="x is null"), ROW)[""].rows
            assert sums_of(source, Count(), ROW)[""].rows - missing == present
            source.close()


def test_opening_a_frame_looks_at_no_category(monkeypatch):
    def looked(categories):
        raise AssertionError("looked at a category")

    monkeypatch.setattr("leastnoise.tables.sources.frames.texts_of_categories", looked)
    table = open_table(as_categories(["a", "b"]))
    assert table.column("x", "column").key is not None
    table.close()


def test_opening_a_frame_looks_at_no_value_of_a_dictionary(monkeypatch):
    """A slice without rows has the whole dictionary, of which all strings were measured."""

    def looked(column):
        raise AssertionError("looked at a dictionary")

    monkeypatch.setattr("leastnoise.tables.sources.frames.bounded", looked)
    column = pa.array(["a", "b"]).dictionary_encode()
    for frame in (
        pa.table({"x": column}),
        pa.table({"x": column}).to_pandas(types_mapper=pd.ArrowDtype),
    ):
        with opened(frame) as table:
            assert table.column("x", "column").key is not None


@pytest.mark.parametrize("scale", [0, 1, 10, 38])
def test_decimals_beyond_their_digits_are_numbers_all_the_same(tmp_path, scale):
    """DuckDB stopped, and its database with it, where it divided -2^127 by a power of ten."""
    held = b"".join(one.to_bytes(16, "little", signed=True) for one in (2**127 - 1, -(2**127), 7))
    column = pa.Array.from_buffers(pa.decimal128(38, scale), 3, [None, pa.py_buffer(held)])
    table = pa.table({"x": column})
    pq.write_table(table, tmp_path / "a.parquet")
    for source in (table, tmp_path / "a.parquet"):
        with opened(source) as table:
            sums = sums_of(table, Sum("x", low=-100, high=100, step=1), ROW)[""]
        seven = round(7 / 10**scale)
        ends = 0 if scale == 38 else 100
        assert (sums.rows, sums.values) == (3, 100 - ends + 100 + ends + 100 + seven)


def annotated(path, column, note):
    """A Parquet file of one column, in whose footer something is added to the column's type."""
    pq.write_table(pa.table({"x": column}), path, store_schema=False, compression="none")
    held = path.read_bytes()
    (size,) = struct.unpack("<I", held[-8:-4])
    data, footer = held[: -8 - size], held[-8 - size : -8]
    end = footer.index(b"\x18\x01x") + 3  # behind the name, which the end of the column follows
    assert footer[end] == 0
    footer = footer[:end] + note + footer[end:]
    path.write_bytes(data + footer + struct.pack("<I", len(footer)) + b"PAR1")


def decimal_note(digits, scale):
    """The fields converted_type, scale and precision of a column in a footer."""
    return bytes([0x25, 2 * 5, 0x15, 2 * scale, 0x15, 2 * digits])


@pytest.mark.parametrize(
    ("width", "digits", "read"),
    [
        (None, 5, False),
        (None, 38, False),
        (None, 60, False),
        (3, 5, True),
        (4, 9, True),
        (5, 9, False),
        (8, 18, True),
        (9, 18, False),
        (16, 38, True),
        (17, 38, False),
        (40, 60, True),
    ],
)
def test_decimals_that_are_wider_in_parquet_than_their_digits_are_rejected(
    tmp_path, width, digits, read
):
    """DuckDB stops at one whose bytes do not fit into what it has for so many digits."""
    path = tmp_path / "a.parquet"
    values = [(b"\x7f" * (width or 17)), b"\x80" + b"\0" * ((width or 17) - 1)]
    column = pa.array(values, pa.binary() if width is None else pa.binary(width))
    annotated(path, column, decimal_note(digits, 2))
    query = Sum("x", low=-1, high=1, step=1)
    with opened(path) as table:
        if read:
            assert sums_of(table, query, ROW)[""][:2] == (2, 2)
        else:
            assert sums_of(table, Count(), ROW)[""].rows == 2
            with pytest.raises(ArgumentError, match="wider in Parquet"):
                sums_of(table, query, ROW)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.decimal128(38, 2), Decimal("1.25")),
        (pa.decimal256(60, 2), Decimal("1.25")),
        (pa.float16(), np.float16(1)),
        (pa.uuid(), b"0" * 16),
    ],
)
@pytest.mark.parametrize("present", [True, False])
def test_parquet_columns_whose_bytes_stand_apart_are_rejected_before_the_charge(
    tmp_path, kind, value, present
):
    """DuckDB stops at the first value: whether there is one decided whether it answered."""
    path = tmp_path / "a.parquet"
    cells = pa.array([value if present else None, None], kind)
    table = pa.table({"x": cells, "other": pa.array([1.5, 2.5])})
    encodings = {"x": "BYTE_STREAM_SPLIT", "other": "BYTE_STREAM_SPLIT"}
    pq.write_table(table, path, use_dictionary=False, column_encoding=encodings)
    with opened(path) as table:
        assert sums_of(table, Count("other"), ROW)[""].rows == 2
        with pytest.raises(ArgumentError, match=r"BYTE_STREAM_SPLIT"):
            sums_of(table, Count("x"), ROW)
