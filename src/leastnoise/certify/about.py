"""What people write on a mechanism file: query, neighbors, date, author. Never believed.

A free JSON object of bounded size and depth. No check reads it and no claim rests on it; it is
part of the file, so a hash of the file covers it. Standard library only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ..errors import FormatError
from ..work import charge

MAX_TEXT = 20_000  # characters of the whole object as it is written
MAX_DEPTH = 5  # of objects and lists inside each other, the outermost included
MAX_WHOLE = 10**18
_LONG = f'"about" must be at most {MAX_TEXT} characters long'


def about_text(raw: object) -> str:
    """The one text of an `about` object, in which a document keeps it; empty for an empty one.

    `FormatError` if it is no object, too deep or too long, or holds what JSON cannot say.
    """
    if not isinstance(raw, Mapping):
        raise FormatError('"about" must be an object')
    text = json.dumps(_plain(raw, 1, [0]), separators=(",", ":"), allow_nan=False)
    charge(len(text) // 10)
    if len(text) > MAX_TEXT:
        raise FormatError(_LONG)
    return text if raw else ""


def about_object(text: str) -> dict[str, Any]:
    """The object that `about_text` made a text of."""
    about: dict[str, Any] = json.loads(text) if text else {}
    return about


def _plain(value: object, depth: int, seen: list[int]) -> object:
    """The value as JSON has it; `seen` counts, since every value takes a character at least."""
    charge(1)
    seen[0] += 1
    if seen[0] > MAX_TEXT:
        raise FormatError(_LONG)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) <= MAX_WHOLE:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping | list | tuple):
        if depth > MAX_DEPTH:
            raise FormatError(f'"about" must be at most {MAX_DEPTH} levels deep')
        if isinstance(value, list | tuple):
            return [_plain(item, depth + 1, seen) for item in value]
        if all(isinstance(key, str) for key in value):
            return {str(key): _plain(item, depth + 1, seen) for key, item in value.items()}
    raise FormatError(
        '"about" must hold texts, finite numbers, whole numbers up to 10^18, true, false, null, '
        "lists and objects with texts for keys"
    )
