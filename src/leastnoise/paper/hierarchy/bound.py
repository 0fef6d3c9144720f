"""What `solve` returns: the optimum of a bounding problem, and what has been proven about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...formatting import float_towards
from ...numeric import Floats
from .exactly import Whole
from .partition import Partition
from .program import HierarchyMultipliers, Pair


@dataclass(frozen=True)
class Bound:
    """The result of one bounding problem.

    `optimum` is what the linear programming solver says. `upper` is the exact expected loss of
    noise that was checked to be private; `lower` an exact lower bound on the loss of all private
    noise. At most one of the two is set, and only after an exact check. A problem that is no
    valid lower bound, such as D(pi,beta) with merged cells, sets neither, and gives the bound
    that weak duality proves from its multipliers as `recertified`.
    """

    problem: str
    optimum: float
    upper: Fraction | None
    lower: Fraction | None
    recertified: Fraction | None
    reason: str
    rounds: int
    constraints: int
    seconds: float
    partition: Partition
    weights: Floats = field(repr=False)
    exact_weights: Whole | None = field(default=None, repr=False)
    #: For each privacy constraint (distribution, distribution, shift): its multiplier, and those
    #: of its positive parts in the cells.
    multipliers: Mapping[Pair, HierarchyMultipliers] = field(default_factory=dict, repr=False)

    @property
    def certified(self) -> bool:
        """Whether `value` is a bound proven in exact arithmetic."""
        return self.upper is not None or self.lower is not None

    @property
    def value(self) -> float:
        """The certified bound, rounded to the safe side, or else what the solver says."""
        if self.upper is not None:
            return float_towards(self.upper, math.inf)
        if self.lower is not None:
            return float_towards(self.lower, -math.inf)
        return self.optimum

    @property
    def edges(self) -> list[float]:
        """The ends of the cells, from left to right."""
        return [float(edge * self.partition.beta) for edge in map(int, self.partition.edges)]

    def summary(self) -> dict[str, Any]:
        """The JSON object of the command line."""
        return {
            "problem": self.problem,
            "value": _plain(self.value),
            "certified": self.certified,
            "reason": self.reason,
            "optimum": _plain(self.optimum),
            "recertified": None
            if self.recertified is None
            else float_towards(self.recertified, -math.inf),
            "rounds": self.rounds,
            "constraints": self.constraints,
            "seconds": self.seconds,
            "edges": self.edges,
            "weights": self.weights.tolist(),
            "multipliers": [
                {"from": k, "to": m, "shift": s, "total": at.total, "cells": at.inside.tolist()}
                for (k, m, s), at in sorted(self.multipliers.items())
            ],
        }

    def __str__(self) -> str:
        known = "certified" if self.certified else "not certified"
        return f"{self.problem} = {self.value:.6g} ({known}: {self.reason})"


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
