"""What a reader of an answer must know: all of it is public."""

from __future__ import annotations

from fractions import Fraction

from ..queries.base import Query, Setting
from ..queries.mean_vector import MeanVector
from ..queries.proportion import Proportion
from ..queries.quantile import Quantile
from ..queries.valued import Valued
from ..unit import PrivacyUnit


def notes(
    query: Query, setting: Setting, groups: int, epsilon: Fraction, apart: bool = True
) -> list[str]:
    """What a reader must know; public.

    epsilon: that of the values, for all groups of a unit. apart: whether groups are released one
    by one, and not in one draw.
    """
    found = query.notes(setting) if isinstance(query, (Valued, MeanVector, Proportion)) else []
    if setting.size is not None:
        found.append(f"the number of rows, {setting.size}, is public because rows are replaced")
    if isinstance(setting.unit, PrivacyUnit):
        found.append(_of_persons(query, setting.unit))
    if query.grouped and groups > 1:
        budget = "each group has a part of the budget" if apart else "all groups come from one draw"
        found.append(f"one unit can move {groups} groups, and {budget}")
    if isinstance(query, Quantile):
        if query.interval:
            found.append("half of epsilon was spent on the interval; delta is not used")
        error = query.rank_error(epsilon / groups, setting)
        found.append(
            f"with 95% confidence the rank of the answer is within {error:.3g} rows of the best "
            "candidate's"
            + ("" if query.interval else "; interval=True spends budget on an interval of values")
        )
    return found


def _rows(count: int) -> str:
    return "one row" if count == 1 else f"{count} rows"


def _groups(count: int) -> str:
    return "one group" if count == 1 else f"{count} groups"


def _of_persons(query: Query, unit: PrivacyUnit) -> str:
    """How much of a person counts: what distorts an answer, and no interval knows of."""
    each = " in each group" if query.grouped else ""
    keys = query.public_keys if query.grouped else ()
    most = unit.max_groups
    groups = (
        f", and in at most {_groups(most)}: rows in other groups are left out, so that "
        "counts and sums are too small where people are in more groups"
        if most is not None and (keys is None or most < len(keys))
        else ""
    )
    return (
        f"a person counts with at most {_rows(unit.max_rows_per_group)}{each} (with more rows, "
        "each has a smaller weight, so that counts and sums are too small where people have more "
        f"rows){groups}; rows without {unit.id} are left out"
    )
