"""What other mechanisms of the same budget would cost, beside the best possible: one comparison.

`kinds` is the table of baselines, one module for each kind of design.
"""

from .kinds import compare_design
from .table import Comparison, ComparisonRow

__all__ = ["Comparison", "ComparisonRow", "compare_design"]
