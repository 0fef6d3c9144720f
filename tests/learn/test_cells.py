"""Cells and labels: each is read by itself, whatever the others hold."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from leastnoise.errors import DataError
from leastnoise.learn.cells import (
    cells_of,
    code_of,
    column_numbers,
    labels_of,
    number,
    plain,
    rows_of,
)


def test_a_missing_label_changes_no_other_label():
    """Labels above 2^53 are not floats, whatever holds them and whether or not one is missing."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    a, b = 2**53, 2**53 + 1
    for last in (b, None):
        held = [a, b, last]
        for y in (
            pl.DataFrame({"y": pl.Series(held, dtype=pl.Int64)}),
            pd.DataFrame({"y": pd.array(held, "Int64")}),
            pd.array(held, "Int64"),
            pd.Categorical(held, categories=[a, b]),
        ):
            assert [int(one) for one in labels_of(y)[:2]] == [a, b], type(y)


def test_a_cell_that_python_cannot_read_is_missing():
    pa = pytest.importorskip("pyarrow")
    texts = pa.array([b"a", b"\xff\xfe", b"c"], pa.binary()).view(pa.string())
    assert cells_of(texts) == ["a", None, "c"]
    assert list(labels_of(texts)) == ["a", None, "c"]
    for y in ({"a": 1}, pa.table({"y": [1, 2]})):
        with pytest.raises(DataError):
            labels_of(y)


def _columns_with_years_beyond(pa, pd, pl):
    """Columns of [a day, a day that Python has no year for, another day]."""
    days = pa.array([0, 2**31 - 1, 2_932_896], pa.int32()).view(pa.date32())
    times = pa.array([0, 2**62, 86_400_000_000], pa.int64()).view(pa.timestamp("us", "UTC"))
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), days)
    for held in (days, times, words):
        if held is not words:  # polars reads them as days, before 1.18 not at all
            yield pl.from_arrow(held)
        yield pa.chunked_array([held])
        # As after a split into parts: the labels of the rows are not their places.
        yield pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([held])), index=[2, 0, 1])


def test_a_day_beyond_the_years_of_python_is_missing_and_changes_no_other_cell(capfd):
    """It was a panic of polars, or the cells of other rows, by their labels."""
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    for column in _columns_with_years_beyond(pa, pd, pl):
        found, alone = cells_of(column), cells_of(_part(column, 2, 3))
        assert found[1] is None, column
        assert [found[2]] == alone and found[0] == cells_of(_part(column, 0, 1))[0], column
        assert str(found[2])[:10] in ("9999-12-31", "1970-01-02")
        assert list(labels_of(column)) == found and rows_of(column) == 3
        assert math.isnan(column_numbers(column)[1])
    # Nanoseconds are all within them; their bounds in nanoseconds did not fit 64 bits.
    fine = pl.Series([0, 2**63 - 1, None], dtype=pl.Int64).cast(pl.Datetime("ns"))
    assert [getattr(cell, "year", None) for cell in cells_of(fine)] == [1970, 2262, None]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["list", "record", "array"])
def test_a_time_in_a_list_beyond_the_years_of_python_prints_nothing(kind, capfd):
    """It was a panic of polars on standard error, for tables with such a row only."""
    pl = pytest.importorskip("polars")
    times = pl.Series("t", [0, 2**63 - 1, 0], dtype=pl.Int64).cast(pl.Datetime("ms"))
    fixed = times.reshape((3, 1))
    column = {
        "list": fixed.cast(pl.List(pl.Datetime("ms"))),
        "record": times.to_frame().to_struct("t"),
        "array": fixed,
    }[kind]
    for missing in (column, column.set(pl.Series([False, False, True]), None)):
        cells = cells_of(missing)
        assert [code_of({"a": 0, None: 1}, cell, 2) for cell in cells][:2] == [2, 2]
        assert (cells[2] is None) == (missing[2] is None)
    assert capfd.readouterr() == ("", "")


def _part(column, start, end):
    return column.iloc[start:end] if hasattr(column, "iloc") else column[start:end]


