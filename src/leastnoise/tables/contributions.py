"""compare_units(table, query, units, ...): what contribution bounds cut, and the noise they cost.

All estimates together are (epsilon, 0)-DP: each is an `ask` for an equal part of epsilon, and the
epsilons of one person add up, whatever the bounds of each are (`planning/noise.proof.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, Described
from ..exact import Number
from ..hints import hinted
from ..problem.checks import check_epsilon
from ..sampling import Entropy
from .ask import ask
from .ledger import Ledger
from .planning.planner import Plan, plan
from .queries.base import Query
from .queries.coverage import BEYOND, Coverage
from .queries.numbers import Estimate
from .queries.text import query_of
from .unit import PrivacyUnit

_MOST = 20


@dataclass(frozen=True)
class ComparedUnit:
    """A privacy unit: a private estimate of the part of the rows that its bounds cut, and the noise
    to expect with it.
    """

    unit: PrivacyUnit
    #: The part of the rows beyond the bounds, each person with the same weight.
    beyond: Estimate
    #: Of the query with this unit, at the epsilon that it was planned for.
    plan: Plan

    def __str__(self) -> str:
        low, high = (0.0 if end is None else end for end in (self.beyond.low, self.beyond.high))
        groups = "" if self.unit.max_groups is None else f", max_groups={self.unit.max_groups}"
        return (
            f"max_rows_per_group={self.unit.max_rows_per_group}{groups}: "
            f"{self.beyond.value:.0%} of the rows cut ({low:.0%} to {high:.0%}); 95% of answers "
            f"within {self.plan.error:.4g}{self.plan.counted} of what is left"
        )


class ComparedUnits(list[ComparedUnit]):
    """Units beside each other, in the order in which they were given."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))


@hinted
def compare_units(
    table: Any,
    query: Query | str,
    units: Sequence[PrivacyUnit],
    *,
    epsilon: Number,
    planned: Number = 1,
    delta: Number = 0,
    rows: int = 1000,
    neighbors: str = "add-remove",
    ledger: Ledger | str | Path | None = None,
    entropy: Entropy | None = None,
) -> ComparedUnits:
    """Estimate privately which part of the rows each choice of contribution bounds cuts.

    Small bounds cut rows, and counts and sums are then too small; large ones cost noise. This says
    both, for each unit of a public list: so that bounds are chosen without looking at the data.

    Guarantee: all estimates together are (epsilon, 0)-DP. Each has an equal part of epsilon, and a
    charge of its own in the ledger.

    units: of one column, with different bounds. epsilon: of all estimates together.
    planned, delta: the budget of the query later, and rows a guess at those of a group: for its
        margin of error, which costs nothing.

    Example: in how many wards a patient shall count.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"p": [k // 2 for k in range(4000)], "ward": list("abcd") * 1000})
        >>> units = [PrivacyUnit("p", max_rows_per_group=1, max_groups=most) for most in (1, 2)]
        >>> query = Count(by="ward", keys=list("abcd"))
        >>> found = compare_units(table, query, units, epsilon=1)
        >>> [round(one.beyond.value, 1) for one in found]
        [0.5, 0.0]
    """
    question, budget = query_of(query), check_epsilon(epsilon)
    persons = isinstance(units, Sequence) and all(isinstance(unit, PrivacyUnit) for unit in units)
    if not (persons and 1 <= len(units) <= _MOST and len({unit.id for unit in units}) == 1):
        allowed = f"a list of 1 to {_MOST} times PrivacyUnit(...), all of one column"
        raise ArgumentError("units", Described(type(units).__name__), allowed)

    later: dict[str, Any] = {"epsilon": planned, "delta": delta, "rows": rows}
    ready = [plan(question, unit=unit, neighbors=neighbors, **later) for unit in units]
    share = budget / len(units)
    asked: dict[str, Any] = {"epsilon": share, "neighbors": neighbors, "ledger": ledger}
    return ComparedUnits(
        ComparedUnit(
            unit,
            ask(table, Coverage(question), unit=unit, entropy=entropy, **asked).groups[BEYOND],
            expected,
        )
        for unit, expected in zip(units, ready, strict=True)
    )
