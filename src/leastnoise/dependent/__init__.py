"""Data dependent noise: private answers for a query whose range is known."""

from .asked import DependentOptions, refuse_without_bounds, with_constraints
from .design import DependentDesign, design_dependent
from .releases import design_for_releases

__all__ = [
    "DependentDesign", "DependentOptions", "design_dependent", "design_for_releases",
    "refuse_without_bounds", "with_constraints",
]
