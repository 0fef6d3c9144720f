"""Queries as strings: "mean(salary, low=0, high=200)", "proportion(age > 30)", and others."""

from __future__ import annotations

import re
from typing import Any

from ...errors import ArgumentError, UnknownArgumentError
from ...hints import did_you_mean, reject_unknown
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
#: Arguments inside the brackets: "mean(salary, low=0, high=200)".
_NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*(.*?)\s*", re.DOTALL)
_ARGUMENTS = ("low", "high", "bins", "step", "nulls", "q", "ways", "interval")
#: Arguments that stand beside the text, because their values may hold commas.
_BESIDE = ("where", "by", "keys")
#: A quoted name, a comma, or any other character.
_PIECE = re.compile(r'"[^"]*"|`[^`]*`|.', re.DOTALL)
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
    plain, inner = _arguments(word, inside)
    options = options | inner
    if isinstance(options.get("bins"), str):
        if not options["bins"].isdecimal():
            raise ArgumentError("bins", options["bins"], "a number of bins, such as bins=10")
        options["bins"] = int(options["bins"])
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
            raise ArgumentError("query", query, f"like mean({name}, low=0, high=100)")
        columns = [name, *more]
        options = {
            key: _bounds(key, value, len(columns)) if key in ("low", "high") else value
            for key, value in _only(options, "where", "by", "keys", "low", "high").items()
        }
        return MeanVector(columns, **options)
    if word == "quantile" and not more and "q" in options:
        more = [options["q"]]
    if word not in _VALUED or (len(more) != (1 if word == "quantile" else 0)):
        example = {"quantile": "quantile(column, 0.9)"}.get(word, f"{word}(column)")
        raise ArgumentError(
            "query", query, f"{example}, with bounds as in {word}(column, low=0, high=100)"
        )
    names = ["where", "by", "keys", "low", "high", "nulls", "step"]
    if word == "quantile":
        options, names = options | {"q": more[0]}, [*names, "q", "interval"]
    elif word == "median":
        names.append("interval")
    options = _only(options, *names)
    return _VALUED[word](column=name, **options)  # type: ignore[no-any-return]


def _arguments(word: str, inside: str) -> tuple[list[str], dict[str, Any]]:
    """What stands between the brackets: columns and numbers in order, and arguments by name."""
    plain: list[str] = []
    named: dict[str, Any] = {}
    for part in _parts(inside):
        found = _NAMED.fullmatch(part)
        if found is None:
            plain.append(part)
            continue
        name, value = found.group(1), _unquoted(found.group(2))
        if name in _BESIDE:
            words = (
                f"{name}= stands beside the text {word}(...), not inside: {name}=... in Python, "
            )
            raise UnknownArgumentError(name, value, f"{words}--{name} on the command line.")
        reject_unknown({name: value}, _ARGUMENTS, f"{word}()")
        if name in named or not value:
            raise ArgumentError(name, found.group(2), f"given once, such as {name}=1")
        if name == "interval" and value.lower() not in ("true", "false"):
            raise ArgumentError(name, value, "true or false")
        named[name] = value.lower() == "true" if name == "interval" else value
    return plain, named


def _parts(inside: str) -> list[str]:
    """The parts between commas; a comma in a quoted name is none."""
    parts = [""] if inside else []
    for piece in _PIECE.findall(inside):
        if piece == ",":
            parts.append("")
        else:
            parts[-1] += piece
    return parts


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
