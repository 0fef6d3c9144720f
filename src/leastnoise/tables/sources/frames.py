"""pandas, Polars and Arrow tables as Arrow columns, typed by their declared types alone.

No value has a say in a type. A pandas column of Python objects, or of categories, is text, each by
a rule of its own (`text_of`). A string of more than 1 MiB in UTF-8 is missing, as in a CSV file:
DuckDB fails at one of 4 GiB, and one row must not take all memory. Columns whose
type no question can use are kept by name only.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import ArgumentError, Described
from .csv_records import LONGEST_RECORD

#: A whole number of more digits is written as it is.
_LONGEST = 400
#: The most digits that a fraction is read with; every float has fewer.
_DIGITS = 1100


class MemoryTable:
    """A table in memory: names, declared types, and columns on demand."""

    def names(self) -> list[str]:
        """The names of the columns."""
        raise NotImplementedError

    def declared(self, name: str) -> str:
        """A column's type in its own library's words."""
        raise NotImplementedError

    def empty(self, name: str) -> Any:
        """A column without its values, None if no question can use it."""
        raise NotImplementedError

    def usable(self, name: str) -> Any:
        """The same; None, too, for a type that its own library cannot hand over."""
        try:
            return self.empty(name)
        except ImportError:
            raise
        except Exception:
            return None

    def columns(self, names: Sequence[str]) -> dict[str, Any]:
        """The columns as Arrow arrays."""
        raise NotImplementedError

    def rows(self) -> int:
        """The number of rows."""
        raise NotImplementedError


def frame_of(source: Any) -> MemoryTable | None:
    """What a table in memory is, None if it is no such table."""
    module = type(source).__module__.partition(".")[0]
    if module == "pandas" and hasattr(source, "dtypes") and hasattr(source, "columns"):
        return _Pandas(source)
    if module == "polars":
        return _polars(source)
    if module == "pyarrow":
        return _arrow(source)
    return None


def _polars(source: Any) -> MemoryTable | None:
    """A DataFrame. Polars reads rows to know the schema of a lazy one."""
    import polars as pl

    if isinstance(source, pl.LazyFrame):
        allowed = "a DataFrame: call .collect(), because a lazy frame may guess types from rows"
        raise ArgumentError("table", Described("a Polars LazyFrame"), allowed)
    return _Polars(source) if isinstance(source, pl.DataFrame) else None


def _arrow(source: Any) -> MemoryTable | None:
    """Tables and batches. Files behind a dataset need not have its types; a reader is read once."""
    import pyarrow as pa

    return _Arrow(source) if isinstance(source, (pa.Table, pa.RecordBatch)) else None


def text_of(value: Any) -> str | None:
    """A Python object as text, None if missing, too long or of another type; never an error.

    Texts are themselves, truths true or false, numbers their digits, dates as 2024-12-31.
    """
    try:
        if value is None or isinstance(value, np.timedelta64):  # an integer, says NumPy
            return None
        if isinstance(value, str):
            text = str.__str__(value)
        elif isinstance(value, (bool, np.bool_)):
            text = "true" if value else "false"
        elif isinstance(value, (int, np.integer)):
            # (What pandas reads of a class derived from int or float, too.)
            text = int.__repr__(int.__index__(value) if isinstance(value, int) else int(value))
        elif isinstance(value, (float, np.floating)):
            number = float.__float__(value) if isinstance(value, float) else float(value)
            text = float.__repr__(number)
        elif isinstance(value, Decimal):
            text = Decimal.__str__(value)
        elif isinstance(value, date):  # and datetime; NaT says "NaT"
            text = value.isoformat()
        else:
            return None
        text = str.__str__(text)  # an object's own isoformat may give anything
        # Characters first: no copy is made of a string that is far too long.
        if len(text) > LONGEST_RECORD or len(text.encode()) > LONGEST_RECORD:
            return None
    except KeyboardInterrupt:
        raise
    except BaseException:  # an object may raise what it likes, SystemExit too
        return None
    missing = text.lower() in ("nan", "snan", "nat") and not issubclass(type(value), str)
    return None if missing else text


def texts_of_categories(categories: Any) -> list[str | None]:
    """Categories as texts, never an error. Equal numbers and moments are written alike.

    Of equal categories pandas keeps the first. One category 1.5 makes floats of all integers beside
    it, and 1j complex ones. Timestamps of NumPy are those of pandas, until a category of another
    type leaves them as they are. Each is taken out alone: pandas makes no object of some Arrow
    values (a timestamp of the year 20000), and would stop at the first of them.
    """
    return [_text_at(categories, place) for place in range(len(categories))]


def _text_at(categories: Any, place: int) -> str | None:
    try:
        return _text_of_category(categories[place])
    except KeyboardInterrupt:
        raise
    except BaseException:  # what an object says of itself may be an error, SystemExit too
        return None


def _text_of_category(value: Any) -> str | None:
    if issubclass(type(value), (complex, np.complexfloating)) and value.imag == 0:
        value = value.real
    if issubclass(type(value), np.datetime64):
        import pandas as pd

        value = pd.Timestamp(value)
    if issubclass(type(value), datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    if issubclass(type(value), Fraction):
        value = _decimal_of(value)
    text = text_of(value)
    if text is not None and issubclass(type(value), (float, Decimal, np.floating)):
        is_decimal = issubclass(type(value), Decimal)
        exact = Decimal(text) if is_decimal else Decimal(float(text))
        if exact.is_finite() and exact.adjusted() < _LONGEST and exact == exact.to_integral_value():
            return str(int(exact))
        if is_decimal:
            return _text_of_decimal(exact)
    return text


def _text_of_decimal(value: Decimal) -> str:
    """That of an equal float if there is one, else without zeros at the end."""
    number = float(value)
    if Decimal(number) == value:
        return float.__repr__(number)
    sign, digits, exponent = value.as_tuple()
    kept = "".join(map(str, digits)).rstrip("0")
    places = int(exponent) + len(digits) - len(kept)
    return str(Decimal((sign, tuple(map(int, kept)), places)))


def _decimal_of(value: Fraction) -> Decimal | int | None:
    """The number that a fraction is, None if it has no decimal digits that end."""
    if value.denominator == 1:
        return value.numerator
    with localcontext(prec=_DIGITS):
        quotient = Decimal(value.numerator) / Decimal(value.denominator)
    return quotient if quotient == value else None


class _Pandas(MemoryTable):
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._names = [str(name) for name in frame.columns]

    def names(self) -> list[str]:
        return self._names

    def _series(self, name: str) -> Any:
        return self._frame.iloc[:, self._names.index(name)]

    def declared(self, name: str) -> str:
        return str(self._series(name).dtype)

    def empty(self, name: str) -> Any:
        import pandas as pd

        series = self._series(name)
        if isinstance(series.dtype, pd.ArrowDtype):  # (no row of a dictionary has all its values)
            return _empty(series.dtype.pyarrow_dtype)
        return _pandas_column(series.iloc[:0])

    def columns(self, names: Sequence[str]) -> dict[str, Any]:
        return {name: _pandas_column(self._series(name)) for name in names}

    def rows(self) -> int:
        return len(self._frame)


def _pandas_column(series: Any) -> Any:
    import pandas as pd
    import pyarrow as pa

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        # The type of the categories comes from the values, so they are all texts.
        if not len(series):  # opening a table looks at no category
            return pa.array([], pa.large_string())
        values = pa.array(texts_of_categories(kind.categories), pa.large_string())
        codes = series.cat.codes.to_numpy()
        return values.take(pa.array(codes, mask=codes < 0))
    python = isinstance(kind, pd.StringDtype) and kind.storage != "pyarrow"
    if python or kind == np.dtype(object):
        return pa.array([text_of(value) for value in series.array], pa.large_string())
    if isinstance(kind, np.dtype):
        if kind.kind not in "biufM" or kind.itemsize > 8:
            return None
        values = series.to_numpy()
        return tidy(pa.Array.from_pandas(values) if kind.kind == "M" else pa.array(values))
    if isinstance(kind, pd.DatetimeTZDtype):
        return tidy(pa.Array.from_pandas(series))
    known = (pd.StringDtype, pd.ArrowDtype, pd.BooleanDtype, *_nullable(pd))
    return tidy(series.array.__arrow_array__()) if isinstance(kind, known) else None


def _nullable(pd: Any) -> tuple[Any, ...]:
    bits = [f"{sign}Int{size}Dtype" for sign in ("", "U") for size in (8, 16, 32, 64)]
    return tuple(getattr(pd, name) for name in [*bits, "Float32Dtype", "Float64Dtype"])


class _Polars(MemoryTable):
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._schema = frame.schema

    def names(self) -> list[str]:
        return list(self._schema.names())

    def declared(self, name: str) -> str:
        kind = self._schema[name]
        plain = not (kind.is_nested() or kind.base_type().__name__ == "Enum")
        return str(kind if plain else kind.base_type())  # an Enum would list its categories

    def empty(self, name: str) -> Any:
        import polars as pl

        if self._schema[name].base_type() == pl.Object:
            return None
        return tidy(pl.Series(name, [], self._schema[name]).to_arrow())

    def columns(self, names: Sequence[str]) -> dict[str, Any]:
        import polars.selectors as cs

        # By exact name: col("^a.*$") would be a pattern.
        selected = self._frame.select(cs.by_name(*names))
        return {name: tidy(selected.get_column(name).to_arrow()) for name in names}

    def rows(self) -> int:
        return int(self._frame.height)


class _Arrow(MemoryTable):
    def __init__(self, table: Any) -> None:
        self._table = table

    def names(self) -> list[str]:
        return list(self._table.schema.names)

    def declared(self, name: str) -> str:
        return str(self._table.schema.field(name).type)

    def empty(self, name: str) -> Any:
        return _empty(self._table.schema.field(name).type)

    def columns(self, names: Sequence[str]) -> dict[str, Any]:
        return {name: tidy(self._table.column(name)) for name in names}

    def rows(self) -> int:
        return int(self._table.num_rows)


def _empty(kind: Any) -> Any:
    """A column of an Arrow type without rows, by its type alone; None without a `tidy_type`."""
    import pyarrow as pa

    wanted = tidy_type(kind)
    return None if wanted is None else pa.array([], wanted)


def tidy_type(kind: Any) -> Any:
    """The Arrow type that DuckDB gets for columns of an Arrow type; None if no query can use it.

    Timestamps with a time zone are those of UTC. It follows from the type alone, so a table that
    has no row, or no chunk, has the columns of every other one of its types.
    """
    import pyarrow as pa
    import pyarrow.types as t

    if isinstance(kind, pa.BaseExtensionType):
        return None
    if t.is_dictionary(kind):
        # One text in many rows may take more bytes than the offsets of a plain string can say.
        return pa.large_string() if t.is_string(kind.value_type) else tidy_type(kind.value_type)
    if t.is_float16(kind):
        return pa.float32()
    if t.is_timestamp(kind):
        return pa.timestamp(kind.unit)
    if t.is_string_view(kind):
        return pa.large_string()
    plain = (t.is_integer, t.is_floating, t.is_boolean, t.is_date32, t.is_string, t.is_large_string)
    if any(is_one(kind) for is_one in plain):
        return kind
    usual = t.is_decimal(kind) and kind.bit_width <= 128 and kind.scale >= 0
    return kind if usual else None


def tidy(column: Any) -> Any:
    """An Arrow column as one of its `tidy_type`, without looking at a value; None without one."""
    import pyarrow as pa
    import pyarrow.types as t

    kind, wanted = column.type, tidy_type(column.type)
    if wanted is None:
        return None
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([tidy(chunk) for chunk in column.chunks], wanted)
    if t.is_dictionary(kind):  # its long strings go before they are written out
        return tidy(column.dictionary).cast(wanted).take(column.indices)
    if t.is_timestamp(kind):
        return column.view(wanted)
    column = column.cast(wanted)
    return bounded(column) if t.is_string(wanted) or t.is_large_string(wanted) else column


def bounded(column: Any) -> Any:
    """An array of strings in which those of more than `LONGEST_RECORD` bytes are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.binary_length(column)
    longest = pc.max(lengths).as_py()
    if longest is None or longest <= LONGEST_RECORD:
        return column
    # (`if_else` would make room for the long ones, too.)
    long = pc.fill_null(pc.greater(lengths, LONGEST_RECORD), False)
    places = pa.array(np.arange(len(column)), mask=long.to_numpy(zero_copy_only=False))
    return column.take(places)
