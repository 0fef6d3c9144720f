"""What a linear programming solver returned: a proposal, never a result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..numeric import Floats


class Status(Enum):
    """Why the solver stopped, in a word that reads well in a sentence."""

    OPTIMAL = "optimal"
    TIME_LIMIT = "time limit"
    INFEASIBLE = "infeasible"
    FAILED = "failed"


@dataclass(frozen=True)
class Solution:
    """The solver's answer. `primal` and `row_dual` are proposals to be checked exactly."""

    status: Status
    objective: float
    primal: Floats
    row_dual: Floats
    iterations: int

    @property
    def usable(self) -> bool:
        """Whether the numbers are worth checking at all."""
        finite = np.isfinite(self.primal).all() and np.isfinite(self.row_dual).all()
        return self.status is Status.OPTIMAL and bool(finite)
