"""Questions about tables, from the fields of the web app to the objects of `leastnoise.tables`."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from ..tables import PrivacyUnit, Query
from ..tables.axes.period import period_of
from ..tables.queries.registry import QUERIES
from ..tables.sources.expression import Condition, Join, Not, parse_condition

#: Fields of the web app's form that a kind of query can have besides where, by and keys.
_OWN = ("column", "condition", "low", "high", "q", "levels", "bins", "interval")
CLASSES: dict[str, type[Query]] = {kind.word: kind for kind in QUERIES if kind.title}
FIELDS: dict[str, tuple[str, ...]] = {
    word: tuple(name for name in _OWN if name in kind.arguments()) for word, kind in CLASSES.items()
}


def options_of(form: dict[str, Any]) -> dict[str, Any]:
    """What a question's class is given: its own fields and the common ones, where they are set."""
    common = ("where",) if form["kind"] == "histogram" else ("where", "by", "keys")
    names = (*FIELDS[form["kind"]], *common)
    return {name: form[name] for name in names if form[name] is not None}


def queries_of(form: dict[str, Any]) -> list[Query]:
    """The questions; an `ArgumentError` is named after the field, such as queries.0.low."""
    queries = []
    for number, question in enumerate(form["queries"]):
        allowed = {*FIELDS[question["kind"]], "kind", "where", "by", "keys", "within"}
        try:
            for name, value in question.items():
                if value is not None and name not in allowed:
                    raise ArgumentError(name, value, f"left out for a {question['kind']}")
            options = options_of(question)
            if question["kind"] not in ("count", "proportion") and "column" not in options:
                raise ArgumentError("column", None, "the name of a column")
            queries.append(CLASSES[question["kind"]](**options))
        except ArgumentError as error:
            words = str(error)
            error.name = f"queries.{number}.{error.name}"
            error.args = (words,)
            raise
    return queries


def margins_of(form: dict[str, Any]) -> list[str] | None:
    """The margin of error wanted for each question; None if epsilon is stated instead."""
    margins = [question["within"] for question in form["queries"]]
    if all(margin is None for margin in margins):
        return None
    if None in margins:
        error = ArgumentError("within", None, "given for every query, or for none")
        error.name = f"queries.{margins.index(None)}.within"
        raise error
    return margins


def rows_of(form: dict[str, Any], queries: list[Query]) -> list[int]:
    """For each question the rows that it is about: of the table, or of one of its groups."""
    rows = []
    for query in queries:
        each = form["group_rows"] if query.by is not None else None
        keys = query.public_keys or ("",)
        rows.append(each or max(1, form["rows"] // len(keys)))
    return rows


def check_columns(form: dict[str, Any], columns: list[str]) -> None:
    """`ArgumentError`, named after the field, for a question about a column that is not there.

    The error lists names, which are public.
    """
    allowed = f"a column of the table ({', '.join(columns[:20])})"

    def check(field: str, name: str | None) -> None:
        if name is not None and name not in columns:
            error = ArgumentError(field.rpartition(".")[2], name, allowed)
            error.name = field
            raise error

    check("unit", form["unit"])
    for number, question in enumerate(form["queries"]):
        for name in ("column", "by"):
            period = period_of(question[name])
            check(f"queries.{number}.{name}", question[name] if period is None else period.column)
        for name in ("where", "condition"):
            if question[name] is not None:
                for column in _named_in(
                    parse_condition(question[name], name, flag=name == "condition")
                ):
                    check(f"queries.{number}.{name}", column)


def _named_in(condition: Condition) -> set[str]:
    """The columns that a condition is about."""
    if isinstance(condition, Join):
        return _named_in(condition.left) | _named_in(condition.right)
    return _named_in(condition.inner) if isinstance(condition, Not) else {condition.column}


def unit_of(form: dict[str, Any]) -> PrivacyUnit | str:
    """A row, or a person by the name of a column."""
    if form["unit"] is None:
        if form["max_rows_per_group"] is not None or form["max_groups"] is not None:
            raise ArgumentError(
                "max_rows_per_group", form["max_rows_per_group"], "left out when the unit is a row"
            )
        return "row"
    if form["max_rows_per_group"] is None:
        raise ArgumentError(
            "max_rows_per_group", None, "given: the largest number of rows of one person in a group"
        )
    return PrivacyUnit(
        form["unit"], max_rows_per_group=form["max_rows_per_group"], max_groups=form["max_groups"]
    )
