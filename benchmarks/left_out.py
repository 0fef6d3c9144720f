"""What can be left out of the engine: methods of its table, functions that are methods in all but
name, and families of both.

`engine/methods.py` names a method by module and attribute, and so does this: in a process of its
own, the attribute is replaced by what says which methods ran, or by one that is never worth asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, wraps
from importlib import import_module
from typing import Any, NoReturn

NOTHING = "nothing"


def _raises(*_: Any, **__: Any) -> NoReturn:
    from leastnoise.errors import ArgumentError

    raise ArgumentError("method", "left out", "part of the engine")


def _none(*_: Any, **__: Any) -> None:
    return None


def _false(*_: Any, **__: Any) -> bool:
    return False


def _empty(*_: Any, **__: Any) -> tuple[()]:
    return ()


#: Functions that are methods in all but name, and parts of methods, with what stands in their
#: place: what they return where they have nothing to offer.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "engine.ranges.channel.method:constant_upper": _none,
    "engine.ranges.channel.method:translated": _none,
    "engine.ranges.wide.boundary_layers:copied_lower": _none,
    "engine.ranges.wide.boundary_layers:grouped_lower": _none,
    "engine.ranges.wide.boundary_layers:layered_lower": _none,
    "engine.ranges.wide.remapped:moved_upper": _none,
    "engine.ranges.wide.groups:grouped_rows": _none,
    "engine.ranges.wide.groups:long_steps": _none,
    "engine.line.lattice.one_budget:all_shifts_at_once": _false,
    "engine.line.lattice.one_budget:several_integers": _false,
    "engine.vectors.vector:smooth_polish": _none,
    "engine.vectors.vector:longer_staircases": _empty,
    "partition_selection:_by_curve": _none,
    "partition_selection:equal_shares": _raises,
}
_GROUPS = ("engine.ranges.wide.method:GROUPS", "engine.ranges.wide.method:SMALLER_GROUPS")
_NETS = tuple(
    f"engine.vectors.method:{name}"
    for name in ("NETS", "MARCH_FOR_NETS", "FAN_WITH_SHORTER", "CLOSELY")
)
_INTERVALS = "engine.ranges.intervals.method:INTERVALS"
#: Several at once: families of noise and of bounds.
FAMILIES: dict[str, tuple[str, ...]] = {
    "all groups": _GROUPS,
    "all nets": _NETS,
    "intervals, groups and nets": (_INTERVALS, *_GROUPS, *_NETS),
    "all of wide ranges": (
        "engine.ranges.wide.method:WIDE_RANGE",
        "engine.ranges.wide.method:LAYERS",
        *_GROUPS,
    ),
    "all additive noise on ranges": (
        "engine.ranges.channel.method:ADDITIVE",
        "engine.ranges.channel.method:ADDITIVE_AT_LAST",
    ),
    "all closed forms": (
        "engine.line.lattice.method:CLOSED_FORMS",
        "engine.ranges.channel.method:SIMPLE",
        "engine.vectors.method:FIRST",
    ),
    "Gaussian and Euclidean noise for shapes": (
        "engine.shapes.method:NORMAL",
        "engine.shapes.method:EUCLIDEAN",
    ),
}


@cache
def methods() -> tuple[str, ...]:
    """The paths of all methods in the engine's table."""
    from leastnoise.engine.methods import KINDS

    paths = [path for kind in KINDS.values() for path in (*kind.methods, kind.polish) if path]
    return tuple(f"engine.{path}" for path in dict.fromkeys(paths))


def members(name: str) -> tuple[str, ...]:
    """What is left out under a name."""
    if name == NOTHING:
        return ()
    return FAMILIES.get(name, (name,))


def place_of(path: str) -> tuple[Any, str]:
    """(module or class, attribute) of a path; an error if there is none."""
    module, name = path.split(":")
    owner: Any = import_module(f"leastnoise.{module}")
    *classes, last = name.split(".")
    for part in classes:
        owner = getattr(owner, part)
    getattr(owner, last)
    return owner, last


def check_paths() -> None:
    """An error if a path leads nowhere."""
    known = (*methods(), *FUNCTIONS)
    for path in known:
        place_of(path)
    for path in {path for family in FAMILIES.values() for path in family}:
        assert path in known, path


class Watch:
    """What ran in this process, and what improved a bound."""

    def __init__(self, without: tuple[str, ...]) -> None:
        self.ran: dict[str, None] = {}
        self.improved: tuple[dict[str, None], dict[str, None]] = ({}, {})
        for path in methods():
            self._watch_method(path, path in without)
        for path in FUNCTIONS:
            self._watch_function(path, path in without)

    def _watch_method(self, path: str, left_out: bool) -> None:
        owner, name = place_of(path)
        method = getattr(owner, name)

        def bounds(problem: Any, search: Any) -> Iterator[Any]:
            self.ran[path] = None
            for lower, upper in method.bounds(problem, search):
                bracket = search.bracket
                if lower and (not bracket.lower or lower.value > bracket.lower.value):
                    self.improved[0][path] = None
                if upper and (not bracket.upper or upper.value < bracket.upper.value):
                    self.improved[1][path] = None
                yield lower, upper

        changed = replace(method, bounds=bounds)
        if left_out:
            changed = replace(method, bounds=_empty_bounds, worth=_false)
        setattr(owner, name, changed)

    def _watch_function(self, path: str, left_out: bool) -> None:
        owner, name = place_of(path)
        function, other = getattr(owner, name), FUNCTIONS[path]

        @wraps(function)
        def watched(*given: Any, **more: Any) -> Any:
            result = function(*given, **more)
            if result or other is not _false:  # (a forecast that says no changes nothing)
                self.ran[path] = None
            return result

        setattr(owner, name, other if left_out else watched)


def _empty_bounds(*_: Any) -> Iterator[Any]:
    return iter(())
