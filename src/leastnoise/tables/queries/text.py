"""Queries as strings: "mean(salary, low=0, high=200)", "proportion(age > 30)", and others."""

from __future__ import annotations

import re
from typing import Any

from ...errors import ArgumentError, UnknownArgumentError
from ...hints import did_you_mean, reject_unknown
from . import registry
from .base import Query

_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
#: Arguments inside the brackets: "mean(salary, low=0, high=200)".
_NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*(.*?)\s*", re.DOTALL)
#: Arguments that stand beside the text, because their values may hold commas.
_BESIDE = ("where", "by", "keys")
#: What to ask in the place of queries that there are not.
_INSTEAD = {
    "max": "One person can move a maximum across the whole range: ask for quantile(x, 0.99).",
    "min": "One person can move a minimum across the whole range: ask for quantile(x, 0.01).",
    "countdistinct": "To count people, ask for count() with the person as the privacy unit and "
    "max_rows_per_group=1.",
    "std": "Ask for variance(x): its root is the standard deviation, and spends nothing more.",
}
_INSTEAD |= {"maximum": _INSTEAD["max"], "minimum": _INSTEAD["min"]}
_INSTEAD |= {"distinct": _INSTEAD["countdistinct"], "nunique": _INSTEAD["countdistinct"]}
_INSTEAD |= {"stddev": _INSTEAD["std"], "sd": _INSTEAD["std"]}
#: A quoted name, a comma, or any other character.
_PIECE = re.compile(r'"[^"]*"|`[^`]*`|.', re.DOTALL)


def query_of(query: Query | str, **options: Any) -> Query:
    """The query that a text means; options are those of the query's class."""
    if isinstance(query, Query):
        return query
    words = ", ".join(registry.words())
    allowed = f'a query, or a string such as "mean(salary)" (queries are {words})'
    call = _CALL.fullmatch(query) if isinstance(query, str) else None
    if call is None:
        raise ArgumentError("query", query, allowed, _no_query(query))
    word, inside = call.group(1).lower(), call.group(2).strip()
    if inside == "*":
        words = f'The number of rows is "count()". {word}() takes no star.'
        raise ArgumentError("query", query, allowed, words)
    kinds = registry.kinds_of(word)
    if not kinds:
        instead = _INSTEAD.get(word.replace("_", ""), "")
        known = (
            f"There is no query {word}(). {instead}"
            if instead
            else (f"There is no query {word}().{did_you_mean(word, registry.words())}")
        )
        raise ArgumentError("query", query, allowed, f"{known} Queries are {words}.")
    if kinds[0].whole_text:
        return kinds[0].from_text([inside], options)
    plain, named = _arguments(word, inside)
    columns = [_unquote(part) for part in plain]
    kind = kinds[-1] if len(columns) > 1 else kinds[0]  # of several columns, or of one
    return kind.from_text(columns, options | named)


def _no_query(query: object) -> str:
    """The message for what is probably meant; empty if nothing is."""
    if isinstance(query, (list, tuple)):
        return "ask() answers one query. For several queries from one budget, use ask_all()."
    word = query.strip().lower() if isinstance(query, str) else ""
    if word in registry.words():
        return f'A query is written with brackets: "{word}()".'
    if word.startswith("select "):
        return 'SQL is not read. A query is a string such as "mean(salary)" (docs/queries.md).'
    return ""


def _arguments(word: str, inside: str) -> tuple[list[str], dict[str, Any]]:
    """What stands between the brackets: columns and numbers in order, and arguments by name."""
    plain: list[str] = []
    named: dict[str, Any] = {}
    for part in _parts(inside):
        match = _NAMED.fullmatch(part)
        if match is None:
            plain.append(part)
            continue
        name, value = match.group(1), _unquote(match.group(2))
        if name in _BESIDE:
            words = (
                f"{name}= stands beside the text {word}(...), not inside: {name}=... in Python, "
            )
            raise UnknownArgumentError(name, value, f"{words}--{name} on the command line.")
        reject_unknown({name: value}, _named_inside(), f"{word}()")
        if name in named or not value:
            raise ArgumentError(name, match.group(2), f"given once, such as {name}=1")
        named[name] = value
    return plain, named


def _named_inside() -> tuple[str, ...]:
    """What can be named inside the brackets: all but what stands there without a name."""
    names = (
        name
        for kind in registry.QUERIES
        for name in kind.arguments()
        if name not in (*_BESIDE, kind.positional[0])
    )
    return tuple(dict.fromkeys(names))


def _parts(inside: str) -> list[str]:
    """The parts between commas; a comma in a quoted name is none."""
    parts = [""] if inside else []
    for piece in _PIECE.findall(inside):
        if piece == ",":
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in '"`':
        return text[1:-1]
    return text
