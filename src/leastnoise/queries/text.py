"""Queries as strings: "mean(salary, low=0, high=200)", "proportion(age > 30)", and others."""

from __future__ import annotations

import re
from typing import Any

from ..errors import ArgumentError
from ..hints import did_you_mean
from .base import Query
from .count import Count
from .cumulative import Cumulative, RangeCounts
from .histogram import Histogram
from .marginals import Marginals
from .mean import Mean
from .mean_vector import MeanVector
from .proportion import Proportion
from .quantile import Median, Quantile
from .sum import Sum
from .variance import Variance

_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
#: Options of one question among several: "mean(salary, low=0, high=200)".
_NAMED = re.compile(r"\s*(low|high|bins|step|nulls|q|ways)\s*=\s*([^=]+?)\s*")
_VALUED: dict[str, Any] = {
    "sum": Sum,
    "mean": Mean,
    "variance": Variance,
    "median": Median,
    "quantile": Quantile,
}
_BINNED: dict[str, Any] = {
    "histogram": Histogram,
    "cumulative": Cumulative,
    "range_counts": RangeCounts,
}
KINDS = (
    "count",
    "sum",
    "mean",
    "variance",
    "median",
    "quantile",
    "histogram",
    "cumulative",
    "range_counts",
    "marginals",
    "proportion",
)


def query_of(query: Query | str, **options: Any) -> Query:
    """The query that a text means; options are those of the query's class."""
    if isinstance(query, Query):
        return query
    allowed = f'a query, or a string such as "mean(salary)" (queries are {", ".join(KINDS)})'
    found = _CALL.fullmatch(query) if isinstance(query, str) else None
    if found is None:
        raise ArgumentError("query", query, allowed)
    word, inside = found.group(1).lower(), found.group(2).strip()
    if word not in KINDS:
        known = f"There is no query {word}().{did_you_mean(word, KINDS)}"
        raise ArgumentError("query", query, allowed, f"{known} Queries are {', '.join(KINDS)}.")
    if word == "proportion":
        return Proportion(condition=inside, **_only(options, "where", "by", "keys", "nulls"))
    plain = [part for part in inside.split(",") if _NAMED.fullmatch(part) is None]
    inner = [found for part in inside.split(",") if (found := _NAMED.fullmatch(part))]
    options = options | {one.group(1): _unquoted(one.group(2)) for one in inner}
    if isinstance(options.get("bins"), str):
        options["bins"] = int(options["bins"]) if options["bins"].isdigit() else options["bins"]
    name, *more = [_unquoted(part) for part in plain or [""]]
    if word == "count":
        if more:
            raise ArgumentError("query", query, "count() or count(column)")
        return Count(column=name or None, **_only(options, "where", "by", "keys"))
    if word == "marginals":
        given = _only(options, "where", "keys", "ways")
        return Marginals([name, *more] if name else more, **given | _ways(given.get("ways")))
    if word in _BINNED and len(more) <= 1:
        if more and not more[0].isdigit():
            raise ArgumentError("query", query, f"{word}(column) or {word}(column, bins)")
        if more:
            options = options | {"bins": int(more[0])}
        given = _only(options, "where", "by", "keys", "low", "high", "bins")
        return _BINNED[word](column=name, **given)  # type: ignore[no-any-return]
    if word == "mean" and more:
        if any(_is_number(part) for part in more):
            raise ArgumentError(
                "query", query, f"mean({name}), with bounds as mean({name}, low=0, high=100)"
            )
        columns = [name, *more]
        options = {
            key: _bounds(key, value, len(columns)) if key in ("low", "high") else value
            for key, value in _only(options, "where", "by", "keys", "low", "high").items()
        }
        return MeanVector(columns, **options)
    if word not in _VALUED or (len(more) != (1 if word == "quantile" else 0)):
        example = {"quantile": "quantile(column, 0.9)"}.get(word, f"{word}(column)")
        raise ArgumentError(
            "query", query, f"{example}, with bounds as in {word}(column, low=0, high=100)"
        )
    if word == "quantile":
        options = options | {"q": more[0]}
    elif word != "median":
        options = _only(options, "where", "by", "keys", "low", "high", "nulls", "step")
    return _VALUED[word](column=name, **options)  # type: ignore[no-any-return]


def _ways(text: Any) -> dict[str, Any]:
    """The tables that "1;2" or "1;region age" mean."""
    if not isinstance(text, str):
        return {}
    words = [one.split() for one in text.split(";")]
    number = [len(one) == 1 and one[0].isdigit() for one in words]
    return {"ways": [int(one[0]) if n else one or "" for n, one in zip(number, words, strict=True)]}


def _bounds(name: str, value: Any, count: int) -> list[Any]:
    """One bound for each column: a list, a text with commas, or one bound for all of them."""
    found = value.split(",") if isinstance(value, str) else value
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    found = found * count if len(found) == 1 else found
    if len(found) != count:
        raise ArgumentError(name, value, f"one bound, or {count} bounds for {count} columns")
    return found


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in '"`':
        return text[1:-1]
    return text


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", text) is not None


def _only(options: dict[str, Any], *names: str) -> dict[str, Any]:
    for name, value in options.items():
        if name not in names and value is not None:
            raise ArgumentError(name, value, "left out for this query")
    return {name: value for name, value in options.items() if name in names and value is not None}
