"""The name in leastnoise for a word that people type: "did you mean ...?" in one place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from .errors import ArgumentError, UnknownArgumentError

#: Words of other libraries, of SQL and of common speech, in lower case, and the name here.
_MEANT = {
    "average": "mean",
    "avg": "mean",
    "cdf": "cumulative",
    "contribution_bound": "max_rows_per_group",
    "contributions": "max_rows_per_group",
    "cost": "loss",
    "delta_f": "sensitivity",
    "gaussian": "closed_forms",
    "geometric": "closed_forms",
    "k": "releases",
    "keyed": "partition_selection",
    "laplace": "closed_forms",
    "limits": "bounds",
    "max_contributions": "max_rows_per_group",
    "max_contributions_per_partition": "max_rows_per_group",
    "max_partitions": "max_groups",
    "max_partitions_contributed": "max_groups",
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
    "sep": "delimiter",
    "shape": "sensitivity",
    "share": "proportion",
    "timeout": "time_limit",
    "times": "releases",
    "total": "sum",
    "units": "group_size",
    "var": "variance",
}
_OF_FILES = "It belongs to the file: ask(CsvFile(path, delimiter=...), ...)."
_NO_SEED = "Releases take no seed: whoever knows it can subtract the noise."
_BY_DESIGN = "Write design(workload=...).compare()."
_CHOSEN = "The noise with the least error is chosen; compare() shows the others."
#: Arguments that no function here has, and what to do instead.
_ELSEWHERE = {
    "decimal": _OF_FILES,
    "delimiter": _OF_FILES,
    "encoding": _OF_FILES,
    "mechanism": _CHOSEN,
    "noise": _CHOSEN,
    "random_state": _NO_SEED,
    "seed": _NO_SEED,
    "sep": _OF_FILES,
    "thousands": _OF_FILES,
    "workload": _BY_DESIGN,
}
#: What an argument without a default is.
_NEEDED = {
    "epsilon": "the privacy budget, such as 1 (docs/choosing.md)",
    "max_rows_per_group": "the largest number of rows of one unit that count in a group",
    "query": 'such as "count()"',
    "rows": "your guess at the number of rows in a group; no table is read",
    "table": 'such as "data.csv", or a DataFrame',
    "where": 'the file of the ledger, such as "budget.db"; Ledger.create makes one',
}
#: Names of other libraries for which there is none here, and what to do instead.
_NOT_HERE = {
    "groupby": 'Queries are grouped by by="column", keys=[...].',
    "max": "One person decides a maximum. Write Bounds(...) or Quantiles(...).",
    "maximum": "One person decides a maximum. Write Bounds(...) or Quantiles(...).",
    "min": "One person decides a minimum. Write Bounds(...) or Quantiles(...).",
    "minimum": "One person decides a minimum. Write Bounds(...) or Quantiles(...).",
    "read_csv": 'Write ask("data.csv", ...), or CsvFile(path, delimiter=...).',
    "top": "There is no top-k selection.",
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


def name_words(name: str, known: Collection[str]) -> str:
    """What to write in the place of a name that leastnoise does not have; begins with a space."""
    said = _NOT_HERE.get(name.lower())
    return did_you_mean(name, known) if said is None else f" {said}"


def reject_unknown(options: Mapping[str, object], known: Collection[str], where: str) -> None:
    """`UnknownArgumentError` for the first option that `where` has no argument for."""
    for name, value in options.items():
        if name not in known:
            listed = _ELSEWHERE.get(name, f"Its arguments are {', '.join(known)}.")
            if name in ("bounds", "range") and "low" in known:
                listed = "Write low= and high=."
            hint = did_you_mean(name, known) or f" {listed}"
            raise UnknownArgumentError(name, value, f"{where} has no argument {name!r}.{hint}")


def unnamed(where: str, named: list[str]) -> UnknownArgumentError:
    """The error for arguments that must be named and were not; their values may be data."""
    hint = "low=0, high=100" if "low" in named else ", ".join(f"{name}=..." for name in named[:3])
    words = f"{where} has too many arguments without a name. Name them: {hint}"
    return UnknownArgumentError(named[0] if named else "", None, words)


def _require(parameters: Mapping[str, Parameter], given: Collection[str]) -> None:
    """`ArgumentError` for the first argument without a default that is not given."""
    for name, parameter in parameters.items():
        free = parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        if parameter.default is Parameter.empty and name not in given and not free:
            reason = f": {_NEEDED[name]}" if name in _NEEDED else ""
            raise ArgumentError(name, None, f"given{reason}")


def hinted(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with errors for unknown and unnamed arguments that say what to write."""
    every = signature(function).parameters
    parameters = {k: p for k, p in every.items() if k not in ("self", "cls")}
    where = f"{function.__qualname__.removesuffix('.__init__')}()"
    named = [
        name for name, parameter in parameters.items() if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    most = len(every) - len(named)
    order = list(every)
    free = any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters.values())

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        reject_unknown(options, tuple(parameters), where)
        if len(args) > most and not free:
            raise unnamed(where, named)
        _require(parameters, [*order[: len(args)], *map(str, options)])
        return function(*args, **options)

    return checked


def hinted_class(cls: type[C]) -> type[C]:
    """The class, whose constructor says which argument was meant in the place of an unknown one."""
    cls.__init__ = hinted(cls.__init__)  # type: ignore[method-assign]
    return cls
