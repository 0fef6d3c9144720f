"""Confidence intervals of counts and of their proportions.

From the unbiased release and what is known of counts. Statement and proof: `intervals.proof.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction

#: An interval, with its ends.
Ends = tuple[Fraction, Fraction]


def count_interval(published: int, released: Fraction, ends: Ends) -> tuple[int, int]:
    """The integers from 0 on of the interval around a released number, and the published one.

    A number below 0 counts as 0: nearer to every count, so the interval around it holds as well,
    and is never empty.

    Example: a count that was released as -1, within 5/2 of the truth.

        >>> count_interval(0, Fraction(-1), (Fraction(-7, 2), Fraction(3, 2)))
        (0, 2)
    """
    above = ends[1] - min(released, Fraction(0))
    low, high = max(0, math.ceil(ends[0])), math.floor(above)
    return min(low, published), max(high, published)


def proportion_interval(part: Ends, rest: Ends) -> tuple[float, float]:
    """All values of part / (part + rest) for counts in two intervals; 0 to 1 if both can be 0.

    Example: 8 to 12 of something, and 28 to 32 others.

        >>> part, rest = (Fraction(8), Fraction(12)), (Fraction(28), Fraction(32))
        >>> proportion_interval(part, rest)
        (0.2, 0.3)
    """
    low, high = max(Fraction(0), part[0]), max(Fraction(0), part[1])
    least, most = max(Fraction(0), rest[0]), max(Fraction(0), rest[1])
    lowest = low / (low + most) if low + most > 0 else Fraction(0)
    highest = high / (high + least) if high + least > 0 else Fraction(1)
    return float(lowest), float(highest)
