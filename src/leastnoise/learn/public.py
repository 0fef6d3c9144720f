"""Public knowledge: ranges of numeric features, levels of categorical ones, the classes.

And encoding by it: whatever a row holds, it becomes numbers by a rule that no other row changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from ..numeric import Floats, Ints
from .cells import code_of, plain
from .statistics import SCALE

#: What to do without public knowledge, in every refusal.
_LOUD = "or set take_public_knowledge_from_data_not_private=True, which voids the guarantee"

#: Bounds up to here, and this far apart, have a middle, a width and a variance that are floats.
_FARTHEST, _NEAREST = 1e150, 1e-150


@dataclass(frozen=True, eq=False)
class Schema:
    """Which columns are what; `low` and `high` per numeric column, `levels` per categorical."""

    numeric: tuple[int, ...]
    categorical: tuple[int, ...]
    low: Floats
    high: Floats
    levels: tuple[tuple[Any, ...], ...]

    def clip(self, columns: Floats) -> Floats:
        """Numeric columns within the bounds; what is no number is in the middle."""
        middle = (self.high + self.low) / 2
        return np.clip(np.where(np.isnan(columns), middle, columns), self.low, self.high)

    def scale(self, columns: Floats) -> Floats:
        """Numeric columns clipped to the bounds and mapped to [-1, 1]; 0 for what is no number."""
        middle, half = (self.high + self.low) / 2, (self.high - self.low) / 2
        return np.asarray(np.clip((self.clip(columns) - middle) / half, -1, 1))

    def whole(self, columns: Floats) -> Ints:
        """The same as whole multiples of 1/SCALE."""
        return np.rint(self.scale(columns) * SCALE).astype(np.int64)

    def codes(self, columns: Sequence[Any]) -> Ints:
        """Codes of categorical columns; what is no level gets the code after the last."""
        codes = np.zeros((len(columns[0]) if columns else 0, len(columns)), dtype=np.int64)
        for j, (column, words) in enumerate(zip(columns, self.levels, strict=True)):
            table = {word: code for code, word in enumerate(words)}
            codes[:, j] = [code_of(table, value, len(words)) for value in column]
        return codes


def column_index(name: Any, names: Sequence[str] | None, width: int, argument: str) -> int:
    """The place of a column given by name or by number."""
    if isinstance(name, str):
        if names is None or name not in names:
            raise ArgumentError(
                argument,
                name,
                "the name of a column (X has names only as a data frame), or its number",
            )
        return list(names).index(name)
    if (
        isinstance(name, bool)
        or not isinstance(name, (int, np.integer))
        or not (-width <= name < width)
    ):
        raise ArgumentError(argument, name, f"a column's name or number, below {width}")
    return int(name) % width


def column_words(columns: Sequence[int], names: Sequence[str] | None) -> str:
    """Columns in words: by name where there are names, else by number; not more than a few."""
    words = [repr(str(names[j])) if names is not None else str(j) for j in columns]
    more = f" and {len(words) - 6} more" if len(words) > 7 else ""
    return f"column{'s' if len(words) > 1 else ''} {', '.join(words[:6] if more else words)}{more}"


def bounds_of(
    bounds: Any,
    columns: Sequence[int],
    names: Sequence[str] | None,
    width: int,
    data: Floats,
    from_data: bool,
) -> tuple[Floats, Floats]:
    """(low, high) of each numeric column."""
    count = len(columns)
    if bounds is None:
        if not count:
            return np.zeros(0), np.zeros(0)
        if not from_data:
            raise ArgumentError(
                "bounds",
                None,
                f"given for {column_words(columns, names)}: (low, high) for all of "
                "them, two sequences, or a dict by column, from public knowledge (a scaler fitted "
                f"to the same data makes no range public); {_LOUD}",
            )
        finite = np.isfinite(data)
        some = finite.any(axis=0)
        low = np.where(some, np.where(finite, data, np.inf).min(axis=0, initial=np.inf), 0.0)
        high = np.where(some, np.where(finite, data, -np.inf).max(axis=0, initial=-np.inf), 0.0)
        return low, np.where((high - low) / 2 > 0, high, low + 1.0 + np.abs(low))
    if isinstance(bounds, Mapping):
        pairs = _by_column("bounds", bounds, columns, names, width, "numeric")
        if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            raise ArgumentError("bounds", bounds, "a dict of pairs (low, high)")
        low, high = (_numbers([pair[side] for pair in pairs], count) for side in (0, 1))
    else:
        low, high = (_numbers(side, count) for side in _sides(bounds, count))
    if not bool(np.all(low < high)):
        raise ArgumentError("bounds", bounds, "pairs with low < high")
    near = np.all(np.maximum(np.abs(low), np.abs(high)) <= _FARTHEST)
    if not bool(near and np.all(high - low >= _NEAREST)):
        raise ArgumentError(
            "bounds",
            bounds,
            f"pairs of at most {_FARTHEST:g} in size, and at least {_NEAREST:g} apart: variances "
            "are floats, too",
        )
    return low, high


def _by_column(
    argument: str,
    given: Mapping[Any, Any],
    columns: Sequence[int],
    names: Sequence[str] | None,
    width: int,
    kind: str,
) -> list[Any]:
    """What is given for each of the columns, by name or by number; none may be left out."""
    places = {column_index(key, names, width, argument): value for key, value in given.items()}
    missing = [column for column in columns if column not in places]
    if missing:
        words = f"given for every {kind} column, also for {column_words(missing, names)}"
        raise ArgumentError(argument, given, words)
    return [places[column] for column in columns]


def _sides(bounds: Any, count: int) -> tuple[Any, Any]:
    """(lows, highs) of `count` columns, each one number or a sequence."""
    if not isinstance(bounds, (tuple, list, np.ndarray)) or len(bounds) != 2:
        raise ArgumentError(
            "bounds",
            bounds,
            "(low, high) for all columns, two sequences (lows, highs), or a dict of pairs",
        )
    low, high = bounds
    if count == 2 and isinstance(bounds, list) and isinstance(low, tuple):
        raise ArgumentError(
            "bounds",
            bounds,
            "a dict of pairs by column, or a tuple of two lists (lows, highs): a list of two "
            "tuples may mean either",
        )
    return low, high


def _numbers(side: Any, count: int) -> Floats:
    try:
        values = np.broadcast_to(np.asarray(side, dtype=np.float64), (count,)).copy()
    except (TypeError, ValueError):
        raise ArgumentError(
            "bounds", side, f"numbers: one for all, or one for each of {count} numeric features"
        ) from None
    if not bool(np.all(np.isfinite(values))):
        raise ArgumentError("bounds", side, "finite")
    return values


def classes_of(
    classes: Any, y: Any, from_data: bool, declared_kind: str | None = None
) -> tuple[NDArray[Any], Ints]:
    """(the classes in order, the code of each label); -1 for a label that is no class.

    held: what y holds by its declared type, "numbers" or "text", if that says it.
    """
    if classes is None:
        if not from_data:
            raise ArgumentError(
                "classes",
                None,
                f"given: the list of all labels that there may be, from public knowledge; {_LOUD}",
            )
        distinct, codes = np.unique(y, return_inverse=True)
        return distinct, codes.astype(np.int64)
    known = known_classes(classes)
    if declared_kind is not None and (declared_kind == "text") != (known.dtype.kind in "US"):
        raise ArgumentError("classes", classes, "numbers if y holds numbers, text if it holds text")
    table = {plain(label): code for code, label in enumerate(known)}
    return known, np.array([code_of(table, label, -1) for label in y], dtype=np.int64)


def known_classes(classes: Any) -> NDArray[Any]:
    """The classes a user lists, in order."""
    allowed = "a list of at least two labels, all numbers or all text"
    if isinstance(classes, (str, bytes)) or not hasattr(classes, "__iter__"):
        raise ArgumentError("classes", classes, allowed)
    try:
        known = np.unique(np.asarray(list(classes)))
    except (TypeError, ValueError):
        raise ArgumentError("classes", classes, allowed) from None
    types = {type(label) for label in known.tolist()}
    if known.ndim != 1 or len(known) < 2 or known.dtype.kind not in "biufUSO" or len(types) > 1:
        raise ArgumentError("classes", classes, allowed)
    if known.dtype.kind in "US" and not all(isinstance(label, (str, bytes)) for label in classes):
        raise ArgumentError("classes", classes, allowed)  # NumPy makes text of numbers beside text
    return known


def levels_of(
    categories: Any,
    columns: Sequence[int],
    names: Sequence[str] | None,
    width: int,
    data: Sequence[Any],
    from_data: bool,
) -> tuple[tuple[Any, ...], ...]:
    """The levels of each categorical column."""
    if not columns:
        return ()
    if categories is None:
        if not from_data:
            raise ArgumentError(
                "categories",
                None,
                f"given for {column_words(columns, names)}: a list of levels for "
                f"each, or a dict by column, from public knowledge; {_LOUD}",
            )
        strings = [
            sorted({plain(v) for v in column}, key=lambda v: (str(type(v)), v)) for column in data
        ]
        return tuple(tuple(words) for words in strings)
    if isinstance(categories, Mapping):
        lists = _by_column("categories", categories, columns, names, width, "categorical")
    else:
        lists = list(categories)
        if len(lists) != len(columns):
            raise ArgumentError(
                "categories", categories, f"one list for each of {len(columns)} such features"
            )
    result = []
    for words in lists:
        if isinstance(words, str) or not isinstance(words, (Sequence, np.ndarray)):
            raise ArgumentError("categories", words, "a list of levels")
        plain_words = tuple(plain(word) for word in words)
        if not plain_words or len(set(plain_words)) < len(plain_words):
            raise ArgumentError("categories", words, "at least one level, without repetition")
        result.append(plain_words)
    return tuple(result)
