"""Where a range is wide for its noise: expected, never claimed.

Measured by `benchmarks/ranges.py`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from fractions import Fraction

from ....problem import Problem
from ..channel.forecast import many_sensitivities, too_wide

#: In sensitivities: in a narrower range a program does better, and soon.
_NARROWEST = 6
#: Likewise: in a narrower one a program over all of it is cheaper than layers, but for an epsilon
#: from the second number on, which takes many cells.
_NARROWEST_LAYERED, _STEEP = 20, 3
#: Likewise: what the ends cost is little in a range this wide.
_HARDLY_ENDS = 1_000
#: What epsilon adds up to over a range of which a hundred nodes say nearly everything.
_EVEN = 40
#: With one node to a group the solver has less dust than elsewhere: multipliers are sought for this
#: delta at least.
_LEAST_DELTA = Fraction(1, 100_000)


def noise_pays(problem: Problem) -> bool:
    """Whether one noise for all values is nearly the best."""
    return problem.width >= _NARROWEST * problem.sensitivity


def wide_for_layers(problem: Problem) -> bool:
    """Whether the range is so wide that a program over all of it takes longer than layers."""
    return problem.width >= _NARROWEST_LAYERED * problem.sensitivity


def layers_pay(problem: Problem) -> bool:
    """Whether layers at the ends are cheaper than a program over all of the range."""
    return wide_for_layers(problem) or problem.epsilon >= _STEEP


def hardly_ends(problem: Problem) -> bool:
    """Whether the ends are a small part of the range."""
    return problem.width >= _HARDLY_ENDS * problem.sensitivity


def copies_pay(problem: Problem) -> bool:
    """Whether additive multipliers alone prove much: cells too fine for layers, or hardly ends."""
    return hardly_ends(problem) or problem.epsilon >= _STEEP


def groups_pay(problem: Problem) -> bool:
    """Whether noise hardly changes from node to node of a program over all of a wide range."""
    wide = too_wide(problem) or many_sensitivities(problem)
    return wide and problem.epsilon * problem.width <= _EVEN * problem.sensitivity


def eased_in_groups(delta: Fraction) -> Fraction:
    """The delta that multipliers of groups are sought for."""
    return max(delta, _LEAST_DELTA)
