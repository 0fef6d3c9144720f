"""The method of partitions: one interval of values for each answer, and a price for each value.

Where epsilon is large, noise is far narrower than a sensitivity, and a program over rows would
need thousands of them. Here both bounds follow a rule, and a file lists what the rule needs: the
edges of intervals, and prices. What is yielded has been checked exactly (`prices.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ....problem import Problem
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from ..channel.baselines import fitting
from ..wide import remapped
from .cells import partitioned
from .forecast import stairs_that_pay, steep
from .prices import far_from_ends, priced, priced_lower

#: Half an interval is so many nodes of prices, in turn; twice that for a loss that bends, for a
#: bound on nodes loses the square of their distance.
_NODES = (4, 8)


def _serves(problem: Problem) -> bool:
    """One budget, |x| or x^2 and a uniform prior, real values, and nothing else asked for."""
    plain = remapped.serves(problem) and not problem.profile and not problem.integer
    return plain and problem.loss.exponent in (1, 2)


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Pairs of bounds, coarse to fine."""
    if search.plan.resolution is not None:
        return
    _, price = far_from_ends(problem)
    stairs = stairs_that_pay(problem, price)
    for nodes in _NODES:
        n = min(fitting(problem, (nodes * int(problem.loss.exponent or 1),)))
        prices = priced(problem, n, stairs)
        if prices is None or search.done():
            return
        search.bracket.resolutions.append(n)
        yield priced_lower(problem, prices, stairs), None
        upper = partitioned(problem, prices, search.plan.atoms)
        yield None, upper
        if upper is None:
            return  # more intervals than a file holds: what others find is not as near as that


PARTITION = Method(
    "partition",
    "one interval of values for each answer from above, a price for each value from below",
    _bounds,
    serves=_serves,
    worth=steep,
)
