"""The method of staircases: noise from above, multipliers down its stairs from below.

What is yielded has been checked exactly (`noise.proof.md`, `multipliers.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ....problem import Problem
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from ..lattice.one_budget import run_of
from .forecast import worth_trying


def _serves(problem: Problem) -> bool:
    """Noise anywhere on the line, or on the whole numbers, for one budget with a ratio."""
    return problem.plain and problem.epsilon > 0 and problem.output_step is None


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from run_of(problem, search).down_the_stairs(search)


STAIRCASE = Method(
    "staircase",
    "stairs one sensitivity wide, each e^-epsilon lower than the one before",
    _bounds,
    serves=_serves,
    worth=worth_trying,
    whatever=True,
)
