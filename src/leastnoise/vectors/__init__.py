"""Noise for vectors with Euclidean sensitivity: one radial problem in every dimension.

Floats that steer, and how they become files; `engine/vector.py` is the family that uses them.
"""

from .rivals import VectorRival, rivals, split_design_rival

__all__ = ["VectorRival", "rivals", "split_design_rival"]