@pytest.mark.parametrize("kind", ["Int128", "UInt128"])
def test_integers_of_128_bits_are_numbers(kind):
    """NumPy has none, and polars raised an error of its own for every content."""
    pl = pytest.importorskip("polars")
    if not hasattr(pl, kind):
        pytest.skip(f"this version of polars has no {kind}")
    column = pl.Series([1, 2**127 - 1, None, 2**53 + 1], dtype=getattr(pl, kind))
    cells = column_numbers(column)
    assert [*cells[:2], cells[3]] == [1.0, 2.0**127, 2.0**53]
    assert math.isnan(cells[2])


@pytest.mark.parametrize("extra", ["a", 1.5])
def test_a_category_changes_the_code_of_no_time(extra):
    """Beside one of another type, times stayed those of NumPy, which were not listed."""
    pd = pytest.importorskip("pandas")
    second = np.datetime64("2021-01-01T00:00:00.123456789")
    for cells, levels in (
        ([np.datetime64("2020-01-01"), second, None], [pd.Timestamp("2020-01-01"), second, None]),
        ([np.timedelta64(1, "ns"), None], [pd.Timedelta(1), None]),
    ):
        table = {plain(level): code for code, level in enumerate(levels)}
        for column in (cells, [*cells, extra]):
            listed = cells_of(pd.Series(column, dtype="category"))
            codes = [code_of(table, cell, 9) for cell in listed]
            assert codes[: len(cells)] == [*range(len(cells))]


def test_a_complex_category_makes_no_missing_cell_another():
    pd = pytest.importorskip("pandas")
    for column in ([1, None], [1, None, 1j]):
        cells = cells_of(pd.Series(column, dtype="category"))
        assert code_of({None: 0}, cells[1], 9) == 0


def test_a_complex_category_changes_no_other_cell():
    pd = pytest.importorskip("pandas")
    plain, odd = (pd.Series(cells, dtype="category") for cells in ([1, 2.5], [1, 2.5, 1j]))
    assert list(column_numbers(plain)) == list(column_numbers(odd))[:2] == [1, 2.5]
    assert math.isnan(column_numbers(odd)[2])


class Leaving(float):
    """A number that ends the program when it is looked at."""

    def __float__(self):
        raise SystemExit

    __hash__ = __float__


class LeavingDecimal(Decimal):
    def __float__(self):
        raise SystemExit


class Overflowing(Decimal):
    def __float__(self):
        raise OverflowError

    def __gt__(self, other):
        raise RuntimeError("leak")


class NoClass:
    @property
    def __class__(self):
        raise RuntimeError("leak")


@pytest.mark.parametrize("kind", [LeavingDecimal, Overflowing, NoClass])
def test_a_cell_or_a_label_does_not_end_the_program(kind):
    """Nor does it raise: a comparison after an overflow did."""
    assert math.isnan(number(kind()))
    assert number(Leaving(1)) == 1  # as where pandas makes floats of the categories
    assert code_of({1: 0}, Leaving(1), 7) == 7


@pytest.mark.parametrize(
    "cell",
    [np.complex64(2), np.timedelta64(1, "ns"), np.datetime64("-5000"), np.datetime64(2**62, "s")],
)
@pytest.mark.parametrize("extra", ["a", b"a", np.datetime64("2020-01-01T00:00:00.1", "ms")])
def test_a_category_of_another_type_changes_no_number_and_no_code(cell, extra):
    """Such a cell was a number or a level only where pandas gave all categories one type."""
    pd = pytest.importorskip("pandas")
    try:
        alone, beside = (pd.Series(cells, dtype="category") for cells in ([cell], [cell, extra]))
    except OverflowError:  # NumPy 2.5 compares no times so far apart, so there is no such column
        pytest.skip("this version of pandas cannot build the column")
    np.testing.assert_equal(column_numbers(beside)[:1], column_numbers(alone))
    table = {plain(cells_of(alone)[0]): 0}
    assert code_of(table, cells_of(beside)[0], 9) == 0


def test_a_missing_cell_of_a_nullable_category_is_missing():
    """It was NA where pandas gave the categories a nullable type, and NaN where it did not."""
    pd = pytest.importorskip("pandas")
    for categories in (["a"], ["a", 1]):
        column = pd.Series(pd.array([None, *categories])).astype("category")
        assert code_of({None: 0}, cells_of(column)[0], 9) == 0


def test_the_longest_floats_of_numpy_are_floats():
    """They stayed those of NumPy, and were no level, where a nullable column had floats."""
    assert plain(np.longdouble("0.1")) == 0.1
    assert plain(np.clongdouble(1j)) == 1j
