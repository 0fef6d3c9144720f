"""The paper's hierarchy of bounding problems, as published.

Data independent noise: `P` and `D` are P(L,beta), D(L,beta), P(pi,beta) and D(pi,beta). Data
dependent noise: `PPrime` and `DPrime`. Each has a `solve()` that returns a `Bound`. Algorithm 1
is `cutting_plane`, Algorithms 2 and 3 are `shortfall`. `docs/paper-map.md` maps every numbered
statement of the paper to its place; `docs/hierarchy.md` shows what does not hold as printed.
"""

from .bound import Bound
from .costs import Costs
from .cutting_plane import Options
from .dependent import DPrime, PPrime
from .partition import Partition, merged_tails
from .problems import BoundingProblem, D, P

__all__ = [
    "Bound",
    "BoundingProblem",
    "Costs",
    "D",
    "DPrime",
    "Options",
    "P",
    "PPrime",
    "Partition",
    "merged_tails",
]
