"""Which methods serve which kind of question: a table, and the plan that is made of it.

A method is imported when it is needed: together they take longer than most questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..ask import Question
from ..ask.arguments import Asked
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
    question, cells = asked.question, asked.resolution
    if question.dimension > 1:
        return made("vector" if question.delta > 0 else "vector at delta = 0", question)
    if question.range is not None:
        return _on_range(asked)
    if asked.total is not None:
        return made("several releases", question, cells, total=asked.total)
    return plan_of_noise(question, cells)


def plan_of_noise(question: Question, resolution: int | None = None) -> Plan:
    """The plan for additive noise for one release."""
    if question.plain:
        return made("one budget", question, resolution)
    if question.gdp is not None:
        return made("Gaussian curve", question, resolution)
    return made("constraints or several budgets", question, resolution)


def _on_range(asked: Asked) -> Plan:
    options: dict[str, Any] = {"resolution": asked.resolution}
    if asked.wide is not None:
        kind, options = "range with a core", {"wide": asked.wide}
    else:
        kind = "range" if asked.outputs is None else "range with given outputs"
        options |= {"outputs": asked.outputs, "atoms": asked.exact_answers}

    def single(question: Question) -> Plan:
        return made(kind, question, **options)

    if asked.total is None:
        return single(asked.question)
    return made("range, several releases", asked.question, total=asked.total, single=single)


def made(kind: str, question: Question, resolution: int | None = None, **options: Any) -> Plan:
    """The plan of a kind, with the options that its methods look at."""
    entry = KINDS[kind]
    ending = import_module(f".{entry.ending}", __package__) if entry.ending else None
    for word in ("trivial", "refuse", "remarks"):
        if hasattr(ending, word):
            options[word] = getattr(ending, word)
    return Plan(
        question,
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
