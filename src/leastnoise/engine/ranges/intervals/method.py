"""The method of intervals: mixtures of intervals, and the bounds that prices of values prove.

What is yielded has been checked exactly (`mixture.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ....problem import Problem
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from ..channel.mesh import reversible
from ..channel.rows import RowChannel
from .forecast import worth_trying
from .mixture import SECONDS, bounds_of, exact_mixture, meshes, mixture


def _serves(problem: Problem) -> bool:
    """One budget, and nothing asked of single values."""
    several = problem.gdp is not None or problem.profile
    limited = problem.instance_bound is not None or problem.max_error is not None
    return not several and not limited


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Answers and bounds in turn, coarse to fine."""
    if search.plan.resolution is not None:
        return
    symmetric = reversible(problem)
    atoms = search.plan.atoms and not problem.integer and problem.delta > 0
    left = partial(search.left, SECONDS)
    best: tuple[RowChannel, float] | None = None
    proven = 0.0  # by intervals: another method may have done better than a coarse mesh can
    for for_bound, for_answers in meshes(problem):
        if for_answers is not None:
            mixed = mixture(for_answers, symmetric, atoms, left())
            search.bracket.rounds += 1
            if mixed is not None and (best is None or mixed[1] < best[1]):
                best = mixed
        if best is None or search.done():
            break
        if for_bound is not None:
            search.bracket.rounds += 1
            before = proven
            for lower in bounds_of(for_bound, symmetric, best[1], search.gap, left):
                yield lower, None
                proven = max(proven, float(lower.value))
                if search.closes(0.0, best[1]):
                    break
            if 0 < before == proven:
                break  # the ends ask for more than intervals: finer ones prove less and less
        if search.closes(0.0, best[1]):
            yield None, exact_mixture(best[0])
            best = None if search.done() else best
    if best is not None and search.improves(best[1]):
        yield None, exact_mixture(best[0])


INTERVALS = Method(
    "intervals",
    "mixtures of intervals, with one row for each value, where delta hardly matters",
    _bounds,
    serves=_serves,
    worth=worth_trying,
    whatever=True,
)
