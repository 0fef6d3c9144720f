"""What is asked: budgets, constraints, a range, and the frozen question they make."""

from .constraints import (
    Constraint,
    Demand,
    Distinguishing,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    ends_of,
    foldable,
    mode_of,
    must_balance,
)
from .privacy import GaussianCurve, Point, Releases
from .problem import Crossing, Prior, Problem, Range

__all__ = [
    "Constraint",
    "Crossing",
    "Demand",
    "Distinguishing",
    "GaussianCurve",
    "LossAtMost",
    "MaxError",
    "Monotone",
    "Point",
    "Prior",
    "Problem",
    "Range",
    "Releases",
    "Support",
    "Symmetric",
    "Unbiased",
    "Unimodal",
    "ends_of",
    "foldable",
    "mode_of",
    "must_balance",
]
