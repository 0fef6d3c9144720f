"""Fields of a mechanism file, each read strictly or refused by name. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, TypeVar

from ..errors import FormatError
from ..losses import Loss, loss_from_spec
from ..work import arithmetic, charge
from .limits import MAX_DIGITS, MAX_SHORT

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?")
_COUNT = re.compile(r"[0-9]+")

T = TypeVar("T")


def demand(condition: bool, words: str) -> None:
    """`FormatError` with these words unless the condition holds."""
    if not condition:
        raise FormatError(words)


def short(value: object) -> str:
    """The value as text, cut to fit a message."""
    # The text of a container may be long, or too deep to write.
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    shown = repr(value[:100] if isinstance(value, str) else value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def printable(text: str) -> str:
    """In one line, without control characters: anyone may have written it."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


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
        raise FormatError(f'"{name}" has unknown keys, such as {short(min(unknown))}')


def read_list(value: object, name: str, longest: int) -> list[Any]:
    """A list of at most `longest` entries."""
    if not isinstance(value, list) or len(value) > longest:
        raise FormatError(f'"{name}" must be a list of at most {longest} entries')
    return value


def read_exactly(value: object, name: str, length: int) -> list[Any]:
    """A list of so many entries."""
    if not isinstance(value, list) or len(value) != length:
        words = "a pair" if length == 2 else f"a list of {length} entries"
        raise FormatError(f'"{name}" must be {words}')
    return value


def read_integer(value: object, name: str, low: int, high: int) -> int:
    """A JSON integer within limits."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f'"{name}" must be an integer from {low} to {high}, got {short(value)}')
    return value


def anything(value: Fraction) -> bool:
    """Whether the number is allowed: each is."""
    return True


def read_number(
    value: object,
    name: str,
    allowed: Callable[[Fraction], bool] = anything,
    words: str = "a number",
    longest: int = MAX_DIGITS,
) -> Fraction:
    """An integer, a decimal or a fraction, as a string."""
    if not isinstance(value, str) or len(value) > longest or not _NUMBER.fullmatch(value):
        raise FormatError(
            f'"{name}" must be a string of at most {longest} characters that holds an integer, '
            f"a decimal or a fraction, got {short(value)}"
        )
    charge(4 + len(value) // 40)
    # (As Fraction(value), which looks at the text once more and takes three times as long.)
    whole, _, decimals = value.partition(".")
    top, _, bottom = whole.partition("/")
    try:
        number = Fraction(int(top + decimals), int(bottom) if bottom else 10 ** len(decimals))
    except ZeroDivisionError:
        raise FormatError(f'"{name}" divides by zero') from None
    if not allowed(number):
        raise FormatError(f'"{name}" must be {words}, got {short(value)}')
    return number


def read_not_negative(value: object, name: str, longest: int = MAX_DIGITS) -> Fraction:
    """A number of 0 or more."""
    return read_number(value, name, lambda v: v >= 0, "non-negative", longest)


def check_bracket(lower: Fraction, upper: Fraction) -> None:
    """`FormatError` unless the bounds are in order."""
    demand(lower <= upper, '"lower" must be at most "upper"')


def read_loss(value: object) -> Loss:
    """A loss; `ArgumentError` if it is none."""
    loss = loss_from_spec(value, _number_of_loss)
    charge(kink_work(loss) * len(loss.kinks))
    return loss


def kink_work(loss: Loss) -> int:
    """Microseconds that a kink costs where a bound adds up many: their denominators multiply."""
    common = 1
    for number in loss.numbers:
        common = lcm(common, number.denominator)
        if common.bit_length() > 200_000:  # too much in any case
            break
    return arithmetic(2 * common.bit_length()) if common > 1 else 0


def _number_of_loss(value: object, name: str) -> Fraction:
    charge(60)  # a kink is sorted, compared and turned into slopes
    return read_number(value, name, longest=MAX_SHORT)


def read_positive(value: object, name: str) -> Fraction:
    """A positive number in a string, not long."""
    return read_number(value, name, lambda v: v > 0, "positive", MAX_SHORT)


def read_whole(value: Fraction, name: str, low: int, high: int) -> int:
    """A number that must be whole, within limits."""
    if value.denominator != 1 or not low <= value <= high:
        raise FormatError(f'"{name}" must be a whole number from {low} to {high}')
    return int(value)


def read_count(value: object, name: str) -> int:
    """A non-negative whole number in a string."""
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not _COUNT.fullmatch(value):
        raise FormatError(
            f'"{name}" must be a string of at most {MAX_DIGITS} digits, got {short(value)}'
        )
    return int(value)


def read_flag(value: object, name: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise FormatError(f'"{name}" must be true or false, got {short(value)}')
    return value
