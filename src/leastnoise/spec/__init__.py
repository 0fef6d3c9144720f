"""What is asked: the budget, the sensitivity, the loss, and what else the noise must obey."""

from .constraints import Constraint, ends_of, mirror_free
from .problem import Point, Problem

__all__ = ["Constraint", "Point", "Problem", "ends_of", "mirror_free"]
