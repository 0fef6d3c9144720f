"""The method for private group keys: one chain, in closed form, and the noise of large keys.

What is yielded states both of its bounds: nothing is searched for. Why the tables are private and
the best: `chain.proof.md` and `curve.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from ...certify.certificates.tails import BestTails
from ...errors import ArgumentError
from ...exact import nearest_float
from ...problem.keyed_problem import KeyedProblem
from ..bounds import Bounds, Lower, not_negative, release_of_keys
from ..method import Method
from ..search import Search
from .chain import budget_chain
from .curve import FARTHEST, curve_chain


def _closed_form(problem: KeyedProblem, search: Search) -> Iterator[Bounds]:
    curve = problem.failure_curve
    chain = budget_chain(problem.budgets) if curve is None else curve_chain(curve)
    if chain is None:
        too_long(problem)
    yield release_of_keys(problem, chain)


CHAIN = Method(
    "optimal chain",
    "how often a key is released grows with its units as fast as the budget allows",
    _closed_form,
    whatever=True,
)


# -- what is said when the search ends ------------------------------------------------------------


def trivial(problem: KeyedProblem) -> Lower:
    """No loss is negative."""
    return not_negative(BestTails())


def too_long(problem: KeyedProblem) -> NoReturn:
    """The noise takes more work than a check may: which argument would help."""
    if problem.failure_curve is not None:
        words = f"larger: the noise would reach beyond {FARTHEST}, too far for the exact check"
        raise ArgumentError("gdp", nearest_float(problem.failure_curve.mu), words)
    words = "its noise is too much for the exact check"
    if problem.profile:
        count = f"{len(problem.budgets)} budgets"
        raise ArgumentError("profile", count, f"fewer or larger budgets: {words}")
    raise ArgumentError("loss", problem.loss.name, f"simpler: {words}")


def status(document: Any, search: Search) -> str:
    """Which mechanisms release no key more often."""
    return f"in closed form: {document.problem.competitors} releases more"
