"""Conditions as expressions that are defined for every row. Proof: `bounding.proof.md`."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from itertools import product

from ...errors import ArgumentError
from . import DATE, MOMENT, NUMBER, TEXT, TRUTH, WHOLE, Column
from .dialect import LARGEST, SMALLEST
from .expression import Compare, Condition, Flag, InValues, IsNull, Join, Literal, Not
from .rows import RowValue, TableRows

#: A date that does not begin with its year: 31.12.2024, 31/12/2024, 12/31/2024.
_YEAR_LAST = re.compile(r" *[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{4}([ T].*)?", re.DOTALL)

#: Anything that looks like a date: 2024-12, 2024-12-31 00:00, 2024/12/31, 31.12.24.
_DATED = re.compile(r" *([0-9]{1,4}([-./])[0-9]{1,2}\2[0-9]{1,4}.*|[0-9]{4}-[0-9]{2} *)", re.DOTALL)


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
    cell, (value,) = comparable(rows, condition.column, (condition.value,), argument)
    if cell.kind == TEXT and condition.operator not in ("=", "!="):
        stated = rows.table.column(condition.column, argument).day is not None
        _check_order(condition.value, stated, argument)
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
    shown = ", ".join(sorted({type(v).__name__ for v in values}))
    raise ArgumentError(
        argument, name, f"compared with values of its own type, {column.stored}, not with {shown}"
    )


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


def _check_order(text: Literal, stated: bool, argument: str) -> None:
    """Dates with the year behind are in no order as texts: '31.12.2024' is after '01.01.2025'.

    stated: whether the file writes such dates, so that no other notation has an order, either.
    """
    if isinstance(text, str) and (_DATED if stated else _YEAR_LAST).fullmatch(text):
        allowed = (
            "a comparison with a date such as '2024-12-31'; dates= states how a CSV "
            "file writes its own dates"
        )
        raise ArgumentError(argument, text, allowed)


def _moment(text: Literal, argument: str) -> str:
    """A moment in UTC: microseconds, no time zone."""
    try:
        moment = datetime.fromisoformat(str(text))
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ArgumentError(argument, text, "a date such as '2024-12-31'") from None
    return moment.isoformat(sep=" ", timespec="microseconds")
