"""Cells of a table: what each becomes, by itself, whatever it holds.

A refusal is an answer, too, and nobody pays for it. So no value is refused: a number is itself, and
what is no number is NaN, which counts as the middle of its column's bounds. What a table can be
refused for is public: its shape and the types of its columns. Proof: `cells.proof.md`.
"""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

Floats = NDArray[np.float64]

#: How the names of types begin that hold no numbers.
_WORDS = ("object", "str", "utf8", "date", "time", "duration", "period", "list", "struct", "binary")
_ALLOWED = "numbers, or named in `categorical`"


def number(value: Any) -> float:
    """A cell as a number: NaN for what is none, an infinity for what is too large."""
    if not isinstance(value, (Real, Decimal, str, np.bool_)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except Exception:
        return math.nan


def numbers(column: Any) -> Floats:
    """Cells as numbers; DataError only for a type of column that holds none."""
    array = column if isinstance(column, np.ndarray) else np.asarray(column)
    if array.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            return array.astype(np.float64)
    if array.dtype.kind != "O":
        raise DataError("X", "text" if array.dtype.kind in "US" else "no numbers", _ALLOWED)
    return np.array([number(value) for value in array.ravel()], dtype=np.float64).reshape(
        array.shape
    )


def holds_words(kind: Any) -> bool:
    """Whether a type of a data frame's column, by its name, holds no numbers."""
    return str(kind).lower().startswith(_WORDS)


def check_kinds(X: Any, numeric: tuple[int, ...]) -> None:
    """DataError if a numeric column of a data frame is, by its type, none."""
    kinds = list(X.dtypes)
    if any(holds_words(kinds[j]) for j in numeric):
        raise DataError("X", "text", _ALLOWED)


def cells(X: Any) -> NDArray[Any]:
    """An array as it is; a list as an array of its cells, whose types do not depend on each other.

    (NumPy makes text of all of them if one is text.)
    """
    return np.asarray(X) if hasattr(X, "__array__") else np.array(X, dtype=object)


def labels_of(y: Any) -> NDArray[Any]:
    """Labels in one dimension, each as it is."""
    if hasattr(y, "__array__"):
        found = np.asarray(y)
        if found.ndim == 2 and found.shape[1] == 1:
            from sklearn.exceptions import DataConversionWarning

            words = "A column-vector y was passed when a 1d array was expected."
            warnings.warn(words, DataConversionWarning, stacklevel=4)
            return found.ravel()
        if found.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {found.shape} instead")
        return found
    held = list(y)
    found = np.empty(len(held), dtype=object)
    for place, label in enumerate(held):
        found[place] = label
    return found


def rows_of(y: Any) -> int:
    """How many labels there are."""
    return len(np.asarray(y) if hasattr(y, "__array__") else y)


def code_of(table: dict[Any, int], value: Any, other: int) -> int:
    """The code of a value; `other` for what is not listed, or could not be."""
    try:
        return table.get(plain(value), other)
    except Exception:  # it cannot be hashed, or not be compared
        return other


def plain(value: Any) -> Any:
    """A value as a key: NumPy's scalars as Python's, a missing value as None."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
