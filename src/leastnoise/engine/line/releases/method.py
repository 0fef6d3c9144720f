"""The methods of composition: noise for several releases that together keep a total budget.

What is yielded has been checked exactly (`../../../certify/composition.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ....errors import ArgumentError
from ....problem import Problem
from ....problem.budgets import mu_for
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from .repeated import LONGEST, ReleasePrograms


def _profiles(problem: Problem, search: Search) -> Iterator[Bounds]:
    plan = search.plan
    assert plan.total is not None
    yield from ReleasePrograms(problem, plan.total, search.gap, plan.resolution).bounds(search)


def _shares(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Both ways, half of the time each; with its own lower bound: over answers of the same way.

    (The releases keep the total, whatever they are: `../../../problem/privacy.proof.md`.)
    """
    total, single = search.plan.total, search.plan.single
    assert total is not None and single is not None
    share = replace(problem, epsilon=total.epsilon / total.count, delta=total.delta / total.count)
    mu = mu_for(total)
    ways = [share] if mu is None else [share, replace(problem, gdp=mu)]
    brackets = []
    for done, way in enumerate(ways):
        seconds = search.left(LONGEST) / (len(ways) - done)
        try:
            brackets.append(search.inner(single(way), search.gap, seconds))
        except ArgumentError:  # the other way may have answers
            if way is ways[-1] and not brackets:
                raise
    best = min(brackets, key=lambda bracket: bracket.upper.value if bracket.upper else math.inf)
    assert best.upper is not None
    document = best.upper.document
    asked = replace(document.problem, releases=total)
    yield best.lower, replace(best.upper, document=replace(document, problem=asked))


PROFILES = Method(
    "search over privacy profiles",
    "programs along the slope of the total in the privacy profile of one release",
    _profiles,
    whatever=True,
)
SHARES = Method(
    "equal shares",
    "answers with an equal share of the total each, or below a Gaussian curve",
    _shares,
    whatever=True,
)


def remarks(problem: Problem, search: Search) -> str:
    """What the gap is between, in words for the status."""
    assert search.plan.total is not None
    words = f"over all noise of which {search.plan.total.count} releases keep the total"
    late = "; stopped at the time limit" if search.late() else ""
    joint = "; if all numbers are known at once, noise for their shape (Cube) is far better"
    return f"; the lower bound is {words}, and not close for many releases{joint}{late}"
