"""What holds the values of a release, and how the answers go back into one like it.

Lists, tuples, NumPy arrays, and Series of pandas and Polars; neither library is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

Values = Sequence[Any] | NDArray[Any]
Answers = list[Any] | NDArray[Any]

_ALLOWED = "a number, a list, a NumPy array, or a pandas or Polars Series"


def unpacked(value: Any) -> tuple[Values, Callable[[Answers], Any]] | None:
    """(values in order, how to pack the answers); None if `value` holds no values but is one.

    A list for lists and tuples, an array of the same shape, a Series with the same index and name.
    Whatever else has a length is refused by its type: nothing of it is shown.
    """
    if isinstance(value, (list, tuple)):
        return value, as_list
    if isinstance(value, np.ma.MaskedArray):
        raise DataError("value", type(value), "an array without a mask")
    if isinstance(value, np.ndarray):
        shape = value.shape
        return np.asarray(value).ravel(), lambda answers: as_array(answers).reshape(shape)
    if _is_a(value, "pandas", "Series"):
        kind, index, name = type(value), value.index, value.name
        return _column(value), lambda answers: kind(as_array(answers), index=index, name=name)
    if _is_a(value, "polars", "Series"):
        whole, label = type(value), value.name
        return _column(value), lambda answers: whole(label, _for_polars(answers))
    if hasattr(value, "__len__") or hasattr(value, "__iter__"):
        raise DataError("value", type(value), _ALLOWED)
    return None


def count_values(value: Any) -> int:
    """How many numbers `value` holds; a string holds none, and is one."""
    size = getattr(value, "size", None) if hasattr(value, "shape") else None
    if isinstance(size, int):
        return size
    return len(value) if isinstance(value, Sized) and not isinstance(value, str) else 1


def count_rows(values: Any) -> int:
    """How many vectors rows of vectors are; a vector is one. No number is looked at."""
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple):
        return int(shape[0]) if len(shape) > 1 else 1
    if not isinstance(values, (list, tuple)):
        return 1
    return max(1, sum(isinstance(row, Sized) and not isinstance(row, str) for row in values))


def listed_rows(values: Any) -> tuple[list[Any], bool]:
    """What was handed over as a list, and whether it is one vector and not rows of such."""
    if hasattr(values, "to_numpy"):  # tables of pandas and Polars, and their columns
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        if values.ndim not in (1, 2):
            raise DataError("vector", type(values), "an array of one axis, or rows of numbers")
        return list(values), values.ndim == 1
    if isinstance(values, (str, Mapping, Set)) or not isinstance(values, Iterable):
        raise DataError("vector", type(values), "a sequence of numbers, or rows of numbers")
    listed = list(values)
    return listed, not any(isinstance(x, Iterable) and not isinstance(x, str) for x in listed)


def _is_a(value: object, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return kind is not None and isinstance(value, kind)


def _column(series: Any) -> Values:
    """The numbers of a Series: an array if they are plain, else objects one by one.

    Missing values stay what they are, and are refused where every value is checked.
    """
    kind = getattr(series.dtype, "kind", None)
    if kind is not None and kind in "iuf" and isinstance(series.dtype, np.dtype):
        return np.asarray(series.to_numpy())
    numbers: list[Any] = series.to_list()
    return numbers


def as_list(answers: Values | Answers) -> list[Any]:
    """Numbers as Python's own."""
    return answers.tolist() if isinstance(answers, np.ndarray) else list(answers)


def as_array(answers: Answers) -> NDArray[Any]:
    """Answers as an array: float64 or int64, or objects where these do not hold them."""
    if isinstance(answers, np.ndarray):
        return answers
    if not answers:
        return np.zeros(0)
    if all(type(answer) is float for answer in answers):
        return np.array(answers, dtype=np.float64)
    if all(type(answer) is int and -(2**63) <= answer < 2**63 for answer in answers):
        return np.array(answers, dtype=np.int64)
    objects = np.empty(len(answers), dtype=object)
    objects[:] = answers
    return objects


def _for_polars(answers: Answers) -> Any:
    array = as_array(answers)
    return array.tolist() if array.dtype == object else array


__all__ = [
    "Answers",
    "Values",
    "as_array",
    "as_list",
    "count_rows",
    "count_values",
    "listed_rows",
    "unpacked",
]
