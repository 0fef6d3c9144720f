"""Public keys of groups, as strings: numbers, Booleans and dates in their usual form."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from ...errors import ArgumentError, Described
from ...work import charge
from ..sources import LONGEST_KEY
from ..sources.rows import octets_of

_MOST_KEYS = 2_000_000
#: A range of quarters, months or days, which is no value of a column: 2024-01..2024-12.
_SPAN = re.compile(r"[0-9]{4}-Q?[0-9]{1,2}(-[0-9]{2})?[.]{2}[0-9]{4}-Q?[0-9]{1,2}(-[0-9]{2})?")


def number_keys(groups: int) -> tuple[str, ...]:
    """The keys of groups that are known by their numbers; few bytes of arguments make many."""
    charge(groups // 8)
    return tuple(map(str, range(groups)))


def keys_of(keys: Sequence[Any] | str) -> tuple[str, ...]:
    """Public keys as texts: numbers, truths and dates in their usual form."""
    keys = list_keys(keys)
    if isinstance(keys, str) or not isinstance(keys, Sequence):
        allowed = 'a list of values (of several columns a list of such lists), or "private"'
        raise ArgumentError("keys", keys, allowed)
    texts = tuple(map(_key_text, keys))
    if not 1 <= len(texts) <= _MOST_KEYS:
        raise ArgumentError("keys", Described(f"{len(texts)} keys"), f"1 to {_MOST_KEYS} values")
    if len(set(texts)) < len(texts):
        twice = next(key for key, times in Counter(texts).items() if times > 1)
        raise ArgumentError("keys", Described(f"{twice!r} twice"), "different values")
    if span := next(filter(_SPAN.fullmatch, texts), None):
        allowed = 'values of the column; a range of periods stands with by="month(...)"'
        raise ArgumentError("keys", span, allowed)
    if not all(key.isascii() or _encodes(key) for key in texts):
        raise ArgumentError(
            "keys", Described("a string with half a character"), "strings that UTF-8 can write"
        )
    if any(len(key) > LONGEST_KEY // 4 and len(octets_of(key)) > LONGEST_KEY for key in texts):
        raise ArgumentError(
            "keys", Described("a longer one"), f"of at most {LONGEST_KEY} bytes each"
        )
    if len({octets_of(key) for key in texts}) < len(texts):
        raise ArgumentError("keys", Described("a key twice"), "different values")
    return texts


def list_keys(keys: Any) -> Any:
    """Keys as a list, where they are an array, a Series, an Index or a Categorical."""
    if isinstance(keys, (str, list, tuple)):
        return keys
    if getattr(getattr(keys, "dtype", None), "kind", "") == "M" and hasattr(keys, "astype"):
        keys = keys.astype("datetime64[us]")  # (NumPy lists nanoseconds as integers)
    for name in ("tolist", "to_list", "to_pylist"):  # NumPy and pandas, Polars, Arrow
        if hasattr(keys, name):
            return getattr(keys, name)()
    return keys


def _key_text(key: Any) -> str:
    """A key as text: true, 7, north, 2024-12-31."""
    kind, nan = type(key).__name__, isinstance(key, float) and math.isnan(key)
    if nan or kind in ("NoneType", "NAType", "NaTType"):
        allowed = "without missing values: rows without a key are in no group"
        raise ArgumentError("keys", str(key), allowed)
    if kind in ("bool", "bool_"):
        return str(key).lower()
    if isinstance(key, datetime) and key.tzinfo is None and key.time() == time.min:
        return key.date().isoformat()
    return str(key)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
