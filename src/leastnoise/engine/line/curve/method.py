"""The methods of curves: nearly Gaussian noise, and programs along lines where the curve binds.

What is yielded has been checked exactly (`../../../problem/privacy.proof.md`,
`../lattice/repair.proof.md`, `../../../certify/certificates/closed_form.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ....losses import L2
from ....problem import Problem
from ...bounds import Bounds, along_curve
from ...method import Method
from ...search import Search
from ...trivial import trivial_lower
from ..lattice.closed_forms import one_by_one
from .below import CurvePrograms


def _run_of(problem: Problem, search: Search) -> CurvePrograms:
    return search.keep(CurvePrograms, lambda: CurvePrograms(problem, search.plan.resolution))


def _nearly_gaussian(problem: Problem, search: Search) -> Iterator[Bounds]:
    run = _run_of(problem, search)
    yield one_by_one(problem), run.nearly_gaussian()


def _programs(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from search.coarse_to_fine(_run_of(problem, search))


def _orbits(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield along_curve(problem, trivial_lower(problem)), None


def _squared(problem: Problem) -> bool:
    return problem.loss == L2()


ORBITS = Method(
    "orbits of the curve",
    "for squared error a closed form: along an orbit of the curve quantiles are 1 apart",
    _orbits,
    serves=_squared,
)
NEARLY_GAUSSIAN = Method(
    "nearly Gaussian noise",
    "a density e^(piecewise linear): for squared error next to nothing is better",
    _nearly_gaussian,
    whatever=True,
)
PROGRAMS = Method(
    "program along the curve",
    "programs with points of the curve from below, and with chords of it from above",
    _programs,
)
