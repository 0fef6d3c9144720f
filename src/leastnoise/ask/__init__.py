"""What is asked: budgets, constraints, a range, and the frozen question they make."""

from .demands import (
    Constraint,
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
)
from .privacy import GaussianCurve, Point, Releases
from .question import Crossing, Prior, Question, Range

__all__ = [
    "Constraint",
    "Crossing",
    "Distinguishing",
    "GaussianCurve",
    "LossAtMost",
    "MaxError",
    "Monotone",
    "Point",
    "Prior",
    "Question",
    "Range",
    "Releases",
    "Support",
    "Symmetric",
    "Unbiased",
    "Unimodal",
    "ends_of",
    "foldable",
]
