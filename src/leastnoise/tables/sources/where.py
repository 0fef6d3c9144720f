"""Conditions as expressions that are defined for every row. Proof: `bounding.proof.md`."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from itertools import product

from ...errors import ArgumentError
from . import DATE, MOMENT, NUMBER, TEXT, TRUTH, WHOLE, Column
from .dialect import DATED, LARGEST, NUMERAL, SMALLEST
from .expression import Compare, Condition, Flag, InValues, IsNull, Join, Literal, Not
from .rows import RowValue, TableRows

#: Anything that looks like a date: 2024-12, 2024-12-31 00:00, 2024/12/31, 31.12.2024, 31.12.24.
_DATE = re.compile(
    r" *([0-9]{1,2}([-./])[0-9]{1,2}\2([0-9]{2}){1,2}|[0-9]{4}[-/][0-9]{1,2}"
    r"|[0-9]{4}([-./])[0-9]{1,2}\4[0-9]{1,2})( *|[ T].*)",
    re.DOTALL,
)
#: Integers that are years, where strings may be dates.
_YEARS = range(1000, 10_000)

#: What a condition may give, in words.
_GIVEN = {str: "a string", bool: "true or false", float: "a number"}
_WITH_DAY = "compared with a date in quotes, such as '2024-12-31'"
#: What a column of each kind holds, and what it can be compared with.
_HELD = {
    TEXT: (
        "of strings ",
        "compared with a string in quotes, or be stored as numbers or dates to be compared as such",
    ),
    WHOLE: ("of numbers ", "compared with a number without quotes"),
    NUMBER: ("of numbers ", "compared with a number without quotes"),
    TRUTH: ("of Booleans ", "compared with true or false, without quotes"),
    DATE: ("of dates ", _WITH_DAY),
    MOMENT: ("of timestamps ", _WITH_DAY),
}


def truth_of(rows: TableRows, condition: Condition, argument: str = "where") -> str:
    """The condition as a boolean expression; NULL where a value that it needs is missing.

    A number that is no number, and a text that is neither true nor false, are missing there.
    """
    match condition:
        case Join(word, left, right):
            both = [truth_of(rows, side, argument) for side in (left, right)]
            return f"({f' {word.upper()} '.join(both)})"
        case Not(inner):
            return f"(NOT {truth_of(rows, inner, argument)})"
        case IsNull(name):
            return f"({rows.value(name, argument).sql} IS NULL)"
        case InValues(name, values):
            cell, literals = comparable(rows, name, values, argument)
            return f"({cell.sql} IN ({', '.join(literals)}))"
        case Compare():
            return _comparison(rows, condition, argument)
        case Flag(name):
            column = rows.table.column(name, argument)
            if column.value is None or column.value.kind != TRUTH:
                raise ArgumentError(
                    argument,
                    name,
                    f"a comparison such as {name} = {_example(column)}: alone it would be "
                    f"a Boolean column, and this one is of type {column.stored}",
                )
            return _comparison(rows, Compare(name, "=", True), argument)


def _comparison(rows: TableRows, condition: Compare, argument: str) -> str:
    """A column compared with a value."""
    if isinstance(condition.value, str) and condition.operator not in ("=", "!="):
        cell, value = _ordered(rows, condition.column, condition.value, argument)
    else:
        cell, (value,) = comparable(rows, condition.column, (condition.value,), argument)
    if isinstance(condition.value, bool) and cell.kind == TEXT:
        if condition.operator not in ("=", "!="):
            allowed = "compared as = true or != true, as a column of strings"
            raise ArgumentError(argument, condition.column, allowed)
        # A text that is no truth is missing, as one that is no number is for a number.
        other = ", ".join(map(rows.engine.octets, _spellings(str(not condition.value).lower())))
        same = condition.operator == "="
        cases = " ".join(
            f"WHEN {cell.sql} IN ({words}) THEN {str(truth).upper()}"
            for words, truth in ((value, same), (other, not same))
        )
        return f"(CASE {cases} END)"
    return f"({cell.sql} {condition.operator.replace('!=', '<>')} {value})"


def comparable(
    rows: TableRows, name: str, values: tuple[Literal, ...], argument: str
) -> tuple[RowValue, list[str]]:
    """The column and literals in one type, so that no engine has to guess."""
    engine, column = rows.engine, rows.table.column(name, argument)
    kind = column.value.kind if column.value is not None else ""
    if all(isinstance(v, bool) for v in values):
        if kind == TRUTH:
            return rows.value(name, argument), [str(v).upper() for v in values]
        if kind == TEXT:
            words = [word for v in values for word in _spellings(str(v).lower())]
            return rows.value(name, argument), [", ".join(map(engine.octets, words))]
    elif all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        if kind == WHOLE and all(isinstance(v, int) for v in values):
            return rows.value(name, argument), [engine.whole(int(v)) for v in values]
        if kind == TEXT and column.year is None:
            raise _other_type(argument, column, values)
        if kind == TEXT and all(v in _YEARS for v in values):
            return rows.year(name, argument), [engine.real(float(v)) for v in values]
        if kind in (WHOLE, NUMBER, TEXT) and column.number is not None:
            return rows.number(name, argument), [engine.real(_held(float(v))) for v in values]
    elif all(isinstance(v, str) for v in values):
        if column.day is not None and all(map(_is_day, values)):
            return rows.day(name, argument), [f"DATE '{_day(v, argument)}'" for v in values]
        if kind == TEXT:
            return rows.value(name, argument), [
                engine.octets(_encoded(v, argument)) for v in values
            ]
        if kind == DATE:
            return rows.value(name, argument), [f"DATE '{_day(v, argument)}'" for v in values]
        if kind == MOMENT:
            cell = rows.value(name, argument)
            return cell, [cell.form.moment.format(_moment(v, argument)) for v in values]
    raise _other_type(argument, column, values)


def _other_type(argument: str, column: Column, values: tuple[Literal, ...]) -> ArgumentError:
    """The error for a column that is compared with something that it does not hold."""
    kinds = {type(v) if isinstance(v, (str, bool)) else float for v in values}
    given = _GIVEN[kinds.pop()] if len(kinds) == 1 else "values of several types"
    kind = column.value.kind if column.value is not None else ""
    held, allowed = _HELD.get(kind, ("", "of a type that conditions cannot compare"))
    words = (
        f"{argument} compares {column.name!r}, a column {held}({column.stored}), with {given}: "
        f"it must be {allowed}"
    )
    return ArgumentError(argument, column.name, allowed, words)


def _example(column: Column) -> str:
    """A value that a column could be compared with, as it is written in a condition."""
    kind = column.value.kind if column.value is not None else ""
    return {TEXT: "'yes' (or = true)", WHOLE: "1", NUMBER: "1.5"}.get(kind, "'2024-12-31'")


def _held(value: float) -> float:
    """As the numbers of a column are: nothing smaller than 1e-300, nothing larger than 1e300."""
    if abs(value) < SMALLEST:
        return 0.0
    return min(LARGEST, max(-LARGEST, value))


def _spellings(word: str) -> list[bytes]:
    """true, True, TRUE, ...: without asking an engine what a lower case is."""
    letters = product(*((c.lower(), c.upper()) for c in word))
    return ["".join(pair).encode() for pair in letters]


def _encoded(text: Literal, argument: str) -> bytes:
    try:
        return str(text).encode()
    except UnicodeEncodeError:
        raise ArgumentError(argument, text, "strings that UTF-8 can write") from None


def _day(text: Literal, argument: str) -> str:
    try:
        return date.fromisoformat(str(text)).isoformat()
    except ValueError:
        raise ArgumentError(argument, text, "a date such as '2024-12-31'") from None


def _is_day(text: Literal) -> bool:
    return re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", str(text)) is not None


def _ordered(rows: TableRows, name: str, text: str, argument: str) -> tuple[RowValue, str]:
    """A column and a text that its values come before or after.

    Texts have an order, which is not that of the numbers and dates that they stand for: '9' comes
    after '10', and '31.12.2024' after '01.01.2025'. Where a date stands, only dates are compared.
    """
    column = rows.table.column(name, argument)
    cell, (value,) = comparable(rows, name, (text,), argument)
    if cell.kind != TEXT:
        return cell, value
    if column.year is not None and re.fullmatch(NUMERAL, text, re.ASCII):
        allowed = "a number without quotes, where it is compared with <, <=, > or >="
        raise ArgumentError(argument, text, allowed)
    if not _DATE.fullmatch(text):
        return cell, value
    if column.day is not None or not re.fullmatch(DATED, text):
        allowed = (
            "a comparison with a date such as '2024-12-31'; dates= states how a CSV "
            "file writes its own dates"
        )
        raise ArgumentError(argument, text, allowed)
    return rows.dated(name, argument), value


def _moment(text: Literal, argument: str) -> str:
    """A moment in UTC: microseconds, no time zone."""
    try:
        moment = datetime.fromisoformat(str(text))
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ArgumentError(argument, text, "a date such as '2024-12-31'") from None
    return moment.isoformat(sep=" ", timespec="microseconds")
