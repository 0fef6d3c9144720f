"""How wide a picture of noise must be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def reach_of(laws: Sequence[Any]) -> float:
    """Half the width of the picture: nearly all of the first law, and most of the others."""
    first = _end(laws[0], 0.9995)
    ends = [first, *(min(_end(law, 0.99), 2.0 * first) for law in laws[1:])]
    reach = 1.06 * max(ends)
    return max(reach, 1.5) if laws[0].integer else reach or 1.0


def _end(law: Any, share: float) -> float:
    low, high = law.support
    most = float(law.error_bound(share))
    if math.isfinite(low) and math.isfinite(high):
        # Compact noise is shown whole unless its ends hold next to nothing.
        whole = float(max(-low, high))
        return whole if whole <= 2 * most or most == 0 else most
    return most
