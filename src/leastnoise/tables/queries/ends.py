"""An interval of values for a quantile: each end is chosen privately, and then tested privately.

An end is a cell whose score lies clearly on its own side of 0. Whether it really does is asked of
the data once more, with noise; if that leaves a doubt, the end is the bound itself. So the interval
holds whatever the first choice was. Statement and proof: `ends.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...cache import designed
from ...sampling import Entropy

#: An end may be wrong with this probability; there are two.
_WRONG = 0.025


def law_of_ends(epsilon: Fraction) -> tuple[Any, Path]:
    """The noise of the test of one end, and its file."""
    return designed(epsilon / 2, Fraction(0), Fraction(1), False, 1, "l1")


def end_of(
    query: Any,
    cells: Mapping[int, int],
    side: int,
    epsilon: Fraction,
    sensitivity: Fraction,
    entropy: Entropy,
) -> int:
    """A cell that is on its side (-1: not above, 1: not below) of the quantile, with 97.5%.

    All of it is epsilon-private: half of it chooses, half of it tests.
    """
    top, half = query.scale.top, epsilon / 2
    design, _ = law_of_ends(epsilon)
    noise = design.noise
    scale = sensitivity * query.unit
    # P(noise beyond doubt to one side) <= 2.5%, and a step of the grid for rounding.
    doubt = (Fraction(noise.error_bound(1 - _WRONG)) + noise.grid_step) * scale
    spread = 2 * scale / half * Fraction(math.log(top + 1) + 3)
    aside = math.ceil(2 * doubt + spread)
    cell = int(query._drawn(cells, half, sensitivity, entropy, side * aside))
    (drawn,) = design.release([query.score(cells, cell) / scale], exact=True, entropy=entropy)
    score = Fraction(drawn) * scale
    sure = score + doubt <= 0 if side < 0 else score - doubt >= 0
    return cell if sure else (0 if side < 0 else top)
