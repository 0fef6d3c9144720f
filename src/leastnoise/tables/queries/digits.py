"""Numbers in as many digits as their intervals support: docs/reports.md, Digits."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .numbers import Estimate


def shown(value: float) -> str:
    """A number as a person reads it."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.8g}"


def rounded(estimate: Estimate) -> tuple[str, str, str]:
    """The value and its interval in as many digits as the interval supports.

    The ends are rounded outwards, so that what is written is still an interval of 95%. The rule
    stands in docs/reports.md under Digits; the page follows it, too (`measured` in words.js).
    """
    low, high = finite(estimate.low), finite(estimate.high)
    if estimate.step is not None and low is None and high is None:
        return _of_step(estimate.value, Fraction(repr(float(estimate.step)))), "", ""
    if low is None or high is None or not low < high:
        ends = ["" if end is None else shown(end) for end in (low, high)]
        return shown(estimate.value), ends[0], ends[1]
    exact = [Fraction(repr(float(x))) for x in (estimate.value, low, high)]
    place = _last_place(*exact)
    unit = Fraction(10) ** place
    steps = (math.floor(exact[0] / unit + Fraction(1, 2)), exact[1] // unit, -(-exact[2] // unit))
    value, below, above = (f"{Decimal(int(k)).scaleb(place):f}" for k in steps)
    return value, below, above


def _of_step(value: float, step: Fraction) -> str:
    """A value of a grid, in the digits that its step has: no finer ones are known."""
    place = _first_place(step)
    unit = Fraction(10) ** place
    text = f"{Decimal(math.floor(Fraction(repr(value)) / unit + Fraction(1, 2))).scaleb(place):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _last_place(value: Fraction, low: Fraction, high: Fraction) -> int:
    """The power of ten of the last digit that is shown."""
    margin = max(high - value, value - low)
    lead = _first_place(margin)
    if lead >= 3:  # (of an answer of 1 or more two digits are shown, whatever its interval is)
        own = _first_place(abs(value)) if value else -1
        return min(lead - 2, max(0, own - 1)) if own >= 0 else lead - 2
    place = 0 if lead >= 1 else lead - (margin < 3 * Fraction(10) ** lead)
    whole = all(x.denominator == 1 for x in (value, low, high))
    return max(place, 0) if whole else place


def _first_place(size: Fraction) -> int:
    """The power of ten of its first digit."""
    lead = len(str(size.numerator)) - len(str(size.denominator))
    return lead - (size < Fraction(10) ** lead)


def finite(value: float | None) -> float | None:
    """The number; None in the place of infinities."""
    return value if value is not None and math.isfinite(value) else None
