"""The methods of lattices: closed forms seen through cells, and programs over cells of one width.

What is yielded has been checked exactly (`closed_forms.proof.md`, `relaxed.proof.md`,
`repair.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ask import Question
from ..bounds import Bounds
from ..method import Method
from ..search import Search
from .constrained import Constrained
from .one_budget import run_of


def _closed_forms(question: Question, search: Search) -> Iterator[Bounds]:
    yield from run_of(question, search).in_closed_form(search)


def _programs(question: Question, search: Search) -> Iterator[Bounds]:
    yield from search.coarse_to_fine(run_of(question, search))


def _finer(question: Question, search: Search) -> Iterator[Bounds]:
    yield from run_of(question, search).finer(search)


def _constrained(question: Question, search: Search) -> Iterator[Bounds]:
    yield from search.coarse_to_fine(Constrained(question, search.plan.resolution))


CLOSED_FORMS = Method(
    "closed forms",
    "noise of the literature, and multipliers at one point a sensitivity by a recursion",
    _closed_forms,
    seconds=0.2,
    whatever=True,
)
PROGRAMS = Method(
    "lattice program",
    "programs over cells of one width, finer and finer, by simplex or interior point method",
    _programs,
    seconds=1.0,
)
FINER = Method(
    "finer lattice program",
    "one small program more than the gap demands: nothing published should be better",
    _finer,
    seconds=0.2,
)
CONSTRAINED = Method(
    "lattice program",
    "the same with rows for constraints and for several budgets",
    _constrained,
    seconds=0.1,
)
