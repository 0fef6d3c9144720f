"""Which methods serve which kind of question: a table, and the plan that is made of it.

A method is imported when it is needed: together they take longer than most questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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


KINDS = {
    "one budget": Kind(
        ("staircase.method:Staircase", "lattice.method:ClosedForms", "lattice.method:Lattice"),
        ending="lattice.one_budget",
        polish="lattice.method:FinerLattice",
    ),
    "constraints or several budgets": Kind(
        ("lattice.method:ConstrainedLattice",), ending="lattice.constrained"
    ),
    "Gaussian curve": Kind(
        ("curve.method:NearlyGaussian", "curve.method:CurvePrograms"), ending="lattice.constrained"
    ),
    "several releases": Kind(
        ("composition.method:Profiles",), ending="composition.method", aims_at_gap=False
    ),
    "range": Kind(
        (
            "channel.method:SimpleAnswers",
            "intervals.method:Intervals",
            "wide.method:WideRange",
            "channel.method:AdditiveNoise",
            "channel.method:RowPrograms",
            "channel.method:AdditiveAtLast",
        ),
        ending="channel.method",
        closeness=0.999,
    ),
    "range with given outputs": Kind(
        (
            "channel.method:SimpleAnswers",
            "channel.method:AdditiveNoise",
            "channel.method:RowPrograms",
        ),
        ending="channel.method",
        closeness=0.999,
    ),
    "range with a core": Kind(("channel.core:CoreRows",), ending="channel.method", closeness=0.999),
    "range with regions": Kind(
        ("channel.regions:RegionRows",), ending="channel.method", closeness=0.999
    ),
    "range, several releases": Kind(("composition.method:SharesOfRange",)),
    "vector": Kind(
        (
            "radial.method:FirstShells",
            "radial.method:RadialStaircases",
            "radial.method:CurvesOnNets",
            "radial.method:BestCurves",
        ),
        ending="radial.method",
    ),
}


def plan_of(asked: Asked) -> Plan:
    """The plan for what is asked."""
    question, cells = asked.question, asked.resolution
    if question.dimension > 1:
        return made("vector", question)
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
    one: Callable[[Question], Plan]
    if asked.wide is not None:
        one = partial(made, "range with a core", wide=asked.wide)
    elif asked.cuts is not None:
        one = partial(made, "range with regions", resolution=asked.resolution, cuts=asked.cuts)
    else:
        kind = "range" if asked.outputs is None else "range with given outputs"
        one = partial(
            made,
            kind,
            resolution=asked.resolution,
            outputs=asked.outputs,
            atoms=asked.exact_answers,
        )
    if asked.total is None:
        return one(asked.question)
    # The noise of regions ends somewhere: it is below no curve.
    below = asked.cuts is None
    kind = "range, several releases"
    return made(kind, asked.question, total=asked.total, made=one, curve=below)


def made(name: str, question: Question, resolution: int | None = None, **options: Any) -> Plan:
    """The plan of a kind; methods take those of the options that they have a field for."""
    kind = KINDS[name]
    ending = import_module(f".{kind.ending}", __package__) if kind.ending else None
    words = {
        word: getattr(ending, word)
        for word in ("trivial", "refuse", "remarks")
        if hasattr(ending, word)
    }
    return Plan(
        question,
        tuple(_method(one, options) for one in kind.methods),
        resolution,
        polish=_method(kind.polish, options) if kind.polish else None,
        closeness=kind.closeness,
        aims_at_gap=kind.aims_at_gap,
        **words,
    )


def _method(path: str, options: dict[str, Any]) -> Method:
    module, name = path.split(":")
    method = getattr(import_module(f".{module}", __package__), name)
    fields = method.__dataclass_fields__
    found: Method = method(**{key: value for key, value in options.items() if key in fields})
    return found
