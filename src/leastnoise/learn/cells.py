"""Cells of a table: what each becomes, by itself, whatever it holds.

A refusal is an answer, too, and nobody pays for it. So no value is refused: a number is itself, and
what is no number is NaN, which counts as the middle of its column's bounds. What a table can be
refused for is public: its shape and the types of its columns. Proof: `cells.proof.md`.
"""

from __future__ import annotations

import cmath
import contextlib
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..numeric import Floats

#: How the names of types begin that hold no numbers.
_WORDS = (
    *("object", "str", "utf8", "large_", "date", "time", "duration", "period", "list", "struct"),
    *("binary", "fixed_size_", "map", "array", "complex"),
)
#: And how those begin that hold numbers, or text, of which a label may be one.
_NUMBERS = ("int", "uint", "float", "double", "halffloat", "bool", "decimal")
_TEXTS = ("str", "utf8", "large_string", "<u", ">u", "|s")
#: What pandas reads of a class derived from one of these.
_READ: tuple[tuple[type, Any], ...] = (
    (float, float.__float__),
    (int, int.__index__),
    (str, str.__str__),
)
#: Complex numbers, but none of a class of a cell's own, which may be anything.
_COMPLEX = (complex, np.complex64, np.complex128, np.clongdouble)
#: The days of Python's years 1 to 9999, counted from 1970 on; and the day after them.
_YEARS = -719_162, 2_932_897
_ALLOWED = (
    "numbers; strings are for `categorical` of naive Bayes, or to be encoded before with public "
    "levels, OneHotEncoder(categories=...)"
)


