"""The one linear program (why it is right: `program.proof.md`).

    minimise    cost @ x
    subject to  every law of the layout has total probability 1,
                for every budget (eps, delta) and every pair of the layout
                    a + sum over places of weight * max(0, up x[ahead] - e^eps down x[behind])
                        <= delta,         a being the atom that the pair pays for,
                rows:         low <= coefficients @ x <= high,
                comparisons:  x[a] >= x[b],
                fixed columns.

All bounding problems of this package are this program; they differ in layout, costs and budgets.
`simplex.py` and `interior.py` solve it. Whatever comes out is a proposal: the engine turns it into
bounds that are checked exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from ..numeric import Floats, Ints
from .layout import ProgramLayout

#: (number of the budget, pair) -> (budget's multiplier y, places, their multipliers 0 <= z <= y).
PairDuals = dict[tuple[int, int], tuple[float, Ints, Floats]]

L = TypeVar("L", bound=ProgramLayout)


@dataclass(frozen=True)
class ProgramRow:
    """low <= coefficients @ x <= high."""

    coefficients: Floats
    low: float
    high: float


@dataclass(frozen=True)
class LinearProgram(Generic[L]):
    """Layout, costs and what is asked."""

    layout: L
    budgets: tuple[tuple[float, float], ...]
    cost: Floats
    rows: tuple[ProgramRow, ...] = ()
    comparisons: tuple[tuple[int, int], ...] = ()
    fixed: Mapping[int, float] = field(default_factory=dict)
    more: int = 0  # further columns, which hold no place and cost nothing: rows alone name them


@dataclass(frozen=True)
class ProgramDuals:
    """Multipliers of a program's solution: not negative, but for rows that are equalities.

    In a symmetric layout each entry of `pairs` stands for itself and its mirror image.
    """

    pairs: PairDuals
    rows: Floats
    comparisons: Floats


@dataclass(frozen=True)
class ProgramSolution:
    """What a method found, in floating point."""

    x: Floats
    value: float
    excess: float  # largest (hockey stick - delta) / delta over budgets and pairs
    rows: int  # of the program as it was solved
    read_multipliers: Callable[[], ProgramDuals]
    steps: int = 1
    loose: Floats | None = None  # on the way there, within a hundredth of the value: smoother

    @property
    def smooth(self) -> Floats:
        """The loose solution, if there is one."""
        return self.x if self.loose is None else self.loose

    @cached_property
    def multipliers(self) -> ProgramDuals:
        """Those of this solution, worked out when they are asked for."""
        return self.read_multipliers()
