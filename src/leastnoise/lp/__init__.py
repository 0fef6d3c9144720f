"""The solver boundary: linear programs in, numbers out. It knows nothing of privacy."""

from .highs import Model
from .solution import Solution, Status

__all__ = ["Model", "Solution", "Status"]
