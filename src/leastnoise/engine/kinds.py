"""Which methods serve which kind of question: a table, and the plan that is made of it.

A method is imported when it is needed: together they take longer than most questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..problem import Problem
from ..problem.arguments import Asked
from .method import Method, Plan


@dataclass(frozen=True)
class Kind:
    """A kind of question; `methods` are modules of this folder with a name in each.

    `ending` is the module that says what a plan of this kind says when the search ends.
    """

    methods: tuple[str, ...]
    ending: str = ""
    polish: str = ""
    closeness: float = 0.97
    aims_at_gap: bool = True


_SIMPLE, _ROWS = "channel.method:SIMPLE", "channel.method:PROGRAMS"
_ADDITIVE, _AT_LAST = "channel.method:ADDITIVE", "channel.method:ADDITIVE_AT_LAST"

KINDS = {
    "one budget": Kind(
        (
            "staircase.method:STAIRCASE",
            "lattice.method:CLOSED_FORMS",
            "lattice.method:AS_REAL",
            "lattice.method:PROGRAMS",
        ),
        ending="lattice.one_budget",
        polish="lattice.method:FINER",
    ),
    "constraints or several budgets": Kind(
        ("lattice.method:CONSTRAINED",), ending="lattice.constrained"
    ),
    "Gaussian curve": Kind(
        ("curve.method:ORBITS", "curve.method:NEARLY_GAUSSIAN", "curve.method:PROGRAMS"),
        ending="lattice.constrained",
    ),
    "several releases": Kind(
        ("composition.method:PROFILES",), ending="composition.method", aims_at_gap=False
    ),
    "range": Kind(
        (
            _SIMPLE,
            "partition.method:PARTITION",
            "intervals.method:INTERVALS",
            "wide.method:WIDE_RANGE",
            "wide.method:GROUPS",
            "wide.method:LAYERS",
            "wide.method:SMALLER_GROUPS",
            _ADDITIVE,
            _ROWS,
            _AT_LAST,
        ),
        ending="channel.method",
        closeness=0.999,
    ),
    "range with given outputs": Kind(
        (_SIMPLE, _ADDITIVE, _ROWS), ending="channel.method", closeness=0.999
    ),
    "range with a core": Kind(("channel.core:ROWS",), ending="channel.method", closeness=0.999),
    "range, several releases": Kind(("composition.method:SHARES",)),
    "vector": Kind(
        (
            "radial.method:FIRST",
            "radial.method:MARCH",
            "radial.method:STAIRCASES",
            "radial.method:FAN",
            "radial.method:NETS",
            "radial.method:FAN_WITH_SHORTER",
            "radial.method:MARCH_FOR_NETS",
            "radial.method:CLOSELY",
        ),
        ending="radial.method",
    ),
    "vector at delta = 0": Kind(("radial.stairs:STAIRS",), ending="radial.method"),
}


def plan_of(asked: Asked) -> Plan:
    """The plan for what is asked."""
    problem, cells = asked.problem, asked.resolution
    if problem.dimension > 1:
        return made("vector" if problem.delta > 0 else "vector at delta = 0", problem)
    if problem.range is not None:
        return _on_range(asked)
    if asked.total is not None:
        return made("several releases", problem, cells, total=asked.total)
    return plan_of_noise(problem, cells)


def plan_of_noise(problem: Problem, resolution: int | None = None) -> Plan:
    """The plan for additive noise for one release."""
    if problem.plain:
        return made("one budget", problem, resolution)
    if problem.gdp is not None:
        return made("Gaussian curve", problem, resolution)
    return made("constraints or several budgets", problem, resolution)


def _on_range(asked: Asked) -> Plan:
    options: dict[str, Any] = {"resolution": asked.resolution}
    if asked.wide is not None:
        kind, options = "range with a core", {"wide": asked.wide}
    else:
        kind = "range" if asked.outputs is None else "range with given outputs"
        options |= {"outputs": asked.outputs, "atoms": asked.exact_answers}

    def single(problem: Problem) -> Plan:
        return made(kind, problem, **options)

    if asked.total is None:
        return single(asked.problem)
    return made("range, several releases", asked.problem, total=asked.total, single=single)


def made(kind: str, problem: Problem, resolution: int | None = None, **options: Any) -> Plan:
    """The plan of a kind, with the options that its methods look at."""
    entry = KINDS[kind]
    ending = import_module(f".{entry.ending}", __package__) if entry.ending else None
    for word in ("trivial", "refuse", "remarks"):
        if hasattr(ending, word):
            options[word] = getattr(ending, word)
    return Plan(
        problem,
        tuple(_method(path) for path in entry.methods),
        resolution,
        polish=_method(entry.polish) if entry.polish else None,
        closeness=entry.closeness,
        aims_at_gap=entry.aims_at_gap,
        **options,
    )


def _method(path: str) -> Method:
    module, name = path.split(":")
    found: Method = getattr(import_module(f".{module}", __package__), name)
    return found
