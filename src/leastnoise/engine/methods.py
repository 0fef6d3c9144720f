"""Which methods serve which kind of problem, in which order: a table, and the plan made of it.

A method is imported when it is needed: together they take longer than most questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..problem import Problem
from ..problem.arguments import DesignRequest
from ..problem.keyed_problem import KeyedProblem
from ..problem.shape_problem import ShapeProblem
from ..problem.workload_problem import WorkloadProblem
from .method import Method, SearchPlan


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem; `methods` are modules of this folder with a name in each.

    They are asked in this order: first those that narrow a bracket soonest (measured by
    `benchmarks/forecasts.py`, whose rows are in `benchmarks/forecasts.csv`). `ending` is the
    module that says what a plan of this kind says when the search ends.
    """

    methods: tuple[str, ...]
    ending: str = ""
    polish: str = ""
    closeness: float = 0.97
    aims_at_gap: bool = True


_SIMPLE, _ROWS = "ranges.channel.method:SIMPLE", "ranges.channel.method:PROGRAMS"
_ADDITIVE, _AT_LAST = "ranges.channel.method:ADDITIVE", "ranges.channel.method:ADDITIVE_AT_LAST"

_NOISE_FOR_SHAPES = tuple(f"shapes.method:{name}" for name in ("LEVELS", "NORMAL", "EUCLIDEAN"))
_BOUNDS_FOR_SHAPES = tuple(
    f"shapes.method:{name}"
    for name in ("FLOW", "CUT_FLOW", "CELLS", "SUMS", "PROJECTIONS", "BASES")
)

KINDS = {
    "one budget": ProblemKind(
        (
            "line.staircase.method:STAIRCASE",
            "line.lattice.method:CLOSED_FORMS",
            "line.lattice.method:AS_REAL",
            "line.lattice.method:PROGRAMS",
        ),
        ending="line.lattice.one_budget",
        polish="line.lattice.method:FINER",
    ),
    "constraints or several budgets": ProblemKind(
        ("line.lattice.method:CONSTRAINED",), ending="line.lattice.constrained"
    ),
    "Gaussian curve": ProblemKind(
        (
            "line.curve.method:ORBITS",
            "line.curve.method:NEARLY_GAUSSIAN",
            "line.curve.method:PROGRAMS",
        ),
        ending="line.lattice.constrained",
    ),
    "several releases": ProblemKind(
        ("line.releases.method:PROFILES",), ending="line.releases.method", aims_at_gap=False
    ),
    "range": ProblemKind(
        (
            _SIMPLE,
            "ranges.partition.method:PARTITION",
            "ranges.intervals.method:INTERVALS",
            "ranges.wide.method:GROUPS",
            "ranges.wide.method:WIDE_RANGE",
            "ranges.wide.method:SMALLER_GROUPS",
            _ADDITIVE,
            "ranges.wide.method:LAYERS",
            _ROWS,
            _AT_LAST,
        ),
        ending="ranges.channel.method",
        closeness=0.999,
    ),
    "range with given outputs": ProblemKind(
        (_SIMPLE, _ADDITIVE, _ROWS), ending="ranges.channel.method", closeness=0.999
    ),
    "range with a core": ProblemKind(
        ("ranges.channel.core:ROWS",), ending="ranges.channel.method", closeness=0.999
    ),
    "range, several releases": ProblemKind(("line.releases.method:SHARES",)),
    "vector": ProblemKind(
        (
            "vectors.method:FIRST",
            "vectors.method:MARCH",
            "vectors.method:STAIRCASES",
            "vectors.method:FAN",
            "vectors.method:FAN_WITH_SHORTER",
            "vectors.method:NETS",
            "vectors.method:MARCH_FOR_NETS",
            "vectors.method:CLOSELY",
        ),
        ending="vectors.method",
    ),
    "vector at delta = 0": ProblemKind(("vectors.stairs:STAIRS",), ending="vectors.method"),
    "unit vector": ProblemKind(
        ("vectors.method:FIRST", "vectors.method:MARCH", "vectors.method:STAIRCASES"),
        ending="vectors.method",
    ),
    "curves of a unit vector": ProblemKind(
        ("vectors.method:FIRST", "vectors.method:MARCH"), ending="vectors.method"
    ),
    "shape": ProblemKind((*_NOISE_FOR_SHAPES, *_BOUNDS_FOR_SHAPES), ending="shapes.method"),
    "noise for a shape": ProblemKind(_NOISE_FOR_SHAPES, ending="shapes.method"),
    "Euclidean noise for a shape": ProblemKind(
        ("shapes.method:EUCLIDEAN",), ending="shapes.method"
    ),
    "workload below a curve": ProblemKind(
        ("workloads.method:STRATEGY",), ending="workloads.method"
    ),
    "workload": ProblemKind(
        (
            "workloads.method:LAPLACE",
            "workloads.method:ON_COUNTS",
            "workloads.method:ON_EACH_ANSWER",
            "workloads.method:ON_ANSWERS",
            "workloads.method:GAUSSIAN",
            "workloads.method:VECTORS",
        ),
        ending="workloads.method",
    ),
    "private keys": ProblemKind(("keys.method:CHAIN",), ending="keys.method", aims_at_gap=False),
}


def plan_of(asked: DesignRequest[Any]) -> SearchPlan:
    """The plan for what is asked."""
    problem, cells = asked.problem, asked.resolution
    if isinstance(problem, ShapeProblem):
        return made("noise for a shape" if asked.noise_alone else "shape", problem)
    if isinstance(problem, KeyedProblem):
        return made("private keys", problem)
    if isinstance(problem, WorkloadProblem):
        return made("workload below a curve" if problem.asked is None else "workload", problem)
    if problem.dimension > 1:
        return made("vector" if problem.delta > 0 else "vector at delta = 0", problem)
    if problem.range is not None:
        return _on_range(asked)
    if asked.total is not None:
        return made("several releases", problem, cells, total=asked.total)
    return plan_of_noise(problem, cells)


def plan_of_noise(problem: Problem, resolution: int | None = None) -> SearchPlan:
    """The plan for additive noise for one release."""
    if problem.plain:
        return made("one budget", problem, resolution)
    if problem.gdp is not None:
        return made("Gaussian curve", problem, resolution)
    return made("constraints or several budgets", problem, resolution)


def _on_range(asked: DesignRequest[Problem]) -> SearchPlan:
    options: dict[str, Any] = {"resolution": asked.resolution}
    if asked.wide is not None:
        kind, options = "range with a core", {"wide": asked.wide}
    else:
        kind = "range" if asked.outputs is None else "range with given outputs"
        options |= {"outputs": asked.outputs, "atoms": asked.exact_answers}

    def single(problem: Problem) -> SearchPlan:
        return made(kind, problem, **options)

    if asked.total is None:
        return single(asked.problem)
    return made("range, several releases", asked.problem, total=asked.total, single=single)


def made(kind: str, problem: Any, resolution: int | None = None, **options: Any) -> SearchPlan:
    """The plan of a kind, with the options that its methods look at."""
    entry = KINDS[kind]
    ending = import_module(f".{entry.ending}", __package__) if entry.ending else None
    for word in ("trivial", "refuse", "too_long", "remarks", "status", "stats"):
        if hasattr(ending, word):
            options[word] = getattr(ending, word)
    return SearchPlan(
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
    method: Method = getattr(import_module(f".{module}", __package__), name)
    return method
