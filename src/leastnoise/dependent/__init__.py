"""Data dependent noise: private answers for a query whose range is known."""

from .design import DependentDesign, design_dependent

__all__ = ["DependentDesign", "design_dependent"]
