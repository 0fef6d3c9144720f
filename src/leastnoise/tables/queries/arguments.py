"""A question's public arguments as plain values, and the question that they make.

There is one way to write a question: its arguments by name, those that are None left out, numbers
as exact texts. What is written otherwise is refused, so what people read is what is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from numbers import Real
from typing import Any

from ...errors import ArgumentError, Described
from ...exact import rational, text_of
from ..unit import PrivacyUnit, Row, Unit
from .base import Query
from .registry import classes

_UNITS: dict[str, Any] = {unit.__name__: unit for unit in (Row, PrivacyUnit)}


def arguments_of(question: Query | Unit) -> dict[str, Any]:
    """The arguments of a question, or of a unit, with the name of its class as its kind."""
    written = {
        field.name: _plain(field.name, str(field.type), value)
        for field in fields(question)
        if (value := getattr(question, field.name)) is not None
    }
    return {"kind": type(question).__name__, **written}


def _plain(name: str, kind: str, value: Any) -> Any:
    """An argument by its declared type: integers and truths as they are, numbers exactly."""
    if kind == "bool":
        return bool(value)
    if isinstance(value, Query):
        return arguments_of(value)
    if isinstance(value, int) and "int" in kind:
        return value
    if not isinstance(value, (str, Real, Decimal)):
        inner = "Number" if "Number" in kind else kind
        return [_plain(name, inner, entry) for entry in value]
    return text_of(rational(value, name)) if "Number" in kind else str(value)


def query_from(raw: Any) -> Query:
    """The question that arguments make; `ArgumentError` if they are not as they are written."""
    query = _make("question", classes(), raw)
    assert isinstance(query, Query)
    return query


def unit_from(raw: Any) -> Unit:
    """The unit that arguments make; `ArgumentError` if they are not as they are written."""
    unit = _make("unit", _UNITS, raw)
    assert isinstance(unit, Unit)
    return unit


def _make(name: str, kinds: Mapping[str, Any], raw: Any) -> Any:
    try:
        given = dict(raw)
        inner = {
            name: _make(name, classes(), value) for name, value in given.items() if _is_query(value)
        }
        instance = kinds[given.pop("kind")](**given | inner)
        same = difference(arguments_of(instance), raw) is None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, ArgumentError):
            raise
        same = False
    if not same:
        raise ArgumentError(
            name, Described(type(raw).__name__), "the arguments as this tool writes them"
        )
    return instance


def _is_query(value: Any) -> bool:
    """Whether an argument is itself written as a query."""
    return isinstance(value, dict)


def difference(left: Any, right: Any, at: str = "") -> str | None:
    """Where plain values are not the same to the letter (1 is not 1.0, nor true), if anywhere."""
    if type(left) is not type(right):
        return at or "/"
    if isinstance(left, dict):
        if left.keys() != right.keys():
            return f"{at}/{min(left.keys() ^ right.keys())}"
        pairs = [(name, left[name], right[name]) for name in left]
    elif isinstance(left, list):
        if len(left) != len(right):
            return f"{at}/{min(len(left), len(right))}"
        pairs = [(str(i), *pair) for i, pair in enumerate(zip(left, right, strict=True))]
    else:
        return None if left == right else at or "/"
    every = (difference(a, b, f"{at}/{name}") for name, a, b in pairs)
    return next((place for place in every if place is not None), None)
