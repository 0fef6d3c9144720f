"""Questions about tables, from the fields of the web app to the objects of `leastnoise.tables`."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from ..errors import ArgumentError
from ..tables import PrivacyUnit, Query
from ..tables.axes.period import period_of
from ..tables.queries.registry import offered
from ..tables.sources.expression import columns_of, parse_condition
from ..tables.unit import stated_unit
from .models import QueryForm, QueryOffer

#: Fields of a question that are none of its kind's own.
_COMMON = ("where", "by", "keys")
#: Fields whose defaults would be guesses in a form.
_ASKED_FOR = ("low", "high", "q")


def offers() -> list[QueryOffer]:
    """The kinds of queries that the web app offers, each with the fields of its form."""
    return [
        QueryOffer(
            kind=word,
            title=kind.title,
            phrase=kind.phrase,
            fields=list(fields_of(kind)),
            optional=[name for name in fields_of(kind) if _is_optional(kind, name)],
            all_rows=kind.all_rows,
            mechanism=kind.mechanism,
        )
        for word, kind in offered().items()
    ]


def fields_of(kind: type[Query]) -> tuple[str, ...]:
    """The fields of the form that are arguments of this kind alone."""
    names = [name for name in QueryForm.model_fields if name not in (*_COMMON, "kind", "within")]
    return tuple(name for name in names if name in kind.arguments())


def _is_optional(kind: type[Query], name: str) -> bool:
    if name == "column":
        return kind.all_rows
    default = next(field.default for field in fields(kind) if field.name == name)
    return name not in _ASKED_FOR and default not in (MISSING, "", ())


def options_of(form: dict[str, Any]) -> dict[str, Any]:
    """What a question's class is given: its own fields and the common ones, where they are set."""
    names = (*fields_of(offered()[form["kind"]]), *_COMMON)
    options = {name: form[name] for name in names if form[name] is not None}
    for name in {"low", "high"} & {*options} if "columns" in options else ():
        bounds = [part.strip() for part in options[name].split(",")]
        # One bound may be that of all columns.
        options[name] = bounds * (len(options["columns"]) if len(bounds) == 1 else 1)
    return options


def queries_of(form: dict[str, Any]) -> list[Query]:
    """The questions; an `ArgumentError` is named after the field, such as queries.0.low."""
    queries = []
    for number, question in enumerate(form["queries"]):
        kind = offered()[question["kind"]]
        allowed = {*fields_of(kind), *_COMMON, "kind", "within"}
        try:
            for name, value in question.items():
                if value is not None and name not in allowed:
                    raise ArgumentError(name, value, f"left out for a {question['kind']}")
            options = options_of(question)
            if "column" in allowed and not kind.all_rows and "column" not in options:
                raise ArgumentError("column", None, "the name of a column")
            queries.append(kind(**options))
        except ArgumentError as error:
            words = str(error)
            error.name = f"queries.{number}.{error.name}"
            error.args = (words,)
            raise
    if form["rests_on"] is not None and len(queries) > 1:
        raise ArgumentError("rests_on", form["rests_on"], "left out with several queries")
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
        for name in ("column", "columns", "attributes", "by"):
            given = question[name]
            for column in given if isinstance(given, list) else [given]:
                period = period_of(column)
                check(f"queries.{number}.{name}", column if period is None else period.column)
        for name in ("where", "condition"):
            if question[name] is not None:
                for column in columns_of(
                    parse_condition(question[name], name, flag=name == "condition")
                ):
                    check(f"queries.{number}.{name}", column)


def unit_of(form: dict[str, Any]) -> PrivacyUnit | str:
    """A row, or a person by the name of a column."""
    return stated_unit(form["unit"], form["max_rows_per_group"], form["max_groups"]) or "row"
