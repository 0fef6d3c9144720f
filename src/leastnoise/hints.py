"""The name in leastnoise for a word that people type: "did you mean ...?" in one place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from .errors import UnknownArgumentError

#: Words of other libraries, of SQL and of common speech, in lower case, and the name here.
_MEANT = {
    "average": "mean",
    "avg": "mean",
    "cdf": "cumulative",
    "contributions": "max_rows_per_group",
    "cost": "loss",
    "delta_f": "sensitivity",
    "k": "releases",
    "keyed": "partition_selection",
    "limits": "bounds",
    "max_rows": "max_rows_per_group",
    "max_rows_per_id": "max_rows_per_group",
    "mu": "gdp",
    "neighbours": "neighbors",
    "percentile": "quantile",
    "person": "privacyunit",
    "privacy_unit": "unit",
    "range": "bounds",
    "ranges": "range_counts",
    "sens": "sensitivity",
    "share": "proportion",
    "timeout": "time_limit",
    "times": "releases",
    "total": "sum",
    "units": "group_size",
    "var": "variance",
}

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def meant(word: str, known: Collection[str]) -> str | None:
    """The known name that was probably meant, if any."""
    typed = word.lower()
    named = {name.lower(): name for name in known}
    said = _MEANT.get(typed, "")
    longer = [name for name in named if len(typed) > 1 and name.startswith(typed)]
    close = get_close_matches(typed, named, 1)
    every = (said, said.replace("_", ""), *longer, *close)
    return next((named[name] for name in every if name in named), None)


def did_you_mean(word: str, known: Collection[str]) -> str:
    """A sentence to end an error with; empty if nothing is close."""
    name = meant(word, known)
    return "" if name is None else f" Did you mean {name!r}?"


def reject_unknown(options: Mapping[str, object], known: Collection[str], where: str) -> None:
    """`UnknownArgumentError` for the first option that `where` has no argument for."""
    for name, value in options.items():
        if name not in known:
            listed = f" Its arguments are {', '.join(known)}."
            hint = did_you_mean(name, known) or listed
            raise UnknownArgumentError(name, value, f"{where} has no argument {name!r}.{hint}")


def unnamed(where: str, named: list[str]) -> UnknownArgumentError:
    """The error for arguments that must be named and were not; their values may be data."""
    hint = "low=0, high=100" if "low" in named else ", ".join(f"{name}=..." for name in named[:3])
    words = f"{where} has too many arguments without a name. Name them, such as {hint}."
    return UnknownArgumentError(named[0] if named else "", None, words)


def hinted(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with errors for unknown and unnamed arguments that say what to write."""
    parameters = {k: p for k, p in signature(function).parameters.items() if k != "self"}
    where = f"{function.__qualname__.removesuffix('.__init__')}()"
    named = [
        name for name, parameter in parameters.items() if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    most = len(signature(function).parameters) - len(named)
    free = any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters.values())

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        reject_unknown(options, tuple(parameters), where)
        if len(args) > most and not free:
            raise unnamed(where, named)
        return function(*args, **options)

    return checked


def hinted_class(cls: type[C]) -> type[C]:
    """The class, whose constructor says which argument was meant in the place of an unknown one."""
    cls.__init__ = hinted(cls.__init__)  # type: ignore[method-assign]
    return cls
