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
from .registry import QUERIES

_QUERIES: dict[str, Any] = {kind.__name__: kind for kind in QUERIES}
_UNITS: dict[str, Any] = {one.__name__: one for one in (Row, PrivacyUnit)}
#: Arguments that are exact numbers, alone or in lists; whole numbers and truths are themselves.
_NUMBERS = ("low", "high", "step", "q", "levels", "smallest", "largest")
_WHOLE = ("bins", "ways", "max_rows_per_group", "max_groups")


def arguments_of(held: Query | Unit) -> dict[str, Any]:
    """The arguments of a question, or of a unit, with the name of its class as its kind."""
    found = {one.name: getattr(held, one.name) for one in fields(held)}
    written = {name: _plain(name, one) for name, one in found.items() if one is not None}
    return {"kind": type(held).__name__, **written}


def _plain(name: str, value: Any) -> Any:
    if name == "interval":
        return bool(value)
    if isinstance(value, Query):
        return arguments_of(value)
    if isinstance(value, int) and name in _WHOLE:
        return value
    if not isinstance(value, (str, Real, Decimal)):
        # (Edges of bins are numbers, and a table's attributes are texts.)
        inner = "low" if name == "bins" else name
        return [_plain(inner, one) for one in value]
    return text_of(rational(value, name)) if name in _NUMBERS else str(value)


def query_from(raw: Any) -> Query:
    """The question that arguments make; `ArgumentError` if they are not as they are written."""
    found = _made("question", _QUERIES, raw)
    assert isinstance(found, Query)
    return found


def unit_from(raw: Any) -> Unit:
    """The unit that arguments make; `ArgumentError` if they are not as they are written."""
    found = _made("unit", _UNITS, raw)
    assert isinstance(found, (Row, PrivacyUnit))
    return found


def _made(name: str, kinds: Mapping[str, Any], raw: Any) -> Any:
    try:
        given = dict(raw)
        inner = {name: _made(name, _QUERIES, one) for name, one in given.items() if _is_query(one)}
        found = kinds[given.pop("kind")](**given | inner)
        same = difference(arguments_of(found), raw) is None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, ArgumentError):
            raise
        same = False
    if not same:
        raise ArgumentError(
            name, Described(type(raw).__name__), "the arguments as this tool writes them"
        )
    return found


def _is_query(value: Any) -> bool:
    """Whether an argument is itself written as a query."""
    return isinstance(value, dict)


def difference(one: Any, two: Any, at: str = "") -> str | None:
    """Where plain values are not the same to the letter (1 is not 1.0, nor true), if anywhere."""
    if type(one) is not type(two):
        return at or "/"
    if isinstance(one, dict):
        if one.keys() != two.keys():
            return f"{at}/{min(one.keys() ^ two.keys())}"
        pairs = [(name, one[name], two[name]) for name in one]
    elif isinstance(one, list):
        if len(one) != len(two):
            return f"{at}/{min(len(one), len(two))}"
        pairs = [(str(i), *pair) for i, pair in enumerate(zip(one, two, strict=True))]
    else:
        return None if one == two else at or "/"
    every = (difference(a, b, f"{at}/{name}") for name, a, b in pairs)
    return next((found for found in every if found is not None), None)
