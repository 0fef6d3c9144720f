"""Plans for a vector that moves by a length of 1, for noise and for bounds of several numbers."""

from __future__ import annotations

from fractions import Fraction

from ...losses import Loss
from ...problem import Point, Problem
from ..method import SearchPlan
from ..methods import made
from ..vectors.method import refuse
from .forecast import too_many_stairs


def unit_vector(dimension: int, budget: Point, loss: Loss, for_noise: bool) -> SearchPlan:
    """The plan for a vector of sensitivity 1: its noise if that is wanted, else curves alone.

    `ArgumentError` where nobody would wait for its stairs.
    """
    problem = Problem(*budget, Fraction(1), loss, dimension=dimension)
    if too_many_stairs(dimension, float(problem.epsilon)):
        refuse(problem)
    return made("unit vector" if for_noise else "curves of a unit vector", problem)
