"""Fields of a mechanism file of kind "dependent-cells", each read strictly or refused by name.

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ..errors import FormatError

#: The longest number, in characters.
MAX_DIGITS = 300

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?", re.ASCII)
_COUNT = re.compile(r"[0-9]+", re.ASCII)


def short(value: object) -> str:
    """The value as text, cut to fit a message."""
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def read_object(value: object, name: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise FormatError(f'"{name}" must be an object, got {short(value)}')
    return value


def check_keys(data: Mapping[str, Any], name: str, required: set[str], optional: set[str]) -> None:
    """Refuse missing and unknown keys."""
    missing, unknown = required - set(data), set(data) - required - optional
    if missing:
        raise FormatError(f'"{name}" lacks {", ".join(sorted(missing))}')
    if unknown:
        raise FormatError(f'"{name}" has unknown keys: {short(", ".join(sorted(unknown)))}')


def read_list(value: object, name: str, longest: int) -> list[Any]:
    """A list of at most `longest` entries."""
    if not isinstance(value, list) or len(value) > longest:
        raise FormatError(f'"{name}" must be a list of at most {longest} entries')
    return value


def read_integer(value: object, name: str, low: int, high: int) -> int:
    """A JSON integer within limits."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f'"{name}" must be an integer from {low} to {high}, got {short(value)}')
    return value


def read_number(
    value: object, name: str, allowed: Callable[[Fraction], bool], words: str
) -> Fraction:
    """An exact number in a string, if it is allowed."""
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not _NUMBER.fullmatch(value):
        raise FormatError(f'"{name}" must be a string that holds a number, got {short(value)}')
    try:
        number = Fraction(value)
    except ZeroDivisionError:
        raise FormatError(f'"{name}" must not divide by zero, got {short(value)}') from None
    if not allowed(number):
        raise FormatError(f'"{name}" must be {words}, got {short(value)}')
    return number


def read_positive(value: object, name: str) -> Fraction:
    """A positive number in a string."""
    return read_number(value, name, lambda v: v > 0, "positive")


def read_whole(value: Fraction, name: str, low: int, high: int) -> int:
    """A whole number within limits."""
    if value.denominator != 1 or not low <= value <= high:
        raise FormatError(f'"{name}" must be a whole number from {low} to {high}, got {value}')
    return int(value)


def read_count(value: object, name: str) -> int:
    """A non-negative whole number in a string."""
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not _COUNT.fullmatch(value):
        raise FormatError(f'"{name}" must be a string of digits, got {short(value)}')
    return int(value)
