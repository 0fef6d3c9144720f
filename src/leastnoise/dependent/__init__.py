"""Data dependent noise: private answers for a query whose range is known."""

from .asked import DependentOptions, refuse_without_bounds, with_constraints
from .design import DependentDesign, design_dependent

__all__ = [
    "DependentDesign", "DependentOptions", "design_dependent", "refuse_without_bounds",
    "with_constraints",
]
