"""How the best staircase of a radius looks: expected, never claimed.

Measured by `benchmarks/vectors.py`.
What half and twice each number would cost random questions: `benchmarks/thresholds.csv`.
"""

from __future__ import annotations

#: From this delta on the best noise is short: a few stairs of equal width.
_LARGE_DELTA = 0.02


def short(delta: float) -> bool:
    """Whether a few stairs of equal width are a good start, too."""
    return delta >= _LARGE_DELTA