def number(value: Any) -> float:
    """A cell as a number: NaN for what is none, an infinity for what is too large."""
    try:
        return _number(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # an object may even try to end the program
        return math.nan


def _number(value: Any) -> float:
    if type(value) in _COMPLEX and value.imag == 0:
        value = value.real  # one category 1j makes all others of a pandas column complex
    # NumPy takes a duration for an integer; pandas does not.
    if not isinstance(value, (Real, Decimal, str, np.bool_)) or isinstance(value, np.timedelta64):
        return math.nan
    for kind, read in _READ:
        if issubclass(type(value), kind):
            value = read(value)
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def numbers(array: NDArray[Any]) -> Floats:
    """Cells as numbers; DataError only for a type of array that holds none."""
    if array.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            return array.astype(np.float64)
    if array.dtype.kind != "O":
        raise DataError("X", "text" if array.dtype.kind in "US" else "no numbers", _ALLOWED)
    return np.array([number(value) for value in array.ravel()], dtype=np.float64).reshape(
        array.shape
    )


def column_numbers(column: Any) -> Floats:
    """Cells of a data frame's column as numbers. None is refused: `check_kinds` was asked before.

    (What NumPy makes of a column may depend on whether a cell of it is missing.)
    """
    # (NumPy has no integers of 128 bits, and polars says so with an error of its own.)
    if (
        named_kind(column) == "numbers"
        and "int128" not in str(getattr(column, "dtype", "")).lower()
    ):
        array = np.asarray(column)
        if array.dtype.kind in "biuf" and array.ndim == 1:
            return numbers(array)
    return np.array([number(value) for value in cells_of(column)], dtype=np.float64)


def holds_words(kind: Any) -> bool:
    """Whether a type of a data frame's column, by its name, holds no numbers."""
    return str(kind).lower().startswith(_WORDS)


def check_kinds(X: Any, numeric: tuple[int, ...]) -> None:
    """DataError if a numeric column of a data frame is, by its type, none."""
    kinds = list(X.dtypes)
    if any(holds_words(kinds[j]) for j in numeric):
        raise DataError("X", "text", _ALLOWED)


def is_frame(X: Any) -> bool:
    """Whether it is a table whose columns have names and types."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def table_of(X: Any) -> Any:
    """A data frame or a sparse table as it is; all else as an array of two dimensions.

    A list becomes an array of its cells, whose types and depths do not depend on each other. (NumPy
    makes text of all of them if one is text.) A refusal shows no cell and not the number of rows.
    """
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "to_pandas"):
        X = _from_arrow(X)
    if is_frame(X) or hasattr(X, "toarray"):
        return X
    array = np.asarray(X) if hasattr(X, "__array__") else _rows(X)
    if array.ndim < 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead (not shown: it is data). Reshape "
            "your data either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported (not shown: it is data)")
    return array


def _from_arrow(X: Any) -> Any:
    """An Arrow table as a data frame whose columns keep the types that they were declared with."""
    try:
        import pandas as pd
    except ImportError:
        raise DataError("X", "an Arrow table", "an array or a data frame") from None
    return X.to_pandas(types_mapper=pd.ArrowDtype) if hasattr(X, "schema") else X


def _rows(X: Any) -> NDArray[Any]:
    """The cells of a list of rows, as wide as the first; of one dimension if that is no row."""
    if isinstance(X, (str, bytes)) or not isinstance(X, Sequence):
        return np.empty((), dtype=object)
    if not len(X) or not _is_row(X[0]):
        return np.empty(len(X), dtype=object)
    width = len(X[0])
    if not all(_is_row(row) and len(row) == width for row in X):
        raise ValueError("X must be a list of rows of the same length (not shown: it is data)")
    rows = np.empty((len(X), width), dtype=object)
    for place, row in enumerate(X):
        for column, cell in enumerate(row):
            rows[place, column] = cell
    return rows


def _is_row(row: Any) -> bool:
    if isinstance(row, (str, bytes)):
        return False
    return isinstance(row, Sequence) or getattr(row, "ndim", 0) > 0


def named_kind(y: Any) -> str | None:
    """ "numbers" or "text", by the name of a column's type; None if that does not say it.

    (Not by what NumPy makes of it: that may depend on whether a cell is missing.)
    """
    kind = getattr(y, "dtype", getattr(y, "type", None))
    name = str(kind).lower()
    return "numbers" if name.startswith(_NUMBERS) else "text" if name.startswith(_TEXTS) else None


def cells_of(column: Any) -> list[Any]:
    """The cells of a column as Python has them; None for one that Python cannot read.

    Lists and records are empty lists, for they are never a level or a label; polars would print of
    times in them that Python has no years for.
    """
    if hasattr(column, "to_physical") and column.dtype.is_nested():
        return [None if missing else [] for missing in column.is_null()]
    column = _within_years(column)
    listed = getattr(column, "to_pylist", getattr(column, "to_list", None))  # Arrow; polars, pandas
    with _passing_over():
        return list(column) if listed is None else list(listed())
    at = getattr(column, "iloc", column)  # by place: a Series is asked for labels otherwise
    cells: list[Any] = []
    for place in range(len(column)):
        cells.append(None)
        with _passing_over():
            cell = at[place]
            cells[-1] = cell.as_py() if hasattr(cell, "as_py") else cell
    return cells


def _within_years(column: Any) -> Any:
    """A column of polars without the times that Python has no years for: it would panic, aloud."""
    kind: Any = getattr(column, "dtype", None)
    if not hasattr(column, "to_physical") or not kind.is_temporal() or str(kind) == "Time":
        return column
    unit = getattr(kind, "time_unit", "")
    if unit == "ns":  # all of them are within: 64 bits hold 292 years either way
        return column
    a_day = 86_400 * {"ms": 10**3, "us": 10**6}.get(unit, 0)
    physical, (first, end) = column.to_physical(), _YEARS
    beyond = (physical < first * (a_day or 1)) | (physical >= end * (a_day or 1))
    return physical.set(beyond, None).cast(kind)  # (before polars 1.37 no day can be set)


@contextlib.contextmanager
def _passing_over() -> Iterator[None]:
    """Whatever a library makes of a cell, a panic (which is no Exception) too, tells nobody."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return


def labels_of(y: Any) -> NDArray[Any]:
    """Labels in one dimension, each as it is: only an array of NumPy has one type for all."""
    if isinstance(y, Mapping) or hasattr(y, "column_names"):
        raise DataError("y", type(y), "a column of labels")
    if len(getattr(y, "columns", ())) == 1:  # a data frame of one column
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y.to_series(0)
    if not isinstance(y, np.ndarray) and hasattr(y, "__array__") and getattr(y, "ndim", 1) == 1:
        y = cells_of(y)
    if hasattr(y, "__array__"):
        labels = np.asarray(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            from sklearn.exceptions import DataConversionWarning

            words = "A column-vector y was passed when a 1d array was expected."
            warnings.warn(words, DataConversionWarning, stacklevel=4)
            return labels.ravel()
        if labels.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of {labels.ndim} dimensions")
        return labels
    entries = list(y)
    labels = np.empty(len(entries), dtype=object)
    for place, label in enumerate(entries):
        labels[place] = label
    return labels


def rows_of(y: Any) -> int:
    """How many labels there are."""
    return len(y if hasattr(y, "__len__") else np.asarray(y))


def code_of(table: dict[Any, int], value: Any, other: int) -> int:
    """The code of a value; `other` for what is not listed, or could not be."""
    try:
        return table.get(plain(value), other)
    except KeyboardInterrupt:
        raise
    except BaseException:  # it cannot be hashed, or not be compared
        return other


def plain(value: Any) -> Any:
    """A value as a key: NumPy's scalars as Python's, a missing value as None.

    Times of NumPy as those of pandas, if there is pandas: a category of another type decides which
    of the two the others are, which unit they have, and whether a missing one is complex.
    """
    if isinstance(value, (np.datetime64, np.timedelta64)) and "pandas" in sys.modules:
        name = "Timestamp" if isinstance(value, np.datetime64) else "Timedelta"
        value = getattr(sys.modules["pandas"], name)(value)
    elif isinstance(value, np.generic):
        value = value.item()
        # (NumPy keeps its longest floats.)
        value = float(value) if isinstance(value, np.floating) else value
        value = complex(value) if isinstance(value, np.complexfloating) else value
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if type(value).__name__ in ("Timestamp", "Timedelta"):
        return _of_one_unit(value)
    return None if isinstance(value, (float, complex)) and cmath.isnan(value) else value


def _of_one_unit(moment: Any) -> Any:
    """A time of pandas in the finest of three units that can hold it.

    Equal times have unequal hashes in pandas if their units differ and Python has no year for them.
    """
    if getattr(moment, "unit", "ns") == "ns":
        return moment
    for unit in ("us", "ms"):
        with contextlib.suppress(ArithmeticError, ValueError):
            return moment.as_unit(unit)
    return moment
