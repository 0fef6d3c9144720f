"""Below which epsilon nothing keeps a margin, whatever the mechanism is: `floor.proof.md`."""

from __future__ import annotations

import math
from fractions import Fraction

from ...bisection import narrow
from ..queries.base import PRIVATE, Query, Setting

#: Of answers that a margin holds for.
_CONFIDENCE = 0.95
#: The floor is rounded down to so many digits.
_DIGITS = 3


def floor_of(
    query: Query, setting: Setting, within: Fraction, delta: Fraction, rows: int
) -> Fraction:
    """No mechanism keeps this margin on all tables of up to `rows` rows below this epsilon.

    0 where nothing is proven.

    Example: a count within 5 of the truth needs 11 people to move it by more than 10.

        >>> from leastnoise.tables.unit import Row
        >>> setting = Setting(Row(), "add-remove")
        >>> float(floor_of(query_of("count()"), setting, Fraction(5), Fraction(0), 1000))
        0.33
    """
    known = within > 0 and not setting.replace and query.keys != PRIVATE
    units = query.units_beyond(2 * within, rows, setting) if known else 0
    if units == 0 or 2 * units * setting.rows > rows:
        return Fraction(0)
    high = math.log(2 / (1 - _CONFIDENCE)) / units * 2
    low, _ = narrow(lambda at: not _too_small(at, units, float(delta)), 0.0, high, steps=60)
    return _round_down_epsilon(low)


def _too_small(epsilon: float, units: int, delta: float) -> bool:
    """Whether three tables, each so many units from the middle one, need a larger epsilon."""
    falls = math.exp(-units * epsilon)
    grown = -math.expm1(-units * epsilon) / math.expm1(epsilon)
    return _CONFIDENCE + 2 * (falls * _CONFIDENCE - delta * grown) > 1 + 1e-9


def _round_down_epsilon(value: float) -> Fraction:
    if value <= 0:
        return Fraction(0)
    place = math.floor(math.log10(value)) - _DIGITS + 1
    return Fraction(math.floor(value / 10.0**place)) * Fraction(10) ** place
