"""The methods of channels: answers that may depend on the value, on meshes of the range.

What is yielded has been checked exactly (`rows.proof.md`, `multipliers.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from ....certify.noise.ranges.clamped import ClampedAnswers
from ....certify.noise.ranges.moved import MovedAnswers
from ....errors import ArgumentError
from ....problem import Problem
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from ..intervals.mixture import INTERVALS
from ..wide.forecast import copies_pay
from .baselines import additive_answer, constant_upper, gained, translated
from .forecast import too_wide, wide
from .mesh import good_count, mesh_of, upper_costs
from .programs import LEVELS, ChannelPrograms
from .rows import closed_forms, float_loss

#: How often whole numbers get more lines for a curve.
_BENDS = 6


def _programs_of(problem: Problem, search: Search) -> ChannelPrograms:
    """What the methods of one search share."""
    plan = search.plan
    return search.keep(
        ChannelPrograms,
        lambda: ChannelPrograms(
            problem, cells=plan.resolution, outputs=plan.outputs, atoms=plan.atoms
        ),
    )


def _simple(problem: Problem, search: Search) -> Iterator[Bounds]:
    """One answer for everybody, and the best closed form seen through a coarse mesh."""
    run = _programs_of(problem, search)
    problem = run.problem
    yield None, constant_upper(problem, run.outputs)
    if run.bounded or too_wide(problem):
        return
    mesh = mesh_of(problem, 0 if problem.integer else good_count(problem, 16, False))
    outputs = run.outputs_of(mesh.centres() if problem.integer else mesh.halves())
    costs, atoms = upper_costs(mesh, outputs), run.atom_costs(mesh)
    blank = run.channel(mesh, outputs, np.full(costs.shape, 1.0), None)
    forms = closed_forms(blank, problem.delta)
    name, channel = min(forms, key=lambda pair: float_loss(pair[1], costs, atoms))
    yield None, run.exact(channel, costs, name, search)


def _additive(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Noise, and what its multipliers prove about every value."""
    moved = _moved(search)  # the same noise, with better answers, but on no finer steps than fit
    problem = _programs_of(problem, search).problem
    if not moved or copies_pay(problem):
        yield None, additive_answer(problem, search)
    if not moved and wide(problem):
        yield translated(problem, search), None


def _additive_at_last(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Noise, if it was not looked at before."""
    if _moved(search) or not wide(problem):
        yield None, additive_answer(_programs_of(problem, search).problem, search)


def _moved(search: Search) -> bool:
    upper = search.bracket.upper
    return upper is not None and type(upper.document.noise) is MovedAnswers


def _programs(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Both programs, coarse to fine, unless the last channel gained little: then lower bounds
    first."""
    run, rest = _programs_of(problem, search), False
    for size in search.sizes(_sizes(run, search)):
        if run.problem.integer:
            yield from run.whole(mesh_of(run.problem, size), search)
            run.bend()  # finer meshes gain more than finer curves
            continue
        fixed = size == run.cells
        counts = [size if fixed else good_count(run.problem, size, low) for low in (True, False)]
        search.bracket.resolutions[-1] = counts[0]
        yield run.relaxed(mesh_of(run.problem, counts[0]), search)
        if rest and not fixed:
            rest = False
            continue
        before = search.bracket.upper
        yield None, run.restricted(mesh_of(run.problem, counts[1]), search)
        rest = not gained(before, search)


def _sizes(run: ChannelPrograms, search: Search) -> Iterator[int]:
    """The levels, coarse to fine."""
    problem = run.problem
    if too_wide(problem):
        search.reason = "a range this wide is too large for a program"
    elif problem.integer:
        yield from [int(problem.width) + 1] * (1 if problem.gdp is None else _BENDS)
    elif run.cells is not None:
        yield from (*(level for level in LEVELS if level < run.cells / 1.4), run.cells)
    else:
        yield from (level for level in LEVELS if level > _least_level(search))
    search.reason = search.reason or "the finest mesh was reached"


def _least_level(search: Search) -> int:
    """Where intervals were best, a program on coarser cells than theirs moves nothing."""
    upper, lower = search.bracket.upper, search.bracket.lower
    if upper is None or lower is None or upper.origin != INTERVALS:
        return 0
    return int(lower.resolution)


SIMPLE = Method(
    "closed forms",
    "one answer for everybody, and noise of the literature seen through a coarse mesh",
    _simple,
    whatever=True,
)
ADDITIVE = Method(
    "additive noise",
    "the best additive noise, its answers moved into the range; its multipliers everywhere",
    _additive,
    worth=wide,
    whatever=True,
)
PROGRAMS = Method(
    "program over rows",
    "programs over the rows of a channel, one for each cell of the range, finer and finer",
    _programs,
)
ADDITIVE_AT_LAST = Method(
    "additive noise",
    "a bracket that stays open must not be worse than additive noise",
    _additive_at_last,
    whatever=True,
)


def refuse(problem: Problem) -> NoReturn:
    """No answers keep to a bound at every value, or none fit into a file."""
    names = ("max_error", "instance_bound")
    limits = [name for name in names if getattr(problem, name) is not None]
    name = limits[0] if limits else "epsilon"
    which = "keep to it at every value" if limits else "a file can hold"
    raise ArgumentError(
        name,
        float(getattr(problem, name)),
        f"larger, or time_limit longer: no private answers were found in time that {which}",
    )


_REMARKS: dict[type, str] = {
    ClampedAnswers: "; additive noise is the best that was found",
    MovedAnswers: "; one noise for all values, its answers moved near the ends of the range",
}


def remarks(problem: Problem, search: Search) -> str:
    """What kind of answers were found, and which values the bracket is about."""
    upper = search.bracket.upper
    if upper is None:
        return ""
    document, problem = upper.document, upper.document.problem
    words = _REMARKS.get(type(document.noise), "")
    if document.noise.ends(problem) != (problem.low, problem.high):
        start, end = float(problem.low), float(problem.high)
        words += f"; the bracket is about values of the core, {start:g} to {end:g}"
    return words
