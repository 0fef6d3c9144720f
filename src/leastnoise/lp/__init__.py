"""The solver boundary: linear programs in, numbers out. It knows nothing of privacy."""

from .highs import INF, Model, minimised
from .solution import Solution, Status

__all__ = ["INF", "Model", "Solution", "Status", "minimised"]
