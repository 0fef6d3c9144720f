"""Where a range is wide for its noise: expected, never claimed.

Measured by `benchmarks/ranges.py`.
What half and twice each number would cost random problems: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....problem import Problem
from ..channel.forecast import many_sensitivities, too_wide


@dataclass(frozen=True)
class WideForecast:
    """The numbers, in sensitivities, that say how wide a range is."""

    #: In a narrower range a program does better, and soon.
    narrowest: int = 6
    #: In a narrower one a program over all of it is cheaper than layers, but for an epsilon from
    #: the second number on, which takes many cells.
    narrowest_layered: int = 20
    steep: int = 3
    #: What the ends cost is little in a range this wide.
    hardly_ends: int = 1_000
    #: What epsilon adds up to over a range of which a hundred nodes say nearly everything.
    even: int = 40
    #: With one node to a group the solver has less dust than elsewhere: multipliers are sought for
    #: this delta at least. (A larger one weakens bounds on wide ranges for squared error by 0.6%.)
    least_delta: Fraction = Fraction(1, 100_000)


NUMBERS = WideForecast()


def noise_pays(problem: Problem) -> bool:
    """Whether one noise for all values is nearly the best."""
    return problem.width >= NUMBERS.narrowest * problem.sensitivity


def wide_for_layers(problem: Problem) -> bool:
    """Whether the range is so wide that a program over all of it takes longer than layers."""
    return problem.width >= NUMBERS.narrowest_layered * problem.sensitivity


def layers_pay(problem: Problem) -> bool:
    """Whether layers at the ends are cheaper than a program over all of the range."""
    return wide_for_layers(problem) or problem.epsilon >= NUMBERS.steep


def hardly_ends(problem: Problem) -> bool:
    """Whether the ends are a small part of the range."""
    return problem.width >= NUMBERS.hardly_ends * problem.sensitivity


def copies_pay(problem: Problem) -> bool:
    """Whether additive multipliers alone prove much: cells too fine for layers, or hardly ends."""
    return hardly_ends(problem) or problem.epsilon >= NUMBERS.steep


def groups_pay(problem: Problem) -> bool:
    """Whether noise hardly changes from node to node of a program over all of a wide range."""
    wide = too_wide(problem) or many_sensitivities(problem)
    return wide and problem.epsilon * problem.width <= NUMBERS.even * problem.sensitivity


def eased_in_groups(delta: Fraction) -> Fraction:
    """The delta that multipliers of groups are sought for."""
    return max(delta, NUMBERS.least_delta)
