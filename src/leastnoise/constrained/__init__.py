"""Design under constraints and whole privacy profiles, on lattices of its own."""

from .search import ConstrainedSearch

__all__ = ["ConstrainedSearch"]
