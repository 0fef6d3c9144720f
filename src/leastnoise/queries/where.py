"""Conditions and columns as Ibis expressions that are defined for every row."""

from __future__ import annotations

import operator
from datetime import date, datetime
from typing import Any

from ..errors import ArgumentError
from .expression import Compare, Condition, IsNull, Join, Literal, Within

_OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def column_of(table: Any, name: str, argument: str) -> Any:
    """A column by its exact name.

    The error does not list names: in a file without a header the first record stands for them.
    """
    if name not in table.columns:
        raise ArgumentError(argument, name, "the exact name of a column of the table")
    return table[name]


def number_of(column: Any, argument: str) -> Any:
    """The column as float64, NULL where there is no number; never an error for any row."""
    kind = column.type()
    if kind.is_string():
        number = column.try_cast("float64")  # texts that are no numbers count as missing
    elif kind.is_boolean():
        import ibis

        return ibis.ifelse(column.isnull(), ibis.null("float64"), ibis.ifelse(column, 1.0, 0.0))
    elif kind.is_integer() or kind.is_decimal():
        return column.cast("float64")
    elif kind.is_floating():
        number = column.cast("float64")
    else:
        raise ArgumentError(argument, column.get_name(), f"a column of numbers, not of {kind}")
    return _without_nan(number)


def number_and_missing(column: Any, argument: str) -> tuple[Any, Any]:
    """(a float64, where it is to be ignored): cheaper than NULL where the number is clamped."""
    if not column.type().is_floating():
        number = number_of(column, argument)
        return number, number.isnull()
    number = column.cast("float64")
    return number, number.isnull() | number.isnan()


def missing_in(column: Any) -> Any:
    """Where a value is missing: NULL, and NaN too, which engines do not agree about."""
    return _without_nan(column).isnull() if column.type().is_floating() else column.isnull()


def _without_nan(number: Any) -> Any:
    import ibis

    return ibis.ifelse(number.isnan(), ibis.null(number.type()), number)


def truth_of(table: Any, condition: Condition, argument: str = "where") -> Any:
    """The condition as a boolean expression; NULL where a value that it needs is missing."""
    if isinstance(condition, Join):
        left = truth_of(table, condition.left, argument)
        right = truth_of(table, condition.right, argument)
        return left & right if condition.word == "and" else left | right
    if isinstance(condition, IsNull):
        return missing_in(column_of(table, condition.column, argument))
    if isinstance(condition, Compare):
        column, (value,) = _comparable(table, condition.column, (condition.value,), argument)
        return _OPERATORS[condition.operator](column, value)
    if isinstance(condition, Within):
        column, values = _comparable(table, condition.column, condition.values, argument)
        return column.isin(values)
    return ~truth_of(table, condition.inner, argument)


def _comparable(
    table: Any, name: str, values: tuple[Literal, ...], argument: str
) -> tuple[Any, list[Any]]:
    """The column and the literals in one type, so that no engine has to guess."""
    import ibis

    column = column_of(table, name, argument)
    kind = column.type()
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if numbers and kind.is_integer() and all(isinstance(v, int) for v in values):
        return column.cast("int64") if not kind.is_unsigned_integer() else column, list(values)
    if numbers and (kind.is_numeric() or kind.is_string()):
        return number_of(column, argument), [ibis.literal(float(v), "float64") for v in values]
    if all(isinstance(v, bool) for v in values) and kind.is_boolean():
        return column, list(values)
    if all(isinstance(v, bool) for v in values) and kind.is_string():
        return column.lower(), [str(v).lower() for v in values]
    if all(isinstance(v, str) for v in values):
        if kind.is_string():
            return column, list(values)
        if kind.is_date() or kind.is_timestamp():
            return column, [_moment(str(v), kind, argument) for v in values]
    shown = ", ".join(sorted({type(v).__name__ for v in values}))
    raise ArgumentError(
        argument, name, f"compared with values of its own type, {kind}, not with {shown}"
    )


def _moment(text: str, kind: Any, argument: str) -> Any:
    import ibis

    try:
        if kind.is_date():
            return ibis.literal(date.fromisoformat(text), "date")
        return ibis.literal(datetime.fromisoformat(text), kind)
    except ValueError:
        raise ArgumentError(argument, text, "a date such as '2024-12-31'") from None
