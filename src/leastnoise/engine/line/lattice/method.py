"""The methods of lattices: closed forms seen through cells, and programs over cells of one width.

What is yielded has been checked exactly (`closed_forms.proof.md`, `relaxed.proof.md`,
`repair.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....problem import Problem
from ...bounds import Bounds, proven
from ...method import Method
from ...search import Search
from .closed_forms import one_by_one, simple_noise
from .constrained import ConstrainedPrograms
from .forecast import as_real
from .one_budget import run_of


@dataclass(frozen=True)
class RealNoiseSettings:
    """When a bound on real noise is looked for.

    Found by trial with `benchmarks/budgets.py`; no claim depends on them.
    """

    #: The share of the gap, or of what is open, that a bound on real noise may lose for integers;
    #: what counts as open where nothing is known; and seconds.
    added: float = 0.25
    open: float = 1e-2
    longest: float = 60.0


SETTINGS = RealNoiseSettings()


def _closed_forms(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from run_of(problem, search).in_closed_form(search)


def _programs(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from search.coarse_to_fine(run_of(problem, search))


def _finer(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from run_of(problem, search).finer(search)


def _as_real(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Integers plus a uniform number are real noise: what is known of it, less what that adds."""
    from ...methods import plan_of_noise

    smeared, upper = problem.loss.smeared, search.bracket.upper
    if smeared is None or upper is None:
        return
    added = float(smeared) / float(upper.value)
    if added > SETTINGS.added * max(search.gap, min(search.bracket.gap, SETTINGS.open)):
        return  # much of what is open would stay open
    real = plan_of_noise(replace(problem, integer=False))
    seconds = None if search.deadline is None else search.left(SETTINGS.longest) / 2
    lower = search.inner(real, (1 - 2 * SETTINGS.added) * search.gap, seconds).lower
    if lower is not None:
        yield proven(problem, lower.multipliers, lower.resolution), None


def _whole(problem: Problem) -> bool:
    return problem.integer and problem.loss.smeared is not None


def _constrained(problem: Problem, search: Search) -> Iterator[Bounds]:
    run = ConstrainedPrograms(problem, search.plan.resolution)  # (it refuses some questions)
    yield one_by_one(problem), None
    if run.wide:
        yield None, simple_noise(problem)
    yield from search.coarse_to_fine(run)
    if search.bracket.upper is None and not run.wide:
        yield None, simple_noise(problem)


CLOSED_FORMS = Method(
    "closed forms",
    "noise of the literature, and multipliers at one point a sensitivity by a recursion",
    _closed_forms,
    whatever=True,
)
AS_REAL = Method(
    "real noise",
    "integers plus a uniform number are real noise: bounds on that hold, a little lower",
    _as_real,
    serves=_whole,
    worth=as_real,
)
PROGRAMS = Method(
    "lattice program",
    "programs over cells of one width, finer and finer, by simplex or interior point method",
    _programs,
)
FINER = Method(
    "finer lattice program",
    "one small program more than the gap demands: nothing published should be better",
    _finer,
)
CONSTRAINED = Method(
    "lattice program", "the same with rows for constraints and for several budgets", _constrained
)
