"""Counts and records as whole numbers, or a `DataError` that shows none: `counts.proof.md`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .rounding import exact_value

#: Bits of a count at most: answers are floats.
_MOST_BITS = 800


def whole_vector(x: Any, cells: int) -> list[int]:
    """This number of integers, or a `DataError` that shows none of them."""
    allowed = f"a sequence of {cells} integer counts below 2^{_MOST_BITS}"
    if isinstance(x, (str, bytes, Mapping, Set)):
        raise DataError("x", type(x), allowed)
    numbers = np.asarray(x).ravel() if hasattr(x, "to_numpy") else x
    numbers = numbers.tolist() if hasattr(numbers, "tolist") else numbers
    try:
        row = list(numbers)
    except TypeError:
        raise DataError("x", type(x), allowed) from None
    if len(row) != cells:
        raise DataError("x", "another number of entries", allowed)
    exact = [number if type(number) is int else exact_value(number, "x") for number in row]
    if any(number.denominator != 1 or abs(number.numerator) >> _MOST_BITS for number in exact):
        raise DataError("x", type(x), allowed)
    return [int(number) for number in exact]


def width_of(x: Any) -> int | None:
    """How many columns a table of records has; None: it is no table."""
    shape = getattr(x, "shape", None)
    if shape is not None:
        return int(shape[1]) if len(shape) == 2 else None
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (list, tuple)):
        return len(x[0])
    return None


def codes_of(x: Any, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Records as whole numbers from 0 on, each below the size of its attribute."""
    allowed = "rows of integer codes, each from 0 to the size of its attribute minus 1"
    try:
        codes = np.asarray(x)
    except ValueError:
        raise DataError("x", type(x), allowed) from None
    if codes.dtype.kind not in "iub" or codes.ndim != 2:
        raise DataError("x", type(x), allowed)
    if codes.size and ((codes < 0).any() or (codes >= np.array(sizes)).any()):
        raise DataError("x", type(x), allowed)
    return codes.astype(np.int64)
