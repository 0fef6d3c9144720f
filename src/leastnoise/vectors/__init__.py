"""Noise for vectors with Euclidean sensitivity: one radial problem in every dimension."""

from .design import VectorBracket, design_vector
from .rivals import VectorRival, rivals, split_design_rival

__all__ = ["VectorBracket", "VectorRival", "design_vector", "rivals", "split_design_rival"]
