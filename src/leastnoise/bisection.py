"""Where a condition begins to hold: bisection over integers, floats and fractions.

Every condition here is monotone: once it holds, it holds for all that is larger. A caller whose
condition ends, in place of beginning, negates it and reads the lower end.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

Real = TypeVar("Real", int, float, Fraction)
Continuous = TypeVar("Continuous", float, Fraction)


def first_integer(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least integer above `low`, and up to `high`, at which `holds`; `high` where none below.

    `holds` is never asked at `low`, nor at `high`.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def narrow(
    holds: Callable[[Continuous], bool],
    low: Continuous,
    high: Continuous,
    *,
    width: float | Fraction = 0,
    relative: float | Fraction = 0,
    steps: int | None = None,
) -> tuple[Continuous, Continuous]:
    """The two ends between which `holds` begins, `low` before and `high` after.

    Halves the interval until it is at most `width` or `relative` times its upper end, or after so
    many `steps`. Floats need no limit: it ends where no float is between the two.
    """
    while steps is None or steps > 0:
        middle = (low + high) / 2
        if not low < middle < high or high - low <= max(width, relative * high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
        steps = None if steps is None else steps - 1
    return low, high


def bracket(holds: Callable[[Real], bool], low: Real, high: Real) -> tuple[Real, Real]:
    """The first double of `high` at which `holds`, after the one before; `low` is before `high`."""
    while not holds(high):
        low, high = high, 2 * high
    return low, high
