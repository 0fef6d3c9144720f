"""sweep(grid) -> SweepTable: many designs, in parallel, kept on disk, resumed after a crash.

A cell of the grid is finished when its mechanism file stands in the cache under its final name,
which happens in one step. Whatever is read back has passed the exact checker again.
"""

from .run import budget_grid, sweep
from .table import SweepRow, SweepTable

__all__ = ["SweepRow", "SweepTable", "budget_grid", "sweep"]
