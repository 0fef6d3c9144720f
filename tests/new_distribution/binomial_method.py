"""The method that proposes binomial noise: the fewest coins that hide the sensitivity.

In the package it would stand in `engine/line/binomial/method.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from binomial_noise import MAX_TRIALS, BinomialNoise

from leastnoise.bisection import first_integer
from leastnoise.engine.bounds import Bounds, Upper, certified, noise_file
from leastnoise.engine.line.lattice.closed_forms import canonical
from leastnoise.engine.method import Method
from leastnoise.engine.search import Search
from leastnoise.problem import Problem


def _with(problem: Problem, pairs: int) -> Upper | None:
    """The noise of so many pairs of coins, if it is private."""
    file = noise_file(problem, BinomialNoise(trials=2 * pairs))
    resolution = int(problem.sensitivity)
    return certified(file, "binomial", loss=problem.loss, resolution=resolution)


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    known = canonical(problem)  # multipliers for all noise, whatever is proposed here
    if known is not None:
        yield known.exact(), None
    pairs = first_integer(lambda k: _with(problem, k) is not None, 0, MAX_TRIALS // 2)
    yield None, _with(problem, pairs)


def _serves(problem: Problem) -> bool:
    return problem.integer and problem.plain and problem.delta > 0


BINOMIAL = Method("binomial noise", "the heads of the fewest coins that do", _bounds, _serves)
